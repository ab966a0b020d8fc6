"""A clip as a table of states at a policy's rate."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import clip_table, clip_velocities, poses_at, table_of
from footfall.motion import Motion
from footfall.motion.ball_poses import hinge_chains
from footfall.motion.quaternion import from_axis_angle

FIGURE = Figure.load("human-28")
RATE = 50.0


def _swaying(times):
    """[T, nq] poses that turn, rise and swing an arm by known curves."""
    qpos = np.tile(FIGURE.default_qpos, (len(times), 1))
    qpos[:, 0] = 0.4 * times
    qpos[:, 3:7] = from_axis_angle(np.array([0.0, 0.0, 1.0]), 0.5 * np.sin(2.0 * times))
    qpos[:, FIGURE.joint("left_elbow").qpos] = 0.8 + 0.3 * np.sin(4.0 * times)
    return qpos


def test_poses_between_frames_lie_on_smooth_curves():
    frames = _swaying(np.arange(61) / 30.0)
    table = poses_at(frames, np.arange(61) / 30.0, FIGURE, np.arange(101) / RATE)
    np.testing.assert_allclose(table, _swaying(np.arange(101) / RATE), atol=2e-3)
    np.testing.assert_allclose(table[::5], frames[::3], atol=1e-12)


def test_a_table_at_the_frames_own_rate_is_the_frames():
    frames, chains = _swaying(np.arange(31) / 30.0), hinge_chains(FIGURE)
    table = table_of(chains.ball_poses(frames), FIGURE, 30.0)
    np.testing.assert_allclose(table, frames, atol=1e-6)


def test_velocities_are_the_poses_derivatives():
    times = np.arange(101) / RATE
    qvel = clip_velocities(FIGURE, _swaying(times), 1.0 / RATE)
    inner = slice(1, -1)
    np.testing.assert_allclose(qvel[:, 0], 0.4, atol=1e-9)
    np.testing.assert_allclose(qvel[inner, 5], np.cos(2.0 * times[inner]), atol=2e-3)
    elbow = FIGURE.joint("left_elbow").dof
    np.testing.assert_allclose(qvel[inner, elbow], 1.2 * np.cos(4.0 * times[inner]), atol=4e-3)


def test_a_clip_begins_at_the_origin_with_its_soles_on_the_ground_and_joints_within_their_ranges():
    times = np.arange(61) / 30.0
    turned = _swaying(times)
    turned[:, :2] = np.array([3.0, 5.0]) + np.outer(times, [0.5, 0.5])
    qpos, qvel = clip_table(Motion.from_qpos(FIGURE, times, turned), FIGURE, RATE)
    assert qpos.shape == (101, FIGURE.nq)
    assert qvel.shape == (101, FIGURE.nv)
    np.testing.assert_allclose(qpos[0, :2], 0.0, atol=1e-9)
    assert qpos[-1, 0] > 1.1
    assert abs(qpos[-1, 1]) < 0.05
    for joint in FIGURE.joints:
        if joint.ndof == 1:
            assert joint.lower <= qpos[:, joint.qpos].min()
            assert qpos[:, joint.qpos].max() <= joint.upper


def test_a_rate_that_is_none_is_refused():
    times = np.arange(61) / 30.0
    with pytest.raises(FootfallError, match="frames a second"):
        clip_table(Motion.from_qpos(FIGURE, times, _swaying(times)), FIGURE, 0.0)


@pytest.mark.parametrize("name", ["human-28", "mocap-biped", "planar-biped"])
def test_velocities_are_those_of_the_dynamics(name):
    """MuJoCo's differences of poses, frame by frame, of free, ball, hinge and slide joints."""
    figure = Figure.load(name)
    random = np.random.default_rng(1)
    poses = np.tile(figure.default_qpos, (20, 1))
    for k in range(1, len(poses)):
        poses[k] = poses[k - 1]
        mujoco.mj_integratePos(figure.model, poses[k], random.normal(0.0, 4.0, figure.nv), 0.02)
    wanted = np.zeros((len(poses), figure.nv))
    for k in range(len(poses)):
        a, b = max(k - 1, 0), min(k + 1, len(poses) - 1)
        mujoco.mj_differentiatePos(figure.model, wanted[k], (b - a) * 0.02, poses[a], poses[b])
    assert clip_velocities(figure, poses, 0.02) == pytest.approx(wanted, abs=1e-9)
