"""Whether a character follows its clip, and what speaks against it.

    falls                 it does not stay up
    does something else   the movement is another one: its poses, its pace, its flights or the lift of its feet
    strays                the movement is the clip's, in another place
    follows               neither can be seen

Each limit is what somebody sees who watches both figures in one picture:

    0.25 m     a foot's length, that joints may be from the clip's at equal times on average: the figures overlap
    0.5 m      the breadth of shoulders, that they may be off at any time: beyond, the figures stand apart
    15°        between the joints' rotations: the end of a forearm and hand or a shank, 0.4 m, is then its own width off
    30°        of heading: a figure seen from the side is then seen to face elsewhere
    a fifth    of the clip's distance, more or less: every fifth step is missing; beyond half, it is another gait
    70 %       of the clip's flights, in time and in height, where it flies for 0.2 s (5 cm high) or more
    a tenth    of the time, that it may fly more than a clip that flies; where the clip does not, neither may it
    half       of the height of the clip's soles in swings, where that is 5 cm or more: below, it shuffles
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.motion.ball_poses import FPS
from footfall.motion.gait.contact import spans_of
from footfall.study.imitation.following import SUCCESS, Following

Word = Literal["follows", "falls", "strays", "does something else"]
STATUS: Mapping[Word, int] = {"follows": 0, "falls": 3, "strays": 4, "does something else": 5}
"""Exit statuses of ``footfall imitate``."""
FOOT, OTHER_POSE, OTHER_HEADING = 0.25, 15.0, 30.0
"""Metres and degrees, as above."""
PACE, OTHER_PACE = 0.8, 0.5
"""Least shares of the clip's distance; the largest are one over them."""
JUMPS, FLIES, FLIES_FOR, RUNS = 0.7, 0.02, 0.2, 0.1
"""Share of the clip's flights; share of the time and seconds from which on a clip flies; what it may fly more."""
SHUFFLES, SEEN = 0.5, 0.05
"""Share of the clip's lift of the soles, and metres from which on it is seen."""
BRIEF = 3
"""Frames below which a stretch is not worth naming."""


@dataclass(frozen=True)
class Check:
    """A measure against its limits.

    Attributes:
        measure: a row of the table of measures, or what it is.
        value: of the character.
        least, most: what it may be.
        otherwise: what the character does where it is not.
        text: the value with what it is held against, as a phrase.
    """

    measure: str
    value: float
    least: float
    most: float
    otherwise: Word
    text: str

    @property
    def holds(self) -> bool:
        """Whether it is within its limits."""
        return self.least <= self.value <= self.most

    @property
    def limits(self) -> str:
        """What it may be, as text."""
        return f"{self.least:.3g} or more" if math.isinf(self.most) else f"{self.least:.3g} to {self.most:.3g}"


@dataclass(frozen=True)
class FollowingVerdict:
    """Whether a character follows its clip.

    Attributes:
        word: that says it.
        checks: what was looked at; empty where it falls.
        why: phrases that speak against "follows".
    """

    word: Word
    checks: tuple[Check, ...]
    why: tuple[str, ...]

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.word}{': ' if self.why else ' the clip'}{'; '.join(self.why)}"


def verdict_of(following: Following, failed: str = "") -> FollowingVerdict:
    """What a run is called.

    Args:
        following: the undisturbed run.
        failed: why it is no character to use, where it falls.
    """
    checks = tuple(_checks(following))
    if failed or following.fell:
        return FollowingVerdict("falls", checks, (failed or "it falls",))
    broken = [check for check in checks if not check.holds]
    words: tuple[Word, ...] = ("does something else", "strays")
    for word in words:
        if why := tuple(check.text for check in broken if check.otherwise == word):
            return FollowingVerdict(word, checks, why)
    return FollowingVerdict("follows", checks, ())


def _checks(f: Following) -> Iterator[Check]:
    """All that can be looked at of a run."""
    turned = f"joints are turned by {f.joint_error:.0f} degrees from the clip's"
    yield Check("pose", f.joint_error, 0.0, OTHER_POSE, "does something else", turned)
    ratio = f.course.distance_ratio if f.course is not None else f.speed
    if math.isfinite(ratio):
        covered = f"it covers {ratio:.2f} of the clip's distance"
        yield Check("distance_ratio", ratio, OTHER_PACE, 1.0 / OTHER_PACE, "does something else", covered)
        yield Check("distance_ratio", ratio, PACE, 1.0 / PACE, "strays", covered)
    if f.course is None or f.physique is None or f.moments is None:
        return
    body, course, clip_time = f.physique, f.course, f.physique.clip_flight * f.seconds
    flies = body.clip_flight >= FLIES and clip_time >= FLIES_FOR
    least = JUMPS * body.clip_flight if flies else 0.0
    most = body.clip_flight + RUNS if flies else max(FLIES, FLIES_FOR / f.seconds)
    flown = f"it flies for {body.flight:.0%} of the time, the clip for {body.clip_flight:.0%}"
    yield Check("flight", body.flight, least, most, "does something else", flown)
    if body.clip_swing_height >= SEEN:
        lift, share = np.nan_to_num(body.swing_height), JUMPS if flies else SHUFFLES
        lifted = f"its soles rise by {100.0 * lift:.0f} cm, the clip's by {100.0 * body.clip_swing_height:.0f}"
        least = share * body.clip_swing_height
        yield Check("swing_height", float(lift), least, math.inf, "does something else", lifted)
    off, farthest = course.mpjpe_global / 1000.0, float(f.moments.apart.max())
    yield Check("mpjpe_global", off, 0.0, FOOT, "strays", f"it is {off:.2f} m from the clip on average")
    yield Check("farthest", farthest, 0.0, SUCCESS, "strays", f"it is up to {farthest:.2f} m from the clip")
    faces = f"it faces {course.heading_error:.0f} degrees away from the clip"
    yield Check("heading_error", course.heading_error, 0.0, OTHER_HEADING, "strays", faces)


def astray(following: Following) -> list[tuple[float, float, str]]:
    """From when to when, in seconds, it is not with its clip, and how."""
    moments = following.moments
    if moments is None:
        return []
    kinds: list[tuple[NDArray[np.bool_], NDArray[np.float64], str]] = [
        (moments.apart > FOOT, moments.apart, "up to {:.2f} m from the clip"),
        (moments.turned > OTHER_POSE, moments.turned, "joints up to {:.0f} degrees from the clip's"),
    ]
    found = [
        (a / FPS, b / FPS, words.format(float(values[a:b].max())))
        for flags, values, words in kinds
        for a, b in spans_of(flags)
        if b - a >= BRIEF
    ]
    grounded = [(a / FPS, b / FPS) for a, b in spans_of(moments.clip_flies) if not moments.flies[a:b].any()]
    return sorted([*found, *((a, b, "the clip flies, and it stays on the ground") for a, b in grounded)])
