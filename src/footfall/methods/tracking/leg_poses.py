"""The legs of a pose: where an ankle is, how a foot is turned in the world, and legs changed so that they are
elsewhere."""

from dataclasses import dataclass

import warp as wp

from footfall.control.law import Types
from footfall.figures import Figure
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations
from footfall.methods.tracking.two_bone import hinged_two_bone_function, two_bone_function
from footfall.motion.synthesis.ball_poses import legs_of


@dataclass(frozen=True)
class LegPoses:
    """Warp functions over the legs of a pose; a side is 0 for left, 1 for right.

    Attributes:
        hip_of: (side) -> the hip's address.
        ankle: (pose, side) -> the ankle's place from the pelvis, in the world.
        foot: (pose, side) -> the foot's orientation in the world. set_foot: (pose, side, orientation).
        move_ankle: (pose, side, move) moves it by turning hip and knee. raise_ankle: (pose, side, rise) does so
            upwards.
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
