"""The recursions of rigid-body dynamics, run once on expressions.

Every joint is a sequence of scalar degrees of freedom: a hinge or slide is one, a ball three rotations about the axes
of its body, a free joint three slides along the world's axes followed by a ball. With all quantities in world axes at
the root's position, one backward pass from the leaves to the root eliminates the unknown accelerations (Featherstone's
articulated bodies), one forward pass finds them. A degree of freedom whose acceleration is given (hybrid dynamics)
passes its inertia on whole and answers with the torque instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.dynamics.expressions import Expression
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.spatial import (
    Matrix3,
    Spatial,
    SymmetricSpatial,
    Vector3,
    add,
    cross_force,
    cross_motion,
    cross_product,
    dot_product,
    identity_matrix,
    matmul,
    matvec,
    rigid_inertia,
    rotate_inertia,
    rotation_about,
    rotation_from_quaternion,
    scale,
)


@dataclass
class Freedom:
    """A scalar degree of freedom: its motion subspace S and the velocity product c it adds."""

    address: int
    subspace: Spatial
    bias: Spatial


@dataclass
class Motions:
    """Where bodies are and how they move. Positions are measured from ``origin``, the root's position in the world."""

    origin: Vector3
    rotation: list[Matrix3]
    position: list[Vector3]
    velocity: list[Spatial]
    freedoms: list[list[Freedom]]

    def point(self, body: int, local: Vector3) -> Vector3:
        """A body's point, from the origin."""
        return add(self.position[body], matvec(self.rotation[body], local))  # type: ignore[return-value]

    def point_velocity(self, body: int, at: Vector3) -> Vector3:
        """World velocity of the point of a body that is now at ``at`` from the origin."""
        v = self.velocity[body]
        return add(v[3:], cross_product(v[:3], at))  # type: ignore[return-value]

    def point_acceleration(self, body: int, at: Vector3, acceleration: Spatial) -> Vector3:
        """World acceleration of that point, from its body's spatial acceleration."""
        turning = cross_product(self.velocity[body][:3], self.point_velocity(body, at))
        return add(add(acceleration[3:], cross_product(acceleration[:3], at)), turning)  # type: ignore[return-value]


def motions(mechanism: Mechanism, qpos: Sequence[Expression], qvel: Sequence[Expression]) -> Motions:
    """Forward kinematics of positions and velocities.

    Args:
        mechanism: the figure as expressions.
        qpos: [nq] positions as MuJoCo lays them out.
        qvel: [nv] velocities as MuJoCo lays them out.
    """
    g = mechanism.graph
    zero: Spatial = (g.zero,) * 6
    identity = identity_matrix(g)
    nowhere: Vector3 = (g.zero,) * 3
    origin = _place(mechanism, 0, qpos, identity, nowhere)[1]
    result = Motions(origin, [], [], [], [])
    outside: Vector3 = tuple(-x for x in origin)  # type: ignore[assignment]
    for body in mechanism.bodies:
        up = body.parent
        rotation = identity if up < 0 else result.rotation[up]
        position = outside if up < 0 else result.position[up]
        velocity = zero if up < 0 else result.velocity[up]
        rotation, position, places = _place(mechanism, body.index, qpos, rotation, position)
        if body.index == 0:
            position = nowhere
        freedoms: list[Freedom] = []
        for joint, (turn, anchor, axis) in zip(body.joints, places, strict=True):
            if joint.kind in ("hinge", "slide"):
                subspace = axis + cross_product(anchor, axis) if joint.kind == "hinge" else nowhere + axis
                turned = scale(subspace, qvel[joint.dof])
                freedoms.append(Freedom(joint.dof, subspace, cross_motion(velocity, turned)))
                velocity = add(velocity, turned)
                continue
            first = joint.dof
            if joint.kind == "free":
                for k in range(3):
                    freedoms.append(Freedom(first + k, nowhere + identity[k], zero))
                velocity = add(velocity, nowhere + tuple(qvel[first : first + 3]))
                first, anchor = first + 3, nowhere
            columns = [tuple(turn[i][k] for i in range(3)) for k in range(3)]
            subspaces: list[Spatial] = [column + cross_product(anchor, column) for column in columns]
            moved: Spatial = zero
            for k, direction in enumerate(subspaces):
                moved = add(moved, scale(direction, qvel[first + k]))
            velocity = add(velocity, moved)
            biases = [zero, zero, cross_motion(velocity, moved)]
            freedoms += [Freedom(first + k, s, c) for k, (s, c) in enumerate(zip(subspaces, biases, strict=True))]
        result.rotation.append(rotation)
        result.position.append(position)
        result.velocity.append(velocity)
        result.freedoms.append(freedoms)
    return result


def _place(
    mechanism: Mechanism, index: int, qpos: Sequence[Expression], rotation: Matrix3, position: Vector3
) -> tuple[Matrix3, Vector3, list[tuple[Matrix3, Vector3, Vector3]]]:
    """A body's frame below its parent's, and for each joint the rotation after it, its anchor and its axis."""
    g = mechanism.graph
    body = mechanism.bodies[index]
    places: list[tuple[Matrix3, Vector3, Vector3]] = []
    if not body.is_free:
        position = add(position, matvec(rotation, body.position))  # type: ignore[assignment]
        rotation = matmul(rotation, body.rotation)
    for joint in body.joints:
        q = qpos[joint.qpos :]
        axis = matvec(rotation, joint.axis)
        anchor: Vector3 = add(position, matvec(rotation, joint.anchor))  # type: ignore[assignment]
        if joint.kind == "slide":
            position = add(position, scale(axis, q[0] - joint.reference))  # type: ignore[assignment]
        elif joint.kind == "hinge":
            sine, cosine = g.sincos(q[0] - joint.reference)
            rotation = matmul(rotation, rotation_about(joint.axis, sine, cosine))
            position = add(anchor, [-x for x in matvec(rotation, joint.anchor)])  # type: ignore[assignment]
        elif joint.kind == "ball":
            rotation = matmul(rotation, rotation_from_quaternion(q[:4]))
            position = add(anchor, [-x for x in matvec(rotation, joint.anchor)])  # type: ignore[assignment]
        else:
            position = add(position, q[:3])  # type: ignore[assignment]
            rotation = rotation_from_quaternion(q[3:7])
            anchor = position
        places.append((rotation, anchor, axis))
    return rotation, position, places


@dataclass
class PointForce:
    """A force on a point of a body, in world axes.

    The force is ``force - stiffness * a`` with ``a`` the point's own acceleration: ``stiffness`` (c h + k h²) takes a
    spring and damper at the point implicitly over a step h; zero for a plain force.
    """

    body: int
    at: Vector3
    force: Vector3
    stiffness: Vector3


@dataclass
class Accelerations:
    """What dynamics answers: accelerations of all degrees of freedom, and torques (as given where they were given)."""

    qacc: list[Expression]
    torque: list[Expression]
    body: list[Spatial]


def articulated(
    mechanism: Mechanism,
    motion: Motions,
    torque: Sequence[Expression],
    pushes: Sequence[PointForce],
    *,
    stiffness: Sequence[Expression] | None = None,
    loads: Sequence[tuple[Spatial, SymmetricSpatial]] = (),
    known: dict[int, Expression] | None = None,
) -> Accelerations:
    """Forward dynamics by articulated bodies; hybrid dynamics where accelerations are ``known``.

    Args:
        mechanism: the figure as expressions.
        motion: its kinematics.
        torque: [nv] generalised forces (ignored where the acceleration is known).
        pushes: forces on points.
        stiffness: [nv] kd h + kp h² of servos taken implicitly, added to the joint's articulated inertia.
        loads: for each body, a wrench at the reference point and a spatial inertia that it carries besides; empty for
            none.
        known: accelerations that are given, by degree of freedom.
    """
    g = mechanism.graph
    known = known or {}
    count = len(mechanism.bodies)
    inertia = [SymmetricSpatial.zero(g) for _ in range(count)]
    force: list[Spatial] = [(g.zero,) * 6 for _ in range(count)]
    for i, body in enumerate(mechanism.bodies):
        com = motion.point(i, body.com)
        rigid = rigid_inertia(body.mass, com, rotate_inertia(motion.rotation[i], body.inertia))
        weight: Vector3 = scale(mechanism.gravity, body.mass)  # type: ignore[assignment]
        bias = cross_force(motion.velocity[i], rigid.times(motion.velocity[i]))
        inertia[i] = rigid
        force[i] = add(bias, [-x for x in cross_product(com, weight) + weight])
    for push in pushes:
        velocity = motion.velocity[push.body]
        turning = cross_product(velocity[:3], motion.point_velocity(push.body, push.at))
        net = [f - s * w for f, s, w in zip(push.force, push.stiffness, turning, strict=True)]
        force[push.body] = add(force[push.body], [-x for x in [*cross_product(push.at, net), *net]])
        inertia[push.body] = inertia[push.body].plus_point(push.at, push.stiffness)

    for i, (wrench, carried) in enumerate(loads):
        force[i] = add(force[i], [-x for x in wrench])
        inertia[i] = inertia[i] + carried

    solved: dict[int, tuple[Spatial, Expression, Expression]] = {}
    articulated_at: dict[int, tuple[SymmetricSpatial, Spatial]] = {}
    for i in reversed(range(count)):
        body = mechanism.bodies[i]
        total, load = inertia[i], force[i]
        if _prescribed(motion.freedoms[i], known):
            given: Spatial = (g.zero,) * 6
            for freedom in motion.freedoms[i]:
                given = add(add(given, freedom.bias), scale(freedom.subspace, known[freedom.address]))
            articulated_at[i] = (total, load)
            load = add(load, total.times(given))
        for freedom in reversed(motion.freedoms[i]):
            j, s, c = freedom.address, freedom.subspace, freedom.bias
            if j in known:
                continue
            u = total.times(s)
            d = dot_product(s, u) + mechanism.armature[j]
            if stiffness is not None:
                d = d + stiffness[j]
            inverse = 1 / d
            drive = torque[j] - dot_product(s, load)
            solved[j] = (u, inverse, drive)
            total = total.minus_outer(u, inverse)
            load = add(add(load, total.times(c)), scale(u, drive * inverse))
        if body.parent >= 0:
            inertia[body.parent] = inertia[body.parent] + total
            force[body.parent] = add(force[body.parent], load)

    accelerations: list[Spatial] = []
    qacc = [g.zero] * mechanism.nv
    answered = list(torque)
    for i, body in enumerate(mechanism.bodies):
        a: Spatial = accelerations[body.parent] if body.parent >= 0 else (g.zero,) * 6
        for freedom in motion.freedoms[i]:
            j, s = freedom.address, freedom.subspace
            a = add(a, freedom.bias)
            if j in known:
                qacc[j] = known[j]
            else:
                u, inverse, drive = solved[j]
                qacc[j] = (drive - dot_product(u, a)) * inverse
            a = add(a, scale(s, qacc[j]))
        if i in articulated_at:
            total, load = articulated_at[i]
            across = add(total.times(a), load)
            for freedom in motion.freedoms[i]:
                j = freedom.address
                answered[j] = dot_product(freedom.subspace, across) + mechanism.armature[j] * qacc[j]
        accelerations.append(a)
    return Accelerations(qacc, answered, accelerations)


def _prescribed(freedoms: Sequence[Freedom], known: dict[int, Expression]) -> bool:
    """Whether a body's accelerations against its parent are given; all of its freedoms or none."""
    given = [freedom.address in known for freedom in freedoms]
    if any(given) and not all(given):
        raise ValueError("hybrid dynamics: a body's degrees of freedom are all given or none")
    return any(given)
