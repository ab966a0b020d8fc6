"""A figure as expressions: the numbers the recursions need, constants or read at run time.

Body sizes are compiled in as constants (fastest), or read from a row of numbers per world so that worlds can differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.spatial import Matrix3, Vector3, rotation_from_quaternion
from footfall.figures import BodyParameters
from footfall.figures.mjcf import inertia_tensor
from footfall.figures.solid_shapes import SolidShapes

KINDS = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
PER_BODY = 13  # position 3, mass 1, com 3, inertia 6 (xx xy xz yy yz zz)


@dataclass
class JointExpressions:
    """A joint: kind, axis and anchor in its body's frame, first addresses in qpos and qvel."""

    kind: str
    axis: Vector3
    anchor: Vector3
    reference: Expression
    qpos: int
    dof: int


@dataclass
class BodyExpressions:
    """A body: frame in its parent, mass, com and inertia about it in body axes, and its joints."""

    index: int
    parent: int
    position: Vector3
    rotation: Matrix3
    mass: Expression
    com: Vector3
    inertia: Matrix3
    joints: list[JointExpressions]

    @property
    def is_free(self) -> bool:
        """Whether a free joint places this body in the world."""
        return bool(self.joints) and self.joints[0].kind == "free"


class Mechanism:
    """The expressions of a figure's bodies and joints.

    Args:
        graph: where expressions are built.
        model: the figure's MuJoCo model.
        points: [P, 3] contact points, and ends of capsules, in their bodies' frames.
        point_bodies: [P] body of each point (0 is the first body below the world).
        row: C++ text of a pointer to this world's body row, or None to compile the sizes in.
        planar: whether the figure moves in the plane y = 0 only.
    """

    def __init__(
        self,
        graph: Graph,
        model: mujoco.MjModel,
        points: NDArray[np.float64],
        point_bodies: list[int],
        row: str | None = None,
        planar: bool = False,
    ) -> None:
        self.graph = graph
        self.nq, self.nv = int(model.nq), int(model.nv)
        values = body_row(model, points)
        cells = [graph.constant(v) if row is None else graph.symbol(f"{row}[{k}]") for k, v in enumerate(values)]
        if planar and row is not None:  # worlds may differ, but none leaves the plane
            flat = _out_of_plane(model.nbody - 1, len(point_bodies))
            cells = [graph.zero if k in flat else c for k, c in enumerate(cells)]
        self.bodies = [self._body(model, i, cells) for i in range(model.nbody - 1)]
        base = PER_BODY * len(self.bodies)
        self.points: list[tuple[int, Vector3]] = [
            (b, tuple(cells[base + 3 * k : base + 3 * k + 3]))  # type: ignore[misc]
            for k, b in enumerate(point_bodies)
        ]
        self.gravity: Vector3 = tuple(cells[-3:])  # type: ignore[assignment]
        self.armature = [graph.constant(a) for a in model.dof_armature]
        self.damping = [graph.constant(a) for a in model.dof_damping]
        self.springs = [
            (
                int(model.jnt_qposadr[j]),
                int(model.jnt_dofadr[j]),
                float(k),
                float(model.qpos_spring[model.jnt_qposadr[j]]),
            )
            for j, k in enumerate(np.asarray(model.jnt_stiffness).reshape(model.njnt, -1)[:, 0])
            if k and KINDS[int(model.jnt_type[j])] in ("hinge", "slide")
        ]

    def _body(self, model: mujoco.MjModel, i: int, cells: list[Expression]) -> BodyExpressions:
        g, b = self.graph, i + 1
        c = cells[PER_BODY * i : PER_BODY * (i + 1)]
        xx, xy, xz, yy, yz, zz = c[7:13]
        joints = [self._joint(model, j) for j in range(model.njnt) if model.jnt_bodyid[j] == b]
        quaternion = [g.constant(x) for x in model.body_quat[b]]
        return BodyExpressions(
            index=i,
            parent=int(model.body_parentid[b]) - 1,
            position=(c[0], c[1], c[2]),
            rotation=rotation_from_quaternion(quaternion),
            mass=c[3],
            com=(c[4], c[5], c[6]),
            inertia=((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)),
            joints=joints,
        )

    def _joint(self, model: mujoco.MjModel, j: int) -> JointExpressions:
        g = self.graph
        address = int(model.jnt_qposadr[j])
        return JointExpressions(
            kind=KINDS[int(model.jnt_type[j])],
            axis=tuple(g.constant(a) for a in model.jnt_axis[j]),  # type: ignore[arg-type]
            anchor=tuple(g.constant(a) for a in model.jnt_pos[j]),  # type: ignore[arg-type]
            reference=g.constant(model.qpos0[address]),
            qpos=address,
            dof=int(model.jnt_dofadr[j]),
        )


def body_row_length(bodies: int, points: int) -> int:
    """How many numbers describe the sizes of a figure."""
    return PER_BODY * bodies + 3 * points + 3


def body_rows(
    parameters: BodyParameters, gravity: NDArray[np.float64], solid: SolidShapes | None = None
) -> NDArray[np.float64]:
    """[W, cells] rows for worlds whose bodies differ, with the ends of ``solid`` limbs' capsules."""
    worlds = parameters.worlds
    upper = parameters.inertia[:, :, *np.triu_indices(3)]
    bodies = np.concatenate([parameters.position, parameters.mass[..., None], parameters.com, upper], axis=2)
    points = parameters.points.reshape(worlds, -1)
    if solid is not None and solid.pairs:
        owners = solid.end_bodies
        anchors = parameters.anchors[owners]
        ends = anchors + parameters.stretch[:, owners] * (solid.ends - anchors)
        points = np.concatenate([points, ends.reshape(worlds, -1)], axis=1)
    return np.concatenate([bodies.reshape(worlds, -1), points, np.tile(gravity, (worlds, 1))], axis=1)


def _out_of_plane(bodies: int, points: int) -> set[int]:
    """Cells of a body row that are zero while a figure stays in the plane y = 0: y offsets, xy and yz inertias."""
    cells = {PER_BODY * b + k for b in range(bodies) for k in (1, 5, 8, 11)}
    base = PER_BODY * bodies
    return cells | {base + 3 * p + 1 for p in range(points + 1)}


def body_row(model: mujoco.MjModel, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """A figure's sizes as one row: 13 numbers a body, 3 a contact point, gravity."""
    rows = []
    for b in range(1, model.nbody):
        inertia = inertia_tensor(model.body_iquat[b], model.body_inertia[b])
        inertia[np.abs(inertia) < 1e-15 * max(1e-300, np.abs(inertia).max())] = 0.0
        upper = inertia[np.triu_indices(3)]
        rows.append(np.concatenate([model.body_pos[b], [model.body_mass[b]], model.body_ipos[b], upper]))
    return np.concatenate([*rows, np.asarray(points, float).reshape(-1), np.asarray(model.opt.gravity)])
