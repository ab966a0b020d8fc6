"""Falls by height and lean, on figures that no point tells about."""

import re

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.simulation import Push, Simulation
from footfall.simulation.structures import FELL


@pytest.fixture(scope="module")
def barefoot() -> Figure:
    """The human without points off its feet."""
    xml = re.sub(
        r'<site name="(pelvis|head|left_hand|right_hand|left_knee|right_knee)"[^>]*/>', "", Figure.load("human-28").xml
    )
    figure = Figure.load(xml)
    assert all(p.foot for p in figure.points)
    return figure


@pytest.mark.slow
def test_a_figure_without_points_off_its_feet_falls_and_comes_to_rest_on_the_floor(barefoot: Figure) -> None:
    pushes = [Push([[700.0, 0.0, 0.0], [0.0, 700.0, 0.0], [0.0, 0.0, 0.0]], 1.0, 0.4)]
    simulation = Simulation("walk-3d", figure=barefoot, worlds=3, pushes=pushes, ragdoll_after_fall=True)
    outcome = simulation.run(9.0)
    np.testing.assert_array_equal(outcome.fell, [True, True, False])
    assert (simulation.snapshot()["status"][:2] == FELL).all()
    assert (simulation.qpos[:2, 2] > 0.05).all()
    assert np.abs(simulation.qvel[:2]).max() < 1.0
