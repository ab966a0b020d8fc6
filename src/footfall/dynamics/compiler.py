"""The dynamics compiler: from a figure to Warp functions specialised to it (Laszlo's thesis, figure 2.6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import warp as wp

from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.native import narrow_text, native_function
from footfall.dynamics.recursion import Accelerations, Motions, PointForce, articulated, motions
from footfall.dynamics.spatial import SymmetricSpatial, Vector3, matvec
from footfall.figures import Figure
from footfall.figures.solid_shapes import SolidShapes


def advance_text(model: Any) -> str:
    """C++ that moves ``qpos`` by ``rate * dt``: sums, and for rotations the exponential of the local angular
    velocity."""
    lines = []
    for j in range(model.njnt):
        kind, q, v = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
        straight = {0: 3, 1: 0, 2: 1, 3: 1}[kind]
        lines += [f"qpos[{q + k}] = qpos[{q + k}] + dt * rate[{v + k}];" for k in range(straight)]
        if kind in (0, 1):
            lines.append(_TURN.format(q=q + straight, v=v + straight))
    return "\n".join(lines)


_TURN = """{{
  const S wx = rate[{v}], wy = rate[{v}+1], wz = rate[{v}+2];
  const S speed = sqrt(wx*wx + wy*wy + wz*wz), half = S(0.5) * dt * speed;
  S s, c; Trig::sincos(half, s, c);
  const S k = speed > S(1e-12) ? s / speed : S(0.5) * dt;
  const S aw = qpos[{q}], ax = qpos[{q}+1], ay = qpos[{q}+2], az = qpos[{q}+3];
  const S bx = k*wx, by = k*wy, bz = k*wz;
  const S rw = aw*c - ax*bx - ay*by - az*bz, rx = aw*bx + ax*c + ay*bz - az*by;
  const S ry = aw*by - ax*bz + ay*c + az*bx, rz = aw*bz + ax*by - ay*bx + az*c;
  const S n = S(1) / sqrt(rw*rw + rx*rx + ry*ry + rz*rz);
  qpos[{q}] = rw*n; qpos[{q}+1] = rx*n; qpos[{q}+2] = ry*n; qpos[{q}+3] = rz*n;
}}"""


class CompiledFigure:
    """A figure's dynamics as Warp functions for one scalar type.

    All functions take their arguments by reference, in the order given in their docstrings; ``body`` is the table of
    body sizes [worlds or 1, body_row_length] and ``world`` the row that counts (unused when sizes are compiled in).

    Attributes:
        real: the scalar type.
        Qpos, Qvel: vector types [nq], [nv].
        Points: vector type [3 P] for the ground points' positions, velocities, forces: x, y, z of point 0, point 1, …
        solid: the shapes of limbs that touch each other; none where they pass through each other.
        narrow: whether functions keep few values at a time and compute some of them again, for a GPU's registers. A
            planar figure's are also quick: they have registers to spare, a spatial one's would spill more.
    """

    def __init__(
        self,
        figure: Figure,
        real: Any = wp.float64,
        *,
        sizes_differ: bool = False,
        push_places: Sequence[tuple[int, Sequence[float]]] = (),
        feet_only: bool = False,
        narrow: bool = False,
        solid: bool = False,
    ) -> None:
        self.figure = figure
        self.solid = figure.solid if solid and figure.solid.pairs else SolidShapes()
        self.real = real
        self.sizes_differ = sizes_differ
        self.push_places = [(int(b), tuple(float(x) for x in place)) for b, place in push_places]
        self.planar = figure.root == "planar"
        self.points = [p for p in figure.points if p.ground and (p.foot is not None or not feet_only)]
        self.nq, self.nv, self.root_freedoms = figure.nq, figure.nv, figure.root_freedoms
        self.Qpos = wp.types.vector(length=self.nq, dtype=real)
        self.Qvel = wp.types.vector(length=self.nv, dtype=real)
        self.Pushes = wp.types.vector(length=max(1, 3 * len(self.push_places)), dtype=real)
        self.Points = wp.types.vector(length=max(1, 3 * len(self.points)), dtype=real)
        self.graph = Graph(narrow, quick=narrow and self.planar)

    @cached_property
    def mechanism(self) -> Mechanism:
        """Bodies, joints and points, sizes as numbers or read from rows."""
        figure, row = self.figure, "row" if self.sizes_differ else None
        places = np.array([p.position for p in figure.points]).reshape(-1, 3)
        bodies = [p.body for p in figure.points]
        if self.solid.pairs:
            places, bodies = np.concatenate([places, self.solid.ends]), bodies + self.solid.end_bodies
        return Mechanism(self.graph, figure.model, places, bodies, row=row, planar=self.planar)

    @cached_property
    def _qpos(self) -> list[Expression]:
        return self._symbols("qpos", self.nq)

    @cached_property
    def _qvel(self) -> list[Expression]:
        return self._symbols("qvel", self.nv)

    @cached_property
    def _motions(self) -> Motions:
        return motions(self.mechanism, self._qpos, self._qvel)

    def _symbols(self, name: str, count: int) -> list[Expression]:
        return [self.graph.symbol(f"{name}[{k}]") for k in range(count)]

    @cached_property
    def driven(self) -> list[bool]:
        """[nv] whether a motor drives a degree of freedom: those of joints with an actuator, or of all joints in a
        figure without any."""
        model = self.figure.model
        motors = {int(j) for j in model.actuator_trnid[:, 0]} or set(range(model.njnt))
        return [d >= self.root_freedoms and int(j) in motors for d, j in enumerate(model.dof_jntid)]

    def prescribed_joints(self) -> dict[int, Expression]:
        """The joints' accelerations as symbols ``wanted``, by degree of freedom; those of the root and of bodies
        that no motor moves stay unknown."""
        bodies = self.figure.model.dof_bodyid
        moved = {int(body) for body, driven in zip(bodies, self.driven, strict=True) if driven}
        known = [j for j in range(self.root_freedoms, self.nv) if int(bodies[j]) in moved]
        return {j: self.graph.symbol(f"wanted[{j}]") for j in known}

    def _hybrid(self, stiffness: str | None = None) -> Accelerations:
        """Accelerations [nv] and motor torques [nv] (zero on the root) where the joints' accelerations are given;
        ``stiffness`` is the name of what the ground points answer to accelerations with."""
        zero, known = self.graph.zero, self.prescribed_joints()
        passive = [zero if j in known else p for j, p in enumerate(self.passive_torques())]
        answer = articulated(self.mechanism, self._motions, passive, self._pushes(stiffness), known=known)
        torque = [t - p for t, p in zip(answer.torque, self.passive_torques(), strict=True)]
        return Accelerations(answer.qacc, [t if j in known else zero for j, t in enumerate(torque)], answer.body)

    def function(self, name: str, arguments: dict[str, Any], body: str) -> wp.Function:
        """A native function with the common arguments qpos, qvel, body, world before its own."""
        common = {
            "qpos": wp.ref[self.Qpos],
            "qvel": wp.ref[self.Qvel],
            "body": wp.array2d(dtype=self.real),
            "world": wp.int32,
        }
        head = "const S* row = wp::address(body, world, 0);\n" if self.sizes_differ else ""
        head += narrow_text(self.real) if self.graph.narrow else ""
        return native_function(name, common | arguments, head + body, self.real, quick=self.graph.quick)

    def _answer(self, name: str, values: Sequence[Expression]) -> wp.Function:
        result = wp.types.vector(length=len(values), dtype=self.real)
        text = self.graph.print([(f"result[{k}]", value) for k, value in enumerate(values)])
        return self.function(name, {"result": wp.ref[result]}, text)

    @cached_property
    def bodies(self) -> wp.Function:
        """(…, result): for each body its position 3, rotation matrix 9 (rows), angular 3 and linear 3 velocity of its
        frame's origin, in world axes: [18 B]."""
        m = self._motions
        values: list[Expression] = []
        for i in range(len(self.mechanism.bodies)):
            values += [o + p for o, p in zip(m.origin, m.position[i], strict=True)]
            values += [entry for row in m.rotation[i] for entry in row]
            values += [*m.velocity[i][:3], *m.point_velocity(i, m.position[i])]
        return self._answer("bodies", values)

    @cached_property
    def upward_momentum(self) -> wp.Function:
        """(…, result): the figure's momentum along the world's z: [1]."""
        m, total = self._motions, self.graph.zero
        for i, body in enumerate(self.mechanism.bodies):
            total = total + body.mass * m.point_velocity(i, m.point(i, body.com))[2]
        return self._answer("upward_momentum", [total])

    @cached_property
    def landmarks(self) -> wp.Function:
        """(…, result): world positions of all the figure's points, whether they feel the ground or not: [3 points]."""
        m = self._motions
        places = [m.point(b, local) for b, local in self.mechanism.points[: len(self.figure.points)]]
        return self._answer("landmarks", [o + x for place in places for o, x in zip(m.origin, place, strict=True)])

    @cached_property
    def ground_points(self) -> wp.Function:
        """(…, result): world positions of the points that feel the ground: [3 P]."""
        m = self._motions
        return self._answer(
            "ground_points", [o + x for _, at in self.point_positions() for o, x in zip(m.origin, at, strict=True)]
        )

    @cached_property
    def ground_point_velocities(self) -> wp.Function:
        """(…, result): world velocities of the points that feel the ground: [3 P]."""
        m = self._motions
        return self._answer(
            "ground_point_velocities", [v for body, at in self.point_positions() for v in m.point_velocity(body, at)]
        )

    def loaded(self, *, standing: bool = False) -> wp.Function:
        """(…, torque, stiffness, loads, inertias, push, qacc, moved): accelerations [nv] under joint torques and what
        bodies carry besides: wrenches [6 B] about the first body's position and spatial inertias [21 B, upper
        triangles] that they answer to accelerations with; ``moved`` [6 B] are the bodies' spatial accelerations.

        While it is also ``standing``, there are three arguments more: force [3 P] on the ground points,
        point_stiffness [3 P] with which they answer, and point_acceleration [3 P], which is found.
        """
        g, count = self.graph, len(self.mechanism.bodies)
        torque = [g.symbol(f"torque[{j}]") + p for j, p in enumerate(self.passive_torques())]
        loads = [
            (tuple(self._symbols("loads", 6 * count)[6 * i : 6 * i + 6]),
             SymmetricSpatial(self._symbols("inertias", 21 * count)[21 * i : 21 * i + 21]))
            for i in range(count)
        ]  # fmt: skip
        pushes = self._pushes("point_stiffness") if standing else self._place_pushes()
        stiffness = self._symbols("stiffness", self.nv)
        answer = articulated(self.mechanism, self._motions, torque, pushes, stiffness=stiffness, loads=loads)
        results = [(f"qacc[{j}]", e) for j, e in enumerate(answer.qacc)]
        results += [(f"moved[{6 * i + k}]", e) for i, a in enumerate(answer.body) for k, e in enumerate(a)]
        sizes = {"loads": 6 * count, "inertias": 21 * count}
        carried = {name: wp.ref[wp.types.vector(length=n, dtype=self.real)] for name, n in sizes.items()}
        moved = wp.ref[wp.types.vector(length=6 * count, dtype=self.real)]
        arguments = {"torque": wp.ref[self.Qvel], "stiffness": wp.ref[self.Qvel], **carried}
        arguments |= {"push": wp.ref[self.Pushes], "qacc": wp.ref[self.Qvel], "moved": moved}
        if standing:
            points = dict.fromkeys(("force", "point_stiffness", "point_acceleration"), wp.ref[self.Points])
            arguments |= points
            places = [(body, at, answer.body[body]) for body, at in self.point_positions()]
            found = [e for body, at, a in places for e in self._motions.point_acceleration(body, at, a)]
            results += [(f"point_acceleration[{k}]", e) for k, e in enumerate(found)]
        return self.function("loaded", arguments, g.print(results))

    @cached_property
    def advance(self) -> wp.Function:
        """(qpos, rate, dt): moves ``qpos`` along velocities ``rate`` [nv] for a time; quaternions stay of unit
        length."""
        text = advance_text(self.figure.model)
        arguments = {"qpos": wp.ref[self.Qpos], "rate": wp.ref[self.Qvel], "dt": self.real}
        return native_function("advance", arguments, text, self.real)

    def passive_torque(self, dof: int, qvel: Sequence[Expression] | None = None) -> Expression:
        """What the dampers and springs of a joint itself add."""
        m = self.mechanism
        torque = -(m.damping[dof] * (qvel or self._qvel)[dof])
        for qpos, at, stiffness, rest in m.springs:
            if at == dof:
                torque = torque - stiffness * (self._qpos[qpos] - rest)
        return torque

    def implicit_stiffness(self, dof: int) -> Expression:
        """The symbol of a degree of freedom's implicit stiffness; zero for a root that nothing holds."""
        held = dof >= self.root_freedoms or self.mechanism.damping[dof].value or self.figure.model.dof_frictionloss[dof]
        return self.graph.symbol(f"stiffness[{dof}]") if held else self.graph.zero

    def passive_torques(self) -> list[Expression]:
        """[nv] :meth:`passive_torque` of every degree of freedom."""
        return [self.passive_torque(dof) for dof in range(self.nv)]

    def _pushes(self, stiffness: str | None = None) -> list[PointForce]:
        g = self.graph
        pushes = []
        for k, (body, at) in enumerate(self.point_positions()):
            force = tuple(g.symbol(f"force[{3 * k + i}]") for i in range(3))
            stiff = (g.zero,) * 3
            if stiffness:
                stiff = tuple(g.symbol(f"{stiffness}[{3 * k + i}]") for i in range(3))  # type: ignore[assignment]
            pushes.append(PointForce(body, at, force, stiff))  # type: ignore[arg-type]
        return pushes + self._place_pushes()

    def _place_pushes(self) -> list[PointForce]:
        g, pushes = self.graph, []
        for k, (body, place) in enumerate(self.push_places):
            local: Vector3 = tuple(g.constant(x) for x in place)  # type: ignore[assignment]
            force = tuple(g.symbol(f"push[{3 * k + i}]") for i in range(3))
            pushes.append(PointForce(body, self._motions.point(body, local), force, (g.zero,) * 3))  # type: ignore[arg-type]
        return pushes

    def push_arms(self) -> list[tuple[int, Vector3]]:
        """Where pushes act: their bodies, and the points measured from those bodies' centres of mass, world axes."""
        return [self._arm(body, [self.graph.constant(x) for x in place]) for body, place in self.push_places]

    def point_arms(self) -> list[tuple[int, Vector3]]:
        """The ground points: their bodies, and where they are from those bodies' centres of mass, world axes."""
        return [self._arm(body, local) for body, local in self._ground_points()]

    def _arm(self, body: int, local: Sequence[Expression]) -> tuple[int, Vector3]:
        arm = [x - c for x, c in zip(local, self.mechanism.bodies[body].com, strict=True)]
        return body, matvec(self._motions.rotation[body], arm)

    def point_positions(self) -> list[tuple[int, Vector3]]:
        """The ground points: their bodies and where they are, measured from the root's position."""
        return [(body, self._motions.point(body, local)) for body, local in self._ground_points()]

    def _ground_points(self) -> list[tuple[int, Vector3]]:
        """Bodies and points on them."""
        pairs = zip(self.figure.points, self.mechanism.points[: len(self.figure.points)], strict=True)
        return [place for point, place in pairs if point in self.points]

    def capsule_positions(self) -> list[tuple[int, Vector3, Vector3]]:
        """Body, centre and half axis in its frame of every capsule of limbs that touch."""
        ends = self.mechanism.points[len(self.figure.points) :]
        found = []
        for (body, start), (_, end) in zip(ends[::2], ends[1::2], strict=True):
            centre = tuple(0.5 * (a + b) for a, b in zip(start, end, strict=True))
            half = tuple(0.5 * (b - a) for a, b in zip(start, end, strict=True))
            found.append((body, centre, half))
        return found  # type: ignore[return-value]
