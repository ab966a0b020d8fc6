"""Feedback error learning: torques learned by phase, so that a disturbance that returns in every step is anticipated
and not only corrected (SIMBICON, section 6).

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
from footfall.control.parts.now import NowParts
from footfall.control.rows import GraphField
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
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    learning, memory, of_graph = plan.learning, plan.memory, now.of_graph
    assert learning is not None
    bins, phases, learners, legs = learning.bins, learning.phases, len(learning.learners), learning.legs
    stride = learning.stride
    clock, period, current, samples = (memory[f"learning_{x}"] for x in ("clock", "period", "bin", "samples"))
    total, torque = memory["learning_total"], memory["learned_torque"]
    missed, shift = memory["learning_miss"], memory["learned_shift"]
    zero, half, one, count, slow = real(0.0), real(0.5), real(1.0), real(float(bins)), real(PERIOD_FILTER)

    @wp.func
    def find_bin(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
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

    @wp.func
    def begin_step(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        if now.exchanged:
            if memory[period] > zero:
                memory[period] = memory[period] + slow * (memory[clock] - memory[period])
            elif memory[period] < -half:
                memory[period] = memory[clock]
            else:
                memory[period] = -one
            memory[clock] = zero

    return Learning(find_bin, anticipate, displace, begin_step)
