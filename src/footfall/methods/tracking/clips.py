"""A captured clip as a repertoire of the tracking law: its fragments one after another, or its best two steps round and
round (Data-Driven Biped Control, section 3).

Captured motion as poses of the tracking law's figure, 30 a second.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import fit_ground, soles_of
from footfall.methods.tracking.repertoire import Fragment, Gains, Repertoire
from footfall.motion import Motion, resampled, retarget
from footfall.motion.gait.contact import Segment
from footfall.motion.quaternion import Array, between, conjugate, multiply, rotate
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton
from footfall.motion.synthesis.ball_poses import ankles, facing_of, hinge_chains, skeleton_of_balls, turned_frames
from footfall.motion.synthesis.cuts import (
    ContactRule,
    Loop,
    as_segments,
    best_loop,
    cut_frames,
    flight_cuts,
    repeated,
    touched,
)

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
FPS = 30.0
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


def own_frames(motion: Motion, figure: Figure, joints: list[int]) -> NDArray[np.float64]:
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


def level_feet(frames: NDArray[np.float64], figure: Figure) -> NDArray[np.float64]:
    """Poses whose feet are flat when they stand, on ground at z = 0.

    Each foot gets one turn in its own frame, the same in all frames, that lays its sole level on average over the
    frames in which it stands: the skeletons of captured motion and the figure's foot box do not agree on what a flat
    foot is (the authors turn theirs by 0.4 to 0.6 rad). Then all poses are lowered or raised until standing ankles are
    where a flat foot's are.
    """
    result = frames.copy()
    heights = []
    for side in ("left", "right"):
        leg = figure.legs[side]
        ankle = ankles(frames, figure)[:, 0 if side == "left" else 1]
        stands = _stands(ankle)
        turn = frames[:, 3:7]
        for name in (*leg.hip, *leg.knee, *leg.ankle):
            at = figure.joint(name).qpos
            turn = multiply(turn, frames[:, at : at + 4])
        up, sole = _sole(figure, side)
        seen = rotate(conjugate(turn[stands]), np.array([0.0, 0.0, 1.0])).mean(axis=0)
        at = figure.joint(leg.ankle[0]).qpos
        result[:, at : at + 4] = multiply(frames[:, at : at + 4], between(up, seen))
        heights.append(ankle[stands, 2] - sole)
    result[:, 2] -= np.median(np.concatenate(heights))
    return result


def _stands(ankle: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Frames in which a foot stands: its ankle is slow and low, as far as that tells; at least a tenth of all."""
    speed = np.linalg.norm(np.gradient(ankle, 1.0 / FPS, axis=0), axis=1)
    low = ankle[:, 2] < np.percentile(ankle[:, 2], 20.0) + 0.03
    quick = np.where(low, speed, speed + 10.0)
    return np.asarray(quick <= max(0.15, float(np.percentile(quick, 10.0))))


def _sole(figure: Figure, side: str) -> tuple[NDArray[np.float64], float]:
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
) -> NDArray[np.float64]:
    """[T, nq] poses of the figure at 30 a second.

    Of a figure of hinges these are poses of its skeleton of ball joints, as its hinges can take them
    (:mod:`footfall.motion.synthesis.ball_poses`). A motion of the figure's own skeleton is taken as it is, another
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
    hinges = None
    if own is None or chains is not None:
        motion = retarget(motion, figure, keep_feet=False)[0]
        frames = np.array(motion.channels["qpos"] if "qpos" in motion.channels else motion.to_qpos(figure))
        if chains is not None:
            hinges, frames, figure = frames, chains.ball_poses(frames), chains.skeleton
        frames = level_feet(frames, figure)
    else:
        frames = own_frames(motion, figure, own)
    if fitted:
        frames = fit_ground(frames, figure, lifted=lifted)
    if chains is not None:
        frames = chains.feasible(frames, hinges)
    frames[:, :2] -= frames[0, :2]
    if along_x:
        frames = turned_frames(frames, -_direction(frames))
    return np.asarray(frames)


def _direction(frames: NDArray[np.float64]) -> float:
    """The direction of travel at the fastest part, or the first facing."""
    window = min(30, len(frames) - 1)
    steps = frames[window:, :2] - frames[:-window, :2]
    fastest = steps[np.argmax(np.linalg.norm(steps, axis=1))]
    facing = float(facing_of(frames)[0])
    if np.linalg.norm(fastest) < 0.3:
        return facing
    travel = float(np.arctan2(fastest[1], fastest[0]))
    return travel + np.pi if np.cos(travel - facing) < 0 and np.ptp(facing_of(frames)) < 1.0 else travel


NO_LOOP = "the clip has no two steps in a row that can be repeated; follow it once, without a loop"
BEND = np.radians(20.0)
"""Turn of two steps above which a loop keeps it."""


def clip_repertoire(
    frames: Array,
    figure: Figure,
    *,
    gains: Gains = Gains(),  # noqa: B008
    loop: bool = False,
    turning: bool | None = None,
    over: int = 10,
    rule: ContactRule = ContactRule(),  # noqa: B008
) -> Repertoire:
    """A clip as a repertoire: its fragments one after another, the last one for ever or the best loop round and round.

    Args:
        frames: [T, nq] poses at 30 frames a second.
        figure: what they are poses of, itself or by its skeleton of ball joints.
        gains: for all fragments.
        loop: whether to repeat the best loop.
        turning: whether the loop keeps its turn; by default where it turns by more than 20 degrees.
        over: frames at the loop's end that lead back to its start.
        rule: when a foot is in contact.
    """
    figure = skeleton_of_balls(figure)
    cuts = _cuts(frames, figure, rule)
    turn, back = 0.0, -1
    if loop:
        best = _best_loop(frames, figure, cuts)
        turning = _turns(frames, best) if turning is None else turning
        frames, turn = repeated(frames, best, 3, over, turning=turning)
        cuts = _cuts(frames, figure, rule)
        swings = {"left_swing", "right_swing"}
        found = (k for k, pair in enumerate(pairwise(cuts)) if {cut.kind for cut in pair} == swings)
        back = next((k for k in found if cuts[k].start >= best.first), -1)
        if back < 0:
            raise FootfallError(NO_LOOP)
        cuts = cuts[: back + 2]
    if rule.touch is not None:
        cuts = touched(cuts, soles_of(frames, figure).height, rule.touch)
    off = {cut.start: cut.take_off for cut in flight_cuts(frames, figure, soles_of(frames, figure).height) or ()}
    feet = ankles(frames, figure)[..., 2]
    fragments = [
        Fragment(
            cut.kind,
            frames[cut.start : cut.end + 1],
            float(feet[cut.start + 1 : cut.end + 1].min()),
            successor=k + 1,
            take_off=off.get(cut.start, -1),
        )
        for k, cut in enumerate(cuts)
    ]
    fragments[-1] = replace(fragments[-1], successor=back, turn=turn)
    return Repertoire(tuple(fragments), (gains,))


def looped_frames(frames: Array, figure: Figure, seconds: float, over: int = 10) -> Array:
    """[T, nq] a clip up to its best two steps, and those again and again, for so many seconds or a little more.

    Args:
        frames: [T, nq] poses at 30 frames a second. figure: what they are poses of, itself or by its skeleton of ball
            joints.
        seconds: how long. over: frames at the loop's end that lead back to its start.
    """
    figure = skeleton_of_balls(figure)
    best = _best_loop(frames, figure, _cuts(frames, figure, ContactRule()))
    times = max(1, int(np.ceil((seconds * FPS - best.first) / (best.last - best.first))))
    return repeated(frames, best, times, over, turning=_turns(frames, best))[0]


def _best_loop(frames: Array, figure: Figure, cuts: list[Segment]) -> Loop:
    best = best_loop(frames, figure, cuts)
    if best is None:
        raise FootfallError(NO_LOOP)
    return best


def _turns(frames: Array, loop: Loop) -> bool:
    """Whether a loop goes round a bend, which it then keeps."""
    return bool(abs(np.diff(facing_of(frames)[[loop.first, loop.last]])[0]) > BEND)


def _cuts(frames: Array, figure: Figure, rule: ContactRule) -> list[Segment]:
    """Fragments by flights where the clip has any, else by the authors' rule."""
    flights = flight_cuts(frames, figure, soles_of(frames, figure).height)
    return cut_frames(frames, figure, rule=rule) if flights is None else as_segments(flights)
