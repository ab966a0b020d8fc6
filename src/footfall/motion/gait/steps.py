"""Steps as a person counts them: landings in turn, both feet at once being one."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.motion.gait.contact import Contacts

_TOGETHER = 0.12
_LONGEST_PAUSE = 2.5


@dataclass(frozen=True)
class Step:
    """A landing.

    Attributes:
        frame: when it happens.
        time: the same in seconds.
        side: "left", "right", or "both" for a jump that lands on both feet.
    """

    frame: int
    time: float
    side: str


def find_steps(contacts: Contacts) -> list[Step]:
    """Landings in order. Two feet that land within 0.12 s, after a flight of both, are one step: a jump."""
    landed = sorted((int(frame), side) for side in ("left", "right") for frame in contacts.landings(side))
    steps: list[Step] = []
    skip = False
    for k, (frame, side) in enumerate(landed):
        if skip:
            skip = False
            continue
        behind, other = landed[k + 1] if k + 1 < len(landed) else (frame, side)
        flew = not (contacts.left[frame - 1] or contacts.right[frame - 1])
        skip = flew and other != side and bool(contacts.times[behind] - contacts.times[frame] <= _TOGETHER)
        steps.append(Step(frame, float(contacts.times[frame]), "both" if skip else side))
    return steps


def step_rate(steps: list[Step]) -> float | None:
    """Steps a second while stepping: the steps of all bouts over the time that they take; None for fewer than three.

    A bout ends where the next step takes longer than 1.75 times the median, or where the same foot lands again (the
    other was missed, or stood), unless most steps are hops on one foot.
    """
    if len(steps) < 3:
        return None
    gaps = [(b.time - a.time, a.side == b.side != "both") for a, b in pairwise(steps)]
    hops = sum(same for _, same in gaps) > len(gaps) / 2
    fair = [gap for gap, same in gaps if (hops or not same) and gap < _LONGEST_PAUSE]
    if len(fair) < 2:
        return None
    usual = float(np.median(fair))
    kept = [gap for gap in fair if gap <= 1.75 * usual]
    return len(kept) / float(np.sum(kept)) if sum(kept) > 0 else None
