"""Classifies a walk as limit cycle, chaos or fall by its values, one for each step (Laszlo 1996, section 4.1).

A walk is on a limit cycle if its values come back after one step or a few, to within a tolerance, over its last steps.
A step on one leg mirrors the one on the other, so that a symmetric cycle may return after one stride (two steps) only.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError

LONGEST_PERIOD = 8


@dataclass(frozen=True)
class Cycle:
    """What a walk came to.

    Attributes:
        kind: "cycle", "chaos" or "fall".
        period: steps after which the values return; 0 if they do not.
        deviation: root mean square of what is left between values a period apart, over the last steps (without a
            period, between strides).
        settled: the step from which on the values return, of a cycle; the steps taken, of a fall.
    """

    kind: Literal["cycle", "chaos", "fall"]
    period: int
    deviation: float
    settled: int


def detect_cycle(values: NDArray[np.float64], *, fell: bool = False, tolerance: float = 0.005, last: int = 20) -> Cycle:
    """Judge a walk by its values [S, N] at the ends of its steps (NaN after a fall).

    Args:
        values: regulation variables, or any quantity with one row a step.
        fell: whether the walk ended in a fall.
        tolerance: the largest root-mean-square difference between values a period apart that counts as a return.
        last: how many of the last steps are looked at.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2:
        raise FootfallError(f"values have shape {values.shape}; give one row of regulation variables for each step")
    taken = values[np.isfinite(values).all(axis=1)]
    if fell or len(taken) < len(values):
        return Cycle("fall", 0, float("nan"), len(taken))
    if len(taken) < 4:
        raise FootfallError(f"{len(taken)} steps are too few to tell a cycle from chaos; take at least 4")
    last = min(last, len(taken) // 2)
    deviations = {}
    for period in range(1, min(LONGEST_PERIOD, len(taken) // 2) + 1):
        gaps = taken[period:] - taken[:-period]
        deviations[period] = float(np.sqrt(np.mean(gaps[-last:] ** 2)))
        if deviations[period] <= tolerance:
            off = np.flatnonzero(np.sqrt(np.mean(gaps**2, axis=1)) > 2.0 * tolerance)
            return Cycle("cycle", period, deviations[period], int(off[-1]) + 1 if len(off) else 0)
    return Cycle("chaos", 0, deviations.get(2, float("inf")), len(taken))
