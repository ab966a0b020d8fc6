"""A figure as links: frames that move by one joint each, in which the dynamics are found.

Every link has axes and an origin of its own: a hinge's lies at its anchor, turned by the joint; slides that follow one
another, and the three that carry a free body, share one link; a ball has one. What joins a link to its parent is a
position and rotations in order, mostly turns about one coordinate axis, which cost little (:mod:`.spatial`). Masses are
numbers in their link's frame. A body that no joint moves belongs to its parent's link.

Forward dynamics a limb at a time: Featherstone's articulated bodies, every link in its own frame.

Down a limb go velocities and drifts, the accelerations that links would have if no degree of freedom accelerated; they
give the force that each body needs for its drift. Back up, inertias and forces are folded into the link that carries
the limb before the next limb begins. Outward, what is added to the drifts is found in the same order. In a link's
frame a joint's axis is a coordinate axis, so that its column of the inertia is u, an entry of it is D, and little is
computed and little is kept: for each degree of freedom u / D and its own acceleration, besides the sine and cosine of
its angle.

Gravity is an acceleration of the world upwards: drifts are measured against free fall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from footfall.dynamics.expressions import Expression
from footfall.dynamics.mechanism import JointExpressions, Mechanism
from footfall.dynamics.spatial import (
    Blocks,
    Matrix3,
    Rotation,
    Spatial,
    Turn,
    Vector3,
    add,
    apply,
    apply_back,
    cross_motion,
    cross_product,
    dot_product,
    identity_matrix,
    matmul,
    matvec,
    rotate_inertia,
    rotation_about,
    rotation_from_quaternion,
    scale,
)


@dataclass(frozen=True)
class Mass:
    """A rigid body: mass, centre, and the inertia about it."""

    mass: Expression
    com: Vector3
    inertia: Matrix3


@dataclass
class FigureLink:
    """A frame and what moves it against its parent's.

    Attributes:
        parent: index of the parent link, -1 for the world.
        rotations: what takes its axes to its parent's, in order.
        place: its origin in its parent's axes.
        freedoms: degrees of freedom and their motion subspaces in its own frame.
        masses: the bodies that move with it.
        children: links that it carries.
    """

    parent: int
    rotations: list[Rotation]
    place: Vector3
    freedoms: list[tuple[int, Spatial]] = field(default_factory=list)
    masses: list[Mass] = field(default_factory=list)
    children: list[int] = field(default_factory=list)


class Links:
    """The links of a mechanism in a pose.

    Attributes:
        links: parents come before their children.
        frames: for each body its link, its axes and its origin in it.
    """

    def __init__(self, mechanism: Mechanism, qpos: Sequence[Expression]) -> None:
        g = self.graph = mechanism.graph
        self.identity = identity_matrix(g)
        self.nowhere: Vector3 = (g.zero,) * 3
        self.links: list[FigureLink] = []
        self.frames: list[tuple[int, Matrix3, Vector3]] = []
        self._world: dict[int, tuple[Matrix3, Vector3]] = {}
        for body in mechanism.bodies:
            up, axes, origin = (-1, self.identity, self.nowhere) if body.parent < 0 else self.frames[body.parent]
            if not body.is_free:
                origin = add(origin, matvec(axes, body.position))  # type: ignore[assignment]
                axes = matmul(axes, body.rotation)
            for joint in body.joints:
                up, axes, origin = self._join(up, axes, origin, joint, qpos[joint.qpos :])
            if up < 0:
                up, axes, origin = self._add(up, [axes], origin), self.identity, self.nowhere
            self.frames.append((up, axes, origin))
            com: Vector3 = add(origin, matvec(axes, body.com))  # type: ignore[assignment]
            self.links[up].masses.append(Mass(body.mass, com, rotate_inertia(axes, body.inertia)))
        self.links_below = [1 + len(self._below(i)) for i in range(len(self.links))]

    def _below(self, link: int) -> list[int]:
        children = self.links[link].children
        return children + [k for child in children for k in self._below(child)]

    def _add(self, parent: int, rotations: Sequence[Rotation], place: Vector3) -> int:
        kept = [r for r in rotations if isinstance(r, Turn) or not _same(r, self.identity)]
        self.links.append(FigureLink(parent, kept, place))
        if parent >= 0:
            self.links[parent].children.append(len(self.links) - 1)
        return len(self.links) - 1

    def _join(
        self, up: int, axes: Matrix3, origin: Vector3, joint: JointExpressions, q: Sequence[Expression]
    ) -> tuple[int, Matrix3, Vector3]:
        """Add what a joint needs; the body's link, axes and origin after it."""
        g = self.graph
        if joint.kind == "free":
            slides = self._add(up, [], tuple(q[:3]))  # type: ignore[arg-type]
            self.links[slides].freedoms = [(joint.dof + k, self.nowhere + self.identity[k]) for k in range(3)]
            ball = self._add(slides, [rotation_from_quaternion(q[3:7])], self.nowhere)
            self.links[ball].freedoms = [(joint.dof + 3 + k, self.identity[k] + self.nowhere) for k in range(3)]
            return ball, self.identity, self.nowhere
        if joint.kind == "slide":
            return self._slide(up, axes, origin, joint, q[0] - joint.reference)
        anchor: Vector3 = add(origin, matvec(axes, joint.anchor))  # type: ignore[assignment]
        turned: Rotation
        if joint.kind == "ball":
            turned, freedoms = rotation_from_quaternion(q[:4]), [(joint.dof + k, self.identity[k]) for k in range(3)]
        else:
            sine, cosine = g.sincos(q[0] - joint.reference)
            turned, freedoms = _turned(joint.axis, sine, cosine), [(joint.dof, joint.axis)]
        link = self._add(up, [turned, axes], anchor)
        self.links[link].freedoms = [(dof, axis + self.nowhere) for dof, axis in freedoms]
        return link, self.identity, tuple(-x for x in joint.anchor)  # type: ignore[return-value]

    def _slide(
        self, up: int, axes: Matrix3, origin: Vector3, joint: JointExpressions, by: Expression
    ) -> tuple[int, Matrix3, Vector3]:
        """A slide joins the link of the slides before it, whose frame it carries on."""
        kind = self.links[up].freedoms if up >= 0 else []
        if kind and all(x.value == 0.0 for _, s in kind for x in s[:3]) and not self.links[up].masses:
            axis = matvec(axes, joint.axis)
            link = self.links[up]
            link.place = add(link.place, apply(link.rotations, scale(axis, by)))  # type: ignore[assignment]
            link.freedoms.append((joint.dof, self.nowhere + axis))
            return up, axes, origin
        link_index = self._add(up, [axes], add(origin, matvec(axes, scale(joint.axis, by))))  # type: ignore[arg-type]
        self.links[link_index].freedoms = [(joint.dof, self.nowhere + joint.axis)]
        return link_index, self.identity, self.nowhere

    # -- where links are, and how they move ----------------------------------------------------------------------------

    def to_link(self, link: int, motion: Spatial) -> Spatial:
        """A motion of the parent, as its link has it: turned, and at its origin."""
        me = self.links[link]
        linear = add(motion[3:], cross_product(motion[:3], me.place))
        return (*apply_back(me.rotations, motion[:3]), *apply_back(me.rotations, linear))

    def to_parent(self, link: int, force: Spatial) -> Spatial:
        """A force on a link, as its parent has it."""
        me = self.links[link]
        linear = apply(me.rotations, force[3:])
        return (*add(apply(me.rotations, force[:3]), cross_product(me.place, linear)), *linear)

    def velocity(self, link: int, above: Spatial, qvel: Sequence[Expression]) -> tuple[Spatial, Spatial]:
        """A link's velocity and the velocity product that its freedoms add, from its parent's velocity."""
        moved: Spatial = (self.graph.zero,) * 6
        for dof, s in self.links[link].freedoms:
            moved = add(moved, scale(s, qvel[dof]))
        velocity = add(self.to_link(link, above) if self.links[link].parent >= 0 else above, moved)
        return velocity, cross_motion(velocity, moved)

    def chain(self, link: int) -> list[int]:
        """The links from the world to this one, itself included."""
        found = []
        while link >= 0:
            found.append(link)
            link = self.links[link].parent
        return found[::-1]

    def chain_velocity(self, link: int, qvel: Sequence[Expression]) -> Spatial:
        """A link's velocity, from all that carries it."""
        velocity: Spatial = (self.graph.zero,) * 6
        for k in self.chain(link):
            velocity = self.velocity(k, velocity, qvel)[0]
        return velocity

    def world(self, link: int) -> tuple[Matrix3, Vector3]:
        """A link's axes in the world's, and its origin from the first body's position."""
        if link < 0:
            return self.identity, self.nowhere
        if link not in self._world:
            axes, place = self.world(self.links[link].parent)
            me = self.links[link]
            columns = [apply(me.rotations, unit) for unit in self.identity]
            turned = matmul(axes, tuple(zip(*columns, strict=True)))  # type: ignore[arg-type]
            root, _, own = self.frames[0]
            at = scale(matvec(turned, own), -self.graph.one) if link <= root else add(place, matvec(axes, me.place))
            self._world[link] = turned, at  # type: ignore[assignment]
        return self._world[link]


def _turned(axis: Vector3, sine: Expression, cosine: Expression) -> Rotation:
    """The rotation about a unit axis; a turn where it is one of the coordinate axes."""
    values = [x.value for x in axis]
    for k in range(3):
        if values[k] in (1.0, -1.0) and values[k - 1] == 0.0 and values[k - 2] == 0.0:
            return Turn(k, sine if values[k] == 1.0 else -sine, cosine)
    return rotation_about(axis, sine, cosine)


def _same(a: Matrix3, b: Matrix3) -> bool:
    """Whether two matrices are equal as expressions."""
    return all(x.id == y.id for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))


Load = Callable[[int, Spatial, Spatial], tuple[Spatial, Blocks | None] | None]
"""(link, its velocity, its drift) -> the force on it if it moved so, and the inertia with which that answers to more
acceleration, in its frame; None for none."""


@dataclass
class _Solved:
    """What the outward pass needs of a degree of freedom: q'' = own - scaled · a."""

    own: Expression
    scaled: Spatial


def forward_dynamics(
    mechanism: Mechanism,
    links: Links,
    qvel: Sequence[Expression],
    torque: Callable[[int], Expression],
    load: Load,
    *,
    stiffness: Callable[[int], Expression] | None = None,
) -> tuple[list[Expression], dict[int, Spatial]]:
    """Accelerations of all degrees of freedom; what every link's acceleration is besides its drift, in its frame.

    Args:
        mechanism: the figure as expressions.
        links: its links in this pose.
        qvel: [nv] velocities.
        torque: the generalised force of a degree of freedom.
        load: what links carry besides.
        stiffness: kd h + kp h² of a degree of freedom's servo taken implicitly, added to D.
    """
    g = mechanism.graph
    nothing: Spatial = (g.zero,) * 6
    solved: dict[int, _Solved] = {}

    def inward(link: int, above: Spatial, drift_above: Spatial) -> tuple[Blocks, Spatial]:
        me = links.links[link]
        velocity, product = links.velocity(link, above, qvel)
        drift = add(links.to_link(link, drift_above), product)
        total, force = Blocks.zero(g), nothing
        if me.masses:
            rigid = _together(me.masses)
            force = _needed(rigid, velocity, drift)
        if (carried := load(link, velocity, drift)) is not None:
            force = add(force, [-x for x in carried[0]])
            total = carried[1] or total
        for child in sorted(me.children, key=lambda k: -links.links_below[k]):
            inertia, pull = inward(child, velocity, drift)
            total, force = total + inertia, add(force, pull)
        if me.masses:
            total = total + Blocks.rigid(rigid.mass, rigid.com, rigid.inertia)
        for dof, s in reversed(me.freedoms):
            u = total.times(s)
            left = mechanism.armature[dof] + (stiffness(dof) if stiffness is not None else g.zero)
            inverse = 1 / (dot_product(s, u) + left)
            scaled = scale(u, inverse)
            drive = torque(dof) - dot_product(s, force)
            solved[dof] = _Solved(drive * inverse, scaled)
            total = total.without(s, u, scaled, left * inverse)
            force = add(force, scale(scaled, drive))
        if me.parent < 0:
            return total, force
        return total.turned(me.rotations).moved(me.place), links.to_parent(link, force)

    qacc = [g.zero] * mechanism.nv
    found: dict[int, Spatial] = {}

    def outward(link: int, above: Spatial) -> None:
        me = links.links[link]
        a = links.to_link(link, above)
        for dof, s in me.freedoms:
            answer = solved[dof]
            qacc[dof] = answer.own - dot_product(answer.scaled, a)
            a = add(a, scale(s, qacc[dof]))
        found[link] = a
        for child in sorted(me.children, key=lambda k: -links.links_below[k]):
            outward(child, a)

    for root in [i for i, link in enumerate(links.links) if link.parent < 0]:
        inward(root, nothing, (g.zero,) * 3 + tuple(-x for x in mechanism.gravity))
        outward(root, nothing)
    return qacc, found


def _together(masses: Sequence[Mass]) -> Mass:
    """The rigid body that several are."""
    if len(masses) == 1:
        return masses[0]
    g = masses[0].mass.graph
    total, moment = g.zero, (g.zero,) * 3
    blocks = Blocks.zero(g)
    for part in masses:
        total, moment = total + part.mass, add(moment, scale(part.com, part.mass))  # type: ignore[assignment]
        blocks = blocks + Blocks.rigid(part.mass, part.com, part.inertia)
    com: Vector3 = scale(moment, 1 / total)  # type: ignore[assignment]
    offset = Blocks.rigid(total, com, Blocks.zero(g).angular).angular
    inertia = tuple(tuple(blocks.angular[i][j] - offset[i][j] for j in range(3)) for i in range(3))
    return Mass(total, com, inertia)  # type: ignore[arg-type]


def _needed(body: Mass, velocity: Spatial, drift: Spatial) -> Spatial:
    """The force that a rigid body needs for an acceleration: m a of its centre, through it, and I α + ω × I ω."""
    turning, angular = velocity[:3], drift[:3]
    linear = add(drift[3:], cross_product(angular, body.com))
    pull = scale(add(linear, cross_product(turning, add(velocity[3:], cross_product(turning, body.com)))), body.mass)
    spin = add(matvec(body.inertia, angular), cross_product(turning, matvec(body.inertia, turning)))
    return (*add(spin, cross_product(body.com, pull)), *pull)
