"""A push rose that grows: the strict limit in many directions at once, with few pushes, and a sketch on the way.

Pushes rise in all directions together, several sizes at a stride. A direction in which one fails drops out, and the
sizes of its last stride are tried one by one. So sizes far below a limit are tried in strides, those near it all.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

STRIDE = 4


class GrowingRose:
    """How far each direction has come.

    Attributes:
        passed: [D] how many sizes pass, counted from the smallest.
        failed: [D] the smallest size known to fail, by number; the number of sizes where none has.
    """

    def __init__(self, directions: int, sizes: int) -> None:
        self.passed: Whole = np.zeros(directions, dtype=np.int64)
        self.failed: Whole = np.full(directions, sizes, dtype=np.int64)
        self._sizes = sizes

    @property
    def open(self) -> Flags:
        """[D] whether every size passed, so that the limit lies beyond the largest."""
        return np.asarray(self.passed == self._sizes)

    def see(self, direction: Whole, size: Whole, stood: Flags) -> None:
        """Take in trials [N] of sizes by number."""
        for way in np.unique(direction):
            mine = direction == way
            fell = size[mine & ~stood]
            self.failed[way] = min(self.failed[way], fell.min(initial=self.failed[way]))
            good = size[mine & stood]
            self.passed[way] = max(self.passed[way], 1 + good[good < self.failed[way]].max(initial=-1))


def grow_rose(
    trial: Callable[[Whole, Whole], Flags],
    directions: int,
    sizes: int,
    report: Callable[[float, GrowingRose], None] = lambda part, rose: None,
    stride: int = STRIDE,
) -> GrowingRose:
    """Find the limits.

    Args:
        trial: tells of directions [N] and sizes [N], both by number, which pass.
        directions: how many.
        sizes: how many, from the smallest to the largest.
        report: called with the fraction done, at most, and what is known so far.
        stride: how many sizes are passed over at first.
    """
    rose = GrowingRose(directions, sizes)
    levels = [*range(stride - 1, sizes - 1, stride), sizes - 1]
    for k, level in enumerate(levels):
        up = np.flatnonzero(rose.failed == sizes)
        if not len(up):
            break
        rose.see(up, np.full(len(up), level), trial(up, np.full(len(up), level)))
        report((k + 1) / (len(levels) + stride - 1), rose)
    between = [(way, size) for way in range(directions) for size in range(rose.passed[way], rose.failed[way])]
    if between and stride > 1:
        way, size = (np.array(a, dtype=np.int64) for a in zip(*between, strict=True))
        rose.see(way, size, trial(way, size))
    report(1.0, rose)
    return rose
