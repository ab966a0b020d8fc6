"""Small vectors, matrices and spatial quantities over expressions.

A spatial vector is six expressions, angular part first, at one reference point in world axes. Because every body shares
that frame, inertias and forces of different bodies add without transforms (Featherstone's recursions, world
coordinates).
"""

from __future__ import annotations

from collections.abc import Sequence

from footfall.dynamics.expressions import Expression, Graph

Vector3 = tuple[Expression, Expression, Expression]
Matrix3 = tuple[Vector3, Vector3, Vector3]
Spatial = tuple[Expression, ...]


def dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    """Scalar product of two vectors of equal length."""
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        total = total + x * y
    return total


def cross(a: Sequence[Expression], b: Sequence[Expression]) -> Vector3:
    """Vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(a: Sequence[Expression], b: Sequence[Expression]) -> tuple[Expression, ...]:
    """Element-wise sum."""
    return tuple(x + y for x, y in zip(a, b, strict=True))


def scale(a: Sequence[Expression], s: Expression) -> tuple[Expression, ...]:
    """Every element times ``s``."""
    return tuple(x * s for x in a)


def matvec(m: Matrix3, v: Sequence[Expression]) -> Vector3:
    """Matrix times vector."""
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def transpose(m: Matrix3) -> Matrix3:
    """Rows become columns."""
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def matmul(a: Matrix3, b: Matrix3) -> Matrix3:
    """Matrix product."""
    columns = transpose(b)
    rows = [tuple(dot(row, column) for column in columns) for row in a]
    return (rows[0], rows[1], rows[2])  # type: ignore[return-value]


def rotation_about(axis: Sequence[float] | Sequence[Expression], sine: Expression, cosine: Expression) -> Matrix3:
    """Rotation about a unit axis: 1 + sin K + (1 - cos) K², K the axis's cross-product matrix."""
    g = sine.graph
    x, y, z = (g.lift(a) for a in axis)
    versine = 1 - cosine
    return (
        (cosine + x * x * versine, x * y * versine - z * sine, x * z * versine + y * sine),
        (y * x * versine + z * sine, cosine + y * y * versine, y * z * versine - x * sine),
        (z * x * versine - y * sine, z * y * versine + x * sine, cosine + z * z * versine),
    )


def rotation_from_quaternion(q: Sequence[Expression]) -> Matrix3:
    """Rotation of a unit quaternion w, x, y, z."""
    w, x, y, z = q
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )


def rotate_inertia(r: Matrix3, inertia: Matrix3) -> Matrix3:
    """R I Rᵀ."""
    return matmul(matmul(r, inertia), transpose(r))


def cross_motion(v: Spatial, m: Spatial) -> Spatial:
    """v × m for motion vectors: the rate of change of ``m`` moving with velocity ``v``."""
    return cross(v[:3], m[:3]) + add(cross(v[:3], m[3:]), cross(v[3:], m[:3]))


def cross_force(v: Spatial, f: Spatial) -> Spatial:
    """v ×* f for force vectors."""
    return add(cross(v[:3], f[:3]), cross(v[3:], f[3:])) + cross(v[:3], f[3:])


class SymmetricSpatial:
    """A symmetric 6×6 matrix (an inertia), kept as its upper triangle of 21 expressions."""

    __slots__ = ("entries",)

    def __init__(self, entries: Sequence[Expression]) -> None:
        self.entries = tuple(entries)

    @staticmethod
    def position(i: int, j: int) -> int:
        """The index of entry (i, j) in the triangle."""
        i, j = min(i, j), max(i, j)
        return i * 6 - i * (i - 1) // 2 + (j - i)

    @classmethod
    def zero(cls, g: Graph) -> SymmetricSpatial:
        """No inertia."""
        return cls([g.zero] * 21)

    def __getitem__(self, ij: tuple[int, int]) -> Expression:
        return self.entries[self.position(*ij)]

    def __add__(self, other: SymmetricSpatial) -> SymmetricSpatial:
        return SymmetricSpatial(add(self.entries, other.entries))

    def times(self, v: Spatial) -> Spatial:
        """Matrix times spatial vector."""
        return tuple(dot([self[i, j] for j in range(6)], v) for i in range(6))

    def minus_outer(self, u: Spatial, inverse: Expression) -> SymmetricSpatial:
        """This minus u uᵀ · ``inverse``."""
        scaled = scale(u, inverse)
        return SymmetricSpatial([self[i, j] - u[i] * scaled[j] for i in range(6) for j in range(i, 6)])

    def plus_point(self, at: Vector3, beta: Sequence[Expression]) -> SymmetricSpatial:
        """This plus Jᵀ diag(β) J for the point ``at``, J = [-at× 1] taking a spatial acceleration to the point's."""
        g = beta[0].graph
        x, y, z = at
        columns = [
            (g.zero, -z, y),
            (z, g.zero, -x),
            (-y, x, g.zero),
            (g.one, g.zero, g.zero),
            (g.zero, g.one, g.zero),
            (g.zero, g.zero, g.one),
        ]
        weighted = [tuple(c * b for c, b in zip(column, beta, strict=True)) for column in columns]
        added = [dot(columns[i], weighted[j]) for i in range(6) for j in range(i, 6)]
        return SymmetricSpatial(add(self.entries, added))


def rigid_inertia(mass: Expression, com: Vector3, inertia: Matrix3) -> SymmetricSpatial:
    """Spatial inertia of a rigid body about the reference point: ``com`` from there, ``inertia`` about the com."""
    g = mass.graph
    hx, hy, hz = (mass * c for c in com)
    cx, cy, cz = com
    xx = inertia[0][0] + hy * cy + hz * cz
    yy = inertia[1][1] + hx * cx + hz * cz
    zz = inertia[2][2] + hx * cx + hy * cy
    xy = inertia[0][1] - hx * cy
    xz = inertia[0][2] - hx * cz
    yz = inertia[1][2] - hy * cz
    o = g.zero
    rows = [
        (xx, xy, xz, o, -hz, hy),
        (yy, yz, hz, o, -hx),
        (zz, -hy, hx, o),
        (mass, o, o),
        (mass, o),
        (mass,),
    ]
    return SymmetricSpatial([entry for row in rows for entry in row])
