"""C3D files, in: the paths of markers as points, forces of force platforms, and gait events.

Bytes may be in Intel, MIPS or DEC order, points integers or floats. Analogue channels other than those of force
platforms are left out. The reader is ours because ezc3d has no wheels for Linux on ARM, and any install must read C3D;
tests compare the two where ezc3d is there.

A platform's corners c1 … c4 span its axes: x from the middle of c2 and c3 to the middle of c1 and c4, y from the
middle of c3 and c4 to that of c1 and c2, z = x × y, into the ground. Its channels are the force on the foot F and the
moment M about the sensors' point o (the C3D manual; types 2 and 4, and Kistler's type 3), or F, the position of its
centre of pressure and its free moment (type 1). About the middle of the surface the moment is M + o × F. ORIGIN is o
seen from the middle of the surface in some laboratories' files and the middle seen from o, as the manual has it, in
others': sensors lie below the surface, which tells the two apart. Some laboratories write what the foot does to the
platform instead; a walker is carried, so the sign is the one under which the mean force points up.

A platform that nobody stands on shows a small force all the same. The median of such times is taken off all its
channels, as a laboratory does that sets its platforms to zero before a trial.

A file that carries the body of its points (``c3d_writer``) is a motion of that body. Each joint's frame is the turn
that brings the points fixed to it nearest to where they are: with their covariance H = U S Vᵀ between the joint's axes
and the world's, R = V diag(1, 1, det V Uᵀ) Uᵀ (Kabsch, Acta Crystallographica A 32, 1976).
"""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.c3d_writer import AXES
from footfall.motion.formats.conventions import UNITS, file_bytes, unit_named
from footfall.motion.formats.record import channel_columns, read_description, rebuild
from footfall.motion.markers import GaitEvent, Markers, Plate, events_within, fill_gaps
from footfall.motion.motion import Motion
from footfall.motion.plug_in_gait import lost_events, motion_of_markers
from footfall.motion.quaternion import Array, conjugate, from_matrix, multiply, normalised, rotate

INTEL, DEC, MIPS = 84, 85, 86
_MOST = 10_000
_MOST_TEXT = 1 << 24
"""Bytes of a body's description."""
_TEXT, _BYTE, _INTEGER, _REAL = -1, 1, 2, 4


class C3DParameters:
    """Parameters by group and name, both in capitals: texts as a list, numbers as an array of their shape (first index
    fastest in the file, here last)."""

    def __init__(self, texts: Mapping[tuple[str, str], list[str]], numbers: Mapping[tuple[str, str], Array]) -> None:
        self._texts, self._numbers = texts, numbers

    def texts(self, group: str, name: str) -> list[str]:
        """The texts of a parameter, without blanks around them; none where it is not there."""
        return self._texts.get((group, name), [])

    def text(self, group: str, name: str) -> str:
        """All its texts in a row."""
        return "".join(self.texts(group, name)).strip()

    def numbers(self, group: str, name: str) -> Array:
        """The numbers of a parameter; an empty array where it is not there."""
        return self._numbers.get((group, name), np.zeros(0))

    def number(self, group: str, name: str, otherwise: float = 0.0) -> float:
        """The first of its numbers."""
        found = self.numbers(group, name)
        return float(found.flat[0]) if found.size else otherwise

    def group(self, group: str) -> dict[str, Array]:
        """All numbers of a group by name."""
        return {name: value for (own, name), value in self._numbers.items() if own == group}


def read_reals(raw: bytes, kind: int) -> Array:
    """Floats of 4 bytes; DEC's are swapped by words and four times as large."""
    if kind == DEC:
        swapped = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1].copy()
        with np.errstate(all="ignore"):
            return np.asarray(swapped.view("<f4")[:, 0].astype(float) / 4.0)
    with np.errstate(all="ignore"):
        return np.frombuffer(raw, ">f4" if kind == MIPS else "<f4").astype(float)


def read_parameters(content: bytes, at: int, kind: int) -> C3DParameters:
    """The parameters in the section that begins at a byte, in a byte order."""
    mark = ">" if kind == MIPS else "<"
    groups: dict[int, str] = {}
    texts: list[tuple[int, str, list[str]]] = []
    numbers: list[tuple[int, str, Array]] = []
    place, steps = at + 4, 0
    while place + 2 < len(content) and steps < _MOST:
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
            form, dimensions = struct.unpack_from("bB", content, after + 2)
            sizes = list(content[after + 4 : after + 4 + dimensions])
            start = after + 4 + dimensions
            data = content[start : start + int(np.prod(sizes, dtype=int)) * max(abs(form), 1)]
            if form == _TEXT:
                texts.append((number, name, _lines(data, sizes[0] if sizes else 1)))
            elif form in (_BYTE, _INTEGER, _REAL) and len(data) == int(np.prod(sizes, dtype=int)) * form:
                values = read_reals(data, kind) if form == _REAL else _whole(data, form, mark)
                numbers.append((number, name, values.reshape(sizes[::-1])))
        if offset == 0:
            break
        place = after + offset
    return C3DParameters(
        {(groups.get(number, ""), name): value for number, name, value in texts},
        {(groups.get(number, ""), name): value for number, name, value in numbers},
    )


def _lines(data: bytes, width: int) -> list[str]:
    cells = [data[k : k + width] for k in range(0, len(data), width)] if width else []
    return [cell.decode("latin-1").replace("\0", " ").strip() for cell in cells]


def _whole(data: bytes, size: int, mark: str) -> Array:
    return np.frombuffer(data, "u1" if size == _BYTE else f"{mark}i2").astype(float)


_EMPTY, _STEADY = 50.0, 15.0
"""Newtons that an empty platform may show, and by how much they may vary in 0.1 s."""
_KINDS = {"foot strike": "strike", "foot off": "off", "heel strike": "strike", "toe off": "off"}


def event_list(parameters: C3DParameters, begin: float) -> tuple[GaitEvent, ...]:
    """Foot strikes and foot offs in order of time, ``begin`` seconds being the first frame."""
    labels, contexts = parameters.texts("EVENT", "LABELS"), parameters.texts("EVENT", "CONTEXTS")
    times = parameters.numbers("EVENT", "TIMES")
    if times.ndim != 2 or times.shape[1] != 2:
        return ()
    found = []
    for label, context, (minutes, seconds) in zip(labels, contexts, times, strict=False):
        kind, side = _KINDS.get(label.lower()), context.lower()
        if kind and side in ("left", "right"):
            found.append(GaitEvent(float(60.0 * minutes + seconds - begin), side, kind))
    return tuple(sorted(found, key=lambda event: event.time))


def plate_signals(table: Array, parameters: C3DParameters, unit: float, rate: float) -> tuple[Plate, ...]:
    """The platforms of a file.

    Args:
        table: [S, A] samples of the analogue channels as stored.
        parameters: of the file.
        unit: of its lengths, metres.
        rate: frames a second.
    """
    count = int(parameters.number("FORCE_PLATFORM", "USED"))
    if not count or not rate > 0:
        return ()
    scaled = _scaled(table, parameters)
    types = parameters.numbers("FORCE_PLATFORM", "TYPE").ravel()
    corners = parameters.numbers("FORCE_PLATFORM", "CORNERS").reshape(-1, 4, 3)
    origins = parameters.numbers("FORCE_PLATFORM", "ORIGIN").reshape(-1, 3)
    channels = parameters.numbers("FORCE_PLATFORM", "CHANNEL")
    channels = channels.reshape(count, -1).astype(int) - 1 if channels.size % count == 0 else channels.reshape(0, 0)
    if min(len(types), len(corners), len(origins), len(channels)) < count:
        return ()
    units = parameters.texts("ANALOG", "UNITS")
    samples = parameters.number("ANALOG", "RATE", rate) or rate
    plates = []
    for k in range(count):
        used = channels[k]
        if (used < 0).any() or (used >= scaled.shape[1]).any():
            continue
        signals, kind = scaled[:, used], int(types[k])
        metres = 1e-3 if any(u.lower().replace(".", "") in ("nmm", "n-mm") for u in _of(units, used)) else 1.0
        plate = _plate(signals, kind, metres, corners[k] * unit, origins[k] * unit, parameters, k, samples)
        if plate is not None:
            plates.append(plate)
    return tuple(plates)


def _of(units: Sequence[str], used: Array) -> list[str]:
    return [units[int(c)] for c in used if int(c) < len(units)]


def _scaled(table: Array, parameters: C3DParameters) -> Array:
    """(stored - offset) × scale × general scale."""
    width = table.shape[1]
    general = parameters.number("ANALOG", "GEN_SCALE", 1.0)
    scale = np.resize(parameters.numbers("ANALOG", "SCALE").ravel(), width) if width else np.zeros(0)
    scale = scale if scale.any() else np.ones(width)
    offset = parameters.numbers("ANALOG", "OFFSET").ravel()
    offset = np.concatenate([offset, np.zeros(width)])[:width]
    return np.asarray((table - offset) * scale * general)


def _plate(
    signals: Array,
    kind: int,
    metres: float,
    corners: Array,
    origin: Array,
    parameters: C3DParameters,
    number: int,
    rate: float,
) -> Plate | None:
    axes = _axes(corners)
    below = -origin if origin[2] < 0.0 else origin
    if kind == 1 and signals.shape[1] >= 6:
        force, below = signals[:, :3], np.zeros(3)
        place = np.column_stack([signals[:, 3:5] * 1e-3, np.zeros(len(signals))])
        moment = np.cross(place, force) + np.outer(signals[:, 5] * metres, [0.0, 0.0, 1.0])
    elif kind in (2, 4) and signals.shape[1] >= 6:
        six = signals[:, :6]
        if kind == 4:
            matrix = parameters.numbers("FORCE_PLATFORM", "CAL_MATRIX").reshape(-1, 6, 6)
            if number >= len(matrix):
                return None
            six = six @ matrix[number]  # stored by columns
        force, moment = six[:, :3], six[:, 3:] * metres
    elif kind == 3 and signals.shape[1] >= 8:
        force, moment = _kistler(signals, origin)
    else:
        return None
    arm = np.array([0.0, 0.0, below[2]]) if kind == 3 else below
    moment = moment + np.cross(arm, force)
    force, moment = _zeroed(force, moment, rate)
    force, moment = force @ axes.T, moment @ axes.T
    loaded = np.abs(force[:, 2]) > 20.0
    if loaded.any() and not np.isfinite(force[loaded]).all():
        raise FootfallError(f"force platform {number + 1}: its channels are not finite")
    sign = -1.0 if loaded.any() and _pulls(force[loaded], corners) else 1.0
    return Plate(sign * force, sign * moment, corners)


def _zeroed(force: Array, moment: Array, rate: float) -> tuple[Array, Array]:
    """Forces and moments [S, 3] less their medians over the times at which nobody stands on the platform: stretches of
    0.1 s in which the vertical force is small and steady. As they are without such times."""
    each = max(round(0.1 * rate), 4)
    count = len(force) // each
    if not count:
        return force, moment
    vertical = force[: count * each, 2].reshape(count, each)
    empty = (np.abs(vertical).max(axis=1) < _EMPTY) & (np.ptp(vertical, axis=1) < _STEADY)
    if not empty.any():
        return force, moment
    inside = np.repeat(empty, each)
    return tuple(v - np.median(v[: count * each][inside], axis=0) for v in (force, moment))


def _pulls(force: Array, corners: Array) -> bool:
    """Whether the mean force points into the ground: against the normal of the platform that the walker stands on,
    the one that is nearer to the file's positive axes."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
    normal = normal * np.sign(normal[np.argmax(np.abs(normal))])
    return bool(force.mean(axis=0) @ normal < 0)


def _axes(corners: Array) -> Array:
    """[3, 3] the platform's axes in columns."""
    x = corners[0] + corners[3] - corners[1] - corners[2]
    y = corners[0] + corners[1] - corners[2] - corners[3]
    x = x / max(float(np.linalg.norm(x)), 1e-12)
    y = y - (y @ x) * x
    y = y / max(float(np.linalg.norm(y)), 1e-12)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _kistler(signals: Array, origin: Array) -> tuple[Array, Array]:
    """Force and moment about the middle of the sensors of eight channels: fx12, fx34, fy14, fy23, fz1 … fz4."""
    x12, x34, y14, y23, z1, z2, z3, z4 = signals[:, :8].T
    a, b = abs(origin[0]), abs(origin[1])
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=-1)
    moment = np.stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)], axis=-1)
    return force, moment


_BLOCK = 512
_PARTS = ("LegLength", "AsisTrocanterDistance", "KneeWidth", "AnkleWidth", "ElbowWidth", "WristWidth", "ShoulderOffset")
_SIZES = ("InterAsisDistance", *(f"{side}{part}" for side in "LR" for part in _PARTS))


def read_c3d(path: Path, *, up: str = "auto") -> Motion:
    """A C3D file as a motion.

    A file that footfall wrote of a body without markers is a motion of that body, with what was recorded beside it.
    Markers with Plug-in Gait's labels are solved onto a skeleton (see ``footfall.motion.markers``); others give a
    motion of one joint at their middle. The channel ``markers`` [T, M, 3] holds their paths.

    Args:
        path: the file.
        up: the upward axis, "z", "y" …; "auto" takes the one along which trunk markers stand above those of the feet.
    """
    markers = read_markers(path)
    if markers.body and up in ("auto", "z"):
        try:
            return _own_motion(markers, path)
        except _MISFITS as error:
            note = (
                f"the body that it carries was left out ({type(error).__name__}: {' '.join(str(error).split())[:80]})"
            )
            markers = replace(markers, notes=(*markers.notes, note))
    return motion_of_markers(markers, path, "c3d", up=up)


_MISFITS = (FootfallError, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, zlib.error)


def _own_motion(markers: Markers, path: Path) -> Motion:
    """The motion of the body that a file carries."""
    from footfall.figures import Figure

    text = zlib.decompressobj().decompress(markers.body, _MOST_TEXT).decode("utf-8", errors="replace")
    described = read_description(text, str(path))
    first = {name: k for k, name in reversed(list(enumerate(markers.names)))}
    places = {name: fill_gaps(markers.positions[:, k], markers.times) for name, k in first.items()}
    root, rotations = _fitted(described, places)
    frames = {"times": markers.times, "root_position": root, "rotations": rotations}
    for name, (kind, shape) in described["channels"].items():
        columns = channel_columns(name, shape, described["labels"])
        if all(column in markers.analogue for column in columns):
            table = np.stack([markers.analogue[column] for column in columns], axis=-1)
            frames[name] = table.reshape(len(table), *shape).astype(np.dtype(kind))
    described["channels"] = [name for name in described["channels"] if name in frames]
    events = events_within([(e.time, e.side, e.kind) for e in markers.events], markers.times)
    described["source"] |= {"file": path.name, "format": "c3d", "unit": markers.unit, "unit_from": "file"}
    described["source"] |= {"up": "z", "up_from": "file", "events": events}
    notes = [*described["source"].get("notes", ()), *lost_events(markers, described["source"], markers.times)]
    described["source"] |= {"notes": notes} if notes else {}
    motion = rebuild(described, frames, str(path))
    if not motion.figure_xml or "qpos" not in motion.labels:
        return motion
    return motion.with_channels(qpos=motion.to_qpos(Figure.load(motion.figure_xml)))


def _fitted(described: Mapping[str, Any], places: Mapping[str, Array]) -> tuple[Array, Array]:
    """Root positions [T, 3] and local rotations [T, J, 4] of a described body whose points are at places [T, 3]."""
    names, parents = described["names"], described["parents"]
    roots, turns, rotations = [], [], []
    for j, name in enumerate(names):
        fixed = {name: (0.0, 0.0, 0.0)} | {f"{name}_{axis}": tip for axis, tip in AXES.items()}
        fixed |= {names[k]: described["offsets"][k] for k, above in enumerate(parents) if above == j}
        own = np.array(list(fixed.values()))
        world = np.stack([places[label] for label in fixed], axis=1)
        middle, centre = own.mean(axis=0), world.mean(axis=1)
        u, _, vt = np.linalg.svd(np.einsum("pi,tpk->tik", own - middle, world - centre[:, None]))
        v = np.swapaxes(vt, -1, -2)
        v[:, :, 2] *= np.linalg.det(v @ np.swapaxes(u, -1, -2))[:, None]
        turns.append(normalised(from_matrix(v @ np.swapaxes(u, -1, -2))))
        roots.append(centre - rotate(turns[j], middle))
        rotations.append(multiply(conjugate(turns[parents[j]]), turns[j]) if j else turns[j])
    return roots[0], np.stack(rotations, axis=1)


def read_markers(path: str | Path) -> Markers:
    """The markers of a C3D file."""
    path = Path(path)
    content = file_bytes(path, most=1 << 30)
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
    samples = table[:, 4 * points :]
    plates, remark = _plates(samples, max(times, 1), parameters, unit, rate)
    body = parameters.numbers("FOOTFALL", "BODY").astype(np.uint8).tobytes()
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
        body=body,
        analogue=_at_frames(samples, max(times, 1), parameters) if body else {},
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


def _at_frames(samples: Array, times: int, parameters: C3DParameters) -> dict[str, Array]:
    """Label -> the samples [T] of analogue channels at the frames, of all samples [T, channels × times]."""
    first = samples[:, : samples.shape[1] // times]
    return dict(zip(parameters.texts("ANALOG", "LABELS"), _scaled(first, parameters).T))


def _markers_alone(labels: tuple[str, ...], parameters: C3DParameters) -> list[int]:
    """The points that are positions: not the angles, forces, moments and powers that Vicon keeps among them."""
    computed: set[str] = set()
    for kind in ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"):
        computed |= set(parameters.texts("POINT", kind))
    kept = [k for k, label in enumerate(labels) if label not in computed]
    return kept or list(range(len(labels)))


def _labels(parameters: C3DParameters, count: int) -> tuple[str, ...]:
    names = parameters.texts("POINT", "LABELS")
    return tuple((names[k] if k < len(names) else "") or f"marker{k + 1}" for k in range(count))
