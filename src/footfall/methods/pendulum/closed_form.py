"""3LP in closed form: the state at any time of a step from the state at any earlier one.

Faraji and Ijspeert 2018, section 2.2, equation (5). Written once for numpy and Warp (see
:mod:`footfall.methods.pendulum.numpy_warp`). Single support splits into a falling mode (ω, hyperbolic) and a swing mode
(ν, trigonometric), shared by both planes; inputs are linear in time.
"""

from typing import NamedTuple

from footfall.methods.pendulum.numpy_warp import Real, m

Stride = Real


class Factors(NamedTuple):
    """Of a mode x'' = ± rate² x + a + b t: what x, x', a and b at its start are multiplied by in x some time later."""

    x: Real
    v: Real
    a: Real
    b: Real


class Basis(NamedTuple):
    """Both modes of single support."""

    fall: Factors
    swing: Factors


class Plane(NamedTuple):
    """The state in one plane: swing foot and pelvis relative to the stance foot, m, and their velocities, m/s."""

    s: Real
    p: Real
    sv: Real
    pv: Real


class PlaneDrive(NamedTuple):
    """Accelerations (s, p) + (s_slope, p_slope) t that inputs and constants cause in one plane."""

    s: Real
    p: Real
    s_slope: Real
    p_slope: Real


class Hips(NamedTuple):
    """The feedback's torques of the swing hip on top of the nominal ones: a constant v and a ramp w in each plane."""

    vx: Real
    wx: Real
    vy: Real
    wy: Real


def in_turned_axes(cos: Real, sin: Real, x: Real, y: Real) -> tuple[Real, Real]:
    """(x, y) in axes that are turned to the left by an angle of this cosine and sine."""
    return cos * x + sin * y, cos * y - sin * x


def falling(rate: Real, time: Real) -> Factors:
    """The mode x'' = rate² x + a + b t over ``time``."""
    up = m.exp(0.5 * rate * time)
    down = 1.0 / up
    sinh_half = 0.5 * (up - down)
    rise = 2.0 * sinh_half * sinh_half
    slide = sinh_half * (up + down) / rate
    each = 1.0 / (rate * rate)
    return Factors(1.0 + rise, slide, rise * each, (slide - time) * each)


def swinging(rate: Real, time: Real) -> Factors:
    """The mode x'' = -rate² x + a + b t over ``time``."""
    sin_half = m.sin(0.5 * rate * time)
    drop = 2.0 * sin_half * sin_half
    slide = 2.0 * sin_half * m.cos(0.5 * rate * time) / rate
    each = 1.0 / (rate * rate)
    return Factors(1.0 - drop, slide, drop * each, (time - slide) * each)


def single_basis(c: "Stride", time: Real) -> Basis:
    """Both modes of single support over ``time``."""
    return Basis(falling(c.rate, time), swinging(c.swing_rate, time))


def single_plane(c: "Stride", basis: "Basis", x: "Plane", drive: "PlaneDrive") -> Plane:
    """One plane after single support over the time of its basis."""
    f = basis.fall
    g = basis.swing
    up_s = f.x * x.s + f.v * x.sv + f.a * drive.s + f.b * drive.s_slope
    up_p = f.x * x.p + f.v * x.pv + f.a * drive.p + f.b * drive.p_slope
    to_s = g.x * x.s + g.v * x.sv + g.a * drive.s + g.b * drive.s_slope
    to_p = g.x * x.p + g.v * x.pv + g.a * drive.p + g.b * drive.p_slope
    w1 = c.rate * c.rate * f.v
    w2 = c.swing_rate * c.swing_rate * g.v
    up_sv = w1 * x.s + f.x * x.sv + f.v * drive.s + f.a * drive.s_slope
    up_pv = w1 * x.p + f.x * x.pv + f.v * drive.p + f.a * drive.p_slope
    to_sv = g.x * x.sv - w2 * x.s + g.v * drive.s + g.a * drive.s_slope
    to_pv = g.x * x.pv - w2 * x.p + g.v * drive.p + g.a * drive.p_slope
    return Plane(
        to_s + c.fall_ss * (up_s - to_s) + c.fall_sp * (up_p - to_p),
        to_p + c.fall_ps * (up_s - to_s) + c.fall_pp * (up_p - to_p),
        to_sv + c.fall_ss * (up_sv - to_sv) + c.fall_sp * (up_pv - to_pv),
        to_pv + c.fall_ps * (up_sv - to_sv) + c.fall_pp * (up_pv - to_pv),
    )


def double_plane(c: "Stride", f: "Factors", p: Real, pv: Real, p0: Real, p_slope: Real) -> tuple[Real, Real]:
    """Pelvis and its velocity in one plane after double support, whose mode is ``f``; p0 + p_slope t is the
    acceleration that the feet, the inputs and the constants cause."""
    w1 = c.double_rate * c.double_rate * f.v
    return f.x * p + f.v * pv + f.a * p0 + f.b * p_slope, w1 * p + f.x * pv + f.v * p0 + f.a * p_slope


def double_support(
    c: "Stride", before: Real, start: Real, time: Real, fx: Real, fy: Real, x: "Plane", y: "Plane"
) -> tuple[Plane, Plane]:
    """Both planes after ``time`` seconds of double support from ``start`` on, under the force (fx, fy); ``before`` is
    the old stance ankle's torque at the step's start."""
    f = falling(c.double_rate, time)
    passed = start * c.per_double
    foot = c.double_foot + c.double_foot_slope * passed
    foot_slope = c.double_foot_slope * c.per_double
    mu_slope = (c.ankle - before) * c.per_double
    mu = before + (c.ankle - before) * passed
    a0 = foot * x.s + c.double_ankle * mu + c.double_force * fx + c.double_bias
    px, pvx = double_plane(c, f, x.p, x.pv, a0, foot_slope * x.s + c.double_ankle * mu_slope)
    py, pvy = double_plane(c, f, y.p, y.pv, foot * y.s + c.double_force * fy, foot_slope * y.s)
    return Plane(x.s, px, x.sv, pvx), Plane(y.s, py, y.sv, pvy)


def single_support(
    c: "Stride", d: Real, since: Real, basis: "Basis", hips: "Hips", fx: Real, fy: Real, x: "Plane", y: "Plane"
) -> tuple[Plane, Plane]:
    """Both planes after the time of the basis, ``since`` seconds into single support at its start, under the feedback's
    torques and the force (fx, fy) on the pelvis."""
    hip_slope = (c.hip_ramp_x + hips.wx) / c.single_time
    hip = c.hip_x + hips.vx + hip_slope * since
    ankle_slope = c.ankle_ramp / c.single_time
    ankle = c.ankle + ankle_slope * since
    ahead = PlaneDrive(
        c.hip_s * hip + c.ankle_s * ankle + c.force_s * fx + c.bias_sx,
        c.hip_p * hip + c.ankle_p * ankle + c.force_p * fx + c.bias_px,
        c.hip_s * hip_slope + c.ankle_s * ankle_slope,
        c.hip_p * hip_slope + c.ankle_p * ankle_slope,
    )
    lat_slope = (d * c.hip_ramp_y + hips.wy) / c.single_time
    lat = d * c.hip_y + hips.vy + lat_slope * since
    aside = PlaneDrive(
        c.hip_s * lat + c.force_s * fy + d * c.bias_sy,
        c.hip_p * lat + c.force_p * fy + d * c.bias_py,
        c.hip_s * lat_slope,
        c.hip_p * lat_slope,
    )
    return single_plane(c, basis, x, ahead), single_plane(c, basis, y, aside)


def advance(
    c: "Stride",
    d: Real,
    before: Real,
    start: Real,
    time: Real,
    hips: "Hips",
    fx: Real,
    fy: Real,
    x: "Plane",
    y: "Plane",
) -> tuple[Plane, Plane]:
    """Both planes ``time`` seconds after ``start`` (a step's time), within one step: the part before T_ds is double
    support, the rest single support. Arguments as in :func:`double_support` and :func:`single_support`."""
    both = m.max(m.min(start + time, c.double_time) - start, 0.0)
    x1, y1 = double_support(c, before, start, both, fx, fy, x, y)
    since = m.max(start - c.double_time, 0.0)
    return single_support(c, d, since, single_basis(c, time - both), hips, fx, fy, x1, y1)
