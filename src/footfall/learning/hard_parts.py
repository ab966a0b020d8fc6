"""Where episodes of clips begin while a policy is trained: more often before the parts at which it falls.

Clips are cut into parts of about a second. A part's weight is the share of passes through it that ended in a fall,
smoothed over time; an episode begins in a part by that weight of it and of the part after it, or anywhere.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.learning.arrays import Arrays, NumpyArrays
from footfall.learning.worlds import EnvironmentWorlds

PART = 50
"""Frames of a part."""
ANYWHERE = 0.3
"""Share of episodes that begin anywhere."""
KEPT = 0.97
"""Of what was counted before, after each renewal."""


class HardParts:
    """Counts where a policy passes and falls, and chooses beginnings.

    Args:
        worlds: of an environment with clips.
        arrays: of the policy.
        seed: of what is drawn.

    Attributes:
        parts: [frames] each frame's part.
        passed, fallen: [parts] how often, of late.
    """

    def __init__(self, worlds: EnvironmentWorlds, arrays: Arrays | None = None, seed: int = 0) -> None:
        self.worlds, self.arrays = worlds, arrays or NumpyArrays()
        self.everywhere = worlds.task.begins.numpy().copy()
        last = worlds.task.last.numpy()
        self.parts = _parts(last)
        count = int(self.parts.max()) + 1
        ends = np.flatnonzero(np.diff(last, append=-1))
        self.closing = np.zeros(count, dtype=bool)
        self.closing[self.parts[ends]] = True
        self.random = np.random.default_rng(seed)
        self._of_frame = self.arrays.of(self.parts)
        self._frame, self._ended = (self.arrays.shared(worlds.live[name]) for name in ("frame", "ended"))
        self.passed, self.fallen = (self.arrays.double(self.arrays.zeros(count) + first) for first in (1.0, 0.0))

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it, [N] each."""
        part = self._of_frame[self.arrays.xp.where(ended, self._ended, self._frame)]
        self.passed += self.arrays.tally(part, len(self.passed)) / PART
        self.fallen += self.arrays.tally(part, len(self.passed), fell)

    def renew(self) -> None:
        """Choose the beginnings of the next episodes."""
        passed, fallen = (self.arrays.numpy(counts) for counts in (self.passed, self.fallen))
        rate = fallen / (passed + fallen + 1.0)
        self.passed *= KEPT
        self.fallen *= KEPT
        after = np.where(self.closing, 0.0, np.append(rate[1:], 0.0))
        weight = (rate + after)[self.parts[self.everywhere]] + 1e-3
        even = np.full(len(weight), 1.0 / len(weight))
        share = ANYWHERE * even + (1.0 - ANYWHERE) * weight / weight.sum()
        self.worlds.begin_at(np.repeat(self.everywhere, _times(share, self.random.random())).astype(np.int32))


def _times(share: NDArray[np.float64], offset: float) -> NDArray[np.int64]:
    """How often each of N frames is among N that are drawn by their shares, at equal distances from ``offset`` on: as
    many frames as a day of clips has are drawn in no time."""
    reached = np.cumsum(share)
    reached *= len(share) / reached[-1]
    reached[-1] = len(share)
    return np.diff(np.ceil(reached - offset), prepend=0.0).astype(np.int64)


def _parts(last: Any) -> Any:
    """[frames] the number of each frame's part; no part is in two clips."""
    frames = np.arange(len(last))
    first = np.concatenate([[0], np.flatnonzero(np.diff(last)) + 1])
    begun = first[np.searchsorted(first, frames, side="right") - 1]
    key = last.astype(np.int64) * (len(last) + 1) + (frames - begun) // PART
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
