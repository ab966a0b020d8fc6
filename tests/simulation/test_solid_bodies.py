"""Bodies whose limbs touch each other: they stop as under MuJoCo, keep momentum and lose energy."""

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.solid_shapes import solid_gaps
from footfall.simulation import Record, Simulation
from footfall.simulation.mujoco_engine import MujocoSimulation
from tests.dynamics.oracle import centre
from tests.simulation.scenes import Limp

SECONDS = 0.12


def _gaps(figure, qpos):
    shapes = figure.solid
    return solid_gaps(figure.model, shapes.capsules, shapes.pairs, qpos)


def _swing(make=Simulation, *, worlds=1, speed=3.0, seconds=SECONDS, **options):
    """A human in the air whose legs swing into each other; the trace."""
    figure = Figure.load("human-28")
    qpos, qvel = figure.default_qpos.copy(), np.zeros(figure.nv)
    qpos[2] = 100.0
    for side, sign in (("left", -1.0), ("right", 1.0)):
        qvel[figure.joint(f"{side}_hip_roll").dof] = sign * speed
    qvel[figure.joint("left_hip_pitch").dof] = 1.0
    qvel[figure.joint("right_hip_pitch").dof] = -0.4
    options = {"dt": 1e-3, "solid": True} | options
    start = np.tile(qpos, (worlds, 1)), np.tile(qvel, (worlds, 1)) * np.linspace(1.0, 0.5, worlds)[:, None]
    simulation = make(
        law=Limp(), figure=figure, worlds=worlds, qpos=start[0], qvel=start[1], record=Record(500.0), **options
    )
    simulation.run(seconds)
    return simulation.trace()


def _kept(trace):
    """[S, 14] centre of mass, velocity, momentum, spin and energies over time."""
    model = trace.figure.model
    data, rows = mujoco.MjData(model), []
    for q, v in zip(trace.qpos[:, 0], trace.qvel[:, 0], strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        rows.append(centre(model, data))
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("dt", [1e-3, 2e-3])
def test_a_leg_stops_at_the_other_as_under_mujoco(dt):
    ours, theirs = _swing(dt=dt), _swing(MujocoSimulation)
    ghost = _swing(solid=False)
    joint = ours.figure.joint("left_hip_roll")
    assert _gaps(ours.figure, ghost.qpos[:, 0]).min() < -0.08
    assert -0.025 < _gaps(ours.figure, ours.qpos[:, 0]).min() < 0.0
    assert _gaps(ours.figure, theirs.qpos[:, 0]).min() > -0.05
    assert ghost.qvel[-1, 0, joint.dof] < -2.5
    for trace in (ours, theirs):
        assert abs(trace.qvel[-1, 0, joint.dof]) < 0.6  # of 3 rad/s: they stop, and part slowly
    assert ours.qpos[-1, 0, joint.qpos] == pytest.approx(theirs.qpos[-1, 0, joint.qpos], abs=0.05)


def test_momentum_is_kept_and_energy_never_gained():
    trace = _swing(integrator="rk4", dt=1e-4)
    found, times = _kept(trace), trace.times
    assert _gaps(trace.figure, trace.qpos[:, 0]).min() < -0.005
    gravity = np.asarray(trace.figure.model.opt.gravity)
    fall = found[0, 3:6] + np.outer(times, gravity)
    np.testing.assert_allclose(found[:, 3:6], fall, atol=1e-7)
    np.testing.assert_allclose(found[:, 9:12], np.tile(found[0, 9:12], (len(times), 1)), atol=1e-6)
    energy = found[:, 12] + found[:, 13]
    assert energy.max() < energy[0] + 1e-6 * found[0, 12]
    assert energy[-1] < energy[0] - 0.5 * found[0, 12]


def test_results_do_not_depend_on_worlds_threads_or_lanes():
    together = _swing(worlds=5, threads=2)
    alone = _swing(worlds=5, threads=1)
    np.testing.assert_array_equal(together.qpos, alone.qpos)
    np.testing.assert_array_equal(together.qpos[:, :1], _swing().qpos)
    lanes = _swing(worlds=5, threads=1, lanes=2)
    np.testing.assert_allclose(lanes.qpos, alone.qpos, atol=1e-9)


def test_a_fallen_body_stays_outside_itself():
    """Arms laid into the trunk come out again, on the ground."""
    figure = Figure.load("human-28")
    qpos = figure.default_qpos.copy()
    qpos[2], qpos[3:7] = 0.2, [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]
    qpos[figure.joint("left_shoulder_roll").qpos] = -0.4
    qpos[figure.joint("left_hip_roll").qpos], qpos[figure.joint("right_hip_roll").qpos] = -0.3, 0.3
    ends = {}
    for solid in (False, True):
        simulation = Simulation(law=Limp(), figure=figure, qpos=qpos, ragdoll_after_fall=True, solid=solid)
        simulation.run(1.5)
        ends[solid] = _gaps(figure, simulation.qpos)[:, 0].min()
    assert ends[False] < -0.05
    assert ends[True] > -0.015


@pytest.mark.slow
def test_a_body_of_its_own_size_walks_the_same():
    bodies = (None, Figure.load("human-28").body_parameters())
    first, second = (Simulation("walk-3d", solid=True, body=body).run(0.8).qpos for body in bodies)
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_a_body_kneels_while_a_law_acts():
    """Limp legs let the knees down: without a surface that is a fall, with it they carry the body."""
    figure = Figure.load("human-28")
    qpos = figure.default_qpos.copy()
    qpos[2] = 0.56
    for side in ("left", "right"):
        qpos[figure.joint(f"{side}_knee").qpos] = -1.9
    assert Simulation(law=Limp(), figure=figure, qpos=qpos).run(0.3).fell[0]
    simulation = Simulation(law=Limp(), figure=figure, qpos=qpos, surface=True, record=Record(100.0))
    assert not simulation.run(0.3).fell[0]
    data = mujoco.MjData(figure.model)
    knees = []
    for pose in simulation.trace().qpos[:, 0]:
        data.qpos[:] = pose
        mujoco.mj_kinematics(figure.model, data)
        knees.append(min(data.body(f"{side}_shank").xpos[2] for side in ("left", "right")))
    assert min(knees) > 0.065 - 0.01  # the knee is a ball of 6.5 cm
    assert min(knees) < 0.075
