"""Balance: the target pose corrected by what the simulated figure does (Data-Driven Biped Control, section 4.1).

In this order, each on the result of the one before, with s rising smoothly from 0 to 1 over the fragment:

- the stance foot comes to the reference's orientation in the world within the first fifth of the fragment;
- the stance hip turns until the thigh is as the simulated one, q = q_ref (q_ref⁻¹ q_pelvis⁻¹ q_thigh)^(c0 s), so
  that the pelvis is led to its reference orientation                                                   (equation 2)
- the swing hip turns the thigh by (c1 (v_d - v) + c2 (d_d - d)) s                                       (equation 3)
- the swing foot is lifted by (c5 (h_d - h) + c6 (h'_d - h')) s; where that is negative the stance foot is raised
  instead, which lowers the body                                                                        (equation 5)
- the stance ankle turns the foot by (c3 (v_d - v) + c4 (d_d - d)) s                                     (equation 4)

d is the pelvis less the stance ankle and v the pelvis's velocity, both horizontal; the sagittal plane contains the
reference pelvis's velocity, the coronal plane is across it.
"""

import math
from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.figures import Figure
from footfall.methods.tracking.layout import GAINS, SETTINGS, Layout
from footfall.methods.tracking.poses import Poses
from footfall.methods.tracking.rotations import Rotations
from footfall.methods.tracking.two_bone import two_bone_function
from footfall.motion.synthesis.ball_poses import legs_of

__all__ = ["Corrections", "correction_functions"]


@dataclass(frozen=True)
class Corrections:
    """The Warp function and its structure.

    Attributes:
        State: what corrections read: parameters' places and the errors of balance.
        ankle: (pose, side) -> the ankle's place from the pelvis, in the world.
        correct: (pose, simulated, reference, memory, parameters, row, state).
    """

    State: Any
    ankle: wp.Function
    correct: wp.Function


def correction_functions(types: Types, figure: Figure, layout: Layout, r: Rotations, poses: Poses) -> Corrections:
    """The functions for a figure."""
    real, Qpos, Memory = types.real, types.compiled.Qpos, types.Memory
    Quat, Vec3, exp, part, smooth = r.Quat, r.Vec3, r.exp, r.part, r.smooth
    get, put = poses.get, poses.put
    two_bone = two_bone_function(r, real)
    setting = {name: k for k, name in enumerate(SETTINGS)}
    gain = {name: k for k, name in enumerate(GAINS)}
    swing_at = layout.memory()["swing"]
    left, right = legs_of(figure)
    hips, knees, ankles = ((getattr(left, n), getattr(right, n)) for n in ("hip", "knee", "ankle"))
    hip_at, knee_at, ankle_at = (
        tuple(Vec3(*(float(x) for x in getattr(leg, n))) for leg in (left, right))
        for n in ("hip_at", "knee_at", "ankle_at")
    )
    left_hip_at, right_hip_at = hip_at
    left_knee_at, right_knee_at = knee_at
    left_ankle_at, right_ankle_at = ankle_at
    zero, half, one, two_pi = real(0.0), real(0.5), real(1.0), real(2.0 * math.pi)

    @wp.struct
    class State:
        gains: wp.int32
        frame: wp.int32
        time: real
        kind: wp.int32
        stance: wp.int32
        extended: wp.int32
        direction: Vec3
        velocity: Vec3
        arm: Vec3
        height: real
        height_rate: real
        height_wanted: real
        height_before: real

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
    def ankle(pose: wp.ref[Qpos], side: int):
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
    def foot_in_world(pose: wp.ref[Qpos], side: int):
        return get(pose, 3) * get(pose, hip_of(side)) * get(pose, knee_of(side)) * get(pose, ankle_of(side))

    @wp.func
    def set_foot(pose: wp.ref[Qpos], side: int, foot: Quat):
        shin = get(pose, 3) * get(pose, hip_of(side)) * get(pose, knee_of(side))
        put(pose, ankle_of(side), wp.quat_inverse(shin) * foot)

    @wp.func
    def raise_ankle(pose: wp.ref[Qpos], side: int, rise: real):
        pelvis = get(pose, 3)
        thigh = pelvis * get(pose, hip_of(side))
        shin = thigh * get(pose, knee_of(side))
        knee_place = left_knee_at
        ankle_place = left_ankle_at
        if side == 1:
            knee_place = right_knee_at
            ankle_place = right_ankle_at
        new_thigh, new_shin = two_bone(thigh, shin, knee_place, ankle_place, Vec3(zero, zero, rise))
        put(pose, hip_of(side), wp.quat_inverse(pelvis) * new_thigh)
        put(pose, knee_of(side), wp.quat_inverse(new_thigh) * new_shin)

    @wp.func
    def correct(
        pose: wp.ref[Qpos],
        simulated: wp.ref[Qpos],
        reference: wp.ref[Qpos],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        state: State,
    ):
        t = wp.min(state.time, one)
        rising = smooth(t)
        g = state.gains
        up = Vec3(zero, zero, one)
        pelvis = get(pose, 3)
        stands = state.kind == 0
        swings = state.kind == 1 or state.kind == 2

        # the stance foot's orientation
        if parameters[row, wp.static(setting["stabilise"])] > zero:
            weight = smooth(t / parameters[row, wp.static(setting["settling"])])
            for side in range(2):
                if stands or (swings and side == state.stance):
                    set_foot(pose, side, part(foot_in_world(pose, side), foot_in_world(reference, side), weight))

        # the stance hip
        if swings and parameters[row, wp.static(setting["stance_hip"])] > zero:
            hip = hip_of(state.stance)
            thigh = pelvis * get(pose, hip)
            actual = get(simulated, 3) * get(simulated, hip)
            weight = parameters[row, g + wp.static(gain["c0"])] * rising
            put(pose, hip, wp.quat_inverse(pelvis) * part(thigh, actual, weight))

        # errors in both planes: simulated less reference
        ahead = wp.dot(state.velocity, state.direction)
        sagittal_v = ahead * state.direction
        coronal_v = state.velocity - sagittal_v
        lead = wp.dot(state.arm, state.direction)
        sagittal_d = lead * state.direction
        coronal_d = state.arm - sagittal_d

        # the swing hip
        if swings and parameters[row, wp.static(setting["swing_hip"])] > zero:
            if state.extended == 0:
                c2 = parameters[row, g + wp.static(gain["c2_sag_ahead"])]
                if lead < zero:
                    c2 = parameters[row, g + wp.static(gain["c2_sag_behind"])]
                sagittal = parameters[row, g + wp.static(gain["c1_sag"])] * sagittal_v + c2 * sagittal_d
                coronal = parameters[row, g + wp.static(gain["c1_cor"])] * coronal_v
                coronal += parameters[row, g + wp.static(gain["c2_cor"])] * coronal_d
                sagittal = -rising * wp.cross(up, sagittal)
                coronal = -rising * wp.cross(up, coronal)
                for k in range(3):
                    memory[swing_at + k] = sagittal[k]
                    memory[swing_at + 3 + k] = coronal[k]
            sagittal_turn = Vec3(memory[swing_at], memory[swing_at + 1], memory[swing_at + 2])
            coronal_turn = Vec3(memory[swing_at + 3], memory[swing_at + 4], memory[swing_at + 5])
            hip = hip_of(1 - state.stance)
            turned = exp(coronal_turn) * exp(sagittal_turn) * pelvis * get(pose, hip)
            put(pose, hip, wp.quat_inverse(pelvis) * turned)

        # the swing foot's height
        if swings and parameters[row, wp.static(setting["swing_height"])] > zero:
            swing_foot = foot_in_world(pose, 1 - state.stance)
            stance_foot = foot_in_world(pose, state.stance)
            now = pose[2] + ankle(pose, 1 - state.stance)[2]
            rate = (now - state.height_before) / (real(2.0) * parameters[row, wp.static(setting["frame_time"])])
            rise = parameters[row, g + wp.static(gain["c5"])] * (state.height_wanted - state.height)
            rise += parameters[row, g + wp.static(gain["c6"])] * (rate - state.height_rate)
            rise = rise * rising + parameters[row, g + wp.static(gain["lift"])] * half * (one - wp.cos(two_pi * t))
            put(pose, 3, get(simulated, 3))
            if rise > zero:
                raise_ankle(pose, 1 - state.stance, rise)
            elif parameters[row, wp.static(setting["lower_body"])] > zero:
                raise_ankle(pose, state.stance, -rise)
            put(pose, 3, pelvis)
            set_foot(pose, 1 - state.stance, swing_foot)
            set_foot(pose, state.stance, stance_foot)

        # the stance ankle
        if parameters[row, wp.static(setting["stance_ankle"])] > zero:
            if real(state.frame) >= parameters[row, wp.static(setting["ankle_from"])]:
                weight = smooth(t / parameters[row, wp.static(setting["ankle_settling"])])
                lean = parameters[row, g + wp.static(gain["c3_sag"])] * sagittal_v
                lean += parameters[row, g + wp.static(gain["c3_cor"])] * coronal_v
                shift = parameters[row, g + wp.static(gain["c4"])] * state.arm
                turn = exp(weight * wp.cross(up, lean)) * exp(weight * wp.cross(up, shift))
                for side in range(2):
                    if stands or (swings and side == state.stance):
                        set_foot(pose, side, turn * foot_in_world(pose, side))

    return Corrections(State, ankle, correct)
