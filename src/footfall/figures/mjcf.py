"""Compiled MuJoCo models: posed, measured, checked, brought to footfall's root axes, and written as MJCF text.

MuJoCo's own writer keeps six digits, too few for mirror images; :func:`mjcf_text` keeps all of them. What figures have
is written: bodies with their inertias, joints, geoms of simple shapes, sites, actuators on joints, custom numbers and
texts, key frames. A mesh becomes the box around it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.escaping import markup, markup_comment

Array = NDArray[np.float64]
JointKind = Literal["free", "ball", "slide", "hinge"]

_KINDS: tuple[JointKind, ...] = ("free", "ball", "slide", "hinge")
DOFS: dict[JointKind, int] = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
_TO_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))


def one_line(error: Exception) -> str:
    """MuJoCo's message without line breaks."""
    return " ".join(str(error).split())


def read_spec(path: Path) -> Any:
    """``mujoco.MjSpec`` of an MJCF or URDF file."""
    try:
        return mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise FootfallError(f"{path}: MuJoCo cannot read it: {one_line(error)}{_missing_links(path)}") from error


def _missing_links(path: Path) -> str:
    """Which joints of a URDF file name links that it does not have."""
    try:
        robot = ElementTree.parse(path).getroot()
    except (ElementTree.ParseError, OSError):
        return ""
    links = {link.get("name") for link in robot.iter("link")}
    asked = [(j.get("name"), e.get("link")) for j in robot.iter("joint") for e in j if e.tag in ("parent", "child")]
    lost = [f"joint '{joint}' names link '{link}'" for joint, link in asked if link is not None and link not in links]
    return f"; {', '.join(lost)}, which is not there" if lost else ""


def posed(model: Any, qpos: Any) -> Any:
    """``mujoco.MjData`` with positions of bodies, joints, geoms and sites at ``qpos`` [nq]."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    return data


def body_points(model: Any, qpos: Any, points: Iterable[tuple[int, Array]]) -> Array:
    """[N, P, 3] where points of bodies (a body's index, from 0, and a position [3] in its frame) are in states [N,
    nq]."""
    bodies, positions = zip(*points)
    data, own = mujoco.MjData(model), np.array(bodies) + 1
    origins, turns = np.empty((len(qpos), len(own), 3)), np.empty((len(qpos), len(own), 9))
    for n, state in enumerate(qpos):
        data.qpos[:] = state
        mujoco.mj_kinematics(model, data)
        origins[n], turns[n] = data.xpos[own], data.xmat[own]
    return np.asarray(origins + np.einsum("npij,pj->npi", turns.reshape(-1, len(own), 3, 3), np.array(positions)))


def point_position(data: Any, body: int, position: Array) -> Array:
    """[3] where a point [3] in the frame of a body (its index, from 0) is in the world."""
    return np.asarray(data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ position)


def joint_kind(model: Any, j: int) -> JointKind:
    """Of joint ``j``."""
    return _KINDS[int(model.jnt_type[j])]


def joints_of(model: Any, body: int) -> range:
    """The joints of a body (MuJoCo's number)."""
    first = int(model.body_jntadr[body])
    return range(first, first + int(model.body_jntnum[body]))


def is_solid(model: Any, g: int) -> bool:
    """Whether a geom is a part of a body, and not a plane or a height field."""
    return int(model.geom_type[g]) not in (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))


def colliding(model: Any, geoms: Iterable[int]) -> list[int]:
    """Those of some geoms that are parts of bodies and collide; all that are parts, if none does."""
    own = [g for g in geoms if model.geom_bodyid[g] > 0 and is_solid(model, g)]
    return [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]] or own


def geom_capsule(model: Any, g: int) -> tuple[Array, Array, float]:
    """The capsule that stands for a geom, in its body's frame: centre [3], half axis [3], zero for a ball, and radius.

    Boxes, ellipsoids and the boxes around meshes are capsules along their longest side, as thick as the second.
    """
    kind, centre, size = mujoco.mjtGeom(int(model.geom_type[g])), model.geom_pos[g].copy(), model.geom_size[g]
    turn = rotation_matrix(model.geom_quat[g])
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return centre, np.zeros(3), float(size[0])
    if kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
        half = size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else max(0.0, size[1] - size[0])
        return centre, half * turn[:, 2], float(size[0])
    if kind not in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        box = model.geom_aabb[g]
        centre, size = centre + turn @ box[:3], box[3:]
    return centre, *capsule_along(size, turn)


def capsule_along(size: Array, turn: Array) -> tuple[Array, float]:
    """Half axis and radius of the capsule for a box of half sizes [3], its axes the columns of ``turn``."""
    order = np.argsort(size)
    radius = float(size[order[1]])
    return (size[order[2]] - radius) * turn[:, order[2]], radius


def custom_numbers(model: Any) -> dict[str, Array]:
    """The model's custom numerics by name."""
    return {model.numeric(i).name: np.array(model.numeric(i).data, dtype=np.float64) for i in range(model.nnumeric)}


def custom_texts(model: Any) -> dict[str, str]:
    """The model's custom texts by name."""
    found = {}
    for i in range(model.ntext):
        start, size = int(model.text_adr[i]), int(model.text_size[i])
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_TEXT, i)
        found[name] = bytes(model.text_data[start : start + size]).decode().strip("\0")
    return found


@dataclass(frozen=True)
class JointDrive:
    """What an actuator does to the joint that it acts on.

    An actuator's force is gain · control + bias₀ + bias₁ · length + bias₂ · velocity; with gear g a joint's servo has
    kp = −g² bias₁ and kd = −g² bias₂. A motor (no bias) has no gains, and its control range bounds its torque.

    Attributes:
        label: of the actuator.
        joint: MuJoCo's number of the joint.
        gear: [dofs] of the joint.
        kp, kd: of its servo.
        limits: largest torques, and where the file has each.
    """

    label: str
    joint: int
    gear: Array
    kp: float
    kd: float
    limits: tuple[tuple[float, str], ...]


def read_drives(model: Any) -> list[JointDrive | str]:
    """Of every actuator; of one that does not act on a joint, its name."""
    found: list[JointDrive | str] = []
    for a in range(model.nu):
        label = model.actuator(a).name or f"number {a}"
        if int(model.actuator_trntype[a]) not in _TO_JOINT:
            found.append(label)
            continue
        j = int(model.actuator_trnid[a, 0])
        gear = model.actuator_gear[a, : DOFS[joint_kind(model, j)]]
        g = float(gear[np.argmax(gear != 0)])
        kp, kd = (-g * g * float(model.actuator_biasprm[a, k]) + 0.0 for k in (1, 2))
        limits = []
        if model.actuator_forcelimited[a]:
            limits.append((abs(g) * float(np.abs(model.actuator_forcerange[a]).max()), "forcerange"))
        if model.actuator_ctrllimited[a] and kp == kd == 0.0:
            most = float(np.abs(model.actuator_ctrlrange[a]).max()) * abs(float(model.actuator_gainprm[a, 0]))
            limits.append((abs(g) * most, "ctrlrange x gear"))
        found.append(JointDrive(label, j, gear, kp, kd, tuple(limits)))
    return found


def rotation_matrix(quat: Any) -> Array:
    """[3, 3] of a quaternion [4]."""
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, np.asarray(quat, dtype=np.float64))
    return flat.reshape(3, 3)


def matrix_quaternion(matrix: Any) -> Array:
    """[4] of a rotation [3, 3]."""
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.asarray(matrix).ravel())
    return quat


def inertia_tensor(quat: Any, moments: Any) -> Array:
    """[3, 3] of principal moments [3] whose axes are turned by a quaternion [4]."""
    axes = rotation_matrix(quat)
    return np.asarray(axes @ np.diag(moments) @ axes.T)


def principal_axes(inertia: Any) -> tuple[Array, Array]:
    """The moments [3] of an inertia [3, 3], and the quaternion [4] that turns their axes."""
    moments, axes = np.linalg.eigh(inertia)
    return moments, matrix_quaternion(axes * np.linalg.det(axes))


_SHAPES = {
    mujoco.mjtGeom.mjGEOM_SPHERE: ("sphere", 1),
    mujoco.mjtGeom.mjGEOM_CAPSULE: ("capsule", 2),
    mujoco.mjtGeom.mjGEOM_CYLINDER: ("cylinder", 2),
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: ("ellipsoid", 3),
    mujoco.mjtGeom.mjGEOM_BOX: ("box", 3),
}
_INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast")


def mjcf_text(model: Any, name: str, comment: str = "") -> str:
    """MJCF of a compiled model.

    Args:
        model: ``mujoco.MjModel`` of a figure.
        name: the model's name.
        comment: a text for the top of the file.
    """
    if model.ntendon or model.neq:
        raise FootfallError(f"figure '{name}': figures with tendons or equality constraints cannot be written as MJCF")
    lines = [f"<!-- {markup_comment(comment)} -->"] if comment else []
    option = model.opt
    lines += [
        f'<mujoco model="{markup(name)}">',
        '  <compiler angle="radian" autolimits="false" inertiafromgeom="false"/>',
        f'  <option gravity="{_numbers(option.gravity)}" timestep="{_numbers(option.timestep)}" '
        f'integrator="{_INTEGRATORS[int(option.integrator)]}"/>',
    ]
    lines += _customs(model)
    lines += ["", "  <worldbody>"]
    for body in range(1, model.nbody):
        if model.body_parentid[body] == 0:
            lines += _body(model, body, "    ")
    lines += ["  </worldbody>", "", "  <actuator>"]
    lines += [f"    {_actuator(model, a)}" for a in range(model.nu)]
    lines += ["  </actuator>", "", "  <keyframe>"]
    lines += [
        f'    <key name="{markup(model.key(k).name)}" qpos="{_numbers(model.key_qpos[k])}"/>' for k in range(model.nkey)
    ]
    return "\n".join([*lines, "  </keyframe>", "</mujoco>", ""])


def _customs(model: Any) -> list[str]:
    rows = [
        f'    <numeric name="{markup(label)}" data="{_numbers(data)}"/>'
        for label, data in custom_numbers(model).items()
    ]
    rows += [f'    <text name="{markup(label)}" data="{markup(data)}"/>' for label, data in custom_texts(model).items()]
    return ["  <custom>", *rows, "  </custom>"] if rows else []


def _body(model: Any, b: int, indent: str) -> list[str]:
    inner = indent + "  "
    place = _placed(model.body_pos[b], model.body_quat[b])
    lines = [f'{indent}<body name="{_name(model.body(b), b)}"{place}>']
    lines += [inner + _joint(model, j) for j in joints_of(model, b)]
    at = _placed(model.body_ipos[b], model.body_iquat[b], always=True)
    inertia = _numbers(model.body_inertia[b])
    lines.append(f'{inner}<inertial{at} mass="{_numbers(model.body_mass[b])}" diaginertia="{inertia}"/>')
    lines += [inner + _geom(model, g) for g in range(model.ngeom) if model.geom_bodyid[g] == b]
    lines += [inner + _site(model, s) for s in range(model.nsite) if model.site_bodyid[s] == b]
    for child in range(b + 1, model.nbody):
        if model.body_parentid[child] == b:
            lines += _body(model, child, inner)
    return [*lines, f"{indent}</body>"]


def _joint(model: Any, j: int) -> str:
    kind = joint_kind(model, j)
    label = _name(model.joint(j), j)
    if kind == "free":
        return f'<freejoint name="{label}"/>'
    dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    parts = [f'<joint name="{label}" type="{kind}"']
    if kind != "ball":
        parts.append(f'axis="{_numbers(model.jnt_axis[j])}"')
    if model.jnt_pos[j].any():
        parts.append(f'pos="{_numbers(model.jnt_pos[j])}"')
    if model.jnt_limited[j]:
        parts.append(f'limited="true" range="{_numbers(model.jnt_range[j])}"')
    if model.jnt_actfrclimited[j]:
        parts.append(f'actuatorfrclimited="true" actuatorfrcrange="{_numbers(model.jnt_actfrcrange[j])}"')
    numbers = [
        ("damping", model.dof_damping[dof]),
        ("armature", model.dof_armature[dof]),
        ("frictionloss", model.dof_frictionloss[dof]),
        ("stiffness", model.jnt_stiffness[j]),
    ]
    if kind != "ball":
        numbers += [("ref", model.qpos0[at]), ("springref", model.qpos_spring[at])]
    parts += [f'{key}="{_numbers(value)}"' for key, value in numbers if np.any(value)]
    return " ".join(parts) + "/>"


def _geom(model: Any, g: int) -> str:
    kind = mujoco.mjtGeom(int(model.geom_type[g]))
    centre, quat, size = model.geom_pos[g], model.geom_quat[g], model.geom_size[g]
    shape, count = _SHAPES.get(kind, ("box", 3))
    if kind not in _SHAPES:
        box = model.geom_aabb[g]
        centre, size = centre + rotation_matrix(quat) @ box[:3], np.maximum(box[3:], 1e-4)
    label = f' name="{markup(model.geom(g).name)}"' if model.geom(g).name else ""
    return (
        f'<geom{label} type="{shape}" size="{_numbers(size[:count])}"{_placed(centre, quat, always=True)} '
        f'contype="{int(model.geom_contype[g])}" conaffinity="{int(model.geom_conaffinity[g])}" '
        f'priority="{int(model.geom_priority[g])}" group="{int(model.geom_group[g])}" '
        f'friction="{_numbers(model.geom_friction[g])}" rgba="{_rounded(model.geom_rgba[g])}"/>'
    )


def _site(model: Any, s: int) -> str:
    return (
        f'<site name="{_name(model.site(s), s)}"{_placed(model.site_pos[s], model.site_quat[s], always=True)} '
        f'size="{_numbers(model.site_size[s])}" group="{int(model.site_group[s])}" '
        f'rgba="{_rounded(model.site_rgba[s])}"/>'
    )


def _actuator(model: Any, a: int) -> str:
    kind, target = int(model.actuator_trntype[a]), model.joint(int(model.actuator_trnid[a, 0]))
    if kind not in _TO_JOINT:
        raise FootfallError(f"actuator '{model.actuator(a).name}' does not act on a joint, and cannot be written")
    bias = int(model.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_AFFINE)
    parts = [
        f'<general name="{_name(model.actuator(a), a)}" joint="{_name(target, target.id)}"',
        f'gear="{_numbers(model.actuator_gear[a])}"',
        f'gaintype="fixed" gainprm="{_numbers(model.actuator_gainprm[a, :1])}"',
        f'biastype="affine" biasprm="{_numbers(model.actuator_biasprm[a, :3])}"' if bias else 'biastype="none"',
    ]
    for key, limited, row in (
        ("force", model.actuator_forcelimited[a], model.actuator_forcerange[a]),
        ("ctrl", model.actuator_ctrllimited[a], model.actuator_ctrlrange[a]),
    ):
        if limited:
            parts.append(f'{key}limited="true" {key}range="{_numbers(row)}"')
    return " ".join(parts) + "/>"


def _placed(pos: Any, quat: Any, *, always: bool = False) -> str:
    where = f' pos="{_numbers(pos)}"' if always or np.any(pos) else ""
    return where if np.array_equal(quat, [1.0, 0.0, 0.0, 0.0]) else f'{where} quat="{_numbers(quat)}"'


def _name(part: Any, index: int) -> str:
    return markup(part.name) or f"{type(part).__name__.strip('_')[3:-4].lower()}{index}"


def _rounded(values: Any) -> str:
    """Colours, which MuJoCo keeps in single precision."""
    return " ".join(f"{float(v):.6g}" for v in values)


def _numbers(values: Any | Sequence[float]) -> str:
    """The shortest text that is read as the same numbers."""
    return " ".join(repr(float(v)).removesuffix(".0") for v in np.atleast_1d(values) + 0.0)


LARGEST = 1e9
"""No mass, length, angle or gain of a figure comes near it."""

_CHECKED = {
    "body": ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia"),
    "joint": ("jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness"),
    "geom": ("geom_pos", "geom_quat", "geom_size"),
    "site": ("site_pos", "site_quat"),
    "actuator": ("actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange"),
    "key": ("key_qpos",),
}
"""What is checked of each part."""
_WHOLE = ("dof_damping", "dof_armature", "dof_frictionloss", "qpos0", "qpos_spring")


def check_numbers(model: Any, name: str) -> None:
    """Refuse a model with numbers that are not finite, or absurdly large."""
    for part, attributes in _CHECKED.items():
        for attribute in attributes:
            near = np.abs(getattr(model, attribute)) <= LARGEST
            good = near if near.ndim == 1 else near.all(axis=1)
            if not good.all():
                k = int(np.argmin(good))
                label = getattr(model, part)(k).name or f"number {k}"
                what = attribute.partition("_")[2]
                raise FootfallError(
                    f"figure '{name}': {part} '{label}': its {what} holds a number that is not within ±{LARGEST:g}"
                )
    for attribute in _WHOLE:
        if not (np.abs(getattr(model, attribute)) <= LARGEST).all():
            raise FootfallError(f"figure '{name}': {attribute} holds a number that is not within ±{LARGEST:g}")
    if not (np.abs(model.opt.gravity) <= LARGEST).all():
        raise FootfallError(f"figure '{name}': its gravity is not within ±{LARGEST:g}")


AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def turn_root_axes(spec: Any, model: Any) -> bool:
    """Reverse root joints that point the other way, with their coordinates in ranges, references and key frames.

    A hinge about +y (Gymnasium's walker2d has one) would otherwise read a lean forward as a lean backward.

    Returns:
        whether anything was changed; ``spec`` then needs compiling again.
    """
    joints = joints_of(model, 1)[:3]
    if [joint_kind(model, j) for j in joints] != ["slide", "slide", "hinge"]:
        return False
    axes = np.array(model.jnt_axis[joints.start : joints.stop])
    if not np.allclose(np.abs(axes), np.abs(AXES)):
        return False
    turned = [i for i in range(3) if axes[i] @ AXES[i] < 0]
    for i in turned:
        joint = spec.bodies[1].joints[i]
        joint.axis = -np.array(joint.axis)
        joint.range = -np.array(joint.range)[::-1]
        joint.ref, joint.springref = -joint.ref, -joint.springref
        for key in spec.keys:
            for values in (key.qpos, key.qvel):
                if len(values) > i:
                    values[i] = -values[i]
    return bool(turned)
