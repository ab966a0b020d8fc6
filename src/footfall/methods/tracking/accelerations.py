"""Tracking: the accelerations that lead the joints along the target poses (Data-Driven Biped Control, section 3).

    θ'' = kt (θ_r - θ) + kv (θ'_r - θ') + θ''_r                                                         (equation 1)

Rotation errors are logarithms in the joint's own axes; θ'_r and θ''_r are differences of the last target poses. The
clip's own acceleration, before any correction for balance, may be added. A body of hinges is seen as its skeleton of
ball joints (:mod:`footfall.motion.ball_poses`); the target pose is brought to angles of the hinges, and
equation 1 is applied to these.

The law asks for accelerations and hybrid dynamics finds the torques of the joints that bring them about, however
large. The paper leaves it at that. With a limit T (N m for each kg of the body of mass m) a joint's torque keeps its
direction and has at most the size T m. A hinge gets no more than its motor gives, either. Joints whose torque is cut
then move as they do under what is left.

A joint whose torque is cut falls behind the velocity that the held acceleration leads to. It catches up as soon as it
can: the law asks for CATCHING_UP (v_planned - v) more. Without this, the few hundredths of a second at a landing in
which torques are cut bring a walk down.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from footfall.control.law import Types
from footfall.figures import Figure
from footfall.methods.tracking.layout import SettingField
from footfall.methods.tracking.reference import Made
from footfall.motion.ball_poses import DAMPING, MOST, HingeChains


def _clip_motion_function(made: Made) -> wp.Function:
    """(now, sense, memory, before, at, after) -> the weight of the clip's own acceleration; where it is not zero, also
    the clip's poses around this frame."""
    setting, warped, zero = made.now.setting, made.poses.warped, made.types.real(0.0)
    poses = dict.fromkeys(("before", "at", "after"), wp.ref[made.poses.Pose])

    @made.types.typed(now=wp.ref[made.now.Now], **poses)
    def clip_motion(now, sense, memory, before, at, after):
        own = setting(now, SettingField.CLIP_FEEDFORWARD)
        if now.index > now.length or now.length < 2 or now.stands:
            own = zero
        if own > zero:
            centre = wp.clamp(now.index - 1, 1, now.length - 1)
            warped(memory, sense.library, now.first, now.length, centre - 1, before)
            warped(memory, sense.library, now.first, now.length, centre, at)
            warped(memory, sense.library, now.first, now.length, centre + 1, after)
        return own

    return clip_motion


def accelerations_part(made: Made) -> wp.Function:
    """The part that finds the joints' accelerations, which memory holds until the next frame, and keeps the target pose
    for the next differences."""
    real, Pose = made.types.real, made.poses.Pose
    setting, Vec3, log, get = made.now.setting, made.r.Vec3, made.r.log, made.poses.get
    kept, keep, clip_motion = made.poses.kept, made.poses.keep, _clip_motion_function(made)
    places, bodies = made.layout.memory(), made.layout.joints + 1
    control, control_2, held = places["control"], places["control_2"], places["acceleration"]
    zero, half = real(0.0), real(0.5)

    @made.part
    def accelerations(now, sense, memory, command):
        rate = now.rate
        kt = setting(now, SettingField.KT)
        kv = setting(now, SettingField.KV)
        before_it = Pose()
        at_it = Pose()
        after_it = Pose()
        own = clip_motion(now, sense, memory, before_it, at_it, after_it)
        body = int(0)
        while body < bodies:
            q = 3 + 4 * body
            target = get(now.target, q)
            was = kept(memory, control, body)
            velocity = rate * log(wp.quat_inverse(was) * target)
            over_two = half * rate * log(wp.quat_inverse(kept(memory, control_2, body)) * target)
            acceleration = setting(now, SettingField.FEEDFORWARD) * rate * (velocity - over_two)
            if body > 0:
                v = 3 + 3 * body
                aim = target
                if now.ahead:
                    aim = was
                    velocity = over_two
                error = log(wp.quat_inverse(get(now.seen, q)) * aim)
                asked = kt * error + acceleration
                if own > zero:
                    goes = log(wp.quat_inverse(get(at_it, q)) * get(after_it, q))
                    came = log(wp.quat_inverse(get(before_it, q)) * get(at_it, q))
                    asked += own * rate * rate * (goes - came)
                asked += kv * (velocity - Vec3(sense.qvel[v], sense.qvel[v + 1], sense.qvel[v + 2]))
                for k in range(3):
                    memory[held + 3 * (body - 1) + k] = asked[k]
            keep(memory, control_2, body, was)
            keep(memory, control, body, target)
            body += 1

    return accelerations


CATCHING_UP = 100.0
"""1/s."""
LARGEST = 1e9
"""N m of a motor whose file names no limit."""


def torque_limit_function(types: Types, figure: Figure) -> wp.Function:
    """(parameters, row, torque) cuts torques [nv] of ball joints to the row's limit; True where it cut one."""
    real, Qvel, nv = types.real, types.compiled.Qvel, types.compiled.nv
    mass, zero = real(sum(body.mass for body in figure.bodies)), real(0.0)
    if any(joint.kind == "hinge" for joint in figure.joints):
        return _hinge_limit(types, figure, mass)

    @wp.func
    def keep_within(parameters: wp.array2d[real], row: int, torque: wp.ref[Qvel]):
        most = mass * parameters[row, wp.static(int(SettingField.TORQUE_LIMIT))]
        cut = bool(False)
        if most > zero:
            j = int(6)
            while j < nv:
                x, y, z = torque[j], torque[j + 1], torque[j + 2]
                size = wp.sqrt(x * x + y * y + z * z)
                if size > most:
                    share = most / size
                    for k in range(3):
                        torque[j + k] = share * torque[j + k]
                    cut = True
                j += 3
        return cut

    return keep_within


def _hinge_limit(types: Types, figure: Figure, mass: Any) -> wp.Function:
    """The same for hinges, each by itself: the row's limit, and what its motor gives where that is less."""
    real, Qvel, nv = types.real, types.compiled.Qvel, types.compiled.nv
    motors = Qvel(*(float(x) if np.isfinite(x) else LARGEST for x in figure.torque_limit))
    zero = real(0.0)

    @wp.func
    def keep_within(parameters: wp.array2d[real], row: int, torque: wp.ref[Qvel]):
        most = mass * parameters[row, wp.static(int(SettingField.TORQUE_LIMIT))]
        given = motors
        cut = bool(False)
        if most > zero:
            j = int(6)
            while j < nv:
                least = wp.min(most, given[j])
                if wp.abs(torque[j]) > least:
                    torque[j] = wp.clamp(torque[j], -least, least)
                    cut = True
                j += 1
        return cut

    return keep_within


STEPS = 6
"""Of the search for angles, which begins at those of the last frame."""


@dataclass(frozen=True)
class Hinges:
    """Warp functions over the chains of a figure.

    Attributes:
        turn: (joint, angles) -> the rotation of a chain.
        angles: (joint, rotation, near) -> angles within the hinges' ranges that come nearest to a rotation.
        place: (joint, k) -> the address in qpos of a chain's hinge less 7; -1 for none.
        seen: (qpos, pose) fills in the skeleton's pose.
        measured: (qpos, joint) -> the angles of a chain.
    """

    turn: wp.Function
    angles: wp.Function
    place: wp.Function
    seen: wp.Function
    measured: wp.Function


def hinge_functions(made: Made, chains: HingeChains) -> Hinges:
    """The functions for a figure; coordinates of hinges stand in the order of their degrees of freedom."""
    real, Qpos, Pose = made.types.real, made.types.compiled.Qpos, made.poses.Pose
    Quat, Vec3, exp, log = made.r.Quat, made.r.Vec3, made.r.exp, made.r.log
    axes_, rest_, lower_, upper_, at_ = chains.padded
    count = len(chains.chains)
    Numbers, Axes = (wp.types.vector(length=n * count, dtype=real) for n in (MOST, 3 * MOST))
    Places = wp.types.vector(length=MOST * count, dtype=wp.int32)
    all_axes = Axes(*(float(x) for x in axes_.ravel()))
    rests, lowest, highest = (
        Numbers(*(float(x) for x in numbers.ravel())) for numbers in (rest_, lower_ - rest_, upper_ - rest_)
    )
    places = Places(*(int(x) - 7 if x >= 0 else -1 for x in at_.ravel()))
    Mat3 = wp.types.matrix(shape=(3, 3), dtype=real)
    damping, zero = real(DAMPING), real(0.0)

    @wp.func
    def axis(joint: int, k: int):
        every = all_axes
        first = 9 * joint + 3 * k
        return Vec3(every[first], every[first + 1], every[first + 2])

    @wp.func
    def place(joint: int, k: int):
        every = places
        return every[3 * joint + k]

    @wp.func
    def turn(joint: int, angles: Vec3):
        return exp(angles[0] * axis(joint, 0)) * exp(angles[1] * axis(joint, 1)) * exp(angles[2] * axis(joint, 2))

    @wp.func
    def angles(joint: int, wanted: Quat, near: Vec3):
        low = lowest
        high = highest
        found = near
        for _ in range(STEPS):
            last = exp(found[2] * axis(joint, 2))
            two = exp(found[1] * axis(joint, 1)) * last
            error = log(wp.quat_inverse(exp(found[0] * axis(joint, 0)) * two) * wanted)
            first = wp.quat_rotate_inv(two, axis(joint, 0))
            second = wp.quat_rotate_inv(last, axis(joint, 1))
            third = axis(joint, 2)
            square = Mat3(
                wp.dot(first, first) + damping, wp.dot(first, second), wp.dot(first, third),
                wp.dot(second, first), wp.dot(second, second) + damping, wp.dot(second, third),
                wp.dot(third, first), wp.dot(third, second), wp.dot(third, third) + damping,
            )  # fmt: skip
            step = wp.inverse(square) * Vec3(wp.dot(first, error), wp.dot(second, error), wp.dot(third, error))
            for k in range(3):
                found[k] = wp.clamp(found[k] + step[k], low[3 * joint + k], high[3 * joint + k])
        return found

    @wp.func
    def measured(qpos: wp.ref[Qpos], joint: int):
        every = rests
        found = Vec3()
        for k in range(3):
            at = place(joint, k)
            found[k] = zero
            if at >= 0:
                found[k] = qpos[7 + at] - every[3 * joint + k]
        return found

    @wp.func
    def seen(qpos: wp.ref[Qpos], pose: wp.ref[Pose]):
        for k in range(7):
            pose[k] = qpos[k]
        joint = int(0)
        while joint < wp.static(count):
            q = turn(joint, measured(qpos, joint))
            pose[7 + 4 * joint] = q[3]
            pose[8 + 4 * joint] = q[0]
            pose[9 + 4 * joint] = q[1]
            pose[10 + 4 * joint] = q[2]
            joint += 1

    return Hinges(turn, angles, place, seen, measured)


def hinge_accelerations_part(made: Made, hinges: Hinges) -> wp.Function:
    """The part as :func:`accelerations_part`, with the hinges' angles in equation 1. The target pose that is kept
    is the one that the hinges can take."""
    real, Memory, Pose = made.types.real, made.types.Memory, made.poses.Pose
    setting, Vec3, get, kept, keep = made.now.setting, made.r.Vec3, made.poses.get, made.poses.kept, made.poses.keep
    clip_motion = _clip_motion_function(made)
    place, turn, angles, measured = hinges.place, hinges.turn, hinges.angles, hinges.measured
    places, joints = made.layout.memory(), made.layout.joints
    control, control_2, held = places["control"], places["control_2"], places["acceleration"]
    before_, before_2 = places["angles"], places["angles_2"]
    zero, half = real(0.0), real(0.5)

    @wp.func
    def remembered(memory: wp.ref[Memory], first: int, joint: int):
        found = Vec3()
        for k in range(3):
            found[k] = memory[first + 3 * joint + k]
        return found

    @made.part
    def accelerations(now, sense, memory, command):
        rate = now.rate
        kt = setting(now, SettingField.KT)
        kv = setting(now, SettingField.KV)
        before_it = Pose()
        at_it = Pose()
        after_it = Pose()
        own = clip_motion(now, sense, memory, before_it, at_it, after_it)
        keep(memory, control_2, 0, kept(memory, control, 0))
        keep(memory, control, 0, get(now.target, 3))
        joint = int(0)
        while joint < wp.static(joints):
            q = 7 + 4 * joint
            is_at = measured(sense.qpos, joint)
            was = remembered(memory, before_, joint)
            was_2 = remembered(memory, before_2, joint)
            if now.begins:
                was = angles(joint, kept(memory, control, joint + 1), is_at)
                was_2 = angles(joint, kept(memory, control_2, joint + 1), was)
            target = angles(joint, get(now.target, q), was)
            velocity = rate * (target - was)
            over_two = half * rate * (target - was_2)
            asked = setting(now, SettingField.FEEDFORWARD) * rate * (velocity - over_two)
            aim = target
            if now.ahead:
                aim = was
                velocity = over_two
            asked += kt * (aim - is_at)
            if own > zero:
                middle = angles(joint, get(at_it, q), was)
                comes = angles(joint, get(before_it, q), middle)
                goes = angles(joint, get(after_it, q), middle)
                asked += own * rate * rate * (goes - middle - (middle - comes))
            for k in range(3):
                at = place(joint, k)
                if at >= 0:
                    memory[held + at] = asked[k] + kv * (velocity[k] - sense.qvel[6 + at])
                memory[before_2 + 3 * joint + k] = was[k]
                memory[before_ + 3 * joint + k] = target[k]
            keep(memory, control_2, joint + 1, kept(memory, control, joint + 1))
            keep(memory, control, joint + 1, turn(joint, target))
            joint += 1

    return accelerations
