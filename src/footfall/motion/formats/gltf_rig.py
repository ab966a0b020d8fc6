"""A motion into the glTF file of a character: its mesh, skin, materials, morphs, armature and scale stay as they are,
and one animation is added.

With the turn A, the shift l and the size s of all that lies above the skeleton's root, the root's own rotation is
A⁻¹ r₀ and its own translation A⁻¹ (p₀ - l) / s. All other joints turn as the motion's do; bones keep their lengths.
"""

import base64
import json
import mimetypes
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import axes_from_up, file_bytes, tidy_names, turned
from footfall.motion.formats.gltf_reader import (
    GltfDocument,
    ancestors,
    animated_joints,
    damage_named,
    local,
    parent_nodes,
    read_gltf_document,
)
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, continuous, multiply, rotate
from footfall.motion.skeleton.tree import Skeleton

FLOAT, UINT, USHORT, UBYTE = 5126, 5125, 5123, 5121
_OF_ITSELF = 1e-5
"""Share of its length by which a bone may differ from its node's before it gets a translation of its own."""
_JSON, _BINARY = 0x4E4F534A, 0x004E4942


@dataclass
class GltfStore:
    """The binary buffer, with the views and accessors that name its parts."""

    bytes: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def raw(self, values: np.ndarray, target: int | None = None) -> int:
        """Append an array's bytes; returns the buffer view."""
        self.bytes += bytes(-len(self.bytes) % 8)
        data = np.ascontiguousarray(values).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        self.views.append(view | ({"target": target} if target else {}))
        self.bytes += data
        return len(self.views) - 1

    def add(
        self, values: Array, kind: str, component: int = FLOAT, target: int | None = None, normalized: bool = False
    ) -> int:
        """Append numbers [N, ...] as an accessor; returns its index."""
        dtype = {FLOAT: "<f4", UINT: "<u4", USHORT: "<u2", UBYTE: "u1"}[component]
        packed = np.asarray(values).astype(dtype)
        row: dict[str, Any] = {
            "bufferView": self.raw(packed, target),
            "componentType": component,
            "count": len(packed),
            "type": kind,
            "normalized": normalized,
        }
        if kind in ("SCALAR", "VEC3") and component == FLOAT:
            flat = packed.reshape(len(packed), -1)
            row |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(row)
        return len(self.accessors) - 1


def quaternion_xyzw(q: Array) -> Array:
    """Quaternions [..., 4] in glTF's order."""
    return np.asarray(np.roll(q, -1, axis=-1))


def write_on_rig(motion: Motion, path: Path, rig: Path, name: str, offset: float = 0.0) -> None:
    """Write a character's glTF file with a motion as one more animation; one of the same name is replaced.

    Args:
        motion: on the character's skeleton.
        path: the .glb or .gltf file to write.
        rig: the character's file.
        name: of the animation.
        offset: the second at which it begins.
    """
    document = read_gltf_document(rig)
    with damage_named(rig):
        content, store = document.content, _one_buffer(document, rig)
        tracks = _node_tracks(motion, document, rig)
        clock = store.add(motion.times - motion.times[0] + offset, "SCALAR")
        samplers = [
            {"input": clock, "output": store.add(values, f"VEC{values.shape[1]}"), "interpolation": "LINEAR"}
            for values in tracks.values()
        ]
        channels = [{"sampler": k, "target": {"node": n, "path": what}} for k, (n, what) in enumerate(tracks)]
        kept = [clip for clip in content.get("animations") or [] if clip.get("name") != name]
        content["animations"] = [*kept, {"name": name, "channels": channels, "samplers": samplers}]
        content["buffers"] = [{"byteLength": len(store.bytes)}]
        for scene in content.get("scenes") or []:
            (scene.get("extras") or {}).pop("footfall", None)
    _write(content, bytes(store.bytes), path)


@dataclass(frozen=True, eq=False)
class RigNode:
    """A node that is a joint of a rig.

    Attributes:
        node: its index.
        name: in the file.
        turn: (4,) its rotation at rest.
        place: (3,) its translation at rest.
        size: its scale.
        within: the scale of all that lies above it.
        moved: (3,) its translation where the skeleton's bone is not the node's, else None.
    """

    node: int
    name: str
    turn: Array
    place: Array
    size: float
    within: float
    moved: Array | None


def rig_nodes(
    document: GltfDocument, skeleton: Skeleton, rig: Path
) -> tuple[tuple[Array, Array, float], list[RigNode]]:
    """Turn (4,), shift (3,) and size of what lies above a skeleton in a file, in its axes; its joints' nodes."""
    order, *_ = animated_joints(document, "", rig)
    nodes, axes = document.content["nodes"], axes_from_up("y")
    names, _ = tidy_names([str(nodes[node].get("name") or f"joint{k}") for k, node in enumerate(order)])
    if tuple(names) != tuple(skeleton.names):
        raise FootfallError(f"{rig}: the motion has another skeleton; bring it there first (--onto {rig.name})")
    above, parents = ancestors(nodes, order[0]), parent_nodes(nodes)
    sizes: dict[int, float] = {}
    rows = []
    for j, node in enumerate(order):
        place, turn, own = local(nodes[node])
        within = above[2] if j == 0 else sizes[parents[node]]
        sizes[node] = within * own
        bone = skeleton.offsets[j] @ axes / within
        away = float(np.linalg.norm(bone - place)) > _OF_ITSELF * max(float(np.linalg.norm(place)), 1e-3 / within)
        name = str(nodes[node].get("name") or names[j])
        rows.append(RigNode(node, name, turn, place, own, within, bone if j and away else None))
    return above, rows


def _node_tracks(motion: Motion, document: GltfDocument, rig: Path) -> dict[tuple[int, str], Array]:
    """(node, path) -> [T, 3 or 4] what moves; nodes that are moved say translation, rotation and scale apart."""
    (above, lift, size), rows = rig_nodes(document, motion.skeleton, rig)
    nodes, axes = document.content["nodes"], axes_from_up("y")
    rotations = turned(axes.T, motion.rotations)
    rotations[:, 0] = multiply(conjugate(above), rotations[:, 0])
    away = rotate(conjugate(above), motion.root_position @ axes - lift) / size
    tracks: dict[tuple[int, str], Array] = {(rows[0].node, "translation"): away}
    for j, row in enumerate(rows):
        node = nodes[row.node]
        if node.pop("matrix", None) is not None:
            node |= {"translation": row.place.tolist(), "scale": [row.size] * 3}
            node["rotation"] = quaternion_xyzw(row.turn).tolist()
        if row.moved is not None:
            tracks[row.node, "translation"] = np.tile(row.moved, (len(motion), 1))
        tracks[row.node, "rotation"] = quaternion_xyzw(continuous(rotations[:, j]))
    return tracks


def _one_buffer(document: GltfDocument, rig: Path) -> GltfStore:
    """All buffers of a file, and images that lie beside it, as one."""
    content, data, starts = document.content, bytearray(), []
    for buffer in document.buffers:
        data += bytes(-len(data) % 16)
        starts.append(len(data))
        data += buffer
    views = content.setdefault("bufferViews", [])
    for view in views:
        for row in (view, *(view.get("extensions") or {}).values()):
            if "buffer" in row:
                row["byteOffset"] = int(row.get("byteOffset", 0)) + starts[int(row["buffer"])]
                row["buffer"] = 0
    store = GltfStore(data, views, content.setdefault("accessors", []))
    for image in content.get("images") or []:
        uri = str(image.get("uri", "data:"))
        if not uri.startswith("data:"):
            picture = rig.parent / unquote(uri)
            del image["uri"]
            image |= {"bufferView": store.raw(np.frombuffer(file_bytes(picture, most=1 << 30), np.uint8))}
            image.setdefault("mimeType", mimetypes.guess_type(picture.name)[0] or "image/png")
    return store


def _write(content: dict[str, Any], data: bytes, path: Path) -> None:
    if path.suffix.lower() == ".gltf":
        content["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{base64.b64encode(data).decode()}"
        path.write_text(json.dumps(content), encoding="utf-8")
        return
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
    chunks = [(_JSON, text + b" " * (-len(text) % 4)), (_BINARY, data + bytes(-len(data) % 4))]
    body = b"".join(struct.pack("<II", len(chunk), kind) + chunk for kind, chunk in chunks)
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
