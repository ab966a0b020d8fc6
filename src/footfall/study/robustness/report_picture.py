"""Pictures of robustness reports: which pushes were survived, and controllers side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.files import empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.robustness.report import RobustnessReport

__all__ = ["save_robustness_picture"]


def save_robustness_picture(reports: Sequence[RobustnessReport], path: str | Path) -> Path:
    """Bars of every margin, a colour for each controller, and the phases at which pushes of each size were survived."""
    if not reports:
        raise FootfallError("picture: there is no report")
    pushed = [n for n in ("push_forward", "push_backward", "push_left", "push_right") if n in reports[0].pushes]
    names = reports[0].names
    columns = 4
    rows = -(-len(names) // columns)
    top = 2.6 * (len(pushed) > 0)
    figure = empty_figure(11.0, 0.6 + top + (0.75 + 0.18 * len(reports)) * rows)
    below: Any = figure
    if pushed:
        halves: Any = figure.subfigures(2, 1, height_ratios=[top, float(figure.get_size_inches()[1]) - top])
        below = halves[1]
        _phases(halves[0], reports, pushed)
    panels = below.subplots(rows, columns, squeeze=False)
    for panel, name in zip(panels.flat, names):
        _bars(panel, reports, name)
    for panel in list(panels.flat)[len(names) :]:
        panel.set_visible(False)
    return save_figure(figure, path)


def _phases(figure: Any, reports: Sequence[RobustnessReport], pushed: Sequence[str]) -> None:
    panels = figure.subplots(1, len(pushed), squeeze=False, sharey=True)[0]
    for panel, name in zip(panels, pushed):
        for k, report in enumerate(reports):
            limit = report.pushes.get(name)
            if limit is None:
                continue
            whole = np.asarray(limit.passed.all(axis=2))
            phases = np.arange(whole.shape[1]) / whole.shape[1]
            best = [limit.sizes[np.argmin(c) - 1] if not c.all() and c[0] else limit.sizes[-1] * c[0] for c in whole.T]
            panel.step(np.r_[phases, 1.0], [*best, best[0]], where="post", color=_colour(k), label=report.controller)
        panel.set_title(f"{name.replace('_', ' ')}: limit [N] by phase, as far as tried", fontsize=9, loc="left")
        panel.set_ylim(bottom=0)
        panel.grid(color="#E5E9ED", linewidth=0.7)
        panel.tick_params(labelsize=8)
    panels[0].legend(fontsize=8, frameon=False)


def _bars(panel: Any, reports: Sequence[RobustnessReport], name: str) -> None:
    margins = [r.margin(name) for r in reports]
    values = [0.0 if m.value is None else m.value for m in margins]
    places = np.arange(len(reports))[::-1]
    panel.barh(places, values, color=[_colour(k) for k in range(len(reports))], height=0.7)
    for place, margin, value in zip(places, margins, values):
        panel.text(value, place, f" {margin.text()}", va="center", fontsize=8)
    unit = f" [{margins[0].unit}]" if margins[0].unit else ""
    better = ", less is better" if margins[0].least else ""
    panel.set_title(f"{margins[0].name}{unit}{better}", fontsize=9, loc="left")
    panel.set_yticks(places, [r.controller for r in reports], fontsize=7)
    panel.set_xticks([])
    panel.set_xlim(0, 1.35 * max([*values, 1e-9]))
    for edge in ("top", "right", "bottom"):
        panel.spines[edge].set_visible(False)


def _colour(k: int) -> str:
    return LINE_COLOURS[k % len(LINE_COLOURS)]
