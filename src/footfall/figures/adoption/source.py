"""A stranger's file as a compiled MuJoCo model: MJCF or URDF, with or without its meshes.

Meshes that are not there are left out with the geoms that show them: bodies have their inertias in the file. A body
whose mass comes from such a geom alone is an error, since nothing else tells how heavy it is.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco

from footfall.errors import FootfallError

READABLE = (".stl", ".obj", ".msh", ".ply")
"""Mesh files that MuJoCo reads."""


@dataclass(frozen=True)
class Source:
    """A file as MuJoCo reads it.

    Attributes:
        path: of the file. name: of the model, or the file's.
        spec: as read, less what is missing. model: compiled.
        missing: names of mesh files that are not there. notes: what else was left out or added.
    """

    path: Path
    name: str
    spec: Any
    model: Any
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_source(path: Path) -> Source:
    """Read and compile a file.

    Raises:
        FootfallError: MuJoCo cannot read it, or a body has no mass without a mesh that is missing.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise FootfallError(f"{path}: MuJoCo cannot read it: {one_line(error)}") from error
    missing, massless = _leave_out_missing(spec, path)
    notes = _keep_one_tree(spec, path)
    if path.suffix == ".urdf":
        spec.compiler.fusestatic = False  # its first link would become a part of the world, and its mass with it
        spec.compiler.balanceinertia = True
        spec.compiler.boundmass = 1e-6
        spec.compiler.boundinertia = 1e-9
    try:
        model = compiled(spec)
    except ValueError as error:
        hint = f"; the mesh of body '{massless[0]}' is missing, and its mass with it" if massless else ""
        raise FootfallError(f"{path}: MuJoCo cannot compile it: {one_line(error)}{hint}") from error
    if massless:
        raise FootfallError(
            f"{path}: body '{massless[0]}' has its mass from a mesh that is not there ({missing[0]}): "
            "put the mesh files beside the model, or give the body an inertial"
        )
    name = str(spec.modelname)
    return Source(path, path.stem if name in ("", "MuJoCo Model") else name, spec, model, missing, notes)


def _keep_one_tree(spec: Any, path: Path) -> tuple[str, ...]:
    """Delete all but the tree with the most joints, and what refers to the scene around it; let its root go free."""
    notes = []
    for part in (*spec.pairs, *spec.excludes, *spec.sensors, *spec.skins, *spec.flexes, *spec.cameras, *spec.lights):
        spec.delete(part)
    trees = list(spec.worldbody.bodies)
    if not trees:
        raise FootfallError(f"{path}: it has no body")
    sizes = [len(_joints_below(tree)) for tree in trees]
    root = trees[sizes.index(max(sizes))]
    for tree in trees:
        if tree is not root:
            notes.append(f"body '{tree.name}', which is attached to the world beside it, is left out")
            spec.delete(tree)
    kinds = [joint.type for joint in root.joints]
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    if not kinds:
        root.add_freejoint(name="root")
        for key in list(spec.keys):
            spec.delete(key)  # its poses lack the root
        notes.append(f"body '{root.name}' was fixed to the world; it has a free joint now")
    elif kinds[0] != mujoco.mjtJoint.mjJNT_FREE and sorted(map(int, kinds[:3])) != sorted(
        map(int, [slide, slide, hinge])
    ):
        raise FootfallError(f"{path}: its first body '{root.name}' hangs from the world by a joint; a biped's is free, "
                            "or moves in the plane by two slides and a hinge")  # fmt: skip
    return tuple(notes)


def _joints_below(body: Any) -> list[Any]:
    return [*body.joints, *(joint for child in body.bodies for joint in _joints_below(child))]


def _leave_out_missing(spec: Any, path: Path) -> tuple[tuple[str, ...], list[str]]:
    """Delete meshes, height fields and textures whose files are missing; return the meshes' files and the moving
    bodies that have no mass without them."""
    folder = path.parent
    meshes = {}
    for mesh in list(spec.meshes):
        file = str(mesh.file)
        if not file or _is_there(folder, str(spec.meshdir), file):
            continue
        meshes[str(mesh.name) or Path(file).stem] = Path(file).name
        spec.delete(mesh)
    massless = []
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH and str(geom.meshname) in meshes:
            body = geom.parent
            others = [g for g in body.geoms if str(g.meshname) not in meshes]
            if not body.explicitinertial and not others and str(body.name) != "world" and list(body.joints):
                massless.append(str(body.name))
            spec.delete(geom)
    for field in list(spec.hfields):
        if str(field.file) and not _is_there(folder, str(spec.meshdir), str(field.file)):
            for geom in list(spec.geoms):
                if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD and str(geom.hfieldname) == str(field.name):
                    spec.delete(geom)
            spec.delete(field)
    _leave_out_textures(spec, folder)
    return tuple(meshes.values()), massless


def _leave_out_textures(spec: Any, folder: Path) -> None:
    """Textures are for pictures alone; a material without its texture is its colour."""
    lost = set()
    for texture in list(spec.textures):
        files = [str(texture.file), *(str(file) for file in texture.cubefiles)]
        if any(file and not _is_there(folder, str(spec.texturedir), file) for file in files):
            lost.add(str(texture.name))
            spec.delete(texture)
    for material in spec.materials:
        for i, texture in enumerate(material.textures):
            if texture in lost:
                material.textures[i] = ""


def _is_there(folder: Path, subfolder: str, file: str) -> bool:
    places = [folder / subfolder / file, folder / file, folder / subfolder / Path(file).name]
    return Path(file).suffix.lower() in (*READABLE, ".png", ".ktx", ".bin", "") and any(p.is_file() for p in places)


def compiled(spec: Any) -> Any:
    """A spec's model, without MuJoCo's advice to the file's author (about old attributes, say)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return spec.compile()


def one_line(error: Exception) -> str:
    """MuJoCo's message without line breaks."""
    return " ".join(str(error).split())
