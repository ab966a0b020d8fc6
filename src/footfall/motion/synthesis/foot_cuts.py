"""Poses cut into fragments where the feet's contact changes (Data-Driven Biped Control, section 3; its authors' rules).

A foot is in contact in a frame when its ankle is low and slow. Short double support goes to the swing that follows it
and short flight to the swing before, so that a swing runs from one foot's landing to the other's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footfall.figures import Figure
from footfall.motion.gait.contact import Contacts, CutRule, Segment, segments
from footfall.motion.quaternion import Array
from footfall.motion.synthesis.ball_poses import ankles

AUTHORS = CutRule(0.5 - 1e-5, inside=True, ends=True, stands_first=True, briefest=4)
"""Double support and flight of less than 15 frames at 30 a second are no fragments of their own."""
LEAST = 5
"""Frames that a clip's last fragment needs."""


@dataclass(frozen=True)
class ContactRule:
    """When a foot is on the ground.

    Attributes:
        height, speed: its ankle is lower (metres) and slower (m/s). That is the authors' rule: the foot is flat.
        touch: a fragment begins in the frame in which the landing foot's lowest point comes as near to the ground
            (metres), some frames earlier, as a simulated foot lands by its first touch; None for the authors' rule.
    """

    height: float = 0.1
    speed: float = 0.4
    touch: float | None = None


def foot_contacts(frames: Array, figure: Figure, fps: float, rule: ContactRule) -> Contacts:
    """When the feet stand in poses [T, nq]."""
    feet = ankles(frames, figure)
    speed = np.linalg.norm(np.gradient(feet, 1.0 / fps, axis=0), axis=-1)
    touch = (feet[..., 2] < rule.height) & (speed < rule.speed)
    return Contacts(touch[:, 0], touch[:, 1], np.arange(len(frames)) / fps)


def cut_frames(
    frames: Array,
    figure: Figure,
    fps: float = 30.0,
    rule: ContactRule = ContactRule(),  # noqa: B008
) -> list[Segment]:
    """Fragments of poses [T, nq]; a fragment's end is its last frame and the next one's first."""
    last = len(frames) - 1
    found = segments(foot_contacts(frames, figure, fps, rule), AUTHORS)
    cuts = [Segment(cut.kind, cut.start, min(cut.end, last)) for cut in found if min(cut.end, last) > cut.start]
    while len(cuts) > 1 and cuts[-1].end - cuts[-1].start < LEAST:  # a step that the clip breaks off
        cuts.pop()
    return cuts


def touched(cuts: Sequence[Segment], low: Array, touch: float) -> list[Segment]:
    """Fragments that begin when the foot before them touches, at most a third of its swing earlier.

    They overlap: a swing still goes on to where its foot is flat, so that a foot that lands late has motion to follow.

    Args:
        cuts: the fragments. low: [T, 2] heights of the lowest points of the left and the right foot, metres.
        touch: metres above the ground at which a foot touches.
    """
    result = list(cuts)
    for k in range(1, len(cuts)):
        before = cuts[k - 1]
        if before.kind not in ("left_swing", "right_swing"):
            continue
        near = low[:, 0 if before.kind == "left_swing" else 1] <= touch
        begin, earliest = before.end, before.end - (before.end - before.start) // 3
        while begin > earliest and near[begin - 1]:
            begin -= 1
        result[k] = Segment(cuts[k].kind, begin, cuts[k].end)
    return result
