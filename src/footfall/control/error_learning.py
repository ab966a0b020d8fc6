"""Feedback error learning: the torso's torques learned by phase, so that it is anticipated and not only corrected
(paper
000 §6).

The phase φ = t / T̂ runs from one exchange of stance to the next: t is the time since the last one, T̂ the period as
estimated so far. It is divided into N bins; each time the motion has passed through bin n, its feed-forward torque
learns from the mean of the feedback torque there,

    v_ff' = (1 - α) v_ff + α (v_ff + v_fb)                                                       (equation 2)

within a limit, since what a footstrike does in an instant cannot be anticipated. The sum v_ff + v_fb acts on the
torso. The law of :mod:`footfall.control.balance` does this as it goes; a controller with learned torques is a
controller like any other.
"""

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.graph import FeedForward, PoseControlGraph
from footfall.control.law import Types
from footfall.errors import FootfallError

__all__ = [
    "FORWARD_LIMIT",
    "LEARNING_RATE",
    "PERIOD_FILTER",
    "learned",
    "learner",
    "learning_functions",
    "learning_memory",
]

LEARNING_RATE = 0.1
"""α of equation 2."""

FORWARD_LIMIT = 300.0
"""The default limit of the feed-forward torque, newton metres: kp times 1 rad (the paper has 0.2 rad in space)."""

PERIOD_FILTER = 0.1
"""How much of a step's duration enters the estimate of the period."""

_CLOCKS = 5


def learner(
    graph: PoseControlGraph, *, bins: int = 200, rate: float = LEARNING_RATE, limit: float = FORWARD_LIMIT
) -> PoseControlGraph:
    """A controller that learns, from the torques it has or from none.

    Args:
        graph: the controller.
        bins: N, over one step.
        rate: α of equation 2.
        limit: the largest feed-forward torque, newton metres.
    """
    if not 1 <= bins <= 1000:
        raise FootfallError(f"bins is {bins}; choose from 1 to 1000")
    known = graph.feedforward
    torque = (0.0,) * bins if known is None or len(known.torque) != bins else known.torque
    return graph.changed(feedforward=FeedForward(torque, rate, limit, known.period if known else 0.0))


def learning_memory(forward: FeedForward | None) -> list[float]:
    """The phase's clock, the period, the bin, the sum and number of feedback torques in it, then the bins' torques.

    An unknown period is 0 before the first exchange of stance, -1 during the first whole step.
    """
    return [] if forward is None else [0.0, forward.period, 0.0, 0.0, 0.0, *forward.torque]


def learned(graph: PoseControlGraph, memory: NDArray[np.float64]) -> PoseControlGraph:
    """The controller with the torques that one world's memory [M] has come to, for use without further learning."""
    if graph.feedforward is None:
        raise FootfallError(f"controller '{graph.name}' does not learn; make it a learner first")
    bins = len(graph.feedforward.torque)
    clocks = memory[len(memory) - bins - _CLOCKS : len(memory) - bins]
    torque = tuple(round(float(x), 4) for x in memory[len(memory) - bins :])
    period = round(max(float(clocks[1]), 0.0), 6)
    return graph.changed(feedforward=FeedForward(torque, 0.0, graph.feedforward.limit, period))


def learning_functions(types: Types, at: int, bins: int) -> tuple[wp.Function, wp.Function]:
    """The Warp functions anticipate(memory, feedback, dt, rate, limit) -> the feed-forward torque, and
    begin_step(memory),
    to be called when stance is exchanged; ``at`` is where :func:`learning_memory` stands in the memory."""
    real, Memory = types.real, types.Memory
    phase = at
    period, current, total, samples, first = (at + i for i in range(1, 6))
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
            n = wp.min(int(memory[phase] / memory[period] * count), bins - 1)
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

    return anticipate, begin_step
