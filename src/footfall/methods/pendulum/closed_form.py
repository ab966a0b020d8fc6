"""3LP in closed form: the state at any time of a step from the state at any earlier one.

Faraji and Ijspeert 2018, section 2.2, equation (5). Written once for numpy and Warp (see
:mod:`footfall.methods.pendulum.numpy_warp`). Single support splits into a falling mode (ω, hyperbolic) and a swing mode
(ν, trigonometric), shared by both planes; inputs are linear in time.
"""

from collections import namedtuple
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


class StepState(NamedTuple):
    """A walker within its step.

    Attributes:
        t: seconds since the step's start.
        d: +1 while the left leg swings, -1 while the right one does.
        before: torque of the ankle that was on, at the step's start.
        x, y: the sagittal and the lateral plane.
        hips: the feedback's torques.
        foot_x, foot_y: stance foot in the world, m (along the slope).
        heading: of the step's frame in the world, rad.
        turn_in, turn_out: how far that frame has turned left against the last one's, and the next one's will, rad.
    """

    t: Real
    d: Real
    before: Real
    x: Plane
    y: Plane
    hips: Hips = Hips(0.0, 0.0, 0.0, 0.0)
    foot_x: Real = 0.0
    foot_y: Real = 0.0
    heading: Real = 0.0
    turn_in: Real = 0.0
    turn_out: Real = 0.0


StepRow = namedtuple(
    "StepRow", "t d sx px svx pvx sy py svy pvy vx wx vy wy before foot_x foot_y heading turn_in turn_out"
)
"""A :class:`StepState` number by number, as tables have it."""


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


def double_support(c: "Stride", s: "StepState", time: Real, fx: Real, fy: Real) -> tuple[Plane, Plane]:
    """Both planes after ``time`` seconds of double support under the force (fx, fy)."""
    x = s.x
    y = s.y
    f = falling(c.double_rate, time)
    passed = s.t * c.per_double
    foot = c.double_foot + c.double_foot_slope * passed
    foot_slope = c.double_foot_slope * c.per_double
    mu_slope = (c.ankle - s.before) * c.per_double
    mu = s.before + (c.ankle - s.before) * passed
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


def advance(c: "Stride", s: "StepState", time: Real, fx: Real, fy: Real) -> tuple[Plane, Plane]:
    """Both planes ``time`` seconds later, within one step, under the force (fx, fy) on the pelvis: the part before T_ds
    is double support, the rest single support."""
    both = m.max(m.min(s.t + time, c.double_time) - s.t, 0.0)
    x1, y1 = double_support(c, s, both, fx, fy)
    since = m.max(s.t - c.double_time, 0.0)
    return single_support(c, s.d, since, single_basis(c, time - both), s.hips, fx, fy, x1, y1)


def next_step(c: "Stride", s: "StepState", turn: Real) -> StepState:
    """The start of the next step where this one ends: the feet swap roles, the swing foot comes to rest, and the frame
    moves to the new stance foot, turned by ``turn_out``; the frame after it will turn by ``turn``."""
    cos = m.cos(s.heading)
    sin = m.sin(s.heading)
    ca = m.cos(s.turn_out)
    sa = m.sin(s.turn_out)
    sx, sy = in_turned_axes(ca, sa, -s.x.s, -s.y.s)
    px, py = in_turned_axes(ca, sa, s.x.p - s.x.s, s.y.p - s.y.s)
    pvx, pvy = in_turned_axes(ca, sa, s.x.pv, s.y.pv)
    foot_x = s.foot_x + cos * s.x.s - sin * s.y.s
    foot_y = s.foot_y + sin * s.x.s + cos * s.y.s
    x = Plane(sx, px, 0.0, pvx)
    y = Plane(sy, py, 0.0, pvy)
    rest = Hips(0.0, 0.0, 0.0, 0.0)
    before = c.ankle + c.ankle_ramp
    return StepState(0.0, -s.d, before, x, y, rest, foot_x, foot_y, s.heading + s.turn_out, s.turn_out, turn)


def step_of(r: "StepRow") -> StepState:
    """A walker within its step from its numbers."""
    x = Plane(r[2], r[3], r[4], r[5])
    y = Plane(r[6], r[7], r[8], r[9])
    return StepState(r[0], r[1], r[14], x, y, Hips(r[10], r[11], r[12], r[13]), r[15], r[16], r[17], r[18], r[19])


def step_row(s: "StepState") -> StepRow:
    """The numbers of a walker within its step."""
    x = s.x
    y = s.y
    h = s.hips
    return StepRow(
        s.t, s.d, x.s, x.p, x.sv, x.pv, y.s, y.p, y.sv, y.pv, h.vx, h.wx, h.vy, h.wy,
        s.before, s.foot_x, s.foot_y, s.heading, s.turn_in, s.turn_out,
    )  # fmt: skip
