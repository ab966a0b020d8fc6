"""C3D files, in: the paths of markers as points, forces of force platforms, and gait events.

Bytes may be in Intel, MIPS or DEC order, points integers or floats. Analogue channels other than those of force
platforms are left out.
"""

import struct
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.c3d_forces import event_list, plate_signals
from footfall.motion.formats.c3d_parameters import DEC, INTEL, MIPS, C3DParameters, read_parameters, read_reals
from footfall.motion.formats.conventions import UNITS, unit_named
from footfall.motion.markers.markers import Markers, Plate
from footfall.motion.markers.solving import motion_of_markers
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array

_BLOCK = 512
_PARTS = ("LegLength", "AsisTrocanterDistance", "KneeWidth", "AnkleWidth", "ElbowWidth", "WristWidth", "ShoulderOffset")
_SIZES = ("InterAsisDistance", *(f"{side}{part}" for side in "LR" for part in _PARTS))


def read_c3d(path: Path, *, up: str = "auto") -> Motion:
    """A C3D file as a motion.

    Markers with Plug-in Gait's labels are solved onto a skeleton (see ``footfall.motion.markers``); others give a
    motion of one joint at their middle. The channel ``markers`` [T, M, 3] holds their paths.

    Args:
        path: the file.
        up: the upward axis, "z", "y" …; "auto" takes the one along which trunk markers stand above those of the feet.
    """
    return motion_of_markers(read_markers(path), path, "c3d", up=up)


def read_markers(path: str | Path) -> Markers:
    """The markers of a C3D file."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error
    if len(content) < 2 * _BLOCK or content[1] != 0x50 or content[0] == 0:
        raise FootfallError(f"{path}: not a C3D file (its second byte must be 0x50)")
    try:
        return _read(content, path)
    except (struct.error, IndexError, ValueError, OverflowError) as error:
        raise FootfallError(f"{path}: a damaged C3D file ({' '.join(str(error).split())[:80]})") from error


def _read(content: bytes, path: Path) -> Markers:
    at = (content[0] - 1) * _BLOCK
    if at + 4 > len(content):
        raise FootfallError(f"{path}: its parameters lie beyond the end of the file")
    kind = content[at + 3]
    if kind not in (INTEL, DEC, MIPS):
        raise FootfallError(f"{path}: unknown byte order {kind}; C3D knows 84, 85 and 86")
    mark = ">" if kind == MIPS else "<"
    points, analogue, first, last = struct.unpack_from(f"{mark}4H", content, 2)
    scale, rate = (float(read_reals(content[place : place + 4], kind)[0]) for place in (12, 20))
    start, times = struct.unpack_from(f"{mark}2H", content, 16)
    parameters = read_parameters(content, at, kind)
    frames = last - first + 1
    if frames < 1 or points < 1 or not (np.isfinite(rate) and 0 < rate < 1e6):
        raise FootfallError(f"{path}: {frames} frames of {points} points at {rate:g} a second; that is not a recording")
    real = scale < 0
    words = 4 * points + analogue
    size = words * (4 if real else 2)
    here = (start - 1) * _BLOCK
    if here < 0 or here + size * frames > len(content):
        have = max((len(content) - here) // size, 0)
        raise FootfallError(f"{path}: {frames} frames are announced, but the data ends after {have}; is it cut off?")
    raw = content[here : here + size * frames]
    table = read_reals(raw, kind) if real else np.frombuffer(raw, f"{mark}i2").astype(float)
    table = table.reshape(frames, words)
    rows = table[:, : 4 * points].reshape(frames, points, 4)
    places = rows[..., :3] * (1.0 if real else abs(scale))
    said = parameters.text("POINT", "UNITS")
    named = unit_named(said)
    unit = UNITS[named or "mm"]
    notes = () if named else (f"its unit '{said.strip()}' is not a known unit of length; millimetres were taken",)
    positions = np.where((rows[..., 3:] < 0) | ~np.isfinite(places), np.nan, places * unit)
    labels = _labels(parameters, points)
    kept = _markers_alone(labels, parameters)
    upward = parameters.text("POINT", "Y_SCREEN").lower().removeprefix("+")
    measured = {name: float(value.flat[0]) for name, value in parameters.group("PROCESSING").items() if value.size == 1}
    sizes = {name: value * unit for name, value in measured.items() if np.isfinite(value)}
    analogue_rate = rate * max(times, 1)
    plates, remark = _plates(table[:, 4 * points :], max(times, 1), parameters, unit, rate)
    return Markers(
        tuple(labels[k] for k in kept),
        np.arange(frames) / rate,
        positions[:, kept],
        unit=named or "mm",
        up=upward,
        sizes={size: value for size in _SIZES if (value := sizes.get(size.upper(), 0.0)) > 0},
        notes=(*notes, *((remark,) if remark else ())),
        plates=plates,
        plate_rate=analogue_rate,
        events=event_list(parameters, (first - 1) / rate),
        mass=measured.get("BODYMASS", 0.0),
    )


def _plates(
    table: Array, times: int, parameters: C3DParameters, unit: float, rate: float
) -> tuple[tuple[Plate, ...], str]:
    """Force platforms from the analogue samples [T, channels × times], and a remark where they make no sense."""
    if not table.shape[1] or table.shape[1] % times:
        return (), ""
    try:
        return plate_signals(table.reshape(len(table) * times, -1), parameters, unit, rate), ""
    except (ValueError, IndexError, FootfallError) as error:
        return (), f"its force platforms were left out: {' '.join(str(error).split())[:80]}"


def _markers_alone(labels: tuple[str, ...], parameters: C3DParameters) -> list[int]:
    """The points that are places: not the angles, forces, moments and powers that Vicon keeps among them."""
    computed: set[str] = set()
    for kind in ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"):
        computed |= set(parameters.texts("POINT", kind))
    kept = [k for k, label in enumerate(labels) if label not in computed]
    return kept or list(range(len(labels)))


def _labels(parameters: C3DParameters, count: int) -> tuple[str, ...]:
    names = parameters.texts("POINT", "LABELS")
    return tuple((names[k] if k < len(names) else "") or f"marker{k + 1}" for k in range(count))
