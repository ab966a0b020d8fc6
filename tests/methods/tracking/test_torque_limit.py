"""Joints give no more than the limit; what is cut moves as mechanics says; a limit out of reach changes nothing."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment, Repertoire, Settings
from footfall.motion.quaternion import from_axis_angle
from footfall.push import Push
from footfall.simulation import Record
from footfall.study.trials.bench import disturbed_worlds

STEP = 1.0 / 900.0


def _sizes(figure, torque):
    """[..., joints] sizes of ball joints' torques, N m for each kg of the body."""
    mass = sum(body.mass for body in figure.bodies)
    return np.linalg.norm(torque[..., 6:].reshape(*torque.shape[:-1], -1, 3), axis=-1) / mass


def test_no_joint_gives_more_than_the_limit(standing, biped):
    limit = 0.5
    run = {}
    for most in (0.0, limit):
        simulation = disturbed_worlds(
            standing.changed(torque_limit=most),
            pushes=[Push(60.0, 0.1, 0.2)],
            record=Record(rate=450.0, worlds=1),
        )
        simulation.run(0.4)
        run[most] = _sizes(biped, simulation.trace().torque[:, 0])
    assert run[0.0].max() > 1.2 * limit
    assert run[limit].max() == pytest.approx(limit, rel=1e-9)


def test_a_limit_out_of_reach_changes_nothing(standing):
    ends = []
    for most in (0.0, 1e4):
        simulation = disturbed_worlds(standing.changed(torque_limit=most), pushes=[Push(60.0, 0.1, 0.2)])
        ends.append(simulation.run(0.4).qpos[0])
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


@pytest.fixture(scope="module")
def in_the_air(standing, biped):
    """A body far above the ground whose arm is asked to swing faster than its weak shoulder can."""
    frames = np.tile(standing.repertoire.fragments[0].frames[0], (60, 1))
    frames[:, 2] += 50.0
    at = biped.joint("left_shoulder").qpos
    frames[:, at : at + 4] = from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.8 * np.sin(0.5 * np.arange(60)))
    stand = Fragment("stand", frames, 2.0 / 45.0)
    return TrackingController("swing", Repertoire((stand,), settings=Settings(ahead=True, kt=80.0)))


def test_joints_whose_torques_are_cut_move_as_mechanics_says(in_the_air, biped):
    """Accelerations are those that MuJoCo finds for the torques that are left."""
    weak = in_the_air.changed(torque_limit=0.02)
    simulation = disturbed_worlds(weak, record=Record(rate=1.0 / STEP, worlds=1))
    data = mujoco.MjData(biped.model)
    cut = 0
    for _ in range(12):
        simulation.step(10)
        before = simulation.snapshot()
        simulation.step(1)
        qacc, trace = simulation.snapshot()["qacc"][0], simulation.trace()
        here = int(np.argmin(np.abs(trace.qpos[:, 0] - before["qpos"][0]).max(axis=1)))
        torque = trace.torque[here, 0]
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = before["qpos"][0], before["qvel"][0], torque
        mujoco.mj_forward(biped.model, data)
        np.testing.assert_allclose(qacc, data.qacc, atol=1e-6 * np.abs(data.qacc).max())
        cut += bool(_sizes(biped, torque).max() > 0.02 * (1.0 - 1e-9))
    assert cut > 3


def test_a_limit_below_zero_is_refused():
    with pytest.raises(FootfallError, match="torque_limit is -1"):
        Settings(torque_limit=-1.0)
