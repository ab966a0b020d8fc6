"""glTF 2.0, in: the skeleton and animation of a .glb, as footfall and other tools write it."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import axes_from_up, turned
from footfall.motion.formats.record import read_description, rebuild
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_matrix, multiply, normalised, rotate, slerp
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["read_glb"]

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def read_glb(path: Path) -> Motion:
    """Load the first animation of a .glb on its first skin. A file that footfall wrote comes back as the same
    motion."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FootfallError(f"{path}: cannot be read ({error.strerror})") from error
    document, blob = _chunks(content, path)
    try:
        with np.errstate(all="ignore"):
            return _motion(document, blob, path)
    except _DAMAGED as error:
        text = " ".join(str(error).split())[:80]
        raise FootfallError(f"{path}: its glTF is damaged ({type(error).__name__}: {text})") from error


def _chunks(content: bytes, path: Path) -> tuple[dict[str, Any], bytes]:
    if len(content) < 20 or content[:4] != b"glTF":
        raise FootfallError(f"{path}: not a binary glTF file (it must begin with 'glTF')")
    version, length = struct.unpack_from("<II", content, 4)
    if version != 2 or length != len(content):
        raise FootfallError(
            f"{path}: glTF version {version} of {length} bytes, but the file has {len(content)}; cut off?"
        )
    parts: list[tuple[int, bytes]] = []
    at = 12
    while at + 8 <= len(content):
        size, kind = struct.unpack_from("<II", content, at)
        if at + 8 + size > len(content):
            raise FootfallError(f"{path}: a chunk reaches beyond the end of the file")
        parts.append((kind, content[at + 8 : at + 8 + size]))
        at += 8 + size
    if not parts or parts[0][0] != 0x4E4F534A:
        raise FootfallError(f"{path}: its first chunk is not JSON")
    try:
        document = json.loads(parts[0][1].decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"{path}: its JSON is damaged") from error
    if not isinstance(document, dict):
        raise FootfallError(f"{path}: its JSON is damaged")
    return document, next((data for kind, data in parts if kind == 0x004E4942), b"")


def _view(document: dict[str, Any], blob: bytes, index: int) -> bytes:
    view = document["bufferViews"][index]
    start, size = int(view.get("byteOffset", 0)), int(view["byteLength"])
    if index < 0 or start < 0 or size < 0 or start + size > len(blob):
        raise ValueError("a buffer view reaches beyond the buffer")
    if view.get("byteStride"):
        raise ValueError("interleaved animation data")
    return blob[start : start + size]


def _accessor(document: dict[str, Any], blob: bytes, index: int) -> Array:
    row = document["accessors"][index]
    dtype, width, count = np.dtype(_DTYPES[row["componentType"]]), _WIDTHS[row["type"]], int(row["count"])
    data = _view(document, blob, row["bufferView"])[int(row.get("byteOffset", 0)) :]
    if count < 1 or count * width * dtype.itemsize > len(data):
        raise ValueError("an accessor reaches beyond its view")
    values = np.frombuffer(data, dtype, count * width).reshape(count, width).astype(float)
    if row.get("normalized"):
        values /= np.iinfo(dtype).max
    return values


def _motion(document: dict[str, Any], blob: bytes, path: Path) -> Motion:
    if not document.get("animations") or not document.get("skins"):
        raise FootfallError(f"{path}: it has no {'animation' if not document.get('animations') else 'skin'}")
    tracks = _tracks(document, blob)
    nodes, order = document["nodes"], _order(document, path)
    if not tracks:
        raise FootfallError(f"{path}: its animation moves no joint")
    times = np.unique(np.concatenate([t for t, _, _ in tracks.values()]))
    axes = axes_from_up("y")
    T = len(times)
    rotations = np.empty((T, len(order), 4))
    rest, offsets = np.empty((len(order), 4)), np.empty((len(order), 3))
    root_position = np.empty((T, 3))
    above, lift, scale = _ancestors(document, order[0])
    for j, node in enumerate(order):
        place, turn, _ = _local(nodes[node])
        q = _sampled(tracks.get((node, "rotation")), times, turn, quaternions=True)
        p = _sampled(tracks.get((node, "translation")), times, place, quaternions=False)
        if j == 0:
            q, turn = multiply(above, q), multiply(above, turn)
            root_position = (lift + rotate(above, scale * p)) @ axes.T
            offsets[0] = axes @ (lift + rotate(above, scale * place))
        else:
            offsets[j] = axes @ (scale * p.mean(axis=0))
        rotations[:, j], rest[j] = turned(axes, q), turned(axes, turn)
    parents = _parents(document, order)
    extras = (document.get("scenes") or [{}])[0].get("extras", {}).get("footfall")
    frames: dict[str, np.ndarray] = {"times": times, "root_position": root_position, "rotations": normalised(rotations)}
    if extras:
        described = read_description(str(extras["description"]), str(path))
        for name, row in extras.get("channels", {}).items():
            values = np.frombuffer(_view(document, blob, row["bufferView"]), np.dtype(row["dtype"]))
            frames[name] = values.reshape(row["shape"])
        return rebuild(described, frames, str(path))
    names = _names(nodes, order)
    skeleton = Skeleton(names, parents, offsets, rest=rest)
    source = {"file": path.name, "format": "glb"}
    return Motion(skeleton, times, root_position, frames["rotations"], source=source)


def _tracks(document: dict[str, Any], blob: bytes) -> dict[tuple[int, str], tuple[Array, Array, str]]:
    """(node, path) -> times [K], values [K, 3 or 4], interpolation."""
    animation = document["animations"][0]
    tracks = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        if target.get("path") not in ("rotation", "translation") or "node" not in target:
            continue
        times = _accessor(document, blob, sampler["input"])[:, 0]
        values = _accessor(document, blob, sampler["output"])
        how = sampler.get("interpolation", "LINEAR")
        if how == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)[:, 1]
        if len(values) != len(times) or (np.diff(times) <= 0).any() or not np.isfinite(values).all():
            raise ValueError("an animation's times and values do not fit")
        tracks[int(target["node"]), str(target["path"])] = (times, values, how)
    return tracks


def _sampled(track: tuple[Array, Array, str] | None, times: Array, rest: Array, *, quaternions: bool) -> Array:
    """[T, 3 or 4] a track at ``times``, or its node's rest value."""
    if track is None:
        return np.tile(rest, (len(times), 1))
    at, values, how = track
    values = normalised(np.roll(values, 1, axis=-1)) if quaternions else values
    i = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 1)
    n = np.minimum(i + 1, len(at) - 1)
    span = at[n] - at[i]
    weight = np.where(span > 0, (times - at[i]) / np.where(span > 0, span, 1.0), 0.0)
    weight = np.zeros_like(weight) if how == "STEP" else np.clip(weight, 0.0, 1.0)
    if not weight.any():
        return np.asarray(values[i])
    if quaternions:
        return slerp(values[i], values[n], weight)
    return np.asarray(values[i] + weight[:, None] * (values[n] - values[i]))


def _local(node: dict[str, Any]) -> tuple[Array, Array, float]:
    """Translation (3,), rotation (4,) w first, and scale of a node."""
    if "matrix" in node:
        m = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        size = float(np.cbrt(np.linalg.det(m[:3, :3])))
        return m[:3, 3], from_matrix(m[:3, :3] / size), size
    place = np.array(node.get("translation", [0, 0, 0]), dtype=float).reshape(3)
    turn = normalised(np.roll(np.array(node.get("rotation", [0, 0, 0, 1]), dtype=float).reshape(4), 1))
    sizes = np.array(node.get("scale", [1, 1, 1]), dtype=float)
    return place, turn, float(sizes.mean())


def _all_parents(document: dict[str, Any]) -> dict[int, int]:
    return {int(c): p for p, node in enumerate(document["nodes"]) for c in node.get("children") or []}


def _order(document: dict[str, Any], path: Path) -> list[int]:
    """The skin's joints, parents first."""
    joints = [int(j) for j in document["skins"][0]["joints"]]
    parents = _all_parents(document)
    inside = set(joints)
    roots = [j for j in joints if parents.get(j) not in inside]
    if len(roots) != 1 or len(inside) != len(joints):
        raise FootfallError(f"{path}: its skin has {len(roots)} roots; footfall reads one skeleton a file")
    order, waiting = [], [roots[0]]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += [int(c) for c in reversed(document["nodes"][joint].get("children") or []) if int(c) in inside]
        if len(order) > len(joints):
            raise FootfallError(f"{path}: its joints hang on each other in a circle")
    return [j for j in joints if j in set(order)] if _sorted(joints, parents) else order


def _sorted(joints: list[int], parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    for k, joint in enumerate(joints):
        if k and parents.get(joint) not in seen:
            return False
        seen.add(joint)
    return True


def _parents(document: dict[str, Any], order: list[int]) -> tuple[int, ...]:
    parents = _all_parents(document)
    return tuple(-1 if k == 0 else order.index(parents[node]) for k, node in enumerate(order))


def _ancestors(document: dict[str, Any], root: int) -> tuple[Array, Array, float]:
    """Rotation, translation and scale of everything above the root joint."""
    parents = _all_parents(document)
    turn, place, size = np.array([1.0, 0, 0, 0]), np.zeros(3), 1.0
    node, steps = parents.get(root), 0
    while node is not None and steps < 1000:
        p, q, s = _local(document["nodes"][node])
        turn, place, size = multiply(q, turn), p + rotate(q, s * place), s * size
        node, steps = parents.get(node), steps + 1
    return turn, place, size


def _names(nodes: list[dict[str, Any]], order: list[int]) -> tuple[str, ...]:
    names = [str(nodes[node].get("name") or f"joint{k}") for k, node in enumerate(order)]
    return tuple(name if names.count(name) == 1 else f"{name}_{k}" for k, name in enumerate(names))
