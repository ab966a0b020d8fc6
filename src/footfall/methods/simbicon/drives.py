"""How SIMBICON's law drives the torso, the hips and the other joints: a Warp function for each slot.

Each is made of the shared parts: a target with feedback, an error against the world or the parent, a servo. Functions
are put one after the other by functions that call both, since Warp does not see a function that a loop picks when it
decides whether a compiled kernel is up to date.
"""

from functools import reduce

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.feedback import corrected_target, raised_target, short_way
from footfall.control.parts.frame import FrameParts
from footfall.control.parts.reading import reading_functions
from footfall.control.parts.servo import (
    beyond_stop,
    later_error,
    later_rate,
    limited,
    limited_stiffness,
    servo_stiffness,
    servo_torque,
)
from footfall.control.rows import GraphField, ServoField, TargetField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE, Slot
from footfall.methods.simbicon.parts.hip_coupling import HIP_STIFFNESS, TORSO_STIFFNESS
from footfall.methods.simbicon.parts.reaction import time_since_impact
from footfall.methods.simbicon.parts.sight import HIP_SHIFT, KNEE_SHIFT, RISE
from footfall.methods.simbicon.parts.stance_hip import stance_hip_torque
from footfall.methods.simbicon.plan import SimbiconPlan

__all__ = ["drive_joints", "hip_in", "stance_hip_function", "stop_and_limit_joints", "torso_drive"]


def hip_in(plan: SimbiconPlan, side: str, plane: int) -> Slot:
    """The hip joint of a side in a plane; in a plane that the hips do not move in, one without a degree of freedom."""
    found = (s for s in plan.slots if (s.place, s.side, s.plane) == ("hip", side, plane))
    return next(found, Slot("", -1, -1, plane))


def joint_slots(plan: SimbiconPlan) -> list[int]:
    """The slots that are joints."""
    return [i for i, slot in enumerate(plan.slots) if slot.place != "torso"]


def target_function(types: Types, plan: SimbiconPlan, i: int, frame: FrameParts) -> wp.Function:
    """(sense, parameters, row, state_row, graph_row, frame) -> slot i's target, with feedback in its plane."""
    real, Sense, Frame, slot = types.real, types.Sense, frame.Frame, plan.slots[i]
    target_row = reading_functions(types, plan.layout).target_row
    plane, sees, swings = slot.feels, plan.sees, plan.swings and slot.other_hip[0] >= 0
    hip, turn = slot.other_hip[0], real(slot.other_hip[1])
    first, terms = plan.layout.term(0, i), 2 * plan.layout.harmonics

    @wp.func
    def target_angle(
        sense: wp.ref[Sense], parameters: wp.array2d[real], row: int, here: int, graph: int, frame: wp.ref[Frame]
    ):
        at = target_row(here, i)
        target = corrected_target(
            parameters[row, at + TargetField.ANGLE],
            parameters[row, at + TargetField.C_D],
            frame.d[plane],
            parameters[row, at + TargetField.C_V],
            frame.v[plane],
        )
        if wp.static(sees):
            target = raised_target(target, parameters[row, at + TargetField.C_H], sense.view[RISE])
        if wp.static(swings):
            target += parameters[row, at + TargetField.C_HIP] * (turn * sense.qpos[hip])
        if wp.static(terms > 0):
            for k in range(wp.static(terms)):
                target += parameters[row, graph + first + k] * frame.waves[k]
        return target

    return target_angle


def target_rate_function(types: Types, plan: SimbiconPlan, i: int, frame: FrameParts) -> wp.Function:
    """(parameters, row, graph_row, frame) -> how fast slot i's target moves in the cycle."""
    real, Frame = types.real, frame.Frame
    first = plan.layout.term(0, i)
    terms = 2 * plan.layout.harmonics
    zero = real(0.0)

    @wp.func
    def target_rate(parameters: wp.array2d[real], row: int, graph: int, frame: wp.ref[Frame]):
        rate = zero
        for k in range(wp.static(terms)):
            rate += parameters[row, graph + first + k] * frame.wave_rates[k]
        return rate

    return target_rate


def torso_drive(types: Types, plan: SimbiconPlan, i: int, frame: FrameParts) -> wp.Function:
    """(sense, memory, parameters, row, state_row, graph_row, gain, frame, command) -> the torso's torque in a plane."""
    real, Sense, Memory, Command, Frame = types.real, types.Sense, types.Memory, types.Command, frame.Frame
    slot = plan.slots[i]
    plane, dof = slot.plane, slot.dof
    aim, servo_row = target_function(types, plan, i, frame), reading_functions(types, plan.layout).servo_row
    faces, wraps = plane == TRANSVERSE, plan.turns_over or plane == TRANSVERSE
    previous, exact = plan.stable == "previous", plan.stable == "exact"
    reacts = plan.reacts and plane == SAGITTAL
    moves, target_rate = plan.layout.harmonics > 0, target_rate_function(types, plan, i, frame)
    turned_, impact_ = plan.memory["turned"], plan.memory["since_impact"]
    turn = real(-1.0 if plan.spatial and plane == SAGITTAL else 1.0)
    zero = real(0.0)

    @wp.func
    def drive_torso(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        here: int,
        graph: int,
        gain: real,
        frame: wp.ref[Frame],
        command: wp.ref[Command],
    ):
        servo = servo_row(graph, i)
        kp = gain * parameters[row, servo + ServoField.KP]
        kd = gain * parameters[row, servo + ServoField.KD]
        target = aim(sense, parameters, row, here, graph, frame)
        if wp.static(faces):
            target += parameters[row, graph + GraphField.HEADING] + memory[turned_]
        error = target - frame.lean[plane]
        rate = frame.rate[plane]
        if wp.static(moves):
            rate -= target_rate(parameters, row, graph, frame)
        if wp.static(wraps):
            error = short_way(error)
        if wp.static(exact):
            error = later_error(error, rate, sense.dt)
            command.coupling[TORSO_STIFFNESS] = servo_stiffness(kp, kd, sense.dt)
        if wp.static(previous):
            error = later_error(error, rate, sense.dt)
            rate = later_rate(rate, turn * sense.qacc[dof], sense.dt)
        if wp.static(reacts):
            memory[impact_] = time_since_impact(
                memory[impact_],
                error,
                parameters[row, graph + GraphField.REACTION_THRESHOLD],
                parameters[row, graph + GraphField.REACTION_DELAY],
                parameters[row, graph + GraphField.REACTION_DURATION],
                sense.dt,
            )
        return servo_torque(kp, kd, error, rate, zero)

    return drive_torso


def joint_drive(types: Types, plan: SimbiconPlan, i: int, frame: FrameParts) -> wp.Function:
    """(sense, parameters, row, state_row, graph_row, right_stance, flies, gain, frame, command) sets slot i's torque.

    A hip tracks its target against the world, other joints against their parents; a joint whose target is against the
    world takes it relative to where its parent is.
    """
    real, Sense, Command, Frame = types.real, types.Sense, types.Command, frame.Frame
    slot = plan.slots[i]
    plane, dof, place, turn = slot.plane, slot.dof, slot.qpos, real(slot.turn)
    root_dof = plan.slots[plane].dof if plan.spatial else 2
    root_turn = real(-slot.turn if plan.spatial and plane == SAGITTAL else slot.turn)
    reading = reading_functions(types, plan.layout)
    servo_row, target_row = reading.servo_row, reading.target_row
    aim, target_rate = target_function(types, plan, i, frame), target_rate_function(types, plan, i, frame)
    moves = plan.layout.harmonics > 0
    hip, rolls, wraps = slot.place == "hip" and plane != TRANSVERSE, plane == CORONAL, plan.turns_over
    shifts_hip, shifts_knee = plan.places and slot.place == "hip", plan.places and slot.place == "knee"
    on_right, levels = slot.side == "right", plan.levels
    above, signs = tuple(a for a, _ in slot.above), tuple(real(s) for _, s in slot.above)
    links = len(above)
    implicit, previous, exact = types.implicit, plan.stable == "previous", plan.stable == "exact"
    zero = real(0.0)

    @wp.func
    def drive_joint(
        sense: wp.ref[Sense],
        parameters: wp.array2d[real],
        row: int,
        here: int,
        graph: int,
        right_stance: bool,
        flies: bool,
        gain: real,
        frame: wp.ref[Frame],
        command: wp.ref[Command],
    ):
        servo = servo_row(graph, i)
        kp = gain * parameters[row, servo + ServoField.KP]
        kd = gain * parameters[row, servo + ServoField.KD]
        target = aim(sense, parameters, row, here, graph, frame)
        if wp.static(shifts_hip):
            target += sense.view[HIP_SHIFT]
        if wp.static(shifts_knee):
            if right_stance != wp.static(on_right):
                target += sense.view[KNEE_SHIFT]
        angle = sense.qpos[place]
        rate = sense.qvel[dof]
        if wp.static(moves):
            rate -= target_rate(parameters, row, graph, frame)
        acceleration = zero
        if wp.static(previous):
            acceleration = sense.qacc[dof]
        ahead = zero
        error = target - angle
        if wp.static(hip):
            if not flies:
                low = parameters[row, graph + GraphField.HIP_LOW]
                high = parameters[row, graph + GraphField.HIP_HIGH]
                if wp.static(rolls):
                    high = parameters[row, graph + GraphField.HIP_ROLL_LIMIT]
                    low = -high
                error = wp.clamp(target, low, high) - angle - turn * frame.lean[plane]
                if wp.static(wraps):
                    error = short_way(error)
                rate += turn * frame.rate[plane]
                if wp.static(previous):
                    acceleration += root_turn * sense.qacc[root_dof]
                if wp.static(exact):
                    error = later_error(error, rate, sense.dt)
                    if right_stance != wp.static(on_right):
                        command.coupling[HIP_STIFFNESS] = servo_stiffness(kp, kd, sense.dt)
        else:
            if wp.static(levels):
                if parameters[row, target_row(here, i) + TargetField.WORLD] > zero:
                    error -= turn * frame.lean[plane]
                    for j in range(wp.static(links)):
                        error -= wp.static(signs[j]) * sense.qpos[wp.static(above[j])]
            if wp.static(implicit):
                ahead = sense.dt
        if wp.static(previous):
            error = later_error(error, rate, sense.dt)
            rate = later_rate(rate, acceleration, sense.dt)
            ahead = zero
        command.torque[dof] = servo_torque(kp, kd, error, rate, ahead)
        command.stiffness[dof] = servo_stiffness(kp, kd, ahead)

    return drive_joint


def drive_joints(types: Types, plan: SimbiconPlan, frame: FrameParts) -> wp.Function:
    """The :func:`joint_drive` of every joint, one after the other."""
    real, Sense, Command, Frame = types.real, types.Sense, types.Command, frame.Frame

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @wp.func
        def drive_both(
            sense: wp.ref[Sense],
            parameters: wp.array2d[real],
            row: int,
            here: int,
            graph: int,
            right_stance: bool,
            flies: bool,
            gain: real,
            frame: wp.ref[Frame],
            command: wp.ref[Command],
        ):
            first(sense, parameters, row, here, graph, right_stance, flies, gain, frame, command)
            second(sense, parameters, row, here, graph, right_stance, flies, gain, frame, command)

        return drive_both

    return reduce(both, [joint_drive(types, plan, i, frame) for i in joint_slots(plan)])


def stop_and_limit_joints(types: Types, plan: SimbiconPlan) -> wp.Function:
    """The :func:`stop_and_limit` of every joint, one after the other."""
    real, Sense, Command = types.real, types.Sense, types.Command

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @wp.func
        def keep_both(
            sense: wp.ref[Sense], parameters: wp.array2d[real], row: int, graph: int, command: wp.ref[Command]
        ):
            first(sense, parameters, row, graph, command)
            second(sense, parameters, row, graph, command)

        return keep_both

    return reduce(both, [stop_and_limit(types, plan, i) for i in joint_slots(plan)])


def stance_hip_function(types: Types, plan: SimbiconPlan, Torques: type, planes: int) -> wp.Function:
    """(right_stance, torso_torque, command) sets the stance hip's torques, plane by plane."""
    real, Command = types.real, types.Command
    left, right = ([hip_in(plan, side, plane) for plane in range(planes)] for side in ("left", "right"))
    lefts, rights = tuple(s.dof for s in left), tuple(s.dof for s in right)
    left_turns, right_turns = tuple(real(s.turn) for s in left), tuple(real(s.turn) for s in right)
    zero = real(0.0)

    @wp.func
    def give_the_rest(right_stance: bool, torso: wp.ref[Torques], command: wp.ref[Command]):
        swing = Torques()
        for p in range(wp.static(planes)):
            if wp.static(lefts[p] >= 0):
                if right_stance:
                    swing[p] = wp.static(left_turns[p]) * command.torque[wp.static(lefts[p])]
                else:
                    swing[p] = wp.static(right_turns[p]) * command.torque[wp.static(rights[p])]
        stance = stance_hip_torque(torso, swing)
        for p in range(wp.static(planes)):
            if wp.static(lefts[p] >= 0):
                if right_stance:
                    command.torque[wp.static(rights[p])] = wp.static(right_turns[p]) * stance[p]
                    command.stiffness[wp.static(rights[p])] = zero
                else:
                    command.torque[wp.static(lefts[p])] = wp.static(left_turns[p]) * stance[p]
                    command.stiffness[wp.static(lefts[p])] = zero

    return give_the_rest


def stop_and_limit(types: Types, plan: SimbiconPlan, i: int) -> wp.Function:
    """(sense, parameters, row, graph_row, command) keeps joint i off its stops and within its torque limit."""
    real, Sense, Command = types.real, types.Sense, types.Command
    dof, place = plan.slots[i].dof, plan.slots[i].qpos
    servo_row = reading_functions(types, plan.layout).servo_row
    previous, exact = plan.stable == "previous", plan.stable == "exact"
    zero = real(0.0)

    @wp.func
    def keep(sense: wp.ref[Sense], parameters: wp.array2d[real], row: int, graph: int, command: wp.ref[Command]):
        servo = servo_row(graph, i)
        torque = command.torque[dof]
        kp = parameters[row, graph + GraphField.LIMIT_KP]
        if kp > zero:
            back = beyond_stop(
                sense.qpos[place], parameters[row, servo + ServoField.LOWER], parameters[row, servo + ServoField.UPPER]
            )
            if back != zero:
                kd = parameters[row, graph + GraphField.LIMIT_KD]
                rate = sense.qvel[dof]
                ahead = zero
                if wp.static(previous):
                    back = later_error(back, rate, sense.dt)
                    rate = later_rate(rate, sense.qacc[dof], sense.dt)
                if wp.static(exact):
                    ahead = sense.dt
                torque = servo_torque(kp, kd, back, rate, ahead)
                command.stiffness[dof] = servo_stiffness(kp, kd, ahead)
        limit = parameters[row, servo + ServoField.TORQUE_LIMIT]
        command.stiffness[dof] = limited_stiffness(command.stiffness[dof], torque, limit)
        command.torque[dof] = limited(torque, limit)

    return keep
