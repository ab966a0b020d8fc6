"""Forward dynamics a limb at a time: Featherstone's articulated bodies, every link in its own frame.

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
from dataclasses import dataclass

from footfall.dynamics.blocks import Blocks
from footfall.dynamics.expressions import Expression
from footfall.dynamics.links import Links, Mass
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.spatial import Spatial, Vector3, add, cross, dot, matvec, scale

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
            inverse = 1 / (dot(s, u) + left)
            scaled = scale(u, inverse)
            drive = torque(dof) - dot(s, force)
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
            qacc[dof] = answer.own - dot(answer.scaled, a)
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
    linear = add(drift[3:], cross(angular, body.com))
    pull = scale(add(linear, cross(turning, add(velocity[3:], cross(turning, body.com)))), body.mass)
    spin = add(matvec(body.inertia, angular), cross(turning, matvec(body.inertia, turning)))
    return (*add(spin, cross(body.com, pull)), *pull)
