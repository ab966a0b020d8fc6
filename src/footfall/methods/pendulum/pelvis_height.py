"""Pelvis height from the 3LP state (Faraji and Ijspeert 2018, section 4.1), adaptive and fixed.

Written once for numpy and Warp. Lengths: the straight leg is thigh plus shank, the ankle's height is added last, and
the paper's foot length h is heel to metatarsal joint. ``p`` and ``q`` point from the stance and swing hip to their
foot.
"""

from footfall.methods.pendulum.numpy_warp import Real, m
from footfall.methods.pendulum.smooth import alpha, delta, gamma, soft_max

Stride = Real


def foot_ratio(c: "Stride", px: Real, qx: Real) -> Real:
    """How far the swing foot is ahead of the stance foot in leg lengths, within ±1; the stance foot's CoP is at
    (1 + ratio)/2 of the foot, the swing foot's at (1 - ratio)/2 (equation 20)."""
    return m.max(m.min((qx - px) / c.leg, 1.0), -1.0)


def adaptive_arc(c: "Stride", x: Real, y: Real, ratio: Real) -> Real:
    """Height over the ankle at which the vertical through the 3LP pelvis, (x, y) from the foot, meets the ellipse of a
    leg whose CoP is at ``ratio`` from mid-foot (equations 25 to 28, with the z term squared)."""
    shift = 0.5 * c.toe * delta(ratio)
    a = c.straight + 2.0 * shift
    b = c.straight + shift
    tangent = c.sin_slope / c.cos_slope
    x0 = x - tangent * (c.leg * c.cos_slope - c.ankle_height) - 2.0 * shift
    k = 1.0 - (y / c.straight) * (y / c.straight)
    square = tangent * tangent / (a * a) + 1.0 / (b * b)
    half = tangent * x0 / (a * a)
    root = half * half - square * (x0 * x0 / (a * a) - k)
    return (m.sqrt(m.max(root, 0.0)) - half) / square


def fixed_arc(c: "Stride", x: Real, y: Real, ratio: Real) -> Real:
    """Height over the ankle of a leg of fixed length that turns about its CoP (equation 22)."""
    along = 0.5 * c.toe * (1.0 + ratio) - x + c.leg * c.sin_slope
    return m.sqrt(m.max(c.straight * c.straight - along * along - y * y, 0.0))


def height_adaptive(c: "Stride", t: Real, px: Real, py: Real, qx: Real, qy: Real, vx: Real, vy: Real) -> Real:
    """The pelvis' height over the ground by the adaptive mixture (equations 29 to 31), at least half a leg; (vx, vy) is
    the pelvis' velocity."""
    late = alpha(c, t)
    ratio = foot_ratio(c, px, qx)
    zp = adaptive_arc(c, late * vx - px, late * vy - py, ratio)
    zq = adaptive_arc(c, late * vx - qx, late * vy - qy, -ratio)
    z = c.straight - soft_max(c.straight - zp, c.straight - zq)
    return m.max(z + c.ankle_height, 0.5 * c.leg)


def height_fixed(c: "Stride", t: Real, px: Real, py: Real, qx: Real, qy: Real, vx: Real, vy: Real) -> Real:
    """The pelvis' height over the ground by the fixed mixture (equations 22 to 24): for periodic forward walking."""
    late = alpha(c, t)
    ratio = foot_ratio(c, px, qx)
    zp = fixed_arc(c, late * vx - px, late * vy - py, ratio)
    zq = fixed_arc(c, late * vx - qx, late * vy - qy, -ratio)
    weight = gamma(c, t)
    return m.max((1.0 - weight) * zp + weight * zq + c.ankle_height, 0.5 * c.leg)
