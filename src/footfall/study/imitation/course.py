"""Whether a simulated figure goes where its clip goes: path, heading, and places of the joints in the world.

The clip's path is that of its pelvis on the ground, with the sway of single steps taken out by a mean over one second.
Two clocks are used. The law ends a step when the foot lands, so that its phase may run ahead of the clip or behind
it: way, distance from the path and heading compare the figure with the frame of the clip that it is at (its phase).
Positions of the joints are compared at equal times, as learned trackers are judged; they contain the drift of time.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion.quaternion import from_axis_angle, multiply, rotate, wrap_angle
from footfall.motion.synthesis.ball_poses import body_frames, facing_of

Array = NDArray[np.float64]
Integers = NDArray[np.signedinteger[Any]]
UP = np.array([0.0, 0.0, 1.0])
SHORTEST = 0.5
"""Metres of path below which a clip stays in place, and shares of its way mean nothing."""
NEAR = 1.0
"""Metres along the path, before and after the present phase, among which the nearest point is looked for."""
SUCCESS = 0.5
"""Metres that joints may be off in the mean at any time for a clip to count as tracked, as PHC and its successors
have it."""


@dataclass(frozen=True)
class Course:
    """How near the figure stays to its clip in the world.

    Attributes:
        way: metres that the figure went over those of the clip, up to the phase that was reached; not a number where
            the clip stays within 0.5 m. duration: seconds that it took, over the clip's.
        off_path: the largest distance from the clip's path, metres for each metre of it (at least 1 m).
        heading_error: degrees between the facing of figure and clip, mean. root_error: metres between the pelvises at
            equal times, mean.
        mpjpe_root, mpjpe_global: mean per-joint position error at equal times, millimetres, with the pelvises laid
            together and as they are.
        success: joints never more than 0.5 m off in the mean, up to the end.
    """

    way: float
    duration: float
    off_path: float
    heading_error: float
    root_error: float
    mpjpe_root: float
    mpjpe_global: float
    success: bool


def clip_course(repertoire: Repertoire, count: int) -> Array:
    """[<= count, nq] frames of the clip at its own places and times; a loop goes on, a clip that ends ends."""
    parts: list[Array] = []
    k, length, heading = repertoire.start, 0, 0.0
    place = repertoire.fragments[k].frames[0, :2].copy()
    while k >= 0 and length < count:
        fragment = repertoire.fragments[k]
        frames = _turned(fragment.frames, heading)
        frames[:, :2] += place - frames[0, :2]
        last = fragment.successor < 0
        parts.append(frames if last else frames[:-1])
        place = frames[-1, :2].copy()
        length += len(frames) - 1
        heading += fragment.turn
        k = fragment.successor
    return np.concatenate(parts)[:count]


def phase_frames(repertoire: Repertoire, state: Integers, index: Integers) -> tuple[Array, Array]:
    """The clip's frames [S, nq] at given phases (fragment and frame in it), at the clip's own places, and their times
    in the clip [S], in frames."""
    frames, clock = np.empty((len(state), repertoire.fragments[0].frames.shape[1])), np.empty(len(state))
    heading, before = 0.0, 0
    place = repertoire.fragments[int(state[0])].frames[0, :2].copy() if len(state) else np.zeros(2)
    cuts = [0, *(np.flatnonzero(np.diff(state)) + 1).tolist(), len(state)]
    for a, b in pairwise(cuts):
        if a == b:
            continue
        fragment = repertoire.fragments[int(state[a])]
        turned = _turned(fragment.frames, heading)
        turned[:, :2] += place - turned[0, :2]
        shown = np.clip(index[a:b], 0, len(turned) - 1)
        frames[a:b], clock[a:b] = turned[shown], before + shown
        place, before = turned[-1, :2].copy(), before + len(turned) - 1
        heading += fragment.turn
    return frames, clock


def course_of(
    figure: Figure, own: Array, phase: Array, clock: Array, clip: Array, *, fps: float, finished: bool
) -> Course:
    """Compare poses [S, nq] of a figure with its clip.

    Args:
        figure: what moves.
        own: its poses. phase: the clip's frame that each shows, at its place. clock: when in the clip that is, in
            frames. clip: the clip at equal times, as long or shorter.
        fps: samples a second.
        finished: whether the figure came to the clip's end.
    """
    went, shown = smooth_path(own, fps), smooth_path(phase, fps)
    way, clip_way = path_length(went), path_length(shown)
    count = min(len(own), len(clip))
    off_time = np.linalg.norm(own[:count, :2] - clip[:count, :2], axis=1)
    a, b = (body_frames(frames[:count], figure)[0] for frames in (own, clip))
    whole = np.linalg.norm(a - b, axis=-1)
    rooted = np.linalg.norm((a - a[:, :1]) - (b - b[:, :1]), axis=-1)[:, 1:]
    turned = np.abs(wrap_angle(facing_of(own) - facing_of(phase)))
    return Course(
        way=way / clip_way if clip_way > SHORTEST else float("nan"),
        duration=(len(own) - 1) / max(float(clock[-1]), 1.0),
        off_path=_off_path(went, shown) / max(clip_way, 1.0),
        heading_error=float(np.degrees(turned.mean())),
        root_error=float(off_time.mean()),
        mpjpe_root=float(1e3 * rooted.mean()),
        mpjpe_global=float(1e3 * whole.mean()),
        success=finished and bool((whole.mean(axis=1) < SUCCESS).all()),
    )


def smooth_path(frames: Array, fps: float) -> Array:
    """[S, 2] the pelvis on the ground, a mean over one second; shorter towards both ends, which stay where they are."""
    half = round(0.5 * fps)
    total = np.concatenate([np.zeros((1, 2)), np.cumsum(frames[:, :2], axis=0)])
    at = np.arange(len(frames))
    reach = np.minimum(half, np.minimum(at, len(frames) - 1 - at))
    return np.asarray((total[at + reach + 1] - total[at - reach]) / (2 * reach + 1)[:, None])


def _turned(frames: Array, angle: float) -> Array:
    turn = np.broadcast_to(from_axis_angle(UP, np.array(angle)), (len(frames), 4))
    result = frames.copy()
    result[:, :3] = rotate(turn, frames[:, :3])
    result[:, 3:7] = multiply(turn, frames[:, 3:7])
    return result


def path_length(path: Array) -> float:
    """Metres along places [S, 2]."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def _off_path(went: Array, shown: Array) -> float:
    """The largest distance of places from the path near their phase, metres."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(shown, axis=0), axis=1))])
    first, last = (np.searchsorted(along, along + sign * NEAR) for sign in (-1, 1))
    return max(
        float(np.linalg.norm(shown[a : max(b, a + 1)] - place, axis=1).min())
        for place, a, b in zip(went, first, last, strict=True)
    )
