"""Unit quaternions w, x, y, z, as arrays of shape [..., 4] that broadcast over their leading axes.

A quaternion turns vectors of the child's frame into the parent's: ``rotate(q, v)`` is q v q⁻¹. ``exp`` and ``log`` are
those of Data-Driven Biped Control, appendix A: rotation vectors of length equal to the angle in radians.
"""

import numpy as np
import numpy.typing as npt

__all__ = [
    "Array",
    "between",
    "conjugate",
    "continuous",
    "exp",
    "from_axis_angle",
    "from_euler",
    "from_matrix",
    "log",
    "multiply",
    "normalised",
    "rotate",
    "slerp",
    "to_euler",
    "to_matrix",
    "twist_angle",
]

Array = npt.NDArray[np.float64]

_AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
_TINY = 1e-12


def multiply(a: Array, b: Array) -> Array:
    """The product a b [..., 4]: first b, then a."""
    aw, ax, ay, az, bw, bx, by, bz = (np.asarray(q)[..., k] for q in (a, b) for k in range(4))
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: Array) -> Array:
    """The inverse of unit quaternions [..., 4]."""
    return np.asarray(np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0]))


def normalised(q: Array) -> Array:
    """Quaternions [..., 4] scaled to length one."""
    q = np.asarray(q, dtype=float)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def rotate(q: Array, v: Array) -> Array:
    """Vectors v [..., 3] turned by q [..., 4]."""
    q, v = np.asarray(q), np.asarray(v)
    u = q[..., 1:]
    t = 2.0 * _cross(u, v)
    return np.asarray(v + q[..., :1] * t + _cross(u, t))


def _cross(a: Array, b: Array) -> Array:
    """a × b [..., 3]; numpy's own takes six times as long on a few vectors."""
    ax, ay, az, bx, by, bz = (v[..., k] for v in (a, b) for k in range(3))
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def exp(u: Array) -> Array:
    """Quaternions [..., 4] of rotation vectors u [..., 3]."""
    u = np.asarray(u, dtype=float)
    angle = np.linalg.norm(u, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), u * (0.5 * np.sinc(angle / (2 * np.pi)))], axis=-1)


def log(q: Array) -> Array:
    """Rotation vectors [..., 3] of quaternions q [..., 4], each no longer than π."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(s, q[..., :1])
    return q[..., 1:] * np.where(s > _TINY, angle / np.maximum(s, _TINY), 2.0)


def from_axis_angle(axis: Array, angle: Array) -> Array:
    """Quaternions [..., 4] for turns by ``angle`` [...] about unit axes [..., 3]."""
    half = np.asarray(angle, dtype=float)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * np.asarray(axis, dtype=float)], axis=-1)


def twist_angle(q: Array, axis: Array) -> Array:
    """The angle [...] of the part of q [..., 4] that turns about ``axis`` [..., 3] (swing and twist)."""
    along = np.sum(np.asarray(q)[..., 1:] * axis, axis=-1)
    angle = 2 * np.arctan2(along, np.asarray(q)[..., 0])
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)


def between(a: Array, b: Array) -> Array:
    """The shortest turns [..., 4] that take directions a [..., 3] to directions b [..., 3]."""
    a = np.asarray(a, dtype=float) / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), _TINY)
    b = np.asarray(b, dtype=float) / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), _TINY)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    least = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    opposite = np.concatenate([np.zeros_like(w), np.cross(a, least)], axis=-1)
    q = np.where(w > 1e-9, np.concatenate([w, np.cross(a, b)], axis=-1), opposite)
    return normalised(q)


def slerp(a: Array, b: Array, weight: Array) -> Array:
    """Quaternions on the shorter arc from a [..., 4] (weight 0) to b [..., 4] (weight 1), ``weight`` [...]."""
    turn = log(multiply(conjugate(a), b))
    return normalised(multiply(a, exp(np.asarray(weight, dtype=float)[..., None] * turn)))


def continuous(q: Array) -> Array:
    """The same rotations [T, ..., 4] with signs chosen so that neighbours in time lie on the same hemisphere."""
    q = np.array(q, dtype=float)
    if len(q) > 1:
        flips = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def to_matrix(q: Array) -> Array:
    """Rotation matrices [..., 3, 3] of q [..., 4]; columns are the child's axes in the parent's frame."""
    return np.stack([rotate(q, _AXES[axis]) for axis in "xyz"], axis=-1)


def from_matrix(m: Array) -> Array:
    """Quaternions [..., 4] with w >= 0 of rotation matrices [..., 3, 3] (the largest of four components is the
    pivot)."""
    m = np.asarray(m, dtype=float)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = np.stack([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], axis=-1)
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = np.stack(
        [
            np.stack([squares[..., 0], a, b, c], axis=-1),
            np.stack([a, squares[..., 1], d, e], axis=-1),
            np.stack([b, d, squares[..., 2], f], axis=-1),
            np.stack([c, e, f, squares[..., 3]], axis=-1),
        ],
        axis=-2,
    )
    pivot = np.argmax(squares, axis=-1)
    q = normalised(np.take_along_axis(rows, pivot[..., None, None], axis=-2)[..., 0, :])
    return np.where(q[..., :1] < 0, -q, q)


def from_euler(order: str, angles: Array) -> Array:
    """Quaternions [..., 4] of turns about the axes named in ``order`` ("zxy": first z, then x and y as they then lie),
    angles [..., len(order)] in radians."""
    angles = np.asarray(angles, dtype=float)
    q = np.zeros((*angles.shape[:-1], 4))
    q[..., 0] = 1.0
    for k, axis in enumerate(order):
        q = multiply(q, from_axis_angle(_AXES[axis], angles[..., k]))
    return q


def to_euler(order: str, q: Array) -> Array:
    """Angles [..., 3] of q [..., 4] about three distinct axes in ``order``; the inverse of ``from_euler``.

    The middle angle lies within ±π/2; where it reaches that end (gimbal lock) the last angle is zero.
    """
    i, j, k = ("xyz".index(axis) for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = to_matrix(q)
    middle = np.arcsin(np.clip(sign * m[..., i, k], -1.0, 1.0))
    locked = np.abs(m[..., i, k]) > 1.0 - 1e-12
    first = np.where(
        locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), np.arctan2(-sign * m[..., j, k], m[..., k, k])
    )
    last = np.where(locked, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
    return np.stack([first, middle, last], axis=-1)
