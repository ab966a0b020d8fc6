"""Ankles of whole clips moved by turning hips and knees (as :mod:`.two_bone` does inside the law)."""

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import conjugate, exp, multiply, rotate
from footfall.motion.synthesis.ball_poses import Leg

Array = NDArray[np.float64]
TINY = 1e-9
STRAIGHT = 1e-3
"""Sine of the knee's angle below which a leg has no plane of its own; it then bends about the thigh's side axis."""
SIDE = np.array([0.0, 1.0, 0.0])


def _corner(opposite: Array, a: Array, b: Array) -> Array:
    return np.arccos(np.clip((a * a + b * b - opposite * opposite) / (2.0 * a * b), -1.0, 1.0))


def raised_ankles(frames: Array, leg: Leg, rise: Array) -> Array:
    """Poses [T, nq] with a leg's ankle higher by ``rise`` [T], metres; the foot keeps its orientation in the world."""
    return moved_ankles(frames, leg, np.stack([0.0 * rise, 0.0 * rise, rise], axis=-1))


def moved_ankles(frames: Array, leg: Leg, move: Array) -> Array:
    """Poses [T, nq] with a leg's ankle moved by ``move`` [T, 3], metres; the foot keeps its orientation in the world.

    The law of cosines gives new angles in the plane of hip, knee and ankle, which is then turned so that the ankle lies
    in the wanted direction. A place out of reach is met as far as the stretched leg goes. A straight leg bends as knees
    do, and one whose knee is a hinge about that (:mod:`.two_bone`).
    """
    hip, knee, ankle = (slice(at, at + 4) for at in (leg.hip, leg.knee, leg.ankle))
    pelvis = frames[:, 3:7]
    thigh = multiply(pelvis, frames[:, hip])
    shin = multiply(thigh, frames[:, knee])
    foot = multiply(shin, frames[:, ankle])
    upper, lower = rotate(thigh, leg.knee_at), rotate(shin, leg.ankle_at)
    reach = upper + lower
    wanted = reach + move
    m, n, before, after = (np.linalg.norm(v, axis=-1) for v in (upper, lower, reach, wanted))
    axis = np.cross(upper, reach) / np.maximum(m * before, TINY)[:, None]
    if leg.knee_axis is None:
        straight = np.linalg.norm(axis, axis=-1) < STRAIGHT
        axis[straight] = rotate(thigh, np.broadcast_to(SIDE, axis.shape))[straight]
        axis = axis / np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), TINY)
    else:
        side = rotate(thigh, np.broadcast_to(leg.knee_axis, axis.shape))
        axis = np.where(((axis * side).sum(axis=-1) < 0.0)[:, None], -side, side)
        beside = (reach * axis).sum(axis=-1)
        flat = [v - (v * axis).sum(axis=-1)[:, None] * axis for v in (upper, lower, reach)]
        m, n, before = (np.maximum(np.linalg.norm(v, axis=-1), TINY) for v in flat)
        after = np.sqrt(np.maximum(after**2 - beside**2, TINY))
    turn = _corner(n, before, m) - _corner(n, after, m)
    bend = _corner(m, after, n) - _corner(m, before, n)
    thigh, shin = multiply(exp(turn[:, None] * axis), thigh), multiply(exp(bend[:, None] * axis), shin)
    if leg.knee_axis is not None:
        reach = rotate(thigh, leg.knee_at) + rotate(shin, leg.ankle_at)
    plane = np.cross(reach, wanted)
    width = np.linalg.norm(plane, axis=-1, keepdims=True)
    angle = np.arctan2(width[:, 0], (reach * wanted).sum(axis=-1))[:, None]
    swing = exp(plane * angle / np.maximum(width, TINY))
    thigh, shin = multiply(swing, thigh), multiply(swing, shin)
    result = frames.copy()
    result[:, hip] = multiply(conjugate(pelvis), thigh)
    result[:, knee] = multiply(conjugate(thigh), shin)
    result[:, ankle] = multiply(conjugate(shin), foot)
    return result
