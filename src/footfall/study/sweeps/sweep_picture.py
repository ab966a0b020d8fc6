"""Pictures of sweeps: an outcome over one factor, or as a map over two."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.page import COLUMN, LETTERS, dress, empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS, OUTCOME_COLOURS
from footfall.study.sweeps.units import factor_unit, labelled

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

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
