"""Poses of a figure with a free root and ball joints, as rows of numbers: three of place, then a quaternion for the
root and for each joint.

What captured motion is cut, joined, bent and blended with, where a figure is to follow it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.quaternion import Array, from_axis_angle, multiply, rotate, slerp

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Leg:
    """A leg of ball joints: addresses of hip, knee and ankle in qpos, and where these joints are in their parents'
    frames; knee_axis: that of a knee which is a hinge, as the skeletons of such bodies have it; else None."""

    hip: int
    knee: int
    ankle: int
    hip_at: Array
    knee_at: Array
    ankle_at: Array
    knee_axis: Array | None = None


def legs_of(figure: Figure) -> tuple[Leg, Leg]:
    """The left and the right leg; an error for a figure that is not made of ball joints."""
    if figure.root != "free" or any(j.kind not in ("ball", "free") for j in figure.joints):
        raise FootfallError(
            f"figure '{figure.name}': this is for a free root and ball joints; a body of hinges has a skeleton of them "
            "(footfall.motion.synthesis.hinge_chains)"
        )
    legs = []
    for side in ("left", "right"):
        leg = figure.leg(side)
        joints = [*leg.hip, *leg.knee, *leg.ankle]
        if len(joints) != 3 or figure.bodies[figure.joint(joints[0]).body].parent != 0:
            raise FootfallError(
                f"figure '{figure.name}': the tracking law needs legs of hip, knee and ankle on the root"
            )
        hip, knee, ankle = (figure.joint(name) for name in joints)
        first, second, third = (figure.bodies[j.body].position + j.anchor for j in (hip, knee, ankle))
        legs.append(Leg(hip.qpos, knee.qpos, ankle.qpos, first, second, third, _knee_axis(figure, side)))
    return legs[0], legs[1]


def _knee_axis(figure: Figure, side: str) -> Array | None:
    """The axis that a skeleton of a body of hinges names for a knee."""
    model = figure.model
    names = [model.numeric(k).name for k in range(model.nnumeric)]
    if f"{side}_knee_axis" not in names:
        return None
    return np.array(model.numeric(f"{side}_knee_axis").data, dtype=float)


def ankles(frames: Array, figure: Figure) -> Array:
    """[T, 2, 3] world places of the left and the right ankle in poses [T, nq]."""
    places = []
    for leg in legs_of(figure):
        turn = frames[:, 3:7]
        at = frames[:, :3] + rotate(turn, leg.hip_at)
        for address, offset in ((leg.hip, leg.knee_at), (leg.knee, leg.ankle_at)):
            turn = multiply(turn, frames[:, address : address + 4])
            at = at + rotate(turn, offset)
        places.append(at)
    return np.stack(places, axis=1)


def facing_of(frames: Array) -> Array:
    """[T] heading of the pelvis, radians, continuous over time."""
    forward = rotate(frames[:, 3:7], np.array([1.0, 0.0, 0.0]))
    return np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))


def turned_frames(frames: Array, angle: float, about: Sequence[float] = (0.0, 0.0)) -> Array:
    """Poses turned about a vertical axis."""
    turn = from_axis_angle(UP, np.array(angle))
    centre = np.array([*about, 0.0])
    result = frames.copy()
    result[:, :3] = rotate(turn, frames[:, :3] - centre) + centre
    result[:, 3:7] = multiply(np.broadcast_to(turn, (len(frames), 4)), frames[:, 3:7])
    return result


def joint_places(frames: Array, figure: Figure) -> Array:
    """[T, bodies, 3] origins of the bodies, seen from the pelvis and its heading."""
    turns = {0: from_axis_angle(UP, -facing_of(frames))}
    turns[0] = multiply(turns[0], frames[:, 3:7])
    places = {0: np.zeros((len(frames), 3))}
    for body in figure.bodies[1:]:
        joint = figure.joint(body.joints[0])
        places[body.index] = places[body.parent] + rotate(turns[body.parent], body.position)
        turns[body.index] = multiply(turns[body.parent], frames[:, joint.qpos : joint.qpos + 4])
    return np.stack([places[k] for k in sorted(places)], axis=1)


def body_frames(frames: Array, figure: Figure) -> tuple[Array, Array]:
    """World places [T, bodies, 3] and orientations [T, bodies, 4] of the bodies' frames in poses [T, nq]."""
    turns, places = [frames[:, 3:7]], [frames[:, :3]]
    for body in figure.bodies[1:]:
        at = figure.joint(body.joints[0]).qpos
        places.append(places[body.parent] + rotate(turns[body.parent], body.position))
        turns.append(multiply(turns[body.parent], frames[:, at : at + 4]))
    return np.stack(places, axis=1), np.stack(turns, axis=1)


def mass_centre(frames: Array, figure: Figure) -> Array:
    """[T, 3] the centre of mass of poses [T, nq]."""
    places, turns = body_frames(frames, figure)
    masses = np.array([body.mass for body in figure.bodies])
    centres = places + rotate(turns, np.array([body.com for body in figure.bodies]))
    return np.asarray((masses[:, None] * centres).sum(axis=1) / masses.sum())


def travel(frames: Array, fps: float) -> Array:
    """[T, 3] the pelvis's velocity, seen from its heading."""
    velocity = np.gradient(frames[:, :3], 1.0 / fps, axis=0)
    facing = facing_of(frames)
    c, s = np.cos(-facing), np.sin(-facing)
    return np.stack(
        [c * velocity[:, 0] - s * velocity[:, 1], s * velocity[:, 0] + c * velocity[:, 1], velocity[:, 2]], axis=1
    )


def resampled_frames(frames: Array, times: Array) -> Array:
    """Poses at shares of the whole length."""
    at = times * (len(frames) - 1)
    low = np.minimum(at.astype(int), len(frames) - 2)
    part = at - low
    result = np.empty((len(times), frames.shape[1]))
    result[:, :3] = (1 - part[:, None]) * frames[low, :3] + part[:, None] * frames[low + 1, :3]
    bodies = (frames.shape[1] - 3) // 4
    first, second = (frames[low + k, 3:].reshape(-1, 4) for k in (0, 1))
    result[:, 3:] = slerp(first, second, np.repeat(part, bodies)).reshape(len(times), -1)
    return result


def blended_frames(one: Array, two: Array, share: float) -> Array:
    """Poses between two motions, frame by frame at equal shares of their lengths; share 0 is the first."""
    count = round((1 - share) * (len(one) - 1) + share * (len(two) - 1))
    times = np.arange(count + 1) / count
    one, two = (resampled_frames(frames, times) for frames in (one, two))
    frames = one.copy()
    frames[:, :3] = (1 - share) * one[:, :3] + share * two[:, :3]
    weight = np.full((count + 1) * ((one.shape[1] - 3) // 4), share)
    frames[:, 3:] = slerp(one[:, 3:].reshape(-1, 4), two[:, 3:].reshape(-1, 4), weight).reshape(count + 1, -1)
    return frames


def bent_frames(frames: Array, angle: float) -> Array:
    """Poses whose way and heading bend by an angle more, little by little from first frame to last."""
    frames = frames.copy()
    share = np.arange(len(frames)) / (len(frames) - 1)
    turn = from_axis_angle(UP, angle * share * share * (3.0 - 2.0 * share))
    moves = np.diff(frames[:, :3], axis=0)
    frames[1:, :3] = frames[0, :3] + np.cumsum(rotate(turn[:-1], moves), axis=0)
    frames[:, 3:7] = multiply(turn, frames[:, 3:7])
    return frames
