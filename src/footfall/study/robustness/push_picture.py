"""Pictures of push maps: survival over size and phase, or a rose over directions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.pictures.page import empty_figure, save_figure

if TYPE_CHECKING:
    from footfall.study.robustness.push_map import PushMap

Array = NDArray[np.float64]


def save_push_map(pushes: "PushMap", path: str | Path) -> Path:
    """Draw a push map: with one direction the share that survived over phase and signed force, with many a rose."""
    if len(pushes.force) < 100:
        raise FootfallError(f"a push map of {len(pushes.force)} worlds is too small to draw; run at least 100")
    rose = bool(np.ptp(pushes.direction) > 0)
    figure = empty_figure(8.0, 7.0 if rose else 5.5)
    worlds = f"{len(pushes.force):,} worlds"
    title = f"{pushes.controller}: pushes of {pushes.duration:g} s, {worlds}, {pushes.seconds:.1f} s on {pushes.device}"
    _rose(figure, pushes, title) if rose else _map(figure, pushes, title)
    return save_figure(figure, path)


def _bins(count: int) -> int:
    """Bins a side: an even number, so that both halves of a stride fall alike, with about four samples each."""
    return 2 * int(np.clip(np.sqrt(count / 16.0), 4, 120))


def _share(x: Array, y: Array, stood: NDArray[np.bool_], edges: list[Array]) -> Array:
    """[bins, bins] share that survived, NaN in empty bins."""
    all_, *_ = np.histogram2d(x, y, bins=edges)
    good, *_ = np.histogram2d(x[stood], y[stood], bins=edges)
    return np.where(all_ > 0, good / np.maximum(all_, 1), np.nan)


def _map(figure: Any, pushes: "PushMap", title: str) -> None:
    ax = figure.subplots()
    largest = float(np.abs(pushes.force).max())
    n = _bins(len(pushes.force))
    edges = [np.linspace(0.0, 1.0, n + 1), np.linspace(-largest, largest, n + 1)]
    mesh = ax.pcolormesh(*edges, _share(pushes.phase, pushes.force, pushes.survived, edges).T, cmap="viridis")
    mesh.set_clim(0.0, 1.0)
    figure.colorbar(mesh, ax=ax, label="share that survived")
    ax.axhline(0.0, color="white", linewidth=0.7)
    ax.set_xlabel("phase of the stride at which the push begins (0 and 1: left foot strikes; 0.5: right)")
    ax.set_ylabel("force [N], forward positive")
    ax.set_title(title, fontsize=10, loc="left")


def _rose(figure: Any, pushes: "PushMap", title: str) -> None:
    ax = figure.add_subplot(projection="polar")
    n = _bins(len(pushes.force))
    edges = [np.linspace(0.0, 2.0 * np.pi, n + 1), np.linspace(0.0, float(pushes.force.max()), n + 1)]
    angle = np.radians(pushes.direction) % (2.0 * np.pi)
    mesh = ax.pcolormesh(*edges, _share(angle, pushes.force, pushes.survived, edges).T, cmap="viridis")
    mesh.set_clim(0.0, 1.0)
    figure.colorbar(mesh, ax=ax, label="share of phases survived", shrink=0.8)
    ax.set_title(f"{title}\n0° forward, radius in newtons", fontsize=10, loc="left")
    ax.grid(color="white", linewidth=0.4, alpha=0.6)
