"""The tracking law on MuJoCo's dynamics, and boxes that can be pushed about."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.simulation.mujoco_engine import MujocoSimulation
from footfall.simulation.mujoco_scene import MovableBox, stacked_boxes

FAR = (5.0, 5.0, 0.15)


@pytest.fixture
def with_boxes(standing):
    return lambda *boxes: MujocoSimulation(standing, boxes=boxes, efforts=False, last_states=1)


@pytest.mark.slow
def test_joints_get_the_accelerations_that_the_law_asks_for(with_boxes):
    simulation = with_boxes()
    simulation.step(45)
    places = simulation.law.layout.memory()
    asked = simulation.memory[0][places["acceleration"] : places["acceleration"] + 36]
    np.testing.assert_allclose(simulation.snapshot()["qacc"][0][6:], asked, atol=2e-2)


@pytest.mark.slow
def test_mujoco_walks_as_the_native_engine_does_since_the_ground_is_the_same():
    own, other = (
        engine("tracked-walk", pushes=[Push((0.0, 30.0, 0.0), 0.2, 0.2)], efforts=False, last_states=1)
        for engine in (Simulation, MujocoSimulation)
    )
    for simulation in (own, other):
        simulation.run(1.0)
    assert abs(own.qpos[0, 0]) > 0.3
    np.testing.assert_allclose(own.qpos[0], other.qpos[0], atol=2e-3)


def test_it_stands_among_boxes_that_rest(with_boxes):
    boxes = stacked_boxes([(5.0, 5.0)])
    simulation = with_boxes(*boxes)
    assert simulation.run(2.0).survived.all()
    moved = simulation.box_states[0, :, :3] - [box.position for box in boxes]
    assert np.abs(moved).max() < 0.01
    np.testing.assert_allclose(np.linalg.norm(simulation.box_states[0, :, 3:], axis=1), 1.0, atol=1e-12)


def test_a_box_that_is_dropped_falls_freely_until_it_lands(with_boxes):
    simulation = with_boxes(MovableBox((0.2, 0.2, 0.2), (5.0, 5.0, 1.0)))
    simulation.run(0.2)
    assert abs(simulation.box_states[0, 0, 2] - (1.0 - 0.5 * 9.8 * 0.2**2)) < 2e-3
    simulation.run(1.5)
    assert abs(simulation.box_states[0, 0, 2] - 0.1) < 5e-3


def test_a_reset_puts_boxes_back(with_boxes):
    simulation = with_boxes(MovableBox((0.2, 0.2, 0.2), (5.0, 5.0, 1.0)))
    simulation.run(0.3)
    simulation.reset()
    np.testing.assert_allclose(simulation.box_states[0, 0, :3], (5.0, 5.0, 1.0))


def test_a_box_in_the_way_takes_up_what_the_figure_gives(with_boxes, standing):
    """A box that leans on the figure is held; without the figure's bones it would fall through."""
    simulation = with_boxes(MovableBox((0.2, 0.4, 0.2), (0.25, 0.0, 0.9), 0.2))
    simulation.run(0.5)
    assert simulation.box_states[0, 0, 0] > 0.15


@pytest.mark.parametrize("size", [(0.0, 0.1, 0.1), (0.1, float("nan"), 0.1)])
def test_a_box_without_a_size_is_refused(size):
    with pytest.raises(FootfallError, match="must be above 0"):
        MovableBox(size, FAR)
