"""Knees, ankles, arms and all other joints that are not hips: servos against their parents (SIMBICON, section 3.1).

    τ = kp (target - q) - kd q'

A target against the world, such as that of a foot that stays level, is taken relative to where the joint's parent is. A
joint beyond its stops is pushed back, and no torque exceeds its motor's (section 3).
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import (
    NowParts,
    beyond_stop,
    limited,
    limited_stiffness,
    predicted_error,
    predicted_rate,
    servo_stiffness,
    servo_torque,
)
from footfall.control.rows import GraphField
from footfall.methods.simbicon.parts.sight import HIP_SHIFT, KNEE_SHIFT
from footfall.methods.simbicon.parts.target import target_function, target_rate_function
from footfall.methods.simbicon.plan import SimbiconPlan


def joint_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that sets slot i's torque; one step ahead, with its stiffness, under an implicit integrator."""
    real = types.real
    slot = plan.slots[i]
    plane, dof, place, turn = slot.plane, slot.dof, slot.qpos, real(slot.turn)
    read_servo, read_target = now.read_servo, now.read_target
    target_angle, target_rate = (make(types, plan, now, i) for make in (target_function, target_rate_function))
    shifts_hip, shifts_knee = plan.places and slot.place == "hip", plan.places and slot.place == "knee"
    on_right, levels, moves = slot.side == "right", plan.levels, plan.layout.harmonics > 0
    above, signs = tuple(a for a, _ in slot.above), tuple(real(s) for _, s in slot.above)
    links = len(above)
    previous = plan.stable == "previous"
    implicit = types.implicit and not previous
    zero = real(0.0)

    @now.part
    def joint(now, sense, memory, command):
        servo = read_servo(now, i)
        kp = now.gain * servo.kp
        kd = now.gain * servo.kd
        target = target_angle(now, sense)
        if wp.static(shifts_hip):
            target += sense.view[HIP_SHIFT]
        if wp.static(shifts_knee):
            if now.right_stance != wp.static(on_right):
                target += sense.view[KNEE_SHIFT]
        error = target - sense.qpos[place]
        rate = sense.qvel[dof]
        if wp.static(moves):
            rate -= target_rate(now)
        if wp.static(levels):
            if read_target(now, i).world:
                error -= turn * now.lean[plane]
                for j in range(wp.static(links)):
                    error -= wp.static(signs[j]) * sense.qpos[wp.static(above[j])]
        if wp.static(previous):
            error = predicted_error(error, rate, sense.dt)
            rate = predicted_rate(rate, sense.qacc[dof], sense.dt)
        ahead = zero
        if wp.static(implicit):
            ahead = sense.dt
        command.torque[dof] = servo_torque(kp, kd, error, rate, ahead)
        command.stiffness[dof] = servo_stiffness(kp, kd, ahead)

    return joint


def limit_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that keeps joint i off its stops and within its torque limit. Beyond a stop, the stop's servo takes the
    place of the joint's own torque."""
    real = types.real
    dof, place = plan.slots[i].dof, plan.slots[i].qpos
    read_servo, of_graph = now.read_servo, now.of_graph
    previous, exact = plan.stable == "previous", plan.stable == "exact"
    zero = real(0.0)

    @now.part
    def limit(now, sense, memory, command):
        servo = read_servo(now, i)
        torque = command.torque[dof]
        kp = of_graph(now, GraphField.LIMIT_KP)
        if kp > zero:
            back = beyond_stop(sense.qpos[place], servo.lower, servo.upper)
            if back != zero:
                kd = of_graph(now, GraphField.LIMIT_KD)
                rate = sense.qvel[dof]
                ahead = zero
                if wp.static(previous):
                    back = predicted_error(back, rate, sense.dt)
                    rate = predicted_rate(rate, sense.qacc[dof], sense.dt)
                if wp.static(exact):
                    ahead = sense.dt
                torque = servo_torque(kp, kd, back, rate, ahead)
                command.stiffness[dof] = servo_stiffness(kp, kd, ahead)
        command.stiffness[dof] = limited_stiffness(command.stiffness[dof], torque, servo.torque_limit)
        command.torque[dof] = limited(torque, servo.torque_limit)

    return limit
