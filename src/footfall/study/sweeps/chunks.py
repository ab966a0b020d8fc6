"""Chunks: stretches of a study's worlds, each a job of its own and, when finished, a file of its own.

A chunk file is one line, ``footfall-chunk 1 SHA256 KEY``, and after it a NumPy archive of the outcomes. The checksum is
the archive's; the key names the study, so that chunks of another are never taken for its own.
"""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import Experiment, Results
from footfall.study.sweeps.factors import Design
from footfall.writing import write_whole

__all__ = ["Chunk", "ChunkFolder", "chunks_of"]

_MAGIC = "footfall-chunk 1"


@dataclass(frozen=True)
class Chunk:
    """A job of its own: plain values that pickle, and :meth:`run`."""

    experiment: Experiment
    design: Design
    number: int
    first: int
    last: int

    def run(self) -> Results:
        """Outcomes of its worlds, arrays [last - first]."""
        return self.experiment.run(self.design.values(self.first, self.last), self.last - self.first)


def chunks_of(experiment: Experiment, design: Design, size: int) -> list[Chunk]:
    """All worlds, ``size`` at a time."""
    if size < 1:
        raise FootfallError(f"chunk is {size} worlds; it must be at least 1")
    firsts = range(0, design.worlds, size)
    return [Chunk(experiment, design, k, a, min(a + size, design.worlds)) for k, a in enumerate(firsts)]


@dataclass(frozen=True)
class ChunkFolder:
    """The finished chunks of one study.

    Attributes:
        path: the folder.
        key: names the study.
    """

    path: Path
    key: str

    def open(self) -> None:
        """Make the folder, or check that the one that is there belongs to the same study."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FootfallError(f"{self.path}: cannot make the folder: {error.strerror}") from error
        stamp = self.path / "key"
        if stamp.exists():
            if stamp.read_text().strip() != self.key:
                raise FootfallError(
                    f"{self.path} holds the chunks of another sweep; delete the folder, or choose another --out"
                )
        else:
            write_whole(stamp, self.key.encode())

    def finished(self) -> set[int]:
        """Numbers of the chunks that are there."""
        return {int(p.stem) for p in self.path.glob("*.chunk") if p.stem.isdigit()}

    def save(self, number: int, results: Results) -> None:
        """Write one finished chunk, whole or not at all."""
        buffer = io.BytesIO()
        np.savez(buffer, **results)  # type: ignore[arg-type]
        data = buffer.getvalue()
        head = f"{_MAGIC} {hashlib.sha256(data).hexdigest()} {self.key}\n".encode()
        write_whole(self._file(number), head + data)

    def load(self, number: int) -> Results:
        """One finished chunk; an error if a bit of it has changed since."""
        path = self._file(number)
        try:
            head, _, data = path.read_bytes().partition(b"\n")
        except OSError as error:
            raise FootfallError(f"{path}: cannot read it: {error.strerror}") from error
        words = head.decode("ascii", "replace").rsplit(" ", 2)
        if len(words) != 3 or words[0] != _MAGIC or hashlib.sha256(data).hexdigest() != words[1]:
            raise FootfallError(f"{path} is damaged (its checksum is wrong); delete it and run the sweep again")
        if words[2] != self.key:
            raise FootfallError(f"{path} belongs to another sweep; delete it and run the sweep again")
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (ValueError, zipfile.BadZipFile) as error:
            raise FootfallError(f"{path} is damaged ({error}); delete it and run the sweep again") from error

    def all(self, count: int) -> Iterator[Results]:
        """Every chunk in turn."""
        for number in range(count):
            yield self.load(number)

    def delete(self) -> None:
        """Remove the folder with everything in it."""
        for path in self.path.iterdir():
            path.unlink()
        self.path.rmdir()

    def _file(self, number: int) -> Path:
        return self.path / f"{number:06d}.chunk"
