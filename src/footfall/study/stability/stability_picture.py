"""Pictures of stability: multipliers, bifurcation diagrams and basins."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.pictures.page import COLUMN, dress, empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.stability.basin import Basin
from footfall.study.stability.bifurcation import Bifurcation
from footfall.study.stability.return_map import FixedPoint

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


def save_multipliers_picture(name: str, point: FixedPoint, decay: Array, fitted: complex, path: str | Path) -> Path:
    """Save :func:`plot_multipliers`, wide."""
    figure = plot_multipliers(point, decay, fitted, wide=True)
    figure.axes[0].set_title(f"{name}: Floquet multipliers per {point.per}", fontsize=10, loc="left")
    return save_figure(figure, path)


def plot_multipliers(point: FixedPoint, decay: Array, fitted: complex, *, wide: bool = False) -> "Figure":
    """The multipliers in the unit circle, and a small disturbance that fades beside what the largest one predicts; one
    beside the other where there is room, else one above the other."""
    figure = empty_figure(*((9.5, 4.3) if wide else (COLUMN, 5.2)))
    circle, fading = figure.subplots(1, 2) if wide else figure.subplots(2, 1, height_ratios=[1.5, 1.0])
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    circle.plot(np.cos(turn), np.sin(turn), color="#9AA5B1", linewidth=1.0)
    circle.plot(point.multipliers.real, point.multipliers.imag, "o", color=LINE_COLOURS[0], markersize=5)
    circle.axhline(0, color="#E5E9ED", zorder=0)
    circle.axvline(0, color="#E5E9ED", zorder=0)
    circle.set_aspect("equal")
    circle.set_xlabel("real part")
    circle.set_ylabel("imaginary part")
    count = np.arange(len(decay))
    largest = float(np.abs(point.multipliers[0]))
    fading.semilogy(
        count, decay / decay[0], "o", color=LINE_COLOURS[1], label=f"simulated: ×{abs(fitted):.3f} a {point.per}"
    )
    fading.semilogy(count, largest**count, color=LINE_COLOURS[0], label=f"multiplier: ×{largest:.3f} a {point.per}")
    fading.set_xlabel(f"{point.per}s after the disturbance")
    fading.set_ylabel("size of the slowest mode, of its first" if wide else "slowest mode, of its first")
    fading.legend(fontsize=8, frameon=False)
    fading.grid(color="#E5E9ED", linewidth=0.7)
    if not wide:
        dress(circle, fading)
    return figure


def save_bifurcation_picture(
    controller: str, diagram: Bifurcation, path: str | Path, largest: tuple[Array, Array] | None = None
) -> Path:
    """Speeds at foot strike over the parameter; below, if given, the largest multiplier (values, magnitudes)."""
    figure = empty_figure(9.0, 4.8 if largest is None else 6.6)
    ratios = [1.0] if largest is None else [2.2, 1.0]
    panels = figure.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
    values = np.repeat(diagram.values, diagram.speed.shape[1])
    panels[0].plot(values, diagram.speed.reshape(-1), ".", color=LINE_COLOURS[0], markersize=1.6)
    spans = [diagram.values[0], diagram.values[-1]]
    stable = diagram.stable_range
    if stable is not None:
        spans = [spans[0], stable[0], stable[1], spans[1]]
        for a, b in ((spans[0], spans[1]), (spans[2], spans[3])):
            for panel in panels:
                panel.axvspan(a, b, color="#F3D9D0", linewidth=0, zorder=0)
        panels[0].set_title(
            f"{controller}: stays up for {diagram.name} from {stable[0]:.3g} to {stable[1]:.3g} (shaded: falls)",
            fontsize=10,
            loc="left",
        )
    panels[0].set_ylabel("hip speed at foot strike [m/s]")
    if largest is not None:
        panels[1].plot(*largest, "o-", color=LINE_COLOURS[1], markersize=3, linewidth=1.0)
        panels[1].axhline(1.0, color="#46505C", linewidth=0.8)
        panels[1].set_ylabel("largest multiplier")
    panels[-1].set_xlabel(diagram.name)
    for panel in panels:
        panel.grid(color="#E5E9ED", linewidth=0.7)
    return save_figure(figure, path)


def save_basin_picture(
    controller: str,
    basin: Basin,
    sections: Sequence[tuple[tuple[str, Array], tuple[str, Array], NDArray[np.bool_]]],
    path: str | Path,
) -> Path:
    """Sections through the basin, and the share of directions from which the gait recovers over distance."""
    figure = empty_figure(4.4 * (1 + len(sections)), 4.2)
    panels = figure.subplots(1, 1 + len(sections), squeeze=False)[0]
    for panel, ((name_a, a), (name_b, b), stood) in zip(panels, sections):
        panel.pcolormesh(b, a, stood.astype(float), shading="nearest", cmap="viridis", vmin=0.0, vmax=1.0)
        panel.plot(0.0, 0.0, "+", color="black")
        panel.set_xlabel(f"change of {name_b}")
        panel.set_ylabel(f"change of {name_a}")
    panels[0].set_title(f"{controller}: keeps walking (yellow) from the strike", fontsize=9, loc="left")
    panels[-1].plot(basin.radii, basin.share, "o-", color=LINE_COLOURS[0], markersize=3)
    panels[-1].axvline(basin.radius, color=LINE_COLOURS[2], linewidth=1.0, label=f"strict radius {basin.radius:.3g}")
    panels[-1].axvline(
        basin.effective_radius, color=LINE_COLOURS[1], linewidth=1.0, label=f"effective {basin.effective_radius:.3g}"
    )
    panels[-1].set_xlabel("distance [rad, rates / 5/s, r.m.s.]")
    panels[-1].set_ylabel("share that keeps walking")
    panels[-1].legend(fontsize=8, frameon=False)
    panels[-1].grid(color="#E5E9ED", linewidth=0.7)
    return save_figure(figure, path)
