"""Which way a motion faces and travels: paths on the ground, speeds and turns."""

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, multiply, rotate
from footfall.motion.roles import find_roles

__all__ = ["facing", "facing_angle", "ground_path", "smoothed"]


def facing(motion: Motion) -> Array:
    """[T, 2] unit vectors on the ground, normal to the line between the hips; where the hips coincide (planar figures),
    the direction that the root's forward axis points in."""
    roles = find_roles(motion.skeleton)
    forward = None
    if "left_hip" in roles and "right_hip" in roles:
        positions = motion.positions()
        across = positions[:, roles["left_hip"]] - positions[:, roles["right_hip"]]
        if np.linalg.norm(across, axis=-1).min() > 1e-6:
            forward = np.stack([across[:, 1], -across[:, 0]], axis=-1)
    if forward is None:
        turn = multiply(motion.orientations()[:, 0], conjugate(motion.skeleton.rest[0]))
        forward = rotate(turn, np.array([1.0, 0.0, 0.0]))[:, :2]
        if np.ptp(motion.root_position[:, 1]) < 1e-9 and np.abs(forward[:, 1]).max() < 1e-9:
            return np.tile([1.0, 0.0], (len(motion), 1))
    length = np.linalg.norm(forward, axis=-1, keepdims=True)
    return np.where(length > 1e-9, forward / np.maximum(length, 1e-9), [1.0, 0.0])


def facing_angle(motion: Motion) -> Array:
    """[T] heading in radians, continuous over time; positive turns are to the left."""
    forward = facing(motion)
    return np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))


def smoothed(values: Array, frame_time: float, seconds: float = 0.25) -> Array:
    """Values [T, ...] averaged over a centred window of about ``seconds``, narrower towards both ends."""
    values = np.asarray(values, dtype=float)
    half = round(seconds / frame_time) // 2
    if half < 1 or len(values) < 3:
        return values.copy()
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    index = np.arange(len(values))
    width = np.minimum(half, np.minimum(index, len(values) - 1 - index))
    low, high = index - width, index + width + 1
    count = (high - low).reshape(-1, *([1] * (values.ndim - 1)))
    return np.asarray((total[high] - total[low]) / count)


def ground_path(motion: Motion, seconds: float = 0.25) -> Array:
    """[T, 2] path of the pelvis on the ground, smoothed over ``seconds``."""
    pelvis = find_roles(motion.skeleton)["pelvis"]
    return smoothed(motion.positions()[:, pelvis, :2], motion.frame_time, seconds)
