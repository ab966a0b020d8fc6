"""TRC files, in: marker paths as text, as Motion Analysis and OpenSim write them."""

import math
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import UNITS, unit_named
from footfall.motion.markers.markers import Markers
from footfall.motion.markers.solving import motion_of_markers
from footfall.motion.motion import Motion

_LARGEST = 1 << 28


def read_trc(path: Path, *, up: str = "auto") -> Motion:
    """A TRC file as a motion: solved onto a skeleton where the labels are Plug-in Gait's, as ``read_c3d`` does.

    Args:
        path: the file.
        up: the upward axis; "auto" takes the one along which trunk markers stand above those of the feet.
    """
    return motion_of_markers(read_trc_markers(path), path, "trc", up=up)


def read_trc_markers(path: Path) -> Markers:
    """The markers of a TRC file; an empty field is a marker that was not seen."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FootfallError(f"{path}: too large for a TRC file (at most {_LARGEST >> 20} MB)")
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise FootfallError(f"{path}, line 1: not a TRC file (it must begin with PathFileType)")
    said = dict(zip(lines[1].split("\t"), lines[2].split("\t")))
    said = {name.strip(): value.strip() for name, value in said.items()}
    named = unit_named(said.get("Units", ""))
    notes = (
        ()
        if named
        else (f"its unit '{said.get('Units', '')[:20]}' is not a known unit of length; millimetres were taken",)
    )
    names = tuple(word.strip() for word in lines[3].split("\t")[2:] if word.strip())
    if not names:
        raise FootfallError(f"{path}, line 4: no marker is named")
    clock, rows = [], []
    for number, line in enumerate(lines[5:], start=6):
        if not line.strip():
            continue
        cells = line.rstrip("\n").split("\t")
        values = [_number(cell, path, number) for cell in cells[1 : 2 + 3 * len(names)]]
        if len(values) < 1 or not math.isfinite(values[0]):
            raise FootfallError(f"{path}, line {number}: expected a frame number and a time")
        clock.append(values[0])
        rows.append((values[1:] + [math.nan] * 3 * len(names))[: 3 * len(names)])
    if not rows:
        raise FootfallError(f"{path}: it has no frames")
    times = np.array(clock)
    if (np.diff(times) <= 0).any():
        raise FootfallError(f"{path}, line {int(np.argmax(np.diff(times) <= 0)) + 7}: times must increase")
    positions = np.array(rows).reshape(len(rows), len(names), 3) * UNITS[named or "mm"]
    return Markers(names, times - times[0], positions, unit=named or "mm", notes=notes)


def _number(cell: str, path: Path, number: int) -> float:
    if not cell.strip():
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise FootfallError(f"{path}, line {number}: '{cell.strip()[:40]}' is not a number") from None
    return value if abs(value) < 1e7 else math.nan
