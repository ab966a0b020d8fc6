"""C3D files, out: points, angles, moments and powers, forces as force platforms, and gait events.

Points are a file's own markers where it has some, else virtual markers, joints and end sites, in millimetres. Angles,
moments and powers are points too, named in POINT:ANGLES, :MOMENTS and :POWERS, as Vicon keeps them. The force on a foot
is a virtual platform of its own (type 2), as large as the ground that was walked on: its channels are the force on the
foot and the moment about the platform's middle, in axes of which z points down. Numbers are Intel floats.

A file whose points are those of a body carries the body itself: FOOTFALL:BODY is the description of an .npz file (the
skeleton with its rest pose and masses, the figure), packed by zlib; two more points a joint show its axes; and what was
recorded beside the poses are analogue channels.
"""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.escaping import plain_line
from footfall.motion.formats.record import channel_columns, motion_description
from footfall.motion.gait.feet import soles
from footfall.motion.motion import Motion
from footfall.motion.plug_in_gait import virtual_markers
from footfall.motion.quaternion import Array, rotate

_BLOCK = 512
_MOST_POINTS, _MOST_FRAMES = 255, 65535
_MOST_BODY = 255 * 255
"""Bytes of one parameter."""
AXES = {"x": (0.1, 0.0, 0.0), "y": (0.0, 0.1, 0.0)}
"""Ending of a joint's label -> where that point lies in the joint's frame, metres."""
_FIRST = ("contact", "mean_grf", "grf", "mean_moment", "moment", "qvel", "torque")
"""Channels that go before others where there is no room for all."""
_ROOM = 1.0
_UNITS = {"ANGLES": "deg", "MOMENTS": "Nmm/kg", "POWERS": "W/kg", "FORCES": "N"}
_DOWN = np.diag([1.0, -1.0, -1.0])
"""A platform's axes in the world's: x ahead, y to the right, z down."""


@dataclass(frozen=True, eq=False)
class Computed:
    """A quantity beside the points: [T, 3] values, and its kind: "ANGLES", "MOMENTS", "POWERS" or "FORCES"."""

    kind: str
    values: Array


def motion_points(motion: Motion) -> tuple[list[str], Array]:
    """Names of M points and their places [T, M, 3]: recorded markers, else virtual ones, joints and end sites."""
    names = [str(name) for name in motion.source.get("markers", ())]
    if "markers" in motion.channels and motion.channels["markers"].shape[1:] == (len(names), 3):
        return names, np.asarray(motion.channels["markers"], dtype=float)
    skeleton = motion.skeleton
    ends = [end.name or f"{skeleton.names[end.joint]}_end{k}" for k, end in enumerate(skeleton.ends)]
    worn, markers = virtual_markers(motion)
    return [*worn, *skeleton.names, *ends], np.concatenate([markers, motion.points()], axis=1)


def write_c3d(
    motion: Motion,
    path: Path,
    *,
    computed: Mapping[str, Computed] | None = None,
    events: Sequence[tuple[float, str, str]] | None = None,
) -> None:
    """Save a motion as C3D.

    Args:
        motion: its points, and the forces on its feet where they were recorded (``grf``).
        path: the file.
        computed: angles, moments and powers by label.
        events: rows of time, side and "strike" or "off"; by default those that the motion's file had.
    """
    extra = dict(computed or {})
    rows = events if events is not None else [(r[0], r[1], r[2]) for r in motion.source.get("events", ())]
    names, places = motion_points(motion)
    plates, corners = _plates(motion)
    body, channels = _body(motion, _MOST_POINTS - len(names) - len(extra), _MOST_POINTS - plates.shape[1])
    if body:
        joints = motion.skeleton.names
        names = [*names, *(f"{joint}_{axis}" for joint in joints for axis in AXES)]
        places = np.concatenate([places, _axis_points(motion)], axis=1)
    if len(names) + len(extra) > _MOST_POINTS:
        raise FootfallError(f"{path}: {len(names) + len(extra)} points; a C3D file has room for {_MOST_POINTS}")
    if len(motion) > _MOST_FRAMES:
        raise FootfallError(f"{path}: {len(motion)} frames; a C3D file has room for {_MOST_FRAMES}")
    rate = motion.fps
    points = np.concatenate([1000.0 * places, *(c.values[:, None] for c in extra.values())], axis=1)
    seen = np.isfinite(points).all(axis=-1)
    four = np.concatenate([np.where(seen[..., None], points, 0.0), np.where(seen, 0.0, -1.0)[..., None]], axis=-1)
    analogue = np.concatenate([plates, *channels.values()], axis=1)
    table = np.concatenate([four.reshape(len(motion), -1), analogue], axis=1).astype("<f4")
    beside = [c for name in channels for c in channel_columns(name, motion.channels[name].shape[1:], motion.labels)]
    groups = _groups(motion, names, extra, plates.shape[1], beside, corners, rows, rate)
    if body:
        padded = np.frombuffer(body + bytes(-len(body) % 255), np.uint8)
        groups["FOOTFALL"] = [("BODY", padded.reshape(-1, 255))]
    section, start = _section(groups)
    header = bytearray(_BLOCK)
    struct.pack_into("<BB5H", header, 0, 2, 0x50, four.shape[1], analogue.shape[1], 1, len(motion), 0)
    struct.pack_into("<fHHf", header, 12, -1.0, start, 1 if analogue.shape[1] else 0, rate)
    content = bytes(header) + section + table.tobytes()
    path.write_bytes(content + bytes(-len(content) % _BLOCK))


def _body(motion: Motion, points: int, columns: int) -> tuple[bytes, dict[str, Array]]:
    """The packed description of a motion's body and recorded channels [T, C] by name, as many as there is room for.

    Empty where the points are recorded markers or the body has no room.

    Args:
        motion: that is written.
        points, columns: how many more points and analogue channels fit into the file.
    """
    if "markers" in motion.channels or len(AXES) * len(motion.skeleton) > points:
        return b"", {}
    kept: dict[str, Array] = {}
    for name in sorted(motion.channels, key=lambda n: _FIRST.index(n) if n in _FIRST else len(_FIRST)):
        flat = motion.channels[name].reshape(len(motion), -1).astype(float)
        if name != "qpos" and 0 < flat.shape[1] <= columns - sum(v.shape[1] for v in kept.values()):
            kept[name] = flat
    recorded = {name: motion.channels[name] for name in kept}
    bare = replace(motion, channels=recorded, skeleton=replace(motion.skeleton, meshes=()))
    packed = zlib.compress(motion_description(bare).encode())
    return (packed, kept) if len(packed) <= _MOST_BODY else (b"", {})


def _axis_points(motion: Motion) -> Array:
    """[T, 2 J, 3] the points that show the joints' axes."""
    places, turns = motion.positions(), motion.orientations()
    points = [places + rotate(turns, np.array(tip)) for tip in AXES.values()]
    return np.stack(points, axis=2).reshape(len(motion), -1, 3)


def _plates(motion: Motion) -> tuple[Array, Array]:
    """Channels [T, 6 K] of the virtual platforms and their common corners [4, 3] in millimetres."""
    none = np.zeros((len(motion), 0)), np.zeros((0, 3))
    grf = motion.channels.get("grf")
    ends = [k for k, end in enumerate(motion.skeleton.ends) if end.contact]
    if grf is None or grf.ndim != 3 or grf.shape[1] != len(ends):
        return none
    places = motion.end_positions()[:, ends]
    low, high = places[..., :2].min(axis=(0, 1)) - _ROOM, places[..., :2].max(axis=(0, 1)) + _ROOM
    middle = np.array([*(0.5 * (low + high)), 0.0])
    force = np.nan_to_num(grf)
    channels = []
    for sole in soles(motion.skeleton).values():
        own = [k for k, e in enumerate(ends) if motion.skeleton.ends[e].joint in sole.joints]
        total = force[:, own].sum(axis=1)
        about = np.cross(places[:, own] - middle, force[:, own]).sum(axis=1)
        channels += [total @ _DOWN, 1000.0 * about @ _DOWN]
    corners = 1000.0 * np.array(
        [[high[0], low[1], 0], [low[0], low[1], 0], [low[0], high[1], 0], [high[0], high[1], 0]]
    )
    return np.concatenate(channels, axis=1), corners


_Value = Sequence[str] | NDArray[Any] | int | float
_Parameter = tuple[str, _Value]


def _groups(
    motion: Motion,
    names: list[str],
    extra: Mapping[str, Computed],
    forces: int,
    beside: Sequence[str],
    corners: Array,
    events: Sequence[tuple[float, str, str]],
    rate: float,
) -> dict[str, list[_Parameter]]:
    labels = [*names, *extra]
    kinds = [kind for kind in _UNITS if any(c.kind == kind for c in extra.values())]
    point: list[_Parameter] = [
        ("USED", len(labels)),
        ("SCALE", -1.0),
        ("RATE", rate),
        ("FRAMES", len(motion)),
        ("UNITS", ["mm"]),
        ("X_SCREEN", ["+X"]),
        ("Y_SCREEN", ["+Z"]),
        ("LABELS", labels),
        ("DESCRIPTIONS", [""] * len(labels)),
    ]
    point += [(kind, [name for name, c in extra.items() if c.kind == kind]) for kind in kinds]
    point += [(f"{kind.removesuffix('S')}_UNITS", [_UNITS[kind]]) for kind in kinds]
    groups: dict[str, list[_Parameter]] = {"POINT": point}
    count, analogue = forces // 6, forces + len(beside)
    axes = [f"{a}{k + 1}" for k in range(count) for a in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")]
    groups["ANALOG"] = [
        ("USED", analogue),
        ("RATE", rate),
        ("GEN_SCALE", 1.0),
        ("SCALE", np.ones(analogue)),
        ("OFFSET", np.zeros(analogue, dtype=int)),
        ("LABELS", [*axes, *beside]),
        ("DESCRIPTIONS", [""] * analogue),
        ("UNITS", ["N", "N", "N", "Nmm", "Nmm", "Nmm"] * count + ["SI"] * len(beside)),
    ]
    groups["FORCE_PLATFORM"] = [("USED", count), ("ZERO", np.array([1, 0], dtype=int))]
    if count:
        groups["FORCE_PLATFORM"] += [
            ("TYPE", np.full(count, 2, dtype=int)),
            ("CORNERS", np.tile(corners, (count, 1, 1))),
            ("ORIGIN", np.zeros((count, 3))),
            ("CHANNEL", np.arange(1, forces + 1).reshape(count, 6)),
        ]
    groups["EVENT"] = [
        ("USED", len(events)),
        ("CONTEXTS", [side.capitalize() for _, side, _ in events]),
        ("LABELS", [{"strike": "Foot Strike", "off": "Foot Off"}[kind] for _, _, kind in events]),
        ("TIMES", np.array([[t // 60.0, t % 60.0] for t, _, _ in events]).reshape(-1, 2)),
    ]
    if motion.skeleton.mass is not None:
        groups["PROCESSING"] = [("Bodymass", float(motion.skeleton.mass.sum()))]
    groups["MANUFACTURER"] = [("SOFTWARE", ["footfall"])]
    return groups


def _section(groups: Mapping[str, list[_Parameter]]) -> tuple[bytes, int]:
    """The parameter section, and the number of the block after it, where the data begins."""
    for start in range(3, 255):  # POINT:DATA_START is part of what decides where the data starts
        groups = dict(groups)
        point = [*groups["POINT"], ("DATA_START", start)]
        body = b"".join(
            _group(number, name, point if name == "POINT" else parameters)
            for number, (name, parameters) in enumerate(groups.items(), start=1)
        )
        body += b"\0\0"
        blocks = -(-(len(body) + 4) // _BLOCK)
        if 2 + blocks == start:
            section = bytes([1, 0x50, blocks, 84]) + body
            return section + bytes(blocks * _BLOCK - len(section)), start
    raise FootfallError("C3D: the parameters of this motion are too many for a C3D file")


def _group(number: int, name: str, parameters: list[_Parameter]) -> bytes:
    text = struct.pack("<bb", len(name), -number) + name.encode("ascii") + struct.pack("<HB", 3, 0)
    return text + b"".join(_parameter(number, own, value) for own, value in parameters)


def _parameter(number: int, name: str, value: _Value) -> bytes:
    sizes: list[int] = []
    if isinstance(value, int):
        form, data = 2, struct.pack("<H", min(value, _MOST_FRAMES))
    elif isinstance(value, float):
        form, data = 4, struct.pack("<f", value)
    elif isinstance(value, np.ndarray):
        form = {"u": 1, "i": 2}.get(value.dtype.kind, 4)
        sizes, data = list(value.shape[::-1]), value.astype({1: "u1", 2: "<i2", 4: "<f4"}[form]).tobytes()
    else:
        texts = [plain_line(text).encode("latin-1", errors="replace")[:127] for text in value]
        width = max([1, *(len(text) for text in texts)])
        form, sizes, data = -1, [width, len(texts)], b"".join(text.ljust(width) for text in texts)
    body = struct.pack("<bB", form, len(sizes)) + bytes(sizes) + data + b"\0"
    return struct.pack("<bb", len(name), number) + name.encode("ascii") + struct.pack("<H", len(body) + 2) + body
