"""A leg's posture from hip, foot and knee target, with the foot flap after heel strike.

Faraji and Ijspeert 2018, sections 4.2 and 4.3; the flap is ours. Written once for numpy and Warp. Angles are in the
leg's plane, which holds the hip, the foot and the x axis: thigh and shank from straight down, forward positive; the
foot's pitch with the toe up positive.
"""

from footfall.methods.pendulum.numpy_warp import Real, m
from footfall.methods.pendulum.smooth import ramp

Stride = Real


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
    turned = m.atan2(ax * c.ankle_height + az * c.toe, az * c.ankle_height - ax * c.toe)
    free = ramp(turned, 0.1 + 0.25 * swing)
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


def leg_angles(c: "Stride", hx: Real, hy: Real, hz: Real, ax: Real, ay: Real, az: Real) -> tuple[Real, Real, Real]:
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
