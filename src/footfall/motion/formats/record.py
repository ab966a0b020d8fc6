"""A motion's description apart from its frames, as one JSON object: what .npz, .csv and .glb carry beside the
numbers."""

import base64
import json
import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.ground import GroundProfile
from footfall.motion.motion import Motion
from footfall.motion.skeleton.tree import Capsule, EndSite, Mesh, Skeleton

FORMAT = "footfall motion 1"
_MOST_BYTES = 1 << 26
"""Of a mesh's vertices or triangles."""


def describe(motion: Motion) -> str:
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
            "source": _plain(motion.source),
        },
        allow_nan=False,
    )


def _plain(value: Any) -> Any:
    """What JSON can hold of a value: numbers that are not finite become null, anything unknown its text."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


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
            ends=tuple(
                EndSite(str(n), int(j), (float(o[0]), float(o[1]), float(o[2])), bool(c))
                for n, j, o, c in described["ends"]
            ),
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
