"""Poses cut into fragments where the feet's contact changes (Data-Driven Biped Control, section 3; its authors' rules),
and the two steps of a walk that repeat best, joined end to start.

A foot is in contact in a frame when its ankle is low and slow. Short double support goes to the swing that follows it
and short flight to the swing before, so that a swing runs from one foot's landing to the other's.

A runner's ankle is never slow. In runs, hops and jumps the motion's physics counts: the body flies where its centre of
mass falls as a thrown stone does and both soles are off the ground. In between a foot stands while its sole is near the
ground. A flight from one foot to the other ends the swing before it, which then goes on to the landing and knows when
it takes off. One from both feet, onto both, or from a foot onto the same is a fragment of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.motion.ball_poses import FPS, ankles, facing_of, joint_positions, mass_centre, turned_frames
from footfall.motion.gait.contact import (
    CONTACT_KINDS,
    Contacts,
    CutRule,
    Segment,
    SegmentKind,
    runs_of,
    segments,
    spans_of,
)
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply
from footfall.motion.smoothing import transition

AUTHORS = CutRule(0.5 - 1e-5, inside=True, ends=True, stands_first=True, briefest=4)
"""Double support and flight of less than 15 frames at 30 a second are no fragments of their own."""
HEIGHT, SPEED = 0.1, 0.4
"""Metres and metres a second below which an ankle is low and slow: the foot is flat."""
LEAST_FRAMES = 5
"""Frames that a clip's last fragment needs."""


def foot_contacts(frames: Array, figure: Figure, fps: float = FPS) -> Contacts:
    """When the feet stand in poses [T, nq], by the authors' rule.

    It is :func:`~footfall.motion.gait.contact.annotate_contacts` over level ground at z = 0, frame by frame. Files of
    motion graphs name steps by their numbers, which follow from it: it stays as it is.
    """
    feet = ankles(frames, figure)
    speed = np.linalg.norm(np.gradient(feet, 1.0 / fps, axis=0), axis=-1)
    touch = (feet[..., 2] < HEIGHT) & (speed < SPEED)
    return Contacts(touch[:, 0], touch[:, 1], np.arange(len(frames)) / fps)


def cut_frames(frames: Array, figure: Figure) -> list[Segment]:
    """Fragments of poses [T, nq]; a fragment's end is its last frame and the next one's first."""
    return _within(segments(foot_contacts(frames, figure), AUTHORS), len(frames) - 1)


def _within(found: list[Segment], last: int) -> list[Segment]:
    """Fragments up to the last frame, without a step that the clip breaks off."""
    cuts = [replace(cut, end=min(cut.end, last)) for cut in found if min(cut.end, last) > cut.start]
    while len(cuts) > 1 and cuts[-1].end - cuts[-1].start < LEAST_FRAMES:
        cuts.pop()
    return cuts


FALLING = 0.6
"""Share of gravity that the centre of mass falls with while the body flies; captured motion is noisy and differences
over frames are dull."""
OFF = 0.01
"""Metres that both soles are off the ground at least."""
NEAR = 0.03
"""Metres above the ground below which the sole of a foot that carries the body is taken to stand."""
SHORTEST = 3
"""Frames of a flight: a walker's double support may look like one for a frame or two."""
LEAST_FLIGHT, CERTAIN = 0.02, 5
"""Share of a clip that flies for it to be cut so, or frames of one flight: a long walk may stumble once."""
BRIEF = 3
"""Frames below which a stretch of another kind is a tremble."""
DOUBLE = 6
"""Frames of double support between two swings that belong to the second."""


def flying(frames: Array, figure: Figure, soles: Array) -> NDArray[np.bool_]:
    """[T] where the body flies, in poses [T, nq] at 30 a second with the soles at heights [T, 2]."""
    fall = _fall(frames, figure)
    return _lasting((fall > FALLING * GRAVITY) & (soles.min(axis=1) > OFF), SHORTEST)


def flight_cuts(frames: Array, figure: Figure, soles: Array) -> list[Segment] | None:
    """Fragments of poses [T, nq] at 30 a second, with the soles at heights [T, 2]; None for a clip without flights."""
    flies = flying(frames, figure, soles)
    if flies.mean() < LEAST_FLIGHT and not _lasting(flies, CERTAIN).any():
        return None
    low = soles < NEAR
    low[np.arange(len(soles)), soles.argmin(axis=1)] = True
    low[flies] = False
    kinds = _steady(_steady([CONTACT_KINDS[bool(a), bool(b)] for a, b in low]))
    return _within(_swings(kinds), len(frames) - 1)


def _fall(frames: Array, figure: Figure) -> Array:
    """[T] how the centre of mass accelerates downwards, m/s²."""
    height = mass_centre(frames, figure)[:, 2]
    wide = np.concatenate([2 * height[:1] - height[1:2], height, 2 * height[-1:] - height[-2:-1]])
    fall = -FPS * FPS * (wide[2:] - 2 * wide[1:-1] + wide[:-2])
    fall[0], fall[-1] = fall[1], fall[-2]
    return np.asarray(fall)


def _lasting(flags: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Flags without stretches that are shorter; gaps of one frame are closed first."""
    closed = flags.copy()
    closed[1:-1] |= flags[:-2] & flags[2:]
    for a, b in spans_of(closed):
        if b - a < least and a > 0 and b < len(closed):
            closed[a:b] = False
    return closed


def _steady(kinds: list[SegmentKind]) -> list[SegmentKind]:
    """Kinds without trembles: a brief stretch that is no flight belongs to what comes after it, or was before."""
    result = list(kinds)
    for k, (kind, a, b) in enumerate(found := [(kinds[a], a, b) for a, b in runs_of(kinds)]):
        if kind == "flight" or b - a >= BRIEF:
            continue
        others = [found[j][0] for j in (k + 1, k - 1) if 0 <= j < len(found) and found[j][0] != "flight"]
        if others:
            result[a:b] = [others[0]] * (b - a)
    return result


def _swings(kinds: list[SegmentKind]) -> list[Segment]:
    """Fragments of kinds: short double support goes to the swing after it, a flight from foot to foot to the swing
    before it."""
    found = [(kinds[a], a, b) for a, b in runs_of(kinds)]
    merged: list[tuple[SegmentKind, int, int]] = []
    for k, (kind, a, b) in enumerate(found):
        after = found[k + 1][0] if k + 1 < len(found) else None
        swings = after in ("left_swing", "right_swing") and k > 0 and found[k - 1][0] != after
        if kind == "stand" and b - a < DOUBLE and swings and found[k - 1][0] != "flight":
            assert after is not None
            kind = after
        if merged and merged[-1][0] == kind:
            merged[-1] = (kind, merged[-1][1], b)
        else:
            merged.append((kind, a, b))
    cuts: list[Segment] = []
    for k, (kind, a, b) in enumerate(merged):
        after = merged[k + 1][0] if k + 1 < len(merged) else None
        before = cuts[-1] if cuts else None
        if kind == "flight" and before is not None and {before.kind, after} == {"left_swing", "right_swing"}:
            cuts[-1] = Segment(before.kind, before.start, b, a - before.start)
        else:
            cuts.append(Segment(kind, a, b))
    return cuts


@dataclass(frozen=True)
class ClipLoop:
    """The first and last frame, which show nearly the same pose."""

    first: int
    last: int


def best_loop(frames: Array, figure: Figure, cuts: Sequence[Segment], near: int = 10) -> ClipLoop | None:
    """The loop of two steps that ends most nearly as it began; None without two swings in a row.

    It begins at a landing and ends within ``near`` frames of the same foot's next landing, where the pose is most like
    the first one. Poses are compared by where joints are, seen from the pelvis and its heading; steps that are slower
    than the rest of the clip (its start and stop) count as farther apart.
    """
    best, least = None, np.inf
    places = joint_positions(frames, figure)
    speed = np.linalg.norm(np.gradient(frames[:, :2], axis=0), axis=-1)
    for one, two in pairwise(cuts):
        if {one.kind, two.kind} != {"left_swing", "right_swing"}:
            continue
        a, b = one.start, two.end
        ends = np.arange(max(a + 5, b - near), min(len(frames), b + near + 1))
        far = np.linalg.norm(places[ends] - places[a], axis=-1).sum(axis=-1)
        end = int(ends[np.argmin(far)])
        pace = float(speed[a : end + 1].mean() / max(speed.max(), 1e-9))
        total = float(far.min()) + 4.0 * max(0.0, 0.7 - pace)
        if total < least:
            best, least = ClipLoop(a, end), total
    return best


def repeated(
    frames: Array, loop: ClipLoop, times: int, over: int = 10, *, turning: bool = False
) -> tuple[Array, float]:
    """Frames up to the loop, then the loop a number of times; and its turn.

    The last ``over`` frames of a loop lead back to the pose of its first. A loop that goes round a bend keeps its
    turn; another one comes back to its heading.
    """
    turn = float(np.diff(facing_of(frames)[[loop.first, loop.last]])[0]) if turning else 0.0
    one = frames[loop.first : loop.last + 1].copy()
    goal = turned_frames(one[:1], turn)[0]
    end = one[-1].copy()
    over = min(over, len(one) - 1)
    for k in range(1, over + 1):
        at = len(one) - 1 - over + k
        weight = float(transition(np.array(k / over)))
        one[at, 2] += weight * (goal[2] - end[2])
        now, to, was = (x[3:].reshape(-1, 4) for x in (one[at], goal, end))
        one[at, 3:] = multiply(now, exp(weight * log(multiply(conjugate(was), to)))).ravel()
    result = frames[: loop.first + 1]
    for k in range(times):
        part = turned_frames(one, k * turn)
        part[:, :2] += result[-1, :2] - part[0, :2]
        result = np.concatenate([result, part[1:]])
    return result, turn
