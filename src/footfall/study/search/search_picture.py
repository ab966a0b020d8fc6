"""Pictures of searches: how the cost fell."""

from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.files import empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.search.cma_search import Found
from footfall.study.search.objective import FALL

__all__ = ["save_search_picture"]


def save_search_picture(found: Found, path: str | Path) -> Path:
    """Best and median cost and the step size over the generations, a colour for each start; falls are left out."""
    if not found.history:
        raise FootfallError("picture: the search has no history")
    figure = empty_figure(8.0, 5.5)
    cost, sigma = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.0])
    for start in sorted({int(h["start"]) for h in found.history}):
        rows = [h for h in found.history if h["start"] == start]
        colour = LINE_COLOURS[start % len(LINE_COLOURS)]
        column = {n: np.array([h[n] for h in rows]) for n in ("best", "lowest", "median", "sigma")}
        for name, style in (("lowest", "-"), ("median", ":")):
            shown = np.where(column[name] < FALL, column[name], np.nan)
            cost.plot(shown, style, color=colour, linewidth=1.2, label=f"start {start}, {name} of a generation")
        sigma.semilogy(column["sigma"], color=colour, linewidth=1.2)
    cost.set_ylabel("cost")
    cost.legend(fontsize=8, frameon=False)
    sigma.set_ylabel("step size")
    sigma.set_xlabel("generation")
    words = [f"{n} {found.base[n]:.4g} → {v:.4g}" for n, v in found.measures.items() if n != "survival"]
    cost.set_title(f"{found.controller.name}: {', '.join(words)}", fontsize=9, loc="left")
    for panel in (cost, sigma):
        panel.grid(color="#E5E9ED", linewidth=0.7)
    return save_figure(figure, path)
