"""Which way a motion faces and travels: paths on the ground, speeds and turns."""

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, multiply, rotate
from footfall.motion.skeleton.roles import find_roles


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
    """Values [T, ...] smoothed by local parabolas over ``seconds`` (Savitzky and Golay), ends included."""
    values = np.asarray(values, dtype=float)
    window = min(int(seconds / frame_time + 1e-3) | 1, (len(values) - 1) | 1)
    if window > len(values):
        window -= 2
    if window < 5:
        return values.copy()
    return _parabolas(values, window // 2)


def _parabolas(values: Array, half: int) -> Array:
    """Values [T, ...] on the parabolas that fit the ``half`` neighbours on either side best; at both ends on the first
    and last such parabola. (scipy.signal has the same filter, but takes a second to load.)"""
    window = 2 * half + 1
    k = np.arange(-half, half + 1)
    share = (3.0 * (3.0 * half**2 + 3.0 * half - 1.0) - 15.0 * k**2) / (
        (2.0 * half - 1.0) * window * (2.0 * half + 3.0)
    )
    result = np.empty_like(values)
    flat = values.reshape(len(values), -1)
    smooth = result.reshape(len(values), -1)
    powers = np.stack([np.ones(window), k, k**2], axis=-1)
    fit = np.linalg.pinv(powers)
    for column in range(flat.shape[1]):
        smooth[half : len(values) - half, column] = np.convolve(flat[:, column], share, mode="valid")
    smooth[:half] = powers[:half] @ (fit @ flat[:window])
    smooth[len(values) - half :] = powers[half + 1 :] @ (fit @ flat[-window:])
    return result


def ground_path(motion: Motion, seconds: float = 0.25) -> Array:
    """[T, 2] path of the pelvis on the ground, smoothed over ``seconds``."""
    pelvis = find_roles(motion.skeleton)["pelvis"]
    return smoothed(motion.positions()[:, pelvis, :2], motion.frame_time, seconds)


def path_length(motion: Motion) -> float:
    """Metres that the pelvis travelled on the ground."""
    return float(np.linalg.norm(np.diff(ground_path(motion), axis=0), axis=-1).sum())


def net_turn(motion: Motion) -> float:
    """Radians between the first heading and the last, whole turns counted; positive to the left."""
    angle = smoothed(facing_angle(motion), motion.frame_time)
    return float(angle[-1] - angle[0])


def speeds(motion: Motion) -> Array:
    """[T] speed of the pelvis over ground in m/s."""
    if len(motion) < 2:
        return np.zeros(len(motion))
    return np.asarray(np.linalg.norm(np.gradient(ground_path(motion), motion.times, axis=0), axis=-1))


def peak_speed(motion: Motion, seconds: float = 1.0) -> float:
    """The fastest average speed over ``seconds`` (over the whole motion where it is shorter)."""
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ground_path(motion), axis=0), axis=-1))])
    if motion.seconds <= seconds:
        return float(way[-1] / motion.seconds) if motion.seconds > 0 else 0.0
    starts = motion.times[motion.times <= motion.times[-1] - seconds + 1e-9]
    return float(
        (np.interp(starts + seconds, motion.times, way) - np.interp(starts, motion.times, way)).max() / seconds
    )
