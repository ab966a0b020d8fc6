"""OpenSim's .mot and .sto files, in and out: tables of coordinates over time.

Coordinates are those of OpenSim's gait models: ``pelvis_tx`` … in metres, ``pelvis_tilt``, ``pelvis_list`` and
``pelvis_rotation`` about z, x and y in turn, ``hip_flexion_r``, ``hip_adduction_r`` and ``hip_rotation_r`` likewise,
``knee_angle_r``, ``ankle_angle_r`` and ``lumbar_extension``, ``lumbar_bending`` and ``lumbar_rotation``, in axes x
ahead, y up, z to the right. A bent knee is negative, as in gait2392; files that bend it the other way (Rajagopal's
model) are recognised by the sign that their knees mostly have.

A file that footfall wrote of one of its figures has the figure's name and coordinates (``qpos.NAME``) too, so that it
reads back as it was. Any other file becomes a motion of the skeleton of ``human-28``, since it has no sizes.

TRC files, in: marker paths as text, as Motion Analysis and OpenSim write them.

TRC files, out: paths of points as text, in millimetres and OpenSim's axes (x ahead, y up, z to the right).
"""

import math
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.escaping import plain_line
from footfall.motion.formats.c3d_writer import motion_points
from footfall.motion.formats.conventions import UNITS, file_lines, number_rows, unit_named
from footfall.motion.gait.angles import anatomical_turn
from footfall.motion.markers import Markers
from footfall.motion.motion import Motion
from footfall.motion.plug_in_gait import motion_of_markers
from footfall.motion.quaternion import Array, conjugate, from_euler, from_matrix, multiply, to_euler, to_matrix
from footfall.motion.skeleton.roles import find_roles

OPENSIM_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""From the world's axes (x ahead, y left, z up) to OpenSim's (x ahead, y up, z right)."""
_FIGURE = "human-28"
_LENGTHS = ("pelvis_tx", "pelvis_ty", "pelvis_tz")
_LEG = (
    ("hip", "pelvis", ("hip_flexion", "hip_adduction", "hip_rotation")),
    ("knee", "{}_hip", ("knee_angle",)),
    ("ankle", "{}_knee", ("ankle_angle",)),
)
_TURNS: tuple[tuple[str, str, tuple[str, ...], float], ...] = (
    ("pelvis", "", ("pelvis_tilt", "pelvis_list", "pelvis_rotation"), 1.0),
    *(
        (f"{side}_{part}", above.format(side), tuple(f"{name}_{side[0]}" for name in names), mirror)
        for side, mirror in (("right", 1.0), ("left", -1.0))
        for part, above, names in _LEG
    ),
    ("chest", "pelvis", ("lumbar_extension", "lumbar_bending", "lumbar_rotation"), 1.0),
)
"""A part's role, that of the part it turns against, its coordinates about z, x and y, and the sign of the last two."""


def write_storage(path: Path, name: str, times: Array, columns: dict[str, Array], *, degrees: bool = False) -> None:
    """A table as OpenSim's storage: a header, then ``time`` and the columns [T]."""
    lines = [plain_line(name), "version=1", f"nRows={len(times)}", f"nColumns={len(columns) + 1}"]
    lines += [
        f"inDegrees={'yes' if degrees else 'no'}",
        "endheader",
        "\t".join(["time", *("_".join(plain_line(c).split()) for c in columns)]),
    ]
    table = np.column_stack([times, *columns.values()])
    lines += ["\t".join(f"{value:.10g}" for value in row) for row in table]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_storage(path: Path) -> tuple[dict[str, Array], bool]:
    """The columns [T] of a storage file by name, ``time`` among them, and whether its angles are in degrees."""
    lines = file_lines(path, "a table")
    end = next((k for k, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None:
        raise FootfallError(f"{path}: not an OpenSim file (a line 'endheader' must end its header)")
    said = dict(line.lower().replace(" ", "").split("=", 1) for line in lines[:end] if "=" in line)
    rest = [(number, line) for number, line in enumerate(lines[end + 1 :], start=end + 2) if line.strip()]
    if len(rest) < 2:
        raise FootfallError(f"{path}: it has no rows")
    names = rest[0][1].split()
    if not names or names[0].lower() != "time":
        raise FootfallError(f"{path}, line {rest[0][0]}: the first column must be 'time'")
    table = number_rows(rest[1:], len(names), path)
    return {name: table[:, k] for k, name in enumerate(names)}, said.get("indegrees", "no") == "yes"


def opensim_coordinates(motion: Motion) -> dict[str, Array]:
    """OpenSim's gait coordinates [T] of a motion, as far as its skeleton has the joints: metres and degrees."""
    roles = find_roles(motion.skeleton)
    places = (motion.positions()[:, roles["pelvis"]]) @ OPENSIM_AXES.T
    found = dict(zip(_LENGTHS, places.T, strict=True))
    turns = {role: _turn(motion, roles[role]) for role, *_ in _TURNS if role in roles}
    for role, above, names, mirror in _TURNS:
        if role in turns and (above in turns or not above):
            local = multiply(conjugate(turns[above]), turns[role]) if above else turns[role]
            angles = np.degrees(np.unwrap(to_euler("zxy", local), axis=0)) * [1.0, mirror, mirror]
            found |= dict(zip(names, angles.T, strict=False))
    return found


def _turn(motion: Motion, joint: int) -> Array:
    """[T, 4] a joint's orientation against its rest pose, in OpenSim's axes."""
    return from_matrix(OPENSIM_AXES @ to_matrix(anatomical_turn(motion, joint)) @ OPENSIM_AXES.T)


def write_opensim(motion: Motion, path: Path) -> None:
    """Save a motion's coordinates as .mot or .sto, angles in degrees; a figure's own coordinates behind them."""
    columns = opensim_coordinates(motion)
    name = motion.figure or Path(str(motion.source.get("file", ""))).stem or "motion"
    if motion.figure and "qpos" in motion.labels:
        name = f"footfall figure {motion.figure}"
        columns |= {f"qpos.{label}": motion.channels["qpos"][:, k] for k, label in enumerate(motion.labels["qpos"])}
    write_storage(path, name, motion.times, columns, degrees=True)


def read_opensim(path: Path) -> Motion:
    """A .mot or .sto file of coordinates as a motion."""
    columns, degrees = read_storage(path)
    times = columns["time"] - columns["time"][0]
    if (np.diff(times) <= 0).any():
        raise FootfallError(f"{path}: times must increase (row {int(np.argmax(np.diff(times) <= 0)) + 2})")
    source = {"file": path.name, "format": path.suffix.lstrip(".").lower(), "unit": "m", "up": "y", "up_from": "file"}
    own = _figures_own(path, columns, times, source)
    if own is not None:
        return own
    known = ("pelvis_tilt", "hip_flexion_r", "hip_flexion_l", "knee_angle_r", "knee_angle_l")
    missing = [name for name in known if name not in columns]
    if missing:
        forces = any("force" in name for name in columns)
        what = "it holds forces, no coordinates" if forces else f"column '{missing[0]}' is missing"
        raise FootfallError(f"{path}: not the coordinates of a gait model ({what}); expected {', '.join(known)} …")
    return _gait_model(columns, times, 1.0 if not degrees else math.pi / 180.0, source)


def _figures_own(path: Path, columns: dict[str, Array], times: Array, source: dict[str, str]) -> Motion | None:
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline().strip()
    own = {name.removeprefix("qpos."): values for name, values in columns.items() if name.startswith("qpos.")}
    if not first.startswith("footfall figure ") or not own:
        return None
    from footfall.figures import Figure
    from footfall.motion.skeleton.figure_skeleton import channel_labels

    try:
        figure = Figure.load(first.removeprefix("footfall figure "))
        labels = channel_labels(figure)["qpos"]
        return Motion.from_qpos(figure, times, np.stack([own[label] for label in labels], axis=-1), source=source)
    except (FootfallError, KeyError):  # a figure that this computer does not have: its gait coordinates are there too
        return None


def _gait_model(columns: dict[str, Array], times: Array, factor: float, source: dict[str, str]) -> Motion:
    from footfall.figures import Figure
    from footfall.motion.skeleton.figure_skeleton import skeleton_of

    skeleton = skeleton_of(Figure.load(_FIGURE))
    roles = find_roles(skeleton)
    none = np.zeros(len(times))
    rotations = np.tile(skeleton.rest, (len(times), 1, 1))
    knees = np.concatenate([columns["knee_angle_r"], columns["knee_angle_l"]])
    bends = -1.0 if np.median(knees) > 0 and np.abs(knees.max()) > np.abs(knees.min()) else 1.0
    for role, _, names, mirror in (row for row in _TURNS if row[0] in roles):
        signs = factor * np.array([bends if role.endswith("knee") else 1.0, mirror, mirror])
        angles = np.stack([columns.get(name, none) for name in names], axis=-1) * signs[: len(names)]
        own = from_matrix(OPENSIM_AXES.T @ to_matrix(from_euler("zxy"[: len(names)], angles)) @ OPENSIM_AXES)
        rotations[:, roles[role]] = multiply(skeleton.rest[roles[role]], own)
    places = np.stack([columns.get(name, none) for name in _LENGTHS], axis=-1) @ OPENSIM_AXES
    note = f"it has no sizes: its angles were set on the body of {_FIGURE}"
    return Motion(skeleton, times, places, rotations, source={**source, "notes": [note]})


def read_trc(path: Path, *, up: str = "auto") -> Motion:
    """A TRC file as a motion: solved onto a skeleton where the labels are Plug-in Gait's, as ``read_c3d`` does.

    Args:
        path: the file.
        up: the upward axis; "auto" takes the one along which trunk markers stand above those of the feet.
    """
    return motion_of_markers(read_trc_markers(path), path, "trc", up=up)


def read_trc_markers(path: Path) -> Markers:
    """The markers of a TRC file; an empty field is a marker that was not seen."""
    lines = file_lines(path, "a TRC file")
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


def write_trc(motion: Motion, path: Path) -> None:
    """Save a motion's markers, else its joints and end sites; an empty field is a marker that was not seen."""
    names, places = motion_points(motion)
    names = [plain_line(name).strip() or f"point{k + 1}" for k, name in enumerate(names)]
    rate, frames = motion.fps, len(motion)
    head = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    head += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    said = [f"{rate:.6g}", f"{rate:.6g}", str(frames), str(len(names)), "mm", f"{rate:.6g}", "1", str(frames)]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{plain_line(motion.figure or 'motion')}.trc",
        "\t".join(head),
        "\t".join(said),
        "\t".join(["Frame#", "Time", *(cell for name in names for cell in (name, "", ""))]).rstrip("\t"),
        "\t".join(["", "", *(f"{axis}{k}" for k in range(1, len(names) + 1) for axis in "XYZ")]),
        "",
    ]
    turned = 1000.0 * places @ OPENSIM_AXES.T
    for k, (time, row) in enumerate(zip(motion.times - motion.times[0], turned.reshape(frames, -1), strict=True)):
        cells = ["" if not np.isfinite(v) else f"{v:.5f}" for v in row]
        lines.append("\t".join([str(k + 1), f"{time:.6f}", *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
