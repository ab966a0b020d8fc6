"""Pictures of sweeps: an outcome over one factor, or as a map over two."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.files import empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

__all__ = ["save_sweep_picture"]


def save_sweep_picture(data: "xarray.Dataset", path: str | Path, show: str = "survived") -> Path:
    """Draw one outcome over the first one or two axes, averaged over the others."""
    if show not in data:
        raise FootfallError(f"picture: the sweep has no '{show}'; choose one of: {', '.join(map(str, data.data_vars))}")
    values = data[show].astype(float)
    dims = list(values.dims)
    if not dims:
        raise FootfallError("picture: the sweep varies nothing")
    figure = empty_figure(8.0, 4.5 if len(dims) == 1 else 5.5)
    ax = figure.subplots()
    unit = data[show].attrs.get("units") or ""
    label = ("share of worlds that stayed up" if show == "survived" else show) + (f" [{unit}]" if unit else "")
    if dims == ["sample"]:
        return save_figure(_scatter(figure, ax, data, show, label), path)
    rest = dims[2:] if len(dims) > 1 and dims[1] != "sample" else dims[1:]
    mean: Any = values.mean(rest, skipna=True) if rest else values
    if mean.ndim == 1:
        ax.plot(mean[dims[0]], mean, color=LINE_COLOURS[0], marker="o", markersize=3, linewidth=1.3)
        ax.set_xlabel(str(dims[0]))
        ax.set_ylabel(label)
        ax.grid(color="#E5E9ED", linewidth=0.7)
    else:
        x, y = mean[dims[1]].to_numpy(), mean[dims[0]].to_numpy()
        mesh = ax.pcolormesh(x, y, mean.to_numpy(), shading="nearest", cmap="viridis")
        if show == "survived":
            mesh.set_clim(0.0, 1.0)
        figure.colorbar(mesh, ax=ax, label=label)
        ax.set_xlabel(str(dims[1]))
        ax.set_ylabel(str(dims[0]))
    note = f", mean over {', '.join(map(str, rest))}" if rest else ""
    ax.set_title(f"{data.attrs.get('title', 'sweep')}{note}", fontsize=10, loc="left")
    return save_figure(figure, path)


def _scatter(figure: "Figure", ax: Any, data: "xarray.Dataset", show: str, label: str) -> "Figure":
    """A sample over one or two random factors."""
    names = [str(n) for n, c in data.coords.items() if c.dims == ("sample",) and n != "sample"]
    values = data[show].to_numpy().astype(float)
    x = data[names[0]].to_numpy()
    if len(names) == 1:
        ax.plot(x, values, ".", color=LINE_COLOURS[0], markersize=4)
        ax.set_ylabel(label)
    else:
        dots = ax.scatter(x, data[names[1]].to_numpy(), c=np.nan_to_num(values), s=8, cmap="viridis")
        figure.colorbar(dots, ax=ax, label=label)
        ax.set_ylabel(names[1])
    ax.set_xlabel(names[0])
    ax.set_title(data.attrs.get("title", "sweep"), fontsize=10, loc="left")
    return figure
