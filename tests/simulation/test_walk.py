"""SIMBICON's walk is one gait, whatever the step and the integrator."""

import numpy as np
import pytest

from footfall.dynamics import Ground
from footfall.simulation import Record, Simulation


@pytest.fixture(scope="module")
def published():
    """The papers' own integration: explicit, 0.1 ms."""
    return Simulation("walk", integrator="explicit", dt=1e-4).run(20.0)


def test_the_walk_is_the_published_one(published):
    assert published.survived.all()
    assert published.speed[0] == pytest.approx(1.01, abs=0.02)
    assert published.step_time[0] == pytest.approx(0.357, abs=0.004)
    assert published.peak_torque[0] == pytest.approx(304, rel=0.1)
    assert -0.04 < published.torso_low[0] < published.torso_high[0] < 0.07


def test_the_pitch_of_a_torso_in_space_is_unknown():
    outcome = Simulation("walk-3d").run(4.0)
    assert outcome.footsteps[0] > 4
    assert np.isnan([outcome.torso_low[0], outcome.torso_high[0]]).all()


@pytest.mark.parametrize("dt", [1e-4, 5e-4, 1e-3, 2e-3, 4e-3])
def test_implicit_steps_of_any_size_walk_the_same_way(published, dt):
    outcome = Simulation("walk", dt=dt).run(20.0)
    assert outcome.survived.all()
    assert outcome.distance[0] == pytest.approx(published.distance[0], rel=0.02)


@pytest.mark.parametrize("friction", [0.3, 0.15])
def test_feet_slide_alike_whatever_the_step(friction):
    ground = Ground(friction=friction)
    explicit = Simulation("walk", integrator="explicit", dt=1e-4, ground=ground).run(20.0)
    for dt in (1e-4, 5e-4, 1e-3):
        implicit = Simulation("walk", dt=dt, ground=ground).run(20.0)
        assert implicit.survived.all()
        assert implicit.distance[0] == pytest.approx(explicit.distance[0], rel=0.01)


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk4"])
def test_other_integrators_walk_the_same_way(published, integrator):
    outcome = Simulation("walk", integrator=integrator, dt=1e-4).run(10.0)
    assert outcome.survived.all()
    assert outcome.speed[0] == pytest.approx(published.speed[0], rel=0.01)


def test_left_and_right_steps_mirror_each_other_on_the_limit_cycle():
    simulation = Simulation("walk", record=Record(rate=1000.0))
    simulation.run(20.0)
    trace = simulation.trace()
    changes = np.flatnonzero(np.diff(trace.stance[:, 0])) + 1
    left, right = changes[-3], changes[-2]
    figure = simulation.figure
    mirrored = figure.mirror_qpos(trace.qpos[right, 0])
    moved = np.arange(figure.nq) != 0
    np.testing.assert_allclose(mirrored[moved], trace.qpos[left, 0][moved], atol=0.02)


def test_single_precision_walks_the_same_way(published):
    outcome = Simulation("walk", precision="float32").run(20.0)
    assert outcome.survived.all()
    assert outcome.distance[0] == pytest.approx(published.distance[0], rel=0.02)
