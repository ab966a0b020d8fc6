"""The torso: a servo against the world, in each plane that it leans in (SIMBICON, section 3.2).

    τ_torso = kp (target - θ) - kd θ'

No motor gives this torque: the hips do (:mod:`footfall.methods.simbicon.parts.stance_hip`). In the transverse plane the
target is the desired heading.
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.feedback import wrap_angle
from footfall.control.parts.now import NowParts
from footfall.control.parts.servo import predicted_error, predicted_rate, servo_torque
from footfall.control.rows import GraphField
from footfall.control.slots import SAGITTAL, TRANSVERSE
from footfall.methods.simbicon.parts.target import target_function, target_rate_function
from footfall.methods.simbicon.plan import SimbiconPlan


def torso_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """A part that finds the torso's torque in the plane of slot i: ``now.torso_torque``, and its error."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
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

    @wp.func
    def torso(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
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
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    of_graph, turned_ = now.of_graph, plan.memory["turned"]

    @wp.func
    def turn_heading(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        memory[turned_] = memory[turned_] + of_graph(now, GraphField.HEADING_RATE) * sense.dt

    return turn_heading
