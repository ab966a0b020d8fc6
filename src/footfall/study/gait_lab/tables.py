"""Analyses as files: tables for CSV, XLSX and JSON, and walks for other programs (C3D with angles, moments, powers,
forces and events; OpenSim's coordinates and forces).
"""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.escaping import csv_cell, plain_line
from footfall.figures.side_names import SIDES
from footfall.motion.formats.c3d_writer import Computed, write_c3d
from footfall.motion.formats.opensim import OPENSIM_AXES, write_opensim, write_storage, write_trc
from footfall.motion.gait.angles import body_angles
from footfall.pictures.page import PLOT_SUFFIXES, save_figure
from footfall.pictures.web_page import Verdict
from footfall.study.gait_lab.ground_forces import foot_forces
from footfall.study.gait_lab.page import page_html, plot_analyses, rounded
from footfall.study.measures.cycles import POINTS
from footfall.study.measures.people import PANELS
from footfall.study.measures.strides import Value
from footfall.study.measures.table import BALANCE_MEASURES, CYCLE_MEASURES, MEASURES, PARAMETERS
from footfall.text_files import write_whole

if TYPE_CHECKING:
    from footfall.study.gait_lab.analysis import Analysis

Cell = str | float | int | None
Table = list[list[Cell]]


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
            people = a.norms.parameters.get(name) if a.norms is not None else None
            row += [*_both_sides(a.parameters[name]), rounded(a.symmetry(name), 3)]
            row += [rounded(people.low), rounded(people.high)] if people is not None else [None, None]
        rows.append(row)
    for name, measure in BALANCE_MEASURES.items():
        if any(name in a.measures for a in analyses):
            cells = [[*_both_sides(a.measures.get(name)), None, None, None] for a in analyses]
            rows.append([measure.title, measure.unit, *(cell for own in cells for cell in own)])
    return rows


def _both_sides(values: Mapping[str, Value] | None) -> list[Cell]:
    """Mean and deviation of the left side and of the right one."""
    if values is None:
        return [None] * 4
    return [rounded(number) for side in SIDES for number in (values[side].mean, values[side].deviation)]


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
            row += [rounded(found.get(side, np.nan), 2) for side in ("both", "left", "right")]
            row += [rounded(scores.get(side, np.nan), 3) for side in ("left", "right")]
        rows.append(row)
    row = ["Gait Profile Score"]
    for a in with_people:
        row += [None, None, None, *(rounded(a.profile.get(side, np.nan), 3) for side in ("left", "right"))]
    rows.append(row)
    return rows


def measure_table(analyses: Sequence["Analysis"]) -> Table:
    """The measures of every walk's mean cycle, which searches take as goals."""
    rows: Table = [["measure", "unit", *(a.name for a in analyses), "definition"]]
    for name, measure in CYCLE_MEASURES.items():
        values = [rounded(a.walk_measures.get(name, np.nan), 4) for a in analyses]
        if any(value is not None for value in values):
            rows.append([measure.title, measure.unit, *values, measure.definition])
    if any(np.isfinite(a.leg_clearance) for a in analyses):
        row = MEASURES["leg_clearance"]
        rows.append([row.title, row.unit, *(rounded(a.leg_clearance, 4) for a in analyses), row.definition])
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
            row += [rounded(a.peaks.get(name, {}).get(side, np.nan), 4) for side in ("left", "right")]
            row += [rounded(people.mean, 4), rounded(people.deviation, 4)] if people else [None, None]
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
    lines: Table = [[k, *(rounded(values[k]) for _, values in columns)] for k in range(POINTS)]
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
    axes = ("ahead", "aside", "up")
    return {
        "name": a.name,
        "speed_mps": rounded(a.speed),
        "mass_kg": rounded(a.mass, 3),
        "leg_m": rounded(a.leg, 4),
        "cycles": a.cycle_counts,
        "first_and_last_left_out": a.left_out,
        "events_from": a.events.source,
        "events": [[round(t, 6), side, kind] for t, side, kind in a.events.rows()],
        "event_differences": [
            {"first": d.first, "second": d.second, "pairs": d.pairs, "missed": d.missed}
            | {"mean_s": rounded(d.mean), "worst_s": rounded(d.worst)}
            for d in a.differences
        ],
        "parameters": _plain_values(a.parameters),
        "symmetry_percent": {name: rounded(a.symmetry(name), 3) for name in a.parameters},
        "measures": _plain_values(a.measures),
        "walk_measures": rounded(a.walk_measures, 4),
        "steadiness": {
            "turn_deg_per_stride": rounded(a.steadiness.turn, 2),
            "speed_change_percent": rounded(a.steadiness.change, 2),
            "cycles": len(a.steadiness.turns),
            "steady_cycles": int(a.steadiness.steady.sum()),
        },
        "platform_contacts": [
            {"foot": c.side or None, "platforms": [plate + 1 for plate in c.plates]}
            | {"from_s": rounded(c.start), "to_s": rounded(c.end), "left_out": c.fault or None}
            for c in a.contacts
        ],
        "force_errors": {
            name: {"rms": rounded(e.error, 4), "percent_of_range": rounded(e.share, 2), "contacts": e.contacts}
            | {"unit": PANELS[name].unit}
            for name, e in a.force_errors.items()
        },
        "leg_clearance": _plain_clearance(a),
        "kinetics_from": a.kinetics,
        "energy_joules": rounded(asdict(a.energy) | {"unexplained": a.energy.unexplained}, 3) if a.energy else None,
        "closure": [
            {
                "foot": side,
                "from_s": rounded(c.times[0]),
                "to_s": rounded(c.times[-1]),
                "force_percent": dict(zip(axes, rounded(c.force, 3), strict=True)),
                "moment_percent": dict(zip(axes, rounded(c.moment, 3), strict=True)),
                "fits_mass_kg": rounded(c.mass, 2),
            }
            for side, c in a.closures
        ],
        "people": a.norms.label if a.norms is not None else None,
        "match_percent": rounded(a.matches, 2),
        "gait_variable_score_deg": rounded(a.variable_scores, 3),
        "gait_profile_score_deg": rounded(a.profile, 3),
        "peaks": rounded(a.peaks, 4),
        "double_hump": {
            side: dict(zip(("first_peak", "second_peak", "dip"), ([at, rounded(v)] for at, v in rows), strict=True))
            | {"two_humps": a.two_humps(side)}
            for side, rows in a.humps.items()
        },
        "curves": rounded({n: {s: rows.mean(axis=0) for s, rows in own.items()} for n, own in a.curves.items()}, 5),
        "notes": list(a.notes),
    }


def _plain_clearance(a: "Analysis") -> dict[str, Any] | None:
    """By how much the legs are inside each other, with its unit and sign; None where that is not known."""
    if not np.isfinite(a.leg_clearance):
        return None
    row = MEASURES["leg_clearance"]
    return {"value": rounded(a.leg_clearance), "unit": row.unit, "definition": row.definition}


def _plain_values(rows: Mapping[str, Mapping[str, Value]]) -> dict[str, Any]:
    return {
        name: {side: {"mean": rounded(v.mean), "sd": rounded(v.deviation), "n": v.count} for side, v in sides.items()}
        for name, sides in rows.items()
    }


MOTION_SUFFIXES = (".c3d", ".mot", ".sto", ".trc")
SUFFIXES = (".html", *PLOT_SUFFIXES, ".csv", ".xlsx", ".json", ".nc", *MOTION_SUFFIXES)


def save_analyses(analyses: Sequence["Analysis"], path: str | Path, verdict: Verdict | None = None) -> Path:
    """Write one analysis or several beside each other: a page (.html), pictures (.png, .svg, .pdf), tables (.csv: the
    curves; .xlsx: everything), .json, .nc (xarray's NetCDF), or one walk for other programs (.c3d, .mot, .sto, .trc).
    The file appears whole or not at all; ``verdict`` is what a page says first."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FootfallError(f"{path}: an analysis is saved as one of: {', '.join(SUFFIXES)}")
    if suffix in (".csv", ".nc", *MOTION_SUFFIXES) and len(analyses) > 1:
        raise FootfallError(f"{path}: a {suffix} file holds one walk; choose .html, .xlsx or .json for several")
    if suffix in PLOT_SUFFIXES:
        return save_figure(plot_analyses(analyses), path)
    if suffix == ".html":
        write_whole(path, page_html(analyses, verdict).encode())
    elif suffix == ".json":
        found = [a.to_dict() for a in analyses]
        write_whole(path, json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False).encode())
    elif suffix == ".xlsx":
        write_whole(path, lambda part: write_workbook(part, all_tables(analyses)))
    elif suffix == ".csv":
        write_whole(path, lambda part: _write_csv(analyses[0], part))
    elif suffix == ".nc":
        write_whole(path, lambda part: analyses[0].to_xarray().to_netcdf(part, engine="h5netcdf"))
    else:
        write_whole(path, lambda part: export_walk(analyses[0], part))
    return path


def write_workbook(path: Path, sheets: Mapping[str, Table]) -> None:
    """Write an .xlsx workbook with a sheet for each table; the first row of each is bold, it and the first column stay
    in view. The same tables make the same bytes."""
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"strings_to_formulas": False, "strings_to_urls": False}) as book:
        book.set_properties({"created": datetime(1980, 1, 1, tzinfo=UTC)})
        bold = book.add_format({"bold": True})
        for name, rows in zip(_sheet_names(list(sheets)), sheets.values(), strict=True):
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 1)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row, bold if number == 0 else None)


def _sheet_names(names: Sequence[str]) -> list[str]:
    """Names that a workbook can have: of 31 letters, without its special characters, and each once."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\]", "_", plain_line(name)).strip("'")[:31] or "sheet"
        base, number = plain, 2
        while plain.lower() in (other.lower() for other in found):
            plain, number = f"{base[:27]} {number}", number + 1
        found.append(plain)
    return found


def _write_csv(analysis: "Analysis", path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["" if cell is None else csv_cell(cell) for cell in row] for row in curve_table(analysis)]
        )


Array = NDArray[np.float64]

ANGLES = {
    "PelvisAngles": ("pelvis_tilt", "pelvis_obliquity", "pelvis_rotation"),
    "HipAngles": ("hip_flexion", "hip_adduction", "hip_rotation"),
    "KneeAngles": ("knee_flexion", "", ""),
    "AnkleAngles": ("ankle_dorsiflexion", "", ""),
    "FootProgressAngles": ("", "", "foot_progression"),
}
"""Vicon's label without its side -> the angles that are its three numbers."""
MOMENTS = {
    "HipMoment": ("hip_extension_moment", "hip_abduction_moment"),
    "KneeMoment": ("knee_extension_moment",),
    "AnkleMoment": ("ankle_plantarflexion_moment",),
}
POWERS = {"HipPower": "hip_power", "KneePower": "knee_power", "AnklePower": "ankle_power"}


def export_walk(analysis: "Analysis", path: Path) -> None:
    """Write a walk as .c3d, .mot (coordinates), .sto (ground forces and joint moments; coordinates where it has none)
    or .trc."""
    motion, suffix = analysis.motion, path.suffix.lower()
    if suffix == ".trc":
        write_trc(motion, path)
    elif suffix == ".mot":
        write_opensim(motion, path)
    elif suffix == ".sto":
        columns = _loads(analysis)
        if columns:
            write_storage(path, "ground reaction forces and joint moments", motion.times, columns)
        else:
            write_opensim(motion, path)
    else:
        write_c3d(motion, path, computed=_computed(analysis), events=analysis.events.rows())


def _computed(analysis: "Analysis") -> dict[str, Computed]:
    motion = analysis.motion
    angles = {name: np.degrees(values) for name, values in body_angles(motion).items()}
    none = np.zeros(len(motion))
    found: dict[str, Computed] = {}
    for side, letter in (("left", "L"), ("right", "R")):
        for label, names in ANGLES.items():
            if any(f"{side}_{name}" in angles for name in names):
                rows = [angles.get(f"{side}_{name}", none) for name in names]
                found[f"{letter}{label}"] = Computed("ANGLES", np.stack(rows, axis=-1))
        for label, moments in MOMENTS.items():
            rows = [1000.0 * s for name in moments if (s := analysis.signals.get(f"{side}_{name}")) is not None]
            if rows:
                found[f"{letter}{label}"] = Computed("MOMENTS", np.stack([*rows, none, none][:3], axis=-1))
        for label, name in POWERS.items():
            if f"{side}_{name}" in analysis.signals:
                rows = [none, none, analysis.signals[f"{side}_{name}"]]
                found[f"{letter}{label}"] = Computed("POWERS", np.stack(rows, axis=-1))
    return found


def _loads(analysis: "Analysis") -> dict[str, Array]:
    """Ground forces in OpenSim's names and axes, the right foot first, and joint moments in N m."""
    motion = analysis.motion
    forces = foot_forces(motion, analysis.events)
    columns: dict[str, Array] = {}
    for number, side in enumerate((s for s in ("right", "left") if s in forces), start=1):
        foot = forces[side]
        force, centre = foot.force @ OPENSIM_AXES.T, np.nan_to_num(foot.centre) @ OPENSIM_AXES.T
        turn = np.zeros_like(force)
        turn[:, 1] = foot.twist
        for label, values in ((f"force_{number}_v", force), (f"force_{number}_p", centre), (f"torque_{number}_", turn)):
            columns |= {f"ground_{label}{axis}": values[:, k] for k, axis in enumerate("xyz")}
    for name in PANELS:
        for side, letter in (("right", "r"), ("left", "l")):
            if PANELS[name].group == "moments" and f"{side}_{name}" in analysis.signals:
                columns[f"{name}_{letter}"] = np.nan_to_num(analysis.signals[f"{side}_{name}"]) * analysis.mass
    return columns
