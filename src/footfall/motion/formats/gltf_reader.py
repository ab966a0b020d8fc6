"""glTF 2.0, in: the skeleton and an animation of a .glb or .gltf file, as footfall and other tools write it.

The container of glTF 2.0: .glb and .gltf files, their buffers and accessors.

Which nodes of a glTF scene make the skeleton: the joints of a skin, and what moves them.
"""

import base64
import binascii
import json
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.formats.conventions import axes_from_up, file_bytes, tidy_names, turned
from footfall.motion.formats.record import read_description, rebuild
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_matrix, multiply, normalised, rotate, slerp
from footfall.motion.skeleton.tree import Skeleton, fold_travel

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MOST_NUMBERS = 1 << 27


@dataclass(frozen=True, eq=False)
class GltfDocument:
    """A glTF file in memory.

    Attributes:
        content: its JSON.
        buffers: the bytes of each buffer.
    """

    content: dict[str, Any]
    buffers: list[bytes]

    def view(self, index: int) -> bytes:
        """The bytes of a buffer view."""
        view = self.content["bufferViews"][index]
        start, size = int(view.get("byteOffset", 0)), int(view["byteLength"])
        data = self.buffers[int(view["buffer"])]
        if index < 0 or start < 0 or size < 0 or start + size > len(data):
            raise ValueError("a buffer view reaches beyond the buffer")
        return data[start : start + size]

    def accessor(self, index: int) -> Array:
        """[count, width] the numbers of an accessor: interleaved, sparse or normalised as it may be."""
        row = self.content["accessors"][index]
        dtype, width, count = np.dtype(_DTYPES[row["componentType"]]), _WIDTHS[row["type"]], int(row["count"])
        if not 0 <= count * width <= _MOST_NUMBERS:
            raise ValueError(f"an accessor of {count} elements")
        if "bufferView" in row:
            values = self._elements(row["bufferView"], int(row.get("byteOffset", 0)), dtype, width, count)
        else:
            values = np.zeros((count, width), dtype)
        if sparse := row.get("sparse"):
            at, new, some = sparse["indices"], sparse["values"], int(sparse["count"])
            kind = np.dtype(_DTYPES[at["componentType"]])
            places = self._elements(at["bufferView"], int(at.get("byteOffset", 0)), kind, 1, some)[:, 0].astype(int)
            values[places] = self._elements(new["bufferView"], int(new.get("byteOffset", 0)), dtype, width, some)
        numbers = values.astype(float)
        return np.maximum(numbers / np.iinfo(dtype).max, -1.0) if row.get("normalized") else numbers

    def _elements(self, view: int, start: int, dtype: np.dtype, width: int, count: int) -> np.ndarray:
        data = self.view(view)
        size = dtype.itemsize * width
        stride = int(self.content["bufferViews"][view].get("byteStride", size))
        if start < 0 or stride < size or count < 0 or (count and start + (count - 1) * stride + size > len(data)):
            raise ValueError("an accessor reaches beyond its view")
        rows = [np.frombuffer(data, dtype, width, start + k * stride) for k in range(count)] if stride != size else []
        if stride == size:
            return np.frombuffer(data, dtype, count * width, start).reshape(count, width).copy()
        return np.array(rows, dtype).reshape(count, width)


def read_gltf_document(path: Path) -> GltfDocument:
    """The document of a .glb file, or of a .gltf file with its buffers inside it or in files beside it."""
    content = file_bytes(path, most=1 << 30)
    if path.suffix.lower() == ".gltf":
        document, blob = _json(content, path), b""
    else:
        document, blob = _chunks(content, path)
    rows = document.get("buffers") or []
    if not isinstance(rows, list) or len(rows) > 1000:
        raise FootfallError(f"{path}: its list of buffers is damaged")
    return GltfDocument(document, [_buffer(row, blob if k == 0 else b"", path) for k, row in enumerate(rows)])


def _json(text: bytes, path: Path) -> dict[str, Any]:
    try:
        document = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"{path}: its JSON is damaged") from error
    if not isinstance(document, dict):
        raise FootfallError(f"{path}: its JSON is damaged")
    return document


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
    return _json(parts[0][1], path), next((data for kind, data in parts if kind == 0x004E4942), b"")


def _buffer(row: Any, blob: bytes, path: Path) -> bytes:
    """A buffer's bytes: the binary chunk, a data URI, or a file in the same folder or below it."""
    uri = row.get("uri") if isinstance(row, dict) else None
    if not isinstance(uri, str):
        return blob
    if uri.startswith("data:"):
        try:
            return base64.b64decode(uri.partition(",")[2], validate=True)
        except (binascii.Error, ValueError) as error:
            raise FootfallError(f"{path}: a buffer inside it is not base64") from error
    file = (path.parent / unquote(uri)).resolve()
    if path.parent.resolve() not in file.parents:
        raise FootfallError(f"{path}: its buffer '{uri[:60]}' does not lie beside it")
    if not file.is_file():
        raise FootfallError(f"{path}: its buffer '{uri[:60]}' is missing; keep both files in one folder")
    return file_bytes(file, most=1 << 30)


def parent_nodes(nodes: list[dict[str, Any]]) -> dict[int, int]:
    """Child node -> its parent."""
    return {int(c): p for p, node in enumerate(nodes) for c in node.get("children") or []}


def joint_nodes(content: dict[str, Any], animated: set[int], path: Path) -> list[int]:
    """The nodes of the skeleton, parents first.

    They are the joints of the skin with the most joints (the animated nodes where there is no skin), the nodes between
    them, a common ancestor where they have several roots, and ancestors that the animation moves.
    """
    nodes = content["nodes"]
    parents = parent_nodes(nodes)
    skins = [[int(j) for j in skin["joints"]] for skin in content.get("skins") or []]
    joints = max(skins, key=len) if skins else sorted(animated)
    if not joints or any(not 0 <= j < len(nodes) for j in joints):
        raise FootfallError(f"{path}: it has no skin, and no node that moves")
    chains = [_chain(j, parents, path) for j in dict.fromkeys(joints)]
    shared = [row[0] for row in zip(*chains) if len(set(row)) == 1]
    inside = set(joints)
    tops = [chain for chain in chains if not inside & set(chain[:-1])]
    if len(tops) > 1 and not shared:
        raise FootfallError(f"{path}: its skeleton has {len(tops)} roots that hang on nothing; footfall reads one")
    root = shared[-1] if len(tops) > 1 else tops[0][-1]
    above = _chain(root, parents, path)
    root = next((node for node in above if node in animated), root)
    kept = {node for chain in chains for node in chain[chain.index(root) :]}
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [int(c) for c in reversed(nodes[node].get("children") or []) if int(c) in kept]
    given = [j for j in joints if j in kept]
    return given if _parents_first(given, parents) and len(given) == len(order) else order


def _chain(node: int, parents: dict[int, int], path: Path) -> list[int]:
    """The nodes from the scene's top down to ``node``."""
    chain = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
        if len(chain) > len(parents) + 1:
            raise FootfallError(f"{path}: its joints hang on each other in a circle")
    return chain[::-1]


def _parents_first(joints: list[int], parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    for k, joint in enumerate(joints):
        if k and parents.get(joint) not in seen:
            return False
        seen.add(joint)
    return True


def local(node: dict[str, Any]) -> tuple[Array, Array, float]:
    """Translation (3,), rotation (4,) w first, and scale of a node."""
    if "matrix" in node:
        m = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        size = float(np.cbrt(np.linalg.det(m[:3, :3])))
        return m[:3, 3], from_matrix(m[:3, :3] / size), size
    place = np.array(node.get("translation", [0, 0, 0]), dtype=float).reshape(3)
    turn = normalised(np.roll(np.array(node.get("rotation", [0, 0, 0, 1]), dtype=float).reshape(4), 1))
    sizes = np.array(node.get("scale", [1, 1, 1]), dtype=float)
    return place, turn, float(sizes.mean())


def ancestors(nodes: list[dict[str, Any]], root: int) -> tuple[Array, Array, float]:
    """Rotation, translation and scale of everything above the root joint."""
    parents = parent_nodes(nodes)
    turn, place, size = np.array([1.0, 0, 0, 0]), np.zeros(3), 1.0
    node, steps = parents.get(root), 0
    while node is not None and steps < 1000:
        p, q, s = local(nodes[node])
        turn, place, size = multiply(q, turn), p + rotate(q, s * place), s * size
        node, steps = parents.get(node), steps + 1
    return turn, place, size


_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_LIKE_A_REST = 1e-3
Track = tuple[Array, Array, str]


def read_gltf(path: Path, *, animation: str = "") -> Motion:
    """Load an animation of a .glb or .gltf file. A file that footfall wrote comes back as the same motion.

    Args:
        path: the file.
        animation: name of the animation; by default the first.
    """
    document = read_gltf_document(path)
    with damage_named(path):
        return _motion(document, animation, path)


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """What fails on a damaged file becomes one line that names it."""
    try:
        with np.errstate(all="ignore"):
            yield
    except _DAMAGED as error:
        text = " ".join(str(error).split())[:80]
        raise FootfallError(f"{path}: its glTF is damaged ({type(error).__name__}: {text})") from error


def animated_joints(
    document: GltfDocument, wanted: str, path: Path
) -> tuple[list[int], dict[tuple[int, str], Track], list[str], str]:
    """The nodes of the skeleton, parents first; the tracks of an animation; the names of all animations; and its own.

    It is the one that is wanted by name ("": the first that moves joints). A file with a skin needs none: "".
    """
    rows = document.content.get("animations") or []
    names, _ = tidy_names([str(row.get("name") or f"animation{k}") for k, row in enumerate(rows)])
    skinned = bool(document.content.get("skins")) and not wanted
    if not rows and not skinned:
        raise FootfallError(f"{path}: it has no animation")
    if wanted and wanted not in names:
        raise FootfallError(f"{path}: {unknown_name('animation', wanted, names)}")
    found = ((_tracks(document, row), name) for name, row in zip(names, rows) if wanted in ("", name))
    tracks, chosen = next((pair for pair in found if pair[0]), ({}, ""))
    if not tracks and not skinned:
        raise FootfallError(f"{path}: its animation moves no joint")
    return joint_nodes(document.content, {node for node, _ in tracks}, path), tracks, list(names), chosen


def _motion(document: GltfDocument, wanted: str, path: Path) -> Motion:
    content = document.content
    order, tracks, names, chosen = animated_joints(document, wanted, path)
    nodes = content["nodes"]
    times = np.unique(np.concatenate([t for t, _, _ in tracks.values()])) if tracks else np.zeros(1)
    axes = axes_from_up("y")
    T = len(times)
    rotations = np.empty((T, len(order), 4))
    rest, offsets = np.empty((len(order), 4)), np.empty((len(order), 3))
    root_position = np.empty((T, 3))
    above, lift, scale = ancestors(nodes, order[0])
    parents = parent_nodes(nodes)
    sizes: dict[int, float] = {}
    sliding: dict[int, Array] = {}
    for j, node in enumerate(order):
        place, turn, own = local(nodes[node])
        size = scale if j == 0 else sizes[parents[node]]
        sizes[node] = size * own
        q = _sampled(tracks.get((node, "rotation")), times, turn, quaternions=True)
        p = _sampled(tracks.get((node, "translation")), times, place, quaternions=False)
        if j == 0:
            q, turn = multiply(above, q), multiply(above, turn)
            root_position = (lift + rotate(above, size * p)) @ axes.T
            offsets[0] = axes @ (lift + rotate(above, size * place))
        else:
            moved = size * p @ axes.T
            offsets[j] = moved.mean(axis=0)
            if np.ptp(moved, axis=0).max() > _LIKE_A_REST * max(float(np.abs(moved).max()), 1e-3):
                sliding[j] = moved
        rotations[:, j], rest[j] = turned(axes, q), turned(axes, turn)
    frames: dict[str, np.ndarray] = {"times": times, "root_position": root_position, "rotations": normalised(rotations)}
    extras = (content.get("scenes") or [{}])[0].get("extras", {}).get("footfall")
    if extras:
        described = read_description(str(extras["description"]), str(path))
        for name, row in extras.get("channels", {}).items():
            values = np.frombuffer(document.view(row["bufferView"]), np.dtype(row["dtype"]))
            frames[name] = values.reshape(row["shape"])
        return rebuild(described, frames, str(path))
    joints, notes = tidy_names([str(nodes[node].get("name") or f"joint{k}") for k, node in enumerate(order)])
    links = tuple(-1 if k == 0 else order.index(parents[node]) for k, node in enumerate(order))
    root_position, offsets, home = fold_travel(links, offsets, root_position, frames["rotations"], sliding)
    if home is not None:
        notes.append(f"the travel of joint '{joints[home]}' was given to the root")
    skeleton = Skeleton(joints, links, offsets, rest=rest)
    if not chosen:
        notes.append("it has no animation of joints; the pose of its nodes was read")
    elif len(names) > 1 and not wanted:
        notes.append(f"{len(names)} animations are in the file; '{chosen}' was read: name another with --animation")
    source: dict[str, Any] = {"file": path.name, "format": path.suffix.lower()[1:], "unit": "m", "unit_from": "file"}
    source |= {"up": "y", "up_from": "file", "animation": chosen, "animations": names}
    return Motion(
        skeleton, times, root_position, frames["rotations"], source=source | ({"notes": notes} if notes else {})
    )


def _tracks(document: GltfDocument, animation: dict[str, Any]) -> dict[tuple[int, str], Track]:
    """(node, path) -> times [K], values [K, 3 or 4], interpolation."""
    tracks = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        if target.get("path") not in ("rotation", "translation") or "node" not in target:
            continue
        times = document.accessor(sampler["input"])[:, 0]
        values = document.accessor(sampler["output"])
        how = sampler.get("interpolation", "LINEAR")
        if how == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)[:, 1]
        if len(values) != len(times) or (np.diff(times) <= 0).any() or not np.isfinite(values).all():
            raise ValueError("an animation's times and values do not fit")
        tracks[int(target["node"]), str(target["path"])] = (times, values, how)
    return tracks


def _sampled(track: Track | None, times: Array, rest: Array, *, quaternions: bool) -> Array:
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
