"""A leg's posture from hip, foot and knee target (paper 003 sections 4.2 and 4.3), with the foot flap that it leaves out.

Written once for numpy and Warp. Angles are in the leg's plane, which holds the hip, the foot and the x axis: thigh and
shank from straight down, forward positive; the foot's pitch with the toe up positive.
"""

from footfall.pendulum.smooth import ramp
from footfall.pendulum.twin import Real, m

__all__ = ["foot_points", "heel_rise", "leg_angles", "reach_cap"]

Stride = Real


def heel_rise(c: "Stride", hx: Real, hy: Real, hz: Real, fx: Real, fy: Real, lift: Real, target: Real) -> Real:
    """How far the heel turns up about the toe, rad, at least 0.

    The knee lies on the line from the hip (hx, hy, hz) to the ground point ``target`` ahead of it; ankle angles between 30
    and 170 degrees bound its distance from the toe; the ankle is where the circles about toe and knee meet behind.
    """
    up = m.sqrt((hy - fy) * (hy - fy) + (hz - lift) * (hz - lift))
    long = m.sqrt(target * target + hz * hz)
    kx = hx + c.thigh * target / long - fx - c.toe
    kz = up - c.thigh * hz / long
    sole = m.sqrt(c.toe * c.toe + c.ankle_height * c.ankle_height)
    sides = c.shank * c.shank + sole * sole
    near = sides - 1.7320508 * c.shank * sole
    far = sides + 1.9696155 * c.shank * sole
    square = m.max(m.min(kx * kx + kz * kz, far), near)
    inside = (square + sole * sole - c.shank * c.shank) / (2.0 * m.sqrt(square) * sole)
    rise = m.atan2(kz, kx) + m.acos(m.max(m.min(inside, 1.0), -1.0))
    flat = 3.14159265358979 - m.atan2(c.ankle_height, c.toe)
    return m.min(ramp(flat - rise, 0.06), 1.4)


def foot_points(c: "Stride", fx: Real, lift: Real, rise: Real, flap: Real) -> tuple[Real, Real, Real, Real, Real]:
    """Heel (x, z), ankle (x, z) and pitch of a foot whose heel point is at (fx, lift) when flat: the heel is turned up by
    ``rise`` about the toe, the toe by ``flap`` about the heel."""
    heel_x = fx + c.toe * (1.0 - m.cos(rise))
    heel_z = lift + c.toe * m.sin(rise)
    pitch = flap - rise
    return heel_x, heel_z, heel_x - c.ankle_height * m.sin(pitch), heel_z + c.ankle_height * m.cos(pitch), pitch


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
    along = m.atan2(dx, down)
    at_hip = m.acos((square + c.thigh * c.thigh - c.shank * c.shank) / (2.0 * length * c.thigh))
    at_ankle = m.acos((square + c.shank * c.shank - c.thigh * c.thigh) / (2.0 * length * c.shank))
    return along + at_hip, along - at_ankle, m.atan2(ay - hy, hz - az)
