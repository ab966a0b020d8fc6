"""A body as a tree of links in one pose, free of frames: every joint is a line in the world, every link a mass there.

In one pose a joint is its anchor and its axis in the world, and a link is its mass, centre of mass and inertia in the
world's axes. Told like this, a tree can be rooted at any of its links: a joint seen from its other side turns about the
opposite axis, and the joints between two links act in the opposite order. Links that do not move against their parents
are one with them.

The surface of a link is told as points: corners of boxes, rims of cylinders, extremes of balls and capsules, mesh
vertices; a link without geoms (its meshes are missing) has the corners of the box of the same mass and inertia instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.mjcf import JointKind, colliding, is_solid, joint_kind, joints_of, posed
from footfall.figures.parts import Plane, plane_about

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hinge:
    """A joint (usually a hinge) in one pose.

    Attributes:
        index: of the joint in the original model.
        name: there.
        kind: of joint.
        anchor: [3] in the world.
        axis: [3] in the world, of a positive rotation of the child.
        lower, upper: range of the coordinate less its value in this pose, infinite without.
        armature, damping, friction: as in the file.
        stiffness, rest: of a spring, about the pose.
    """

    index: int
    name: str
    kind: JointKind
    anchor: Array
    axis: Array
    lower: float
    upper: float
    armature: float
    damping: float
    friction: float
    stiffness: float
    rest: float

    @property
    def plane(self) -> Plane | None:
        """What a hinge does to a figure that looks along x."""
        return plane_about(self.axis) if self.kind == "hinge" else None

    def turned(self) -> Hinge:
        """With the axis the other way, and the coordinate with it."""
        return replace(self, axis=-self.axis, lower=-self.upper, upper=-self.lower, rest=-self.rest)


@dataclass(frozen=True, eq=False)
class TreeLink:
    """A rigid part: one moving body of the file with those that are fixed to it.

    Attributes:
        bodies: ids of its bodies in the original model, the moving one first.
        name: of that one.
        parent: index of a link, -1 for the first.
        joints: from the parent to it, in their order of action.
        mass: kilograms.
        com: [3] in the world.
        inertia: [3, 3] about the centre of mass, world axes.
        geoms: ids in the original model.
    """

    bodies: tuple[int, ...]
    name: str
    parent: int
    joints: tuple[Hinge, ...]
    mass: float
    com: Array
    inertia: Array
    geoms: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, parents before children, in one pose of a model.

    Attributes:
        model: the original one.
        qpos: [nq] its pose.
        turn: [3, 3] from the file's world to this one's axes.
        links: the first one is the root.
        data: of the model at ``qpos``, for positions of geoms.
    """

    model: Any
    qpos: Array
    turn: Array
    links: tuple[TreeLink, ...]
    data: Any = field(repr=False)

    def children(self, link: int) -> list[int]:
        """Indices of the links that hang from one."""
        return [i for i, other in enumerate(self.links) if other.parent == link]

    def chain(self, link: int) -> list[int]:
        """Indices from the root down to a link."""
        found = []
        while link >= 0:
            found.append(link)
            link = self.links[link].parent
        return found[::-1]

    def below(self, link: int) -> list[int]:
        """A link and all that hang from it."""
        found = {link}
        for i, other in enumerate(self.links):
            if other.parent in found:
                found.add(i)
        return sorted(found)

    def joints(self, links: Iterable[int] | None = None) -> list[Hinge]:
        """The joints of some links, or of all, in order."""
        return [joint for i in (range(len(self.links)) if links is None else links) for joint in self.links[i].joints]

    @property
    def span(self) -> float:
        """The largest extent of all joints' positions."""
        places = np.array([joint.anchor for joint in self.joints()])
        return float(np.ptp(places, axis=0).max()) if len(places) else 1.0

    def of_body(self, body: int) -> int:
        """The link that a body of the file belongs to."""
        return next(i for i, link in enumerate(self.links) if body in link.bodies)

    def place(self, position: Array) -> Array:
        """A point of the file's world, [..., 3], in these axes."""
        return np.asarray(np.asarray(position) @ self.turn.T)

    def rooted(self, root: int) -> Tree:
        """The same tree with another link as its root."""
        if root == 0:
            return self
        path = self.chain(root)
        balls = [joint.name for joint in self.joints(path[1:]) if joint.kind == "ball"]
        if balls:
            raise FootfallError(
                f"ball joint '{balls[0]}' is between the file's first body and the legs; use hinges there"
            )
        upward: dict[int, tuple[int, tuple[Hinge, ...]]] = {}
        for above, link in pairwise(path):
            upward[above] = (link, tuple(joint.turned() for joint in reversed(self.links[link].joints)))
        order, queue = [], [root]
        neighbours = {i: [j for j in self.children(i) if j not in path] for i in range(len(self.links))}
        parents = {i: link.parent for i, link in enumerate(self.links)}
        for above, (link, _) in upward.items():
            parents[above] = link
            neighbours[link] = [*neighbours[link], above]
        while queue:
            link = queue.pop(0)
            order.append(link)
            queue = neighbours[link] + queue
        place = {old: new for new, old in enumerate(order)}
        links = []
        for old in order:
            joints = () if old == root else upward[old][1] if old in upward else self.links[old].joints
            parent = -1 if old == root else place[parents[old]]
            links.append(replace(self.links[old], parent=parent, joints=joints))
        return replace(self, links=tuple(links))


def take_tree(model: Any, qpos: Array, turn: Array, welded: Collection[int] = ()) -> Tree:
    """The links of a model in a pose.

    Args:
        model: of one tree of bodies.
        qpos: [nq] the pose.
        turn: [3, 3] from the file's world to the axes wanted.
        welded: ids of joints that do not move any more.
    """
    data = posed(model, qpos)
    mujoco.mj_comPos(model, data)
    rooted = joints_of(model, 1)
    owner: dict[int, int] = {}
    groups: list[list[int]] = []
    for b in range(1, model.nbody):
        if b > 1 and all(j in welded for j in joints_of(model, b)):
            owner[b] = owner[int(model.body_parentid[b])]
            groups[owner[b]].append(b)
        else:
            owner[b] = len(groups)
            groups.append([b])
    links = []
    for bodies in groups:
        b = bodies[0]
        parent = owner[int(model.body_parentid[b])] if b > 1 else -1
        joints = [j for j in joints_of(model, b) if j not in welded and j not in rooted]
        mass, com, inertia = _together(model, data, bodies, turn)
        links.append(
            TreeLink(
                bodies=tuple(bodies),
                name=model.body(b).name or f"body{b}",
                parent=parent,
                joints=tuple(_hinge(model, data, j, turn) for j in joints),
                mass=mass,
                com=com,
                inertia=inertia,
                geoms=tuple(g for g in range(model.ngeom) if int(model.geom_bodyid[g]) in bodies),
            )
        )
    return Tree(model, np.array(qpos), turn, tuple(links), data)


def _hinge(model: Any, data: Any, j: int, turn: Array) -> Hinge:
    dof, at = int(model.jnt_dofadr[j]), int(model.jnt_qposadr[j])
    now = float(data.qpos[at])
    lower, upper = model.jnt_range[j] if model.jnt_limited[j] else (-np.inf, np.inf)
    kind = joint_kind(model, j)
    return Hinge(
        index=j,
        name=model.joint(j).name or f"joint{j}",
        kind=kind,
        anchor=turn @ data.xanchor[j],
        axis=turn @ data.xaxis[j],
        lower=float(lower) - (now if kind != "ball" else 0.0),
        upper=float(upper) - (now if kind != "ball" else 0.0),
        armature=float(model.dof_armature[dof]),
        damping=float(np.ravel(model.dof_damping[dof])[0]),
        friction=float(model.dof_frictionloss[dof]),
        stiffness=float(np.ravel(model.jnt_stiffness[j])[0]),
        rest=float(model.qpos_spring[at]) - now,
    )


def _together(model: Any, data: Any, bodies: Sequence[int], turn: Array) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia of bodies that move as one."""
    masses = np.array([model.body_mass[b] for b in bodies])
    places = np.array([turn @ data.xipos[b] for b in bodies])
    mass = float(masses.sum())
    com = masses @ places / mass if mass > 0 else places[0]
    inertia = np.zeros((3, 3))
    for b, m, place in zip(bodies, masses, places):
        axes = turn @ data.ximat[b].reshape(3, 3)
        away = place - com
        inertia += axes @ np.diag(model.body_inertia[b]) @ axes.T
        inertia += m * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, np.asarray(com), 0.5 * (inertia + inertia.T)


LARGEST = 0.08
"""Half sides of a box made from an inertia are at most this share of the body's size: some inertias are wrong."""
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
_RIM = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(16)], axis=1)
_STAR = np.concatenate([np.eye(3), -np.eye(3), _RIM, CORNERS / np.sqrt(3.0)])


def has_shape(tree: Tree, link: TreeLink) -> bool:
    """Whether any geom shows where the link's surface is."""
    return any(is_solid(tree.model, g) for g in link.geoms)


def link_points(tree: Tree, link: TreeLink) -> Array:
    """[n, 3] points on a link's surface in the tree's axes: of the geoms that collide, of all where none does."""
    model = tree.model
    clouds = [_geom_points(tree, g) for g in colliding(model, link.geoms)]
    if not clouds:
        centre, axes, half = inertia_box(link)
        return np.asarray(centre + (CORNERS * np.minimum(half, LARGEST * tree.span)) @ axes.T)
    return np.concatenate(clouds)


def inertia_box(link: TreeLink) -> tuple[Array, Array, Array]:
    """Centre [3], axes [3, 3] and half sides [3] of the box of even density with a link's mass and inertia."""
    if link.mass <= 0.0:
        return link.com, np.eye(3), np.full(3, 0.01)
    moments, axes = np.linalg.eigh(link.inertia)
    sides = np.sqrt(np.maximum(0.0, 6.0 * (moments.sum() - 2.0 * moments) / link.mass))
    return link.com, axes, 0.5 * np.maximum(sides, 1e-4)


def _geom_points(tree: Tree, g: int) -> Array:
    model, data = tree.model, tree.data
    kind, size = mujoco.mjtGeom(int(model.geom_type[g])), model.geom_size[g]
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        local = size[0] * _STAR
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        local = size * _STAR
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        local = np.concatenate([size[0] * _STAR + [0.0, 0.0, end * size[1]] for end in (-1.0, 1.0)])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        local = np.concatenate([size[0] * _RIM + [0.0, 0.0, end * size[1]] for end in (-1.0, 1.0)])
    elif kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[g])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        local = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
    else:
        box = model.geom_aabb[g]
        local = box[:3] + CORNERS * box[3:]
    axes = data.geom_xmat[g].reshape(3, 3)
    if kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE):
        down = -tree.turn[2] @ axes * size[0]
        reach = size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0
        local = np.concatenate([local, down + np.outer([-reach, reach], [0.0, 0.0, 1.0])])
    return tree.place(data.geom_xpos[g] + local @ axes.T)
