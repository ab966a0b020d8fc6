"""Pulls that tear a body about: nothing diverges, and what falls lies on the floor."""

import pytest

from footfall.errors import FootfallError
from footfall.study.robustness.pulling import pull_test


@pytest.mark.parametrize(("name", "dt"), [("walk-3d", 0.002), ("run-3d", 0.001)])
def test_pulls_from_all_sides_up_to_2000_newtons(name: str, dt: float) -> None:
    test = pull_test(name, worlds=24, dt=dt, seconds=14.0, seed=7)
    assert test.diverged == 0
    assert test.fell + test.upright == 24
    assert test.fell > 12
    assert test.moving <= 1  # a leg that was propped up may come down late
    assert test.sunk <= test.moving


def test_planar_figures_are_pushed_in_other_ways() -> None:
    with pytest.raises(FootfallError, match="push maps"):
        pull_test("walk", worlds=2)
