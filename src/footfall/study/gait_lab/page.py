"""The report of analyses: as a page, one file without a network that a reader can point into, and as a picture, panels
over the gait cycle with people's bands.
"""

from collections.abc import Container, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.escaping import markup
from footfall.pictures.page import LINE_COLOURS, SIDE_COLOURS, TEXT, dress, empty_figure, set_title
from footfall.pictures.web_page import Verdict, report_page
from footfall.study.measures.people import GROUPS, PANELS
from footfall.study.measures.strides import Value
from footfall.study.measures.table import BALANCE_MEASURES, CYCLE_MEASURES, MEASURES, PARAMETERS, Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from footfall.study.gait_lab.analysis import Analysis

_MOST_ROWS = 12
"""Cycles of a side that a page draws."""


def rounded(values: Any, digits: int = 6) -> Any:
    """A number rounded, None where it is not finite; the same of all in a mapping, a sequence or an array."""
    if isinstance(values, Mapping):
        return {name: rounded(value, digits) for name, value in values.items()}
    if isinstance(values, list | tuple | np.ndarray):
        return [rounded(value, digits) for value in values]
    return round(float(values), digits) if np.isfinite(values) else None


_BAR = """<div id="bar"><span id="walks" class="group"></span><span class="gap"></span>
<span class="group"><button data-show="left" aria-pressed="true"><i class="line l"></i>left</button>
<button data-show="right" aria-pressed="true"><i class="line r"></i>right</button></span>
<span class="group"><button data-show="bands" aria-pressed="true"><i class="box"></i>people</button>
<button data-show="cycles" aria-pressed="false">every cycle</button></span></div>"""


def page_html(analyses: Sequence["Analysis"], verdict: Verdict | None = None) -> str:
    """The text of a page of one walk, or of several beside each other; ``verdict`` is said first, by default what was
    measured."""
    here = files("footfall.study.gait_lab")
    script = '(() => {\n"use strict";\n' + (here / "lab.js").read_text(encoding="utf-8") + "})();\n"
    style, names = (here / "lab.css").read_text(encoding="utf-8"), ", ".join(a.name for a in analyses)
    facts = "; ".join(f"{a.name + ': ' if len(analyses) > 1 else ''}{_facts(a)}" for a in analyses)
    seconds = ", ".join(f"{a.motion.seconds:.1f} s" for a in analyses)
    said = verdict or Verdict(f"the gait of {names}", facts, f"not tried: {seconds} were analysed")
    title = f"Gait: {names}" if verdict is None else "What if?"
    return report_page(title, said, _BAR, style=style, script=script, data=_data(analyses))


def _facts(a: "Analysis") -> str:
    counts = a.cycle_counts
    left_out = ", first and last left out" if a.left_out else ""
    weight = f", {a.mass:.1f} kg" if a.mass else ""
    return f"{a.speed:.2f} m/s, {counts['left']} left and {counts['right']} right cycles{left_out}{weight}"


def notebook_html(analysis: "Analysis") -> str:
    """The page in a frame, for notebooks."""
    text = markup(page_html([analysis]))
    return f'<iframe srcdoc="{text}" title="gait analysis" style="width:100%;height:760px;border:0"></iframe>'


def _data(analyses: Sequence["Analysis"]) -> dict[str, Any]:
    peaks = list(dict.fromkeys(name for a in analyses for name in a.peaks))
    return {
        "colours": LINE_COLOURS,
        "groups": GROUPS,
        "panels": [{"name": name, **vars(panel)} for name, panel in PANELS.items()],
        "parameters": _described(PARAMETERS, PARAMETERS),
        "measures": _described(BALANCE_MEASURES, {n for a in analyses for n in a.measures}),
        "cycleMeasures": _described(CYCLE_MEASURES, {n for a in analyses for n in a.walk_measures}),
        "peaks": peaks,
        "walks": [_walk(a) for a in analyses],
    }


def _described(rows: Mapping[str, Measure], known: Container[str]) -> list[dict[str, str]]:
    """Rows of the table of measures that are known of a walk."""
    return [
        {"name": n, "title": m.title, "unit": m.unit, "definition": m.definition} for n, m in rows.items() if n in known
    ]


def _value(value: Value) -> dict[str, float | None] | None:
    return rounded({"mean": value.mean, "sd": value.deviation}, 5) if value.count else None


def _curve(rows: np.ndarray) -> dict[str, Any]:
    spread = rows.std(axis=0, ddof=1) if len(rows) > 1 else None
    return {
        "mean": rounded(rows.mean(axis=0), 4),
        "sd": None if spread is None else rounded(spread, 4),
        "rows": rounded(rows[:_MOST_ROWS], 4),
    }


def _walk(a: "Analysis") -> dict[str, Any]:
    row = MEASURES["leg_clearance"]
    legs = f"{row.title} {a.leg_clearance:.3f} m: {row.definition}" if np.isfinite(a.leg_clearance) else ""
    people = a.norms
    bands = {name: band for name, band in a.bands.items() if name in a.curves}
    return {
        "name": a.name,
        "notes": [*a.notes, *([legs] if legs else []), *([a.energy.line] if a.energy else [])],
        "people": people.label if people is not None else "",
        "kinetics": a.kinetics,
        "off": rounded(a.foot_off, 2),
        "curves": {name: {side: _curve(rows) for side, rows in sides.items()} for name, sides in a.curves.items()},
        "bands": {
            name: rounded({"low": band.mean - band.deviation, "high": band.mean + band.deviation}, 4)
            for name, band in bands.items()
        },
        "pressure": {side: _path(rows) for side, rows in a.pressure.items()},
        "matches": rounded(a.matches, 1),
        "scores": rounded(a.variable_scores, 2),
        "profile": rounded(a.profile, 2),
        "parameters": {
            name: {side: _value(own[side]) for side in ("left", "right")} | {"symmetry": rounded(a.symmetry(name), 2)}
            for name, own in a.parameters.items()
        },
        "ranges": {n: rounded([r.low, r.high], 5) for n, r in people.parameters.items()} if people else {},
        "measures": {n: {s: _value(own[s]) for s in ("left", "right")} for n, own in a.measures.items()},
        "cycleMeasures": rounded(a.walk_measures, 4),
        "peaks": rounded(a.peaks, 4),
        "peoplePeaks": {n: rounded([r.mean, r.deviation], 5) for n, r in people.peaks.items()} if people else {},
        "eventsFrom": a.events.source,
        "differences": [
            {"first": d.first, "second": d.second, "pairs": d.pairs} | rounded({"mean": d.mean, "worst": d.worst}, 5)
            for d in a.differences
            if d.pairs
        ],
    }


def _path(rows: np.ndarray) -> list[list[float]]:
    """The mean path under a foot in centimetres, where it stands in every cycle."""
    middle = 100.0 * rows.mean(axis=0)
    return [[round(float(x), 2), round(float(y), 2)] for x, y in middle if np.isfinite(x) and np.isfinite(y)]


COLUMNS = 3
_BAND = "#D9DEE4"
_DASHES = {"left": "-", "right": "--"}


def plot_analyses(analyses: Sequence["Analysis"]) -> "Figure":
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
    set_title(figure, ", ".join(f"{a.name} ({a.speed:.2f} m/s)" for a in analyses))
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
