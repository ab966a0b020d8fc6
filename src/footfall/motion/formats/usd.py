"""USD, out: a skinned body with its animation as UsdSkel, for Omniverse, Houdini, Maya, Blender and Unreal.

The stage has metres, z up and x forward, as footfall has. It is written with Pixar's ``usd-core``, an optional extra.
"""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.gltf_mesh import body_mesh, rest_matrices
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, continuous
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.tree import Skeleton

_PAINT = {"left": (0.0, 0.168, 0.445), "right": (0.665, 0.112, 0.0), "": (0.061, 0.080, 0.107)}


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
    for side, paint in _PAINT.items():
        _body(motion, root, side, paint, stage, skeleton, name, (Gf, UsdGeom, UsdSkel, Vt))
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


def _body(
    motion: Motion,
    root: Array,
    side: str,
    paint: tuple[float, float, float],
    stage: Any,
    skeleton: Any,
    name: str,
    pxr: tuple[Any, ...],
) -> None:
    """The mesh of one side, bound to the skeleton."""
    Gf, UsdGeom, UsdSkel, Vt = pxr
    solids = [solid for solid in body_solids(motion.skeleton) if solid.side == side]
    if not solids:
        return
    mesh = body_mesh(motion.skeleton, solids, root)
    shape = UsdGeom.Mesh.Define(stage, f"/{name}/body_{side or 'trunk'}")
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
