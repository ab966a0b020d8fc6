"""Meshes as solids: surfaces of triangles with sharp edges, and their outlines where they are seen flat."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.skeleton.tree import Mesh

_CREASE = np.cos(np.radians(40.0))
"""Faces that meet at a larger angle have an edge between them."""
_PIXELS = 220
"""Across the larger side of an outline's mask."""


@dataclass(frozen=True, eq=False)
class MeshSolid:
    """A mesh fixed to a joint, drawn like a :class:`footfall.motion.skeleton.solids.Solid`.

    Attributes:
        mesh: its triangles. part: the part of the body that it shows.
    """

    mesh: Mesh
    part: str = "mesh"

    @property
    def joint(self) -> int:
        """Index of the joint whose frame it moves with."""
        return self.mesh.joint

    @property
    def side(self) -> str:
        """ "left", "right" or ""."""
        return self.mesh.side

    @cached_property
    def _surface(self) -> tuple[Array, Array, np.ndarray]:
        return sharp_edged(self.mesh.vertices, self.mesh.triangles)

    @property
    def vertices(self) -> Array:
        """[V, 3]; a corner at an edge is there once for each of its faces."""
        return self._surface[0]

    @property
    def normals(self) -> Array:
        """[V, 3] outward, of length 1."""
        return self._surface[1]

    @property
    def triangles(self) -> np.ndarray:
        """[N, 3] vertex indices, counter-clockwise from outside."""
        return self._surface[2]

    def outlines(self, seen: Array) -> list[Array]:
        """What it covers where its vertices are seen flat at [V, 2]: closed outlines, [N, 2] each, without holes."""
        return outlines_of(seen, self.triangles)


def sharp_edged(vertices: Array, triangles: np.ndarray) -> tuple[Array, Array, np.ndarray]:
    """Vertices [V', 3], normals [V', 3] and triangles [N, 3] of a surface that is smooth but for its edges.

    A corner's normal is the mean of those faces at its vertex that turn less than 40 degrees against its own, weighted
    by their areas. Corners with one normal share a vertex.
    """
    corners = vertices[triangles]
    wide = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    unit = wide / np.maximum(np.linalg.norm(wide, axis=-1, keepdims=True), 1e-18)
    owner = triangles.reshape(-1)
    order = np.argsort(owner, kind="stable")
    face = order // 3
    count = np.bincount(owner, minlength=len(vertices))
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    often = count[owner[order]]
    one = np.repeat(np.arange(len(order)), often)
    within = np.arange(len(one)) - np.repeat(np.cumsum(often) - often, often)
    other = start[owner[order]][one] + within
    near = np.einsum("nk,nk->n", unit[face[one]], unit[face[other]]) > _CREASE
    sums = np.stack(
        [np.bincount(one[near], wide[face[other[near]], k], minlength=len(order)) for k in range(3)], axis=-1
    )
    sums = np.where(np.linalg.norm(sums, axis=-1, keepdims=True) > 0, sums, unit[face])
    normals = sums / np.maximum(np.linalg.norm(sums, axis=-1, keepdims=True), 1e-18)
    keys = np.concatenate([owner[order][:, None], np.round(1000 * normals).astype(np.int64)], axis=-1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = which.reshape(-1)
    return vertices[owner[order][first]], normals[first], place.reshape(-1, 3)


def outlines_of(seen: Array, triangles: np.ndarray) -> list[Array]:
    """Closed outlines [N, 2] of what triangles [N, 3] cover, their vertices at [V, 2]; counter-clockwise, no holes.

    The triangles are painted on a fine mask, whose rim is followed and smoothed: right to half a hundredth of the
    part's size, whatever its form.
    """
    from PIL import Image, ImageDraw

    low, high = seen.min(axis=0), seen.max(axis=0)
    pixel = float((high - low).max()) / _PIXELS
    if not len(triangles) or pixel <= 0.0:
        return []
    wide, tall = (np.ceil((high - low) / pixel).astype(int) + 5).tolist()
    picture = Image.new("1", (wide, tall))
    draw = ImageDraw.Draw(picture)
    for corners in ((seen - low) / pixel + 2.0)[triangles].reshape(-1, 6).tolist():
        draw.polygon(corners, fill=1)
    loops = _rims(np.asarray(picture, dtype=bool))
    return [low + pixel * (_smooth(loop) - 2.0 - 0.5) for loop in loops if _area(loop) > 4.0]


def _rims(mask: np.ndarray) -> list[Array]:
    """Loops [N, 2] of corners of pixels around the set ones of a mask [rows, columns], those on their left; (x, y)."""
    padded = np.pad(mask, 1)
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (dy, dx), (ay, ax), (by, bx) in (
        ((-1, 0), (0, 0), (0, 1)),
        ((1, 0), (1, 1), (1, 0)),
        ((0, -1), (1, 0), (0, 0)),
        ((0, 1), (0, 1), (1, 1)),
    ):
        shifted = np.roll(padded, (-dy, -dx), axis=(0, 1))
        for y, x in np.argwhere(padded & ~shifted) - 1:
            edges.setdefault((int(x) + ax, int(y) + ay), []).append((int(x) + bx, int(y) + by))
    loops = []
    while edges:
        here = next(iter(edges))
        loop = []
        while here in edges:
            loop.append(here)
            after = edges[here].pop()
            if not edges[here]:
                del edges[here]
            here = after
        loops.append(np.array(loop, dtype=float))
    return loops


def _smooth(loop: Array) -> Array:
    """A loop of pixels' corners as a smooth one, with a third of its points."""
    mean = np.sum([np.roll(loop, k, axis=0) * (3 - abs(k)) for k in range(-2, 3)], axis=0) / 9.0
    return np.asarray(mean[::3] if len(mean) > 24 else mean)


def _area(loop: Array) -> float:
    """Of a loop, negative for the rim of a hole."""
    x, y = loop.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))
