"""Soles that are round: where a capsule touches the ground, seen from the two points of its sole.

A foot in the plane may be a capsule along the sole, as that of Gymnasium's walker. Its points are below the centres of
its ends. A foot that is turned by θ rolls: its end is lower than its point by r (1 - cos θ). An engine with contacts of
its own touches the ground there, and the law has to sense it.
"""

from typing import Any

import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure

_CAPSULE = 3
_CLOSE = 1e-6


def rolling_contact(compiled: CompiledFigure, height: wp.Function) -> wp.Function | None:
    """(position, contact, table, row) adds the points whose capsule touches to a mask of contacts; None for a figure
    without such feet."""
    found = _round_feet(compiled)
    if not found:
        return None
    real, Points = compiled.real, compiled.Points
    count, heels, toes = len(found), tuple(f[0] for f in found), tuple(f[1] for f in found)
    radii = wp.types.vector(length=count, dtype=real)(*(f[2] for f in found))
    one = real(1.0)

    @wp.func
    def add(position: wp.ref[Points], contact: wp.ref[wp.int32], table: wp.array2d[real], row: int):
        every = radii
        for k in range(wp.static(count)):
            a = wp.static(heels[k])
            b = wp.static(toes[k])
            x = position[3 * b] - position[3 * a]
            z = position[3 * b + 2] - position[3 * a + 2]
            lower = every[k] * (one - x / wp.sqrt(x * x + z * z))
            if position[3 * a + 2] - lower <= height(table, row, position[3 * a], position[3 * a + 1]):
                contact = contact | (wp.static(1) << a)
            if position[3 * b + 2] - lower <= height(table, row, position[3 * b], position[3 * b + 1]):
                contact = contact | (wp.static(1) << b)

    return add


def _round_feet(compiled: CompiledFigure) -> list[tuple[int, int, float]]:
    """Heel, toe and radius of the feet of a planar figure that are capsules along their soles."""
    figure = compiled.figure
    if not compiled.planar:
        return []
    found = []
    for leg in figure.legs.values():
        body = figure.body(leg.foot).index
        own = [(k, np.asarray(p.position)) for k, p in enumerate(compiled.points) if p.body == body]
        shape = _capsule(figure.model, body)
        if len(own) != 2 or shape is None:
            continue
        (heel, back), (toe, front) = sorted(own, key=lambda point: float(point[1][0]))
        ends, radius = shape
        under = ends - np.array([0.0, 0.0, radius])
        if np.abs(np.array([back, front]) - under)[:, [0, 2]].max() < _CLOSE:
            found.append((heel, toe, radius))
    return found


def _capsule(model: Any, body: int) -> tuple[np.ndarray[Any, Any], float] | None:
    """The centres of the ends, rear one first, and the radius of the only shape under a foot that is a capsule."""
    shapes = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body + 1 and model.geom_contype[g] & 1]
    if len(shapes) != 1 or int(model.geom_type[shapes[0]]) != _CAPSULE:
        return None
    import mujoco

    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[shapes[0]])
    radius, half = (float(x) for x in model.geom_size[shapes[0]][:2])
    ends = model.geom_pos[shapes[0]] + np.outer([-half, half], turn.reshape(3, 3)[:, 2])
    return ends[np.argsort(ends[:, 0])], radius
