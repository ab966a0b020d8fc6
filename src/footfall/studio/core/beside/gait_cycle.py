"""Gait cycles of the walker or of a clip as a gait laboratory draws them: leg angles, people's bands, a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion.gait.body_angles import body_angles
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import leg_length
from footfall.studio.core.markup import Line, curves, table
from footfall.studio.core.session.session import Session
from footfall.study.gait_lab.cycles import Cycle, find_cycles, over_cycle, settled
from footfall.study.gait_lab.event_sources import best_events
from footfall.study.gait_lab.norms import Band, Norms
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import PARAMETERS, Value, gait_parameters
from footfall.study.gait_lab.walk_measures import MeanCycle, walk_measures

Array = NDArray[np.float64]

SHOWN = ("hip_flexion", "knee_flexion", "ankle_dorsiflexion", "pelvis_obliquity")
ROWS = ("cadence", "step_length", "step_width", "stance", "double_support")
USUAL_SPEED = 1.2
"""m/s, before a walk's own is known."""


@dataclass(frozen=True, eq=False)
class CycleReport:
    """Whole cycles.

    Attributes:
        cycles: in order of time. curves: angle -> [cycles, 101] degrees.
        parameters: as ``footfall analyse`` has them, without the first and the last cycle of many.
        bands: people's; empty without their tables. matches: angle -> per cent.
    """

    cycles: tuple[Cycle, ...]
    curves: Mapping[str, Array]
    parameters: Mapping[str, Mapping[str, Value]]
    bands: Mapping[str, Band]
    matches: Mapping[str, float]

    @classmethod
    def of(cls, motion: Motion, norms: Norms | None = None) -> "CycleReport | None":
        """Of a motion, by its contacts where it has them; None without legs or a whole cycle."""
        try:
            events, _ = best_events(motion)
            cycles, angles = find_cycles(events), body_angles(motion)
        except FootfallError:
            return None
        if not cycles:
            return None
        curves = {
            name: np.degrees([over_cycle(angles[f"{c.side}_{name}"], motion.times, c) for c in cycles])
            for name in SHOWN
            if all(f"{side}_{name}" in angles for side in ("left", "right"))
        }
        parameters = gait_parameters(motion, events, settled(cycles)[0])
        speed = parameters["speed"]["both"].mean
        bands = norms.at(speed).beside() if norms is not None and np.isfinite(speed) else {}
        mean = MeanCycle(
            {name: rows.mean(axis=0) for name, rows in curves.items()}, parameters["stance"]["both"].mean, 1.0
        )
        found = walk_measures(mean, bands)
        matches = {name: found[f"match_{name}"] for name in SHOWN if name in bands}
        return cls(tuple(cycles), curves, parameters, {n: b for n, b in bands.items() if n in curves}, matches)


def walked_lately(session: Session, seconds: float, until: float | None) -> Motion | None:
    """The walker's last seconds before a time (now), with its contacts; None before it walked."""
    figure = session.world.figure
    if len(session.history) < 3 or not figure.legs:
        return None
    seen = session.history.last(seconds, until=until)
    if len(seen) < 3:
        return None
    return Motion.from_qpos(figure, seen.times.copy(), seen.qpos.copy(), channels={"contact": seen.contact.copy()})


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
        rows.append((parameter.title, *(_number(own[side]) for side in ("left", "right")), parameter.unit))
    return table(rows, "gait-cycles", ("", "left", "right", ""))


def _number(value: Value) -> str:
    return f"{value.mean:.3g}" if value.count else "—"


def cycle_drawing(report: CycleReport, colours: tuple[str, str], chosen: int | None = None) -> str:
    """Every cycle's angles, left and right, over people's bands; a ``chosen`` cycle is drawn strongly."""
    shown = []
    for name, rows in report.curves.items():
        lines = []
        for number, (cycle, row) in enumerate(zip(report.cycles, rows, strict=True)):
            width, opacity = (1.6, 1.0) if chosen is None or number == chosen else (0.6, 0.4)
            right = cycle.side == "right"
            lines.append(Line(row, colours[right], width, opacity, dashed=right))
        band = report.bands.get(name)
        edges = None if band is None else (band.mean - band.deviation, band.mean + band.deviation)
        match = f", match {report.matches[name]:.0f} %" if name in report.matches else ""
        shown.append((f"{PANELS[name].title}{match}", lines, edges))
    return curves(shown, "0 to 100 % of the gait cycle", "gait-curves")
