"""The report as a picture: panels over the gait cycle with people's bands, for print."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from footfall.pictures.page import TEXT, dress, empty_figure, set_title
from footfall.pictures.palette import LINE_COLOURS, SIDE_COLOURS
from footfall.study.gait_lab.panels import PANELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from footfall.study.gait_lab.analysis import Analysis

COLUMNS = 3
_BAND = "#D9DEE4"
_DASHES = {"left": "-", "right": "--"}


def plot_analyses(analyses: Sequence["Analysis"], *, title: str | None = None) -> "Figure":
    """Every panel that a walk has: left and right of one walk, or several walks in a colour each (right dashed)."""
    names = [name for name in PANELS if any(name in a.curves for a in analyses)]
    pressure = any(a.pressure for a in analyses)
    count = len(names) + pressure
    lines = -(-count // COLUMNS)
    figure = empty_figure(TEXT, 1.45 * lines + 0.5)
    panels = figure.subplots(lines, COLUMNS, squeeze=False).ravel()
    for panel, name in zip(panels, names, strict=False):
        _draw(panel, name, analyses)
    if pressure:
        _draw_pressure(panels[len(names)], analyses)
    for panel in panels[count:]:
        panel.set_visible(False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 5), frameon=False, fontsize=7)
    dress(*panels[:count])
    set_title(figure, title or ", ".join(f"{a.name} ({a.speed:.2f} m/s)" for a in analyses))
    return figure


def _colour(k: int, side: str, several: bool) -> str:
    return LINE_COLOURS[k % len(LINE_COLOURS)] if several else SIDE_COLOURS[side]


def _draw(panel: "Axes", name: str, analyses: Sequence["Analysis"]) -> None:
    percent, several = np.arange(101), len(analyses) > 1
    for a in analyses[:1]:
        if name in a.bands:
            band = a.bands[name]
            panel.fill_between(
                percent, band.mean - band.deviation, band.mean + band.deviation, color=_BAND, linewidth=0
            )
    for k, a in enumerate(analyses):
        for side, rows in a.curves.get(name, {}).items():
            colour, middle = _colour(k, side, several), rows.mean(axis=0)
            label = f"{a.name} {side}" if several else side
            panel.plot(percent, middle, _DASHES[side], color=colour, linewidth=1.0, label=label)
            if len(rows) > 1 and not several:
                spread = rows.std(axis=0, ddof=1)
                panel.fill_between(percent, middle - spread, middle + spread, color=colour, alpha=0.18, linewidth=0)
            off = a.foot_off[side]
            if np.isfinite(off):
                panel.axvline(off, color=colour, linewidth=0.5, linestyle=":")
    words = PANELS[name]
    matched = analyses[0].matches.get(name, {}).get("both") if len(analyses) == 1 else None
    panel.set_title(words.title + (f" ({matched:.0f} %)" if matched is not None else ""), loc="left")
    panel.set_ylabel(f"{words.up} ↑ [{words.unit}]" if len(words.up) < 16 else f"[{words.unit}]")
    panel.margins(x=0)


def _draw_pressure(panel: "Axes", analyses: Sequence["Analysis"]) -> None:
    several = len(analyses) > 1
    for k, a in enumerate(analyses):
        for side, path in a.pressure.items():
            middle = path.mean(axis=0)
            panel.plot(
                100 * middle[:, 1], 100 * middle[:, 0], _DASHES[side], color=_colour(k, side, several), linewidth=1.0
            )
    panel.set_title("centre of pressure", loc="left")
    panel.set_xlabel("outwards [cm]")
    panel.set_ylabel("ahead [cm]")
    panel.set_aspect("equal", adjustable="datalim")
