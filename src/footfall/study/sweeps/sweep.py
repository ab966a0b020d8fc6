"""Sweeps: an experiment over a design of thousands of worlds, in bounded memory, resumable, with labelled results.

    factors = [Grid("swing_hip.c_v", np.linspace(0.0, 0.6, 61)), Grid("push.force", [-300, 0, 300])]
    data = Sweep(Experiment("walk", set={"push.start": 5.0}), factors).run("sweep.nc")  # an xarray.Dataset, also saved
    data.survived.plot()

The worlds run in chunks. A finished chunk is a file beside the result; a sweep that was interrupted, even killed,
continues from the finished ones when it is run again. Chunks go through any ``concurrent.futures.Executor``
(:mod:`footfall.clusters`): the result is the same to the last bit.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import __version__
from footfall.clusters.chunk_folder import ChunkFolder, run_kept
from footfall.clusters.jobs import run_jobs
from footfall.errors import FootfallError
from footfall.study.sweeps.chunks import Chunk, Chunks
from footfall.study.sweeps.experiment import OUTCOMES, Experiment, Results
from footfall.study.sweeps.factors import Design, Draw, Grid, axis_name
from footfall.study.sweeps.sweep_file import load_sweep, save_sweep
from footfall.study.sweeps.units import factor_unit

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
    def chunks(self) -> Chunks:
        """The jobs."""
        size = self.chunk or CHUNK_WORLDS[self.experiment.device.split(":")[0]]
        return Chunks(self.experiment, self.design, size)

    @property
    def key(self) -> str:
        """A name that any change of what is computed changes; where it is computed does not."""
        experiment = asdict(self.experiment)
        experiment.pop("threads")
        parts = {"experiment": experiment, "design": asdict(self.design), "chunk": self.chunk, "version": __version__}
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the result's axes, in the order of the worlds."""
        return tuple(map(axis_name, self.design.dims))

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
        count = _Count(self.design.worlds, progress)
        if out is None:
            parts: dict[int, Results] = {}
            count.add(0)
            for place, results in run_jobs(Chunk.run, chunks, executor):
                parts[place] = results
                count.add(chunks[place].worlds)
            return self.dataset([parts[place] for place in range(len(chunks))])
        path = Path(out)
        if path.suffix != ".nc":
            raise FootfallError(f"--out {path}: a sweep is saved as NetCDF; name a file that ends in .nc")
        folder = ChunkFolder(path.with_name(path.name + ".chunks"), self.key, "sweep")
        for places in run_kept(Chunk.run, chunks, executor, folder):
            count.add(sum(chunks[place].worlds for place in places))
        save_sweep(self.frame(), self.axes, folder.all(len(chunks)), path)
        folder.delete()
        return load_sweep(path)

    def dataset(self, parts: list[Results]) -> "xarray.Dataset":
        """The chunks' outcomes as labelled arrays over the design's axes."""
        design = self.design
        data: dict[str, Any] = {}
        for name, (unit, what) in OUTCOMES.items():
            array = np.concatenate([part[name] for part in parts])
            if not (name == "push_time" and np.isnan(array).all()):
                data[name] = (self.axes, array.reshape(design.shape), {"units": unit, "long_name": what})
        return self.frame().assign(data)

    def frame(self) -> "xarray.Dataset":
        """The result without its outcomes: the axes, and all that is needed to run it again."""
        import xarray

        design = self.design
        coords: dict[str, Any] = {
            axis_name(g.name): (axis_name(g.name), np.array(g.values), _labels(g.name)) for g in design.grids
        }
        coords |= {axis_name(name): ("sample", values, _labels(name)) for name, values in design.drawn().items()}
        return xarray.Dataset(coords=coords, attrs=self.attributes())

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


class _Count:
    """Worlds that are done, as they are reported."""

    def __init__(self, worlds: int, report: Progress | None) -> None:
        self._done, self._worlds, self._report = 0, worlds, report

    def add(self, worlds: int) -> None:
        self._done += worlds
        if self._report is not None:
            self._report(self._done, self._worlds)
