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

from footfall.methods.pendulum.closed_form import double_support, single_basis, single_support
from footfall.methods.pendulum.numpy_warp import Real, m

Stride = Real


def to_end(
    c: "Stride", since: Real, b2: Real, b3: Real, b4: Real, b6: Real, b7: Real, b8: Real
) -> tuple[Real, Real, Real, Real, Real, Real, Real, Real]:
    """What a unit of V and a unit of W add to the step's end: (s, p, s', p') for V, then for W."""
    qs = c.fall_ss * c.hip_s + c.fall_sp * c.hip_p
    qp = c.fall_ps * c.hip_s + c.fall_pp * c.hip_p
    ps = c.hip_s - qs
    pp = c.hip_p - qp
    w1 = (since * b3 + b4) / c.single_time
    w2 = (since * b7 + b8) / c.single_time
    w3 = (since * b2 + b3) / c.single_time
    w4 = (since * b6 + b7) / c.single_time
    return (
        b3 * qs + b7 * ps,
        b3 * qp + b7 * pp,
        b2 * qs + b6 * ps,
        b2 * qp + b6 * pp,
        w1 * qs + w2 * ps,
        w1 * qp + w2 * pp,
        w3 * qs + w4 * ps,
        w3 * qp + w4 * pp,
    )


def project_plane(
    c: "Stride",
    v_s: Real,
    v_p: Real,
    v_sv: Real,
    v_pv: Real,
    w_s: Real,
    w_p: Real,
    w_sv: Real,
    w_pv: Real,
    s: Real,
    p: Real,
    sv: Real,
    pv: Real,
) -> tuple[Real, Real]:
    """(V, W) of one plane from the end error (s, p, sv, pv) under nominal inputs and the inputs' effects on the end."""
    ratio = v_sv / w_sv
    b1 = v_p - w_p * ratio
    b2 = v_p - v_s - (w_p - w_s) * ratio
    b3 = v_pv - w_pv * ratio
    rest = sv / w_sv
    y1 = p - w_p * rest
    y2 = p - s - (w_p - w_s) * rest
    y3 = pv - w_pv * rest
    gain = c.project_0 + c.project_1 * b1 + c.project_2 * b2 + c.project_3 * b3
    v = -(c.project_1 * y1 + c.project_2 * y2 + c.project_3 * y3) / gain
    return v, -rest - ratio * v


def project(
    c: "Stride",
    d: Real,
    before: Real,
    t: Real,
    vx: Real,
    wx: Real,
    vy: Real,
    wy: Real,
    sx: Real,
    px: Real,
    svx: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    svy: Real,
    pvy: Real,
) -> tuple[Real, Real, Real, Real]:
    """The feedback's hip torques (V_x, W_x, V_y, W_y) for the state at time ``t`` of a step; (vx, wx, vy, wy), those of
    the last instant, are held when the step is almost over."""
    both = m.max(c.double_time - t, 0.0)
    dpx, dpvx, dpy, dpvy = double_support(c, before, t, both, 0.0, 0.0, sx, px, pvx, sy, py, pvy)
    since = m.max(t - c.double_time, 0.0)
    left = c.single_time - since
    rest = m.max(left, 0.05 * c.single_time)
    b1, b2, b3, b4, b5, b6, b7, b8 = single_basis(c, rest)
    esx, epx, esvx, epvx, esy, epy, esvy, epvy = single_support(
        c,
        d,
        since,
        b1,
        b2,
        b3,
        b4,
        b5,
        b6,
        b7,
        b8,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        sx,
        dpx,
        svx,
        dpvx,
        sy,
        dpy,
        svy,
        dpvy,
    )
    e1, e2, e3, e4, r1, r2, r3, r4 = to_end(c, since, b2, b3, b4, b6, b7, b8)
    nvx, nwx = project_plane(c, e1, e2, e3, e4, r1, r2, r3, r4, esx - c.end_sx, epx - c.end_px, esvx, epvx - c.end_vx)
    nvy, nwy = project_plane(
        c, e1, e2, e3, e4, r1, r2, r3, r4, esy - d * c.end_sy, epy - d * c.end_py, esvy, epvy - d * c.end_vy
    )
    hold = left < 0.05 * c.single_time
    return m.where(hold, vx, nvx), m.where(hold, wx, nwx), m.where(hold, vy, nvy), m.where(hold, wy, nwy)
