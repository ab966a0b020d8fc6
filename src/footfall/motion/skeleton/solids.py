"""Solids: the parts of a body as closed surfaces through rings of points, fixed to one joint each.

A solid with R rings of K points has the vertices of its rings, row by row. Its first and last ring are poles: rings
shrunk to a point, which close the surface. Pictures draw its triangles or its outline; files hold its triangles.

Meshes are solids too: surfaces of triangles with sharp edges, with outlines where they are seen flat. Those with many
triangles are thinned for pictures and pages: vertices in a cell of space become one, the one nearest to the planes of
all triangles that touch the cell (quadric errors; Lindstrom 2000, "Out-of-core simplification of large polygonal
models"), so that edges stay sharp and sides flat. (fast-simplification keeps open borders whatever it is asked for, so
it misses the bound on meshes with seams, and needs up to three times as long.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.skeleton.tree import Capsule, Mesh

_AROUND = 16
_CAP = 4
_THIN = 1e-4
_FROM_ITS_END = 2.0
"""A tube whose rings' centres are seen closer together than this many of its widths is painted, not followed."""


@dataclass(frozen=True, eq=False)
class Solid:
    """A closed surface through rings, fixed to a joint.

    Attributes:
        joint: index of the joint whose frame it moves with.
        rings: [R, K, 3] in that frame, metres, counter-clockwise seen from the end of the last ring.
        side: "left", "right" or "".
        part: the part of the body it shows: "thigh", "trunk", "head" …
    """

    joint: int
    rings: Array
    side: str = ""
    part: str = "other"

    @property
    def vertices(self) -> Array:
        """[R K, 3]."""
        return self.rings.reshape(-1, 3)

    def outlines(self, seen: Array) -> list[Array]:
        """What it covers where its vertices are seen flat at [R K, 2]: closed outlines, [N, 2] each."""
        rings = seen.reshape(*self.rings.shape[:2], 2)
        centres = rings.mean(axis=1)
        spread = float(np.ptp(rings - centres[:, None], axis=1).max())
        if float(np.linalg.norm(centres[-1] - centres[0])) < _FROM_ITS_END * spread:
            return outlines_of(seen, self.triangles)
        return [ring_outline(rings)]

    @cached_property
    def triangles(self) -> np.ndarray:
        """[N, 3] vertex indices, counter-clockwise from outside."""
        R, K = self.rings.shape[:2]
        i = (np.arange(R - 1)[:, None] * K + np.arange(K)).reshape(-1)
        j = (np.arange(R - 1)[:, None] * K + (np.arange(K) + 1) % K).reshape(-1)
        lower, upper = np.stack([i, j, i + K], axis=-1), np.stack([j, j + K, i + K], axis=-1)
        return np.concatenate([lower[K:], upper[:-K]])

    @cached_property
    def normals(self) -> Array:
        """[R K, 3] outward, of length 1; smooth over the surface."""
        corners = self.vertices[self.triangles]
        faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        sums = np.zeros_like(self.vertices)
        for k in range(3):
            np.add.at(sums, self.triangles[:, k], faces)
        rows = sums.reshape(self.rings.shape)
        rows[[0, -1]] = rows[[0, -1]].sum(axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=-1, keepdims=True), 1e-12))


def superellipse(forward: Array, aside: Array, square: Array, count: int = _AROUND) -> Array:
    """[R, count, 2] points of |x / forward|ⁿ + |y / aside|ⁿ = 1 with n = ``square`` [R]; 2 is an ellipse."""
    turn = 2.0 * np.pi * np.arange(count) / count
    power = (2.0 / square)[:, None]
    c, s = np.cos(turn), np.sin(turn)
    x = forward[:, None] * np.sign(c) * np.abs(c) ** power
    y = aside[:, None] * np.sign(s) * np.abs(s) ** power
    return np.stack([x, y], axis=-1)


def tube(rows: Array, axes: Array, origin: Array, *, smooth: bool = True, blunt: float = 1.0) -> Array:
    """[R, K, 3] rings of a tube with rounded ends.

    Args:
        rows: [C, 6] cross-sections: position along the third axis, shift along the first and the second axis, half
            sizes along them, squareness. An end of size 0 is a pole, another gets a round end.
        axes: [3, 3] right-handed, in rows: the first and the second span the rings, the third is the tube's.
        origin: (3,) where positions and shifts are measured from.
        smooth: lay a smooth curve through the sections.
        blunt: how far its round ends reach, as a share of their radius.
    """
    rows = np.array(rows, dtype=float)
    rows = _subdivided(rows) if smooth and len(rows) > 2 else rows
    closed = rows[:, 3] <= _THIN
    rows[:, 3:5] = np.maximum(rows[:, 3:5], 0.0)
    before, after = (
        np.empty((0, 6)) if end else _cap(rows[k], way * blunt)
        for k, end, way in ((0, closed[0], -1.0), (-1, closed[-1], 1.0))
    )
    rows = np.concatenate([before[::-1], rows, after])
    flat = superellipse(rows[:, 3], rows[:, 4], rows[:, 5]) + rows[:, None, 1:3]
    along = np.broadcast_to(rows[:, None, :1], (*flat.shape[:2], 1))
    return np.asarray(origin + np.concatenate([flat, along], axis=-1) @ axes)


def capsule_solid(capsule: Capsule) -> Solid:
    """A tapered capsule as a solid."""
    a, b = np.array(capsule.start), np.array(capsule.end)
    length = float(np.linalg.norm(b - a))
    w = (b - a) / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    u = np.cross([0.0, 1.0, 0.0] if abs(w[1]) < 0.9 else [1.0, 0.0, 0.0], w)
    u /= np.linalg.norm(u)
    radii = capsule.radius_start, capsule.radius_end
    rows = [[at, 0.0, 0.0, r, r, 2.0] for at, r in zip((0.0, length), radii)]
    rings = tube(np.array(rows), np.stack([u, np.cross(w, u), w]), a, smooth=False)
    return Solid(capsule.joint, rings, capsule.side, capsule.part)


def ring_outline(rings: Array) -> Array:
    """[N, 2] the outline of a solid whose rings [R, K, 2] are seen flat.

    Each ring adds its two outermost points to either side of the way through the rings' centres.
    """
    centres = rings.mean(axis=1)
    way = centres[-1] - centres[0]
    size = float(np.linalg.norm(way))
    ahead = np.gradient(centres, axis=0)
    ahead = np.where(np.linalg.norm(ahead, axis=-1, keepdims=True) < 1e-3 * size, way, ahead)
    across = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    reach = np.einsum("rkd,rd->rk", rings, across)
    row = np.arange(len(rings))
    left, right = rings[row, reach.argmax(axis=1)], rings[row, reach.argmin(axis=1)]
    return np.concatenate([left, right[::-1]])


def _subdivided(rows: Array) -> Array:
    """[2 C - 1, 6] with a row between each two, on a Catmull-Rom curve."""
    before = np.concatenate([2 * rows[:1] - rows[1:2], rows[:-2]])
    after = np.concatenate([rows[2:], 2 * rows[-1:] - rows[-2:-1]])
    middle = (9.0 * (rows[:-1] + rows[1:]) - before - after) / 16.0
    out = np.empty((2 * len(rows) - 1, rows.shape[1]))
    out[0::2], out[1::2] = rows, middle
    return out


def _cap(row: Array, way: float) -> Array:
    """[_CAP, 6] sections that round off an end, the pole last."""
    rows = np.tile(row, (_CAP, 1))
    turn = 0.5 * np.pi * np.arange(1, _CAP + 1) / _CAP
    rows[:, 0] += way * 0.5 * (row[3] + row[4]) * np.sin(turn)
    rows[:, 3:5] *= np.maximum(np.cos(turn), _THIN / max(row[3], row[4], _THIN))[:, None]
    rows[-1, 3:5] = 0.0
    return rows


_CREASE = np.cos(np.radians(40.0))
"""Faces that meet at a larger angle have an edge between them."""
_PIXELS = 220
"""Across the larger side of an outline's mask."""


@dataclass(frozen=True, eq=False)
class MeshSolid:
    """A mesh with sharp edges, drawn like a :class:`Solid`.

    Attributes:
        joint, side, part: as a solid's.
        vertices: [V, 3] in the joint's frame; a corner at an edge is there once for each of its faces.
        normals: [V, 3] outward, of length 1.
        triangles: [N, 3] vertex indices, counter-clockwise from outside.
    """

    joint: int
    vertices: Array
    normals: Array
    triangles: np.ndarray
    side: str = ""
    part: str = "mesh"

    @classmethod
    def of(cls, mesh: Mesh) -> "MeshSolid":
        """The solid of a mesh."""
        return cls(mesh.joint, *sharp_edged(mesh.vertices, mesh.triangles), mesh.side)

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
