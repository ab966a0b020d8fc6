"""glTF 2.0, out: one .glb or .gltf with skeleton, animation and a skinned body, for Blender, Unreal and browsers.

glTF has y up and looks along z, in metres. What glTF cannot say (channels, ground, figure, end sites) travels in the
scene's extras, so that the file reads back as the same motion.
"""

import base64
from pathlib import Path
from typing import Any

import numpy as np

from footfall.motion.formats.conventions import axes_from_up, turned
from footfall.motion.formats.gltf_mesh import body_mesh, rest_matrices
from footfall.motion.formats.record import describe
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, continuous
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.mesh_solids import MeshSolid
from footfall.motion.skeleton.solids import Solid

_FLOAT, _UINT, _USHORT, _UBYTE = 5126, 5125, 5123, 5121
_ARRAY, _ELEMENTS = 34962, 34963
_PAINT = {"left": (0.0, 0.168, 0.445), "right": (0.665, 0.112, 0.0), "": (0.061, 0.080, 0.107)}


def write_gltf(motion: Motion, path: Path) -> None:
    """Save a motion as glTF 2.0.

    Args:
        motion: what to save.
        path: a .glb file (binary), or a .gltf file (text, with the numbers inside it in base64).
    """
    import pygltflib as gltf

    skeleton = motion.skeleton
    axes = axes_from_up("y").T
    store = _Store()
    root = motion.root_position[0] * [0.0, 0.0, 1.0]
    joints = [
        gltf.Node(
            name=name,
            translation=[float(v) for v in axes @ (skeleton.offsets[j] if j else root)],
            rotation=_xyzw(turned(axes, skeleton.rest[j])).tolist(),
            children=list(skeleton.children[j]),
        )
        for j, name in enumerate(skeleton.names)
    ]
    bind = np.linalg.inv(_in_axes(rest_matrices(skeleton, root), axes)).astype(float)
    model = gltf.GLTF2(
        asset=gltf.Asset(version="2.0", generator="footfall"),
        nodes=joints,
        scene=0,
        skins=[
            gltf.Skin(
                name=f"{motion.figure or 'figure'} skin",
                joints=list(range(len(joints))),
                skeleton=0,
                inverseBindMatrices=store.add(bind.swapaxes(-1, -2).reshape(-1, 16), "MAT4"),
            )
        ],
        animations=[_animation(gltf, motion, axes, store)],
    )
    shown = [0]
    solids = body_solids(skeleton)
    if solids:
        model.materials = [_material(gltf, side) for side in _PAINT]
        model.meshes = [gltf.Mesh(name="body", primitives=_primitives(gltf, motion, solids, root, axes, store))]
        model.nodes.append(gltf.Node(name="body", mesh=0, skin=0))
        shown.append(len(model.nodes) - 1)
    channels = {
        name: {"bufferView": store.raw(value), "dtype": value.dtype.str, "shape": list(value.shape)}
        for name, value in (("times", motion.times), *motion.channels.items())
    }
    model.scenes = [
        gltf.Scene(nodes=shown, extras={"footfall": {"description": describe(motion), "channels": channels}})
    ]
    model.accessors = [gltf.Accessor(**row) for row in store.accessors]
    model.bufferViews = [gltf.BufferView(**row) for row in store.views]
    model.buffers = [gltf.Buffer(byteLength=len(store.bytes))]
    model.set_binary_blob(bytes(store.bytes))
    if path.suffix.lower() == ".gltf":
        model.buffers[0].uri = f"data:application/octet-stream;base64,{base64.b64encode(store.bytes).decode()}"
        path.write_text(model.to_json(), encoding="utf-8")
    else:
        path.write_bytes(b"".join(model.save_to_bytes()))


class _Store:
    """The binary buffer, with the views and accessors that name its parts."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def raw(self, values: np.ndarray, target: int | None = None) -> int:
        """Append an array's bytes; returns the buffer view."""
        self.bytes += bytes(-len(self.bytes) % 8)
        data = np.ascontiguousarray(values).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        self.views.append(view | ({"target": target} if target else {}))
        self.bytes += data
        return len(self.views) - 1

    def add(
        self, values: Array, kind: str, component: int = _FLOAT, target: int | None = None, normalized: bool = False
    ) -> int:
        """Append numbers [N, ...] as an accessor; returns its index."""
        dtype = {_FLOAT: "<f4", _UINT: "<u4", _USHORT: "<u2", _UBYTE: "u1"}[component]
        packed = np.asarray(values).astype(dtype)
        row: dict[str, Any] = {
            "bufferView": self.raw(packed, target),
            "componentType": component,
            "count": len(packed),
            "type": kind,
            "normalized": normalized,
        }
        if kind in ("SCALAR", "VEC3") and component == _FLOAT:
            flat = packed.reshape(len(packed), -1)
            row |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(row)
        return len(self.accessors) - 1


def _animation(gltf: Any, motion: Motion, axes: Array, store: _Store) -> Any:
    times = store.add(motion.times - motion.times[0], "SCALAR")
    tracks = [(0, "translation", store.add(motion.root_position @ axes.T, "VEC3"))]
    rotations = _xyzw(turned(axes, continuous(motion.rotations)))
    tracks += [(j, "rotation", store.add(rotations[:, j], "VEC4")) for j in range(len(motion.skeleton))]
    return gltf.Animation(
        name=str(motion.source.get("controller") or motion.source.get("file") or motion.figure or "motion"),
        samplers=[gltf.AnimationSampler(input=times, output=out, interpolation="LINEAR") for _, _, out in tracks],
        channels=[
            gltf.AnimationChannel(sampler=k, target=gltf.AnimationChannelTarget(node=node, path=what))
            for k, (node, what, _) in enumerate(tracks)
        ],
    )


def _primitives(
    gltf: Any, motion: Motion, solids: list[Solid | MeshSolid], root: Array, axes: Array, store: _Store
) -> list[Any]:
    """One primitive for each side that has solids, with its own material."""
    primitives = []
    for material, side in enumerate(_PAINT):
        own = [solid for solid in solids if solid.side == side]
        if not own:
            continue
        mesh = body_mesh(motion.skeleton, own, root)
        bound = np.zeros((len(mesh.joints), 4))
        bound[:, 0] = mesh.joints
        weights = np.zeros_like(bound)
        weights[:, 0] = 255
        few, many = len(motion.skeleton) < 256, len(mesh.positions) >= 65536
        attributes = gltf.Attributes(
            POSITION=store.add(mesh.positions @ axes.T, "VEC3", target=_ARRAY),
            NORMAL=store.add(mesh.normals @ axes.T, "VEC3", target=_ARRAY),
            JOINTS_0=store.add(bound, "VEC4", _UBYTE if few else _USHORT, _ARRAY),
            WEIGHTS_0=store.add(weights, "VEC4", _UBYTE, _ARRAY, normalized=True),
        )
        indices = store.add(mesh.triangles.reshape(-1), "SCALAR", _UINT if many else _USHORT, _ELEMENTS)
        primitives.append(gltf.Primitive(attributes=attributes, indices=indices, material=material))
    return primitives


def _material(gltf: Any, side: str) -> Any:
    paint = gltf.PbrMetallicRoughness(baseColorFactor=[*_PAINT[side], 1.0], metallicFactor=0.0, roughnessFactor=0.65)
    return gltf.Material(name=side or "trunk", pbrMetallicRoughness=paint)


def _xyzw(q: Array) -> Array:
    """Quaternions [..., 4] in glTF's order."""
    return np.asarray(np.roll(q, -1, axis=-1))


def _in_axes(frames: Array, axes: Array) -> Array:
    """Frames [J, 4, 4] seen in other axes, inside and out."""
    turn = np.eye(4)
    turn[:3, :3] = axes
    return np.asarray(turn @ frames @ turn.T)
