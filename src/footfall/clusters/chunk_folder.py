"""Finished chunks of a study in a folder: a file each, written once and whole, so that the study can continue.

    for places in run_kept(Chunk.run, chunks, executor, folder):    runs what is missing, keeps what it gets
        …
    for results in folder.all(len(chunks)):                         in order, one at a time
        …

A chunk file is one line, ``footfall-chunk 1 SHA256 KEY``, and after it a NumPy archive of its numbers. The checksum is
the archive's; the key names the study, so that chunks of another are never taken for its own.

What a result depends on besides its job: footfall's files, the versions beneath, and the processor.

Equal sources on processors of one kind give equal bits.
"""

import hashlib
import io
import os
import platform
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import footfall
from footfall.clusters.jobs import WorkLostError, run_jobs
from footfall.errors import FootfallError
from footfall.kernels.building import QUICK
from footfall.text_files import make_folder, write_whole

_SUFFIXES = {".py", ".toml", ".xml", ".csv", ".txt"}
_BENEATH = {"mujoco": "mujoco", "warp": "warp-lang", "numpy": "numpy"}


def files_digest(*homes: Path) -> str:
    """A digest of the files of packages, by their folders."""
    digest = hashlib.sha256()
    for home in homes:
        for path in sorted(p for p in home.rglob("*") if p.suffix in _SUFFIXES):
            digest.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def own_source() -> Mapping[str, str]:
    """This process's footfall and what is beneath it, by name."""
    source = {"footfall": files_digest(Path(footfall.__file__).resolve().parent)}
    source["python"] = ".".join(platform.python_version_tuple()[:2])
    source |= {name: metadata.version(package) for name, package in _BENEATH.items()}
    source["kernels"] = "quick" if os.environ.get(QUICK) else "optimised"
    return source


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """What of a source is not as wanted."""
    words = []
    for name, value in wanted.items():
        other = found.get(name, "none")
        if other != value:
            words.append("other files of footfall" if name == "footfall" else f"{name} {other} instead of {value}")
    return words


@cache
def processor_name() -> str:
    """The kind of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.machine()


T = TypeVar("T")

Results = dict[str, NDArray[Any]]

_MAGIC = "footfall-chunk 1"


@dataclass(frozen=True)
class ChunkFolder:
    """The finished chunks of one study.

    Attributes:
        path: the folder.
        key: names the study.
        what: it is, in a word.
    """

    path: Path
    key: str
    what: str = "study"

    def open(self) -> None:
        """Make the folder, or check that the one that is there belongs to the same study."""
        make_folder(self.path)
        stamp = self.path / "key"
        source = own_source()["footfall"]
        if not stamp.exists():
            write_whole(stamp, f"{self.key} {source}".encode())
            return
        key, _, files = stamp.read_text().strip().partition(" ")
        if key != self.key:
            raise FootfallError(
                f"{self.path} holds the chunks of another {self.what}; delete the folder, or choose another --out"
            )
        if files != source:
            raise FootfallError(
                f"{self.path} holds chunks that were computed by other files of footfall; go back to those to continue,"
                " or delete the folder to begin again"
            )

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
            raise FootfallError(f"{path} is damaged (its checksum is wrong); delete it and run the {self.what} again")
        if words[2] != self.key:
            raise FootfallError(f"{path} belongs to another {self.what}; delete it and run the {self.what} again")
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files}
        except (ValueError, zipfile.BadZipFile) as error:
            raise FootfallError(f"{path} is damaged ({error}); delete it and run the {self.what} again") from error

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


def run_kept(
    function: Callable[[T], Results], items: Sequence[T], executor: Executor | None, folder: ChunkFolder
) -> Iterator[list[int]]:
    """Run ``function(item)`` for every item whose chunk a folder lacks, and save each result as it comes.

    Yields places of items: those that were there, each checked, then the others as they are finished.
    """
    folder.open()
    kept = {place for place in folder.finished() if place < len(items)}
    for place in sorted(kept):
        folder.load(place)
    yield sorted(kept)
    missing = [place for place in range(len(items)) if place not in kept]
    try:
        for k, result in run_jobs(function, (items[place] for place in missing), executor):
            folder.save(missing[k], result)
            kept.add(missing[k])
            yield [missing[k]]
    except WorkLostError as error:
        raise WorkLostError(
            f"{error}; {len(kept)} of {len(items)} chunks are finished and kept in {folder.path}: the same command"
            " continues from them"
        ) from error
