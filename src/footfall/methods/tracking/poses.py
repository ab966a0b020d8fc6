"""Poses of the law: the motion that it follows, its legs, and those that it remembers.

Frames of the library are warped so that fragments join, and extended when a foot lands late (Data-Driven Biped Control,
section 4.2, with rotations as in its appendix A):

    M(t) <- M'(t) (P ⊘ M'(0))^r(t)                                                                      (equation 6)

P is the last target pose, r falls from 1 to 0 over the fragment. Past its last frame the motion goes on with the
joints' velocities of the last three frames, except for the stance leg, which keeps its orientation in the world.

A leg's ankle is moved to a position by turning hip and knee in the leg's own plane (Lee and Shin 1999). The law of
cosines gives the new angles in the plane of hip, knee and ankle; the plane is then turned so that the ankle lies in the
wanted direction. A position out of reach is met as far as the stretched leg goes. A knee that is a hinge bends about
its own axis, which need not be normal to that plane: a robot's thigh may hang beside its hip. What lies along the axis
then stays as it is, and the law of cosines holds for the rest.
"""

from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.joints import rotation_vector
from footfall.figures import Figure
from footfall.methods.tracking.layout import TrackingLayout
from footfall.motion.ball_poses import legs_of


@dataclass(frozen=True)
class Rotations:
    """Warp functions over rotations, for one scalar type.

    Attributes:
        Quat, Vec3: types.
        log: (q) -> rotation vector, the short way round.
        exp: (v) -> quaternion.
        part: (a, b, weight) -> a (a⁻¹ b)^weight, from a towards b.
        smooth: (x) -> 3x² - 2x³ between 0 and 1 (appendix B).
        about_up: (angle) -> the turn about the vertical.
    """

    Quat: Any
    Vec3: Any
    log: wp.Function
    exp: wp.Function
    part: wp.Function
    smooth: wp.Function
    about_up: wp.Function


def rotation_functions(real: Any) -> Rotations:
    """The functions for a scalar type."""
    Quat = wp.types.quaternion(dtype=real)
    Vec3 = wp.types.vector(length=3, dtype=real)
    vector_of = rotation_vector(real)
    zero, half, one, two, three, tiny = (real(x) for x in (0.0, 0.5, 1.0, 2.0, 3.0, 1e-12))

    @wp.func
    def log(q: Quat):
        return vector_of(Vec3(q[0], q[1], q[2]), q[3])

    @wp.func
    def exp(v: Vec3):
        angle = wp.length(v)
        scale = half
        if angle > tiny:
            scale = wp.sin(half * angle) / angle
        return wp.normalize(Quat(scale * v[0], scale * v[1], scale * v[2], wp.cos(half * angle)))

    @wp.func
    def part(a: Quat, b: Quat, weight: real):
        return a * exp(weight * log(wp.quat_inverse(a) * b))

    @wp.func
    def smooth(x: real):
        y = wp.clamp(x, zero, one)
        return y * y * (three - two * y)

    @wp.func
    def about_up(angle: real):
        return Quat(zero, zero, wp.sin(half * angle), wp.cos(half * angle))

    return Rotations(Quat, Vec3, log, exp, part, smooth, about_up)


BACK = 3
"""Over how many frames velocities are estimated for the extension."""
LONGEST = 6
"""Frames after which an extension keeps its pose: a knee that goes on turning would take the foot up again. The paper
has no such limit."""


@dataclass(frozen=True)
class Poses:
    """Warp functions over poses, laid out as qpos.

    Attributes:
        Pose: the type of a pose: the figure's own qpos, or that of its skeleton of ball joints.
        get: (pose, address) -> quaternion.
        put: (pose, address, quaternion).
        reference: (library, first, index, heading, pose): a frame of the library, turned by the heading.
        warped: (memory, library, first, length, index, pose): a frame, joined to the fragment before.
        stitched: (memory, library, first, length, index, stance, legs_stay, pose): the joined and extended motion; in
            the last stretch of standing the legs keep the pose they came in with, so that no foot slides.
        kept: (memory, first, body) -> quaternion of a pose that begins at a place of the memory.
        keep: (memory, first, body, quaternion).
    """

    Pose: Any
    get: wp.Function
    put: wp.Function
    reference: wp.Function
    warped: wp.Function
    stitched: wp.Function
    kept: wp.Function
    keep: wp.Function


def pose_type(types: Types, layout: TrackingLayout) -> Any:
    """The type of the law's poses: position, then quaternions of root and joints."""
    if not layout.hinged:
        return types.compiled.Qpos
    return wp.types.vector(length=7 + 4 * layout.joints, dtype=types.real)


def _access_functions(Pose: Any, Quat: Any) -> tuple[wp.Function, wp.Function]:
    """(pose, address) -> quaternion, and (pose, address, quaternion) that puts it there."""

    @wp.func
    def get(pose: wp.ref[Pose], at: int):
        return Quat(pose[at + 1], pose[at + 2], pose[at + 3], pose[at])

    @wp.func
    def put(pose: wp.ref[Pose], at: int, q: Quat):
        pose[at] = q[3]
        pose[at + 1] = q[0]
        pose[at + 2] = q[1]
        pose[at + 3] = q[2]

    return get, put


def pose_functions(types: Types, figure: Figure, layout: TrackingLayout, r: Rotations) -> Poses:
    """The functions for a figure of ball joints, or for the skeleton of another one."""
    real, Memory, Pose = types.real, types.Memory, pose_type(types, layout)
    Quat, Vec3, log, exp, smooth, about_up = r.Quat, r.Vec3, r.log, r.exp, r.smooth, r.about_up
    get, put = _access_functions(Pose, Quat)
    places = layout.memory()
    heading, displacement = places["heading"], places["displacement"]
    bodies = layout.joints + 1
    left, right = legs_of(figure)
    addresses = ((left.hip, left.knee, left.ankle), (right.hip, right.knee, right.ankle))
    whole = dict.fromkeys(("first", "length", "index", "stance"), int)
    typed = types.typed(pose=wp.ref[Pose], turn=real, legs_stay=bool, **whole)
    one = real(1.0)

    @typed
    def reference(library, first, index, turn, pose):
        row = first + index
        column = int(0)
        while column < wp.static(7 + 4 * layout.joints):
            pose[column] = library[row, column]
            column += 1
        around = about_up(turn)
        place = wp.quat_rotate(around, Vec3(pose[0], pose[1], pose[2]))
        pose[0] = place[0]
        pose[1] = place[1]
        pose[2] = place[2]
        put(pose, 3, around * get(pose, 3))

    @typed
    def warped(memory, library, first, length, index, pose):
        """A frame of the fragment, displaced so that it joins the one before."""
        reference(library, first, index, memory[heading], pose)
        fade = one - smooth(real(index) / real(length))
        body = int(0)
        while body < wp.static(bodies):
            at = displacement + 3 * body
            shift = Vec3(memory[at], memory[at + 1], memory[at + 2])
            put(pose, 3 + 4 * body, get(pose, 3 + 4 * body) * exp(fade * shift))
            body += 1

    @typed
    def stitched(memory, library, first, length, index, stance, legs_stay, pose):
        if legs_stay:
            begun = Pose()
            warped(memory, library, first, length, 0, begun)
            warped(memory, library, first, length, wp.min(index, length), pose)
            for side in range(2):
                for k in range(3):
                    at = wp.static(addresses[side][k])
                    put(pose, at, get(begun, at))
        elif index <= length:
            warped(memory, library, first, length, index, pose)
        else:
            warped(memory, library, first, length, length, pose)
            held = get(pose, 3)
            hip = wp.static(addresses[0][0])
            knee = wp.static(addresses[0][1])
            ankle = wp.static(addresses[0][2])
            if stance == 1:
                hip = wp.static(addresses[1][0])
                knee = wp.static(addresses[1][1])
                ankle = wp.static(addresses[1][2])
            thigh = held * get(pose, hip)
            back = wp.min(wp.static(BACK), length)
            before = Pose()
            warped(memory, library, first, length, length - back, before)
            ahead = real(wp.min(index - length, wp.static(LONGEST))) / real(back)
            for k in range(3):
                pose[k] = pose[k] + ahead * (pose[k] - before[k])
            knee_kept = get(pose, knee)
            ankle_kept = get(pose, ankle)
            body = int(0)
            while body < wp.static(bodies):
                at = 3 + 4 * body
                was = get(before, at)
                now = get(pose, at)
                put(pose, at, now * exp(ahead * log(wp.quat_inverse(was) * now)))
                body += 1
            put(pose, hip, wp.quat_inverse(get(pose, 3)) * thigh)
            put(pose, knee, knee_kept)
            put(pose, ankle, ankle_kept)

    return Poses(Pose, get, put, reference, warped, stitched, *_kept_pose_functions(Memory, Quat))


def _bone_functions(r: Rotations, real: Any) -> tuple[wp.Function, wp.Function]:
    """What both ways of moving an ankle share.

    (thigh, shin, m, n, before, after, axis) -> thigh and shin turned about an axis, so that a leg of bones m and n that
    reaches ``before`` reaches ``after``.
    (thigh, shin, reach, wanted) -> thigh and shin swung from the direction that they reach in to the wanted one.
    """
    Quat, Vec3, exp = r.Quat, r.Vec3, r.exp
    one, two, tiny = real(1.0), real(2.0), real(1e-9)

    @wp.func
    def corner(opposite: real, a: real, b: real):
        cosine = (a * a + b * b - opposite * opposite) / (two * a * b)
        return wp.acos(wp.clamp(cosine, -one, one))

    @wp.func
    def bent(thigh: Quat, shin: Quat, m: real, n: real, before: real, after: real, axis: Vec3):
        turn = corner(n, before, m) - corner(n, after, m)
        bend = corner(m, after, n) - corner(m, before, n)
        return exp(turn * axis) * thigh, exp(bend * axis) * shin

    @wp.func
    def swung(thigh: Quat, shin: Quat, reach: Vec3, wanted: Vec3):
        turned_thigh = thigh
        turned_shin = shin
        plane = wp.cross(reach, wanted)
        width = wp.length(plane)
        if width > tiny:
            swing = exp(plane * (wp.atan2(width, wp.dot(reach, wanted)) / width))
            turned_thigh = swing * turned_thigh
            turned_shin = swing * turned_shin
        return turned_thigh, turned_shin

    return bent, swung


def two_bone_function(r: Rotations, real: Any) -> wp.Function:
    """(thigh, shin, knee, ankle, move) -> thigh and shin turned so that the ankle moves by ``move``.

    ``thigh`` and ``shin`` are world orientations, ``knee`` and ``ankle`` the offsets of those joints in their parents'
    frames.
    """
    Quat, Vec3, tiny = r.Quat, r.Vec3, real(1e-9)
    bent, swung = _bone_functions(r, real)

    @wp.func
    def two_bone(thigh: Quat, shin: Quat, knee: Vec3, ankle: Vec3, move: Vec3):
        upper = wp.quat_rotate(thigh, knee)
        lower = wp.quat_rotate(shin, ankle)
        reach = upper + lower
        wanted = reach + move
        after = wp.length(wanted)
        axis = wp.cross(upper, reach)
        size = wp.length(axis)
        turned_thigh = thigh
        turned_shin = shin
        if size > tiny and after > tiny:
            turned_thigh, turned_shin = bent(
                thigh, shin, wp.length(upper), wp.length(lower), wp.length(reach), after, axis / size
            )
        turned_thigh, turned_shin = swung(turned_thigh, turned_shin, reach, wanted)
        return turned_thigh, turned_shin

    return two_bone


def hinged_two_bone_function(r: Rotations, real: Any) -> wp.Function:
    """(thigh, shin, knee, ankle, side, move) as :func:`two_bone_function`, with the knee's axis ``side`` in the thigh's
    frame, about which it bends as knees do."""
    Quat, Vec3, zero, tiny = r.Quat, r.Vec3, real(0.0), real(1e-9)
    bent, swung = _bone_functions(r, real)

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
        before = wp.length(flat_upper + flat_lower)
        after = wp.sqrt(wp.max(wp.dot(wanted, wanted) - beside * beside, tiny))
        turned_thigh = thigh
        turned_shin = shin
        if before > tiny:
            turned_thigh, turned_shin = bent(
                thigh, shin, wp.length(flat_upper), wp.length(flat_lower), before, after, axis
            )
        reach = wp.quat_rotate(turned_thigh, knee) + wp.quat_rotate(turned_shin, ankle)
        turned_thigh, turned_shin = swung(turned_thigh, turned_shin, reach, wanted)
        return turned_thigh, turned_shin

    return two_bone


def _kept_pose_functions(Memory: Any, Quat: Any) -> tuple[wp.Function, wp.Function]:
    """``kept`` and ``keep``."""

    @wp.func
    def kept(memory: wp.ref[Memory], first: int, body: int):
        q = first + 4 * body
        return Quat(memory[q + 1], memory[q + 2], memory[q + 3], memory[q])

    @wp.func
    def keep(memory: wp.ref[Memory], first: int, body: int, value: Quat):
        q = first + 4 * body
        memory[q] = value[3]
        memory[q + 1] = value[0]
        memory[q + 2] = value[1]
        memory[q + 3] = value[2]

    return kept, keep


@dataclass(frozen=True)
class LegPoses:
    """Warp functions over the legs of a pose; a side is 0 for left, 1 for right.

    Attributes:
        hip_of: (side) -> the hip's address.
        ankle: (pose, side) -> the ankle's position from the pelvis, in the world.
        foot: (pose, side) -> the foot's orientation in the world.
        set_foot: (pose, side, orientation).
        move_ankle: (pose, side, move) moves it by turning hip and knee.
        raise_ankle: (pose, side, rise) does so upwards.
    """

    hip_of: wp.Function
    ankle: wp.Function
    foot: wp.Function
    set_foot: wp.Function
    move_ankle: wp.Function
    raise_ankle: wp.Function


def leg_pose_functions(types: Types, figure: Figure, r: Rotations, poses: Poses) -> LegPoses:
    """The functions for a figure."""
    real, Pose, Quat, Vec3 = types.real, poses.Pose, r.Quat, r.Vec3
    get, put = poses.get, poses.put
    two_bone, hinged_two_bone = two_bone_function(r, real), hinged_two_bone_function(r, real)
    left, right = legs_of(figure)
    hips, knees, ankles = ((getattr(left, n), getattr(right, n)) for n in ("hip", "knee", "ankle"))
    hip_at, knee_at, ankle_at = (
        tuple(Vec3(*(float(x) for x in getattr(leg, n))) for leg in (left, right))
        for n in ("hip_at", "knee_at", "ankle_at")
    )
    left_hip_at, right_hip_at = hip_at
    left_knee_at, right_knee_at = knee_at
    left_ankle_at, right_ankle_at = ankle_at
    hinged = left.knee_axis is not None
    sides = [(0.0, 1.0, 0.0) if leg.knee_axis is None else leg.knee_axis for leg in (left, right)]
    left_side, right_side = (Vec3(*(float(x) for x in axis)) for axis in sides)
    zero = real(0.0)

    @wp.func
    def hip_of(side: int):
        return wp.where(side == 1, wp.static(hips[1]), wp.static(hips[0]))

    @wp.func
    def knee_of(side: int):
        return wp.where(side == 1, wp.static(knees[1]), wp.static(knees[0]))

    @wp.func
    def ankle_of(side: int):
        return wp.where(side == 1, wp.static(ankles[1]), wp.static(ankles[0]))

    @wp.func
    def ankle(pose: wp.ref[Pose], side: int):
        pelvis = get(pose, 3)
        thigh = pelvis * get(pose, hip_of(side))
        shin = thigh * get(pose, knee_of(side))
        place = wp.quat_rotate(pelvis, left_hip_at) + wp.quat_rotate(thigh, left_knee_at)
        place += wp.quat_rotate(shin, left_ankle_at)
        if side == 1:
            place = wp.quat_rotate(pelvis, right_hip_at) + wp.quat_rotate(thigh, right_knee_at)
            place += wp.quat_rotate(shin, right_ankle_at)
        return place

    @wp.func
    def foot(pose: wp.ref[Pose], side: int):
        return get(pose, 3) * get(pose, hip_of(side)) * get(pose, knee_of(side)) * get(pose, ankle_of(side))

    @wp.func
    def set_foot(pose: wp.ref[Pose], side: int, orientation: Quat):
        shin = get(pose, 3) * get(pose, hip_of(side)) * get(pose, knee_of(side))
        put(pose, ankle_of(side), wp.quat_inverse(shin) * orientation)

    @wp.func
    def move_ankle(pose: wp.ref[Pose], side: int, move: Vec3):
        pelvis = get(pose, 3)
        thigh = pelvis * get(pose, hip_of(side))
        shin = thigh * get(pose, knee_of(side))
        knee_place = left_knee_at
        ankle_place = left_ankle_at
        if side == 1:
            knee_place = right_knee_at
            ankle_place = right_ankle_at
        new_thigh = thigh
        new_shin = shin
        if wp.static(hinged):
            axis = left_side
            if side == 1:
                axis = right_side
            new_thigh, new_shin = hinged_two_bone(thigh, shin, knee_place, ankle_place, axis, move)
        else:
            new_thigh, new_shin = two_bone(thigh, shin, knee_place, ankle_place, move)
        put(pose, hip_of(side), wp.quat_inverse(pelvis) * new_thigh)
        put(pose, knee_of(side), wp.quat_inverse(new_thigh) * new_shin)

    @wp.func
    def raise_ankle(pose: wp.ref[Pose], side: int, rise: real):
        move_ankle(pose, side, Vec3(zero, zero, rise))

    return LegPoses(hip_of, ankle, foot, set_foot, move_ankle, raise_ankle)
