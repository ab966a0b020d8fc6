"""Limits: a joint beyond its stops is pushed back, and no torque exceeds its motor's (SIMBICON, section 3)."""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.parts.servo import (
    beyond_stop,
    limited,
    limited_stiffness,
    predicted_error,
    predicted_rate,
    servo_stiffness,
    servo_torque,
)
from footfall.control.rows import GraphField
from footfall.methods.simbicon.plan import SimbiconPlan


def limit_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that keeps joint i off its stops and within its torque limit. Beyond a stop, the stop's servo takes the
    place of the joint's own torque."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    dof, place = plan.slots[i].dof, plan.slots[i].qpos
    read_servo, of_graph = now.read_servo, now.of_graph
    previous, exact = plan.stable == "previous", plan.stable == "exact"
    zero = real(0.0)

    @wp.func
    def limit(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
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
