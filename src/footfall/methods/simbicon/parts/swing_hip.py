"""The swing hip: a servo against the world, with balance feedback on its target (SIMBICON, sections 3.2 and 3.3).

    τ_swing = kp (target + c_d d + c_v v - q - θ) - kd (q' + θ')

The target is clamped after feedback. In flight there is no stance leg: both hips then track their targets against the
torso.
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.feedback import wrap_angle
from footfall.control.parts.now import NowParts
from footfall.control.parts.servo import predicted_error, predicted_rate, servo_torque
from footfall.control.rows import GraphField
from footfall.control.slots import CORONAL, SAGITTAL
from footfall.methods.simbicon.parts.sight import HIP_SHIFT
from footfall.methods.simbicon.parts.target import target_function, target_rate_function
from footfall.methods.simbicon.plan import SimbiconPlan


def swing_hip_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that sets the torque of the hip of slot i while its leg swings or the figure flies."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
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

    @wp.func
    def swing_hip(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
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
