"""Rotations in Warp: logarithms, powers and the legs' frames, as poses and their displacements need them
(Data-Driven Biped Control, appendix A)."""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.dynamics.rotation_vector import rotation_vector


@dataclass(frozen=True)
class Rotations:
    """Warp functions over rotations, for one scalar type.

    Attributes:
        Quat, Vec3: types.
        log: (q) -> rotation vector, the short way round. exp: (v) -> quaternion.
        part: (a, b, weight) -> a (a⁻¹ b)^weight, from a towards b.
        smooth: (x) -> 3x² - 2x³ between 0 and 1 (appendix B).
        about_up: (angle) -> the turn about the vertical.
    """

    Quat: Any
    Vec3: Any
    log: wp.Function
    exp: wp.Function
    part: wp.Function
    smooth: wp.Function
    about_up: wp.Function


def rotations(real: Any) -> Rotations:
    """The functions for a scalar type."""
    Quat = wp.types.quaternion(dtype=real)
    Vec3 = wp.types.vector(length=3, dtype=real)
    vector_of = rotation_vector(real)
    zero, half, one, two, three, tiny = (real(x) for x in (0.0, 0.5, 1.0, 2.0, 3.0, 1e-12))

    @wp.func
    def log(q: Quat):
        return vector_of(Vec3(q[0], q[1], q[2]), q[3])

    @wp.func
    def exp(v: Vec3):
        angle = wp.length(v)
        scale = half
        if angle > tiny:
            scale = wp.sin(half * angle) / angle
        return wp.normalize(Quat(scale * v[0], scale * v[1], scale * v[2], wp.cos(half * angle)))

    @wp.func
    def part(a: Quat, b: Quat, weight: real):
        return a * exp(weight * log(wp.quat_inverse(a) * b))

    @wp.func
    def smooth(x: real):
        y = wp.clamp(x, zero, one)
        return y * y * (three - two * y)

    @wp.func
    def about_up(angle: real):
        return Quat(zero, zero, wp.sin(half * angle), wp.cos(half * angle))

    return Rotations(Quat, Vec3, log, exp, part, smooth, about_up)
