"""Rotations as vectors, in Warp: the axis times the angle, the short way round."""

from functools import cache
from typing import Any

import warp as wp


@cache
def rotation_vector(real: Any) -> wp.Function:
    """A Warp function (v, w) that gives the rotation vector of the unit quaternion with the parts v and w, for a scalar
    type."""
    Three = wp.types.vector(length=3, dtype=real)
    zero, two, tiny = real(0.0), real(2.0), real(1e-12)

    @wp.func
    def log(v: Three, w: real):
        if w < zero:
            v = -v
            w = -w
        size = wp.length(v)
        scale = two
        if size > tiny:
            scale = two * wp.atan2(size, w) / size
        return scale * v

    return log
