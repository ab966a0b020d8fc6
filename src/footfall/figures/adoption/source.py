"""A stranger's file as a compiled MuJoCo model: MJCF or URDF, with or without its meshes.

Meshes that are not there are left out with the geoms that show them: bodies have their inertias in the file. A body
whose mass comes from such a geom alone is an error, since nothing else tells how heavy it is.

A small TOML file beside a model, ``g1.footfall.toml`` beside ``g1.xml``, overrules what is found:

    up = "z"                  the axis of the file's world that is up when its pose stands
    forward = "x"             the way it looks: x, -x, y or -y
    weld = ["*_wrist_*"]      joints of the file that do not move any more, by name or pattern
    symmetric = true          false: left and right stay as they are
    soles = [-0.05, 0.15, 0.08, 0.06]   heel and toe ahead of the ankle, width, depth below the ankle, metres
    [names]                   joints of the file -> footfall's names
    left_hip_p = "left_hip_pitch"
    [torque_limits]           joints of the file (or patterns) -> newton metres
    [speed_limits]            joints of the file (or patterns) -> rad/s at which a motor gives no torque any more
    [masses]                  bodies of the file (or patterns) -> kilograms (the inertia follows)
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.figures.mjcf import joint_kind, joints_of, one_line, posed, read_spec
from footfall.figures.side_names import counterparts
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import read_table

READABLE = (".stl", ".obj", ".msh", ".ply")
"""Mesh files that MuJoCo reads."""


@dataclass(frozen=True)
class Source:
    """A file as MuJoCo reads it.

    Attributes:
        path: of the file.
        name: of the model, or the file's.
        model: compiled, less what is missing.
        missing: names of mesh files that are not there.
        notes: what else was left out or added.
    """

    path: Path
    name: str
    model: Any
    missing: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_source(path: Path) -> Source:
    """Read and compile a file.

    Raises:
        FootfallError: MuJoCo cannot read it, or a body has no mass without a mesh that is missing.
    """
    refused: dict[str, list[str]] = {}
    while True:
        spec = read_spec(path)
        missing, massless = _leave_out_missing(spec, path)
        notes = (*_keep_one_tree(spec, path), *_without_refused(spec, refused))
        if path.suffix == ".urdf":
            spec.compiler.fusestatic = False  # its first link would become a part of the world, and its mass with it
            spec.compiler.balanceinertia = True
            spec.compiler.boundmass = 1e-6
            spec.compiler.boundinertia = 1e-9
        try:
            model = compiled(spec)
            break
        except ValueError as error:
            words = set(re.split(r"[\s',:]+", str(error)))
            mesh = next((str(m.name) for m in spec.meshes if "mesh" in words and str(m.name) in words), None)
            if mesh is not None:
                refused.setdefault(mesh, []).append(one_line(error).removeprefix("Error: ").split(" Element name")[0])
                continue
            hint = f"; the mesh of body '{massless[0]}' is missing, and its mass with it" if massless else ""
            raise FootfallError(f"{path}: MuJoCo cannot compile it: {one_line(error)}{hint}") from error
    if massless:
        raise FootfallError(
            f"{path}: body '{massless[0]}' has its mass from a mesh that is not there ({missing[0]}): "
            "put the mesh files beside the model, or give the body an inertial"
        )
    name = str(spec.modelname)
    return Source(path, path.stem if name in ("", "MuJoCo Model") else name, model, missing, notes)


def _without_refused(spec: Any, refused: Mapping[str, Sequence[str]]) -> list[str]:
    """Notes on meshes that MuJoCo refuses, and why: one that is flat, open or inside out touches nothing and weighs
    nothing; where it is refused as a picture too, it is left out."""
    notes = []
    for mesh in [m for m in spec.meshes if str(m.name) in refused]:
        name = str(mesh.name)
        geoms = [g for g in spec.geoms if g.type == mujoco.mjtGeom.mjGEOM_MESH and str(g.meshname) == name]
        if len(refused[name]) > 1:
            notes.append(f"mesh '{name}' is left out ({refused[name][-1]})")
            for part in (*geoms, mesh):
                spec.delete(part)
            continue
        notes.append(f"mesh '{name}' is drawn and touches nothing ({refused[name][0]})")
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        for geom in geoms:
            geom.contype = geom.conaffinity = 0
            geom.mass = 0.0
    return notes


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
    for height_field in list(spec.hfields):
        if str(height_field.file) and not _is_there(folder, str(spec.meshdir), str(height_field.file)):
            for geom in list(spec.geoms):
                if geom.type == mujoco.mjtGeom.mjGEOM_HFIELD and str(geom.hfieldname) == str(height_field.name):
                    spec.delete(geom)
            spec.delete(height_field)
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


FEW = 4
"""A body with fewer joints is no biped: a pendulum, a box; it is read as it is."""


def follows_conventions(path: Path) -> bool:
    """Whether a figure's file is read as it is: its feet are named, its frames and axes are footfall's.

    Bodies that hang from the world by a joint (a pendulum, a crane) and very small ones are read as they are, too.

    Raises:
        FootfallError: MuJoCo cannot read the file.
    """
    if path.suffix == ".urdf":
        return False
    spec = read_spec(path)
    try:
        model = compiled(spec)
    except ValueError as error:
        return "opening file" not in str(error) and not list(spec.meshes)  # what is missing can be left out
    return _is_no_biped(model) or (_names_feet(spec, model) and _has_our_axes(model))


def _is_no_biped(model: Any) -> bool:
    if model.nbody < 2 or model.njnt == 0:
        return True
    kinds = [joint_kind(model, j) for j in joints_of(model, 1)]
    if kinds and kinds != ["free"] and sorted(kinds[:3]) != ["hinge", "slide", "slide"]:
        return True
    return int(model.njnt) - min(3, len(kinds)) < FEW


def _names_feet(spec: Any, model: Any) -> bool:
    if any(str(text.name) in ("left_foot", "right_foot") for text in spec.texts):
        return True
    pairs = counterparts(model.body(b).name for b in range(1, model.nbody))
    return any(side and any(word in name.lower() for word in ("foot", "toe")) for name, (_, side) in pairs.items())


def _has_our_axes(model: Any) -> bool:
    """Whether frames are along the world's axes in the reference pose, and hinges about -y, x and z."""
    if not np.allclose(posed(model, model.qpos0).xmat[1:], np.eye(3).ravel(), atol=1e-6):
        return False
    hinges = [j for j in range(model.njnt) if joint_kind(model, j) == "hinge"]
    ours = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return all(np.max(ours @ model.jnt_axis[j]) > 0.99 for j in hinges)


AXES = ("z", "y", "x", "-x", "-y")
WAYS = ("x", "-x", "y", "-y")


@dataclass(frozen=True)
class Overrules:
    """See the module."""

    up: str = ""
    forward: str = ""
    weld: tuple[str, ...] = ()
    symmetric: bool = True
    soles: tuple[float, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    speed_limits: Mapping[str, float] = field(default_factory=dict)
    masses: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.up and self.up not in AXES:
            raise FootfallError(f"up is '{self.up}'; it is one of {', '.join(AXES)}")
        if self.forward and self.forward not in WAYS:
            raise FootfallError(f"forward is '{self.forward}'; it is one of {', '.join(WAYS)}")
        if self.soles and (len(self.soles) != 4 or not self.soles[0] <= self.soles[1] or min(self.soles[2:]) < 0):
            raise FootfallError(
                f"soles is {list(self.soles)}; give heel, toe (ahead of the ankle), width and depth, metres"
            )
        for what in ("torque_limits", "speed_limits", "masses"):
            for name, value in getattr(self, what).items():
                if not value > 0:
                    raise FootfallError(f"{what}.{name} is {value:g}; it must be above zero")


def overrules_beside(path: Path) -> Path:
    """The file that overrules what is found in a model."""
    return path.with_name(f"{path.stem}.footfall.toml")


def read_overrules(path: Path) -> Overrules:
    """The overrules beside a model; none where there is no such file."""
    beside = overrules_beside(path)
    if not beside.is_file():
        return Overrules()
    return read_table(parse_toml(read_text(beside), str(beside)), Overrules, str(beside))


def matching(patterns: Mapping[str, float] | tuple[str, ...], names: list[str], what: str) -> dict[str, str]:
    """Names -> the pattern that fits, the last one wins; a pattern that fits none is an error."""
    found: dict[str, str] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatchcase(name, pattern)]
        if not fitting:
            raise unknown_name(what, pattern, names)
        found.update(dict.fromkeys(fitting, pattern))
    return found
