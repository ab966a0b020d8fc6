"""Pictures of searches: how the cost fell."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.page import COLUMN, dress, empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.search.cma_search import Found
from footfall.study.search.objective import FALL


def save_search_picture(found: Found, path: str | Path) -> Path:
    """Draw how a search went and save the picture."""
    return save_figure(plot_search(found), path)


def plot_search(found: Found) -> Any:
    """Lowest and median cost and the step size over the generations, a colour for each start; falls are left out."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, MaxNLocator, NullFormatter

    if not found.history:
        raise FootfallError("picture: the search has no history")
    figure = empty_figure(COLUMN, 3.6)
    cost, sigma = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.0])
    for start in sorted({int(h["start"]) for h in found.history}):
        rows = [h for h in found.history if h["start"] == start]
        colour = LINE_COLOURS[start % len(LINE_COLOURS)]
        column = {n: np.array([h[n] for h in rows]) for n in ("best", "lowest", "median", "sigma")}
        for name, style in (("lowest", "-"), ("median", ":")):
            shown = np.where(column[name] < FALL, column[name], np.nan)
            cost.plot(shown, style, color=colour, linewidth=1.0, label=f"start {start}, {name}")
        sigma.plot(column["sigma"], color=colour, linewidth=1.0)
    cost.set_ylabel("cost")
    cost.legend()
    sigma.set_ylabel("step size")
    sigma.set_xlabel("generation")
    sigma.xaxis.set_major_locator(MaxNLocator(integer=True))
    steps = np.array([h["sigma"] for h in found.history])
    if steps.max() > 20.0 * steps.min() > 0.0:
        sigma.set_yscale("log")
        sigma.yaxis.set_major_locator(LogLocator(numticks=4))
        sigma.yaxis.set_major_formatter(LogFormatterSciNotation())
        sigma.yaxis.set_minor_formatter(NullFormatter())
    else:
        sigma.set_ylim(bottom=0.0)
        sigma.yaxis.set_major_locator(MaxNLocator(4))
    words = [f"{n} {found.base[n]:.4g} → {v:.4g}" for n, v in found.measures.items() if n != "survival"]
    cost.set_title("\n".join([found.controller.name, *words]), loc="left")
    dress(cost, sigma)
    return figure


def plot_generations(history: Sequence[Mapping[str, Any]], columns: Mapping[str, str], width: float = COLUMN) -> Any:
    """Numbers of each generation's best candidate, one above the other.

    Args:
        history: one row a generation. columns: the numbers to draw, and what their axes say.
        width: inches.
    """
    figure = empty_figure(width, 0.4 + 0.95 * len(columns))
    panels = figure.subplots(len(columns), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, label) in zip(panels, columns.items(), strict=True):
        panel.plot(range(1, len(history) + 1), [row[name] for row in history], color=LINE_COLOURS[0], linewidth=1.0)
        panel.set_ylabel(label)
    panels[-1].set_xlabel("generation")
    dress(*panels)
    return figure
