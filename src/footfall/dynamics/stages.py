"""A step's two halves as Warp functions of a figure: what is sensed, and how it accelerates.

Accelerations of several worlds at once, in the lanes of a processor's vector unit.

The printed statements are those of one world; only their scalar type differs, a vector with a number for each world.
Each lane gives what the world alone would, bit for bit.
"""

from __future__ import annotations

import re
from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.expressions import Expression
from footfall.dynamics.limbs import Links, forward_dynamics
from footfall.dynamics.native import native_function
from footfall.dynamics.spatial import (
    Blocks,
    Matrix3,
    Spatial,
    Vector3,
    add,
    apply_back,
    beside,
    cross_product,
    matmul,
    matvec,
    scale,
    transpose,
)


class Stages:
    """A step's two halves: ``sense`` before the controller and the ground, ``accelerate`` after them.

    sense(qpos, qvel, body, world, scratch, position, velocity): the ground points' world positions and velocities
        [3 P]; ``scratch`` keeps what accelerate would otherwise compute again.
    accelerate(qpos, qvel, body, world, scratch, torque, force, push, qacc), or with ``implicit``
    accelerate(qpos, qvel, body, world, scratch, torque, force, stiffness, point_stiffness, push, qacc,
    point_acceleration):
        accelerations [nv] under joint torques [nv], ground points' forces [3 P] and forces at the pushed points;
        ``stiffness`` [nv] and ``point_stiffness`` [3 P] are those of servos and ground springs taken implicitly (kd h
        + kp h², c h + k h²). A point's is the same along x and y; a root without damping or friction has none.
    accelerate(qpos, qvel, body, world, scratch, wanted, force, push, qacc, torque) if ``prescribed``, or with
    ``implicit`` accelerate(qpos, qvel, body, world, scratch, wanted, force, point_stiffness, push, qacc, torque,
    point_acceleration):
        hybrid dynamics, the joints' accelerations ``wanted`` [nv] given and their torques [nv] found; the root stays
        free.
    """

    def __init__(self, compiled: CompiledFigure, *, implicit: bool, prescribed: bool = False) -> None:
        c = compiled
        if prescribed:
            self._build_hybrid(c, implicit=implicit)
            return
        g = c.graph
        links = Links(c.mechanism, c._qpos)
        points, pushes = _places(c, links)
        position, velocity = _sensed(c, links, points)
        qvel = [g.again(v, "inward") for v in c._qvel]
        contact = _Contact(c, links, points, pushes, implicit)
        qacc, moved = forward_dynamics(
            c.mechanism,
            links,
            qvel,
            lambda dof: g.symbol(f"torque[{dof}]") + c.passive_torque(dof, qvel),
            contact.load,
            stiffness=c.implicit_stiffness if implicit else None,
        )
        results = [(f"qacc[{j}]", e) for j, e in enumerate(qacc)]
        if implicit:
            results += contact.point_accelerations(moved)
        scratch, given = self._build_sense(c, position, velocity, [e for _, e in results])
        self.given = given
        vectors = wp.ref[c.Points]
        arguments = scratch | {"torque": wp.ref[c.Qvel], "force": vectors}
        if implicit:
            arguments |= {"stiffness": wp.ref[c.Qvel], "point_stiffness": vectors}
        arguments |= {"push": wp.ref[c.Pushes], "qacc": wp.ref[c.Qvel]}
        if implicit:
            arguments |= {"point_acceleration": vectors}
        self.compiled, self.text = c, g.print(results, given, as_built=True)
        self.accelerate = c.function("accelerate", arguments, self.text)

    def _build_sense(
        self, c: CompiledFigure, position: list[Expression], velocity: list[Expression], later: list[Expression]
    ) -> tuple[dict[str, Any], dict[int, str]]:
        """Build ``sense``; the argument that hands its results on to what is computed ``later``, and their names."""
        g = c.graph
        shared = g.shared(position + velocity, later)
        self.Scratch = wp.types.vector(length=max(1, len(shared)), dtype=c.real)
        outputs = [(f"position[{k}]", e) for k, e in enumerate(position)]
        outputs += [(f"velocity[{k}]", e) for k, e in enumerate(velocity)]
        outputs += [(f"scratch[{k}]", e) for k, e in enumerate(shared)]
        scratch = {"scratch": wp.ref[self.Scratch]}
        points = wp.ref[c.Points]
        arguments = scratch | {"position": points, "velocity": points}
        self.sense = c.function("sense", arguments, g.print(outputs, as_built=True))
        return scratch, {e.id: f"scratch[{k}]" for k, e in enumerate(shared)}

    def _build_hybrid(self, c: CompiledFigure, *, implicit: bool) -> None:
        m = c._motions
        position = [o + x for _, at in c.point_positions() for o, x in zip(m.origin, at, strict=True)]
        velocity = [v for body, at in c.point_positions() for v in m.point_velocity(body, at)]
        answer = c._hybrid("point_stiffness" if implicit else None)
        scratch, given = self._build_sense(c, position, velocity, answer.qacc + answer.torque)
        points = wp.ref[c.Points]
        arguments = scratch | {"wanted": wp.ref[c.Qvel], "force": points}
        if implicit:
            arguments |= {"point_stiffness": points}
        arguments |= {"push": wp.ref[c.Pushes], "qacc": wp.ref[c.Qvel], "torque": wp.ref[c.Qvel]}
        results = [(f"qacc[{j}]", e) for j, e in enumerate(answer.qacc)]
        results += [(f"torque[{j}]", e) for j, e in enumerate(answer.torque)]
        if implicit:
            places = [(body, at, answer.body[body]) for body, at in c.point_positions()]
            moved = [e for body, at, a in places for e in m.point_acceleration(body, at, a)]
            results += [(f"point_acceleration[{k}]", e) for k, e in enumerate(moved)]
            arguments |= {"point_acceleration": points}
        self.accelerate = c.function("accelerate", arguments, c.graph.print(results, given))


Place = tuple[int, int, Vector3]
"""Number of a point, its link, and where it is in that link's frame."""


def _places(c: CompiledFigure, links: Links) -> tuple[list[Place], list[Place]]:
    """The ground points, and the pushed points."""

    def placed(number: int, body: int, local: Vector3) -> Place:
        link, axes, origin = links.frames[body]
        return number, link, add(origin, matvec(axes, local))  # type: ignore[return-value]

    points = [placed(k, body, local) for k, (body, local) in enumerate(c._ground_points())]
    constants = [(body, tuple(c.graph.constant(x) for x in at)) for body, at in c.push_places]
    return points, [placed(k, body, at) for k, (body, at) in enumerate(constants)]  # type: ignore[arg-type]


def _sensed(c: CompiledFigure, links: Links, points: list[Place]) -> tuple[list[Expression], list[Expression]]:
    """World positions and velocities of the ground points, x, y, z of each."""
    position: list[Expression] = []
    velocity: list[Expression] = []
    for _, link, at in points:
        axes, place = links.world(link)
        moving = links.chain_velocity(link, c._qvel)
        position += add(c._motions.origin, add(place, matvec(axes, at)))
        velocity += matvec(axes, add(moving[3:], cross_product(moving[:3], at)))
    return position, velocity


class _Contact:
    """What acts on links: the ground at points, with what it answers to their accelerations, and pushes."""

    def __init__(
        self, c: CompiledFigure, links: Links, points: list[Place], pushes: list[Place], implicit: bool
    ) -> None:
        self.compiled, self.links, self.points, self.pushes, self.implicit = c, links, points, pushes, implicit
        self._drifts: dict[int, tuple[Vector3, Matrix3]] = {}

    def _symbol(self, name: str, point: int) -> Vector3:
        return tuple(self.compiled.graph.symbol(f"{name}[{3 * point + i}]") for i in range(3))  # type: ignore[return-value]

    def load(self, link: int, velocity: Spatial, drift: Spatial) -> tuple[Spatial, Blocks | None] | None:
        """Force and inertia on a link, in its frame."""
        points = [(k, at) for k, where, at in self.points if where == link]
        pushes = [(k, at) for k, where, at in self.pushes if where == link]
        if not points and not pushes:
            return None
        axes = self.links.world(link)[0]
        if self.implicit and points:
            self._drifts[link] = _accelerating(axes, self.compiled.mechanism.gravity, velocity, drift)
        forces = [(at, self._symbol("push", k)) for k, at in pushes]
        forces += [(at, self._force(k, link, at)) for k, at in points]
        total: Spatial = (self.compiled.graph.zero,) * 6
        for at, force in forces:
            own = apply_back([axes], force)
            total = add(total, (*cross_product(at, own), *own))
        return total, self._springs(points, axes) if self.implicit and points else None

    def _force(self, k: int, link: int, at: Vector3) -> Vector3:
        """A point's force if it drifted: its springs answer to that."""
        force = self._symbol("force", k)
        if not self.implicit:
            return force
        x, _, z = self._symbol("point_stiffness", k)
        start, turning = self._drifts[link]
        drift = add(start, matvec(turning, at))
        return tuple(f - s * a for f, s, a in zip(force, (x, x, z), drift, strict=True))  # type: ignore[return-value]

    def _springs(self, points: list[tuple[int, Vector3]], axes: Matrix3) -> Blocks:
        """The inertia that springs at points are, in their link's frame.

        A point answers with x in every direction and with z - x besides along the vertical n: the first is that of a
        mass x there, the second that of a mass that only moves along n.
        """
        g = self.compiled.graph
        nothing = Blocks.zero(g).angular
        total = Blocks.zero(g)
        upright = g.zero
        first: Vector3 = (g.zero,) * 3
        second = nothing
        for k, at in points:
            x, _, z = self._symbol("point_stiffness", k)
            total = total + Blocks.rigid(x, at, nothing)
            more = z - x
            upright, first = upright + more, add(first, scale(at, more))  # type: ignore[assignment]
            second = tuple(
                tuple(second[i][j] + more * (at[min(i, j)] * at[max(i, j)]) for j in range(3)) for i in range(3)
            )  # type: ignore[assignment]
        n = axes[2]
        lever = cross_product(first, n)
        across = beside(n)
        turned = matmul(matmul(across, second), transpose(across))
        angular = tuple(tuple(turned[min(i, j)][max(i, j)] for j in range(3)) for i in range(3))
        coupling = tuple(tuple(lever[i] * n[j] for j in range(3)) for i in range(3))
        linear = tuple(tuple(n[min(i, j)] * (n[max(i, j)] * upright) for j in range(3)) for i in range(3))
        return total + Blocks(angular, coupling, linear)  # type: ignore[arg-type]

    def point_accelerations(self, moved: dict[int, Spatial]) -> list[tuple[str, Expression]]:
        """The ground points' world accelerations, from what their links' are besides their drifts."""
        results: list[tuple[str, Expression]] = []
        parts: dict[int, tuple[Vector3, Matrix3]] = {}
        for k, link, at in self.points:
            if link not in parts:
                start, turning = self._drifts[link]
                axes, a = self.links.world(link)[0], moved[link]
                more = matmul(axes, beside(a[:3]))
                parts[link] = (
                    add(start, matvec(axes, a[3:])),  # type: ignore[assignment]
                    tuple(add(p, q) for p, q in zip(turning, more, strict=True)),
                )
            first, then = parts[link]
            found = add(first, matvec(then, at))
            results += [(f"point_acceleration[{3 * k + i}]", e) for i, e in enumerate(found)]
        return results


def _accelerating(axes: Matrix3, gravity: Vector3, velocity: Spatial, a: Spatial) -> tuple[Vector3, Matrix3]:
    """World acceleration of a link's origin, and the matrix that gives a point's besides by its position: α× + ω×ω×."""
    w = velocity[:3]
    start = add(matvec(axes, add(a[3:], cross_product(w, velocity[3:]))), gravity)
    spin = beside(a[:3])
    squares = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    local = tuple(
        tuple(
            spin[i][j] + w[min(i, j)] * w[max(i, j)] if i != j else -(squares[i - 1] + squares[i - 2]) for j in range(3)
        )
        for i in range(3)
    )
    return start, matmul(axes, local)  # type: ignore[return-value,arg-type]


_READ = {
    "qpos": "sense.qpos",
    "qvel": "sense.qvel",
    "scratch": "work.scratch",
    "torque": "command.torque",
    "force": "work.force",
    "stiffness": "command.stiffness",
    "point_stiffness": "work.stiffness",
}
_WRITTEN = {"qacc": "qacc", "point_acceleration": "work.moved"}


def accelerate_lanes(stages: Stages, World: Any, lanes: int) -> wp.Function:
    """A Warp function (first, first_push, body, count): ``accelerate`` of an implicit stage for those of ``count``
    worlds that run, from and to the fields of a world. They lie one after another, and so does what pushes them; at
    most ``lanes``."""
    c, text = stages.compiled, stages.text
    used = {name: sorted({int(k) for k in re.findall(rf"\b{name}\[(\d+)\]", text)}) for name in (*_READ, "push", "row")}
    sources = {name: f"world[LANE]->{place}[K]" for name, place in _READ.items()}
    sources |= {"push": "(*pushed[LANE])[K]", "row": "rows[LANE][K]"}
    lines = [
        f"decltype(&first) world[{lanes}]; decltype(&first_push) pushed[{lanes}]; const R* rows[{lanes}];",
        f"for (int i = 0; i < {lanes}; ++i) {{ const int k = i < count ? i : 0; world[i] = &first + k;"
        " pushed[i] = &first_push + k; rows[i] = wp::address(body, world[i]->rows[0], 0); }",
    ]
    for name, numbers in used.items():
        if numbers:
            lines.append(f"S {name}[{numbers[-1] + 1}];")
        for k in numbers:
            cells = ", ".join(sources[name].replace("LANE", str(i)).replace("K", str(k)) for i in range(lanes))
            lines.append(f"{name}[{k}] = S{{{cells}}};")
    sizes = {"qacc": c.nv, "point_acceleration": 3 * len(c.points)}
    lines += [f"S {name}[{size}];" for name, size in sizes.items()]
    lines.append(text)
    lines.append("for (int i = 0; i < count; ++i) { if (world[i]->k >= world[i]->steps) continue;")
    for name, place in _WRITTEN.items():
        lines.append(f"for (int k = 0; k < {sizes[name]}; ++k) world[i]->{place}[k] = {name}[k][i];")
    lines.append("}")
    arguments = {
        "first": wp.ref[World],
        "first_push": wp.ref[c.Pushes],
        "body": wp.array2d(dtype=c.real),
        "count": wp.int32,
    }
    return native_function("accelerate_lanes", arguments, "\n".join(lines), c.real, lanes=lanes)
