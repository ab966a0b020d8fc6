"""Worlds side by side in a CPU's vector unit: each is what it is alone, to rounding."""

import numpy as np
import pytest

from footfall import FootfallError
from footfall.figures import Figure
from footfall.simulation import Simulation


def disturbed(worlds, seed=0, size=0.02, **options):
    """Simulations of the same worlds, one by one and four at a time."""
    start = Simulation("walk", worlds=worlds).qvel
    qvel = start + size * np.random.default_rng(seed).normal(size=start.shape)
    return [Simulation("walk", worlds=worlds, qvel=qvel, lanes=lanes, **options) for lanes in (1, 4)]


def test_worlds_side_by_side_are_those_one_by_one():
    alone, together = disturbed(7, pushes=["80@0.1:0.1"])
    for simulation in (alone, together):
        simulation.step(300)
    np.testing.assert_allclose(together.qpos, alone.qpos, rtol=0, atol=1e-9)
    np.testing.assert_allclose(together.qvel, alone.qvel, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(together.snapshot()["contact"], alone.snapshot()["contact"])


def test_a_world_does_not_depend_on_its_neighbours_on_threads_or_on_pieces():
    qvel = disturbed(6)[0].qvel
    whole = Simulation("walk", worlds=6, qvel=qvel, lanes=4, threads=1)
    whole.step(400)
    pieces = Simulation("walk", worlds=6, qvel=qvel, lanes=4, threads=2)
    for steps in (150, 0, 1, 249):
        pieces.step(steps)
    two = Simulation("walk", worlds=2, qvel=qvel[[5, 0]], lanes=4)
    two.step(400)
    np.testing.assert_array_equal(pieces.qpos, whole.qpos)
    np.testing.assert_array_equal(two.qpos, whole.qpos[[5, 0]])


def test_worlds_that_end_leave_the_others_running():
    qvel = np.repeat(Simulation("walk").qvel, 9, axis=0)
    qvel[:, 0] += [0, -5, 0.1, -6, -7, 0.05, 0, -4, 0]
    alone, together = (Simulation("walk", worlds=9, qvel=qvel, lanes=lanes) for lanes in (1, 4))
    for simulation in (alone, together):
        simulation.step(1500)
    one, many = alone.snapshot(), together.snapshot()
    assert (one["status"] > 0).sum() == 4
    np.testing.assert_array_equal(many["status"], one["status"])
    np.testing.assert_array_equal(many["step_count"], one["step_count"])


def test_masses_of_each_world_are_its_own():
    body = Figure.load("planar-biped").body_parameters().scaled_mass(np.array([0.9, 1.0, 1.1, 1.2, 1.0]))
    alone, together = disturbed(5, size=0.0, body=body)
    for simulation in (alone, together):
        simulation.step(100)
    np.testing.assert_allclose(together.qpos, alone.qpos, rtol=0, atol=1e-9)
    assert len(np.unique(together.qpos[:, 2])) == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lanes": 3}, "choose one of: 1, 2, 4, 8"),
        ({"lanes": 4, "integrator": "explicit"}, "integrator 'explicit'"),
    ],
)
def test_lanes_that_cannot_be_are_refused(options, message):
    with pytest.raises(FootfallError, match=message):
        Simulation("walk", worlds=4, **options)
