"""Gait cycles: from a foot's strike to its next, with the events of the other foot in between."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.study.gait_lab.events import GaitEvents

Array = NDArray[np.float64]

POINTS = 101
"""Samples over a cycle, 0 to 100 %."""
LONGEST = 3.0
"""Seconds: a longer time between two strikes is a pause."""
ENOUGH = 4
"""Cycles of a side from which on the first and the last are left out."""


@dataclass(frozen=True)
class Cycle:
    """A cycle of one foot, times in seconds.

    Attributes:
        side: of the foot.
        start, end: its strikes. off: where it leaves the ground.
        other_off, other_strike: of the other foot, in between; not a number where it does neither.
    """

    side: str
    start: float
    end: float
    off: float
    other_off: float
    other_strike: float

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start

    def percent(self, time: float) -> float:
        """A time as per cent of the cycle."""
        return 100.0 * (time - self.start) / self.duration

    @property
    def runs(self) -> bool:
        """Whether both feet are off the ground at once: the foot leaves before the other strikes."""
        return bool(self.off < self.other_strike)


def find_cycles(events: GaitEvents) -> list[Cycle]:
    """All whole cycles of both feet, in order of time: with the foot's own off, and the other's events if there."""
    found = []
    for side, strikes in events.strikes.items():
        other = "right" if side == "left" else "left"
        for a, b in pairwise(strikes):
            off = _within(events.offs.get(side), a, b)
            if b - a > LONGEST or not np.isfinite(off):
                continue
            others = [_within(times.get(other), a, b) for times in (events.offs, events.strikes)]
            found.append(Cycle(side, float(a), float(b), off, others[0], others[1]))
    return sorted(found, key=lambda cycle: cycle.start)


def _within(times: Array | None, a: float, b: float) -> float:
    inside = [] if times is None else [float(t) for t in times if a < t < b]
    return inside[0] if inside else float("nan")


def settled(cycles: Sequence[Cycle]) -> tuple[list[Cycle], bool]:
    """The cycles that count, and whether the first and last of each side were left out: they are where a side has four
    or more."""
    kept, cut = [], False
    for side in ("left", "right"):
        own = [cycle for cycle in cycles if cycle.side == side]
        if len(own) >= ENOUGH:
            own, cut = own[1:-1], True
        kept += own
    return sorted(kept, key=lambda cycle: cycle.start), cut


def over_cycle(signal: Array, times: Array, cycle: Cycle) -> Array:
    """[101, …] a signal [T, …] over a cycle; not a number where the signal is."""
    at = np.linspace(cycle.start, cycle.end, POINTS)
    flat = signal.reshape(len(signal), -1)
    rows = np.stack([np.interp(at, times, column) for column in flat.T], axis=-1)
    return np.asarray(rows.reshape(POINTS, *signal.shape[1:]))
