"""Where a figure touches the ground: contact points for an MJCF file that has none, at the undersides of the geoms that
MuJoCo would let collide, and the balls that a fallen body lies on, at the ends of its capsules and the corners of its
boxes.

Between two balls of a capsule the ground is touched by neither, and on flat ground by nothing else: a capsule's lowest
point is at one of its ends. Balls that another one covers, at a joint say, are left out.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.mjcf import colliding, geom_capsule, joints_of, point_position, posed, rotation_matrix
from footfall.figures.parts import Point
from footfall.figures.reading import GROUND_GROUPS

_ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_ELLIPSOID)
_LONG = (mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_CYLINDER)


def add_contact_points(spec: Any, model: Any, feet: Collection[int], qpos: NDArray[np.float64]) -> bool:
    """Add sites to ``spec`` if none on its feet (if it has no feet, none at all) feels the ground; say whether it did.

    As the figure is posed at ``qpos`` [nq], a ball gets the point below its centre, a capsule or cylinder the points
    below its two ends, anything else the four lowest corners of the box around it.
    """
    owners = [int(model.site_bodyid[s]) - 1 for s in range(model.nsite) if model.site_group[s] in GROUND_GROUPS]
    if any(owner in feet if feet else owner >= 0 for owner in owners):
        return False
    data = posed(model, qpos)
    bodies = {int(body.id): body for body in spec.bodies}
    added = False
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        if b == 0 or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        label = model.geom(g).name or f"{model.body(b).name or f'body{b - 1}'}_geom{g}"
        for k, point in enumerate(_underside(model, data, g)):
            local = data.xmat[b].reshape(3, 3).T @ (point - data.xpos[b])
            bodies[b].add_site(name=f"{label}_{k}", pos=local, size=[0.01, 0.01, 0.01], group=0)
            added = True
    return added


def _underside(model: Any, data: Any, g: int) -> NDArray[np.float64]:
    """[n, 3], in the world."""
    centre, turn = data.geom_xpos[g], data.geom_xmat[g].reshape(3, 3)
    size, kind = model.geom_size[g], mujoco.mjtGeom(int(model.geom_type[g]))
    down = np.array([0.0, 0.0, -1.0])
    if kind in _ROUND:
        radii = np.repeat(size[0], 3) if kind == mujoco.mjtGeom.mjGEOM_SPHERE else size
        support = radii**2 * (turn.T @ down)
        return np.asarray([centre + turn @ support / np.linalg.norm(radii * (turn.T @ down))])
    if kind in _LONG:
        ends = centre + np.outer([-size[1], size[1]], turn[:, 2])
        return np.asarray(ends + size[0] * down)
    box = model.geom_aabb[g]
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    corners = centre + (box[:3] + signs * box[3:]) @ turn.T
    return np.asarray(corners[np.argsort(corners[:, 2], kind="stable")[:4]])


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
    data = posed(model, qpos)
    balls = [ball for g in colliding(model, range(model.ngeom)) for ball in _balls(model, g)]
    solid = {ball.body for ball in balls}
    balls += [Ball(p.body, p.position, 0.0) for p in points if p.ground and p.body not in solid]
    kept = _uncovered(model, data, balls)
    positions = np.array([point_position(data, ball.body, ball.position) for ball in kept]).reshape(-1, 3)
    return tuple(_spread(kept, positions))


def _balls(model: Any, g: int) -> list[Ball]:
    body, kind = int(model.geom_bodyid[g]) - 1, mujoco.mjtGeom(int(model.geom_type[g]))
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE or kind in _LONG:
        middle, half, radius = geom_capsule(model, g)
        return [Ball(body, middle + sign * half, radius) for sign in ((-1.0, 1.0) if kind in _LONG else (0.0,))]
    centre, size, turn = model.geom_pos[g].copy(), model.geom_size[g], rotation_matrix(model.geom_quat[g])
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
    here, there = (point_position(data, b.body, b.position) for b in (ball, other))
    more = ball.radius - other.radius
    if ball.body == other.body:
        return float(np.linalg.norm(here - there)) + more
    child = max(ball.body, other.body) + 1
    if int(model.body_parentid[child]) != min(ball.body, other.body) + 1:
        return np.inf
    if not joints_of(model, child):
        return float(np.linalg.norm(here - there)) + more
    joint = data.xanchor[joints_of(model, child)[0]]
    return float(np.linalg.norm(here - joint) + np.linalg.norm(there - joint)) + more


def _spread(balls: list[Ball], positions: NDArray[np.float64]) -> list[Ball]:
    """At most ``MOST`` of them, each the farthest from those before it."""
    if len(balls) <= MOST:
        return balls
    chosen = [0]
    near = np.linalg.norm(positions - positions[0], axis=1)
    while len(chosen) < MOST:
        chosen.append(int(np.argmax(near)))
        near = np.minimum(near, np.linalg.norm(positions - positions[chosen[-1]], axis=1))
    return [balls[k] for k in sorted(chosen)]
