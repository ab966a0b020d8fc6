"""Sizes of steps by hand-made places of the feet."""

import numpy as np
import pytest

from footfall.motion.gait.measures import FootPosition, mean_step_width, step_sizes


def strikes(turn: float = 0.0, width: float = 0.1, step: float = 0.6) -> list[FootPosition]:
    """Six strikes of a straight walk whose direction is turned, left foot first."""
    c, s = np.cos(turn), np.sin(turn)
    made = []
    for k in range(6):
        side = ("left", "right")[k % 2]
        x, y = step * k, 0.5 * width if side == "left" else -0.5 * width
        made.append(FootPosition(0.5 * k, side, np.array([c * x - s * y, s * x + c * y]), np.array([1.0, 0.0])))
    return made


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.9])
def test_a_straight_walk_has_the_sizes_it_was_made_with(turn):
    sizes = step_sizes(strikes(turn))
    assert [size.side for size in sizes] == ["right", "left", "right", "left"]
    for size in sizes:
        assert size.length == pytest.approx(0.6)
        assert size.width == pytest.approx(0.1)
        assert size.stride == pytest.approx(1.2)


def test_feet_that_cross_over_have_a_negative_width():
    assert mean_step_width(strikes(width=-0.04)) == pytest.approx(-0.04)


def test_the_direction_faced_counts_only_in_place():
    """A pelvis that looks aside changes nothing, but for feet that stay where they are."""
    assert mean_step_width(strikes(step=0.0, width=0.12)) == pytest.approx(0.12)
    turned = [FootPosition(p.time, p.side, p.position, np.array([0.0, 1.0])) for p in strikes()]
    assert mean_step_width(turned) == pytest.approx(0.1)


def test_a_circle_has_the_width_of_its_tracks():
    """Feet on circles of 5.05 and 4.95 m: the chord of one foot's stride is nearer to the middle by its sagitta."""
    made = []
    for k in range(8):
        side, radius = (("right", 5.05), ("left", 4.95))[k % 2]
        angle = 0.6 * k / 5.0
        place = radius * np.array([np.sin(angle), 1.0 - np.cos(angle)]) + [0.0, 5.0 - radius]
        made.append(FootPosition(0.5 * k, side, place, np.array([np.cos(angle), np.sin(angle)])))
    sagitta = 5.0 * (1 - np.cos(0.6 / 5.0))
    widths = {s.side: s.width for s in step_sizes(made)}
    assert widths["left"] == pytest.approx(0.1 - sagitta, abs=2e-3)
    assert widths["right"] == pytest.approx(0.1 + sagitta, abs=2e-3)


def test_no_steps_no_width():
    assert np.isnan(mean_step_width(strikes()[:2]))
