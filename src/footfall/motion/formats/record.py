"""Footfall's own motion files: .npz holds every array as it is, .csv one row a frame; both, and .glb, carry the rest of
a motion as one JSON description.
"""

import base64
import csv
import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.escaping import csv_cell
from footfall.motion.formats.body_models import SMPL_KEYS, is_smpl, smpl_motion
from footfall.motion.formats.conventions import check_size, number_rows
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.skeleton.tree import Capsule, EndSite, Mesh, Skeleton, triple
from footfall.text_files import check_texts, plain_json

FORMAT = "footfall motion 1"
_MOST_BYTES = 1 << 26
"""Of a mesh's vertices or triangles."""


def motion_description(motion: Motion) -> str:
    """The JSON text of everything in ``motion`` but its arrays over time."""
    skeleton = motion.skeleton
    return json.dumps(
        {
            "format": FORMAT,
            "names": skeleton.names,
            "parents": skeleton.parents,
            "offsets": skeleton.offsets.tolist(),
            "rest": skeleton.rest.tolist(),
            "ends": [[end.name, end.joint, list(end.offset), end.contact] for end in skeleton.ends],
            "capsules": [
                [c.joint, *c.start, *c.end, c.radius_start, c.radius_end, c.side, c.part] for c in skeleton.capsules
            ],
            **({"meshes": [_packed_mesh(mesh) for mesh in skeleton.meshes]} if skeleton.meshes else {}),
            "mass": None if skeleton.mass is None else skeleton.mass.tolist(),
            "com": None if skeleton.com is None else skeleton.com.tolist(),
            "roles": None if skeleton.roles is None else dict(skeleton.roles),
            "marks": {name: [joint, *place] for name, (joint, place) in skeleton.marks.items()},
            "channels": {name: [str(v.dtype), list(v.shape[1:])] for name, v in motion.channels.items()},
            "labels": motion.labels,
            "ground": None if motion.ground is None else [a.tolist() for a in _ground_arrays(motion.ground)],
            "figure": motion.figure,
            "figure_xml": motion.figure_xml,
            "source": plain_json(motion.source),
        },
        allow_nan=False,
    )


def _ground_arrays(ground: GroundProfile) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return ground.x, ground.y, ground.z


def read_description(text: str, where: str) -> dict[str, Any]:
    """The checked description in JSON ``text`` from the file ``where``."""
    try:
        described = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"{where}: its description is not JSON") from error
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise FootfallError(f"{where}: not a footfall motion (its description must say '{FORMAT}')")
    check_texts(described, where)
    return described


def rebuild(described: dict[str, Any], frames: dict[str, np.ndarray], where: str) -> Motion:
    """The motion of a description and its arrays ``times``, ``root_position``, ``rotations`` and the channels by
    name."""
    try:
        skeleton = Skeleton(
            names=tuple(described["names"]),
            parents=tuple(described["parents"]),
            offsets=np.array(described["offsets"], dtype=float),
            rest=np.array(described["rest"], dtype=float),
            ends=tuple(EndSite(str(n), int(j), triple(o), bool(c)) for n, j, o, c in described["ends"]),
            capsules=tuple(_capsule(row) for row in described["capsules"]),
            meshes=tuple(_mesh(row) for row in described.get("meshes", ())),
            mass=None if described["mass"] is None else np.array(described["mass"], dtype=float),
            com=None if described["com"] is None else np.array(described["com"], dtype=float),
            roles=_roles(described.get("roles"), len(described["names"])),
            marks={str(name): _mark(row, len(described["names"])) for name, row in described.get("marks", {}).items()},
        )
        ground = described["ground"]
        return Motion(
            skeleton=skeleton,
            times=frames["times"],
            root_position=frames["root_position"],
            rotations=frames["rotations"],
            channels={name: frames[name] for name in described["channels"]},
            labels={str(k): tuple(str(n) for n in v) for k, v in described["labels"].items()},
            ground=None if ground is None else GroundProfile(*(np.array(a, dtype=float) for a in ground)),
            figure=str(described["figure"]),
            figure_xml=str(described["figure_xml"]),
            source=dict(described["source"]),
        )
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from error
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, zlib.error) as error:
        raise FootfallError(f"{where}: its description is damaged ({type(error).__name__}: {_short(error)})") from error


def _roles(given: Any, joints: int) -> dict[str, int] | None:
    """Joint by role, as saved; files of before have none."""
    return None if given is None else {str(role): _joint(joint, joints) for role, joint in given.items()}


def _mark(row: list[Any], joints: int) -> tuple[int, tuple[float, float, float]]:
    joint, x, y, z = row
    return _joint(joint, joints), (float(x), float(y), float(z))


def _joint(given: Any, joints: int) -> int:
    joint = int(given)
    if not 0 <= joint < joints:
        raise ValueError(f"joint {joint} is not there")
    return joint


def _capsule(row: list[Any]) -> Capsule:
    joint, ax, ay, az, bx, by, bz, a, b, side, part = row
    start, end = (float(ax), float(ay), float(az)), (float(bx), float(by), float(bz))
    return Capsule(int(joint), start, end, float(a), float(b), str(side), str(part))


def _packed_mesh(mesh: Mesh) -> list[Any]:
    """Joint, side, vertices as whole numbers of a step, the step, triangles; lists of numbers as base64 of zlib."""
    step = max(float(np.abs(mesh.vertices).max(initial=0.0)), 1e-6) / 32767
    texts = (
        base64.b64encode(zlib.compress(np.ascontiguousarray(values, dtype=kind).tobytes())).decode("ascii")
        for values, kind in ((np.round(mesh.vertices / step), "<i2"), (mesh.triangles, "<u4"))
    )
    return [mesh.joint, mesh.side, step, *texts]


def _mesh(row: list[Any]) -> Mesh:
    joint, side, step, *texts = row
    places, corners = (zlib.decompressobj().decompress(base64.b64decode(text), _MOST_BYTES) for text in texts)
    vertices = float(step) * np.frombuffer(places, "<i2").reshape(-1, 3).astype(float)
    triangles = np.frombuffer(corners, "<u4").reshape(-1, 3).astype(np.int64)
    if not np.isfinite(vertices).all() or triangles.max(initial=-1) >= len(vertices):
        raise ValueError("a mesh")
    return Mesh(int(joint), vertices, triangles, str(side))


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:80] or "unreadable"


_LARGEST_LINE = 1 << 24


def write_csv(motion: Motion, path: Path) -> None:
    """Save a motion as a table.

    The first line is ``#`` and a JSON description, the second the column names: ``time``, ``root.x`` …, ``JOINT.qw``
    …, then channels (``qpos.NAME``). Numbers are printed so that they read back unchanged.
    """
    names, blocks = ["time"], [motion.times[:, None]]
    names += [f"root.{axis}" for axis in "xyz"]
    blocks.append(motion.root_position)
    names += [f"{joint}.q{axis}" for joint in motion.skeleton.names for axis in "wxyz"]
    blocks.append(motion.rotations.reshape(len(motion), -1))
    for name, value in motion.channels.items():
        names += channel_columns(name, value.shape[1:], motion.labels)
        blocks.append(value.reshape(len(motion), -1))
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {motion_description(motion)}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(csv_cell, names))
        columns = [column for block in blocks for column in block.T.tolist()]
        writer.writerows([_text(value) for value in row] for row in zip(*columns))


def channel_columns(name: str, shape: Sequence[int], labels: Mapping[str, Sequence[str]]) -> list[str]:
    """The names of a channel's columns, whose rows have a shape: ``NAME`` alone, else ``NAME.LABEL`` or
    ``NAME.NUMBER``."""
    width = int(np.prod(shape, dtype=int))
    own = labels.get(name, ())
    return [f"{name}.{label}" for label in (own if len(own) == width else range(width))] if len(shape) else [name]


def _text(value: float | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def read_csv(path: Path) -> Motion:
    """Load a motion saved by ``write_csv``."""
    try:
        check_size(path, "a table; .npz holds more")
        with path.open(encoding="utf-8", newline="") as file:
            first = file.readline(_LARGEST_LINE)
            if not first.startswith("# {"):
                raise FootfallError(
                    f"{path}, line 1: not a footfall motion (it must begin with '# {{' and a description)"
                )
            described = read_description(first[2:], str(path))
            header = next(csv.reader([file.readline(_LARGEST_LINE)]), [])
            table = _rows(file.read(), len(header), path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FootfallError(f"{path}: not readable as text ({error})") from error
    try:
        J = len(described["names"])
        frames = {
            "times": table[:, 0],
            "root_position": table[:, 1:4],
            "rotations": table[:, 4 : 4 + 4 * J].reshape(len(table), J, 4),
        }
        at = 4 + 4 * J
        for name, (dtype, shape) in described["channels"].items():
            width = int(np.prod(shape, dtype=int))
            block = table[:, at : at + width].reshape(len(table), *shape)
            frames[name] = block.astype(np.dtype(dtype))
            at += width
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FootfallError(f"{path}: columns do not fit the description in line 1") from error
    if at != len(header):
        raise FootfallError(f"{path}, line 2: {len(header)} columns, but the description names {at}")
    return rebuild(described, frames, str(path))


def _rows(text: str, width: int, path: Path) -> np.ndarray:
    lines = text.splitlines()
    if not lines or width < 8:
        raise FootfallError(f"{path}: it has no frames")
    return number_rows(list(enumerate(lines, start=3)), width, path, ",")


_LARGEST_ARCHIVE = 1 << 30
_LARGEST_SQUEEZED = 1 << 26
_FRAMES = ("times", "root_position", "rotations")


def write_npz(motion: Motion, path: Path) -> None:
    """Save a motion; ``read_npz`` gives it back bit for bit."""
    arrays: dict[str, np.ndarray] = {name: getattr(motion, name) for name in _FRAMES}
    arrays |= {f"channel/{name}": value for name, value in motion.channels.items()}
    text = np.frombuffer(motion_description(motion).encode(), dtype=np.uint8)
    np.savez_compressed(path, allow_pickle=False, description=text, **arrays)


def read_npz(path: Path, *, up: str | None = None) -> Motion:
    """Load a motion saved by ``write_npz``, or an SMPL motion as AMASS has them (see ``smpl``).

    No pickles are read, and sizes are checked before anything is unpacked.

    Args:
        path: the file.
        up: upward axis of an SMPL motion's world; by default what its poses tell.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive, path)
            held = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            smpl = "description" not in held and is_smpl(set(held))
            wanted = {name: info for name, info in held.items() if not smpl or name in SMPL_KEYS}
            arrays = {name: _array(archive, info, path) for name, info in wanted.items()}
    except FootfallError:
        raise
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, SyntaxError) as error:
        raise FootfallError(f"{path}: not a readable .npz ({' '.join(str(error).split())[:100]})") from error
    except Exception as error:  # zlib and numpy's header parser raise their own kinds on damaged bytes
        raise FootfallError(f"{path}: not a readable .npz ({type(error).__name__})") from error
    if smpl:
        return smpl_motion(arrays, path, up=up or "auto")
    if up is not None:
        raise FootfallError(f"{path}: 'up' is not an option of a footfall motion; its axes are known")
    missing = [name for name in ("description", *_FRAMES) if name not in arrays]
    if missing:
        raise FootfallError(f"{path}: neither a footfall motion ('{missing[0]}' is missing) nor one of SMPL ('poses')")
    text = arrays["description"].astype(np.uint8, copy=False).tobytes().decode("utf-8", errors="replace")
    described = read_description(text, str(path))
    frames = {name.removeprefix("channel/"): value for name, value in arrays.items() if name.startswith("channel/")}
    return rebuild(described, frames | {name: arrays[name] for name in _FRAMES}, str(path))


def _check_sizes(archive: zipfile.ZipFile, path: Path) -> None:
    size = sum(info.file_size for info in archive.infolist())
    packed = sum(info.compress_size for info in archive.infolist())
    if size > _LARGEST_ARCHIVE or (size > _LARGEST_SQUEEZED and size > 400 * max(packed, 1)):
        raise FootfallError(f"{path}: it would unpack to {size / 1e6:.0f} MB; no footfall motion does")


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    content = io.BytesIO(archive.read(info))
    major, _ = np.lib.format.read_magic(content)
    header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(content)
    left = info.file_size - content.tell()
    if dtype.hasobject or int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize != left:
        raise FootfallError(f"{path}: array '{info.filename}' does not hold what its header says")
    content.seek(0)
    return np.asarray(np.lib.format.read_array(content, allow_pickle=False))
