"""Captured feet fitted to flat ground: drift of the floor, soles under the ground, walks that stay in place.

Retargeted motion seldom stands on the ground as the figure does. The floor of a capture may slope by some centimetres
from one end of the room to the other; the figure's foot is one rigid box, so that a foot which in the clip bends at its
toes goes through the ground when it rolls off; and clips for games often walk on the spot, their feet sliding back.

Ankles of whole clips moved by turning hips and knees (as :mod:`.two_bone` does inside the law).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.sampled_ground import pad_samples
from footfall.figures import Figure
from footfall.motion.quaternion import conjugate, exp, from_axis_angle, multiply, rotate
from footfall.motion.synthesis.ball_poses import Leg, legs_of

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


FPS = 30.0
UP = np.array([0.0, 0.0, 1.0])
ACROSS = np.array([0.0, 1.0, 0.0])
SLOW = 0.3
"""Metres a second below which a foot is planted."""
RUNS = 2.0
"""Metres a second above which the body runs, and a planted foot may be SLOW for each m/s of it: its sole rolls."""
NEAR = 0.03
"""Metres by which a planted foot may be higher than the other one."""
DRIFT = 0.015
"""Metres of drift that are left alone."""
OFF, MOST = 0.005, 0.04
"""Metres that a planted sole may be off, and by which a leg is bent or stretched at most."""
STAND = 10
"""Frames after which feet stand together, and soles may not be off at all: a figure on uneven legs leans over."""
TOES_UNDER, UNDER = 0.01, 0.002
"""Metres that toes may stay under the ground, and soles where feet are lifted."""
CLEAR, RISING = 0.03, 0.25
"""Metres that a swinging sole is above the ground at least, and the shares of a swing at both ends over which that
rises and falls: a foot that skims the ground lands early, in mid-swing."""
MOVING = 0.25
"""Share of its greatest speed above which a sole between two stances swings; below it rolls off or sets down."""
MOST_LIFT, SHORTEST_SWING = 0.08, 4
"""Metres by which a swinging foot is lifted at most, and frames that a swing has at least."""
STILL, SLIDES = 0.15, 0.4
"""Metres a second: a pelvis that goes slower than the first over feet that slide faster than the second walks on the
spot."""


@dataclass(frozen=True, eq=False)
class Soles:
    """The lowest point of each foot's sole.

    Attributes:
        height: [T, 2] of the left and the right one. velocity: [T, 2, 3] of that point of the foot.
        ahead: [T, 2] how far it is before the ankle, along the foot.
        turn: [T, 2, 4] the feet's orientations. ankle_velocity: [T, 2, 3].
    """

    height: Array
    velocity: Array
    ahead: Array
    turn: Array
    ankle_velocity: Array


def soles_of(frames: Array, figure: Figure) -> Soles:
    """The soles in poses [T, nq] at 30 a second."""
    count = len(frames)
    height, ahead = np.empty((count, 2)), np.empty((count, 2))
    velocity, turns, ankle = np.empty((count, 2, 3)), np.empty((count, 2, 4)), np.empty((count, 2, 3))
    feet = (figure.leg("left").foot, figure.leg("right").foot)
    at = np.arange(count)
    later, before = np.minimum(at + 1, count - 1), np.maximum(at - 1, 0)
    for k, (leg, foot) in enumerate(zip(legs_of(figure), feet, strict=True)):
        body = figure.body(foot).index
        samples = pad_samples(figure, body)[1].reshape(-1, 3)
        if not len(samples):
            samples = np.array([p.position for p in figure.points if p.body == body])
        turn, place = frames[:, 3:7], frames[:, :3] + rotate(frames[:, 3:7], leg.hip_at)
        for address, offset in ((leg.hip, leg.knee_at), (leg.knee, leg.ankle_at)):
            turn = multiply(turn, frames[:, address : address + 4])
            place = place + rotate(turn, offset)
        turn = multiply(turn, frames[:, leg.ankle : leg.ankle + 4])
        points = place[:, None] + rotate(turn[:, None], np.broadcast_to(samples, (count, *samples.shape)))
        lowest = points[..., 2].argmin(axis=1)
        height[:, k] = points[at, lowest, 2]
        velocity[:, k] = (points[later, lowest] - points[before, lowest]) * FPS / (later - before)[:, None]
        ankle[:, k] = (place[later] - place[before]) * FPS / (later - before)[:, None]
        ahead[:, k] = samples[lowest, 0]
        turns[:, k] = turn
    return Soles(height, velocity, ahead, turns, ankle)


def fit_ground(frames: Array, figure: Figure, *, lifted: bool = False) -> Array:
    """Poses [T, nq] that stand and travel on flat ground at z = 0; with ``lifted`` no sole is in the ground and
    swinging feet are clear of it."""
    frames = _travelling(frames, figure)
    frames = _without_drift(frames, figure)
    frames = _level_stances(frames, figure)
    frames = _toes_up(frames, figure, UNDER if lifted else TOES_UNDER)
    return _lifted_swings(frames, figure) if lifted else frames


def _without_drift(frames: Array, figure: Figure) -> Array:
    """The floor's height, seen by planted feet and taken as straight between them, goes from every pose."""
    stands = [stand for foot in _stands(frames, figure) for stand in foot]
    heights = [height for _, _, height in stands]
    result = frames.copy()
    if len(stands) < 2 or np.ptp(heights) < DRIFT:
        result[:, 2] -= np.median(heights) if heights else 0.0
        return result
    times = np.array([0.5 * (a + b - 1) for a, b, _ in stands])
    order = np.argsort(times)
    result[:, 2] -= np.interp(np.arange(len(frames)), times[order], np.array(heights)[order])
    return result


def _level_stances(frames: Array, figure: Figure) -> Array:
    """Planted feet on the ground: a leg bends or stretches by what its sole is off, and in between by shares."""
    result, both = frames, _stands(frames, figure)
    for leg, stands, others in zip(legs_of(figure), both, both[::-1], strict=True):
        if stands:
            times = np.array([t for a, b, _ in stands for t in (a, b - 1)], dtype=float)
            heights = np.array([height for _, _, height in stands])
            still = [any(min(b, d) - max(a, c) >= STAND for c, d, _ in others) for a, b, _ in stands]
            slack = np.where(still, 0.0, OFF)
            off = np.repeat(np.sign(heights) * np.maximum(np.abs(heights) - slack, 0.0), 2)
            rise = -np.interp(np.arange(len(frames)), times, off)
            result = raised_ankles(result, leg, np.clip(rise, -MOST, MOST))
    return result


def _stands(frames: Array, figure: Figure) -> list[list[tuple[int, int, float]]]:
    """For each foot the stretches in which it is planted: first frame, the one after the last, the sole's height."""
    soles = soles_of(frames, figure)
    speed = np.linalg.norm(np.gradient(frames[:, :2], 1.0 / FPS, axis=0), axis=1)
    planted_speed = np.where(speed > RUNS, SLOW * speed, SLOW)
    slow = np.linalg.norm(soles.velocity[..., :2], axis=-1) < planted_speed[:, None]
    planted = slow & (soles.height < soles.height.min(axis=1, keepdims=True) + NEAR)
    return [
        [(a, b, float(np.median(soles.height[a:b, k]))) for a, b in _stretches(planted[:, k]) if b - a >= 3]
        for k in range(2)
    ]


def _stretches(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _toes_up(frames: Array, figure: Figure, under: float) -> Array:
    """Toes that go under the ground are turned up about their ankles until they do not."""
    result = frames.copy()
    for _ in range(8):
        soles = soles_of(result, figure)
        deep = np.where(soles.ahead > 0.0, np.maximum(-under - soles.height, 0.0), 0.0)
        if not (deep > 0.001).any():
            break
        pitch = -np.minimum(deep / np.maximum(soles.ahead, 0.05), 0.3)
        pitch = np.stack([np.convolve(np.pad(p, 1, "edge"), (0.15, 0.7, 0.15), "valid") for p in pitch.T], axis=1)
        for k, leg in enumerate(legs_of(figure)):
            at = slice(leg.ankle, leg.ankle + 4)
            result[:, at] = multiply(result[:, at], from_axis_angle(ACROSS, pitch[:, k]))
    return result


def _lifted_swings(frames: Array, figure: Figure) -> Array:
    """Soles above the ground, swinging ones clear of it: legs bend by what they are too low."""
    result, least = frames, swing_heights(frames, figure)
    for _ in range(2):
        soles = soles_of(result, figure)
        for k, leg in enumerate(legs_of(figure)):
            short = np.maximum(least[:, k] - soles.height[:, k], 0.0)
            result = raised_ankles(result, leg, np.minimum(_widened(short), MOST_LIFT))
    return result


def swing_heights(frames: Array, figure: Figure) -> Array:
    """[T, 2] how high the soles have to be: a little under the ground while a foot is planted, CLEAR in its swings."""
    least = np.full((len(frames), 2), -UNDER)
    speed = np.linalg.norm(soles_of(frames, figure).velocity[..., :2], axis=-1)
    for k, stands in enumerate(_stands(frames, figure)):
        planted = np.zeros(len(frames), dtype=bool)
        for a, b, _ in stands:
            planted[a:b] = True
        for first, last in _stretches(~planted):
            quick = np.flatnonzero(speed[first:last, k] > MOVING * speed[first:last, k].max())
            a, b = first + quick[0], first + quick[-1] + 1
            if b - a < SHORTEST_SWING or speed[a:b, k].max() < SLOW:
                continue
            share = (np.arange(a, b) - a + 0.5) / (b - a)
            edge = np.minimum(share if first > 0 else 1.0, 1.0 - share if last < len(frames) else 1.0)
            rising = np.clip(edge / RISING, 0.0, 1.0)
            least[a:b, k] += (CLEAR + UNDER) * rising * rising * (3.0 - 2.0 * rising)
    return least


def _widened(rise: Array) -> Array:
    """Rises [T] made smooth in time without becoming smaller anywhere."""
    widest = np.max([np.roll(np.pad(rise, 2, "edge"), k)[2:-2] for k in (-1, 0, 1)], axis=0)
    return np.convolve(np.pad(widest, 1, "edge"), np.ones(3) / 3.0, "valid")


def _travelling(frames: Array, figure: Figure) -> Array:
    """A walk on the spot goes forward as fast as the foot that slides back faster."""
    soles = soles_of(frames, figure)
    which = soles.height.argmin(axis=1)
    slide = soles.velocity[np.arange(len(frames)), which, :2]
    travel = np.linalg.norm(frames[-1, :2] - frames[0, :2]) * FPS / max(len(frames) - 1, 1)
    if travel > STILL or np.linalg.norm(np.median(slide, axis=0)) < SLIDES:
        return frames
    back = np.median(slide, axis=0)
    back = back / np.linalg.norm(back)
    speed = (soles.ankle_velocity[..., :2] @ back).max(axis=1)
    speed = np.convolve(np.pad(speed, 3, "edge"), np.ones(7) / 7.0, "valid")
    result = frames.copy()
    result[:, :2] -= np.concatenate([[0.0], np.cumsum(speed[:-1])])[:, None] * back / FPS
    return result
