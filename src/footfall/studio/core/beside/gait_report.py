"""What the gaits of a clip and of the walker measure, side by side."""

import numpy as np

from footfall.motion import profile_correlation
from footfall.studio.core.beside.gait_cycle import CycleReport
from footfall.studio.core.markup import Line, curves, table
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import PARAMETERS

ROWS = {"speed": 2, "step_length": 2, "step_time": 2, "step_width": 2, "stance": 0, "double_support": 0}
"""What is compared, and its decimals."""


def report_table(
    clip: CycleReport | None, walker: CycleReport | None, colours: tuple[str, str], names: tuple[str, str]
) -> str:
    """Both gaits as an HTML table: the clip's column first."""
    both = (clip, walker)
    rows = [
        (PARAMETERS[name].title, *(_number(one, name, digits) for one in both), PARAMETERS[name].unit)
        for name, digits in ROWS.items()
    ]
    rows.append(("flight", *("—" if one is None else f"{_flight(one):.0f}" for one in both), "%"))
    head = ("", *(name if len(name) <= 14 else f"{name[:13]}…" for name in names), "")
    return table(rows, "gaits", head, ("", *colours, ""))


def _number(report: CycleReport | None, name: str, digits: int) -> str:
    value = None if report is None else report.parameters[name]["both"]
    return f"{value.mean:.{digits}f}" if value is not None and value.count else "—"


def _flight(report: CycleReport) -> float:
    """Per cent of the cycles with both feet off the ground."""
    spans = [(c.other_strike - c.off + c.end - c.other_off) / c.duration if c.runs else 0.0 for c in report.cycles]
    return 100.0 * float(np.nanmean(spans))


def profiles_drawing(clip: CycleReport | None, walker: CycleReport | None, colours: tuple[str, str]) -> str:
    """Mean leg angles over the gait cycle, from landing to landing, of both gaits; empty where the clip has none."""
    if clip is None:
        return ""
    there = [dict(one.curves) for one in (clip, walker) if one is not None]
    alike = profile_correlation(there[0], there[-1]) if walker is not None else {}
    rows = []
    for name in clip.curves:
        lines = [Line(one[name].mean(axis=0), colour) for one, colour in zip(there, colours) if name in one]
        r = f", r = {alike[name]:.2f}" if name in alike else ""
        rows.append((f"{PANELS[name].title}{r}", lines, None))
    return curves(rows, "from landing to landing", "profiles")
