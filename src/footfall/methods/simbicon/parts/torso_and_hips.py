"""The torso and the hips, in each plane that the torso leans in (SIMBICON, sections 3.2 and 3.3).

    τ_torso = kp (target - θ) - kd θ'
    τ_swing = kp (target + c_d d + c_v v - q - θ) - kd (q' + θ')
    τ_stance = -τ_torso - τ_swing

Torso and swing hip are servos against the world. No motor gives the torso's torque: a hip's torque on the thigh pushes
the torso the other way, so that it feels -(τ_stance + τ_swing) = τ_torso. The rule holds in every plane alike: for
numbers in the sagittal plane, for vectors in space. In the transverse plane the target is the desired heading. The
swing hip's target is clamped after feedback. In flight there is no stance leg: both hips then track their targets
against the torso.

Exact stable PD takes torso and swing hip one step ahead, by this very step's accelerations. A servo against its parent
adds to its joint's inertia; servos against the world tie the hips to the torso, and their torques are corrected after
the dynamics have answered.
"""

from typing import Any

import warp as wp

from footfall.control.law import StepTypes, Types
from footfall.control.parts import (
    NowParts,
    limited,
    predicted_error,
    predicted_rate,
    servo_stiffness,
    servo_torque,
    wrap_angle,
)
from footfall.control.rows import GraphField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE
from footfall.methods.simbicon.parts.sight import HIP_SHIFT
from footfall.methods.simbicon.parts.target import target_function, target_rate_function
from footfall.methods.simbicon.plan import SimbiconPlan


def torso_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that finds the torso's torque in the plane of slot i: ``now.torso_torque``, and its error."""
    real = types.real
    slot = plan.slots[i]
    plane, dof = slot.plane, slot.dof
    read_servo, of_graph = now.read_servo, now.of_graph
    target_angle, target_rate = (make(types, plan, now, i) for make in (target_function, target_rate_function))
    faces, wraps = plane == TRANSVERSE, plan.turns_over or plane == TRANSVERSE
    moves = plan.layout.harmonics > 0
    stable, previous = plan.stable != "", plan.stable == "previous"
    turned_ = plan.memory["turned"]
    turn = real(-1.0 if plan.spatial and plane == SAGITTAL else 1.0)
    zero = real(0.0)

    @now.part
    def torso(now, sense, memory, command):
        servo = read_servo(now, i)
        target = target_angle(now, sense)
        if wp.static(faces):
            target += of_graph(now, GraphField.HEADING) + memory[turned_]
        error = target - now.lean[plane]
        rate = now.rate[plane]
        if wp.static(moves):
            rate -= target_rate(now)
        if wp.static(wraps):
            error = wrap_angle(error)
        if wp.static(stable):
            error = predicted_error(error, rate, sense.dt)
        if wp.static(previous):
            rate = predicted_rate(rate, turn * sense.qacc[dof], sense.dt)
        now.torso_error[plane] = error
        now.torso_torque[plane] = servo_torque(now.gain * servo.kp, now.gain * servo.kd, error, rate, zero)

    return torso


def turn_heading_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that turns the desired heading by its rate."""
    of_graph, turned_ = now.of_graph, plan.memory["turned"]

    @now.part
    def turn_heading(now, sense, memory, command):
        memory[turned_] = memory[turned_] + of_graph(now, GraphField.HEADING_RATE) * sense.dt

    return turn_heading


def limit_turning_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that turns to another heading by and by: what there is to turn is taken off the desired heading, and given
    back no faster than the limit."""
    of_graph, memory_ = now.of_graph, plan.memory
    turned_, asked_, to_turn_ = (memory_[name] for name in ("turned", "asked_heading", "to_turn"))
    limit = types.real(plan.turn_limit)

    @now.part
    def limit_turning(now, sense, memory, command):
        heading = of_graph(now, GraphField.HEADING)
        change = heading - memory[asked_]
        left = wrap_angle(memory[to_turn_] + change)
        turn = wp.clamp(left, -limit * sense.dt, limit * sense.dt)
        memory[asked_] = heading
        memory[turned_] = memory[turned_] - change + turn
        memory[to_turn_] = left - turn

    return limit_turning


def swing_hip_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that sets the torque of the hip of slot i while its leg swings or the figure flies."""
    real = types.real
    slot = plan.slots[i]
    plane, dof, place, turn = slot.plane, slot.dof, slot.qpos, real(slot.turn)
    root_dof = plan.slots[plane].dof if plan.spatial else 2
    root_turn = real(-slot.turn if plan.spatial and plane == SAGITTAL else slot.turn)
    read_servo, of_graph = now.read_servo, now.of_graph
    target_angle, target_rate = (make(types, plan, now, i) for make in (target_function, target_rate_function))
    moves, rolls, wraps, shifts = plan.layout.harmonics > 0, plane == CORONAL, plan.turns_over, plan.places
    on_right, always = slot.side == "right", plan.hip(slot.side, plane) != slot
    previous, exact = plan.stable == "previous", plan.stable == "exact"
    zero = real(0.0)

    @now.part
    def swing_hip(now, sense, memory, command):
        if wp.static(always) or now.flies or now.right_stance != wp.static(on_right):
            servo = read_servo(now, i)
            target = target_angle(now, sense)
            if wp.static(shifts):
                target += sense.view[HIP_SHIFT]
            angle = sense.qpos[place]
            error = target - angle
            rate = sense.qvel[dof]
            if wp.static(moves):
                rate -= target_rate(now)
            acceleration = zero
            if wp.static(previous):
                acceleration = sense.qacc[dof]
            if not now.flies:
                low = of_graph(now, GraphField.HIP_LOW)
                high = of_graph(now, GraphField.HIP_HIGH)
                if wp.static(rolls):
                    high = of_graph(now, GraphField.HIP_ROLL_LIMIT)
                    low = -high
                error = wp.clamp(target, low, high) - angle - turn * now.lean[plane]
                if wp.static(wraps):
                    error = wrap_angle(error)
                rate += turn * now.rate[plane]
                if wp.static(previous):
                    acceleration += root_turn * sense.qacc[root_dof]
                if wp.static(exact):
                    error = predicted_error(error, rate, sense.dt)
            if wp.static(previous):
                error = predicted_error(error, rate, sense.dt)
                rate = predicted_rate(rate, acceleration, sense.dt)
            command.torque[dof] = servo_torque(now.gain * servo.kp, now.gain * servo.kd, error, rate, zero)
            command.stiffness[dof] = zero

    return swing_hip


@wp.func
def stance_hip_torque(torso: Any, swing: Any):
    """The stance hip's torque, given those of the torso's servo and of the swing hip."""
    return -torso - swing


def stance_hip_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that sets the stance hip's torques, plane by plane, unless the figure flies. They do not depend on the
    stance hip's own angle, so they have no stiffness."""
    real = types.real
    planes = plan.planes
    Torques = wp.types.vector(length=planes, dtype=real)
    left, right = ([plan.hip(side, plane) for plane in range(planes)] for side in ("left", "right"))
    lefts, rights = tuple(s.dof for s in left), tuple(s.dof for s in right)
    left_turns, right_turns = tuple(real(s.turn) for s in left), tuple(real(s.turn) for s in right)
    zero = real(0.0)

    @now.part
    def stance_hip(now, sense, memory, command):
        if not now.flies:
            swing = Torques()
            for p in range(wp.static(planes)):
                if wp.static(lefts[p] >= 0):
                    if now.right_stance:
                        swing[p] = wp.static(left_turns[p]) * command.torque[wp.static(lefts[p])]
                    else:
                        swing[p] = wp.static(right_turns[p]) * command.torque[wp.static(rights[p])]
            stance = stance_hip_torque(now.torso_torque, swing)
            for p in range(wp.static(planes)):
                if wp.static(lefts[p] >= 0):
                    if now.right_stance:
                        command.torque[wp.static(rights[p])] = wp.static(right_turns[p]) * stance[p]
                        command.stiffness[wp.static(rights[p])] = zero
                    else:
                        command.torque[wp.static(lefts[p])] = wp.static(left_turns[p]) * stance[p]
                        command.stiffness[wp.static(lefts[p])] = zero

    return stance_hip


COUPLED = 2
"""Torques that are corrected: the swing hip's and the stance hip's."""
SWING_HIP, STANCE_HIP = range(2)
"""Places in ``command.coupled``."""
HIP_STIFFNESS, TORSO_STIFFNESS, SWING_LIMIT, STANCE_LIMIT = range(4)
"""Places in ``command.coupling``: kd h + kp h² of the swing hip's and of the torso's servo, and the hips' torque
limits."""
COUPLING = 4


def hip_correction(types: Types) -> wp.Function:
    """A Warp function (command, qacc, responses, torque) that takes the hips' servos against the world implicitly.

    With y = (swing hip's + torso's, torso's) acceleration, their torques fall by x(y) = (s_hip y_0,
    -s_hip y_0 - s_torso y_1) on swing and stance hip. Accelerations are linear in torques: the responses to unit
    torques give y = y⁰ - B x(y), two equations for y, and x is taken off the torques.

    A torque at its limit stays there and no longer depends on accelerations; the other one is then found alone.
    """
    Command, Qvel, Responses, one = types.Command, types.compiled.Qvel, responses_of(types), types.real(1.0)

    @wp.func
    def correct(command: wp.ref[Command], qacc: wp.ref[Qvel], responses: wp.ref[Responses], torque: wp.ref[Qvel]):
        swing = command.coupled[SWING_HIP]
        stance = command.coupled[STANCE_HIP]
        s = command.coupling[HIP_STIFFNESS]
        t = command.coupling[TORSO_STIFFNESS]
        y0 = qacc[swing] + qacc[2]
        y1 = qacc[2]
        b00 = responses[0, swing] + responses[0, 2] - y0
        b10 = responses[0, 2] - y1
        b01 = responses[1, swing] + responses[1, 2] - y0
        b11 = responses[1, 2] - y1
        m00 = one + s * (b00 - b01)
        m01 = -t * b01
        m10 = s * (b10 - b11)
        m11 = one - t * b11
        inverse = one / (m00 * m11 - m01 * m10)
        z0 = (m11 * y0 - m01 * y1) * inverse
        z1 = (m00 * y1 - m10 * y0) * inverse
        at_swing = torque[swing]
        at_stance = torque[stance]
        most_swing = command.coupling[SWING_LIMIT]
        most_stance = command.coupling[STANCE_LIMIT]
        torque[swing] = at_swing - s * z0
        torque[stance] = at_stance + s * z0 + t * z1
        if wp.abs(at_swing) >= most_swing or wp.abs(torque[swing]) > most_swing:
            if wp.abs(at_swing) >= most_swing:
                torque[swing] = at_swing
            torque[swing] = limited(torque[swing], most_swing)
            more = torque[swing] - at_swing
            y1 = (y1 + (b10 - b11) * more) / (one - t * b11)
            torque[stance] = at_stance
            if wp.abs(at_stance) < most_stance:
                torque[stance] = limited(at_stance - more + t * y1, most_stance)
        elif wp.abs(at_stance) >= most_stance or wp.abs(torque[stance]) > most_stance:
            if wp.abs(at_stance) >= most_stance:
                torque[stance] = at_stance
            torque[stance] = limited(torque[stance], most_stance)
            more = torque[stance] - at_stance
            y0 = (y0 + b01 * more) / (one + s * b00)
            torque[swing] = limited(at_swing - s * y0, most_swing)

    return correct


def responses_of(types: Types) -> Any:
    """Matrix type [2, nv] of the accelerations under one newton metre more on each of the hips."""
    return wp.types.matrix(shape=(COUPLED, types.compiled.nv), dtype=types.real)


def coupling_fields(real: Any) -> dict[str, Any]:
    """Fields of a command that tell which torques are corrected, and how."""
    return {
        "coupled": wp.types.vector(length=COUPLED, dtype=wp.int32),
        "coupling": wp.types.vector(length=COUPLING, dtype=real),
    }


def hip_revision(step: StepTypes) -> wp.Function:
    """The correction in a step: it asks for the responses to unit torques."""
    World, Pushes, Setting, respond = step.World, step.Pushes, step.Setting, step.respond
    Qvel, Responses, one = step.types.compiled.Qvel, responses_of(step.types), step.types.real(1.0)
    correct = hip_correction(step.types)

    @wp.func
    def revise(world: wp.ref[World], push: wp.ref[Pushes], setting: Setting, torque: wp.ref[Qvel]):
        responses = Responses()
        trial = world.command.torque
        answer = Qvel()
        for k in range(wp.static(COUPLED)):
            trial[world.command.coupled[k]] = trial[world.command.coupled[k]] + one
            respond(world, push, setting, trial, answer)
            responses[k] = answer
            trial[world.command.coupled[k]] = trial[world.command.coupled[k]] - one
        correct(world.command, world.qacc, responses, torque)
        return True

    return revise


def couple_hips_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that says which hips' torques :func:`hip_correction` corrects, by which stiffnesses and within which
    limits; in flight nothing is coupled."""
    read_servo = now.read_servo
    left, right = (plan.hip(side, SAGITTAL) for side in ("left", "right"))
    left_hip, right_hip = left.dof, right.dof
    left_slot, right_slot, torso_slot = plan.slots.index(left), plan.slots.index(right), SAGITTAL
    zero = types.real(0.0)

    @now.part
    def couple_hips(now, sense, memory, command):
        torso = read_servo(now, wp.static(torso_slot))
        swing = read_servo(now, wp.where(now.right_stance, left_slot, right_slot))
        stance = read_servo(now, wp.where(now.right_stance, right_slot, left_slot))
        command.coupled[SWING_HIP] = wp.where(now.right_stance, left_hip, right_hip)
        command.coupled[STANCE_HIP] = wp.where(now.right_stance, right_hip, left_hip)
        command.coupling[SWING_LIMIT] = swing.torque_limit
        command.coupling[STANCE_LIMIT] = stance.torque_limit
        command.coupling[HIP_STIFFNESS] = servo_stiffness(now.gain * swing.kp, now.gain * swing.kd, sense.dt)
        command.coupling[TORSO_STIFFNESS] = servo_stiffness(now.gain * torso.kp, now.gain * torso.kd, sense.dt)
        if now.flies:
            command.coupling[HIP_STIFFNESS] = zero
            command.coupling[TORSO_STIFFNESS] = zero

    return couple_hips
