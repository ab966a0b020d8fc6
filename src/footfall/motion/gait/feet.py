"""Feet: the points of a skeleton that can stand on the ground, and how they do.

Which way a motion faces and travels: paths on the ground, speeds and turns.

Walking on the spot with feet that slide back: on a treadmill, or a walk whose travel was taken out.
"""

from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.quaternion import Array, conjugate, dot, multiply, norm, rotate
from footfall.motion.skeleton.landmarks import rest_forward
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton


@dataclass(frozen=True, eq=False)
class Sole:
    """The points under one foot.

    Attributes:
        side: "left" or "right".
        ankle: index of the ankle joint.
        joints: [P] the joint that each point moves with.
        offsets: [P, 3] the points in those joints' frames.
        heel, toe: indices of the rearmost and of the foremost points among them.
    """

    side: str
    ankle: int
    joints: np.ndarray
    offsets: Array
    heel: np.ndarray
    toe: np.ndarray


def soles(skeleton: Skeleton) -> dict[str, Sole]:
    """Both soles. Contact points where the skeleton has them; else toe joint and toe tip, with a heel estimated below
    and behind the ankle at the height of the toes in the rest pose."""
    return skeleton.once("soles", lambda: _soles(skeleton))


def _soles(skeleton: Skeleton) -> dict[str, Sole]:
    roles = find_roles(skeleton)
    found = {}
    for side in ("left", "right"):
        if f"{side}_ankle" not in roles:
            continue
        ankle = roles[f"{side}_ankle"]
        foot = skeleton.subtree(ankle)
        rows = [(end.joint, np.array(end.offset)) for end in skeleton.ends if end.contact and end.joint in foot]
        if len(rows) < 2:
            rows = _estimated(skeleton, ankle, foot)
        places, turns = skeleton.at_rest()
        ahead = rest_forward(skeleton)
        forward = np.array([float((places[j] + rotate(turns[j], offset)) @ ahead) for j, offset in rows])
        middle = 0.5 * (forward.min() + forward.max())
        found[side] = Sole(
            side,
            ankle,
            np.array([j for j, _ in rows]),
            np.array([offset for _, offset in rows]),
            np.flatnonzero(forward < middle),
            np.flatnonzero(forward >= middle),
        )
    if not found:
        raise FootfallError(
            "feet: no joint is an ankle by its name or by the body's shape "
            f"(joints: {', '.join(skeleton.names[:8])} …); name the joints of the legs in a map file, lines such as "
            "'left_ankle = JOINT' (--map)"
        )
    return found


def _estimated(skeleton: Skeleton, ankle: int, foot: list[int]) -> list[tuple[int, Array]]:
    places, turns = skeleton.at_rest()
    rows = [(j, np.zeros(3)) for j in foot[1:] if np.linalg.norm(skeleton.offsets[j]) > 1e-4]
    rows += [(end.joint, np.array(end.offset)) for end in skeleton.ends if end.joint in foot]
    world = [places[j] + rotate(turns[j], offset) for j, offset in rows]
    if not rows:
        return [(ankle, np.zeros(3)), (ankle, np.array([0.12, 0.0, 0.0]))]
    tip = world[int(np.argmax([np.linalg.norm(w[:2] - places[ankle][:2]) for w in world]))]
    low = min(float(w[2]) for w in world)
    reach = tip[:2] - places[ankle][:2]
    heel = np.array([*(places[ankle][:2] - 0.3 * reach), low])
    return [*rows, (ankle, rotate(conjugate(turns[ankle]), heel - places[ankle]))]


def sole_positions(motion: Motion, sole: Sole) -> Array:
    """[T, P, 3] world positions of a sole's points."""
    positions, orientations = motion.positions(), motion.orientations()
    points = [positions[:, j] + rotate(orientations[:, j], offset) for j, offset in zip(sole.joints, sole.offsets)]
    return np.moveaxis(np.array(points), 0, 1)


def ground_level(motion: Motion) -> float:
    """Height of level ground under a captured motion: what its soles rest on (the 5th percentile of the lowest point).

    A motion that knows its ground is measured against that instead; see ``clearance``.
    """
    return motion.once("ground level", lambda: float(np.percentile(lowest_points(motion), 5.0)))


def lowest_points(motion: Motion) -> Array:
    """[T] height of the lowest point of both soles."""
    feet = soles(motion.skeleton).values()
    return np.asarray(np.min([sole_positions(motion, sole)[..., 2].min(axis=1) for sole in feet], axis=0))


def clearance(motion: Motion, points: Array) -> Array:
    """Heights [...] of points [..., 3] above the motion's ground: its own, or level ground where its soles rest."""
    ground = motion.ground or GroundProfile.flat(ground_level(motion))
    return points[..., 2] - ground.height(points[..., 0], points[..., 1])


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


_LEAST = 0.25
"""m/s below which a belt is none: feet that step on the spot are slower."""
_WINDOW = 0.6
"""Seconds over which the belt's velocity is the median of the standing foot's; about one step."""
_STILL = 0.5
"""The body's speed over that of the belt at most."""
_SHARE = 0.3
"""Share of the time that it walks at least. Set, as the next, after looking at which clips were taken for walks on the
spot."""
_STEADY = 0.9
"""The length of the mean velocity over the mean speed at least: a belt runs one way, feet of jumping jacks two."""


def belt_velocity(motion: Motion) -> Array:
    """[T, 2] m/s at which the ground moves under a walk on the spot; zero for any other motion.

    Of two feet the lower one stands. Where the body stays and the lower foot moves all the same, that is the belt. A
    walk whose travel was taken out has a belt that starts and stops with it.
    """
    from scipy.ndimage import median_filter

    feet = soles(motion.skeleton)
    none = np.zeros((len(motion), 2))
    if len(feet) < 2 or len(motion) < 8:
        return none
    ankles = [motion.positions()[:, sole.ankle] for sole in feet.values()]
    paths = [np.gradient(smoothed(ankle[:, :2], motion.frame_time, 0.08), motion.times, axis=0) for ankle in ankles]
    lower = np.argmin([clearance(motion, ankle) for ankle in ankles], axis=0)
    moves = np.where(lower[:, None] == 0, paths[0], paths[1])
    belt = median_filter(moves, size=(max(round(_WINDOW / motion.frame_time), 1), 1), mode="nearest")
    pace = norm(belt)
    if pace.max() <= _LEAST:
        return none
    walks = pace > 0.5 * pace.max()
    still = float(np.median(speeds(motion)[walks])) < _STILL * float(np.median(pace[walks]))
    ahead = facing(motion)
    along = np.stack([dot(belt, ahead), belt[:, 1] * ahead[:, 0] - belt[:, 0] * ahead[:, 1]], axis=-1)[walks]
    steady = np.linalg.norm(along.mean(axis=0)) > _STEADY * pace[walks].mean()
    long = walks.mean() > _SHARE
    return np.asarray(belt) if np.median(pace[walks]) > _LEAST and still and steady and long else none


def carried_path(motion: Motion) -> Array:
    """[T, 2] how far a belt has carried its surface since the first frame, metres; zero without a belt."""
    belt = belt_velocity(motion)
    if not belt.any():
        return np.zeros((len(motion), 2))
    steps = 0.5 * (belt[1:] + belt[:-1]) * np.diff(motion.times)[:, None]
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])
