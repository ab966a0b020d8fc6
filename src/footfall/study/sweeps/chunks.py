"""Chunks: stretches of a sweep's worlds, each a job of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from footfall.clusters.chunk_folder import Results
from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.factors import Design


@dataclass(frozen=True)
class Chunk:
    """A job of its own: plain values that pickle, and :meth:`run`."""

    experiment: Experiment
    design: Design
    first: int
    last: int

    @property
    def worlds(self) -> int:
        """How many."""
        return self.last - self.first

    def run(self) -> Results:
        """Outcomes of its worlds, arrays [worlds]."""
        return self.experiment.run(self.design.values(self.first, self.last), self.worlds)


class Chunks(Sequence[Chunk]):
    """All worlds of a design, ``size`` at a time; each chunk is made when it is asked for."""

    def __init__(self, experiment: Experiment, design: Design, size: int) -> None:
        if size < 1:
            raise FootfallError(f"chunk is {size} worlds; it must be at least 1")
        self._experiment, self._design, self._size = experiment, design, size

    def __len__(self) -> int:
        return -(-self._design.worlds // self._size)

    @overload
    def __getitem__(self, place: int) -> Chunk: ...
    @overload
    def __getitem__(self, place: slice) -> list[Chunk]: ...
    def __getitem__(self, place: int | slice) -> Chunk | list[Chunk]:
        if isinstance(place, slice):
            return [self[k] for k in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        first = place * self._size
        return Chunk(self._experiment, self._design, first, min(first + self._size, self._design.worlds))
