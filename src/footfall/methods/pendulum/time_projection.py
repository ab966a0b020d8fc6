"""Time projection: the regulator's answer to an error seen at any instant of a step (Faraji and Ijspeert 2018, 3.2).

At time t the step's end is predicted with the nominal inputs. The ramp W is chosen so that the swing foot lands at
rest, which leaves an end error y0 + B V, V being the constant hip torque. A virtual error E at the step's start,
answered by the regulator's V = -K E, must lead to the same end: (A_y - B_y K + B K) E = y0. By the matrix determinant
lemma

    V = -(r · y0) / (det D + r · B),    D = A_y - B_y K,    r = K adj D,

so that a frame needs no linear solve; r and det D are constants of the gait. Without disturbances V and W stay
constant over the step. Both planes share r and B. Near the end a torque can no longer move the foot: in the last
twentieth of the single support the last torques are held.
"""

from footfall.methods.pendulum.closed_form import (
    Basis,
    Hips,
    Plane,
    StepState,
    double_support,
    single_basis,
    single_support,
)
from footfall.methods.pendulum.numpy_warp import Real, m

Stride = Real


def to_end(c: "Stride", since: Real, basis: "Basis") -> tuple[Plane, Plane]:
    """What a unit of V and a unit of W add to the step's end."""
    f = basis.fall
    g = basis.swing
    qs = c.fall_ss * c.hip_s + c.fall_sp * c.hip_p
    qp = c.fall_ps * c.hip_s + c.fall_pp * c.hip_p
    ps = c.hip_s - qs
    pp = c.hip_p - qp
    w1 = (since * f.a + f.b) / c.single_time
    w2 = (since * g.a + g.b) / c.single_time
    w3 = (since * f.v + f.a) / c.single_time
    w4 = (since * g.v + g.a) / c.single_time
    by_v = Plane(f.a * qs + g.a * ps, f.a * qp + g.a * pp, f.v * qs + g.v * ps, f.v * qp + g.v * pp)
    return by_v, Plane(w1 * qs + w2 * ps, w1 * qp + w2 * pp, w3 * qs + w4 * ps, w3 * qp + w4 * pp)


def project_plane(c: "Stride", by_v: "Plane", by_w: "Plane", miss: "Plane") -> tuple[Real, Real]:
    """(V, W) of one plane from the end's error under nominal inputs and the inputs' effects on the end."""
    ratio = by_v.sv / by_w.sv
    b1 = by_v.p - by_w.p * ratio
    b2 = by_v.p - by_v.s - (by_w.p - by_w.s) * ratio
    b3 = by_v.pv - by_w.pv * ratio
    rest = miss.sv / by_w.sv
    y1 = miss.p - by_w.p * rest
    y2 = miss.p - miss.s - (by_w.p - by_w.s) * rest
    y3 = miss.pv - by_w.pv * rest
    gain = c.project_0 + c.project_1 * b1 + c.project_2 * b2 + c.project_3 * b3
    v = -(c.project_1 * y1 + c.project_2 * y2 + c.project_3 * y3) / gain
    return v, -rest - ratio * v


def project(c: "Stride", s: "StepState") -> Hips:
    """The feedback's hip torques at an instant of a step; those of the last instant stay when the step is almost
    over."""
    x1, y1 = double_support(c, s, m.max(c.double_time - s.t, 0.0), 0.0, 0.0)
    since = m.max(s.t - c.double_time, 0.0)
    left = c.single_time - since
    basis = single_basis(c, m.max(left, 0.05 * c.single_time))
    ex, ey = single_support(c, s.d, since, basis, Hips(0.0, 0.0, 0.0, 0.0), 0.0, 0.0, x1, y1)
    by_v, by_w = to_end(c, since, basis)
    vx, wx = project_plane(c, by_v, by_w, Plane(ex.s - c.end_sx, ex.p - c.end_px, ex.sv, ex.pv - c.end_vx))
    off = Plane(ey.s - s.d * c.end_sy, ey.p - s.d * c.end_py, ey.sv, ey.pv - s.d * c.end_vy)
    vy, wy = project_plane(c, by_v, by_w, off)
    hold = left < 0.05 * c.single_time
    h = s.hips
    return Hips(m.where(hold, h.vx, vx), m.where(hold, h.wx, wx), m.where(hold, h.vy, vy), m.where(hold, h.wy, wy))
