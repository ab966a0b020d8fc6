"""Captured motion as poses of a figure's ball joints, 30 a second, that stand and travel on flat ground at z = 0.

A clip goes through a list of stages (:func:`frames_of`): it is resampled, brought onto the figure (as it is where the
skeleton is the figure's own, else retargeted), its feet are levelled and fitted to the ground, and its poses become
those that the figure's hinges can take.

Retargeted motion seldom stands on the ground as the figure does. The floor of a capture may slope by some centimetres
from one end of the room to the other; the figure's foot is one rigid box, so that a foot which in the clip bends at its
toes goes through the ground when it rolls off; and clips for games often walk on the spot, their feet sliding back.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.ball_joints import pad_samples
from footfall.motion.ball_poses import (
    FPS,
    facing_of,
    foot_frames,
    hinge_chains,
    legs_of,
    motion_of_balls,
    skeleton_of_balls,
    turned_frames,
)
from footfall.motion.conditioning.legs import raised_ankles
from footfall.motion.editing import resampled
from footfall.motion.gait.contact import annotate_contacts, spans_of
from footfall.motion.gait.feet import carried_path
from footfall.motion.gait.measures import gait_contacts
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, between, conjugate, from_axis_angle, multiply, rotate
from footfall.motion.retargeting.retarget import retarget
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton

Stage = Callable[[Array, Figure], Array]
"""What is done to poses [T, nq] of a figure of ball joints."""
UP = np.array([0.0, 0.0, 1.0])
ACROSS = np.array([0.0, 1.0, 0.0])
SLOW = 0.3
"""Metres a second that a swinging sole reaches at least."""
FLAT, AT_REST = 0.08, 0.15
"""Metres and metres a second below which the ankle of a foot that is flat is."""
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


@dataclass(frozen=True, eq=False)
class Soles:
    """The lowest point of each foot's sole.

    Attributes:
        height: [T, 2] of the left and the right one.
        velocity: [T, 2, 3] of that point of the foot.
        ahead: [T, 2] how far it is before the ankle, along the foot.
        turn: [T, 2, 4] the feet's orientations.
    """

    height: Array
    velocity: Array
    ahead: Array
    turn: Array


def soles_of(frames: Array, figure: Figure) -> Soles:
    """The soles in poses [T, nq] at 30 a second."""
    count = len(frames)
    height, ahead = np.empty((count, 2)), np.empty((count, 2))
    velocity, turns = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    feet = (figure.leg("left").foot, figure.leg("right").foot)
    at = np.arange(count)
    later, before = np.minimum(at + 1, count - 1), np.maximum(at - 1, 0)
    for k, (leg, foot) in enumerate(zip(legs_of(figure), feet, strict=True)):
        body = figure.body(foot).index
        samples = pad_samples(figure, body)[1].reshape(-1, 3)
        if not len(samples):
            samples = np.array([p.position for p in figure.points if p.body == body])
        place, turn = foot_frames(frames, leg)
        points = place[:, None] + rotate(turn[:, None], np.broadcast_to(samples, (count, *samples.shape)))
        lowest = points[..., 2].argmin(axis=1)
        height[:, k] = points[at, lowest, 2]
        velocity[:, k] = (points[later, lowest] - points[before, lowest]) * FPS / (later - before)[:, None]
        ahead[:, k] = samples[lowest, 0]
        turns[:, k] = turn
    return Soles(height, velocity, ahead, turns)


def fit_ground(frames: Array, figure: Figure, *, lifted: bool = False) -> Array:
    """Poses [T, nq] that stand and travel on flat ground at z = 0; with ``lifted`` no sole is in the ground and
    swinging feet are clear of it."""
    toes_up = partial(_toes_up, under=UNDER if lifted else TOES_UNDER)
    stages: list[Stage] = [_travelling, _without_drift, _level_stances, toes_up, *([_lifted_swings] if lifted else [])]
    for stage in stages:
        frames = stage(frames, figure)
    return frames


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
    """For each foot the stretches in which it stands: first frame, the one after the last, the sole's height."""
    height, contacts = soles_of(frames, figure).height, gait_contacts(motion_of_balls(frames, figure))
    return [
        [(a, b, float(np.median(height[a:b, k]))) for a, b in contacts.spans(side) if b - a >= 3]
        for k, side in enumerate(("left", "right"))
    ]


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
        for first, last in spans_of(~planted):
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
    """A walk on the spot goes as its feet say."""
    result = frames.copy()
    result[:, :2] -= carried_path(motion_of_balls(frames, figure))
    return result


ROLES = {
    "torso": ("spine",),
    "head": ("spine1", "chest"),
    "left_upper_arm": ("left_shoulder",),
    "left_lower_arm": ("left_elbow",),
    "right_upper_arm": ("right_shoulder",),
    "right_lower_arm": ("right_elbow",),
    "left_thigh": ("left_hip",),
    "left_shin": ("left_knee",),
    "left_foot": ("left_ankle",),
    "right_thigh": ("right_hip",),
    "right_shin": ("right_knee",),
    "right_foot": ("right_ankle",),
}
FEWEST = 4
SLOWEST = 12.0
"""Frames a second below which a clip is no captured motion."""
CLOSE = 0.02
"""Metres that a bone's length may differ for a skeleton to be the figure's own."""


def own_joints(skeleton: Skeleton, figure: Figure) -> list[int] | None:
    """For each body of the figure the skeleton's joint that is the same; None for another skeleton."""
    roles = find_roles(skeleton)
    names = {name.lower(): k for k, name in enumerate(skeleton.names)}
    found = [0]
    for body in figure.bodies[1:]:
        at = next((roles.get(r, names.get(r)) for r in ROLES.get(body.name, ()) if r in roles or r in names), None)
        if at is None:
            return None
        found.append(at)
    if len(skeleton.names) != len(figure.bodies) or len(set(found)) != len(found):
        return None
    for body, at in zip(figure.bodies[1:], found[1:], strict=True):
        longer = np.linalg.norm(skeleton.offsets[at]) - np.linalg.norm(body.position)
        if skeleton.parents[at] != found[body.parent] or abs(longer) > CLOSE:
            return None
    return found


def own_frames(motion: Motion, figure: Figure, joints: list[int]) -> Array:
    """[T, nq] poses of the figure's own skeleton.

    Thighs and shins are turned so that their bones point as the clip's do, whose frames may lie otherwise in them: a
    body turned by R in its own frame has the local rotation R_parent⁻¹ q R.
    """
    offsets = np.asarray(motion.skeleton.offsets)
    aim = np.tile([1.0, 0.0, 0.0, 0.0], (len(figure.bodies), 1))
    for leg in figure.legs.values():
        for upper, lower in pairwise(leg.links):
            end = figure.body(lower)
            aim[figure.body(upper).index] = between(end.position, offsets[joints[end.index]])
    local = motion.rotations[:, joints]
    turned = [
        multiply(multiply(conjugate(aim[max(body.parent, 0)]), local[:, body.index]), aim[body.index])
        for body in figure.bodies
    ]
    return np.concatenate([motion.root_position, *turned], axis=1)


def level_feet(frames: Array, figure: Figure) -> Array:
    """Poses whose feet are flat when they stand, on ground at z = 0.

    Each foot gets one turn in its own frame, the same in all frames, that lays its sole level on average over the
    frames in which it stands: the skeletons of captured motion and the figure's foot box do not agree on what a flat
    foot is (the authors turn theirs by 0.4 to 0.6 rad). Then all poses are lowered or raised until standing ankles are
    where a flat foot's are.
    """
    result = frames.copy()
    heights = []
    contacts = annotate_contacts(motion_of_balls(frames, figure), height=FLAT, speed=AT_REST)
    for side, leg in zip(("left", "right"), legs_of(figure), strict=True):
        ankle, turn = foot_frames(frames, leg)
        stands = contacts.foot(side)
        if not stands.any():
            stands = ankle[:, 2] <= np.percentile(ankle[:, 2], 10.0)
        up, sole = _sole(figure, side)
        seen = rotate(conjugate(turn[stands]), UP).mean(axis=0)
        at = slice(leg.ankle, leg.ankle + 4)
        result[:, at] = multiply(frames[:, at], between(up, seen))
        heights.append(ankle[stands, 2] - sole)
    result[:, 2] -= np.median(np.concatenate(heights))
    return result


def _sole(figure: Figure, side: str) -> tuple[Array, float]:
    """The sole's upward normal in its foot's frame, and the ankle's height over it."""
    heel, *toes = (np.asarray(figure.point(f"{side}_{name}").position) for name in ("heel", "toe_outer", "toe_inner"))
    normal = np.cross(toes[0] - heel, toes[1] - heel)
    normal = normal / np.linalg.norm(normal)
    height = float(-normal @ heel)
    return (normal, height) if height > 0 else (-normal, -height)


def sole_depth(figure: Figure) -> float:
    """Metres from the ankles down to the soles."""
    return _sole(skeleton_of_balls(figure), "left")[1]


def frames_of(
    motion: Motion, figure: Figure, *, along_x: bool = True, fitted: bool = True, lifted: bool = False
) -> Array:
    """[T, nq] poses of the figure at 30 a second.

    Of a figure of hinges these are poses of its skeleton of ball joints, as its hinges can take them
    (:mod:`footfall.motion.ball_poses`). A motion of the figure's own skeleton is taken as it is, another
    one retargeted. It is moved to begin at the origin and, with ``along_x``, turned to go along x (a motion that stays
    in place: to face x). With ``fitted`` its feet are fitted to flat ground (:mod:`.ground_fit`), and with ``lifted``
    swinging feet are clear of it.
    """
    if len(motion) < FEWEST:
        raise FootfallError(f"clip: it has {len(motion)} frames; a pose is not a motion; give at least 0.7 s")
    if motion.fps < SLOWEST:
        raise FootfallError(
            f"clip: it has {motion.fps:.3g} frames a second, too few to see a step in (at least {SLOWEST:g}); "
            "its frame time may be wrong"
        )
    if abs(motion.fps - FPS) > 0.1:
        motion = resampled(motion, FPS)
    chains, own = hinge_chains(figure), own_joints(motion.skeleton, figure)
    stages: list[Stage] = [partial(fit_ground, lifted=lifted)] if fitted else []
    if own is None or chains is not None:
        motion = retarget(motion, figure, keep_feet=False)[0]
        frames = np.array(motion.channels["qpos"] if "qpos" in motion.channels else motion.to_qpos(figure))
        stages.insert(0, level_feet)
    else:
        frames = own_frames(motion, figure, own)
    if chains is not None:
        hinges, frames, figure = frames, chains.ball_poses(frames), chains.skeleton
        stages.append(lambda poses, _: chains.feasible(poses, hinges))
    for stage in (*stages, _from_origin, *([_along_x] if along_x else [])):
        frames = stage(frames, figure)
    return np.asarray(frames)


def _from_origin(frames: Array, figure: Figure) -> Array:
    frames[:, :2] -= frames[0, :2]
    return frames


def _along_x(frames: Array, figure: Figure) -> Array:
    return turned_frames(frames, -_direction(frames))


def _direction(frames: Array) -> float:
    """The direction of travel at the fastest part, or the first facing."""
    window = min(30, len(frames) - 1)
    steps = frames[window:, :2] - frames[:-window, :2]
    fastest = steps[np.argmax(np.linalg.norm(steps, axis=1))]
    facing = float(facing_of(frames)[0])
    if np.linalg.norm(fastest) < 0.3:
        return facing
    travel = float(np.arctan2(fastest[1], fastest[0]))
    return travel + np.pi if np.cos(travel - facing) < 0 and np.ptp(facing_of(frames)) < 1.0 else travel
