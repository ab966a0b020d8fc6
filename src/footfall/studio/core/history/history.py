"""What was simulated, sample by sample, to look back at, to plot and to export."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.history.samples import RATE, Samples

Array = NDArray[np.float64]

SECONDS = 300.0
"""How far back a studio remembers."""
SNAPSHOT_SECONDS = 0.1
"""Seconds between states that a walk can be continued from."""


class History:
    """A growing record that forgets what is older than ``SECONDS``."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self._count = 0
        self._snapshots: list[tuple[float, dict[str, NDArray[Any]]]] = []

    def __len__(self) -> int:
        return self._count

    @property
    def begin(self) -> float:
        """Time of the oldest sample."""
        return float(self._arrays["times"][0]) if self._count else 0.0

    @property
    def end(self) -> float:
        """Time of the newest sample."""
        return float(self._arrays["times"][self._count - 1]) if self._count else 0.0

    def clear(self) -> None:
        """Forget everything."""
        self._arrays, self._count, self._snapshots = {}, 0, []

    def append(self, samples: Samples) -> None:
        """Add samples that follow the newest one."""
        if len(samples) == 0:
            return
        capacity = int(1.25 * SECONDS * RATE)
        if not self._arrays:
            self._arrays = {k: np.zeros((capacity, *v.shape[1:]), v.dtype) for k, v in vars(samples).items()}
        if self._count + len(samples) > capacity:
            keep = int(SECONDS * RATE)
            for array in self._arrays.values():
                array[:keep] = array[self._count - keep : self._count].copy()
            self._count = keep
            self._snapshots = [s for s in self._snapshots if s[0] >= self.begin]
        for name, values in vars(samples).items():
            self._arrays[name][self._count : self._count + len(samples)] = values
        self._count += len(samples)

    def remember(self, time: float, snapshot: dict[str, NDArray[Any]]) -> None:
        """Keep a state to go on from, if the last one kept is old enough."""
        if not self._snapshots or time - self._snapshots[-1][0] >= SNAPSHOT_SECONDS - 1e-9:
            self._snapshots.append((time, snapshot))

    def index(self, time: float) -> int:
        """The sample nearest to a time."""
        if not self._count:
            return 0
        times = self._arrays["times"][: self._count]
        i = int(np.clip(np.searchsorted(times, time), 1, max(self._count - 1, 1)))
        return i - int(abs(times[i - 1] - time) <= abs(times[min(i, self._count - 1)] - time))

    def runs(self) -> tuple[Array, NDArray[np.int32]]:
        """When the controller's state changed, [R] seconds, and what it changed to, [R]; the first sample begins the
        first run."""
        if not self._count:
            return np.zeros(0), np.zeros(0, dtype=np.int32)
        state = self._arrays["state"][: self._count]
        first = np.flatnonzero(np.concatenate([[True], state[1:] != state[:-1]]))
        return self._arrays["times"][first], state[first]

    def last(self, seconds: float, until: float | None = None, every: int = 1) -> Samples:
        """The samples of the last ``seconds`` (before ``until``), every n-th."""
        if not self._count:
            raise IndexError("the history is empty")
        stop = self._count if until is None else self.index(until) + 1
        start = int(np.searchsorted(self._arrays["times"][:stop], self._arrays["times"][stop - 1] - seconds - 1e-9))
        return Samples(**{name: array[start:stop:every] for name, array in self._arrays.items()})

    def rewind(self, time: float) -> tuple[float, dict[str, NDArray[Any]]] | None:
        """Drop what came after the last state kept at or before a time; that state, None where there is none."""
        kept = [s for s in self._snapshots if s[0] <= time + 1e-9]
        if not kept:
            return None
        self._snapshots = kept
        self._count = int(np.searchsorted(self._arrays["times"][: self._count], kept[-1][0] - 1e-9))
        return kept[-1]
