"""Solids: the parts of a body as closed surfaces through rings of points, fixed to one joint each.

A solid with R rings of K points has the vertices of its rings, row by row. Its first and last ring are poles: rings
shrunk to a point, which close the surface. Pictures draw its triangles or its outline; files hold its triangles.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.skeleton.tree import Capsule

_AROUND = 16
_CAP = 4
_THIN = 1e-4


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
        return [ring_outline(seen.reshape(*self.rings.shape[:2], 2))]

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
        rows: [C, 6] cross-sections: place along the third axis, shift along the first and the second axis, half sizes
            along them, squareness. An end of size 0 is a pole, another gets a round end.
        axes: [3, 3] right-handed, in rows: the first and the second span the rings, the third is the tube's.
        origin: (3,) where places and shifts are measured from.
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

    Each ring adds its two outermost points to either side of the way through the rings' centres; where that way is
    seen from its end, the outline is the hull of all points.
    """
    centres = rings.mean(axis=1)
    way = centres[-1] - centres[0]
    size = float(np.linalg.norm(way))
    spread = float(np.ptp(rings - centres[:, None], axis=1).max())
    if size < 0.35 * spread:
        return _hull(rings.reshape(-1, 2))
    ahead = np.gradient(centres, axis=0)
    ahead = np.where(np.linalg.norm(ahead, axis=-1, keepdims=True) < 1e-3 * size, way, ahead)
    across = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    reach = np.einsum("rkd,rd->rk", rings, across)
    row = np.arange(len(rings))
    left, right = rings[row, reach.argmax(axis=1)], rings[row, reach.argmin(axis=1)]
    return np.concatenate([left, right[::-1]])


def _hull(points: Array) -> Array:
    """[N, 2] the convex hull, counter-clockwise."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]

    def half(row: Array) -> list[Array]:
        kept: list[Array] = []
        for p in row:
            while len(kept) > 1:
                a, b = kept[-1] - kept[-2], p - kept[-2]
                if a[0] * b[1] - a[1] * b[0] > 0:
                    break
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


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
