"""The walker's last gait cycles as a gait laboratory draws them: leg angles by side, people's bands, a table."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.body_angles import body_angles
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import leg_length
from footfall.study.gait_lab.cycles import Cycle, find_cycles, over_cycle
from footfall.study.gait_lab.events import contact_events
from footfall.study.gait_lab.norms import Band, Norms
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import PARAMETERS, Value, gait_parameters
from footfall.study.gait_lab.walk_measures import MeanCycle, walk_measures

__all__ = ["CycleReport", "cycle_drawing", "cycle_table", "people_for"]

Array = NDArray[np.float64]

SHOWN = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "pelvis_obliquity")
ROWS = ("cadence", "step_length", "step_width", "stance", "double_support")
INK, FAINT, BAND = "var(--ff-ink)", "var(--ff-faint)", "var(--ff-faint)"
WIDTH, EACH = 340, 92
USUAL_SPEED = 1.2
"""m/s, before a walk's own is known."""


@dataclass(frozen=True, eq=False)
class CycleReport:
    """The last whole cycles.

    Attributes:
        cycles: in order of time. curves: angle -> [cycles, 101] degrees.
        parameters: as the gait laboratory has them. bands: people's; empty without their tables.
        matches: angle -> per cent.
    """

    cycles: tuple[Cycle, ...]
    curves: Mapping[str, Array]
    parameters: Mapping[str, Mapping[str, Value]]
    bands: Mapping[str, Band]
    matches: Mapping[str, float]

    @classmethod
    def of(cls, motion: Motion, norms: Norms | None = None) -> "CycleReport | None":
        """Of a walker's motion with its contacts; None where it has no whole cycle."""
        events = contact_events(motion)
        cycles = find_cycles(events) if events is not None else []
        if events is None or not cycles:
            return None
        angles = body_angles(motion)
        curves = {
            name: np.degrees([over_cycle(angles[f"{c.side}_{name}"], motion.times, c) for c in cycles])
            for name in SHOWN
            if all(f"{side}_{name}" in angles for side in ("left", "right"))
        }
        parameters = gait_parameters(motion, events, cycles)
        speed = parameters["speed"]["both"].mean
        bands = norms.at(speed).beside() if norms is not None and np.isfinite(speed) else {}
        mean = MeanCycle(
            {name: rows.mean(axis=0) for name, rows in curves.items()}, parameters["stance"]["both"].mean, 1.0
        )
        found = walk_measures(mean, bands)
        matches = {name: found[f"match_{name}"] for name in SHOWN if name in bands}
        return cls(tuple(cycles), curves, parameters, {n: b for n, b in bands.items() if n in curves}, matches)


def people_for(folder: str, motion: Motion) -> Norms | None:
    """People's tables in a folder, for a walker's leg; None for no folder."""
    return _tables(folder, round(leg_length(motion.skeleton), 3)) if folder else None


@lru_cache(maxsize=4)
def _tables(folder: str, leg: float) -> Norms:
    return Norms(Path(folder), USUAL_SPEED, leg)


def cycle_table(report: CycleReport) -> str:
    """The table of the last cycles, as HTML."""
    rows = []
    for name in ROWS:
        parameter, own = PARAMETERS[name], report.parameters[name]
        cells = "".join(f"<td>{_number(own[side])}</td>" for side in ("left", "right"))
        rows.append(
            f"<tr style='white-space:nowrap'><td>{html.escape(parameter.title)}</td>{cells}"
            f"<td style='color:var(--ff-soft)'>{html.escape(parameter.unit)}</td></tr>"
        )
    return (
        "<table data-testid='gait-cycles' style='font-size:12px;width:100%;padding:2px 10px'>"
        f"<tr><td></td><td>left</td><td>right</td><td></td></tr>{''.join(rows)}</table>"
    )


def _number(value: Value) -> str:
    return f"{value.mean:.3g}" if value.count else "—"


def cycle_drawing(report: CycleReport, colours: tuple[str, str], chosen: int | None = None) -> str:
    """Every cycle's angles, left and right, over people's bands; a ``chosen`` cycle is drawn strongly."""
    parts = []
    for k, (name, rows) in enumerate(report.curves.items()):
        band = report.bands.get(name)
        ends = (
            [rows] if band is None else [rows, (band.mean - band.deviation)[None], (band.mean + band.deviation)[None]]
        )
        low, high = min(float(e.min()) for e in ends), max(float(e.max()) for e in ends)
        top, tall = 16 + EACH * k, EACH - 24
        if band is not None:
            edges = [*zip(range(101), band.mean + band.deviation, strict=True)]
            edges += [*zip(range(100, -1, -1), (band.mean - band.deviation)[::-1], strict=True)]
            points = " ".join(_point(p, v, low, high, top, tall) for p, v in edges)
            parts.append(f"<polygon points='{points}' fill='{BAND}' opacity='0.5'/>")
        parts.append(f"<rect x='36' y='{top}' width='{WIDTH - 46}' height='{tall}' fill='none' stroke='{FAINT}'/>")
        for number, (cycle, row) in enumerate(zip(report.cycles, rows, strict=True)):
            points = " ".join(_point(p, v, low, high, top, tall) for p, v in enumerate(row))
            strong = chosen is None or number == chosen
            dash = " stroke-dasharray='5 3'" if cycle.side == "right" else ""
            parts.append(
                f"<polyline points='{points}' fill='none' stroke='{colours[cycle.side == 'right']}'{dash} "
                f"stroke-width='{1.6 if strong else 0.6}' opacity='{1 if strong else 0.4}'/>"
            )
        match = f", match {report.matches[name]:.0f} %" if name in report.matches else ""
        parts.append(f"<text x='38' y='{top - 4}' font-weight='600'>{PANELS[name].title}{match}</text>")
        parts.append(f"<text x='32' y='{top + 8}' text-anchor='end'>{high:.0f}°</text>")
        parts.append(f"<text x='32' y='{top + tall}' text-anchor='end'>{low:.0f}°</text>")
    height = 16 + EACH * len(report.curves)
    parts.append(
        f"<text x='{WIDTH / 2 + 13}' y='{height - 2}' text-anchor='middle'>0 to 100 % of the gait cycle</text>"
    )
    return (
        f"<div style='padding:2px 10px'><svg data-testid='gait-curves' viewBox='0 0 {WIDTH} {height}' width='100%' "
        f"font-family='system-ui,sans-serif' font-size='10' fill='{INK}'>{''.join(parts)}</svg></div>"
    )


def _point(percent: float, value: float, low: float, high: float, top: float, tall: float) -> str:
    x = 36 + (WIDTH - 46) * percent / 100
    return f"{x:.1f},{top + tall * (1.0 - (value - low) / max(high - low, 1.0)):.1f}"
