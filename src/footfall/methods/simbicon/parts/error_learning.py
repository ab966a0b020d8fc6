"""Feedback error learning: the torso's torques learned by phase, so that it is anticipated and not only corrected
(SIMBICON, section 6).

The phase φ = t / T̂ runs from one exchange of stance to the next: t is the time since the last one, T̂ the period as
estimated so far. It is divided into N bins; each time the motion has passed through bin n, its feed-forward torque
learns from the mean of the feedback torque there,

    v_ff' = (1 - α) v_ff + α (v_ff + v_fb)                                                       (equation 2)

within a limit, since what a footstrike does in an instant cannot be anticipated. The sum v_ff + v_fb acts on the torso.
"""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import MemoryLayout
from footfall.methods.simbicon.graph import FeedForward

__all__ = ["PERIOD_FILTER", "Learning", "learning_functions", "learning_memory", "learning_names"]

PERIOD_FILTER = 0.1
"""How much of a step's duration enters the estimate of the period."""

_CLOCKS = ("learning_phase", "learning_period", "learning_bin", "learning_total", "learning_samples")


def learning_names(bins: int) -> tuple[str, ...]:
    """What learning remembers: the phase's clock, the period, the bin, the sum and number of feedback torques in it,
    then the bins' torques. An unknown period is 0 before the first exchange of stance, -1 during the first whole step.
    """
    return (*_CLOCKS, *(f"learned_{n}" for n in range(bins))) if bins else ()


def learning_memory(forward: FeedForward | None) -> list[float]:
    """The numbers of :func:`learning_names` at the start."""
    return [] if forward is None else [0.0, forward.period, 0.0, 0.0, 0.0, *forward.torque]


class Learning(NamedTuple):
    """The functions of learning.

    Attributes:
        anticipate: (memory, feedback, dt, rate, limit) -> the feed-forward torque; learns from the feedback torque.
        begin_step: (memory) to be called when stance is exchanged.
    """

    anticipate: wp.Function
    begin_step: wp.Function


def learning_functions(types: Types, memory: MemoryLayout, bins: int) -> Learning:
    """The functions for a memory that holds :func:`learning_names` of at least one bin."""
    real, Memory = types.real, types.Memory
    phase, period, current, total, samples = (memory[name] for name in _CLOCKS)
    first = memory["learned_0"]
    zero, half, one, count, slow = real(0.0), real(0.5), real(1.0), real(float(bins)), real(PERIOD_FILTER)

    @wp.func
    def anticipate(
        memory: wp.ref[Memory],
        feedback: real,
        dt: real,
        rate: real,
        limit: real,
    ):
        forward = zero
        if memory[period] > zero:
            n = int(wp.min(memory[phase] / memory[period] * count, count - one))
            before = int(memory[current])
            if n != before:
                if memory[samples] > zero:
                    learned = memory[first + before] + rate * memory[total] / memory[samples]
                    memory[first + before] = wp.clamp(learned, -limit, limit)
                memory[current] = real(n)
                memory[total] = zero
                memory[samples] = zero
            forward = wp.clamp(memory[first + n], -limit, limit)
            memory[total] = memory[total] + feedback
            memory[samples] = memory[samples] + one
        memory[phase] = memory[phase] + dt
        return forward

    @wp.func
    def begin_step(memory: wp.ref[Memory]):
        if memory[period] > zero:
            memory[period] = memory[period] + slow * (memory[phase] - memory[period])
        elif memory[period] < -half:
            memory[period] = memory[phase]
        else:
            memory[period] = -one
        memory[phase] = zero

    return Learning(anticipate, begin_step)
