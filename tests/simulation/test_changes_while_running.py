"""Ground, body, gravity and terrain can be replaced while a simulation runs."""

import numpy as np
import pytest

from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import MujocoSimulation, Simulation


def _continued(kind, first, second, **options):
    """A new simulation made with ``second``, put into the state that one made with ``first`` has after a second."""
    before, after = kind("walk", **first, **options), kind("walk", **second, **options)
    before.run(1.0)
    after.restore(before.snapshot())
    return after


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
def test_a_new_ground_acts_as_in_a_simulation_made_with_it(kind):
    slippery = Ground(friction=0.2)
    simulation = kind("walk")
    simulation.run(1.0)
    simulation.set_ground(slippery)
    simulation.run(1.0)
    other = _continued(kind, {}, {"ground": slippery})
    other.run(1.0)
    np.testing.assert_array_equal(simulation.qpos, other.qpos)


def test_a_new_body_acts_as_in_a_simulation_made_with_it():
    figure = Figure.load("planar-biped")
    own, heavy = figure.body_parameters(), figure.body_parameters(["torso+10kg"])
    simulation = Simulation("walk", body=own)
    simulation.run(1.0)
    simulation.set_body(heavy)
    simulation.run(1.0)
    other = _continued(Simulation, {"body": own}, {"body": heavy})
    other.run(1.0)
    np.testing.assert_array_equal(simulation.qpos, other.qpos)
    assert not np.array_equal(simulation.qpos, Simulation("walk", body=own).run(2.0).qpos)


def test_a_body_can_be_set_on_a_simulation_that_had_none():
    simulation = Simulation("walk", worlds=2)
    simulation.run(1.0)
    simulation.set_body(simulation.figure.body_parameters())
    simulation.run(1.0)
    np.testing.assert_allclose(simulation.qpos, Simulation("walk", worlds=2).run(2.0).qpos, atol=1e-6)
    simulation.set_body(None)
    simulation.reset()
    np.testing.assert_array_equal(simulation.run(2.0).qpos, Simulation("walk", worlds=2).run(2.0).qpos)


def test_gravity_acts_at_once():
    simulation = Simulation("walk")
    simulation.set_body(None, gravity=(0.0, 0.0, 0.0))
    falling, floating = Simulation("walk"), simulation
    for s in (falling, floating):
        s.step(10)
    assert floating.qvel[0, 1] > falling.qvel[0, 1] + 0.05
    with pytest.raises(FootfallError, match="gravity"):
        simulation.set_body(None, gravity=(1.0,))


def test_a_new_terrain_acts_as_in_a_simulation_made_with_it():
    simulation = Simulation("walk")
    simulation.run(1.0)
    simulation.set_terrain("slope:-4,0")
    simulation.run(1.0)
    other = _continued(Simulation, {}, {"terrain": "slope:-4,0"})
    other.run(1.0)
    np.testing.assert_array_equal(simulation.qpos, other.qpos)


def test_what_does_not_fit_is_refused_and_changes_nothing():
    simulation, untouched = Simulation("walk", worlds=2), Simulation("walk", worlds=2)
    with pytest.raises(FootfallError, match="ground is given for 3 worlds"):
        simulation.set_ground([Ground()] * 3)
    with pytest.raises(FootfallError, match="same contact law"):
        simulation.set_ground([Ground(), Ground(law="regularised")])
    np.testing.assert_array_equal(simulation.run(1.0).qpos, untouched.run(1.0).qpos)
