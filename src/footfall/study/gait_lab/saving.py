"""Analyses as files, by suffix."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.errors import FootfallError
from footfall.pictures.page import PLOT_SUFFIXES, save_figure
from footfall.study.gait_lab.tables import all_tables, curve_table
from footfall.writing import write_whole

if TYPE_CHECKING:
    from footfall.study.gait_lab.analysis import Analysis

MOTION_SUFFIXES = (".c3d", ".mot", ".sto", ".trc")
SUFFIXES = (".html", *PLOT_SUFFIXES, ".csv", ".xlsx", ".json", ".nc", *MOTION_SUFFIXES)


def save_analyses(analyses: Sequence["Analysis"], path: str | Path) -> Path:
    """Write one analysis or several beside each other: a page (.html), pictures (.png, .svg, .pdf), tables (.csv: the
    curves; .xlsx: everything), .json, .nc (xarray's NetCDF), or one walk for other programs (.c3d, .mot, .sto, .trc).
    The file appears whole or not at all."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FootfallError(f"{path}: an analysis is saved as one of: {', '.join(SUFFIXES)}")
    if suffix in (".csv", ".nc", *MOTION_SUFFIXES) and len(analyses) > 1:
        raise FootfallError(f"{path}: a {suffix} file holds one walk; choose .html, .xlsx or .json for several")
    if suffix in PLOT_SUFFIXES:
        from footfall.study.gait_lab.plots import plot_analyses

        return save_figure(plot_analyses(analyses), path)
    if suffix == ".html":
        from footfall.study.gait_lab.page import page_html

        write_whole(path, page_html(analyses).encode())
    elif suffix == ".json":
        found = [a.to_dict() for a in analyses]
        write_whole(path, json.dumps(found[0] if len(found) == 1 else found, ensure_ascii=False).encode())
    elif suffix == ".xlsx":
        from footfall.study.gait_lab.xlsx import write_workbook

        write_whole(path, lambda part: write_workbook(part, all_tables(analyses)))
    elif suffix == ".csv":
        write_whole(path, lambda part: _write_csv(analyses[0], part))
    elif suffix == ".nc":
        write_whole(path, lambda part: analyses[0].to_xarray().to_netcdf(part, engine="h5netcdf"))
    else:
        from footfall.study.gait_lab.exporting import export_walk

        write_whole(path, lambda part: export_walk(analyses[0], part))
    return path


def _write_csv(analysis: "Analysis", path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [["" if cell is None else cell for cell in row] for row in curve_table(analysis)]
        )
