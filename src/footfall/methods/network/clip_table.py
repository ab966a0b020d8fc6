"""A clip as a table: states of a figure at a steady rate, as a policy that follows clips is trained on them and runs
with them.

The clip is retargeted and its feet are fitted to flat ground as for the tracking law, 30 frames a second
(:mod:`footfall.methods.tracking.clips`). Between these frames coordinates follow cubic curves whose slopes are the
frames' central differences, so that velocities have no corners.
"""

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicHermiteSpline

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.quaternion import conjugate, continuous, log, multiply, normalised

Array = NDArray[np.float64]
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)


def clip_table(motion: Motion, figure: Figure, rate: float) -> tuple[Array, Array]:
    """qpos [T, nq] and qvel [T, nv] of a clip on a figure, ``rate`` frames a second.

    The clip begins at the origin and goes along x. Standing soles are on the ground at z = 0, swinging ones clear of
    it, and joints are within their ranges.
    """
    if not (np.isfinite(rate) and rate > 0.0):
        raise FootfallError(f"clip: {rate} frames a second; give a number above 0")
    qpos = table_of(frames_of(motion, figure, lifted=True), figure, rate)
    return qpos, clip_velocities(figure, qpos, 1.0 / rate)


def table_of(frames: Array, figure: Figure, rate: float) -> Array:
    """[T, nq] poses of a figure at a rate, joints within their ranges.

    Args:
        frames: as :func:`~footfall.motion.conditioning.ground_fit.frames_of` gives them, 30 a second.
    """
    return tables_of(frames[None], figure, rate)[0]


def tables_of(frames: Array, figure: Figure, rate: float) -> list[Array]:
    """The same of several motions of one length, [M, K, nq], side by side."""
    chains = hinge_chains(figure)
    return [_table(poses, figure, rate) for poses in (frames if chains is None else chains.hinge_poses(frames))]


def _table(poses: Array, figure: Figure, rate: float) -> Array:
    seconds = (len(poses) - 1) / FPS
    at = np.minimum(np.arange(int(seconds * rate + 1e-6) + 1) / rate, seconds)
    return within_ranges(poses_at(poses, np.arange(len(poses)) / FPS, figure, at), figure)


def within_ranges(poses: Array, figure: Figure) -> Array:
    """[T, nq] poses with joints of one number within their ranges."""
    for joint in figure.joints:
        if joint.ndof == 1:
            poses[:, joint.qpos] = np.clip(poses[:, joint.qpos], joint.lower, joint.upper)
    return poses


def poses_at(poses: Array, times: Array, figure: Figure, at: Array) -> Array:
    """[T, nq] poses at other times ``at`` [T], from poses [K, nq] at ``times`` [K]: on cubic curves."""
    poses, starts = poses.copy(), {"free": 3, "ball": 0}
    turns = [slice(first, first + 4) for j in figure.joints if j.kind in starts for first in [j.qpos + starts[j.kind]]]
    for turn in turns:
        poses[:, turn] = continuous(poses[:, turn])
    found = CubicHermiteSpline(times, poses, np.gradient(poses, times, axis=0))(at)
    for turn in turns:
        found[:, turn] = normalised(found[:, turn])
    return np.asarray(found)


def clip_velocities(figure: Figure, qpos: Array, period: float) -> Array:
    """[T, nv] by differences over two frames, one at the ends."""
    before, after = np.r_[0, 0 : len(qpos) - 1], np.r_[1 : len(qpos), len(qpos) - 1]
    apart, model = (after - before)[:, None] * period, figure.model
    qvel = np.zeros((len(qpos), figure.nv))
    for kind, q, v in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == FREE:
            qvel[:, v : v + 3] = qpos[after, q : q + 3] - qpos[before, q : q + 3]
            q, v = q + 3, v + 3
        if kind in (FREE, BALL):
            turn = qpos[:, q : q + 4]
            qvel[:, v : v + 3] = log(multiply(conjugate(turn[before]), turn[after]))
        else:
            qvel[:, v] = qpos[after, q] - qpos[before, q]
    qvel /= apart
    return qvel
