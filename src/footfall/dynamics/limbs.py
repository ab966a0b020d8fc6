"""Forward dynamics a limb at a time: Featherstone's articulated bodies, every link in its own frame.

Inward, a limb's inertia and force are found from its tip and folded into the link that carries it before the next limb
begins; outward, accelerations are found in the same order. In a link's frame a joint's axis is a coordinate axis, so
that its column of the inertia is u, an entry of it is D, and little is computed and little is kept: for each degree of
freedom u / D and its own acceleration, besides the sine and cosine of its angle.

Gravity is an acceleration of the world upwards; what comes out for links is measured against free fall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footfall.dynamics.blocks import Blocks
from footfall.dynamics.expressions import Expression
from footfall.dynamics.links import Links, Mass
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.spatial import Spatial, Vector3, add, cross, dot, matvec, scale

__all__ = ["Load", "forward_dynamics"]

Load = Callable[[int, Spatial], tuple[Spatial, Blocks | None] | None]
"""(link, its velocity) -> the force on it and the inertia that it carries besides, in its frame; None for none."""


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
    stiffness: Sequence[Expression] | None = None,
    qvel_again: Sequence[Expression] | None = None,
) -> tuple[list[Expression], dict[int, tuple[Spatial, Spatial]]]:
    """Accelerations of all degrees of freedom; velocity and acceleration of every link in its frame.

    Args:
        mechanism: the figure as expressions.
        links: its links in this pose.
        qvel: [nv] velocities.
        torque: the generalised force of a degree of freedom.
        load: what links carry besides.
        stiffness: [nv] kd h + kp h² of servos taken implicitly, added to D.
        qvel_again: the same velocities for the outward pass, where links' velocities are to be found again rather
            than kept.
    """
    g = mechanism.graph
    nothing: Spatial = (g.zero,) * 6
    solved: dict[int, _Solved] = {}

    def inward(link: int, above: Spatial) -> tuple[Blocks, Spatial]:
        me = links.links[link]
        velocity, product = links.velocity(link, above, qvel)
        total, force = Blocks.zero(g), nothing
        for child in sorted(me.children, key=lambda k: -links.links_below[k]):
            inertia, pull = inward(child, velocity)
            total, force = total + inertia, add(force, pull)
        if (carried := load(link, velocity)) is not None:
            total = total + carried[1] if carried[1] is not None else total
            force = add(force, [-x for x in carried[0]])
        if me.masses:
            rigid = _together(me.masses)
            total = total + Blocks.rigid(rigid.mass, rigid.com, rigid.inertia)
            force = add(force, _centrifugal(rigid, velocity))
        products = [nothing] * (len(me.freedoms) - 1) + [product]
        for (dof, s), c in reversed(list(zip(me.freedoms, products, strict=False))):
            u = total.times(s)
            left = mechanism.armature[dof] + (stiffness[dof] if stiffness is not None else g.zero)
            inverse = 1 / (dot(s, u) + left)
            scaled = scale(u, inverse)
            drive = torque(dof) - dot(s, force)
            solved[dof] = _Solved(drive * inverse, scaled)
            total = total.without(s, u, scaled, left * inverse)
            force = add(add(force, total.times(c)), scale(scaled, drive))
        if me.parent < 0:
            return total, force
        inertia = total.turned(me.rotations).moved(me.place)
        return inertia, links.to_parent(link, force)

    qacc = [g.zero] * mechanism.nv
    found: dict[int, tuple[Spatial, Spatial]] = {}
    again = qvel if qvel_again is None else qvel_again

    def outward(link: int, above: Spatial, carried: Spatial) -> None:
        me = links.links[link]
        velocity, product = links.velocity(link, above, again)
        a = links.to_link(link, carried)
        products = [nothing] * (len(me.freedoms) - 1) + [product]
        for (dof, s), c in zip(me.freedoms, products, strict=False):
            a = add(a, c)
            answer = solved[dof]
            qacc[dof] = answer.own - dot(answer.scaled, a)
            a = add(a, scale(s, qacc[dof]))
        found[link] = velocity, a
        for child in sorted(me.children, key=lambda k: -links.links_below[k]):
            outward(child, velocity, a)

    roots = [i for i, link in enumerate(links.links) if link.parent < 0]
    for root in roots:
        inward(root, nothing)
        outward(root, nothing, (g.zero,) * 3 + tuple(-x for x in mechanism.gravity))
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


def _centrifugal(body: Mass, velocity: Spatial) -> Spatial:
    """v ×* I v of a rigid body: ω × m (v + ω × c) through its centre, and ω × I_c ω."""
    turning = velocity[:3]
    pull = scale(cross(turning, add(velocity[3:], cross(turning, body.com))), body.mass)
    spin = cross(turning, matvec(body.inertia, turning))
    return (*add(spin, cross(body.com, pull)), *pull)
