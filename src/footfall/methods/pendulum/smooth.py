"""Smooth pieces of the conversion: cubics, bounds without kinks (Faraji and Ijspeert 2018, section 4, figure 5).

Written once for numpy and Warp (see :mod:`footfall.methods.pendulum.numpy_warp`).
"""

from footfall.methods.pendulum.numpy_warp import Real, m

Stride = Real


def cubic(x0: Real, v0: Real, x1: Real, v1: Real, span: Real, u: Real) -> Real:
    """At fraction ``u`` of ``span`` the cubic with values x0, x1 and slopes v0, v1 at its ends."""
    w = 1.0 - u
    return w * w * (x0 * (1.0 + 2.0 * u) + v0 * span * u) + u * u * (x1 * (1.0 + 2.0 * w) - v1 * span * w)


def ease(u: Real) -> Real:
    """From 0 to 1 over u = 0 … 1, flat at both ends and outside."""
    x = m.max(m.min(u, 1.0), 0.0)
    return x * x * (3.0 - 2.0 * x)


def alpha(c: "Stride", t: Real) -> Real:
    """Figure 5A: -t during double support, then back to 0 at T with slope -1 at both ends."""
    u = m.max(t - c.double_time, 0.0) / c.single_time
    return m.where(t < c.double_time, -t, cubic(-c.double_time, -1.0, 0.0 * t, -1.0, c.single_time, u))


def beta(c: "Stride", t: Real) -> Real:
    """Figure 5B: about twice alpha, so that the swing knee moves forward during double support already. Where double
    support is shorter than a tenth of the step the slope at its end, -2, goes to alpha's -1, so that it can vanish."""
    low = -2.0 * c.double_time
    steep = -1.0 - m.min(10.0 * c.double_time / c.duration, 1.0)
    u = m.max(t - c.double_time, 0.0) / c.single_time
    first = cubic(0.0 * t, -1.0, low, steep, c.double_time, m.min(t * c.per_double, 1.0))
    return m.where(t < c.double_time, first, cubic(low, steep, 0.0 * t, -1.0, c.single_time, u))


def gamma(c: "Stride", t: Real) -> Real:
    """Figure 5C: the fixed mixture's weight of the swing leg, 0 in double support, then to 1."""
    return ease((t - c.double_time) / c.single_time)


def delta(x: Real) -> Real:
    """Figure 5D: δ(-1) = -0.2, δ(0) = 0, δ(1) = 1, flat at -1."""
    return x * (0.5 + x * (0.4 + 0.1 * x))


def soft_max(a: Real, b: Real) -> Real:
    """Equation (31): a smooth maximum of two errors."""
    high = m.max(a, b)
    length = m.sqrt(a * a + b * b)
    both = m.min(a, b)
    return m.where(both >= 0.0, length, m.where(high >= 0.0, high, a + b + length))


def ramp(x: Real, width: Real) -> Real:
    """max(x, 0) with its corner rounded over ±width: 0 below, x above, never less than max(x, 0)."""
    y = m.max(m.min(x, width), -width) + width
    return y * y / (4.0 * width) + m.max(x - width, 0.0)
