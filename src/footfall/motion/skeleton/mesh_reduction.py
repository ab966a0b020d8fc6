"""Meshes with fewer triangles, for pictures and pages: vertices in a cell of space become one.

The vertex that stands for a cell is the one nearest to the planes of all triangles that touch the cell (quadric errors;
Lindstrom 2000, "Out-of-core simplification of large polygonal models"), so that edges stay sharp and sides flat.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.skeleton.tree import Mesh

MOST_TRIANGLES = 24_000
"""Of a whole figure: a page with it has about 0.7 MB, and details of a centimetre are seen on a robot of a person's
size."""
_RANGE, _HALVINGS = 8.0, 4
"""The size of cells is looked for from an eighth of what the area lets expect, to 5 %."""
_FLAT = 0.02
"""Directions in which a cell's planes say less than this share about its vertex leave it where it is on average."""


def reduced(meshes: Sequence[Mesh], most: int = MOST_TRIANGLES) -> tuple[Mesh, ...]:
    """The meshes with at most so many triangles together: as they are, or all with the same size of cells."""
    whole = sum(len(mesh.triangles) for mesh in meshes)
    if whole <= most:
        return tuple(meshes)
    area = sum(float(np.linalg.norm(_normals(mesh), axis=-1).sum()) / 2 for mesh in meshes)
    low = high = np.sqrt(2.0 * max(area, 1e-9) / most) / _RANGE
    while sum(len(_kept(mesh, high)[1]) for mesh in meshes) > most:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        few = sum(len(_kept(mesh, middle)[1]) for mesh in meshes) <= most
        low, high = (low, middle) if few else (middle, high)
    found = (_clustered(mesh, high) for mesh in meshes)
    return tuple(mesh for mesh in found if len(mesh.triangles))


def _normals(mesh: Mesh) -> Array:
    """[N, 3] of the triangles, as long as twice their areas."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _kept(mesh: Mesh, cell: float) -> tuple[np.ndarray, np.ndarray]:
    """The cell of each vertex [V], counted from 0, and the triangles [N, 3] of cells that are left."""
    place = np.floor(mesh.vertices / cell).astype(np.int64)
    place -= place.min(axis=0)
    sizes = place.max(axis=0) + 1
    keys = (place[:, 0] * sizes[1] + place[:, 1]) * sizes[2] + place[:, 2]
    _, cells = np.unique(keys, return_inverse=True)
    corners = cells.reshape(-1)[mesh.triangles]
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    turn = np.argmin(corners, axis=1)
    corners = np.stack([corners[np.arange(len(corners)), (turn + k) % 3] for k in range(3)], axis=-1)
    return cells.reshape(-1), np.unique(corners, axis=0)


def _clustered(mesh: Mesh, cell: float) -> Mesh:
    cells, corners = _kept(mesh, cell)
    count = int(cells.max()) + 1
    often = np.bincount(cells, minlength=count)
    sums = np.stack([np.bincount(cells, mesh.vertices[:, k], minlength=count) for k in range(3)], axis=-1)
    mean = sums / often[:, None]
    normals = np.repeat(_normals(mesh), 3, axis=0)
    owners = cells[mesh.triangles].reshape(-1)
    # every quantity is measured from the cell's mean vertex, in cells
    reach = np.einsum("nk,nk->n", normals, mesh.vertices[mesh.triangles].reshape(-1, 3) - mean[owners])
    quadric, towards = np.zeros((count, 3, 3)), np.zeros((count, 3))
    for i in range(3):
        towards[:, i] = np.bincount(owners, normals[:, i] * reach, minlength=count)
        for j in range(i, 3):
            quadric[:, i, j] = np.bincount(owners, normals[:, i] * normals[:, j], minlength=count)
            quadric[:, j, i] = quadric[:, i, j]
    values, axes = np.linalg.eigh(quadric)
    firm = values > _FLAT * values[:, -1:]
    along = np.einsum("nki,nk->ni", axes, towards) / np.where(firm & (values > 0), values, 1.0)
    step = np.einsum("nki,ni->nk", axes, np.where(firm, along, 0.0))
    size = np.linalg.norm(step, axis=-1, keepdims=True)
    step *= np.minimum(1.0, cell / np.maximum(size, 1e-18))
    used, which = np.unique(corners, return_inverse=True)
    return replace(mesh, vertices=(mean + step)[used], triangles=which.reshape(-1, 3))
