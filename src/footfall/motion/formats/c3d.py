"""C3D files, in: the paths of markers as points.

Bytes may be in Intel, MIPS or DEC order, points integers or floats. Analogue channels and events are left out.
"""

import struct
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import UNITS, unit_named
from footfall.motion.markers.markers import Markers
from footfall.motion.markers.solving import motion_of_markers
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array

__all__ = ["read_c3d", "read_markers"]

_BLOCK = 512
_INTEL, _DEC, _MIPS = 84, 85, 86
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
    if kind not in (_INTEL, _DEC, _MIPS):
        raise FootfallError(f"{path}: unknown byte order {kind}; C3D knows 84, 85 and 86")
    mark = ">" if kind == _MIPS else "<"
    points, analogue, first, last = struct.unpack_from(f"{mark}4H", content, 2)
    scale, rate = (_real(content, place, kind) for place in (12, 20))
    (start,) = struct.unpack_from(f"{mark}H", content, 16)
    parameters, numbers = _parameters(content, at, kind)
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
    table = _reals(raw, kind) if real else np.frombuffer(raw, f"{mark}i2").astype(float)
    rows = table.reshape(frames, words)[:, : 4 * points].reshape(frames, points, 4)
    places = rows[..., :3] * (1.0 if real else abs(scale))
    said = _text(parameters.get(("POINT", "UNITS"), b""))
    named = unit_named(said)
    unit = UNITS[named or "mm"]
    notes = () if named else (f"its unit '{said.strip()}' is not a known unit of length; millimetres were taken",)
    positions = np.where((rows[..., 3:] < 0) | ~np.isfinite(places), np.nan, places * unit)
    labels = _labels(parameters, points)
    kept = _markers_alone(labels, parameters)
    upward = _text(parameters.get(("POINT", "Y_SCREEN"), b"")).strip().lower().removeprefix("+")
    sizes = {name: value * unit for (group, name), value in numbers.items() if group == "PROCESSING"}
    return Markers(
        tuple(labels[k] for k in kept),
        np.arange(frames) / rate,
        positions[:, kept],
        unit=named or "mm",
        up=upward,
        sizes={size: value for size in _SIZES if (value := sizes.get(size.upper(), 0.0)) > 0},
        notes=notes,
    )


def _markers_alone(labels: tuple[str, ...], parameters: dict[tuple[str, str], bytes]) -> list[int]:
    """The points that are places: not the angles, forces, moments and powers that Vicon keeps among them."""
    computed: set[str] = set()
    for kind in ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"):
        data = parameters.get(("POINT", kind), b"")
        width = data[0] if data else 0
        computed |= {_label(data[k : k + width]) for k in range(1, len(data), width)} if width else set()
    kept = [k for k, label in enumerate(labels) if label not in computed]
    return kept or list(range(len(labels)))


def _real(content: bytes, at: int, kind: int) -> float:
    return float(_reals(content[at : at + 4], kind)[0])


def _reals(raw: bytes, kind: int) -> Array:
    """Floats of 4 bytes; DEC's are swapped by words and four times as large."""
    if kind == _DEC:
        swapped = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1].copy()
        with np.errstate(all="ignore"):
            return np.asarray(swapped.view("<f4")[:, 0].astype(float) / 4.0)
    with np.errstate(all="ignore"):
        return np.frombuffer(raw, ">f4" if kind == _MIPS else "<f4").astype(float)


def _parameters(
    content: bytes, at: int, order: int
) -> tuple[dict[tuple[str, str], bytes], dict[tuple[str, str], float]]:
    """(group, name) -> raw bytes of the character parameters, the width of a text first; and single real numbers."""
    mark = ">" if order == _MIPS else "<"
    groups: dict[int, str] = {}
    found: list[tuple[int, str, bytes]] = []
    reals: list[tuple[int, str, float]] = []
    place, steps = at + 4, 0
    while place + 2 < len(content) and steps < 10_000:
        steps += 1
        length = abs(struct.unpack_from("b", content, place)[0])
        number = struct.unpack_from("b", content, place + 1)[0]
        if length == 0 or number == 0:
            break
        name = content[place + 2 : place + 2 + length].decode("latin-1").upper()
        after = place + 2 + length
        (offset,) = struct.unpack_from(f"{mark}H", content, after)
        if number < 0:
            groups[-number] = name
        else:
            kind, dimensions = struct.unpack_from("bB", content, after + 2)
            sizes = list(content[after + 4 : after + 4 + dimensions])
            start = after + 4 + dimensions
            if kind == -1:
                width = sizes[0] if sizes else 1
                data = content[start : start + int(np.prod(sizes, dtype=int))] if sizes else content[start : start + 1]
                found.append((number, name, bytes([min(width, 255)]) + data))
            elif kind == 4 and int(np.prod(sizes, dtype=int)) == 1 and start + 4 <= len(content):
                reals.append((number, name, _real(content, start, order)))
        if offset == 0:
            break
        place = after + offset
    texts = {(groups.get(number, ""), name): data for number, name, data in found}
    return texts, {(groups.get(number, ""), name): value for number, name, value in reals if np.isfinite(value)}


def _text(data: bytes) -> str:
    return data[1:].decode("latin-1").replace("\0", " ")


def _labels(parameters: dict[tuple[str, str], bytes], count: int) -> tuple[str, ...]:
    data = parameters.get(("POINT", "LABELS"), b"")
    width = data[0] if data else 0
    names = [_label(data[1 + k * width : 1 + (k + 1) * width]) for k in range(count)] if width else []
    return tuple((names[k] if k < len(names) else "") or f"marker{k + 1}" for k in range(count))


def _label(data: bytes) -> str:
    return data.decode("latin-1").replace("\0", " ").strip()
