"""How SIMBICON's law learns by stride: which torques of which slots (sections 6 and 7.2).

What balance adds to a torque, kp (c_d d + c_v v), is not learned. The stance hip does not learn: it gives the torso its
torque.
"""

from functools import reduce

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.feedback import corrected_target
from footfall.control.parts.frame import FrameParts
from footfall.control.parts.reading import reading_functions
from footfall.control.rows import GraphField, ServoField, TargetField
from footfall.control.slots import TRANSVERSE
from footfall.methods.simbicon.drives import target_function
from footfall.methods.simbicon.parts.stride_learning import StrideLearning, stride_functions
from footfall.methods.simbicon.plan import SimbiconPlan

__all__ = ["stride_learning"]


def stride_learning(
    types: Types, plan: SimbiconPlan, frame: FrameParts, Torques: type, planes: int, felt: int
) -> tuple[wp.Function, wp.Function, wp.Function]:
    """The bin of this moment, the begin of a step, and (sense, memory, parameters, row, state_row, graph_row,
    right_stance, bin, frame, torso_torque, command) that adds what was learned to the torques of every learner. The
    norms of both kinds of torque become the signals from ``felt`` on."""
    real, Sense, Memory, Command, Frame = types.real, types.Sense, types.Memory, types.Command, frame.Frame
    functions = stride_functions(types, plan.memory, plan.stride_bins, len(plan.learners), plan.legs)
    anticipate = functions.anticipate
    reading = reading_functions(types, plan.layout)
    servo_row, target_row = reading.servo_row, reading.target_row
    count = len(plan.learners) - plan.legs
    slots = [plan.slots[i] for i in plan.learners[:count]]
    Indices = wp.types.vector(length=count, dtype=wp.int32)
    indices = wp.constant(Indices(*plan.learners[:count]))
    feels, dofs = (wp.constant(Indices(*(getattr(slot, name) for slot in slots))) for name in ("feels", "dof"))
    has_legs = plan.legs > 0
    learn_legs = _legs(types, plan, frame, functions, felt) if has_legs else None
    zero = real(0.0)

    @wp.func
    def anticipate_all(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        here: int,
        graph: int,
        right_stance: bool,
        n: int,
        frame: wp.ref[Frame],
        torso: wp.ref[Torques],
        command: wp.ref[Command],
    ):
        most = parameters[row, graph + GraphField.FEEDFORWARD_LIMIT]
        back = zero
        ahead = zero
        for k in range(count):
            kp = parameters[row, servo_row(graph, indices[k]) + ServoField.KP]
            feedback = command.torque[dofs[k]]
            if k < planes:
                feedback = torso[k]
            at = target_row(here, indices[k])
            c_d = parameters[row, at + TargetField.C_D]
            c_v = parameters[row, at + TargetField.C_V]
            balance = kp * corrected_target(zero, c_d, frame.d[feels[k]], c_v, frame.v[feels[k]])
            forward = anticipate(memory, k, n, feedback - balance, most * kp)
            if k < planes:
                torso[k] = feedback + forward
            else:
                command.torque[dofs[k]] = feedback + forward
            back += (feedback - balance) * (feedback - balance)
            ahead += forward * forward
        command.signals[felt] = back
        command.signals[felt + 1] = ahead
        if wp.static(has_legs):
            learn_legs(sense, memory, parameters, row, here, graph, right_stance, n, most, frame, command)
        command.signals[felt] = wp.sqrt(command.signals[felt])
        command.signals[felt + 1] = wp.sqrt(command.signals[felt + 1])

    return functions.find_bin, functions.begin_step, anticipate_all


def _leg(
    types: Types, plan: SimbiconPlan, frame: FrameParts, functions: StrideLearning, leg: int, felt: int
) -> wp.Function:
    """(sense, memory, parameters, row, state_row, graph_row, right_stance, bin, limit, frame, command) moves the target
    of one of the legs' joints by its displacement, and adds what it has learned to its torque."""
    real, Sense, Memory, Command, Frame = types.real, types.Sense, types.Memory, types.Command, frame.Frame
    k = len(plan.learners) - plan.legs + leg
    i = plan.learners[k]
    slot = plan.slots[i]
    plane, dof, place, turn, feels = slot.plane, slot.dof, slot.qpos, real(slot.turn), slot.feels
    hip, on_right = slot.place == "hip", slot.side == "right"
    world = hip and plane != TRANSVERSE
    aim = target_function(types, plan, i, frame)
    reading = reading_functions(types, plan.layout)
    servo_row, target_row = reading.servo_row, reading.target_row
    anticipate, displace = functions.anticipate, functions.displace
    zero = real(0.0)

    @wp.func
    def learn_leg(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        here: int,
        graph: int,
        right_stance: bool,
        n: int,
        most: real,
        frame: wp.ref[Frame],
        command: wp.ref[Command],
    ):
        learns = bool(True)
        if wp.static(hip):
            learns = right_stance != wp.static(on_right)
        if learns:
            kp = parameters[row, servo_row(graph, i) + ServoField.KP]
            at = target_row(here, i)
            c_d = parameters[row, at + TargetField.C_D]
            c_v = parameters[row, at + TargetField.C_V]
            balance = corrected_target(zero, c_d, frame.d[feels], c_v, frame.v[feels])
            angle = sense.qpos[place]
            if wp.static(world):
                angle += turn * frame.lean[plane]
            target = aim(sense, parameters, row, here, graph, frame) - balance
            torque = command.torque[dof] + kp * displace(memory, leg, n, angle - target)
            tracking = torque - kp * balance
            forward = anticipate(memory, k, n, tracking, most * kp)
            command.torque[dof] = torque + forward
            command.signals[felt] = command.signals[felt] + tracking * tracking
            command.signals[felt + 1] = command.signals[felt + 1] + forward * forward

    return learn_leg


def _legs(types: Types, plan: SimbiconPlan, frame: FrameParts, functions: StrideLearning, felt: int) -> wp.Function:
    """The :func:`_leg` of every joint of the legs that learns, one after the other."""
    real, Sense, Memory, Command, Frame = types.real, types.Sense, types.Memory, types.Command, frame.Frame

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @wp.func
        def learn_both(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            here: int,
            graph: int,
            right_stance: bool,
            n: int,
            most: real,
            frame: wp.ref[Frame],
            command: wp.ref[Command],
        ):
            first(sense, memory, parameters, row, here, graph, right_stance, n, most, frame, command)
            second(sense, memory, parameters, row, here, graph, right_stance, n, most, frame, command)

        return learn_both

    return reduce(both, [_leg(types, plan, frame, functions, leg, felt) for leg in range(plan.legs)])
