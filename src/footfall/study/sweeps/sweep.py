"""Sweeps: an experiment over a design of thousands of worlds, in bounded memory, resumable, with labelled results.

    factors = [Grid("swing_hip.c_v", np.linspace(0.0, 0.6, 61)), Grid("push.force", [-300, 0, 300])]
    data = Sweep(Experiment("walk", set={"push.start": 5.0}), factors).run("sweep.nc")  # an xarray.Dataset, also saved
    data.survived.plot()

The worlds run in chunks. A finished chunk is a file beside the result; a sweep that was interrupted, even killed,
continues from the finished ones when it is run again. Chunks go through any ``concurrent.futures.Executor``
(:mod:`footfall.clusters`): the result is the same to the last bit. It is written as NetCDF chunk by chunk: memory does
not grow with the number of worlds.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import __version__
from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.clusters.jobs import run_jobs
from footfall.errors import FootfallError
from footfall.pictures.page import COLUMN, LETTERS, LINE_COLOURS, OUTCOME_COLOURS, dress, empty_figure, save_figure
from footfall.study.sweeps.experiment import OUTCOMES, Experiment
from footfall.study.sweeps.factors import Design, Draw, Grid, axis_name, factor_unit, labelled
from footfall.text_files import write_whole

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

__all__ = ["Sweep", "load_sweep"]


IN_MEMORY = 1 << 24
"""Worlds up to which a loaded result is in memory; a larger one is read as it is used."""


def save_sweep(frame: "xarray.Dataset", dims: tuple[str, ...], parts: Iterable[Results], path: Path) -> None:
    """Write a result, whole or not at all.

    Args:
        frame: its coordinates and attributes, without outcomes.
        dims: the outcomes' axes, in the order of the worlds.
        parts: the chunks' outcomes, in order.
    """

    def write(file: Path) -> None:
        frame.to_netcdf(file, engine="h5netcdf")
        _append(file, dims, tuple(frame.sizes[name] for name in dims), parts)

    write_whole(path, write)


def load_sweep(path: str | Path) -> "xarray.Dataset":
    """A saved result."""
    import xarray

    try:
        data = xarray.open_dataset(path, engine="h5netcdf")
        if prod(data.sizes.values()) <= IN_MEMORY:
            with data:
                data = data.load()
    except (OSError, ValueError) as error:
        raise FootfallError(f"{path}: not a sweep that can be read: {error}") from error
    if "design" not in data.attrs:
        raise FootfallError(f"{path}: a NetCDF file, but not one that a footfall sweep wrote")
    return data


def _append(file: Path, dims: tuple[str, ...], shape: tuple[int, ...], parts: Iterable[Results]) -> None:
    import h5netcdf

    first = 0
    with h5netcdf.File(file, "a") as store:
        for part in parts:
            last = first + len(part["survived"])
            for name in OUTCOMES:
                values = part[name]
                if name not in store.variables:
                    if name == "push_time" and np.isnan(values).all():
                        continue  # nobody was pushed, so far
                    _create(store, name, dims, values.dtype)
                variable = store.variables[name]
                for place, at in slabs(shape, first, last):
                    spans = [n.stop - n.start for n in place if isinstance(n, slice)]
                    variable[place] = values[at].reshape(*spans, *shape[len(place) :])
            first = last


def _create(store: Any, name: str, dims: tuple[str, ...], dtype: "np.dtype[Any]") -> None:
    """A variable as xarray writes it."""
    unit, what = OUTCOMES[name]
    logical = dtype == np.bool_
    fill = {"fillvalue": np.nan} if dtype.kind == "f" else {}
    variable = store.create_variable(name, dims, np.int8 if logical else dtype, **fill)
    variable.attrs.update({"units": unit, "long_name": what} | ({"dtype": "bool"} if logical else {}))


def slabs(shape: tuple[int, ...], first: int, last: int) -> Iterator[tuple[tuple[slice | int, ...], slice]]:
    """Rectangles of an array [shape] that cover its elements ``first`` to ``last``, counted row by row, each with the
    stretch of those elements that it holds."""
    if first >= last:
        return
    if len(shape) <= 1:
        yield (tuple(slice(first, last) for _ in shape), slice(0, last - first))
        return
    row = prod(shape[1:])
    begin = first
    while begin < last:
        k, within = divmod(begin, row)
        if within == 0 and last - begin >= row:
            rows = (last - begin) // row
            end = begin + rows * row
            yield (slice(k, k + rows),), slice(begin - first, end - first)
        else:
            end = min(last, (k + 1) * row)
            for place, at in slabs(shape[1:], within, within + end - begin):
                yield (k, *place), slice(begin - first + at.start, begin - first + at.stop)
        begin = end


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
        if chunk is not None and chunk < 1:
            raise FootfallError(f"chunk is {chunk} worlds; it must be at least 1")
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.experiment.check(self.design.values(0, 1))

    @property
    def chunks(self) -> range:
        """The jobs: numbers of their first worlds."""
        return range(0, self.design.worlds, self.chunk or CHUNK_WORLDS[self.experiment.device.split(":")[0]])

    def run_chunk(self, first: int) -> Results:
        """Outcomes of the worlds of a chunk, arrays [worlds]."""
        last = min(first + self.chunks.step, self.design.worlds)
        return self.experiment.run(self.design.values(first, last), last - first)

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
        chunks, worlds, done = self.chunks, self.design.worlds, 0

        def count(places: Iterable[int]) -> None:
            nonlocal done
            done += sum(min(chunks.step, worlds - chunks[place]) for place in places)
            if progress is not None:
                progress(done, worlds)

        if out is None:
            parts: dict[int, Results] = {}
            count(())
            for place, results in run_jobs(self.run_chunk, chunks, executor):
                parts[place] = results
                count([place])
            return self.dataset([parts[place] for place in range(len(chunks))])
        path = Path(out)
        if path.suffix != ".nc":
            raise FootfallError(f"--out {path}: a sweep is saved as NetCDF; name a file that ends in .nc")
        folder = ChunkFolder(path.with_name(path.name + ".chunks"), self.key, "sweep")
        for places in run_kept(self.run_chunk, chunks, executor, folder):
            count(places)
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


_ANSWERS = {
    "survived": ("fell or diverged", "survived"),
    "fell": ("survived", "fell"),
    "diverged": ("held", "diverged"),
}
"""What no and yes mean."""


def save_sweep_picture(data: "xarray.Dataset", path: str | Path, show: str = "survived") -> Path:
    """Draw one outcome over the first one or two axes, averaged over the others, and save it."""
    return save_figure(plot_sweep(data, show), path)


def plot_sweep(data: "xarray.Dataset", show: str = "survived") -> "Figure":
    """One outcome over the first one or two axes, averaged over the others.

    A map of yes and no has two colours; a share, or a number, has a scale.
    """
    if show not in data:
        raise FootfallError(f"picture: the sweep has no '{show}'; choose one of: {', '.join(map(str, data.data_vars))}")
    values = data[show].astype(float)
    dims = list(values.dims)
    if not dims:
        raise FootfallError("picture: the sweep varies nothing")
    figure = empty_figure(COLUMN, 2.5 if len(dims) == 1 else 2.9)
    ax = figure.subplots()
    rest = dims[2:] if len(dims) > 1 and dims[1] != "sample" else dims[1:]
    what = f"share that {_ANSWERS[show][1]}" if show in _ANSWERS else show
    label = labelled(what, str(data[show].attrs.get("units") or ""))
    if dims == ["sample"]:
        _scatter(figure, ax, data, show, label)
    else:
        mean: Any = values.mean(rest, skipna=True) if rest else values
        if mean.ndim == 1:
            ax.plot(mean[dims[0]], mean, color=LINE_COLOURS[0], marker="o", markersize=2.5, linewidth=1.0)
            ax.set_xlabel(_axis(data, dims[0]))
            ax.set_ylabel(label)
            dress(ax)
        else:
            _map(figure, ax, data, mean, dims, show, label)
    note = f", mean over {', '.join(_factor(data, name) for name in rest)}" if rest and dims != ["sample"] else ""
    above = 3.2 * LETTERS if ax.get_legend() is not None else None
    ax.set_title(f"{data.attrs.get('title', 'sweep')}{note}", fontsize=LETTERS, loc="left", pad=above)
    return figure


def _factor(data: "xarray.Dataset", name: Any) -> str:
    """A factor as it was given."""
    return str(data[name].attrs.get("factor", name)) if name in data.coords else str(name)


def _axis(data: "xarray.Dataset", name: Any) -> str:
    factor = _factor(data, name)
    return labelled(factor, str(data[name].attrs.get("units") or factor_unit(factor)))


def _map(figure: "Figure", ax: Any, data: "xarray.Dataset", mean: Any, dims: list[Any], show: str, label: str) -> None:
    x, y, z = mean[dims[1]].to_numpy(), mean[dims[0]].to_numpy(), mean.to_numpy()
    if show in _ANSWERS and np.isin(z[np.isfinite(z)], (0.0, 1.0)).all():
        from matplotlib.colors import ListedColormap

        two = ListedColormap([OUTCOME_COLOURS["no"], OUTCOME_COLOURS["yes"]])
        ax.pcolormesh(x, y, z, shading="nearest", cmap=two, vmin=0.0, vmax=1.0)
        _answers(ax, show)
    else:
        mesh = ax.pcolormesh(x, y, z, shading="nearest", cmap="viridis")
        if show in _ANSWERS:
            mesh.set_clim(0.0, 1.0)
        _scale(figure, ax, mesh, label)
    ax.set_xlabel(_axis(data, dims[1]))
    ax.set_ylabel(_axis(data, dims[0]))
    dress(ax, grid=False)


def _answers(ax: Any, show: str) -> None:
    """A legend of the two colours, between the title and the picture."""
    from matplotlib.patches import Patch

    no, yes = _ANSWERS[show]
    patches = [Patch(color=OUTCOME_COLOURS[k], label=word) for k, word in (("yes", yes), ("no", no))]
    ax.legend(handles=patches, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, borderaxespad=0.2, frameon=False)


def _scale(figure: "Figure", ax: Any, mapped: Any, label: str) -> None:
    bar = figure.colorbar(mapped, ax=ax)
    bar.set_label(label, fontsize=LETTERS)
    bar.ax.tick_params(labelsize=LETTERS - 1)


def _scatter(figure: "Figure", ax: Any, data: "xarray.Dataset", show: str, label: str) -> None:
    """A sample over one or two random factors."""
    names = [str(n) for n, c in data.coords.items() if c.dims == ("sample",) and n != "sample"]
    values = data[show].to_numpy().astype(float)
    x = data[names[0]].to_numpy()
    ax.set_xlabel(_axis(data, names[0]))
    if len(names) == 1:
        ax.plot(x, values, ".", color=LINE_COLOURS[0], markersize=3)
        ax.set_ylabel(label)
        dress(ax)
        return
    y = data[names[1]].to_numpy()
    if show in _ANSWERS:
        for answer, key in ((0.0, "no"), (1.0, "yes")):
            ax.scatter(x[values == answer], y[values == answer], s=6, color=OUTCOME_COLOURS[key], linewidths=0)
        _answers(ax, show)
    else:
        _scale(figure, ax, ax.scatter(x, y, c=values, s=6, cmap="viridis", linewidths=0), label)
    ax.set_ylabel(_axis(data, names[1]))
    dress(ax, grid=False)
