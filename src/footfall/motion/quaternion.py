"""Unit quaternions w, x, y, z, as arrays of shape [..., 4] that broadcast over their leading axes.

A quaternion turns vectors of the child's frame into the parent's: ``rotate(q, v)`` is q v q⁻¹. ``exp`` and ``log`` are
those of Data-Driven Biped Control, appendix A: rotation vectors of length equal to the angle in radians.
"""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
_TINY = 1e-12


def multiply(a: Array, b: Array) -> Array:
    """The product a b [..., 4]: first b, then a."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.ndim == 1 and b.ndim > 1:
        return b @ _product_matrix(a, 1.0)
    if b.ndim == 1 and a.ndim > 1:
        return a @ _product_matrix(b, -1.0)
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    first, second = _halves(product)
    np.subtract(a1 * b1, a2 * b2.conj(), out=first)
    np.add(a1 * b2, a2 * b1.conj(), out=second)
    return product


def _halves(q: Array) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.complex128]]:
    """The complex numbers w + x i and y + z i [...] with q = (w + x i) + (y + z i) j: a product of quaternions takes
    four of complex numbers, which numpy does several times faster than sixteen of columns."""
    pairs = (q if q.strides[-1] == q.itemsize else np.ascontiguousarray(q)).view(np.complex128)
    return pairs[..., 0], pairs[..., 1]


def _product_matrix(q: Array, side: float) -> Array:
    """[4, 4] with p @ matrix = q p (``side`` 1) or p q (-1) for one q (4,): many products by the same quaternion are
    one matrix product."""
    w, x, y, z = q
    u, v, t = side * x, side * y, side * z
    return np.array([[w, x, y, z], [-x, w, t, -v], [-y, -t, w, u], [-z, v, -u, w]])


def conjugate(q: Array) -> Array:
    """The inverse of unit quaternions [..., 4]."""
    return np.asarray(np.asarray(q) * np.array([1.0, -1.0, -1.0, -1.0]))


def normalised(q: Array) -> Array:
    """Quaternions [..., 4] scaled to length one."""
    q = np.asarray(q, dtype=float)
    return _scaled(q, 1.0 / norm(q))


def rotate(q: Array, v: Array) -> Array:
    """Vectors v [..., 3] turned by q [..., 4]."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    if q.ndim == 1 and v.ndim > 1:
        return v @ np.stack([_turned(q, axis) for axis in np.eye(3)])
    return _turned(q, v)


def _turned(q: Array, v: Array) -> Array:
    """q v q⁻¹ with q = a + b j and v = p + r j, where p is imaginary: m + n j = q v first, then times ā - b j."""
    a, b = _halves(q)
    v = v if v.strides[-1] == v.itemsize else np.ascontiguousarray(v)
    p, r = 1j * v[..., 0], v[..., 1:].view(np.complex128)[..., 0]
    m, n = a * p - b * r.conj(), a * r - b * p
    turned = np.empty((*m.shape, 3))
    turned[..., 0] = m.imag * a.real - m.real * a.imag + n.imag * b.real - n.real * b.imag
    np.subtract(n * a, m * b, out=turned[..., 1:].view(np.complex128)[..., 0])
    return turned


def rotate_points(q: Array, points: Array) -> Array:
    """The same points [P, 3] turned by each of q [T, 4]: [T, P, 3], in one matrix product."""
    turned = to_matrix(q).reshape(-1, 3) @ np.asarray(points, dtype=float).T
    return np.moveaxis(turned.reshape(len(q), 3, -1), 1, 2)


def cross(a: Array, b: Array) -> Array:
    """a × b [..., 3]; numpy's own takes several times as long."""
    ax, ay, az, bx, by, bz = (v[..., k] for v in (np.asarray(a), np.asarray(b)) for k in range(3))
    product = np.empty(np.broadcast_shapes(np.shape(a), np.shape(b)))
    product[..., 0] = ay * bz - az * by
    product[..., 1] = az * bx - ax * bz
    product[..., 2] = ax * by - ay * bx
    return product


def dot(a: Array, b: Array) -> Array:
    """Scalar products [...] of vectors a and b [..., N] (numpy's own sum over a short last axis is slow)."""
    return np.asarray(np.einsum("...k,...k->...", a, b))


def norm(v: Array) -> Array:
    """Lengths [...] of vectors v [..., N] ."""
    return np.sqrt(dot(v, v))


def unit(v: Array) -> Array:
    """Vectors v [..., N] scaled to length one; nothing stays nothing."""
    v = np.asarray(v, dtype=float)
    return _scaled(v, 1.0 / np.maximum(norm(v), _TINY))


def _scaled(v: Array, factor: Array) -> Array:
    """Vectors v [..., N] times factors [...]: column by column, since a loop over a short last axis is slow."""
    scaled = np.empty(v.shape)
    for k in range(v.shape[-1]):
        np.multiply(v[..., k], factor, out=scaled[..., k])
    return scaled


def exp(u: Array) -> Array:
    """Quaternions [..., 4] of rotation vectors u [..., 3]."""
    u = np.asarray(u, dtype=float)
    angle = norm(u)[..., None]
    return np.concatenate([np.cos(angle / 2), u * (0.5 * np.sinc(angle / (2 * np.pi)))], axis=-1)


def log(q: Array) -> Array:
    """Rotation vectors [..., 3] of quaternions q [..., 4], each no longer than π."""
    q = np.asarray(q, dtype=float)
    q = np.where(q[..., :1] < 0, -q, q)
    s = norm(q[..., 1:])[..., None]
    angle = 2 * np.arctan2(s, q[..., :1])
    return q[..., 1:] * np.where(s > _TINY, angle / np.maximum(s, _TINY), 2.0)


def angle_between(a: Array, b: Array) -> Array:
    """Radians [...] between rotations a and b [..., 4], exact for small ones: 4 arcsin(|a ∓ b| / 2)."""
    return 4.0 * np.arcsin(0.5 * np.minimum(np.minimum(norm(a - b), norm(a + b)), 2.0))


def from_axis_angle(axis: Array, angle: Array) -> Array:
    """Quaternions [..., 4] for turns by ``angle`` [...] about unit axes [..., 3]."""
    half, axis = np.asarray(angle, dtype=float) / 2, np.asarray(axis, dtype=float)
    q = np.empty((*np.broadcast_shapes(half.shape, axis.shape[:-1]), 4))
    q[..., 0] = np.cos(half)
    sine = np.sin(half)
    for k in range(3):
        np.multiply(sine, axis[..., k], out=q[..., k + 1])
    return q


def twist_angle(q: Array, axis: Array) -> Array:
    """The angle [...] of the part of q [..., 4] that turns about ``axis`` [..., 3] (swing and twist)."""
    along = dot(np.asarray(q)[..., 1:], axis)
    return wrapped_angle(2 * np.arctan2(along, np.asarray(q)[..., 0]))


def wrapped_angle(angle: Array | float) -> Array:
    """Angles [...] within half a turn, from -pi to pi."""
    return np.asarray((angle + np.pi) % (2 * np.pi) - np.pi)


def between(a: Array, b: Array) -> Array:
    """The shortest turns [..., 4] that take directions a [..., 3] to directions b [..., 3]."""
    a, b = unit(a), unit(b)
    a, b = np.broadcast_arrays(a, b)
    w = 1.0 + dot(a, b)[..., None]
    least = np.eye(3)[np.argmin(np.abs(a), axis=-1)]
    opposite = np.concatenate([np.zeros_like(w), cross(a, least)], axis=-1)
    q = np.where(w > 1e-9, np.concatenate([w, cross(a, b)], axis=-1), opposite)
    return normalised(q)


def slerp(a: Array, b: Array, weight: Array) -> Array:
    """Quaternions on the shorter arc from a [..., 4] (weight 0) to b [..., 4] (weight 1), ``weight`` [...]."""
    turn = log(multiply(conjugate(a), b))
    return normalised(multiply(a, exp(np.asarray(weight, dtype=float)[..., None] * turn)))


def continuous(q: Array) -> Array:
    """The same rotations [T, ..., 4] with signs chosen so that neighbours in time lie on the same hemisphere."""
    q = np.array(q, dtype=float)
    if len(q) > 1:
        flips = np.where(dot(q[1:], q[:-1]) < 0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def to_matrix(q: Array) -> Array:
    """Rotation matrices [..., 3, 3] of q [..., 4]; columns are the child's axes in the parent's frame."""
    w, x, y, z = (np.asarray(q, dtype=float)[..., k] for k in range(4))
    m = np.empty((*w.shape, 3, 3))
    for k, (a, b, c) in enumerate(((x, y, z), (y, z, x), (z, x, y))):
        i, j = (k + 1) % 3, (k + 2) % 3
        m[..., k, k] = 1.0 - 2.0 * (b * b + c * c)
        m[..., i, k], m[..., j, k] = 2.0 * (a * b + w * c), 2.0 * (a * c - w * b)
    return m


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
