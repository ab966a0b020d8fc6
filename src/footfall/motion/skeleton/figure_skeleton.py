"""From a figure's coordinates to poses of a skeleton, and back: the one place where motion knows figures.

Each body of the figure becomes a joint of the skeleton, placed at the anchor of the body's own joints. A body with
several hinges (a hip with roll, pitch and yaw) becomes one joint that turns by their product. Contact points become
end sites.

The MuJoCo model that a figure's poses are computed with: one anchor for all turning joints of a body.

MJCF lets the joints of one body turn about different points, as the ankles of dm_control's humanoid do. A skeleton's
joint has one. Such a body is split into a series of bodies, without mass, for all its joints but the last; coordinates
and their order stay the same.

The parts of an adopted body, by its joints: what each one is, and between which points its limbs run.

An adopted body has footfall's joint names, and frames along the world's axes in a zero pose in which it stands upright
with hanging arms. A limb of a robot seldom runs from joint to joint: a hip is three links apart from each other, and
an elbow may stand two centimetres ahead of the arm. So a limb's direction is that of its link's frame, and its near
end is the point straight above its far one.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

import numpy as np

from footfall.errors import FootfallError
from footfall.figures.reading import HEIGHT
from footfall.motion.quaternion import (
    Array,
    conjugate,
    continuous,
    from_axis_angle,
    multiply,
    normalised,
    rotate,
)
from footfall.motion.skeleton.figure_shape import bare_bodies, geom_capsules, geom_meshes, link_meshes, solid_meshes
from footfall.motion.skeleton.hinges import hinge_angles
from footfall.motion.skeleton.roles import telling_name
from footfall.motion.skeleton.tree import EndSite, Mesh, Skeleton, triple

T = TypeVar("T")
_LEAST_FOREARM = 0.35
"""A forearm without a wrist is at least this share of the upper arm."""


def is_adopted(figure: Any) -> bool:
    """Whether a figure is an adopted body, or was made from one: the hinges of its hips are on several links."""
    if getattr(figure, "adoption", None) is not None:
        return True
    legs = getattr(figure, "legs", None) or {}
    hips = [{figure.joint(name).body for name in leg.hip} for leg in legs.values()]
    return (
        bool(hips) and all(len(links) > 1 for links in hips) and bool(np.allclose(figure.model.body_quat[1:, 0], 1.0))
    )


def adopted_parts(figure: Any, parents: Sequence[int], offsets: Array) -> dict[str, Any]:
    """Roles, landmarks and telling names of an adopted figure's skeleton, as fields of a ``Skeleton``.

    Args:
        figure: the adopted ``Figure``.
        parents: of its bodies, -1 for the root.
        offsets: [B, 3] of its bodies in their parents' frames, all along the same axes.
    """
    body = _Body(figure, parents, offsets)
    for side in ("left", "right"):
        body.leg(side)
        body.arm(side)
    body.trunk()
    aliases = tuple(re.sub(r"_\d+$", "", b.joints[0]) if b.joints else b.name for b in figure.bodies)
    return {"roles": body.roles, "marks": body.marks, "aliases": aliases}


class _Body:
    def __init__(self, figure: Any, parents: Sequence[int], offsets: Array) -> None:
        self.figure = figure
        self.at = np.zeros((len(parents), 3))
        for b, parent in enumerate(parents):
            self.at[b] = self.at[parent] + offsets[b] if parent >= 0 else 0.0
        self.roles: dict[str, int] = {"pelvis": 0}
        self.marks: dict[str, tuple[int, tuple[float, float, float]]] = {}

    def leg(self, side: str) -> None:
        """Thigh, shank and foot."""
        leg = self.figure.legs.get(side)
        if leg is None or not leg.hip or not leg.knee:
            return
        thigh, shank = self._deepest(leg.hip), self._first(leg.knee)
        ankle = self._first(leg.ankle) if leg.ankle else self.figure.body(leg.foot).index
        foot = self.figure.body(leg.foot).index
        self.roles |= {f"{side}_hip": thigh, f"{side}_knee": shank, f"{side}_ankle": foot}
        pitch = [name for name in leg.hip if self.figure.joint(name).plane == "pitch"]
        self._above(f"{side}_hip", thigh, shank, self.at[self._first(pitch or leg.hip), 2])
        self._mark(f"{side}_ankle", ankle, self.at[ankle])

    def arm(self, side: str) -> None:
        """Upper arm and forearm."""
        shoulder, elbow, wrist = (self._named(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist"))
        if not shoulder:
            return
        upper = self._deepest(shoulder)
        self.roles[f"{side}_shoulder"] = upper
        bends = [name for name in elbow if "twist" not in name]
        if not bends:
            return
        lower = self._first(bends)
        self.roles[f"{side}_elbow"] = lower
        pitch = [name for name in shoulder if self.figure.joint(name).plane == "pitch"]
        self._above(f"{side}_shoulder", upper, lower, self.at[self._first(pitch or shoulder), 2])
        length = self.marks[f"{side}_shoulder"][1][2] + self.at[upper, 2] - self.at[lower, 2]
        if wrist:
            self.roles[f"{side}_wrist"] = self._first(wrist)
            reach = self.at[lower, 2] - self.at[self._first(wrist), 2]
        else:
            reach = self._reach(lower)
        twist = [name for name in elbow if "twist" in name]
        forearm = self._deepest(twist) if twist and not wrist else lower
        down = max(float(reach), _LEAST_FOREARM * float(length))
        self._mark(f"{side}_wrist", forearm, self.at[lower] - [0.0, 0.0, down])

    def trunk(self) -> None:
        """Chest, neck and head; the trunk runs straight up from between the hips."""
        neck, waist = self._named("neck"), self._named("waist")
        if waist:
            self.roles["chest"] = self._deepest(waist)
        if neck:
            self.roles |= {"neck": self._first(neck), "head": self._deepest(neck)}
        if "left_shoulder" in self.roles and "left_hip" in self.roles:
            chest = self.roles.get("chest", 0)
            low = self._middle("hip", self.figure.legs["left"].hip, self.figure.legs["right"].hip)
            high = self._middle("shoulder", self._named("left_shoulder"), self._named("right_shoulder"))
            self._mark("hips", 0, low)
            self._mark("shoulders", chest, np.array([low[0], low[1], high[2]]))
        if neck:
            head = self.roles["head"]
            self._mark("head_top", head, self.at[head] + [0.0, 0.0, max(self._reach(head, up=True), 0.05)])

    def _middle(self, part: str, left: Sequence[str], right: Sequence[str]) -> Array:
        """Between the first links of both sides."""
        return np.asarray(0.5 * (self.at[self._first(left)] + self.at[self._first(right)]))

    def _named(self, part: str) -> list[str]:
        """Joints of a place, from the trunk outward."""
        return [j.name for j in self.figure.joints if re.fullmatch(rf"{part}(_.*)?", j.name)]

    def _first(self, joints: Sequence[str]) -> int:
        return min(int(self.figure.joint(name).body) for name in joints)

    def _deepest(self, joints: Sequence[str]) -> int:
        return max(int(self.figure.joint(name).body) for name in joints)

    def _above(self, name: str, limb: int, far: int, height: float) -> None:
        """The near end of a limb: straight above its far one, at a height."""
        self._mark(name, limb, np.array([self.at[far, 0], self.at[far, 1], height]))

    def _mark(self, name: str, body: int, place: Array) -> None:
        x, y, z = (float(v) for v in place - self.at[body])
        self.marks[name] = body, (x, y, z)

    def _reach(self, body: int, *, up: bool = False) -> float:
        """How far a body's own points and mass lie below (or above) its origin, and what hangs on it."""
        inside = {body}
        for other in self.figure.bodies:
            if other.parent in inside:
                inside.add(other.index)
        places = [self.at[b] + 1.6 * self.figure.bodies[b].com - self.at[body] for b in inside]
        places += [self.at[p.body] + p.position - self.at[body] for p in self.figure.points if p.body in inside]
        heights = [float(place[2]) for place in places]
        return max(heights) if up else -min(heights)


_AXES = ("roll", "pitch", "yaw")
_PLACED = ("pos", "quat", "axisangle", "euler", "xyaxes", "zaxis")
_kept: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""What was made of figures, which never change, by what it is."""


def _once(figure: Any, what: str, make: Callable[[], T]) -> T:
    """``make()``, computed once for a figure and kept under the name ``what``."""
    known = _kept.setdefault(figure, {})
    if what not in known:
        known[what] = make()
    return known[what]  # type: ignore[no-any-return]


def kinematic_model(figure: Any) -> Any:
    """The ``mujoco.MjModel`` of a ``Figure`` (or of a model) whose bodies have one anchor each."""
    model = getattr(figure, "model", figure)
    split = [b for b in range(1, model.nbody) if len(_anchored(model, b)) > 1]
    if not split:
        return model
    if not hasattr(figure, "xml"):
        raise FootfallError(
            f"figure: the hinges of body '{model.body(split[0]).name}' must share one anchor to become a pose; load "
            "the figure from its file"
        )
    return _once(figure, "model", lambda: _split(figure, split))


def body_joints(model: Any, body: int) -> range:
    """The joints of a body of a model, by its number there."""
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    return range(first, first + count) if first >= 0 else range(0)


def _anchored(model: Any, body: int) -> list[list[int]]:
    """The turning joints of a body, those in a row that share an anchor together."""
    groups: list[list[int]] = []
    for j in body_joints(model, body):
        if int(model.jnt_type[j]) not in (_HINGE, _BALL):
            continue
        if groups and np.abs(model.jnt_pos[j] - model.jnt_pos[groups[-1][0]]).max() <= 1e-9:
            groups[-1].append(j)
        else:
            groups.append([j])
    return groups


def _split(figure: Any, bodies: list[int]) -> Any:
    import mujoco

    model, tree = figure.model, ElementTree.fromstring(figure.xml)
    above = {child: parent for parent in tree.iter() for child in parent}
    named = {body.get("name"): body for body in tree.iter("body")}
    for b in bodies:
        body = named[model.body(b).name]
        joints = {joint.get("name"): joint for joint in body.findall("joint")}
        home = above[body]
        place = list(home).index(body)
        home.remove(body)
        carried = {key: body.attrib.pop(key) for key in _PLACED if key in body.attrib}
        for group in _anchored(model, b)[:-1]:
            axis = _AXES[int(np.argmax(np.abs(model.jnt_axis[group[0]])))]
            extra = {key: body.get(key, "") for key in ("childclass",) if key in body.attrib}
            link = ElementTree.Element("body", {"name": f"{model.body(b).name}_{axis}", **carried, **extra})
            ElementTree.SubElement(link, "inertial", pos="0 0 0", mass="1e-9", diaginertia="1e-9 1e-9 1e-9")
            for j in group:
                joint = joints[model.joint(j).name]
                body.remove(joint)
                link.append(joint)
            home.insert(place, link)
            home, place, carried = link, len(link), {}
        home.insert(place, body)
    compiled = mujoco.MjModel.from_xml_string(ElementTree.tostring(tree, encoding="unicode"))
    if compiled.nq != model.nq or [compiled.joint(j).name for j in range(compiled.njnt)] != [
        model.joint(j).name for j in range(model.njnt)
    ]:
        raise FootfallError("figure: its bodies have several anchors each, and cannot be split into bodies of one")
    return compiled


_FREE, _BALL, _SLIDE, _HINGE = 0, 1, 2, 3
_HIPS = 0.53
"""Height of a person's hips as a share of the whole."""


@dataclass(frozen=True)
class _Tree:
    """The parts of a MuJoCo model that poses depend on; body b of the model is joint b - 1 here."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    anchors: Array
    positions: Array
    quaternions: Array
    joints: tuple[tuple[int, ...], ...]
    model: Any


def _tree(figure: Any) -> _Tree:
    """The tree of a figure, which is kept, or of a model."""
    return _once(figure, "tree", lambda: _read_tree(figure)) if hasattr(figure, "model") else _read_tree(figure)


def _read_tree(figure: Any) -> _Tree:
    model = kinematic_model(figure)
    n = model.nbody - 1
    if n < 1:
        raise FootfallError("figure: it has no bodies")
    names = tuple(model.body(b + 1).name or f"body{b + 1}" for b in range(n))
    parents = tuple(int(p) - 1 for p in model.body_parentid[1:])
    if parents.count(-1) != 1:
        raise FootfallError("figure: a motion needs one root body in the world")
    anchors = np.zeros((n, 3))
    joints = []
    for b in range(n):
        own = tuple(body_joints(model, b + 1))
        joints.append(own)
        turning = [j for j in own if model.jnt_type[j] in (_HINGE, _BALL)]
        if turning:
            anchors[b] = model.jnt_pos[turning[0]]
        if b > 0 and any(model.jnt_type[j] in (_SLIDE, _FREE) for j in own):
            raise FootfallError(f"figure: body '{names[b]}' slides; only the root may, for a motion")
    return _Tree(names, parents, anchors, model.body_pos[1:].copy(), model.body_quat[1:].copy(), tuple(joints), model)


def skeleton_of(figure: Any) -> Skeleton:
    """The skeleton of a ``Figure`` (which is kept) or of a ``mujoco.MjModel``, with its contact points as end sites and
    its masses."""
    return _once(figure, "skeleton", lambda: _skeleton(figure)) if hasattr(figure, "model") else _skeleton(figure)


def _skeleton(figure: Any) -> Skeleton:
    tree = _tree(figure)
    model = tree.model
    offsets = tree.positions + rotate(tree.quaternions, tree.anchors)
    for b, parent in enumerate(tree.parents):
        if parent >= 0:
            offsets[b] -= tree.anchors[parent]
    ends = tuple(_ends(figure, tree))
    adopted = adopted_parts(figure, tree.parents, offsets) if is_adopted(figure) else {}
    return Skeleton(
        names=tree.names,
        parents=tree.parents,
        offsets=offsets,
        rest=tree.quaternions,
        ends=ends,
        mass=model.body_mass[1:].copy(),
        com=model.body_ipos[1:] - tree.anchors,
        capsules=geom_capsules(model, tree.names, tree.anchors),
        meshes=_meshes(figure, tree, ends),
        **({"aliases": _aliases(tree)} | adopted),
    )


def _meshes(figure: Any, tree: _Tree, ends: Sequence[EndSite]) -> tuple[Mesh, ...]:
    """The meshes of the file, shapes of links whose meshes are missing, boxes and cylinders of robots."""
    there = geom_meshes(tree.model, tree.names, tree.anchors)
    if not hasattr(figure, "model"):
        return there
    bare = {tree.names.index(figure.bodies[b].name) for b in bare_bodies(figure)}
    height = float(figure.default_qpos[HEIGHT[figure.root]]) / _HIPS if figure.root in HEIGHT else 1.0
    there += tuple(link_meshes(tree.model, tree.names, tree.anchors, ends, height, bare))
    if figure.adoption is not None:
        left = {*range(len(tree.names))} - {mesh.joint for mesh in there}
        there += tuple(solid_meshes(tree.model, tree.names, tree.anchors, left))
    return there


def _aliases(tree: _Tree) -> tuple[str, ...]:
    """Names that tell what the bodies are, where some of their own do not."""
    rows = zip(tree.names, tree.joints)
    aliases = tuple(telling_name(name, [tree.model.joint(j).name for j in own]) for name, own in rows)
    return () if aliases == tree.names else aliases


def _ends(figure: Any, tree: _Tree) -> list[EndSite]:
    model = tree.model
    if hasattr(figure, "points"):
        rows = [
            (p.name, _body_index(figure, tree, p.body), np.asarray(p.position), bool(getattr(p, "ground", True)))
            for p in figure.points
        ]
    else:
        rows = [
            (model.site(s).name, int(model.site_bodyid[s]) - 1, model.site_pos[s], True)
            for s in range(model.nsite)
            if model.site_bodyid[s] > 0
        ]
    return [EndSite(name, body, triple(place - tree.anchors[body]), contact) for name, body, place, contact in rows]


def _body_index(figure: Any, tree: _Tree, body: Any) -> int:
    if isinstance(body, str):
        return tree.names.index(body)
    return int(body) if tree.model is figure.model else tree.names.index(figure.model.body(int(body) + 1).name)


def channel_labels(figure: Any) -> dict[str, tuple[str, ...]]:
    """Names of the columns of ``qpos``, ``qvel``, ``torque``, ``qacc``, ``moment`` and ``contact`` as recorded."""
    model = kinematic_model(figure)
    qpos, qvel = [], []
    for j in range(model.njnt):
        name = model.joint(j).name or f"joint{j}"
        kind = int(model.jnt_type[j])
        if kind in (_HINGE, _SLIDE):
            qpos.append(name)
            qvel.append(name)
            continue
        place = [f"{name}.{a}" for a in "xyz"] if kind == _FREE else []
        qpos += place + [f"{name}.q{a}" for a in "wxyz"]
        qvel += place + [f"{name}.w{a}" for a in "xyz"]
    points = tuple(end.name for end in _ends(figure, _tree(figure)) if end.contact)
    own = tuple(qvel)
    return {"qpos": tuple(qpos), "qvel": own, "torque": own, "qacc": own, "moment": own, "contact": points}


def poses_from_qpos(figure: Any, qpos: Array) -> tuple[Array, Array]:
    """Root positions [T, 3] and local rotations [T, J, 4] of coordinates qpos [T, nq]."""
    tree = _tree(figure)
    model = tree.model
    if qpos.ndim != 2 or qpos.shape[1] != model.nq:
        raise FootfallError(f"qpos: it must have shape [frames, {model.nq}] for this figure, not {list(qpos.shape)}")
    T = len(qpos)
    rotations = np.empty((T, len(tree.names), 4))
    root = np.tile(tree.positions[0], (T, 1))
    for b, own in enumerate(tree.joints):
        turn = np.tile(tree.quaternions[b], (T, 1))
        for j in own:
            at, kind = int(model.jnt_qposadr[j]), int(model.jnt_type[j])
            if kind == _FREE:
                root, turn = qpos[:, at : at + 3].copy(), normalised(qpos[:, at + 3 : at + 7])
            elif kind == _BALL:
                turn = multiply(turn, normalised(qpos[:, at : at + 4]))
            else:
                value = qpos[:, at] - model.qpos0[at]
                if kind == _HINGE:
                    turn = multiply(turn, from_axis_angle(model.jnt_axis[j], value))
                else:
                    root += rotate(tree.quaternions[0], model.jnt_axis[j]) * value[:, None]
        rotations[:, b] = turn
    if not any(int(model.jnt_type[j]) == _FREE for j in tree.joints[0]):
        root += rotate(tree.quaternions[0], tree.anchors[0])
    return root, rotations


def qpos_from_poses(figure: Any, skeleton: Skeleton, root_position: Array, rotations: Array) -> Array:
    """Coordinates [T, nq] of ``figure`` in poses of a skeleton (root [T, 3], local rotations [T, J, 4]), whose joints
    must bear the figure's body names.

    Where a body has fewer axes than its pose needs, the nearest pose is taken. Hinge angles are continuous over time.
    """
    tree = _tree(figure)
    model = tree.model
    missing = [name for name in tree.names if name not in skeleton.names]
    if missing:
        raise FootfallError(
            f"motion: it has no joint '{missing[0]}' of the figure ({len(missing)} missing); retarget it first"
        )
    at_joint = [skeleton.index(name) for name in tree.names]
    qpos = np.tile(model.qpos0, (len(rotations), 1))
    for b, own in enumerate(tree.joints):
        if not own:
            continue
        local = rotations[:, at_joint[b]]
        if int(model.jnt_type[own[0]]) == _FREE:
            at = int(model.jnt_qposadr[own[0]])
            qpos[:, at : at + 3] = root_position
            qpos[:, at + 3 : at + 7] = continuous(local)
            continue
        relative = multiply(conjugate(tree.quaternions[b]), local)
        hinges = [j for j in own if int(model.jnt_type[j]) == _HINGE]
        balls = [j for j in own if int(model.jnt_type[j]) == _BALL]
        if balls:
            at = int(model.jnt_qposadr[balls[0]])
            qpos[:, at : at + 4] = continuous(relative)
        elif hinges:
            addresses = [int(model.jnt_qposadr[j]) for j in hinges]
            angles = hinge_angles(model.jnt_axis[hinges], relative, smooth=False)
            qpos[:, addresses] = model.qpos0[addresses] + angles
    slide_root(figure, qpos, root_position)
    return qpos


def slide_root(figure: Any, qpos: Array, root_position: Array) -> None:
    """Write the root's position [T, 3] into coordinates [T, nq] of a figure whose root slides; others stay."""
    tree = _tree(figure)
    model = tree.model
    slides = [j for j in tree.joints[0] if int(model.jnt_type[j]) == _SLIDE]
    if slides:
        axes = rotate(tree.quaternions[0], model.jnt_axis[slides])
        start = tree.positions[0] + rotate(tree.quaternions[0], tree.anchors[0])
        along = np.linalg.lstsq(axes.T, (root_position - start).T, rcond=None)[0].T
        addresses = [int(model.jnt_qposadr[j]) for j in slides]
        qpos[:, addresses] = model.qpos0[addresses] + along
