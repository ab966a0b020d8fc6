"""A leg's ankle moved to a place by turning hip and knee in the leg's own plane (Lee and Shin 1999).

The law of cosines gives the new angles in the plane of hip, knee and ankle; the plane is then turned so that the ankle
lies in the wanted direction. A place out of reach is met as far as the stretched leg goes.

A knee that is a hinge bends about its own axis, which need not be normal to that plane: a robot's thigh may hang beside
its hip. What lies along the axis then stays as it is, and the law of cosines holds for the rest.
"""

import warp as wp

from footfall.methods.tracking.rotations import Rotations


def two_bone_function(r: Rotations, real: object) -> wp.Function:
    """(thigh, shin, knee, ankle, move) -> thigh and shin turned so that the ankle moves by ``move``.

    ``thigh`` and ``shin`` are world orientations, ``knee`` and ``ankle`` the offsets of those joints in their parents'
    frames.
    """
    Quat, Vec3, exp = r.Quat, r.Vec3, r.exp
    one, two, tiny = real(1.0), real(2.0), real(1e-9)

    @wp.func
    def corner(opposite: real, a: real, b: real):
        cosine = (a * a + b * b - opposite * opposite) / (two * a * b)
        return wp.acos(wp.clamp(cosine, -one, one))

    @wp.func
    def two_bone(thigh: Quat, shin: Quat, knee: Vec3, ankle: Vec3, move: Vec3):
        upper = wp.quat_rotate(thigh, knee)
        lower = wp.quat_rotate(shin, ankle)
        reach = upper + lower
        m = wp.length(upper)
        n = wp.length(lower)
        before = wp.length(reach)
        wanted = reach + move
        after = wp.length(wanted)
        axis = wp.cross(upper, reach)
        size = wp.length(axis)
        turned_thigh = thigh
        turned_shin = shin
        if size > tiny and after > tiny:
            axis = axis / size
            turn = corner(n, before, m) - corner(n, after, m)
            bend = corner(m, after, n) - corner(m, before, n)
            turned_thigh = exp(turn * axis) * thigh
            turned_shin = exp(bend * axis) * shin
        plane = wp.cross(reach, wanted)
        width = wp.length(plane)
        if width > tiny:
            swing = exp(plane * (wp.atan2(width, wp.dot(reach, wanted)) / width))
            turned_thigh = swing * turned_thigh
            turned_shin = swing * turned_shin
        return turned_thigh, turned_shin

    return two_bone


def hinged_two_bone_function(r: Rotations, real: object) -> wp.Function:
    """(thigh, shin, knee, ankle, side, move) as :func:`two_bone_function`, with the knee's axis ``side`` in the thigh's
    frame, about which it bends as knees do."""
    Quat, Vec3, exp = r.Quat, r.Vec3, r.exp
    zero, one, two, tiny = real(0.0), real(1.0), real(2.0), real(1e-9)

    @wp.func
    def corner(opposite: real, a: real, b: real):
        cosine = (a * a + b * b - opposite * opposite) / (two * a * b)
        return wp.acos(wp.clamp(cosine, -one, one))

    @wp.func
    def two_bone(thigh: Quat, shin: Quat, knee: Vec3, ankle: Vec3, side: Vec3, move: Vec3):
        upper = wp.quat_rotate(thigh, knee)
        lower = wp.quat_rotate(shin, ankle)
        wanted = upper + lower + move
        axis = wp.quat_rotate(thigh, side)
        if wp.dot(wp.cross(upper, upper + lower), axis) < zero:
            axis = -axis
        beside = wp.dot(upper + lower, axis)
        flat_upper = upper - wp.dot(upper, axis) * axis
        flat_lower = lower - wp.dot(lower, axis) * axis
        m = wp.length(flat_upper)
        n = wp.length(flat_lower)
        before = wp.length(flat_upper + flat_lower)
        after = wp.sqrt(wp.max(wp.dot(wanted, wanted) - beside * beside, tiny))
        turned_thigh = thigh
        turned_shin = shin
        if before > tiny:
            turn = corner(n, before, m) - corner(n, after, m)
            bend = corner(m, after, n) - corner(m, before, n)
            turned_thigh = exp(turn * axis) * thigh
            turned_shin = exp(bend * axis) * shin
        reach = wp.quat_rotate(turned_thigh, knee) + wp.quat_rotate(turned_shin, ankle)
        plane = wp.cross(reach, wanted)
        width = wp.length(plane)
        if width > tiny:
            swing = exp(plane * (wp.atan2(width, wp.dot(reach, wanted)) / width))
            turned_thigh = swing * turned_thigh
            turned_shin = swing * turned_shin
        return turned_thigh, turned_shin

    return two_bone
