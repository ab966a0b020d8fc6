"""Analyses as tables and plain values: what CSV, XLSX and JSON files hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.study.gait_lab.balance import MEASURES
from footfall.study.gait_lab.cycles import POINTS
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import PARAMETERS
from footfall.study.gait_lab.walk_measures import WALK_MEASURES

if TYPE_CHECKING:
    from footfall.study.gait_lab.analysis import Analysis

Cell = str | float | int | None
Table = list[list[Cell]]


def _number(value: float, digits: int = 6) -> float | None:
    return round(float(value), digits) if np.isfinite(value) else None


def parameter_table(analyses: Sequence["Analysis"]) -> Table:
    """A row for each parameter and measure: per walk left and right with deviations, symmetry, and people's range."""
    head: list[Cell] = ["parameter", "unit"]
    for a in analyses:
        word = f"{a.name}: " if len(analyses) > 1 else ""
        head += [f"{word}left", f"{word}left sd", f"{word}right", f"{word}right sd", f"{word}symmetry [%]"]
        head += [f"{word}people low", f"{word}people high"]
    rows: Table = [head]
    for name, parameter in PARAMETERS.items():
        row: list[Cell] = [parameter.title, parameter.unit]
        for a in analyses:
            own = a.parameters[name]
            for side in ("left", "right"):
                row += [_number(own[side].mean), _number(own[side].deviation)]
            people = a.norms.parameters.get(name) if a.norms is not None else None
            row.append(_number(a.symmetry(name), 3))
            row += [_number(people.low), _number(people.high)] if people is not None else [None, None]
        rows.append(row)
    for name, (title, unit) in MEASURES.items():
        row = [title, unit]
        for a in analyses:
            values = a.measures.get(name)
            for side in ("left", "right"):
                row += [_number(values[side].mean), _number(values[side].deviation)] if values else [None, None]
            row += [None, None, None]
        if any(cell is not None for cell in row[2:]):
            rows.append(row)
    return rows


def match_table(analyses: Sequence["Analysis"]) -> Table:
    """Match and Gait Variable Score of every curve with people's band, and the Gait Profile Score."""
    with_people = [a for a in analyses if a.bands]
    if not with_people:
        return []
    head: list[Cell] = ["curve"]
    for a in with_people:
        head += [f"{a.name}: match [%]", f"{a.name}: left [%]", f"{a.name}: right [%]"]
        head += [f"{a.name}: left score [°]", f"{a.name}: right score [°]"]
    rows: Table = [head]
    for name in [n for n in PANELS if any(n in a.matches for a in with_people)]:
        row: list[Cell] = [PANELS[name].title]
        for a in with_people:
            found, scores = a.matches.get(name, {}), a.variable_scores.get(name, {})
            row += [_number(found.get(side, np.nan), 2) for side in ("both", "left", "right")]
            row += [_number(scores.get(side, np.nan), 3) for side in ("left", "right")]
        rows.append(row)
    row = ["Gait Profile Score"]
    for a in with_people:
        row += [None, None, None, *(_number(a.profile.get(side, np.nan), 3) for side in ("left", "right"))]
    rows.append(row)
    return rows


def measure_table(analyses: Sequence["Analysis"]) -> Table:
    """The measures of every walk's mean cycle, which searches take as goals."""
    rows: Table = [["measure", "unit", *(a.name for a in analyses), "definition"]]
    for name, measure in WALK_MEASURES.items():
        values = [_number(a.walk_measures.get(name, np.nan), 4) for a in analyses]
        if any(value is not None for value in values):
            rows.append([measure.title, measure.unit, *values, measure.definition])
    return rows


def peak_table(analyses: Sequence["Analysis"]) -> Table:
    """Schwartz's numbers of every walk beside people's."""
    names = [n for a in analyses for n in a.peaks]
    if not names:
        return []
    head: list[Cell] = ["number"]
    for a in analyses:
        head += [f"{a.name}: left", f"{a.name}: right", f"{a.name}: people", f"{a.name}: people sd"]
    rows: Table = [head]
    for name in dict.fromkeys(names):
        row: list[Cell] = [name]
        for a in analyses:
            people = a.norms.peaks.get(name) if a.norms is not None else None
            row += [_number(a.peaks.get(name, {}).get(side, np.nan), 4) for side in ("left", "right")]
            row += [_number(people.mean, 4), _number(people.deviation, 4)] if people else [None, None]
        rows.append(row)
    return rows


def curve_table(a: "Analysis") -> Table:
    """Per cent of the cycle, then mean and deviation of each curve, side by side, as Visual3D writes them; people's
    band behind."""
    columns: list[tuple[str, np.ndarray]] = []
    for name, sides in a.curves.items():
        unit = PANELS[name].unit
        for side, rows in sides.items():
            columns.append((f"{side}_{name} [{unit}]", rows.mean(axis=0)))
            columns.append(
                (f"{side}_{name} sd [{unit}]", rows.std(axis=0, ddof=1) if len(rows) > 1 else np.full(POINTS, np.nan))
            )
        if name in a.bands:
            columns += [
                (f"people_{name} [{unit}]", a.bands[name].mean),
                (f"people_{name} sd [{unit}]", a.bands[name].deviation),
            ]
    for side, path in a.pressure.items():
        columns.append((f"{side}_cop_along_foot [m]", path[..., 0].mean(axis=0)))
        columns.append((f"{side}_cop_outwards [m]", path[..., 1].mean(axis=0)))
    head: list[Cell] = ["percent", *(name for name, _ in columns)]
    lines: Table = [[k, *(_number(values[k]) for _, values in columns)] for k in range(POINTS)]
    return [head, *lines]


def event_table(a: "Analysis") -> Table:
    """Every event in order of time."""
    rows: Table = [[round(t, 6), side, f"foot {kind}"] for t, side, kind in a.events.rows()]
    return [["time [s]", "side", "event"], *rows]


def all_tables(analyses: Sequence["Analysis"]) -> dict[str, Table]:
    """Name of a sheet -> its table."""
    tables = {"parameters": parameter_table(analyses)}
    tables["measures"] = measure_table(analyses)
    for name, table in (("match", match_table(analyses)), ("peaks", peak_table(analyses))):
        if table:
            tables[name] = table
    for a in analyses:
        word = f" {a.name}" if len(analyses) > 1 else ""
        tables[f"curves{word}"] = curve_table(a)
        tables[f"events{word}"] = event_table(a)
    notes: Table = [[a.name, note] for a in analyses for note in a.notes]
    return tables | ({"notes": [["walk", "note"], *notes]} if notes else {})


def plain_analysis(a: "Analysis") -> dict[str, Any]:
    """Everything of an analysis, for JSON."""

    def values(rows: Any) -> dict[str, Any]:
        return {
            name: {
                side: {"mean": _number(v.mean), "sd": _number(v.deviation), "n": v.count} for side, v in sides.items()
            }
            for name, sides in rows.items()
        }

    humps = {
        side: dict(zip(("first_peak", "second_peak", "dip"), ([p, _number(v)] for p, v in rows), strict=True))
        | {"two_humps": a.two_humps(side)}
        for side, rows in a.humps.items()
    }
    return {
        "name": a.name,
        "speed_mps": _number(a.speed),
        "mass_kg": _number(a.mass, 3),
        "leg_m": _number(a.leg, 4),
        "cycles": {side: sum(c.side == side for c in a.cycles) for side in ("left", "right")},
        "first_and_last_left_out": a.left_out,
        "events_from": a.events.source,
        "events": [[round(t, 6), side, kind] for t, side, kind in a.events.rows()],
        "event_differences": [
            {
                "first": d.first,
                "second": d.second,
                "pairs": d.pairs,
                "missed": d.missed,
                "mean_s": _number(d.mean),
                "worst_s": _number(d.worst),
            }
            for d in a.differences
        ],
        "parameters": values(a.parameters),
        "symmetry_percent": {name: _number(a.symmetry(name), 3) for name in a.parameters},
        "measures": values(a.measures),
        "walk_measures": {name: _number(value, 4) for name, value in a.walk_measures.items()},
        "kinetics_from": a.kinetics,
        "closure": [
            {
                "foot": side,
                "from_s": _number(c.times[0]),
                "to_s": _number(c.times[-1]),
                "force_percent": dict(zip(("ahead", "aside", "up"), (_number(v, 3) for v in c.force), strict=True)),
                "moment_percent": dict(zip(("ahead", "aside", "up"), (_number(v, 3) for v in c.moment), strict=True)),
                "fits_mass_kg": _number(c.mass, 2),
            }
            for side, c in a.closures
        ],
        "people": a.norms.label if a.norms is not None else None,
        "match_percent": {n: {s: _number(v, 2) for s, v in own.items()} for n, own in a.matches.items()},
        "gait_variable_score_deg": {
            n: {s: _number(v, 3) for s, v in own.items()} for n, own in a.variable_scores.items()
        },
        "gait_profile_score_deg": {side: _number(v, 3) for side, v in a.profile.items()},
        "peaks": {n: {s: _number(v, 4) for s, v in own.items()} for n, own in a.peaks.items()},
        "double_hump": humps,
        "curves": {
            name: {side: [_number(v, 5) for v in rows.mean(axis=0)] for side, rows in sides.items()}
            for name, sides in a.curves.items()
        },
        "notes": list(a.notes),
    }
