"""The adopted body as a new model: frames along the world's axes, origins at the joints, footfall's names and signs,
servos within what its motors can give, from every place where a file may hold torque limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.roles import Parts
from footfall.figures.adoption.soles import ContactPoints
from footfall.figures.adoption.tree import Hinge, Tree, TreeLink, has_shape
from footfall.figures.mjcf import is_solid, joint_kind, matrix_quaternion, read_drives
from footfall.figures.side_names import SIDES


@dataclass(frozen=True)
class Motor:
    """The motor of a joint.

    Attributes:
        limit: largest torque (N m) or force, infinite where the file has none.
        source: where the file says so.
        speed: without load, rad/s; infinite unless it is given beside the file.
    """

    limit: float
    source: str
    speed: float = np.inf


def read_motors(model: Any) -> tuple[dict[int, Motor], list[str]]:
    """Motors by joint, and notes about actuators that are none.

    A file without any actuator leaves open what moves its joints: then every hinge and slide has a motor.
    """
    limits: dict[int, tuple[float, str]] = {}
    notes = []
    for drive in read_drives(model):
        if isinstance(drive, str):
            notes.append(f"actuator '{drive}' does not act on a joint and is left out")
            continue
        j, best = drive.joint, min(drive.limits, default=(np.inf, "none"))
        before = limits.get(j)
        limits[j] = best if before is None else (before[0] + best[0], f"{before[1]} + {best[1]}")
    motors: dict[int, Motor] = {}
    for j in range(model.njnt):
        if joint_kind(model, j) == "free" or (limits and j not in limits):
            continue
        limit, where = limits.get(j, (np.inf, "none"))
        if model.jnt_actfrclimited[j]:
            limit, where = min((limit, where), (float(np.abs(model.jnt_actfrcrange[j]).max()), "actuatorfrcrange"))
        motors[j] = Motor(limit if limit > 0 else np.inf, where)
    if not limits:
        notes.append("the file has no actuators: every joint has a motor")
    return motors, notes


Array = NDArray[np.float64]

SOLE, BONE = 1, 2
"""Contact masks: what meets the ground while it walks, and what else there is."""
GAINS = {
    "hip": 300.0, "knee": 300.0, "ankle": 170.0, "toe": 20.0, "waist": 1000.0, "neck": 100.0,
    "clavicle": 100.0, "shoulder": 100.0, "elbow": 50.0, "wrist": 20.0, "other": 20.0,
}  # fmt: skip
"""Stiffness of human-28's servos by place, N m/rad; damping is a tenth of it."""
HUMAN_MASS, HUMAN_HIP = 88.57, 0.96
DENSITY = 1000.0
ANY_SPEED = 1e6
"""rad/s that no motor reaches."""
_UP = np.array([0.0, 0.0, 1.0])
RGBA = {"left": (0.55, 0.60, 0.66, 1.0), "right": (0.80, 0.45, 0.30, 1.0), "": (0.55, 0.60, 0.66, 1.0)}


@dataclass(frozen=True)
class BodyDesign:
    """What the new model is made of.

    Attributes:
        name: of the figure.
        tree: links in the zero pose, signs of joints as footfall's.
        parts: what they are.
        contacts: points.
        motors: by joint of the original model.
        bodies: names of the links.
        planar: whether it moves in the x-z plane.
        gravity: [3].
        home: angle of each joint (original index) in the standing pose.
    """

    name: str
    tree: Tree
    parts: Parts
    contacts: ContactPoints
    motors: Mapping[int, Motor]
    bodies: tuple[str, ...]
    planar: bool
    gravity: Array
    home: Mapping[int, float]


def write_spec(design: BodyDesign) -> Any:
    """A ``mujoco.MjSpec`` of the adopted body."""
    spec = mujoco.MjSpec()
    spec.modelname = design.name
    spec.compiler.degree = False
    spec.compiler.autolimits = True
    spec.option.gravity = design.gravity
    spec.option.timestep = 0.0005
    tree, parts = design.tree, design.parts
    origins = _origins(design)
    made: list[Any] = []
    sides = {i: side for side in SIDES for limbs in (parts.legs, parts.arms) if side in limbs for i in limbs[side].all}
    for i, link in enumerate(tree.links):
        if i == 0:
            above = spec.worldbody
            place = np.array([0.0, 0.0, 0.0 if design.planar else -design.contacts.ground + origins[0][2]])
        else:
            above, place = made[link.parent], origins[i] - origins[link.parent]
        body = above.add_body(name=design.bodies[i], pos=place)
        made.append(body)
        if i == 0:
            _add_root(body, design.planar)
        for joint in link.joints:
            _add_joint(body, joint, parts.names[joint.index], origins[i])
        _add_mass(body, link, origins[i])
        _add_shapes(spec, body, tree, i, origins, sides.get(i, ""), i in _feet(design))
    _add_points(made, origins, design)
    _add_motors(spec, design)
    _add_texts(spec, design)
    spec.add_key(name="home", qpos=_home(design, origins[0]))
    return spec


def _origins(design: BodyDesign) -> list[Array]:
    """Where each link's frame is: at its first joint; the root's is midway between the hips."""
    places = [design.contacts.falls["pelvis"][1], *(link.joints[0].anchor for link in design.tree.links[1:])]
    return [np.array(place) for place in places]


def _add_root(body: Any, planar: bool) -> None:
    if not planar:
        body.add_freejoint(name="root")
        return
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    body.add_joint(name="root_x", type=slide, axis=[1, 0, 0])
    body.add_joint(name="root_z", type=slide, axis=[0, 0, 1])
    body.add_joint(name="torso_pitch", type=hinge, axis=[0, -1, 0])


def _add_joint(body: Any, joint: Hinge, name: str, origin: Array) -> None:
    limited = np.isfinite(joint.lower) and np.isfinite(joint.upper)
    values: dict[str, Any] = {
        "name": name,
        "type": getattr(mujoco.mjtJoint, f"mjJNT_{joint.kind.upper()}"),
        "pos": joint.anchor - origin,
        "armature": joint.armature,
        "frictionloss": joint.friction,
        "springref": joint.rest,
        "limited": mujoco.mjtLimited.mjLIMITED_TRUE if limited else mujoco.mjtLimited.mjLIMITED_FALSE,
    }
    if joint.kind != "ball":
        values["axis"] = joint.axis
    if limited:
        values["range"] = [joint.lower, joint.upper]
    made = body.add_joint(**values)
    made.damping[0] = joint.damping
    made.stiffness[0] = joint.stiffness


def _add_mass(body: Any, link: TreeLink, origin: Array) -> None:
    moments, axes = np.linalg.eigh(link.inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    if np.allclose(link.inertia, np.diag(np.diag(link.inertia)), rtol=0.0, atol=0.0):
        moments, axes = np.diag(link.inertia).copy(), np.eye(3)
    body.explicitinertial = True
    body.mass, body.ipos, body.iquat, body.inertia = link.mass, link.com - origin, matrix_quaternion(axes), moments


def _feet(design: BodyDesign) -> set[int]:
    return {i for foot in design.parts.feet.values() for i in foot}


def _add_shapes(spec: Any, body: Any, tree: Tree, i: int, origins: list[Array], side: str, foot: bool) -> None:
    """The geoms of the file, or a capsule along the bone where it has none."""
    link, model, data = tree.links[i], tree.model, tree.data
    if not has_shape(tree, link):
        _add_bone(body, tree, i, origins, side)
        return
    colliding = any(model.geom_contype[g] or model.geom_conaffinity[g] for g in link.geoms)
    for g in link.geoms:
        kind = mujoco.mjtGeom(int(model.geom_type[g]))
        if not is_solid(model, g):
            continue
        meets = bool(model.geom_contype[g] or model.geom_conaffinity[g]) or not colliding
        values: dict[str, Any] = {
            "type": kind,
            "pos": tree.place(data.geom_xpos[g]) - origins[i],
            "quat": matrix_quaternion(tree.turn @ data.geom_xmat[g].reshape(3, 3)),
            "contype": (SOLE if foot else BONE) if meets else 0,
            "conaffinity": 0,
            "group": 2,
            "rgba": RGBA[side],
            "friction": model.geom_friction[g],
        }
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            values["meshname"] = _copy_mesh(spec, model, int(model.geom_dataid[g]))
            values["rgba"] = model.geom_rgba[g]
        else:
            values["size"] = model.geom_size[g]
        body.add_geom(**values)


def _copy_mesh(spec: Any, model: Any, mesh: int) -> str:
    name = f"mesh{mesh}"
    if all(str(other.name) != name for other in spec.meshes):
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        spec.add_mesh(
            name=name,
            uservert=np.asarray(model.mesh_vert[first : first + count], dtype=float).ravel(),
            userface=np.asarray(model.mesh_face[face : face + faces]).ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
    return name


def _add_bone(body: Any, tree: Tree, i: int, origins: list[Array], side: str) -> None:
    link = tree.links[i]
    ends = [origins[c] for c in tree.children(i)]
    middle = [end for end in ends if abs(end[1] - origins[i][1]) < 0.08]
    far = max(middle, key=lambda end: float(np.linalg.norm(end - origins[i])), default=None)
    if far is None and ends:
        far = np.mean(ends, axis=0)  # between the shoulders
    if far is None or np.linalg.norm(far - origins[i]) < 0.02:
        far = origins[i] + 2.0 * (link.com - origins[i])
    length = float(np.linalg.norm(far - origins[i]))
    if length < 0.01:
        return
    radius = float(np.clip(np.sqrt(link.mass / (DENSITY * np.pi * length)), 0.08 * length, 0.3 * length))
    geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, group=2, contype=BONE, conaffinity=0, rgba=RGBA[side])
    geom.fromto = [0.0, 0.0, 0.0, *(far - origins[i])]
    geom.size = [radius, 0.0, 0.0]


def _add_points(made: list[Any], origins: list[Array], design: BodyDesign) -> None:
    tree = design.tree
    shown = {i for i in _feet(design) if has_shape(tree, tree.links[i])}
    radius = 0.01 * design.contacts.falls["pelvis"][1][2] if design.planar else 0.0
    radius = max(radius, 0.008 * float(origins[0][2] - design.contacts.ground))
    for name, (link, place) in {**design.contacts.soles, **design.contacts.falls}.items():
        at = place - origins[link]
        made[link].add_site(name=name, pos=at, size=[radius] * 3, group=0, rgba=[0.85, 0.30, 0.20, 1.0])
        if name in design.contacts.soles and link not in shown:
            made[link].add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=at + radius * _UP, size=[radius, 0, 0],
                                contype=SOLE, conaffinity=0, group=3, rgba=[0.85, 0.30, 0.20, 1.0])  # fmt: skip


def _add_motors(spec: Any, design: BodyDesign) -> None:
    """Position servos as strong as a human's for this size, limited by the motors."""
    tree = design.tree
    mass = sum(link.mass for link in tree.links)
    hip = float(design.contacts.falls["pelvis"][1][2]) - design.contacts.ground
    scale, slow = mass / HUMAN_MASS * hip / HUMAN_HIP, np.sqrt(hip / HUMAN_HIP)
    speeds: list[float] = []
    for link in tree.links:
        for joint in link.joints:
            motor = design.motors.get(joint.index)
            if motor is None or joint.kind == "ball":
                continue
            kp = scale * GAINS[design.parts.places[joint.index]]
            servo = spec.add_actuator(name=design.parts.names[joint.index], target=design.parts.names[joint.index])
            servo.trntype = mujoco.mjtTrn.mjTRN_JOINT
            servo.gaintype, servo.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
            servo.gainprm[0] = kp
            servo.biasprm[:3] = [0.0, -kp, -0.1 * slow * kp]
            if np.isfinite(motor.limit):
                servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
                servo.forcerange = [-motor.limit, motor.limit]
            speeds.append(min(motor.speed, ANY_SPEED))
    if any(speed < ANY_SPEED for speed in speeds):
        spec.add_numeric(name="motor_speed", data=speeds, size=len(speeds))


def _add_texts(spec: Any, design: BodyDesign) -> None:
    tree, parts = design.tree, design.parts
    for side in SIDES:
        feet = sorted({design.bodies[i] for name, (i, _) in design.contacts.soles.items() if name.startswith(side)})
        spec.add_text(name=f"{side}_foot", data=" ".join(feet))
        joints = tree.joints(parts.legs[side].links)
        for place in ("hip", "knee", "ankle"):
            names = [parts.names[j.index] for j in joints if parts.places[j.index] == place]
            if names:
                spec.add_text(name=f"{side}_{place}", data=" ".join(names))
        spec.add_text(name=f"{side}_leg", data=" ".join(design.bodies[i] for i in parts.legs[side].links))
    spec.add_text(name="torso", data=design.bodies[parts.torso])


def _home(design: BodyDesign, origin: Array) -> Array:
    """[nq] the zero pose, joints within their ranges."""
    tree, height = design.tree, float(origin[2]) - design.contacts.ground
    qpos = [0.0, height, 0.0] if design.planar else [0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0]
    for link in tree.links:
        for joint in link.joints:
            qpos += [1.0, 0.0, 0.0, 0.0] if joint.kind == "ball" else [design.home[joint.index]]
    return np.array(qpos)
