"""Left and right of a figure that is its own mirror image: one side's expressions stand for both.

In a world whose y axis is reversed the right side is the left one: the same masses, places and axes, moved by the same
joints. Its code is therefore printed once, as the body of a loop over the two sides (:mod:`.side_printing`). What the
trunk hands to a side is reflected first, and so is what a side hands back: components that are odd under y -> -y are
multiplied by ``flip``, 1 or -1. Links of the right are not built upon at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.dynamics.blocks import Blocks
from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.spatial import Matrix3, Spatial, Vector3
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.mirror import Mirror

__all__ = ["Output", "Sides", "figure_mirrors"]

Output = str | tuple[str, str, float]
"""Where a value goes: a left-hand side, or that of the left, of the right and the sign there."""

POLAR = (1, -1, 1)
SPATIAL = (-1, 1, -1, 1, -1, 1)
_EQUAL = 1e-12


def figure_mirrors(figure: Figure) -> bool:
    """Whether left and right of a figure are images of each other to rounding: bodies, joints and what resists them,
    ground points, gravity."""
    try:
        mirror = figure.mirror
    except FootfallError:
        return False
    model, dofs = figure.model, mirror.dof_perm
    same = [getattr(model, f"dof_{name}") for name in ("armature", "damping", "frictionloss")]
    same += [np.repeat(np.asarray(model.jnt_stiffness).reshape(model.njnt, -1)[:, 0], _dofs_of_joints(model))]
    resisted = all(np.array_equal(np.asarray(values)[dofs], values) for values in same)
    rest = mirror.qpos_sign * model.qpos_spring[mirror.qpos_perm]
    bodies = mirror.body_perm + 1
    masses = [(model.body_mass, 1.0), (model.body_pos, POLAR), (model.body_ipos, POLAR)]
    weighed = all(np.allclose(np.asarray(v)[bodies] * s, v[1:], rtol=_EQUAL, atol=_EQUAL) for v, s in masses)
    moved = bool(np.any(dofs != np.arange(model.nv)))
    upright = float(model.opt.gravity[1]) == 0.0
    return moved and upright and resisted and weighed and np.allclose(rest, model.qpos_spring, rtol=0, atol=_EQUAL)


def _dofs_of_joints(model: object) -> np.ndarray:
    return np.array([{0: 6, 1: 3}.get(int(kind), 1) for kind in model.jnt_type])  # type: ignore[attr-defined]


class Sides:
    """How expressions read a figure's state and cross between its trunk and a side.

    Args:
        graph: where expressions are built.
        mirror: the figure's reflection, or None where left and right are built one by one.
        grounded: numbers among the figure's points of those that feel the ground, in order.
    """

    def __init__(self, graph: Graph, mirror: Mirror | None, grounded: Sequence[int] = ()) -> None:
        self.graph, self.mirror = graph, mirror
        numbers = {point: k for k, point in enumerate(grounded)}
        images = [] if mirror is None else [numbers.get(int(mirror.point_perm[p]), numbers[p]) for p in grounded]
        self._point_images = images

    def qpos(self, count: int) -> list[Expression]:
        """[nq] positions; those of paired joints as their side has them."""
        if self.mirror is None:
            return [self.graph.symbol(f"qpos[{k}]") for k in range(count)]
        texts = [f"qpos[{k}]" for k in range(count)]
        images = [int(k) for k in self.mirror.qpos_perm]
        return [self._read(texts[k], texts[i], k, i, self.mirror.qpos_sign[k]) for k, i in enumerate(images)]

    def dof(self, name: str, dof: int, *, even: bool = False) -> Expression:
        """A velocity or torque of a degree of freedom, or, if ``even``, a number without direction."""
        if self.mirror is None:
            return self.graph.symbol(f"{name}[{dof}]")
        other, sign = int(self.mirror.dof_perm[dof]), 1.0 if even else float(self.mirror.dof_sign[dof])
        return self._read(f"{name}[{dof}]", f"{name}[{other}]", dof, other, sign)

    def _read(self, own: str, image: str, k: int, other: int, sign: float) -> Expression:
        return self.graph.symbol(own) if other == k else self.graph.sided(own, image, sign)

    def point(self, name: str, k: int, *, sided: bool, even: bool = False) -> Vector3:
        """A world vector of ground point k, on a side in that side's world."""
        texts = self._point_texts(name, k, sided, even)
        return tuple(self.graph.symbol(t) if isinstance(t, str) else self.graph.sided(*t) for t in texts)  # type: ignore[return-value]

    def point_outputs(self, name: str, k: int, *, sided: bool) -> list[Output]:
        """Where a world vector of ground point k goes."""
        return self._point_texts(name, k, sided, even=False)

    def _point_texts(self, name: str, k: int, sided: bool, even: bool) -> list[Output]:
        own = [f"{name}[{3 * k + i}]" for i in range(3)]
        if not sided:
            return list(own)
        image = 3 * self._point_images[k]
        return [(own[i], f"{name}[{image + i}]", 1.0 if even else float(POLAR[i])) for i in range(3)]

    def dof_output(self, name: str, dof: int, expression: Expression) -> Output:
        """Where a degree of freedom's value goes."""
        if self.mirror is None or not self.graph.on_side(expression):
            return f"{name}[{dof}]"
        return f"{name}[{dof}]", f"{name}[{self.mirror.dof_perm[dof]}]", float(self.mirror.dof_sign[dof])

    def sides_of(self, freedoms: Sequence[Sequence[int]], parents: Sequence[int]) -> list[int]:
        """For links by their degrees of freedom and parents: 0 for those of the trunk, 1 for a side that is built
        upon, 2 for its image."""
        kinds: list[int] = []
        for dofs, parent in zip(freedoms, parents, strict=True):
            kind = kinds[parent] if parent >= 0 else 0
            if kind == 0 and self.mirror is not None and dofs:
                image = int(self.mirror.dof_perm[dofs[0]])
                kind = 0 if image == dofs[0] else 1 if image > dofs[0] else 2
            kinds.append(kind)
        return kinds

    # -- between the trunk and a side ----------------------------------------------------------------------------------

    def reflect(self, values: Sequence[Expression], parities: Sequence[int]) -> tuple[Expression, ...]:
        """Values of the trunk as a side has them, or the other way round."""
        return tuple(x if parity > 0 else x * self.graph.flip for x, parity in zip(values, parities, strict=True))

    def reflect_matrix(self, matrix: Matrix3) -> Matrix3:
        """M R M with M = diag(1, -1, 1)."""
        rows = [self.reflect(row, [a * b for b in POLAR]) for a, row in zip(POLAR, matrix, strict=True)]
        return tuple(rows)  # type: ignore[return-value]

    def join(self, inertia: Blocks, force: Spatial) -> tuple[Blocks, Spatial]:
        """Inertia and force of both sides on the trunk, from a side's."""
        entries = [(i, j) for i in range(6) for j in range(i, 6)]
        own = self.reflect([inertia[ij] for ij in entries], [SPATIAL[i] * SPATIAL[j] for i, j in entries])
        back = self.reflect(force, SPATIAL)
        symmetric = {ij: self.graph.both(x) for ij, x in zip(entries, own, strict=True)}
        summed = tuple(self.graph.both(x) for x in back)

        def block(rows: int, columns: int) -> Matrix3:
            cells = [[(rows + a, columns + b) for b in range(3)] for a in range(3)]
            return tuple(tuple(symmetric[min(ij), max(ij)] for ij in row) for row in cells)  # type: ignore[return-value]

        return Blocks(block(0, 0), block(0, 3), block(3, 3)), summed
