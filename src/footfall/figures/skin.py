"""The surface of a figure, as balls that a fallen body lies on: the ends of its capsules, the corners of its boxes.

Between two balls of a capsule the ground is touched by neither, and on flat ground by nothing else: a capsule's lowest
place is at one of its ends. Balls that another one covers, at a joint say, are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.parts import Point

COVERED = 0.005
"""A ball that sticks out of another one by less, metres, is left out."""
MOST = 160
"""Balls of a figure at most; of more, those that are farthest from each other are kept."""

_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball fixed in a body: index of the body, position [3] of the centre in its frame, radius."""

    body: int
    position: NDArray[np.float64]
    radius: float


def skin_of(model: Any, points: Sequence[Point], qpos: NDArray[np.float64]) -> tuple[Ball, ...]:
    """The balls of a figure as it is posed: of the geoms that collide (of all, if none does), and the ground points of
    bodies without geoms.

    Args:
        model: its MuJoCo model.
        points: its points.
        qpos: [nq] the pose in which balls cover each other.
    """
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    own = [g for g in range(model.ngeom) if model.geom_bodyid[g] > 0 and _is_solid(model, g)]
    colliding = [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]]
    balls = [ball for g in colliding or own for ball in _balls(model, g)]
    solid = {ball.body for ball in balls}
    balls += [Ball(p.body, p.position, 0.0) for p in points if p.ground and p.body not in solid]
    kept = _uncovered(model, data, balls)
    places = np.array([_place(data, ball) for ball in kept]).reshape(-1, 3)
    return tuple(_spread(kept, places))


def _place(data: Any, ball: Ball) -> NDArray[np.float64]:
    return np.asarray(data.xpos[ball.body + 1] + data.xmat[ball.body + 1].reshape(3, 3) @ ball.position)


def _is_solid(model: Any, g: int) -> bool:
    return mujoco.mjtGeom(int(model.geom_type[g])) not in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)


def _balls(model: Any, g: int) -> list[Ball]:
    body, kind = int(model.geom_bodyid[g]) - 1, mujoco.mjtGeom(int(model.geom_type[g]))
    centre, size, flat = model.geom_pos[g].copy(), model.geom_size[g], np.zeros(9)
    mujoco.mju_quat2Mat(flat, model.geom_quat[g])
    turn = flat.reshape(3, 3)
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return [Ball(body, centre, float(size[0]))]
    if kind in (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER):
        half = size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else max(0.0, size[1] - size[0])
        return [Ball(body, centre + sign * half * turn[:, 2], float(size[0])) for sign in (-1.0, 1.0)]
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        long, least = int(np.argmax(size)), float(np.min(size))
        return [Ball(body, centre + sign * (size[long] - least) * turn[:, long], least) for sign in (-1.0, 1.0)]
    box = model.geom_aabb[g]
    return [Ball(body, centre + turn @ (box[:3] + corner * box[3:]), 0.0) for corner in _CORNERS]


def _uncovered(model: Any, data: Any, balls: list[Ball]) -> list[Ball]:
    """The balls that no other one covers, biggest first: of the same body, or of a neighbour however their joint is
    turned."""
    kept: list[Ball] = []
    for ball in sorted(balls, key=lambda ball: -ball.radius):
        if all(_sticks_out(model, data, ball, other) > COVERED for other in kept):
            kept.append(ball)
    return kept


def _sticks_out(model: Any, data: Any, ball: Ball, other: Ball) -> float:
    """By how much a ball sticks out of another one, at most; infinite where that depends on the pose."""
    here, there = _place(data, ball), _place(data, other)
    more = ball.radius - other.radius
    if ball.body == other.body:
        return float(np.linalg.norm(here - there)) + more
    child = max(ball.body, other.body) + 1
    if int(model.body_parentid[child]) != min(ball.body, other.body) + 1:
        return np.inf
    first, count = int(model.body_jntadr[child]), int(model.body_jntnum[child])
    if count == 0:
        return float(np.linalg.norm(here - there)) + more
    joint = data.xanchor[first]
    return float(np.linalg.norm(here - joint) + np.linalg.norm(there - joint)) + more


def _spread(balls: list[Ball], places: NDArray[np.float64]) -> list[Ball]:
    """At most ``MOST`` of them, each the farthest from those before it."""
    if len(balls) <= MOST:
        return balls
    chosen = [0]
    near = np.linalg.norm(places - places[0], axis=1)
    while len(chosen) < MOST:
        chosen.append(int(np.argmax(near)))
        near = np.minimum(near, np.linalg.norm(places - places[chosen[-1]], axis=1))
    return [balls[k] for k in sorted(chosen)]
