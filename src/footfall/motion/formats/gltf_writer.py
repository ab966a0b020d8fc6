"""glTF 2.0, out: one .glb or .gltf with skeleton, animation and a skinned body, for Blender, Unreal and browsers.

glTF has y up and looks along z, in metres. What glTF cannot say (channels, ground, figure, end sites) travels in the
scene's extras, so that the file reads back as the same motion.

The skinned body of a glTF file: solids as triangles, each bound to one joint.

USD, out: a skinned body with its animation as UsdSkel, for Omniverse, Houdini, Maya, Blender and Unreal.

The stage has metres, z up and x forward, as footfall has. It is written with Pixar's ``usd-core``, an optional extra.
"""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import axes_from_up, turned
from footfall.motion.formats.gltf_rig import UBYTE, UINT, USHORT, GltfStore, quaternion_xyzw, write_on_rig
from footfall.motion.formats.record import motion_description
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, continuous, rotate, to_matrix
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.solids import MeshSolid, Solid
from footfall.motion.skeleton.tree import Skeleton


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles in the rest pose.

    Attributes:
        positions, normals: [V, 3] in the skeleton's axes with the root at its rest position.
        joints: [V] the joint that moves each vertex.
        triangles: [N, 3] vertex indices, counter-clockwise from outside.
    """

    positions: Array
    normals: Array
    joints: np.ndarray
    triangles: np.ndarray


def body_mesh(skeleton: Skeleton, solids: Sequence[Solid | MeshSolid], root: Array) -> BodyMesh:
    """The mesh of ``solids`` on a skeleton in its rest pose with the root at ``root`` (3,)."""
    places, turns = skeleton.forward(root, skeleton.rest)
    starts = np.cumsum([0, *(len(solid.vertices) for solid in solids)])
    return BodyMesh(
        np.concatenate([places[s.joint] + rotate(turns[s.joint], s.vertices) for s in solids]),
        np.concatenate([rotate(turns[s.joint], s.normals) for s in solids]),
        np.concatenate([np.full(len(s.vertices), s.joint) for s in solids]),
        np.concatenate([s.triangles + start for s, start in zip(solids, starts)]),
    )


def side_meshes(skeleton: Skeleton, root: Array) -> dict[str, BodyMesh]:
    """The body's meshes by side ("" for the trunk), as far as it has solids there, with the root at ``root`` (3,)."""
    solids = body_solids(skeleton)
    sides = {side: [solid for solid in solids if solid.side == side] for side in _PAINT}
    return {side: body_mesh(skeleton, own, root) for side, own in sides.items() if own}


def rest_matrices(skeleton: Skeleton, root: Array) -> Array:
    """[J, 4, 4] joint frames in the world in the rest pose."""
    places, turns = skeleton.forward(root, skeleton.rest)
    frames = np.tile(np.eye(4), (len(skeleton), 1, 1))
    frames[:, :3, :3] = to_matrix(turns)
    frames[:, :3, 3] = places
    return frames


_ARRAY, _ELEMENTS = 34962, 34963
_PAINT = {"left": (0.0, 0.168, 0.445), "right": (0.665, 0.112, 0.0), "": (0.061, 0.080, 0.107)}


def write_gltf(
    motion: Motion, path: Path, *, rig: str | Path | None = None, clip_name: str = "", offset: float = 0.0
) -> None:
    """Save a motion as glTF 2.0.

    Args:
        motion: what to save.
        path: a .glb file (binary), or a .gltf file (text, with the numbers inside it in base64).
        rig: the glTF file on whose skeleton the motion is (``retarget_to_rig``): that file is written again with the
            motion as one more animation, and nothing else of it is changed.
        clip_name: name of the animation; by default the motion's controller, file or figure.
        offset: the second at which the animation begins.
    """
    if not (math.isfinite(offset) and offset >= 0.0):
        raise FootfallError(f"offset is {offset}; an animation begins at 0 s or later")
    known = (motion.source.get(key) for key in ("controller", "file", "retargeted"))
    clip_name = clip_name or next((str(name) for name in (*known, motion.figure) if name), "motion")
    if rig is not None:
        write_on_rig(motion, path, Path(rig), clip_name, offset)
        return
    import pygltflib as gltf

    skeleton = motion.skeleton
    axes = axes_from_up("y").T
    store = GltfStore()
    root = motion.root_position[0] * [0.0, 0.0, 1.0]
    joints = [
        gltf.Node(
            name=name,
            translation=[float(v) for v in axes @ (skeleton.offsets[j] if j else root)],
            rotation=quaternion_xyzw(turned(axes, skeleton.rest[j])).tolist(),
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
        animations=[_animation(gltf, motion, axes, store, clip_name, offset)],
    )
    shown = [0]
    meshes = side_meshes(skeleton, root)
    if meshes:
        model.materials = [_material(gltf, side) for side in _PAINT]
        few = len(skeleton) < 256
        rows = [_primitive(gltf, list(_PAINT).index(side), mesh, few, axes, store) for side, mesh in meshes.items()]
        model.meshes = [gltf.Mesh(name="body", primitives=rows)]
        model.nodes.append(gltf.Node(name="body", mesh=0, skin=0))
        shown.append(len(model.nodes) - 1)
    channels = {
        name: {"bufferView": store.raw(value), "dtype": value.dtype.str, "shape": list(value.shape)}
        for name, value in (("times", motion.times), *motion.channels.items())
    }
    model.scenes = [
        gltf.Scene(nodes=shown, extras={"footfall": {"description": motion_description(motion), "channels": channels}})
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


def _animation(gltf: Any, motion: Motion, axes: Array, store: GltfStore, name: str, offset: float) -> Any:
    times = store.add(motion.times - motion.times[0] + offset, "SCALAR")
    tracks = [(0, "translation", store.add(motion.root_position @ axes.T, "VEC3"))]
    rotations = quaternion_xyzw(turned(axes, continuous(motion.rotations)))
    tracks += [(j, "rotation", store.add(rotations[:, j], "VEC4")) for j in range(len(motion.skeleton))]
    return gltf.Animation(
        name=name,
        samplers=[gltf.AnimationSampler(input=times, output=out, interpolation="LINEAR") for _, _, out in tracks],
        channels=[
            gltf.AnimationChannel(sampler=k, target=gltf.AnimationChannelTarget(node=node, path=what))
            for k, (node, what, _) in enumerate(tracks)
        ],
    )


def _primitive(gltf: Any, material: int, mesh: BodyMesh, few: bool, axes: Array, store: GltfStore) -> Any:
    """The mesh of one side; with ``few`` joints their numbers are bytes."""
    bound = np.zeros((len(mesh.joints), 4))
    bound[:, 0] = mesh.joints
    weights = np.zeros_like(bound)
    weights[:, 0] = 255
    attributes = gltf.Attributes(
        POSITION=store.add(mesh.positions @ axes.T, "VEC3", target=_ARRAY),
        NORMAL=store.add(mesh.normals @ axes.T, "VEC3", target=_ARRAY),
        JOINTS_0=store.add(bound, "VEC4", UBYTE if few else USHORT, _ARRAY),
        WEIGHTS_0=store.add(weights, "VEC4", UBYTE, _ARRAY, normalized=True),
    )
    many = len(mesh.positions) >= 65536
    indices = store.add(mesh.triangles.reshape(-1), "SCALAR", UINT if many else USHORT, _ELEMENTS)
    return gltf.Primitive(attributes=attributes, indices=indices, material=material)


def _material(gltf: Any, side: str) -> Any:
    paint = gltf.PbrMetallicRoughness(baseColorFactor=[*_PAINT[side], 1.0], metallicFactor=0.0, roughnessFactor=0.65)
    return gltf.Material(name=side or "trunk", pbrMetallicRoughness=paint)


def _in_axes(frames: Array, axes: Array) -> Array:
    """Frames [J, 4, 4] seen in other axes, inside and out."""
    turn = np.eye(4)
    turn[:3, :3] = axes
    return np.asarray(turn @ frames @ turn.T)


def write_usd(motion: Motion, path: Path) -> None:
    """Save poses and body of a motion as USD.

    Args:
        motion: what to save.
        path: .usda (text), .usdc (binary), .usd (binary) or .usdz (packed).
    """
    try:
        from pxr import Gf, Tf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt
    except ImportError as error:
        raise FootfallError(
            f"{path}: USD needs the package usd-core; install it with: pip install footfall[usd]"
        ) from error
    packed = path.suffix.lower() == ".usdz"
    file = path.with_suffix(".usdc") if packed else path
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    clock = motion.times - motion.times[0]
    stage.SetTimeCodesPerSecond(round(motion.fps, 6))
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(float(clock[-1] * round(motion.fps, 6)))
    name = Tf.MakeValidIdentifier(motion.figure or Path(str(motion.source.get("file", ""))).stem or "motion")
    top = UsdSkel.Root.Define(stage, f"/{name}")
    stage.SetDefaultPrim(top.GetPrim())
    joints = Vt.TokenArray(joint_paths(motion.skeleton))
    root = motion.root_position[0] * [0.0, 0.0, 1.0]
    skeleton = UsdSkel.Skeleton.Define(stage, f"/{name}/skeleton")
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(_matrices(Gf, Vt, rest_matrices(motion.skeleton, root)))
    skeleton.CreateRestTransformsAttr(_matrices(Gf, Vt, _local_rest(motion.skeleton, root)))
    moves = UsdSkel.Animation.Define(stage, f"/{name}/animation")
    moves.CreateJointsAttr(joints)
    places = np.tile(motion.skeleton.offsets, (len(motion), 1, 1))
    places[:, 0] = motion.root_position
    turns = continuous(motion.rotations)
    moves.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(motion.skeleton)))
    shift, turn = moves.CreateTranslationsAttr(), moves.CreateRotationsAttr()
    for frame, time in enumerate(clock * round(motion.fps, 6)):
        shift.Set(Vt.Vec3fArray.FromNumpy(places[frame].astype(np.float32)), float(time))
        turn.Set(Vt.QuatfArray([Gf.Quatf(*(float(v) for v in q)) for q in turns[frame]]), float(time))
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([moves.GetPath()])
    for side, mesh in side_meshes(motion.skeleton, root).items():
        shape = UsdGeom.Mesh.Define(stage, f"/{name}/body_{side or 'trunk'}")
        _fill(shape, mesh, _PAINT[side], skeleton, (Gf, UsdGeom, UsdSkel, Vt))
    stage.GetRootLayer().Export(str(file))
    if packed:
        made = UsdUtils.CreateNewUsdzPackage(str(file), str(path))
        file.unlink(missing_ok=True)
        if not made:
            raise FootfallError(f"{path}: USD could not pack it")


def joint_paths(skeleton: Skeleton) -> list[str]:
    """UsdSkel's names of the joints: each with those above it, in letters, digits and underscores."""
    plain: list[str] = []
    for j, name in enumerate(skeleton.names):
        word = "".join(c if c.isascii() and c.isalnum() else "_" for c in name)
        word = word if word and not word[0].isdigit() else f"_{word}"
        plain.append(word if word not in plain else f"{word}_{j}")
    return ["/".join(plain[k] for k in skeleton.chain(j)) for j in range(len(skeleton))]


def _local_rest(skeleton: Skeleton, root: Array) -> Array:
    """[J, 4, 4] joint frames in their parents' in the rest pose."""
    world = rest_matrices(skeleton, root)
    local = world.copy()
    for j, parent in enumerate(skeleton.parents):
        if parent >= 0:
            local[j] = np.linalg.inv(world[parent]) @ world[j]
    return local


def _matrices(Gf: Any, Vt: Any, frames: Array) -> Any:
    """USD keeps matrices for row vectors: transposed."""
    return Vt.Matrix4dArray([Gf.Matrix4d(*frame.T.reshape(-1).tolist()) for frame in frames])


def _fill(shape: Any, mesh: BodyMesh, paint: tuple[float, float, float], skeleton: Any, pxr: tuple[Any, ...]) -> None:
    """The triangles of one side, bound to the skeleton."""
    Gf, UsdGeom, UsdSkel, Vt = pxr
    shape.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(mesh.positions.astype(np.float32)))
    shape.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(mesh.normals.astype(np.float32)))
    shape.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    shape.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(mesh.triangles), 3, np.int32)))
    shape.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.triangles.astype(np.int32).reshape(-1)))
    shape.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    shape.CreateDisplayColorAttr(Vt.Vec3fArray([Gf.Vec3f(*paint)]))
    shape.CreateExtentAttr(
        Vt.Vec3fArray.FromNumpy(np.stack([mesh.positions.min(0), mesh.positions.max(0)]).astype(np.float32))
    )
    binding = UsdSkel.BindingAPI.Apply(shape.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray.FromNumpy(mesh.joints.astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray([1.0] * len(mesh.joints)))
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
