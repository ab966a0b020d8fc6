"""Sweeps: an experiment over a design of thousands of worlds, in bounded memory, resumable, with labelled results.

    factors = [Grid("swing_hip.c_v", np.linspace(0.0, 0.6, 61)), Grid("push.force", [-300, 0, 300])]
    data = Sweep(Experiment("walk", set={"push.start": 5.0}), factors).run("sweep.nc")  # an xarray.Dataset, also saved
    data.survived.plot()

The worlds run in chunks. A finished chunk is a file beside the result; a sweep that was interrupted, even killed,
continues from the finished ones when it is run again. Chunks go through any ``concurrent.futures.Executor``.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import __version__
from footfall.errors import FootfallError
from footfall.study.sweeps.chunks import Chunk, ChunkFolder, chunks_of
from footfall.study.sweeps.experiment import OUTCOMES, Experiment, Results
from footfall.study.sweeps.factors import Design, Draw, Grid, axis_name
from footfall.study.sweeps.units import factor_unit
from footfall.writing import write_whole

if TYPE_CHECKING:
    import xarray

__all__ = ["Sweep", "load_sweep"]

CHUNK_WORLDS = {"cpu": 512, "cuda": 1 << 17}
"""Worlds a chunk: enough to keep a device busy, few enough that little is lost with one."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Sweep:
    """An experiment over a design.

    Attributes:
        experiment: what every world shares; a controller's name or file means an experiment on it.
        design: what they differ in: a :class:`Design`, or grids and draws, as values or as text.
        chunk: worlds per chunk; None for what suits the device.
        command: the command line it came from, if any; kept with the results.
    """

    experiment: Experiment
    design: Design
    chunk: int | None = None
    command: str = ""

    def __init__(
        self,
        experiment: Experiment | str | Path,
        design: Design | Grid | Draw | str | Sequence[Grid | Draw | str],
        chunk: int | None = None,
        command: str = "",
        *,
        samples: int = 1,
        seed: int = 0,
    ) -> None:
        """``samples`` and ``seed`` are those of a design that is given as grids and draws."""
        if not isinstance(design, Design):
            factors = [design] if isinstance(design, Grid | Draw | str) else list(design)
            design = Design.of(factors, samples, seed)
        values = {
            "experiment": experiment if isinstance(experiment, Experiment) else Experiment(experiment),
            "design": design,
            "chunk": chunk,
            "command": command,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.experiment.check(self.design.values(0, 1))

    @property
    def chunks(self) -> list[Chunk]:
        """The jobs."""
        size = self.chunk or CHUNK_WORLDS[self.experiment.device.split(":")[0]]
        return chunks_of(self.experiment, self.design, size)

    @property
    def key(self) -> str:
        """A name that any change of what is computed changes; where it is computed does not."""
        experiment = asdict(self.experiment)
        experiment.pop("threads")
        parts = {"experiment": experiment, "design": asdict(self.design), "chunk": self.chunk, "version": __version__}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    def run(
        self,
        out: str | Path | None = None,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> "xarray.Dataset":
        """Run what is not finished yet.

        Args:
            out: a NetCDF file for the result (``.nc``); finished chunks are beside it in ``OUT.chunks`` until it is
                written. None keeps everything in memory.
            executor: runs the chunks; None runs them here, one after the other, each on all threads of its device.
            progress: called with the numbers of worlds that are done and that there are.
        """
        chunks = self.chunks
        if out is None:
            return self.dataset(list(_finished(chunks, executor, progress, len(chunks)).values()))
        path = Path(out)
        if path.suffix != ".nc":
            raise FootfallError(f"--out {path}: a sweep is saved as NetCDF; name a file that ends in .nc")
        folder = ChunkFolder(path.with_name(path.name + ".chunks"), self.key)
        folder.open()
        done = folder.finished()
        for number in sorted(done):
            folder.load(number)
        missing = [c for c in chunks if c.number not in done]
        _finished(missing, executor, progress, len(chunks), folder.save)
        data = self.dataset(list(folder.all(len(chunks))))
        save_sweep(data, path)
        folder.delete()
        return data

    def dataset(self, parts: list[Results]) -> "xarray.Dataset":
        """The chunks' outcomes as labelled arrays over the design's axes."""
        import xarray

        design = self.design
        dims = tuple(map(axis_name, design.dims))
        data: dict[str, Any] = {}
        for name, (unit, what) in OUTCOMES.items():
            array = np.concatenate([part[name] for part in parts])
            if not (name == "push_time" and np.isnan(array).all()):
                data[name] = (dims, array.reshape(design.shape), {"units": unit, "long_name": what})
        coords: dict[str, Any] = {
            axis_name(g.name): (axis_name(g.name), np.array(g.values), _labels(g.name)) for g in design.grids
        }
        coords |= {axis_name(name): ("sample", values, _labels(name)) for name, values in design.drawn().items()}
        return xarray.Dataset(data, coords, self.attributes())

    def attributes(self) -> dict[str, str]:
        """All that is needed to run it again."""
        experiment = asdict(self.experiment)
        experiment.pop("threads")
        return {
            "title": f"footfall sweep of {self.experiment.name}",
            "controller": self.experiment.text,
            "experiment": json.dumps(experiment),
            "design": json.dumps(asdict(self.design)),
            "chunk": str(self.chunk or ""),
            "seed": str(self.design.seed),
            "version": __version__,
            "command": self.command,
        }

    @classmethod
    def from_dataset(cls, data: "xarray.Dataset") -> "Sweep":
        """The sweep that a result came from, ready to run again."""
        experiment = json.loads(data.attrs["experiment"])
        if isinstance(experiment["push_place"], list):
            experiment["push_place"] = tuple(experiment["push_place"])
        design = json.loads(data.attrs["design"])
        grids = tuple(Grid(g["name"], tuple(g["values"])) for g in design["grids"])
        draws = tuple(Draw(**d) for d in design["draws"])
        chunk = data.attrs["chunk"]
        return cls(
            Experiment(**experiment),
            Design(grids, draws, design["samples"], design["seed"]),
            int(chunk) if chunk else None,
            data.attrs["command"],
        )


def _labels(factor: str) -> dict[str, str]:
    """What is said of an axis: the factor as it was given, and its unit."""
    unit = factor_unit(factor)
    return {"factor": factor} | ({"units": unit} if unit else {})


def save_sweep(data: "xarray.Dataset", path: Path) -> None:
    """Write a result as NetCDF, whole or not at all."""
    write_whole(path, lambda part: data.to_netcdf(part, engine="h5netcdf"))


def load_sweep(path: str | Path) -> "xarray.Dataset":
    """A saved result."""
    import xarray

    try:
        data = xarray.load_dataset(path, engine="h5netcdf")
    except (OSError, ValueError) as error:
        raise FootfallError(f"{path}: not a sweep that can be read: {error}") from error
    if "design" not in data.attrs:
        raise FootfallError(f"{path}: a NetCDF file, but not one that a footfall sweep wrote")
    return data


def _finished(
    chunks: list[Chunk],
    executor: Executor | None,
    progress: Progress | None,
    total: int,
    keep: Callable[[int, Results], None] | None = None,
) -> dict[int, Results]:
    """Run chunks; hand each to ``keep`` when it is finished, or collect them all by number."""
    worlds = total and (chunks[-1].design.worlds if chunks else 0)
    done = worlds - sum(c.last - c.first for c in chunks)
    results: dict[int, Results] = {}

    def take(chunk: Chunk, result: Results) -> None:
        nonlocal done
        if keep is None:
            results[chunk.number] = result
        else:
            keep(chunk.number, result)
        done += chunk.last - chunk.first
        if progress is not None:
            progress(done, worlds)

    if progress is not None and chunks:
        progress(done, worlds)
    if executor is None:
        for chunk in chunks:
            take(chunk, chunk.run())
        return results
    waiting: dict[Future[Results], Chunk] = {}
    queue = list(chunks)
    most = 4 * (os.cpu_count() or 1)
    try:
        while queue or waiting:
            while queue and len(waiting) < most:
                chunk = queue.pop(0)
                waiting[executor.submit(chunk.run)] = chunk
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                take(waiting.pop(future), future.result())
    except BaseException:
        for future in waiting:
            future.cancel()
        raise
    return dict(sorted(results.items()))
