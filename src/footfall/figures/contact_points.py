"""Contact points for an MJCF file that has none: the undersides of the geoms that MuJoCo would let collide."""

from collections.abc import Collection
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

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
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    bodies = {int(body.id): body for body in spec.bodies}
    added = False
    for g in range(model.ngeom):
        b = int(model.geom_bodyid[g])
        if b == 0 or not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        label = model.geom(g).name or f"{model.body(b).name or f'body{b - 1}'}_geom{g}"
        for k, place in enumerate(_underside(model, data, g)):
            local = data.xmat[b].reshape(3, 3).T @ (place - data.xpos[b])
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
