"""The surface of a link as points: corners of boxes, rims of cylinders, extremes of balls and capsules, mesh vertices.

A link without geoms (its meshes are missing) has the corners of the box of the same mass and inertia instead.
"""

from collections.abc import Iterable

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.tree import Link, Tree

Array = NDArray[np.float64]

LARGEST = 0.08
"""Half sides of a box made from an inertia are at most this share of the body's size: some inertias are wrong."""
CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_ANGLES = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
_RIM = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(16)], axis=1)
_STAR = np.concatenate([np.eye(3), -np.eye(3), _RIM, CORNERS / np.sqrt(3.0)])


def has_shape(tree: Tree, link: Link) -> bool:
    """Whether any geom shows where the link's surface is."""
    return any(True for _ in _solid(tree, link))


def link_points(tree: Tree, link: Link) -> Array:
    """[n, 3] points on a link's surface in the tree's axes: of the geoms that collide, of all where none does."""
    geoms = list(_solid(tree, link))
    model = tree.model
    colliding = [g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]]
    clouds = [_geom_points(tree, g) for g in colliding or geoms]
    if not clouds:
        centre, axes, half = inertia_box(link)
        return np.asarray(centre + (CORNERS * np.minimum(half, LARGEST * _span(tree))) @ axes.T)
    return np.concatenate(clouds)


def inertia_box(link: Link) -> tuple[Array, Array, Array]:
    """Centre [3], axes [3, 3] and half sides [3] of the box of even density with a link's mass and inertia."""
    if link.mass <= 0.0:
        return link.com, np.eye(3), np.full(3, 0.01)
    moments, axes = np.linalg.eigh(link.inertia)
    sides = np.sqrt(np.maximum(0.0, 6.0 * (moments.sum() - 2.0 * moments) / link.mass))
    return link.com, axes, 0.5 * np.maximum(sides, 1e-4)


def _solid(tree: Tree, link: Link) -> Iterable[int]:
    flat = (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD))
    return (g for g in link.geoms if int(tree.model.geom_type[g]) not in flat)


def _geom_points(tree: Tree, g: int) -> Array:
    model, data = tree.model, tree.data
    kind, size = mujoco.mjtGeom(int(model.geom_type[g])), model.geom_size[g]
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        local = size[0] * _STAR
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        local = size * _STAR
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        local = np.concatenate([size[0] * _STAR + [0.0, 0.0, end * size[1]] for end in (-1.0, 1.0)])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        local = np.concatenate([size[0] * _RIM + [0.0, 0.0, end * size[1]] for end in (-1.0, 1.0)])
    elif kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = int(model.geom_dataid[g])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        local = np.asarray(model.mesh_vert[first : first + count], dtype=np.float64)
    else:
        box = model.geom_aabb[g]
        local = box[:3] + CORNERS * box[3:]
    axes = data.geom_xmat[g].reshape(3, 3)
    if kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE):
        down = -tree.turn[2] @ axes * size[0]
        reach = size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0
        local = np.concatenate([local, down + np.outer([-reach, reach], [0.0, 0.0, 1.0])])
    return tree.place(data.geom_xpos[g] + local @ axes.T)


def _span(tree: Tree) -> float:
    """The largest extent of all joints' places."""
    places = np.array([joint.anchor for link in tree.links for joint in link.joints])
    return float(np.ptp(places, axis=0).max()) if len(places) else 1.0
