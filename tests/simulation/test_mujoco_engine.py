"""The second engine: MuJoCo's dynamics and contacts under the same laws."""

import numpy as np
import pytest

from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import MujocoSimulation, Push, Record, Simulation
from footfall.terrain import TerrainHeightField, parse_terrain
from tests.simulation.scenes import Limp

ENGINES = (Simulation, MujocoSimulation)


def _both(controller="walk", seconds=0.3, **options):
    return [engine(controller, **options).run(seconds) for engine in ENGINES]


@pytest.mark.slow
def test_in_the_air_both_engines_move_alike():
    """Implicit servos, torque limits and pushes off the centre of mass, without a ground in reach."""
    start = Simulation("walk")
    qpos = start.qpos[0] + np.array([0.0, 50.0] + [0.0] * 7)
    pushes = [Push((60.0, 0.0, -20.0), 0.05, 0.1), Push((-30.0, 0.0, 5.0), 0.1, 0.1, "left_foot")]
    pushes.append(Push((5.0, 0.0, 9.0), 0.0, 0.2, "torso", (0.1, 0.0, 0.2)))
    native, other = _both(qpos=qpos, pushes=pushes, set={"torque_limit": 80.0})
    np.testing.assert_allclose(other.qpos, native.qpos, atol=1e-9)
    np.testing.assert_allclose(other.qvel, native.qvel, atol=1e-7)


def test_bodies_of_other_sizes_move_alike_in_the_air():
    figure = Figure.load("planar-biped")
    qpos = Simulation("walk").qpos[0] + np.array([0.0, 50.0] + [0.0] * 7)
    native, other = _both(qpos=qpos, body=figure.body_parameters(["thigh*1.2", "torso+10kg@0.1,0,0.3"]))
    np.testing.assert_allclose(other.qpos, native.qpos, atol=1e-6)


@pytest.mark.parametrize("dt", [5e-4, 1e-3, 2e-3])
def test_the_walk_stays_up_for_twenty_seconds(dt):
    outcome = MujocoSimulation("walk", dt=dt).run(20.0)
    assert outcome.survived.all()
    assert outcome.speed[0] == pytest.approx(1.0, abs=0.1)
    assert outcome.step_time[0] == pytest.approx(0.36, abs=0.02)


@pytest.mark.parametrize("terrain", ["downward", "slope:-4", "steps:-0.04"])
def test_it_walks_over_profiles(terrain):
    simulation = MujocoSimulation("walk", terrain=terrain, record=Record(50.0))
    outcome = simulation.run(12.0)
    assert outcome.survived.all()
    assert outcome.distance[0] > 10.0
    trace = simulation.trace()
    ground = parse_terrain(terrain).height(trace.qpos[:, 0, 0])
    assert np.all(np.abs(trace.qpos[:, 0, 1] - ground - 0.9) < 0.25)


@pytest.mark.slow
def test_contacts_push_back_where_the_terrain_is():
    field = TerrainHeightField(np.add.outer(np.zeros(9), np.linspace(0.2, 0.6, 9)), (8.0, 8.0), (-4.0, -4.0))
    figure = Figure.load("human-12")
    qpos = figure.default_qpos.copy()
    qpos[2] += float(field.height(0.0, 0.0)) + 0.05
    simulation = MujocoSimulation(law=Limp(), figure=figure, qpos=qpos, terrain=field, ragdoll_after_fall=True)
    outcome = simulation.run(3.0)
    assert outcome.fell.all()
    x, y, z = outcome.qpos[0, :3]
    assert 0.0 < z - field.height(x, y) < 0.4


def test_results_do_not_depend_on_worlds_threads_or_chunks():
    alone = MujocoSimulation("walk", threads=1)
    for steps in (1, 99, 900):
        alone.step(steps)
    many = MujocoSimulation("walk", worlds=6, threads=2).run(1.0)
    for world in range(6):
        np.testing.assert_array_equal(many.qpos[world], alone.qpos[0])
    kept = alone.snapshot()
    alone.run(0.5)
    other = MujocoSimulation("walk", worlds=2)
    other.restore(kept)
    other.run(0.5)
    np.testing.assert_array_equal(other.qpos[1], alone.qpos[0])


def test_worlds_may_stand_on_grounds_of_their_own():
    terrains = [parse_terrain("flat"), parse_terrain("slope:-4"), parse_terrain("slope:4")]
    grounds = [Ground(friction=mu) for mu in (0.65, 0.65, 0.3)]
    together = MujocoSimulation("walk", worlds=3, terrain=terrains, ground=grounds, threads=2).run(4.0)
    for world, (terrain, ground) in enumerate(zip(terrains, grounds, strict=True)):
        alone = MujocoSimulation("walk", terrain=[terrain], ground=ground).run(4.0)
        np.testing.assert_allclose(together.qpos[world], alone.qpos[0], atol=1e-9)


def test_it_runs_where_mujoco_runs():
    with pytest.raises(FootfallError, match="float64"):
        MujocoSimulation("walk", precision="float32")
