"""The ankles among the feet's ground points, as the tracking law senses them.

The errors of balance: simulated less reference (Data-Driven Biped Control, section 4.1).

d is the pelvis less the stance ankle and v the pelvis's velocity, both horizontal. The simulated velocity is the mean
over the last frame, the reference's is centred on the frame before. The sagittal plane contains the reference's
velocity. With a course to keep, the reference is faster towards its place on the clip's path, in swings; that is ours.

Balance: the target pose corrected by what the simulated figure does (Data-Driven Biped Control, section 4.1).

In this order, each on the result of the one before, with s rising smoothly from 0 to 1 over the fragment:

- the stance foot comes to the reference's orientation in the world within the first fifth of the fragment;
- the stance hip turns until the thigh is as the simulated one, q = q_ref (q_ref⁻¹ q_pelvis⁻¹ q_thigh)^(c0 s), so
  that the pelvis is led to its reference orientation                                                   (equation 2)
- the swing hip turns the thigh by (c1 (v_d - v) + c2 (d_d - d)) s                                       (equation 3)
- the swing foot is lifted by (c5 (h_d - h) + c6 (h'_d - h')) s; where that is negative the stance foot is raised
  instead, which lowers the body                                                                        (equation 5)
- the stance ankle turns the foot by (c3 (v_d - v) + c4 (d_d - d)) s                                     (equation 4)

Jumps are ours. In a stand before or after a flight both hips lead the pelvis as the stance hip does; in a flight both
thighs turn by c1 (v_d - v) s, so that the feet land where the body will come to rest over them.

d is the pelvis less the stance ankle and v the pelvis's velocity, both horizontal; the sagittal plane contains the
reference pelvis's velocity, the coronal plane is across it.

Foot placement by a model: the swing foot goes where a linear inverted pendulum says that the body can be caught.

This is ours, in place of the swing hip's feedback (equation 3). What the pelvis is off its reference, e_d from the
stance ankle and e_v in its velocity, grows until the foot lands in T seconds as a pendulum of the reference's height z
does, with w = sqrt(g / z):

    e_v(T) = w sinh(w T) e_d + cosh(w T) e_v

Placed e_v(T) / w further from the pelvis than in the clip, the foot takes away the whole error of the capture point
(d + v / w) in one step: the divergent part is gone, and what is left decays. The figure is no pendulum, as its stance
leg moves it too, and half of that is better than all of it: ``placement`` is the share, and the swing hip's own
feedback has the rest. Places are those under the simulated pelvis: the pose is turned with it while the leg moves, so
that a pelvis that leans does not carry the foot elsewhere.

A foot that lands late is put down: its target sinks to the ground. Otherwise the figure may stand on one leg, with the
other foot some centimetres above the ground, until it topples.
"""

import math
from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.sampled_ground import foot_of
from footfall.methods.tracking.layout import (
    FLIGHT,
    LEFT_SWING,
    RIGHT_SWING,
    STAND,
    FragmentField,
    GainField,
    Layout,
    SettingField,
)
from footfall.methods.tracking.poses import LegPoses, Poses, Rotations
from footfall.methods.tracking.reference import TrackingNow


def ankle_function(types: Types) -> wp.Function:
    """(points, side) -> the ankle among a foot's four points: their weighted sum, for places and velocities alike."""
    real, Points = types.real, types.compiled.Points
    Vec3 = wp.types.vector(length=3, dtype=real)
    feet = [foot_of(types.compiled, side) for side in ("left", "right")]
    points = tuple(foot.points for foot in feet)
    weights = tuple(tuple(float(w) for w in foot.origin) for foot in feet)

    @wp.func
    def ankle(found: wp.ref[Points], side: int):
        place = Vec3()
        for k in range(4):
            p = wp.static(points[0][k])
            w = real(wp.static(weights[0][k]))
            if side == 1:
                p = wp.static(points[1][k])
                w = real(wp.static(weights[1][k]))
            place += w * Vec3(found[3 * p], found[3 * p + 1], found[3 * p + 2])
        return place

    return ankle


def balance_errors_function(types: Types, layout: Layout, r: Rotations, now: TrackingNow) -> wp.Function:
    """(now, sense, memory) sets the errors, and remembers how far and how fast the pelvis is ahead."""
    real, Sense, Memory = types.real, types.Sense, types.Memory
    Now, setting, Vec3, ankle = now.Now, now.setting, r.Vec3, ankle_function(types)
    places = layout.memory()
    way, arms, heights, pelvis, lead = (places[n] for n in ("reference", "arms", "heights", "pelvis", "lead"))
    zero, half = real(0.0), real(0.5)

    @wp.func
    def balance_errors(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        now.time = real(now.index) / real(wp.max(now.length, 1))
        now.extended = now.index > now.length
        wanted = Vec3(
            half * now.rate * (memory[way] - memory[way + 4]),
            half * now.rate * (memory[way + 1] - memory[way + 5]),
            zero,
        )
        now.direction = wp.normalize(wanted)
        now.velocity = (
            Vec3(now.rate * (sense.qpos[0] - memory[pelvis]), now.rate * (sense.qpos[1] - memory[pelvis + 1]), zero)
            - wanted
        )
        if setting(now, SettingField.COURSE) > zero and now.kind != STAND:
            pull = setting(now, SettingField.COURSE) * (now.place - Vec3(sense.qpos[0], sense.qpos[1], zero))
            quick = wp.length(pull)
            if quick > setting(now, SettingField.COURSE_SPEED):
                pull = (setting(now, SettingField.COURSE_SPEED) / quick) * pull
            now.velocity -= pull
        support = ankle(sense.position, now.stance)
        now.arm = Vec3(
            sense.qpos[0] - support[0] - memory[arms + 2 * now.stance],
            sense.qpos[1] - support[1] - memory[arms + 2 * now.stance + 1],
            zero,
        )
        memory[lead] = wp.dot(now.arm, now.direction)
        memory[lead + 1] = wp.dot(now.velocity, now.direction)
        swing = 1 - now.stance
        lowest = sense.library[now.fragment, FragmentField.GROUND]
        now.height_wanted = memory[heights + 2 * swing] - lowest
        now.height_before = memory[heights + 2 * swing + 1]
        now.height = ankle(sense.position, swing)[2] - sense.view[swing]
        now.height -= setting(now, SettingField.SOLE)
        now.height -= setting(now, SettingField.CLEARANCE)
        now.height_rate = ankle(sense.velocity, swing)[2]

    return balance_errors


GRAVITY = 9.81
FURTHEST = 0.4
"""Metres that a foot is placed away from the clip's place at most."""
LANDS = 0.6
"""The share of a swing after which nothing is predicted any more: feet land before its end."""
LOWEST = 0.3
"""Metres that a pelvis is taken to be high at least."""


class PlacementParts(NamedTuple):
    """Stages of the correction.

    Attributes:
        place: (now) moves the target's swing foot over the ground. put_down: (now, sense) lowers it when it lands late.
    """

    place: wp.Function
    put_down: wp.Function


def placement_functions(types: Types, r: Rotations, now: TrackingNow, poses: Poses, legs: LegPoses) -> PlacementParts:
    """The stages for a figure."""
    real, Sense = types.real, types.Sense
    Now, setting, Vec3, smooth = now.Now, now.setting, r.Vec3, r.smooth
    get, put = poses.get, poses.put
    ankle, foot, set_foot, move_ankle = legs.ankle, legs.foot, legs.set_foot, legs.move_ankle
    zero, half, one = real(0.0), real(0.5), real(1.0)
    gravity, furthest, low, share_of_swing = real(GRAVITY), real(FURTHEST), real(LOWEST), real(LANDS)

    @wp.func
    def place(now: wp.ref[Now]):
        side = 1 - now.stance
        swift = wp.sqrt(gravity / wp.max(now.reference[2], low))
        lands = share_of_swing * real(now.length)
        grown = wp.exp(swift * wp.max(lands - real(now.index), zero) / now.rate)
        shift = half * (grown - one / grown) * now.arm + half * (grown + one / grown) / swift * now.velocity
        size = wp.length(shift)
        if size > furthest:
            shift = furthest / size * shift
        pelvis = get(now.target, 3)
        orientation = foot(now.target, side)
        wanted = ankle(now.target, side) + shift
        put(now.target, 3, get(now.seen, 3))
        move = wanted - ankle(now.target, side)
        share = setting(now, SettingField.PLACEMENT) * smooth(wp.min(now.time, one))
        move_ankle(now.target, side, share * Vec3(move[0], move[1], zero))
        put(now.target, 3, pelvis)
        set_foot(now.target, side, orientation)

    @wp.func
    def put_down(now: wp.ref[Now], sense: wp.ref[Sense]):
        side = 1 - now.stance
        pelvis = get(now.target, 3)
        orientation = foot(now.target, side)
        put(now.target, 3, get(now.seen, 3))
        over = sense.qpos[2] + ankle(now.target, side)[2] - sense.view[side] - setting(now, SettingField.SOLE)
        drop = setting(now, SettingField.LATE_LANDING) * real(now.index - now.length) / now.rate
        move_ankle(now.target, side, Vec3(zero, zero, -wp.clamp(over, zero, drop)))
        put(now.target, 3, pelvis)
        set_foot(now.target, side, orientation)

    return PlacementParts(place, put_down)


STAND_FRAMES = 10
"""Frames of a stand after which its corrections act in full."""


def correct_function(
    types: Types, layout: Layout, r: Rotations, now: TrackingNow, poses: Poses, legs: LegPoses
) -> wp.Function:
    """(now, sense, memory) corrects ``now.target``."""
    real, Sense, Memory = types.real, types.Sense, types.Memory
    Now, setting, gain = now.Now, now.setting, now.gain
    Vec3, exp, part, smooth = r.Vec3, r.exp, r.part, r.smooth
    get, put = poses.get, poses.put
    hip_of, ankle, foot, set_foot, raise_ankle = legs.hip_of, legs.ankle, legs.foot, legs.set_foot, legs.raise_ankle
    place, put_down = placement_functions(types, r, now, poses, legs)
    swing_at = layout.memory()["swing"]
    stand_frames = real(STAND_FRAMES)
    zero, half, one, two, two_pi = real(0.0), real(0.5), real(1.0), real(2.0), real(2.0 * math.pi)

    @wp.struct
    class Errors:
        lead: real
        sagittal_d: Vec3
        coronal_d: Vec3
        sagittal_v: Vec3
        coronal_v: Vec3

    @wp.func
    def in_both_planes(now: wp.ref[Now]):
        """The errors of d and v along the reference's direction and across it."""
        errors = Errors()
        errors.sagittal_v = wp.dot(now.velocity, now.direction) * now.direction
        errors.coronal_v = now.velocity - errors.sagittal_v
        errors.lead = wp.dot(now.arm, now.direction)
        errors.sagittal_d = errors.lead * now.direction
        errors.coronal_d = now.arm - errors.sagittal_d
        return errors

    @wp.func
    def supports(now: wp.ref[Now], side: int):
        """Whether a foot is on the ground in this fragment: both in standing, the stance foot in a swing."""
        return now.kind == STAND or ((now.kind == LEFT_SWING or now.kind == RIGHT_SWING) and side == now.stance)

    @wp.func
    def settled(now: wp.ref[Now], share: real):
        """How far a correction has come that takes a share of the fragment, in a stand STAND_FRAMES at most: a long one
        would topple before its feedback is there. That is ours."""
        come = wp.min(now.time, one) / share
        if now.kind == STAND:
            come = wp.max(come, real(now.index) / stand_frames)
        return smooth(come)

    @wp.func
    def settle_stance_foot(now: wp.ref[Now]):
        weight = settled(now, setting(now, SettingField.SETTLING))
        for side in range(2):
            if supports(now, side):
                share = (one - now.flies) * weight
                set_foot(now.target, side, part(foot(now.target, side), foot(now.reference, side), share))

    @wp.func
    def stance_hip(now: wp.ref[Now], side: int):
        pelvis = get(now.target, 3)
        hip = hip_of(side)
        thigh = pelvis * get(now.target, hip)
        simulated = get(now.seen, 3) * get(now.seen, hip)
        quick = wp.where(now.haste > one, two * now.haste, one)  # a run's stance is over before half of its step
        weight = (one - now.flies) * gain(now, GainField.C0) * smooth(wp.min(quick * now.time, one))
        put(now.target, hip, wp.quat_inverse(pelvis) * part(thigh, simulated, weight))

    @wp.func
    def swing_hip(now: wp.ref[Now], memory: wp.ref[Memory], errors: wp.ref[Errors]):
        """While a fragment is extended or flies, its last correction stays."""
        if not now.extended and now.flies == zero:
            c2 = gain(now, GainField.C2_SAG_AHEAD)
            if errors.lead < zero:
                c2 = gain(now, GainField.C2_SAG_BEHIND)
            sagittal = gain(now, GainField.C1_SAG) * errors.sagittal_v + c2 * errors.sagittal_d
            coronal = gain(now, GainField.C1_COR) * errors.coronal_v
            coronal += gain(now, GainField.C2_COR) * errors.coronal_d
            rising = smooth(wp.min(now.time * now.haste, one)) * (one - setting(now, SettingField.PLACEMENT))
            up = Vec3(zero, zero, one)
            sagittal = -rising * wp.cross(up, sagittal)
            coronal = -rising * wp.cross(up, coronal)
            for k in range(3):
                memory[swing_at + k] = sagittal[k]
                memory[swing_at + 3 + k] = coronal[k]
        sagittal_turn = Vec3(memory[swing_at], memory[swing_at + 1], memory[swing_at + 2])
        coronal_turn = Vec3(memory[swing_at + 3], memory[swing_at + 4], memory[swing_at + 5])
        pelvis = get(now.target, 3)
        hip = hip_of(1 - now.stance)
        turned = exp(coronal_turn) * exp(sagittal_turn) * pelvis * get(now.target, hip)
        put(now.target, hip, wp.quat_inverse(pelvis) * turned)

    @wp.func
    def land(now: wp.ref[Now], errors: wp.ref[Errors]):
        """Both thighs turn for the landing after a flight."""
        up = Vec3(zero, zero, one)
        rising = smooth(wp.min(now.time, one))
        turn = exp(-rising * gain(now, GainField.C1_COR) * wp.cross(up, errors.coronal_v))
        turn = turn * exp(-rising * gain(now, GainField.C1_SAG) * wp.cross(up, errors.sagittal_v))
        pelvis = get(now.target, 3)
        for side in range(2):
            hip = hip_of(side)
            put(now.target, hip, wp.quat_inverse(pelvis) * turn * pelvis * get(now.target, hip))

    @wp.func
    def swing_height(now: wp.ref[Now]):
        """Heights are those under the simulated pelvis: the pose is turned with it while its legs bend."""
        t = wp.min(now.time, one)
        pelvis = get(now.target, 3)
        swing_foot = foot(now.target, 1 - now.stance)
        stance_foot = foot(now.target, now.stance)
        height = now.target[2] + ankle(now.target, 1 - now.stance)[2]
        rate = (height - now.height_before) / (two * setting(now, SettingField.FRAME_TIME))
        rise = gain(now, GainField.C5) * (now.height_wanted - now.height)
        rise += gain(now, GainField.C6) * (rate - now.height_rate)
        rise = rise * smooth(t) + gain(now, GainField.LIFT) * half * (one - wp.cos(two_pi * t))
        put(now.target, 3, get(now.seen, 3))
        if rise > zero:
            raise_ankle(now.target, 1 - now.stance, rise)
        elif setting(now, SettingField.LOWER_BODY) > zero and now.flies == zero:
            raise_ankle(now.target, now.stance, -rise)
        put(now.target, 3, pelvis)
        set_foot(now.target, 1 - now.stance, swing_foot)
        set_foot(now.target, now.stance, stance_foot)

    @wp.func
    def stance_ankle(now: wp.ref[Now], errors: wp.ref[Errors]):
        up = Vec3(zero, zero, one)
        weight = (one - now.flies) * settled(now, setting(now, SettingField.ANKLE_SETTLING))
        lean = gain(now, GainField.C3_SAG) * errors.sagittal_v
        lean += gain(now, GainField.C3_COR) * errors.coronal_v
        shift = gain(now, GainField.C4) * now.arm
        turn = exp(weight * wp.cross(up, lean)) * exp(weight * wp.cross(up, shift))
        for side in range(2):
            if supports(now, side):
                set_foot(now.target, side, turn * foot(now.target, side))

    @wp.func
    def correct(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory]):
        swings = now.kind == LEFT_SWING or now.kind == RIGHT_SWING
        if setting(now, SettingField.STABILISE) > zero:
            settle_stance_foot(now)
        if swings and setting(now, SettingField.STANCE_HIP) > zero:
            stance_hip(now, now.stance)
        errors = in_both_planes(now)
        if now.leaps and now.kind == STAND and setting(now, SettingField.STANCE_HIP) > zero:
            for side in range(2):
                stance_hip(now, side)
        if now.leaps and now.kind == FLIGHT and setting(now, SettingField.SWING_HIP) > zero:
            land(now, errors)
        if swings and setting(now, SettingField.SWING_HIP) > zero:
            swing_hip(now, memory, errors)
            if setting(now, SettingField.PLACEMENT) > zero and now.flies == zero:
                place(now)
        if swings and setting(now, SettingField.SWING_HEIGHT) > zero:
            swing_height(now)
            if setting(now, SettingField.LATE_LANDING) > zero and now.extended and now.flies == zero:
                put_down(now, sense)
        if setting(now, SettingField.STANCE_ANKLE) > zero:
            if real(now.frames) >= setting(now, SettingField.ANKLE_FROM):
                stance_ankle(now, errors)

    return correct
