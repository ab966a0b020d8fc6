"""From a figure's coordinates to poses of a skeleton, and back: the one place where motion knows figures.

Each body of the figure becomes a joint of the skeleton, placed at the anchor of the body's own joints. A body with
several hinges (a hip with roll, pitch and yaw) becomes one joint that turns by their product. Contact points become
end sites.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

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
from footfall.motion.skeleton.adopted import adopted_parts, is_adopted
from footfall.motion.skeleton.figure_meshes import geom_meshes
from footfall.motion.skeleton.figure_model import kinematic_model
from footfall.motion.skeleton.figure_shape import geom_capsules
from footfall.motion.skeleton.hinges import hinge_angles
from footfall.motion.skeleton.link_shapes import bare_bodies, link_meshes, solid_meshes
from footfall.motion.skeleton.roles import telling_name
from footfall.motion.skeleton.tree import EndSite, Mesh, Skeleton

if TYPE_CHECKING:
    from footfall.motion.motion import Motion

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


_trees: WeakKeyDictionary[Any, _Tree] = WeakKeyDictionary()
_drawn: WeakKeyDictionary[Any, tuple[Mesh, ...]] = WeakKeyDictionary()
"""Meshes of figures, which take some time to read."""


def _tree(figure: Any) -> _Tree:
    """The tree of a figure, which never changes and keeps it, or of a model."""
    if not hasattr(figure, "model"):
        return _read_tree(figure)
    if figure not in _trees:
        _trees[figure] = _read_tree(figure)
    return _trees[figure]


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
        first = int(model.body_jntadr[b + 1])
        own = tuple(range(first, first + int(model.body_jntnum[b + 1]))) if first >= 0 else ()
        joints.append(own)
        turning = [j for j in own if model.jnt_type[j] in (_HINGE, _BALL)]
        if turning:
            anchors[b] = model.jnt_pos[turning[0]]
        if b > 0 and any(model.jnt_type[j] in (_SLIDE, _FREE) for j in own):
            raise FootfallError(f"figure: body '{names[b]}' slides; only the root may, for a motion")
    return _Tree(names, parents, anchors, model.body_pos[1:].copy(), model.body_quat[1:].copy(), tuple(joints), model)


def skeleton_of(figure: Any) -> Skeleton:
    """The skeleton of a ``Figure`` (or of a ``mujoco.MjModel``), with its contact points as end sites and its
    masses."""
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
    if not hasattr(figure, "model"):
        return geom_meshes(tree.model, tree.names, tree.anchors)
    if figure not in _drawn:
        there = geom_meshes(tree.model, tree.names, tree.anchors)
        bare = {tree.names.index(figure.bodies[b].name) for b in bare_bodies(figure)}
        height = float(figure.default_qpos[HEIGHT[figure.root]]) / _HIPS if figure.root in HEIGHT else 1.0
        there += tuple(link_meshes(tree.model, tree.names, tree.anchors, ends, height, bare))
        if figure.adoption is not None:
            left = {*range(len(tree.names))} - {mesh.joint for mesh in there}
            there += tuple(solid_meshes(tree.model, tree.names, tree.anchors, left))
        _drawn[figure] = there
    return _drawn[figure]


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
    ends = []
    for name, body, position, contact in rows:
        x, y, z = (float(v) for v in np.asarray(position) - tree.anchors[body])
        ends.append(EndSite(name, body, (x, y, z), contact))
    return ends


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


def qpos_from_poses(figure: Any, motion: "Motion") -> Array:
    """Coordinates [T, nq] of ``figure`` in the poses of ``motion``, whose joints must bear the figure's body names.

    Where a body has fewer axes than its pose needs, the nearest pose is taken. Hinge angles are continuous over time.
    """
    tree = _tree(figure)
    model = tree.model
    missing = [name for name in tree.names if name not in motion.skeleton.names]
    if missing:
        raise FootfallError(
            f"motion: it has no joint '{missing[0]}' of the figure ({len(missing)} missing); retarget it first"
        )
    at_joint = [motion.skeleton.index(name) for name in tree.names]
    qpos = np.tile(model.qpos0, (len(motion), 1))
    for b, own in enumerate(tree.joints):
        if not own:
            continue
        local = motion.rotations[:, at_joint[b]]
        if int(model.jnt_type[own[0]]) == _FREE:
            at = int(model.jnt_qposadr[own[0]])
            qpos[:, at : at + 3] = motion.root_position
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
        slides = [j for j in own if int(model.jnt_type[j]) == _SLIDE]
        if slides:
            axes = rotate(tree.quaternions[b], model.jnt_axis[slides])
            start = tree.positions[0] + rotate(tree.quaternions[0], tree.anchors[0])
            along = np.linalg.lstsq(axes.T, (motion.root_position - start).T, rcond=None)[0].T
            addresses = [int(model.jnt_qposadr[j]) for j in slides]
            qpos[:, addresses] = model.qpos0[addresses] + along
    return qpos
