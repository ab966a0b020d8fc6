"""3LP in closed form: the state at any time of a step from the state at any earlier one.

Faraji and Ijspeert 2018, section 2.2, equation (5). Written once for numpy and Warp (see
:mod:`footfall.methods.pendulum.numpy_warp`). Each plane's state is (s, p, s', p'): swing foot and pelvis relative to
the stance foot. Single support splits into a falling mode (ω, hyperbolic) and a swing mode (ν, trigonometric), shared
by both planes; inputs are linear in time.
"""

from footfall.methods.pendulum.numpy_warp import Real, m

Four = tuple[Real, Real, Real, Real]
Eight = tuple[Real, Real, Real, Real, Real, Real, Real, Real]
Stride = Real


def falling(rate: Real, time: Real) -> Four:
    """For x'' = rate² x + a0 + a1 t: factors of x0, x0', a0, a1 in x(time), in that order."""
    up = m.exp(0.5 * rate * time)
    down = 1.0 / up
    sinh_half = 0.5 * (up - down)
    rise = 2.0 * sinh_half * sinh_half
    slide = sinh_half * (up + down) / rate
    each = 1.0 / (rate * rate)
    return 1.0 + rise, slide, rise * each, (slide - time) * each


def swinging(rate: Real, time: Real) -> Four:
    """For x'' = -rate² x + a0 + a1 t: factors of x0, x0', a0, a1 in x(time), in that order."""
    sin_half = m.sin(0.5 * rate * time)
    drop = 2.0 * sin_half * sin_half
    slide = 2.0 * sin_half * m.cos(0.5 * rate * time) / rate
    each = 1.0 / (rate * rate)
    return 1.0 - drop, slide, drop * each, (time - slide) * each


def single_basis(c: "Stride", time: Real) -> Eight:
    """The factors of both modes of single support over ``time``."""
    c1, s1, f1, g1 = falling(c.rate, time)
    c2, s2, f2, g2 = swinging(c.swing_rate, time)
    return c1, s1, f1, g1, c2, s2, f2, g2


def single_plane(
    c: "Stride",
    c1: Real,
    s1: Real,
    f1: Real,
    g1: Real,
    c2: Real,
    s2: Real,
    f2: Real,
    g2: Real,
    s: Real,
    p: Real,
    sv: Real,
    pv: Real,
    s0: Real,
    p0: Real,
    s_slope: Real,
    p_slope: Real,
) -> Four:
    """One plane after single support with the basis' factors; (s0, p0) + (s_slope, p_slope) t are the accelerations
    that inputs and constants cause."""
    up_s = c1 * s + s1 * sv + f1 * s0 + g1 * s_slope
    up_p = c1 * p + s1 * pv + f1 * p0 + g1 * p_slope
    to_s = c2 * s + s2 * sv + f2 * s0 + g2 * s_slope
    to_p = c2 * p + s2 * pv + f2 * p0 + g2 * p_slope
    w1 = c.rate * c.rate * s1
    w2 = c.swing_rate * c.swing_rate * s2
    up_sv = w1 * s + c1 * sv + s1 * s0 + f1 * s_slope
    up_pv = w1 * p + c1 * pv + s1 * p0 + f1 * p_slope
    to_sv = c2 * sv - w2 * s + s2 * s0 + f2 * s_slope
    to_pv = c2 * pv - w2 * p + s2 * p0 + f2 * p_slope
    return (
        to_s + c.fall_ss * (up_s - to_s) + c.fall_sp * (up_p - to_p),
        to_p + c.fall_ps * (up_s - to_s) + c.fall_pp * (up_p - to_p),
        to_sv + c.fall_ss * (up_sv - to_sv) + c.fall_sp * (up_pv - to_pv),
        to_pv + c.fall_ps * (up_sv - to_sv) + c.fall_pp * (up_pv - to_pv),
    )


def double_basis(c: "Stride", time: Real) -> Four:
    """The factors of double support's mode over ``time``."""
    return falling(c.double_rate, time)


def double_plane(
    c: "Stride", c1: Real, s1: Real, f1: Real, g1: Real, p: Real, pv: Real, p0: Real, p_slope: Real
) -> tuple[Real, Real]:
    """Pelvis and its velocity in one plane after double support; p0 + p_slope t is the acceleration that the feet, the
    inputs and the constants cause."""
    w1 = c.double_rate * c.double_rate * s1
    return c1 * p + s1 * pv + f1 * p0 + g1 * p_slope, w1 * p + c1 * pv + s1 * p0 + f1 * p_slope


def double_support(
    c: "Stride",
    before: Real,
    start: Real,
    time: Real,
    fx: Real,
    fy: Real,
    sx: Real,
    px: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    pvy: Real,
) -> Four:
    """Pelvis (px, pvx, py, pvy) after ``time`` seconds of double support from ``start`` on, under the force
    (fx, fy); ``before`` is the old stance ankle's torque at the step's start."""
    c1, s1, f1, g1 = double_basis(c, time)
    passed = start * c.per_double
    foot = c.double_foot + c.double_foot_slope * passed
    foot_slope = c.double_foot_slope * c.per_double
    mu_slope = (c.ankle - before) * c.per_double
    mu = before + (c.ankle - before) * passed
    a0 = foot * sx + c.double_ankle * mu + c.double_force * fx + c.double_bias
    npx, npvx = double_plane(c, c1, s1, f1, g1, px, pvx, a0, foot_slope * sx + c.double_ankle * mu_slope)
    npy, npvy = double_plane(c, c1, s1, f1, g1, py, pvy, foot * sy + c.double_force * fy, foot_slope * sy)
    return npx, npvx, npy, npvy


def single_support(
    c: "Stride",
    d: Real,
    since: Real,
    b1: Real,
    b2: Real,
    b3: Real,
    b4: Real,
    b5: Real,
    b6: Real,
    b7: Real,
    b8: Real,
    vx: Real,
    wx: Real,
    vy: Real,
    wy: Real,
    fx: Real,
    fy: Real,
    sx: Real,
    px: Real,
    svx: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    svy: Real,
    pvy: Real,
) -> Eight:
    """Both planes' states after the time of the basis b1 … b8, ``since`` seconds into single support at its start.

    (vx, wx) and (vy, wy) are the feedback's hip torques and ramps on top of the nominal ones, (fx, fy) the force on the
    pelvis.
    """
    hip_slope = (c.hip_ramp_x + wx) / c.single_time
    hip = c.hip_x + vx + hip_slope * since
    ankle_slope = c.ankle_ramp / c.single_time
    ankle = c.ankle + ankle_slope * since
    s0 = c.hip_s * hip + c.ankle_s * ankle + c.force_s * fx + c.bias_sx
    p0 = c.hip_p * hip + c.ankle_p * ankle + c.force_p * fx + c.bias_px
    s_slope = c.hip_s * hip_slope + c.ankle_s * ankle_slope
    p_slope = c.hip_p * hip_slope + c.ankle_p * ankle_slope
    nsx, npx, nsvx, npvx = single_plane(c, b1, b2, b3, b4, b5, b6, b7, b8, sx, px, svx, pvx, s0, p0, s_slope, p_slope)
    lat_slope = (d * c.hip_ramp_y + wy) / c.single_time
    lat = d * c.hip_y + vy + lat_slope * since
    s0y = c.hip_s * lat + c.force_s * fy + d * c.bias_sy
    p0y = c.hip_p * lat + c.force_p * fy + d * c.bias_py
    nsy, npy, nsvy, npvy = single_plane(
        c, b1, b2, b3, b4, b5, b6, b7, b8, sy, py, svy, pvy, s0y, p0y, c.hip_s * lat_slope, c.hip_p * lat_slope
    )
    return nsx, npx, nsvx, npvx, nsy, npy, nsvy, npvy


def advance(
    c: "Stride",
    d: Real,
    before: Real,
    start: Real,
    time: Real,
    vx: Real,
    wx: Real,
    vy: Real,
    wy: Real,
    fx: Real,
    fy: Real,
    sx: Real,
    px: Real,
    svx: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    svy: Real,
    pvy: Real,
) -> Eight:
    """Both planes' states ``time`` seconds after ``start`` (a step's time), within one step: the part before T_ds is
    double support, the rest single support. Arguments as in :func:`double_support` and
    :func:`single_support`."""
    both = m.max(m.min(start + time, c.double_time) - start, 0.0)
    dpx, dpvx, dpy, dpvy = double_support(c, before, start, both, fx, fy, sx, px, pvx, sy, py, pvy)
    b1, b2, b3, b4, b5, b6, b7, b8 = single_basis(c, time - both)
    since = m.max(start - c.double_time, 0.0)
    return single_support(
        c, d, since, b1, b2, b3, b4, b5, b6, b7, b8, vx, wx, vy, wy, fx, fy, sx, dpx, svx, dpvx, sy, dpy, svy, dpvy
    )
