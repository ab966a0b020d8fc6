"""From a compiled MuJoCo model to the parts of a figure, and the checks that it is one."""

from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, check_name
from footfall.figures.mjcf import DOFS, custom_texts, joint_kind, joints_of, posed, read_drives
from footfall.figures.parts import Body, Joint, Leg, Point
from footfall.figures.side_names import SIDES, Side, counterparts

GROUND_GROUPS = (0, 1, 2)
"""Sites of these groups feel the ground; those of the other groups are markers."""

HEIGHT = {"free": 2, "planar": 1}
"""Where qpos holds the root's height."""


def read_root(model: Any, name: str) -> Literal["planar", "free", "fixed"]:
    """How the first body is held: by a free joint, in the x-z plane, or fixed (its joints are then as any other)."""
    trees = [i for i in range(1, model.nbody) if model.body_parentid[i] == 0]
    if len(trees) != 1:
        raise FootfallError(f"figure '{name}': {len(trees)} bodies are attached to the world; a figure is one tree")
    if model.nmocap:
        raise FootfallError(f"figure '{name}': it has a mocap body; a figure's bodies can only move by joints")
    joints = joints_of(model, 1)
    kinds = [joint_kind(model, j) for j in joints]
    if kinds == ["free"]:
        return "free"
    if kinds[:3] == ["slide", "slide", "hinge"]:
        axes = np.abs(model.jnt_axis[list(joints)[:3]])
        if np.allclose(axes, [[1, 0, 0], [0, 0, 1], [0, 1, 0]]):
            return "planar"
    return "fixed"


def read_bodies(model: Any) -> tuple[Body, ...]:
    """Every body but the world, in MuJoCo's (depth-first) order."""
    bodies = []
    for i in range(1, model.nbody):
        bodies.append(
            Body(
                name=model.body(i).name or f"body{i - 1}",
                index=i - 1,
                parent=int(model.body_parentid[i]) - 1,
                mass=float(model.body_mass[i]),
                position=_fixed(model.body_pos[i]),
                com=_fixed(model.body_ipos[i]),
                joints=tuple(_joint_name(model, j) for j in joints_of(model, i)),
            )
        )
    return tuple(bodies)


def read_joints(model: Any, root: str, name: str) -> tuple[Joint, ...]:
    """Every joint in MuJoCo's order, with the gains of its position (or general) actuators."""
    kp, kd, limit, actuated = _servos(model, name)
    rooted = {"free": 1, "planar": 3, "fixed": 0}[root]
    joints = []
    for j in range(model.njnt):
        kind = joint_kind(model, j)
        dof = int(model.jnt_dofadr[j])
        if kind == "free" and j:
            raise FootfallError(f"figure '{name}': joint '{_joint_name(model, j)}' is free, but only the root may be")
        if j < rooted and actuated[dof]:
            raise FootfallError(
                f"figure '{name}': joint '{_joint_name(model, j)}' moves the root; it takes no actuator"
            )
        lower, upper = (float(v) for v in model.jnt_range[j]) if model.jnt_limited[j] else (-np.inf, np.inf)
        joints.append(
            Joint(
                name=_joint_name(model, j),
                kind=kind,
                body=int(model.jnt_bodyid[j]) - 1,
                qpos=int(model.jnt_qposadr[j]),
                dof=dof,
                ndof=DOFS[kind],
                axis=_fixed(model.jnt_axis[j]),
                anchor=_fixed(model.jnt_pos[j]),
                kp=float(kp[dof]),
                kd=float(kd[dof]),
                torque_limit=float(limit[dof]),
                lower=lower,
                upper=upper,
                actuated=bool(actuated[dof]),
            )
        )
    return tuple(joints)


def read_dof_vectors(model: Any, name: str) -> dict[str, NDArray[np.float64]]:
    """kp, kd, torque_limit, lower and upper, each [nv]."""
    kp, kd, limit, _ = _servos(model, name)
    lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
    for j in range(model.njnt):
        if model.jnt_limited[j] and DOFS[joint_kind(model, j)] == 1:
            lower[model.jnt_dofadr[j]], upper[model.jnt_dofadr[j]] = model.jnt_range[j]
    vectors = {"kp": kp, "kd": kd, "torque_limit": limit, "lower": lower, "upper": upper}
    return {key: _fixed(values) for key, values in vectors.items()}


def read_feet(model: Any, bodies: tuple[Body, ...], name: str) -> dict[int, Side]:
    """Body index -> side, of the feet.

    They are the bodies that custom texts 'left_foot' and 'right_foot' name, with blanks between, or else the bodies of
    left-right pairs with 'foot' or 'toe' in their names.
    """
    pairs = counterparts(body.name for body in bodies)
    index = {body.name: body.index for body in bodies}
    feet: dict[int, Side] = {}
    for side in SIDES:
        for foot in custom_texts(model).get(f"{side}_foot", "").split():
            check_name(f"body for the {side} foot of figure '{name}'", foot, index)
            feet[index[foot]] = side
    if feet:
        return feet
    for body in bodies:
        side_or_none = pairs[body.name][1]
        if side_or_none and any(word in body.name.lower() for word in ("foot", "toe")):
            feet[body.index] = side_or_none
    return feet


def read_points(model: Any, feet: dict[int, Side]) -> tuple[Point, ...]:
    """Every site of a body, with the foot that it is on."""
    points = []
    for s in range(model.nsite):
        body = int(model.site_bodyid[s]) - 1
        if body >= 0:
            points.append(
                Point(
                    name=model.site(s).name or f"point{s}",
                    body=body,
                    position=_fixed(model.site_pos[s]),
                    foot=feet.get(body),
                    ground=int(model.site_group[s]) in GROUND_GROUPS,
                )
            )
    return tuple(points)


def read_torso(model: Any, bodies: tuple[Body, ...], name: str) -> str:
    """The body that carries the balance: custom text 'torso', or else the body of that name, or else the first."""
    names = [body.name for body in bodies]
    torso = custom_texts(model).get("torso")
    if torso is None:
        return "torso" if "torso" in names else names[0]
    torso = torso.strip()
    check_name(f"body for the torso of figure '{name}'", torso, names)
    return torso


def read_legs(
    model: Any, bodies: tuple[Body, ...], points: tuple[Point, ...], qpos: NDArray[np.float64]
) -> dict[Side, Leg]:
    """The legs: from each foot up to the body that both feet hang from. Empty for a figure without two feet."""
    feet: dict[Side, list[int]] = {"left": [], "right": []}
    for point in points:
        if point.foot:
            feet[point.foot].append(point.body)
    if not feet["left"] or not feet["right"]:
        return {}
    ends = {side: min(indices) for side, indices in feet.items()}
    chains = {side: _ancestors(bodies, end) for side, end in ends.items()}
    trunk = max(set(chains["left"]) & set(chains["right"]), default=-1)
    data = posed(model, qpos)
    forward = {model.site(s).name or f"point{s}": float(data.site_xpos[s][0]) for s in range(model.nsite)}
    legs: dict[Side, Leg] = {}
    for side, chain in chains.items():
        links = [bodies[i] for i in sorted(i for i in chain if i > trunk)]
        sole = [p.name for p in points if p.foot == side and p.ground]
        x = [forward[p] for p in sole]
        margin = 0.1 * (max(x) - min(x)) if x else 0.0
        hip, knee, ankle = _leg_joints(model, side, links)
        legs[side] = Leg(
            side=side,
            hip=hip,
            knee=knee,
            ankle=ankle,
            links=tuple(link.name for link in links),
            foot=links[-1].name if links else bodies[ends[side]].name,
            heel=tuple(p for p, at in zip(sole, x) if at <= min(x) + margin),
            toe=tuple(p for p, at in zip(sole, x) if at >= max(x) - margin),
            sole=tuple(sole),
        )
    return legs


def _leg_joints(model: Any, side: Side, links: list[Body]) -> list[tuple[str, ...]]:
    """Joints of hip, knee and ankle: as custom texts say (``left_hip`` and so on), or by the links that they move."""
    told = [tuple(custom_texts(model).get(f"{side}_{place}", "").split()) for place in ("hip", "knee", "ankle")]
    if any(told):
        return told
    moving = [link for link in links if link.joints]
    knee = tuple(j for link in moving[1:] if link is not links[-1] for j in link.joints)
    return [moving[0].joints if moving else (), knee, links[-1].joints if len(moving) > 1 else ()]


def read_home(model: Any) -> NDArray[np.float64]:
    """[nq], key frame 'home', or else the reference pose."""
    home = [model.key_qpos[i] for i in range(model.nkey) if model.key(i).name == "home"]
    return _fixed(home[0] if home else model.qpos0)


def read_default_qpos(model: Any, root: str, points: tuple[Point, ...]) -> NDArray[np.float64]:
    """[nq], the home pose, raised or lowered until the feet touch z = 0."""
    qpos = np.array(read_home(model))
    if root in HEIGHT and any(point.foot and point.ground for point in points):
        data = posed(model, qpos)
        sites = {model.site(s).name: float(data.site_xpos[s, 2]) for s in range(model.nsite)}
        qpos[HEIGHT[root]] -= min(sites[point.name] for point in points if point.foot and point.ground)
    return _fixed(qpos)


def _servos(model: Any, name: str) -> tuple[NDArray[np.float64], ...]:
    """kp, kd, torque limit and whether actuated, each [nv], from actuators with transmission to a joint."""
    kp, kd, actuated = np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv, dtype=bool)
    limit = np.full(model.nv, np.inf)
    for drive in read_drives(model):
        if isinstance(drive, str):
            raise FootfallError(f"figure '{name}': actuator '{drive}' does not act on a joint")
        axes, joint = np.flatnonzero(drive.gear), _joint_name(model, drive.joint)
        if len(axes) != 1:
            raise FootfallError(f"figure '{name}': actuator '{drive.label}' must act on one axis of joint "
                                f"'{joint}', its gear is {drive.gear.tolist()}")  # fmt: skip
        dof = int(model.jnt_dofadr[drive.joint] + axes[0])
        if actuated[dof]:
            raise FootfallError(f"figure '{name}': joint '{joint}' has two actuators, one is right")
        actuated[dof], kp[dof], kd[dof] = True, drive.kp, drive.kd
        limit[dof] = drive.limits[0][0] if drive.limits else np.inf
    for j in range(model.njnt):
        if model.jnt_actfrclimited[j]:
            dof = int(model.jnt_dofadr[j])
            limit[dof] = min(limit[dof], float(np.max(np.abs(model.jnt_actfrcrange[j]))))
    if np.any(kp < 0) or np.any(kd < 0):
        bad = _joint_name(model, int(model.dof_jntid[int(np.flatnonzero((kp < 0) | (kd < 0))[0])]))
        raise FootfallError(f"figure '{name}': the servo of joint '{bad}' has a negative gain")
    return kp, kd, limit, actuated


def _ancestors(bodies: tuple[Body, ...], index: int) -> list[int]:
    chain = []
    while index >= 0:
        chain.append(index)
        index = bodies[index].parent
    return chain


def _joint_name(model: Any, j: int) -> str:
    return cast(str, model.joint(j).name) or f"joint{j}"


def _fixed(values: Any) -> NDArray[np.float64]:
    """A read-only copy."""
    copy = np.array(values, dtype=np.float64)
    copy.setflags(write=False)
    return copy
