"""Pictures of robustness reports: which pushes were survived, and controllers side by side."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.pictures.page import LETTERS, TEXT, dress, empty_figure, save_figure
from footfall.pictures.palette import LINE_COLOURS
from footfall.study.robustness.report import RobustnessReport


def save_robustness_picture(reports: Sequence[RobustnessReport], path: str | Path) -> Path:
    """Draw reports side by side and save the picture."""
    return save_figure(plot_robustness(reports), path)


def plot_robustness(reports: Sequence[RobustnessReport]) -> Any:
    """Bars of every margin, a colour for each controller, and above them the largest push survived at each phase."""
    if not reports:
        raise FootfallError("picture: there is no report")
    pushed = [n for n in ("push_forward", "push_backward", "push_left", "push_right") if n in reports[0].pushes]
    names = reports[0].names
    columns = 3
    rows = -(-len(names) // columns)
    top = 1.9 * (len(pushed) > 0)
    figure = empty_figure(TEXT, 0.3 + top + (0.5 + 0.16 * len(reports)) * rows)
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
    return figure


def _phases(figure: Any, reports: Sequence[RobustnessReport], pushed: Sequence[str]) -> None:
    panels = figure.subplots(1, len(pushed), squeeze=False, sharey=True)[0]
    largest = 0.0
    for panel, name in zip(panels, pushed):
        for k, report in enumerate(reports):
            limit = report.pushes.get(name)
            if limit is None:
                continue
            whole = np.asarray(limit.passed.all(axis=2))
            sizes = np.abs(limit.sizes)
            phases = np.arange(whole.shape[1]) / whole.shape[1]
            best = [
                float(sizes[np.argmin(c) - 1]) if not c.all() and c[0] else float(sizes[-1]) * c[0] for c in whole.T
            ]
            largest = max([largest, *best])
            panel.step(np.r_[phases, 1.0], [*best, best[0]], where="post", color=_colour(k), label=report.controller)
        panel.set_title(name.replace("_", " "), loc="left")
        panel.set_xlabel("phase of the stride")
        panel.set_xlim(0.0, 1.0)
    panels[0].set_ylabel("largest push survived [N]")
    panels[0].set_ylim(0.0, 1.08 * max(largest, 1.0))
    panels[0].legend()
    dress(*panels)


def _bars(panel: Any, reports: Sequence[RobustnessReport], name: str) -> None:
    margins = [r.margin(name) for r in reports]
    values = [0.0 if m.value is None else m.value for m in margins]
    places = np.arange(len(reports))[::-1]
    panel.barh(places, values, color=[_colour(k) for k in range(len(reports))], height=0.7)
    for place, margin, value in zip(places, margins, values):
        panel.text(value, place, f" {margin.text()}", va="center", fontsize=LETTERS - 1)
    unit = f" [{margins[0].unit}]" if margins[0].unit else ""
    least = "least " if margins[0].least else ""
    panel.set_title(f"{least}{margins[0].name.replace('_', ' ')}{unit}", fontsize=LETTERS, loc="left")
    panel.set_yticks(places, [r.controller for r in reports], fontsize=LETTERS - 1)
    panel.set_xticks([])
    panel.set_xlim(0, 1.5 * max([*values, 1e-9]))
    for edge in ("top", "right", "bottom"):
        panel.spines[edge].set_visible(False)


def _colour(k: int) -> str:
    return LINE_COLOURS[k % len(LINE_COLOURS)]
