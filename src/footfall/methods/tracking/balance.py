"""Balance: the target pose corrected by what the simulated figure does (Data-Driven Biped Control, section 4.1).

d is the pelvis less the stance ankle and v the pelvis's velocity, both horizontal. The simulated velocity is the mean
over the last frame, the reference's is centred on the frame before. The sagittal plane contains the reference's
velocity, the coronal plane is across it. With a course to keep, the reference is faster towards its position on the
clip's path, in swings; that is ours.

The parts of the correction, in this order, each on the result of the one before, with s rising smoothly from 0 to 1
over the fragment:

- the stance foot comes to the reference's orientation in the world within the first fifth of the fragment;
- the stance hip turns until the thigh is as the simulated one, q = q_ref (q_ref⁻¹ q_pelvis⁻¹ q_thigh)^(c0 s), so
  that the pelvis is led to its reference orientation                                                   (equation 2)
- the swing hip turns the thigh by (c1 (v_d - v) + c2 (d_d - d)) s                                       (equation 3)
- the swing foot is lifted by (c5 (h_d - h) + c6 (h'_d - h')) s; where that is negative the stance foot is raised
  instead, which lowers the body                                                                        (equation 5)
- the stance ankle turns the foot by (c3 (v_d - v) + c4 (d_d - d)) s                                     (equation 4)

Jumps are ours. In a stand before or after a flight both hips lead the pelvis as the stance hip does; in a flight both
thighs turn by c1 (v_d - v) s, so that the feet land where the body will come to rest over them.

So is foot placement by a model, in place of the swing hip's feedback: the swing foot goes where a linear inverted
pendulum says that the body can be caught. What the pelvis is off its reference, e_d from the stance ankle and e_v in
its velocity, grows until the foot lands in T seconds as a pendulum of the reference's height z does, with
w = sqrt(g / z):

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

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.sampled_ground import foot_of
from footfall.figures.inertia import GRAVITY
from footfall.methods.tracking.layout import (
    FLIGHT,
    STAND,
    FragmentField,
    GainField,
    SettingField,
)
from footfall.methods.tracking.reference import Made


def ankle_function(types: Types) -> wp.Function:
    """(points, side) -> the ankle among a foot's four points: their weighted sum, for positions and velocities
    alike."""
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


def balance_errors_part(made: Made) -> wp.Function:
    """The part that sets the errors, simulated less reference, and remembers how far and how fast the pelvis is
    ahead."""
    real, Vec3 = made.types.real, made.r.Vec3
    setting, ankle, places = made.now.setting, ankle_function(made.types), made.layout.memory()
    way, arms, heights, pelvis, lead = (places[n] for n in ("reference", "arms", "heights", "pelvis", "lead"))
    zero, half = real(0.0), real(0.5)

    @made.part
    def balance_errors(now, sense, memory, command):
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
        now.lead = wp.dot(now.arm, now.direction)
        now.sagittal_velocity = wp.dot(now.velocity, now.direction) * now.direction
        now.coronal_velocity = now.velocity - now.sagittal_velocity
        now.sagittal_arm = now.lead * now.direction
        now.coronal_arm = now.arm - now.sagittal_arm
        memory[lead] = now.lead
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


FURTHEST = 0.4
"""Metres that a foot is placed away from the clip's position at most."""
LANDS = 0.6
"""The share of a swing after which nothing is predicted any more: feet land before its end."""
LOWEST = 0.3
"""Metres that a pelvis is taken to be high at least."""
STAND_FRAMES = 10
"""Frames of a stand after which its corrections act in full."""


def balance_parts(made: Made) -> list[wp.Function]:
    """The parts that correct ``now.target``, in their order."""
    return [
        settle_stance_foot_part(made),
        stance_hip_part(made),
        landing_part(made),
        swing_hip_part(made),
        placement_part(made),
        swing_height_part(made),
        put_down_part(made),
        stance_ankle_part(made),
    ]


def _support_functions(made: Made) -> tuple[wp.Function, wp.Function]:
    """(now, side) -> whether a foot is on the ground in this fragment: both in standing, the stance foot in a swing.
    (now, share) -> how far a correction has come that takes a share of the fragment, in a stand STAND_FRAMES at most: a
    long one would topple before its feedback is there, that is ours."""
    real, Now, smooth = made.types.real, made.now.Now, made.r.smooth
    stand_frames, one = real(STAND_FRAMES), real(1.0)

    @wp.func
    def supports(now: wp.ref[Now], side: int):
        return now.kind == STAND or (now.swings and side == now.stance)

    @wp.func
    def settled(now: wp.ref[Now], share: real):
        come = wp.min(now.time, one) / share
        if now.kind == STAND:
            come = wp.max(come, real(now.index) / stand_frames)
        return smooth(come)

    return supports, settled


def settle_stance_foot_part(made: Made) -> wp.Function:
    """The part that brings the stance foot to the reference's orientation in the world."""
    real = made.types.real
    setting, part, foot, set_foot = made.now.setting, made.r.part, made.legs.foot, made.legs.set_foot
    supports, settled = _support_functions(made)
    zero, one = real(0.0), real(1.0)

    @made.part
    def settle_stance_foot(now, sense, memory, command):
        if setting(now, SettingField.STABILISE) > zero:
            share = (one - now.flies) * settled(now, setting(now, SettingField.SETTLING))
            for side in range(2):
                if supports(now, side):
                    set_foot(now.target, side, part(foot(now.target, side), foot(now.reference, side), share))

    return settle_stance_foot


def stance_hip_part(made: Made) -> wp.Function:
    """The part that leads the pelvis by the stance hip (equation 2); in a stand before or after a flight by both."""
    real = made.types.real
    setting, gain, part, smooth = made.now.setting, made.now.gain, made.r.part, made.r.smooth
    get, put, hip_of = made.poses.get, made.poses.put, made.legs.hip_of
    zero, one, two = real(0.0), real(1.0), real(2.0)

    @made.part
    def stance_hip(now, sense, memory, command):
        for side in range(2):
            leads = (now.swings and side == now.stance) or (now.leaps and now.kind == STAND)
            if leads and setting(now, SettingField.STANCE_HIP) > zero:
                pelvis = get(now.target, 3)
                hip = hip_of(side)
                thigh = pelvis * get(now.target, hip)
                simulated = get(now.seen, 3) * get(now.seen, hip)
                # a run's stance is over before half of its step
                quick = wp.where(now.haste > one, two * now.haste, one)
                weight = (one - now.flies) * gain(now, GainField.C0) * smooth(wp.min(quick * now.time, one))
                put(now.target, hip, wp.quat_inverse(pelvis) * part(thigh, simulated, weight))

    return stance_hip


def landing_part(made: Made) -> wp.Function:
    """The part that turns both thighs for the landing after a flight."""
    real = made.types.real
    setting, gain, smooth, exp, Vec3 = made.now.setting, made.now.gain, made.r.smooth, made.r.exp, made.r.Vec3
    get, put, hip_of = made.poses.get, made.poses.put, made.legs.hip_of
    zero, one = real(0.0), real(1.0)

    @made.part
    def landing(now, sense, memory, command):
        if now.leaps and now.kind == FLIGHT and setting(now, SettingField.SWING_HIP) > zero:
            up = Vec3(zero, zero, one)
            rising = smooth(wp.min(now.time, one))
            turn = exp(-rising * gain(now, GainField.C1_COR) * wp.cross(up, now.coronal_velocity))
            turn = turn * exp(-rising * gain(now, GainField.C1_SAG) * wp.cross(up, now.sagittal_velocity))
            pelvis = get(now.target, 3)
            for side in range(2):
                hip = hip_of(side)
                put(now.target, hip, wp.quat_inverse(pelvis) * turn * pelvis * get(now.target, hip))

    return landing


def swing_hip_part(made: Made) -> wp.Function:
    """The part that turns the swing thigh (equation 3); while a fragment is extended or flies, its last correction
    stays."""
    real = made.types.real
    setting, gain, smooth, exp, Vec3 = made.now.setting, made.now.gain, made.r.smooth, made.r.exp, made.r.Vec3
    get, put, hip_of = made.poses.get, made.poses.put, made.legs.hip_of
    swing_at = made.layout.memory()["swing"]
    zero, one = real(0.0), real(1.0)

    @made.part
    def swing_hip(now, sense, memory, command):
        if now.swings and setting(now, SettingField.SWING_HIP) > zero:
            if not now.extended and now.flies == zero:
                c2 = gain(now, GainField.C2_SAG_AHEAD)
                if now.lead < zero:
                    c2 = gain(now, GainField.C2_SAG_BEHIND)
                sagittal = gain(now, GainField.C1_SAG) * now.sagittal_velocity + c2 * now.sagittal_arm
                coronal = gain(now, GainField.C1_COR) * now.coronal_velocity
                coronal += gain(now, GainField.C2_COR) * now.coronal_arm
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

    return swing_hip


def placement_part(made: Made) -> wp.Function:
    """The part that moves the target's swing foot over the ground, to where a pendulum says."""
    real = made.types.real
    setting, smooth, Vec3, get, put = made.now.setting, made.r.smooth, made.r.Vec3, made.poses.get, made.poses.put
    ankle, foot, set_foot, move_ankle = made.legs.ankle, made.legs.foot, made.legs.set_foot, made.legs.move_ankle
    zero, half, one = real(0.0), real(0.5), real(1.0)
    gravity, furthest, low, share_of_swing = real(GRAVITY), real(FURTHEST), real(LOWEST), real(LANDS)

    @made.part
    def placement(now, sense, memory, command):
        acts = (
            now.swings and setting(now, SettingField.SWING_HIP) > zero and setting(now, SettingField.PLACEMENT) > zero
        )
        if acts and now.flies == zero:
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

    return placement


def swing_height_part(made: Made) -> wp.Function:
    """The part that lifts the swing foot, or lowers the body (equation 5). Heights are those under the simulated
    pelvis: the pose is turned with it while its legs bend."""
    real = made.types.real
    setting, gain, smooth = made.now.setting, made.now.gain, made.r.smooth
    get, put, ankle, foot = made.poses.get, made.poses.put, made.legs.ankle, made.legs.foot
    set_foot, raise_ankle = made.legs.set_foot, made.legs.raise_ankle
    zero, half, one, two, two_pi = real(0.0), real(0.5), real(1.0), real(2.0), real(2.0 * math.pi)

    @made.part
    def swing_height(now, sense, memory, command):
        if now.swings and setting(now, SettingField.SWING_HEIGHT) > zero:
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

    return swing_height


def put_down_part(made: Made) -> wp.Function:
    """The part that lowers the target's swing foot where it lands late."""
    real = made.types.real
    setting, Vec3, get, put = made.now.setting, made.r.Vec3, made.poses.get, made.poses.put
    ankle, foot, set_foot, move_ankle = made.legs.ankle, made.legs.foot, made.legs.set_foot, made.legs.move_ankle
    zero = real(0.0)

    @made.part
    def put_down(now, sense, memory, command):
        acts = now.swings and setting(now, SettingField.SWING_HEIGHT) > zero
        if acts and setting(now, SettingField.LATE_LANDING) > zero and now.extended and now.flies == zero:
            side = 1 - now.stance
            pelvis = get(now.target, 3)
            orientation = foot(now.target, side)
            put(now.target, 3, get(now.seen, 3))
            over = sense.qpos[2] + ankle(now.target, side)[2] - sense.view[side] - setting(now, SettingField.SOLE)
            drop = setting(now, SettingField.LATE_LANDING) * real(now.index - now.length) / now.rate
            move_ankle(now.target, side, Vec3(zero, zero, -wp.clamp(over, zero, drop)))
            put(now.target, 3, pelvis)
            set_foot(now.target, side, orientation)

    return put_down


def stance_ankle_part(made: Made) -> wp.Function:
    """The part that turns the feet which stand (equation 4)."""
    real = made.types.real
    setting, gain, exp, Vec3 = made.now.setting, made.now.gain, made.r.exp, made.r.Vec3
    foot, set_foot = made.legs.foot, made.legs.set_foot
    supports, settled = _support_functions(made)
    zero, one = real(0.0), real(1.0)

    @made.part
    def stance_ankle(now, sense, memory, command):
        acts = setting(now, SettingField.STANCE_ANKLE) > zero
        if acts and real(now.frames) >= setting(now, SettingField.ANKLE_FROM):
            up = Vec3(zero, zero, one)
            weight = (one - now.flies) * settled(now, setting(now, SettingField.ANKLE_SETTLING))
            lean = gain(now, GainField.C3_SAG) * now.sagittal_velocity
            lean += gain(now, GainField.C3_COR) * now.coronal_velocity
            shift = gain(now, GainField.C4) * now.arm
            turn = exp(weight * wp.cross(up, lean)) * exp(weight * wp.cross(up, shift))
            for side in range(2):
                if supports(now, side):
                    set_foot(now.target, side, turn * foot(now.target, side))

    return stance_ankle
