"""The whole body from the 3LP state at one instant: the kinematic conversion (Faraji and Ijspeert 2018, section 4),
carried on to what the paper leaves out (foot flap, pelvis rotation and list, arms and trunk). Nothing here looks back
in time.

Written once for numpy and Warp. All positions are relative to the stance foot, in the slope's frame.

Pelvis height (section 4.1), adaptive and fixed: the straight leg is thigh plus shank, the ankle's height is added last,
and the paper's foot length h is heel to metatarsal joint; ``p`` and ``q`` point from the stance and swing hip to their
foot. Legs (sections 4.2 and 4.3; the flap is ours): angles are in the leg's plane, which holds the hip, the foot and
the x axis, thigh and shank from straight down, forward positive; the foot's pitch with the toe up positive.
"""

from typing import NamedTuple

from footfall.methods.pendulum.closed_form import StepState, in_turned_axes
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


def heel_rise(
    c: "Stride", hx: Real, hy: Real, hz: Real, fx: Real, fy: Real, lift: Real, target: Real, swing: Real
) -> Real:
    """How far the heel turns up about the toe, rad: smoothly 0 or more, below 1.6.

    The knee lies on the line from the hip (hx, hy, hz) to the ground point ``target`` ahead of it; the ankle is where
    the circles about toe and knee meet behind. The ankle bends by no more than about 30 degrees up (10 in the middle
    of the swing, where ``swing`` is 1) and 45 down, which bounds the knee's distance from the toe.
    """
    up = m.sqrt((hy - fy) * (hy - fy) + (hz - lift) * (hz - lift))
    long = m.sqrt(target * target + hz * hz)
    kx = hx + c.thigh * target / long - fx - c.toe
    kz = up - c.thigh * hz / long
    sole = m.sqrt(c.toe * c.toe + c.ankle_height * c.ankle_height)
    sides = c.shank * c.shank + sole * sole
    pair = 2.0 * c.shank * sole
    near = sides + pair * (0.4 * swing - 0.06)
    far = sides + pair * 0.92
    square = kx * kx + kz * kz
    rounding = 0.15 * pair
    square = near + ramp(square - near, rounding)
    square = far - ramp(far - square, rounding)
    inside = (square + sole * sole - c.shank * c.shank) / (2.0 * m.sqrt(square) * sole)
    inside = m.max(m.min(inside, 1.0), -1.0)
    outside = m.sqrt(1.0 - inside * inside)
    ax = kx * inside - kz * outside
    az = kz * inside + kx * outside
    lifted = m.atan2(ax * c.ankle_height + az * c.toe, az * c.ankle_height - ax * c.toe)
    free = ramp(lifted, 0.1 + 0.25 * swing)
    part = free * free / 2.56
    part = part * part
    return free / m.sqrt(m.sqrt(m.sqrt(1.0 + part * part)))


def foot_points(c: "Stride", lift: Real, rise: Real, flap: Real) -> tuple[Real, Real, Real]:
    """Ankle (ahead of the flat foot's heel point, over the ground) and pitch: the heel is turned up by ``rise`` about
    the toe, the toe by ``flap`` about the heel."""
    pitch = flap - rise
    ahead = c.toe * (1.0 - m.cos(rise)) - c.ankle_height * m.sin(pitch)
    return ahead, lift + c.toe * m.sin(rise) + c.ankle_height * m.cos(pitch), pitch


def toe_pitch(c: "Stride", lift: Real, pitch: Real) -> Real:
    """Pitch of the toes beyond the metatarsal joint: they stay on the ground while the heel is up, and hang from a
    lifted foot no lower than the ground allows (they are two thirds as long as heel to joint)."""
    hang = m.min(1.2 * lift / c.toe, 0.5)
    return pitch + ramp(-hang - pitch, 0.4 * hang + 0.001)


def reach_cap(c: "Stride", hx: Real, hy: Real, ax: Real, ay: Real, az: Real) -> Real:
    """The greatest height at which a hip over (hx, hy) still reaches the ankle with the knee bent by 5 degrees."""
    longest = 0.999 * c.straight
    square = longest * longest - (hx - ax) * (hx - ax) - (hy - ay) * (hy - ay)
    return az + m.sqrt(m.max(square, 0.04 * longest * longest))


def two_link_angles(c: "Stride", hx: Real, hy: Real, hz: Real, ax: Real, ay: Real, az: Real) -> tuple[Real, Real, Real]:
    """Thigh and shank angles with the knee forward, and the leg plane's roll about x, from hip to ankle."""
    dx = ax - hx
    down = m.sqrt((hy - ay) * (hy - ay) + (hz - az) * (hz - az))
    far = m.sqrt(dx * dx + down * down)
    length = m.max(m.min(far, 0.9999 * c.straight), 0.3 * c.straight)
    square = length * length
    inside = (square + c.thigh * c.thigh - c.shank * c.shank) / (2.0 * length * c.thigh)
    outside = m.sqrt(m.max(1.0 - inside * inside, 0.0))
    kx = inside * dx + outside * down
    kz = inside * down - outside * dx
    shank = m.atan2(length * dx - c.thigh * kx, length * down - c.thigh * kz)
    return m.atan2(kx, kz), shank, m.atan2(ay - hy, hz - az)


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


class WalkerPosture(NamedTuple):
    """The body at one instant; angles in rad, lengths in m.

    How far the pelvis is ahead of 3LP's along a slope and how high over the ground, where the body heads against the
    step's frame; then, against that heading, the pelvis' rotation about z and list about x, the leg spread (left minus
    right knee target in leg lengths; arms and trunk follow it) and each leg's angles with the foot's yaw.
    """

    pelvis_shift: Real
    pelvis_z: Real
    heading: Real
    pelvis_turn: Real
    pelvis_list: Real
    spread: Real
    stance_thigh: Real
    stance_shank: Real
    stance_roll: Real
    stance_pitch: Real
    stance_toe: Real
    stance_yaw: Real
    swing_thigh: Real
    swing_shank: Real
    swing_roll: Real
    swing_pitch: Real
    swing_toe: Real
    swing_yaw: Real


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


def posture(c: "Stride", s: "StepState") -> WalkerPosture:
    """The body at an instant of a step.

    It heads from half of the frame's last turn to half of its next, and everything is built in the frame that it
    heads in, so that nothing jumps from step to step; the swing foot turns from where it stood to where it will
    stand.
    """
    t = s.t
    d = s.d
    turn_in = s.turn_in
    turn_out = s.turn_out
    u = t / c.duration
    w = 1.0 - u
    heading = 0.5 * ((turn_in + turn_out) * ease(u) - turn_in)
    stance_yaw = -heading
    swing_yaw = (turn_in + turn_out) * ease((t - c.double_time) / c.single_time) - turn_in - heading
    cos = m.cos(heading)
    sin = m.sin(heading)
    fx, fy = in_turned_axes(cos, sin, s.x.s, s.y.s)
    hx, hy = in_turned_axes(cos, sin, s.x.p, s.y.p)
    vx, vy = in_turned_axes(cos, sin, s.x.pv, s.y.pv)
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
    thigh_p, shank_p, roll_p = two_link_angles(c, stance_hx, stance_hy, z2 - side_z, ankle_px, ankle_py, ankle_pz)
    thigh_q, shank_q, roll_q = two_link_angles(c, swing_hx, swing_hy, z2 + side_z, ankle_qx, ankle_qy, ankle_qz)
    return WalkerPosture(
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
