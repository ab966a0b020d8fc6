"""The whole body from the 3LP state at one instant: the kinematic conversion of paper 003 section 4, carried on to what the
paper leaves out (foot flap, pelvis rotation and list, arms and trunk). Nothing here looks back in time.

Written once for numpy and Warp. All positions are relative to the stance foot, in the slope's frame.
"""

from footfall.pendulum.leg import foot_points, heel_rise, leg_angles, reach_cap
from footfall.pendulum.pelvis_height import foot_ratio, height_adaptive
from footfall.pendulum.smooth import alpha, beta, ease, ramp
from footfall.pendulum.twin import Real, m

__all__ = ["knee_targets", "posture", "toe_flap", "toe_lift"]

Stride = Real


def knee_targets(c: "Stride", t: Real, px: Real, qx: Real, vx: Real) -> tuple[Real, Real]:
    """Ground points ahead of the stance and the swing hip at which the thighs point (equations 32 and 33)."""
    ratio = foot_ratio(c, px, qx)
    return px - alpha(c, t) * vx + 0.5 * c.toe * (1.0 + ratio), qx - beta(c, t) * vx + 0.5 * c.toe * (1.0 - ratio)


def toe_lift(c: "Stride", t: Real) -> Real:
    """Height of the swing toe: a raised cosine over single support, at rest at both ends (section 4.2)."""
    u = m.max(t - c.double, 0.0) / c.single
    return 0.5 * c.clearance * c.leg * (1.0 - m.cos(6.28318530717959 * u))


def toe_flap(c: "Stride", t: Real, ratio: Real) -> tuple[Real, Real]:
    """Toe-up pitch of stance and swing foot: it grows over the second half of the swing, is greatest at heel strike and
    falls to 0 while the load comes on; in proportion to the foot's lead over the other."""
    landing = m.max(c.double, 0.16 * c.duration)
    stance = 1.0 - ease(t / landing)
    swing = ease((t - c.double - 0.45 * c.single) / (0.55 * c.single))
    return c.flap * stance * ramp(-ratio, 0.08), c.flap * swing * ramp(ratio, 0.08)


def posture(
    c: "Stride",
    d: Real,
    t: Real,
    sx: Real,
    px: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    pvy: Real,
) -> tuple[
    Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real
]:
    """The body at time ``t`` of a step from the 3LP state: pelvis x and height, its rotation and list, leg spread; then for
    the stance and for the swing leg: thigh, shank, roll, pitch, heel x, heel z, in that order, and the ankle x of both.

    Pelvis rotation is about z (left positive), list about x (left side down positive in the right-handed sense); leg
    spread, left minus right knee target in leg lengths, is what arms and trunk follow.
    """
    to_px = -px
    to_py = d * c.half_pelvis - py
    to_qx = sx - px
    to_qy = sy - py - d * c.half_pelvis
    z = height_adaptive(c, t, to_px, to_py, to_qx, to_qy, pvx, pvy)
    up, uq = knee_targets(c, t, to_px, to_qx, pvx)
    spread = d * (uq - up) / c.leg
    turn = -c.pelvis_turn * spread
    u = t / c.duration
    w = 1.0 - u
    drop = -28.935 * c.pelvis_drop * d * u * u * w * w * w

    tangent = c.sin_slope / c.cos_slope
    pelvis_x = px + tangent * (z - c.leg * c.cos_slope)
    side_x = -d * c.half_pelvis * m.sin(turn)
    side_y = d * c.half_pelvis * m.cos(turn) * m.cos(drop)
    side_z = d * c.half_pelvis * m.sin(drop)
    stance_hx = pelvis_x - side_x
    stance_hy = py - side_y
    swing_hx = pelvis_x + side_x
    swing_hy = py + side_y

    ratio = foot_ratio(c, to_px, to_qx)
    flap_p, flap_q = toe_flap(c, t, ratio)
    lift = toe_lift(c, t)
    ground = 0.0 * t
    rise_p = heel_rise(c, stance_hx, stance_hy, z - side_z, ground, ground, ground, up) * (
        1.0 - flap_p / (flap_p + 0.02)
    )
    rise_q = heel_rise(c, swing_hx, swing_hy, z + side_z, sx, sy, lift, uq)
    heel_px, heel_pz, ankle_px, ankle_pz, pitch_p = foot_points(c, ground, ground, rise_p, flap_p)
    heel_qx, heel_qz, ankle_qx, ankle_qz, pitch_q = foot_points(c, sx, lift, rise_q, flap_q)
    cap_p = reach_cap(c, stance_hx, stance_hy, ankle_px, ground, ankle_pz) + side_z
    cap_q = reach_cap(c, swing_hx, swing_hy, ankle_qx, sy, ankle_qz) - side_z
    rounding = 0.005 * c.leg
    z1 = z - ramp(z - cap_p, rounding)
    z2 = z1 - ramp(z1 - cap_q, rounding)
    thigh_p, shank_p, roll_p = leg_angles(c, stance_hx, stance_hy, z2 - side_z, ankle_px, ground, ankle_pz)
    thigh_q, shank_q, roll_q = leg_angles(c, swing_hx, swing_hy, z2 + side_z, ankle_qx, sy, ankle_qz)
    return (
        pelvis_x,
        z2,
        turn,
        drop,
        spread,
        thigh_p,
        shank_p,
        roll_p,
        pitch_p,
        heel_px,
        heel_pz,
        ankle_px,
        thigh_q,
        shank_q,
        roll_q,
        pitch_q,
        heel_qx,
        heel_qz,
        ankle_qx,
    )
