"""Fragments: half cycles and times of standing, cut from clips."""

from dataclasses import dataclass, replace

import numpy as np

from footfall.motion.editing.cutting import mirrored, trimmed
from footfall.motion.gait.contact import Segment, SegmentKind, annotate_contacts, segments
from footfall.motion.gait.heading import facing, facing_angle, ground_path, speeds
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.roles import find_roles

_STILL = 0.12
_SHORTEST_STILL = 0.4
SUPPORT = {"left_swing": ("right",), "right_swing": ("left",), "stand": ("left", "right"), "flight": ()}
"""The feet that stand throughout a fragment of each kind."""


@dataclass(frozen=True, eq=False)
class Fragment:
    """A piece of a clip that starts and ends at a landing, or a time of standing.

    Attributes:
        clip: name of the clip, which also names its style.
        kind: "left_swing", "right_swing", "stand" or "flight".
        motion: the piece, its last frame being the first of what followed.
        turn: radians that the heading changes, positive to the left.
        ahead, aside: metres travelled in the direction first faced, and to its left.
        stance: [2, 2] from the right ankle to the left one, ahead and aside, at the start and at the end.
        still: a stand without any way, which can go on for as long as is wanted.
    """

    clip: str
    kind: str
    motion: Motion
    turn: float
    ahead: float
    aside: float
    stance: Array
    still: bool = False

    @property
    def style(self) -> str:
        """What it looks like: its clip's name."""
        return self.clip

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.motion.seconds

    @property
    def speed(self) -> float:
        """Metres a second in the direction first faced."""
        return self.ahead / max(self.seconds, 1e-6)


def cut_fragments(name: str, motion: Motion, *, mirror: bool = False) -> list[list[Fragment]]:
    """The fragments of a clip in order and, if asked for, the same with left and right exchanged: a turn that was
    captured to one side is then known to the other. The part of a stand in which the pelvis rests is a fragment of its
    own."""
    pace = speeds(motion)
    pieces: list[tuple[Segment, bool]] = []
    for segment in segments(annotate_contacts(motion)):
        pieces += _still_parts(segment, pace, motion)
    pieces = [(piece, still) for piece, still in pieces if min(piece.end, len(motion) - 1) - piece.start >= 3]
    if not mirror:
        return [_built(name, motion, pieces)]
    other: dict[str, SegmentKind] = {"left_swing": "right_swing", "right_swing": "left_swing"}
    flipped = [(Segment(other.get(piece.kind, piece.kind), piece.start, piece.end), still) for piece, still in pieces]
    return [_built(name, motion, pieces), _built(name, mirrored(motion), flipped)]


def _built(name: str, motion: Motion, pieces: list[tuple[Segment, bool]]) -> list[Fragment]:
    angle, path, stance = facing_angle(motion), ground_path(motion), _stance(motion)
    found = []
    for piece, still in pieces:
        last = min(piece.end, len(motion) - 1)
        way, forward = path[last] - path[piece.start], angle[piece.start]
        cut = trimmed(motion, *(float(motion.times[f] - motion.times[0]) for f in (piece.start, last)))
        ahead = float(way @ [np.cos(forward), np.sin(forward)])
        aside = float(way @ [-np.sin(forward), np.cos(forward)])
        turn = float(angle[last] - forward)
        found.append(Fragment(name, piece.kind, cut, turn, ahead, aside, stance[[piece.start, last]], still))
    return found


def _stance(motion: Motion) -> Array:
    """[T, 2] from the right ankle to the left one, ahead and aside of the direction faced; zeros without ankles."""
    roles = find_roles(motion.skeleton)
    if "left_ankle" not in roles or "right_ankle" not in roles:
        return np.zeros((len(motion), 2))
    places = motion.positions()
    away = (places[:, roles["left_ankle"]] - places[:, roles["right_ankle"]])[:, :2]
    ahead = facing(motion)
    across = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    return np.stack([(away * ahead).sum(axis=-1), (away * across).sum(axis=-1)], axis=-1)


def _still_parts(segment: Segment, pace: Array, motion: Motion) -> list[tuple[Segment, bool]]:
    """A stand cut where the pelvis comes to rest and where it starts again; other segments whole."""
    if segment.kind != "stand":
        return [(segment, False)]
    resting = np.flatnonzero(pace[segment.start : segment.end] < _STILL)
    if not len(resting):
        return [(segment, False)]
    first, last = segment.start + int(resting[0]), segment.start + int(resting[-1]) + 1
    if (last - first) * motion.frame_time < _SHORTEST_STILL or (pace[first:last] < _STILL).mean() < 0.9:
        return [(segment, False)]
    cuts = [(segment.start, first, False), (first, last, True), (last, segment.end, False)]
    return [(Segment("stand", a, b), still) for a, b, still in cuts if b - a > 3 or still]


def reversed_in_time(fragment: Fragment) -> Fragment:
    """A still stand played backwards: after it the stand itself can follow without a seam."""
    motion = fragment.motion
    back = replace(
        motion, root_position=motion.root_position[::-1], rotations=motion.rotations[::-1], channels={}, ground=None
    )
    stance = fragment.stance[::-1]
    return replace(
        fragment, motion=back, turn=-fragment.turn, ahead=-fragment.ahead, aside=-fragment.aside, stance=stance
    )
