"""Guidance towards points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.methods.limit_cycle import PathFollowing, load_perturbation

places = st.tuples(st.floats(-15, 15), st.floats(-15, 15))


@given(places, st.floats(-3, 3))
def test_turns_mirror_and_no_point_is_circled(place, heading) -> None:
    right, left = load_perturbation("turn-right"), load_perturbation("turn-left")

    def turn(point, facing, radius=1.1):
        follow = PathFollowing(right, left, np.array([point]), 0.9, 24.0, radius=radius)
        k, reached = follow.scaling(np.zeros((1, 2)), np.array([facing]), np.array([0]))
        return float(k[0]), int(reached[0])

    x, y = place
    k, reached = turn((x, y), heading)
    mirrored, _ = turn((x, -y), -heading)
    assert k == pytest.approx(-mirrored, abs=1e-6) or abs(k) == pytest.approx(24.0)
    assert reached == int(np.hypot(x, y) < 0.9)
    plain, _ = turn((x, y), heading, radius=0.0)
    assert k in (0.0, plain)
