"""The whole body from the 3LP state at one instant: the kinematic conversion (Faraji and Ijspeert 2018, section 4),
carried on to what the paper leaves out (foot flap, pelvis rotation and list, arms and trunk). Nothing here looks back
in time.

Written once for numpy and Warp. All positions are relative to the stance foot, in the slope's frame.
"""

from footfall.methods.pendulum.leg import foot_points, heel_rise, leg_angles, reach_cap, toe_pitch
from footfall.methods.pendulum.numpy_warp import Real, m
from footfall.methods.pendulum.pelvis_height import foot_ratio, height_adaptive, height_fixed
from footfall.methods.pendulum.smooth import alpha, beta, ease, ramp

Stride = Real
Posture = tuple[
    Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real, Real
]

POSTURE = (
    "pelvis_shift",
    "pelvis_z",
    "heading",
    "pelvis_turn",
    "pelvis_list",
    "spread",
    "stance_thigh",
    "stance_shank",
    "stance_roll",
    "stance_pitch",
    "stance_toe",
    "stance_yaw",
    "swing_thigh",
    "swing_shank",
    "swing_roll",
    "swing_pitch",
    "swing_toe",
    "swing_yaw",
)
"""What :func:`posture` returns: how far the pelvis is ahead of 3LP's along a slope and how high over the ground, where
the body heads against the step's frame; then, against that heading, the pelvis' rotation about z and list about x, the
leg spread (left minus right knee target in leg lengths; arms and trunk follow it) and each leg's angles (see
:mod:`footfall.methods.pendulum.leg`) with the foot's yaw."""


def knee_targets(c: "Stride", t: Real, px: Real, qx: Real, vx: Real) -> tuple[Real, Real]:
    """Ground points ahead of the stance and the swing hip at which the thighs point (equations 32 and 33)."""
    ratio = foot_ratio(c, px, qx)
    return px - alpha(c, t) * vx + 0.5 * c.toe * (1.0 + ratio), qx - beta(c, t) * vx + 0.5 * c.toe * (1.0 - ratio)


def swing_share(c: "Stride", t: Real) -> Real:
    """Over single support from 0 to 1 (at two fifths) and back, flat at both ends; 0 in double support."""
    u = m.max(t - c.double_time, 0.0) / c.single_time
    w = 1.0 - u
    return 28.935 * u * u * w * w * w


def toe_lift(c: "Stride", t: Real) -> Real:
    """Height of the swing toe: lifted soon after it leaves the ground, at rest at both ends (section 4.2)."""
    return c.clearance * c.leg * swing_share(c, t)


def toe_flap(c: "Stride", t: Real, ratio: Real) -> tuple[Real, Real]:
    """Toe-up pitch of stance and swing foot: it grows over the second half of the swing, is greatest at heel strike and
    falls to 0 while the load comes on; in proportion to the foot's lead over the other."""
    landing = m.max(c.double_time, 0.16 * c.duration)
    stance = 1.0 - ease(t / landing)
    swing = ease((t - c.double_time - 0.5 * c.single_time) / (0.5 * c.single_time))
    return c.flap * stance * ramp(-ratio, 0.08), c.flap * swing * ramp(ratio, 0.08)


def posture(
    c: "Stride",
    d: Real,
    t: Real,
    turn_in: Real,
    turn_out: Real,
    sx: Real,
    px: Real,
    pvx: Real,
    sy: Real,
    py: Real,
    pvy: Real,
) -> Posture:
    """The body at time ``t`` of a step from the 3LP state, in the order of :data:`POSTURE`.

    ``turn_in`` is how far the step's frame has turned left against the last one's, ``turn_out`` how far the next
    one's will. The body heads from half of one to half of the other, and everything is built in the frame that it
    heads in, so that nothing jumps from step to step; the swing foot turns from where it stood to where it will
    stand.
    """
    u = t / c.duration
    w = 1.0 - u
    heading = 0.5 * ((turn_in + turn_out) * ease(u) - turn_in)
    stance_yaw = -heading
    swing_yaw = (turn_in + turn_out) * ease((t - c.double_time) / c.single_time) - turn_in - heading
    cos = m.cos(heading)
    sin = m.sin(heading)
    fx = cos * sx + sin * sy
    fy = cos * sy - sin * sx
    hx = cos * px + sin * py
    hy = cos * py - sin * px
    vx = cos * pvx + sin * pvy
    vy = cos * pvy - sin * pvx
    to_px = -hx
    to_py = d * c.half_pelvis - hy
    to_qx = fx - hx
    to_qy = fy - hy - d * c.half_pelvis
    adaptive = height_adaptive(c, t, to_px, to_py, to_qx, to_qy, vx, vy)
    z = adaptive + c.fixed * (height_fixed(c, t, to_px, to_py, to_qx, to_qy, vx, vy) - adaptive)
    up, uq = knee_targets(c, t, to_px, to_qx, vx)
    spread = d * (uq - up) / c.leg
    turn = -c.pelvis_turn * spread
    drop = -28.935 * c.pelvis_drop * d * u * u * w * w * w

    tangent = c.sin_slope / c.cos_slope
    shift = tangent * (z - c.leg * c.cos_slope)
    level = d * c.half_pelvis * m.cos(drop)
    side_x = -level * m.sin(turn)
    side_y = level * m.cos(turn)
    side_z = d * c.half_pelvis * m.sin(drop)
    stance_hx = hx + shift - side_x
    stance_hy = hy - side_y
    swing_hx = hx + shift + side_x
    swing_hy = hy + side_y

    flap_p, flap_q = toe_flap(c, t, foot_ratio(c, to_px, to_qx))
    lift = toe_lift(c, t)
    ground = 0.0 * t
    swing = swing_share(c, t)
    rise_p = heel_rise(c, stance_hx, stance_hy, z - side_z, ground, ground, ground, up, ground)
    rise_q = heel_rise(c, swing_hx, swing_hy, z + side_z, fx, fy, lift, uq, swing)
    rise_p = rise_p * 0.05 / (flap_p + 0.05)
    rise_q = rise_q * 0.05 / (flap_q + 0.05)
    ahead_p, ankle_pz, pitch_p = foot_points(c, ground, rise_p, flap_p)
    ahead_q, ankle_qz, pitch_q = foot_points(c, lift, rise_q, flap_q)
    ankle_px = ahead_p * cos
    ankle_py = -ahead_p * sin
    ankle_qx = fx + ahead_q * m.cos(swing_yaw)
    ankle_qy = fy + ahead_q * m.sin(swing_yaw)
    cap_p = reach_cap(c, stance_hx, stance_hy, ankle_px, ankle_py, ankle_pz) + side_z
    cap_q = reach_cap(c, swing_hx, swing_hy, ankle_qx, ankle_qy, ankle_qz) - side_z
    rounding = 0.005 * c.leg
    tall = cap_p - ramp(cap_p - cap_q, 4.0 * rounding) - 0.006 * c.leg
    z0 = z + c.stretch * (tall - z)
    z1 = z0 - ramp(z0 - cap_p, rounding)
    z2 = z1 - ramp(z1 - cap_q, rounding)
    thigh_p, shank_p, roll_p = leg_angles(c, stance_hx, stance_hy, z2 - side_z, ankle_px, ankle_py, ankle_pz)
    thigh_q, shank_q, roll_q = leg_angles(c, swing_hx, swing_hy, z2 + side_z, ankle_qx, ankle_qy, ankle_qz)
    return (
        shift,
        z2,
        heading,
        turn,
        drop,
        spread,
        thigh_p,
        shank_p,
        roll_p,
        pitch_p,
        toe_pitch(c, ground, pitch_p),
        stance_yaw,
        thigh_q,
        shank_q,
        roll_q,
        pitch_q,
        toe_pitch(c, lift, pitch_q),
        swing_yaw,
    )
