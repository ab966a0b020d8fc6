"""Poses of runs, hops and jumps cut into fragments, with flights where the body flies.

The rule for walks (:mod:`.foot_cuts`) sees a foot by its slow ankle, which a runner's never is. Here the motion's
physics counts: the body flies where its centre of mass falls as a thrown stone does and both soles are off the ground.
In between a foot stands while its sole is near the ground.

A flight from one foot to the other ends the swing before it, which then goes on to the landing and knows when it takes
off. One from both feet, onto both, or from a foot onto the same is a fragment of its own.
"""

from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion.gait.contact import CONTACT_KINDS, Segment, SegmentKind
from footfall.motion.quaternion import Array, rotate
from footfall.motion.synthesis.ball_poses import body_frames

FPS = 30.0
GRAVITY = 9.81
FALLING = 0.6
"""Share of gravity that the centre of mass falls with while the body flies; captured motion is noisy and differences
over frames are dull."""
OFF = 0.01
"""Metres that both soles are off the ground at least."""
NEAR = 0.03
"""Metres above the ground below which the sole of a foot that carries the body is taken to stand."""
SHORTEST = 3
"""Frames of a flight: a walker's double support may look like one for a frame or two."""
LEAST, CERTAIN = 0.02, 5
"""Share of a clip that flies for it to be cut so, or frames of one flight: a long walk may stumble once."""
SHORTEST_END = 5
"""Frames that a clip's last fragment needs."""
BRIEF = 3
"""Frames below which a stretch of another kind is a tremble."""
DOUBLE = 6
"""Frames of double support between two swings that belong to the second."""


@dataclass(frozen=True)
class FlightCut:
    """A fragment: its kind, its first frame and its last (the next one's first), and the frame in it after which the
    stance foot of a swing is off the ground; -1 for never."""

    kind: SegmentKind
    start: int
    end: int
    take_off: int = -1


def flying(frames: Array, figure: Figure, soles: Array) -> NDArray[np.bool_]:
    """[T] where the body flies, in poses [T, nq] at 30 a second with the soles at heights [T, 2]."""
    fall = _fall(frames, figure)
    return _lasting((fall > FALLING * GRAVITY) & (soles.min(axis=1) > OFF), SHORTEST)


def flight_cuts(frames: Array, figure: Figure, soles: Array) -> list[FlightCut] | None:
    """Fragments of poses [T, nq] at 30 a second, with the soles at heights [T, 2]; None for a clip without flights."""
    flies = flying(frames, figure, soles)
    if flies.mean() < LEAST and not _lasting(flies, CERTAIN).any():
        return None
    low = soles < NEAR
    low[np.arange(len(soles)), soles.argmin(axis=1)] = True
    low[flies] = False
    kinds = _steady(_steady([CONTACT_KINDS[bool(a), bool(b)] for a, b in low]))
    last = len(frames) - 1
    cuts = [replace(cut, end=min(cut.end, last)) for cut in _swings(kinds) if min(cut.end, last) > cut.start]
    while len(cuts) > 1 and cuts[-1].end - cuts[-1].start < SHORTEST_END:  # a step that the clip breaks off
        cuts.pop()
    return cuts


def _fall(frames: Array, figure: Figure) -> Array:
    """[T] how the centre of mass accelerates downwards, m/s²."""
    places, turns = body_frames(frames, figure)
    mass = np.array([body.mass for body in figure.bodies])
    coms = np.stack([places[:, b.index] + rotate(turns[:, b.index], b.com) for b in figure.bodies], axis=1)
    height = (mass[None, :, None] * coms).sum(axis=1)[:, 2] / mass.sum()
    wide = np.concatenate([2 * height[:1] - height[1:2], height, 2 * height[-1:] - height[-2:-1]])
    fall = -FPS * FPS * (wide[2:] - 2 * wide[1:-1] + wide[:-2])
    fall[0], fall[-1] = fall[1], fall[-2]
    return np.asarray(fall)


def _lasting(flags: NDArray[np.bool_], least: int) -> NDArray[np.bool_]:
    """Flags without stretches that are shorter; gaps of one frame are closed first."""
    closed = flags.copy()
    closed[1:-1] |= flags[:-2] & flags[2:]
    at = 0
    for flag, group in groupby(closed.tolist()):
        count = len(list(group))
        if flag and count < least and at > 0 and at + count < len(closed):
            closed[at : at + count] = False
        at += count
    return closed


def _stretches(kinds: list[SegmentKind]) -> list[tuple[SegmentKind, int, int]]:
    found, at = [], 0
    for kind, group in groupby(kinds):
        count = len(list(group))
        found.append((kind, at, at + count))
        at += count
    return found


def _steady(kinds: list[SegmentKind]) -> list[SegmentKind]:
    """Kinds without trembles: a brief stretch that is no flight belongs to what comes after it, or was before."""
    result = list(kinds)
    for k, (kind, a, b) in enumerate(found := _stretches(kinds)):
        if kind == "flight" or b - a >= BRIEF:
            continue
        others = [found[j][0] for j in (k + 1, k - 1) if 0 <= j < len(found) and found[j][0] != "flight"]
        if others:
            result[a:b] = [others[0]] * (b - a)
    return result


def _swings(kinds: list[SegmentKind]) -> list[FlightCut]:
    """Fragments of kinds: short double support goes to the swing after it, a flight from foot to foot to the swing
    before it."""
    found = _stretches(kinds)
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
    cuts: list[FlightCut] = []
    for k, (kind, a, b) in enumerate(merged):
        after = merged[k + 1][0] if k + 1 < len(merged) else None
        before = cuts[-1] if cuts else None
        if kind == "flight" and before is not None and {before.kind, after} == {"left_swing", "right_swing"}:
            cuts[-1] = FlightCut(before.kind, before.start, b, a - before.start)
        else:
            cuts.append(FlightCut(kind, a, b))
    return cuts


def as_segments(cuts: list[FlightCut]) -> list[Segment]:
    """The same without the take-offs."""
    return [Segment(cut.kind, cut.start, cut.end) for cut in cuts]
