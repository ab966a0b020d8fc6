"""Feedback error learning: torques learned by phase, so that a disturbance that returns in every step is anticipated
and not only corrected (SIMBICON, sections 6 and 7.2).

What balance adds to a torque, kp (c_d d + c_v v), is not learned. The stance hip does not learn: it gives the torso its
torque.

The phase φ = t / T̂ runs from one exchange of stance to the next: t is the time since the last one, T̂ the period as
estimated so far. It is divided into N bins; over a stride, left and right stance have bins of their own. Each time the
motion has passed through bin n, its feed-forward torque learns from the mean of the feedback torque there,

    v_ff' = (1 - α) v_ff + α (v_ff + v_fb)                                                       (equation 2)

within a limit, since what a footstrike does in an instant cannot be anticipated. The sum v_ff + v_fb acts. All learners
share one clock. A joint of a leg also learns a displacement of its target, since targets jump where the legs exchange
roles (section 7.2):

    δθ' = (1 - α) δθ + α (θ - θ_d)
"""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts, corrected_target, in_order
from footfall.control.rows import GraphField
from footfall.control.slots import SAGITTAL, TRANSVERSE
from footfall.methods.simbicon.parts.target import target_function
from footfall.methods.simbicon.plan import SimbiconPlan

PERIOD_FILTER = 0.1
"""How much of a step's duration enters the estimate of the period."""


class Learning(NamedTuple):
    """The functions of learning.

    Attributes:
        find_bin: a part that sets ``now.bin`` (-1 before the period is known), and lets the bin that was left learn.
        anticipate: (now, memory, learner, feedback, limit) -> the feed-forward torque; remembers the feedback torque.
        displace: (now, memory, leg, miss) -> the displacement of a leg's target; remembers what its joint misses.
        begin_step: a part that starts the clock again when stance has been exchanged.
    """

    find_bin: wp.Function
    anticipate: wp.Function
    displace: wp.Function
    begin_step: wp.Function


def learning_functions(types: Types, plan: SimbiconPlan, now: NowParts) -> Learning:
    """The functions for a plan with learning."""
    Now, Memory, real = now.Now, types.Memory, types.real
    learning, memory, of_graph = plan.learning, plan.memory, now.of_graph
    assert learning is not None
    bins, phases, learners, legs = learning.bins, learning.phases, len(learning.learners), learning.legs
    stride = learning.stride
    clock, period, current, samples = (memory[f"learning_{x}"] for x in ("clock", "period", "bin", "samples"))
    total, torque = memory["learning_total"], memory["learned_torque"]
    missed, shift = memory["learning_miss"], memory["learned_shift"]
    zero, half, one, count, slow = real(0.0), real(0.5), real(1.0), real(float(bins)), real(PERIOD_FILTER)

    @now.part
    def find_bin(now, sense, memory, command):
        found = int(-1)
        if memory[period] > zero:
            found = int(wp.min(memory[clock] / memory[period] * count, count - one))
            if wp.static(stride):
                if now.right_stance:
                    found += bins
            before = int(memory[current])
            if found != before:
                if memory[samples] > zero:
                    rate = of_graph(now, GraphField.LEARNING_RATE)
                    for k in range(learners):
                        at = torque + phases * k + before
                        memory[at] = memory[at] + rate * memory[total + k] / memory[samples]
                        memory[total + k] = zero
                    for k in range(legs):
                        at = shift + phases * k + before
                        memory[at] = memory[at] + rate * (memory[missed + k] / memory[samples] - memory[at])
                        memory[missed + k] = zero
                memory[current] = real(found)
                memory[samples] = zero
            memory[samples] = memory[samples] + one
        memory[clock] = memory[clock] + sense.dt
        now.bin = found

    @wp.func
    def anticipate(now: wp.ref[Now], memory: wp.ref[Memory], learner: int, feedback: real, limit: real):
        forward = zero
        if now.bin >= 0:
            at = torque + phases * learner + now.bin
            forward = wp.clamp(memory[at], -limit, limit)
            memory[at] = forward
            memory[total + learner] = memory[total + learner] + feedback
        return forward

    @wp.func
    def displace(now: wp.ref[Now], memory: wp.ref[Memory], leg: int, miss: real):
        shifted = zero
        if now.bin >= 0:
            shifted = memory[shift + phases * leg + now.bin]
            memory[missed + leg] = memory[missed + leg] + miss
        return shifted

    @now.part
    def begin_step(now, sense, memory, command):
        if now.exchanged:
            if memory[period] > zero:
                memory[period] = memory[period] + slow * (memory[clock] - memory[period])
            elif memory[period] < -half:
                memory[period] = memory[clock]
            else:
                memory[period] = -one
            memory[clock] = zero

    return Learning(find_bin, anticipate, displace, begin_step)


def learned_torques_function(
    types: Types, plan: SimbiconPlan, now: NowParts, learning: Learning, forward_signal: int, norms_signal: int
) -> wp.Function:
    """A part that adds what was learned to the torques of every learner.

    It records the torso's learned torque in the sagittal plane (``forward_signal``), and the norms over all learners of
    feedback and feed-forward torques (from ``norms_signal`` on).
    """
    assert plan.learning is not None
    begin, end = _norm_functions(types, now, norms_signal)
    parts = [
        learning.find_bin,
        begin,
        _upper_body(types, plan, now, learning, forward_signal, norms_signal),
        *(_leg(types, plan, now, learning, leg, norms_signal) for leg in range(plan.learning.legs)),
        end,
    ]
    return in_order(types, now, parts)


def _norm_functions(types: Types, now: NowParts, norms: int) -> tuple[wp.Function, wp.Function]:
    """Parts that begin and end the norms: the learners between them add squares."""
    zero = types.real(0.0)

    @now.part
    def begin_norms(now, sense, memory, command):
        command.signals[norms] = zero
        command.signals[norms + 1] = zero

    @now.part
    def end_norms(now, sense, memory, command):
        command.signals[norms] = wp.sqrt(command.signals[norms])
        command.signals[norms + 1] = wp.sqrt(command.signals[norms + 1])

    return begin_norms, end_norms


def _most_function(types: Types, now: NowParts) -> wp.Function:
    """(now, kp) -> the largest feed-forward torque."""
    Now, of_graph, real = now.Now, now.of_graph, types.real

    @wp.func
    def most(now: wp.ref[Now], kp: real):
        return wp.min(of_graph(now, GraphField.FEEDFORWARD_LIMIT), of_graph(now, GraphField.FEEDFORWARD_ANGLE) * kp)

    return most


def _upper_body(
    types: Types, plan: SimbiconPlan, now: NowParts, learning: Learning, forward_signal: int, norms: int
) -> wp.Function:
    """A part for the torso's planes and the joints that are not the legs'."""
    real = types.real
    anticipate, read_servo, read_target = learning.anticipate, now.read_servo, now.read_target
    most = _most_function(types, now)
    assert plan.learning is not None
    learners = plan.learning.learners
    count = len(learners) - plan.learning.legs
    slots = [plan.slots[i] for i in learners[:count]]
    Indices = wp.types.vector(length=max(count, 1), dtype=wp.int32)
    indices = wp.constant(Indices(*learners[:count]))
    feels, dofs = (wp.constant(Indices(*(getattr(slot, name) for slot in slots))) for name in ("feels", "dof"))
    torsos = wp.constant(Indices(*(slot.plane if slot.place == "torso" else -1 for slot in slots)))
    zero = real(0.0)

    @now.part
    def learn_upper_body(now, sense, memory, command):
        for k in range(count):
            kp = read_servo(now, indices[k]).kp
            feedback = command.torque[dofs[k]]
            if torsos[k] >= 0:
                feedback = now.torso_torque[torsos[k]]
            target = read_target(now, indices[k])
            balance = kp * corrected_target(zero, target.c_d, now.d[feels[k]], target.c_v, now.v[feels[k]])
            forward = anticipate(now, memory, k, feedback - balance, most(now, kp))
            if torsos[k] >= 0:
                now.torso_torque[torsos[k]] = feedback + forward
            else:
                command.torque[dofs[k]] = feedback + forward
            if torsos[k] == SAGITTAL:
                command.signals[forward_signal] = forward
            command.signals[norms] = command.signals[norms] + (feedback - balance) * (feedback - balance)
            command.signals[norms + 1] = command.signals[norms + 1] + forward * forward

    return learn_upper_body


def _leg(types: Types, plan: SimbiconPlan, now: NowParts, learning: Learning, leg: int, norms: int) -> wp.Function:
    """A part that moves the target of one of the legs' joints by its displacement, and adds what it has learned to its
    torque."""
    real = types.real
    assert plan.learning is not None
    learner = len(plan.learning.learners) - plan.learning.legs + leg
    i = plan.learning.learners[learner]
    slot = plan.slots[i]
    plane, dof, place, turn, feels = slot.plane, slot.dof, slot.qpos, real(slot.turn), slot.feels
    hip, on_right = slot.place == "hip", slot.side == "right"
    world = hip and plane != TRANSVERSE
    target_angle, most = target_function(types, plan, now, i), _most_function(types, now)
    anticipate, displace = learning.anticipate, learning.displace
    read_servo, read_target = now.read_servo, now.read_target
    zero = real(0.0)

    @now.part
    def learn_leg(now, sense, memory, command):
        learns = bool(True)
        if wp.static(hip):
            learns = now.right_stance != wp.static(on_right)
        if learns:
            kp = read_servo(now, i).kp
            feedback = read_target(now, i)
            balance = corrected_target(zero, feedback.c_d, now.d[feels], feedback.c_v, now.v[feels])
            angle = sense.qpos[place]
            if wp.static(world):
                angle += turn * now.lean[plane]
            target = target_angle(now, sense) - balance
            torque = command.torque[dof] + kp * displace(now, memory, leg, angle - target)
            tracking = torque - kp * balance
            forward = anticipate(now, memory, learner, tracking, most(now, kp))
            command.torque[dof] = torque + forward
            command.signals[norms] = command.signals[norms] + tracking * tracking
            command.signals[norms + 1] = command.signals[norms + 1] + forward * forward

    return learn_leg
