"""Feedback error learning over the stride, for several servos at once (SIMBICON, section 6).

As :mod:`footfall.methods.simbicon.parts.error_learning`, with bins of their own for left and right stance, since what
rolls and turns does the opposite in the other step. All servos share one clock:

    v_ff' = (1 - α) v_ff + α (v_ff + v_fb)                                                       (equation 2)

A joint of a leg also learns a displacement of its target, since targets jump where the legs exchange roles (section
7.2):

    δθ' = (1 - α) δθ + α (θ - θ_d)
"""

from typing import NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import MemoryLayout
from footfall.methods.simbicon.anticipation import Anticipation
from footfall.methods.simbicon.parts.error_learning import PERIOD_FILTER

__all__ = ["StrideLearning", "stride_functions", "stride_memory", "stride_names"]

_CLOCKS = ("stride_clock", "stride_period", "stride_bin", "stride_samples")


def stride_names(bins: int, learners: int, legs: int = 0) -> tuple[str, ...]:
    """What learning remembers: the step's clock and period, the bin and the number of samples in it, the sum of each
    servo's feedback torques in it, then the torques of each servo's bins; for the legs' servos the sum of what they
    miss and the displacements of their bins."""
    if not learners:
        return ()
    totals = (f"stride_total_{k}" for k in range(learners))
    torques = (f"stride_torque_{k}" for k in range(2 * bins * learners))
    misses = (f"stride_miss_{k}" for k in range(legs))
    return (*_CLOCKS, *totals, *torques, *misses, *(f"stride_shift_{k}" for k in range(2 * bins * legs)))


def stride_memory(known: Anticipation | None, learners: tuple[str, ...], legs: int = 0) -> list[float]:
    """The numbers of :func:`stride_names` at the start."""
    if known is None:
        return []
    zeros = (0.0,) * (2 * known.bins)
    torques = (x for name in learners for x in known.joints.get(name, zeros))
    shifts = (x for name in learners[len(learners) - legs :] for x in known.shifts.get(name, zeros))
    return [0.0, known.period, 0.0, 0.0, *([0.0] * len(learners)), *torques, *([0.0] * legs), *shifts]


class StrideLearning(NamedTuple):
    """The functions of learning.

    Attributes:
        find_bin: (memory, right_stance, dt, rate) -> the bin that it is now, -1 before the period is known; call it
            once a time step.
        anticipate: (memory, learner, bin, feedback, limit) -> the feed-forward torque; learns from the feedback torque.
        begin_step: (memory) to be called when stance is exchanged.
        displace: (memory, leg, bin, miss) -> the displacement of a leg's target; learns from what its joint misses;
            None without legs.
    """

    find_bin: wp.Function
    anticipate: wp.Function
    begin_step: wp.Function
    displace: wp.Function | None = None


def stride_functions(types: Types, memory: MemoryLayout, bins: int, learners: int, legs: int = 0) -> StrideLearning:
    """The functions for a memory that holds :func:`stride_names`."""
    real, Memory = types.real, types.Memory
    clock, period, current, samples = (memory[name] for name in _CLOCKS)
    total, first = memory["stride_total_0"], memory["stride_torque_0"]
    missed, shift = (memory["stride_miss_0"], memory["stride_shift_0"]) if legs else (0, 0)
    zero, half, one, count, slow = real(0.0), real(0.5), real(1.0), real(float(bins)), real(PERIOD_FILTER)

    @wp.func
    def find_bin(memory: wp.ref[Memory], right_stance: bool, dt: real, rate: real):
        found = int(-1)
        if memory[period] > zero:
            found = int(wp.min(memory[clock] / memory[period] * count, count - one))
            if right_stance:
                found += bins
            before = int(memory[current])
            if found != before:
                if memory[samples] > zero:
                    for k in range(learners):
                        at = first + 2 * bins * k + before
                        memory[at] = memory[at] + rate * memory[total + k] / memory[samples]
                        memory[total + k] = zero
                    for k in range(legs):
                        at = shift + 2 * bins * k + before
                        memory[at] = memory[at] + rate * (memory[missed + k] / memory[samples] - memory[at])
                        memory[missed + k] = zero
                memory[current] = real(found)
                memory[samples] = zero
            memory[samples] = memory[samples] + one
        memory[clock] = memory[clock] + dt
        return found

    @wp.func
    def anticipate(memory: wp.ref[Memory], learner: int, n: int, feedback: real, limit: real):
        forward = zero
        if n >= 0:
            at = first + 2 * bins * learner + n
            forward = wp.clamp(memory[at], -limit, limit)
            memory[at] = forward
            memory[total + learner] = memory[total + learner] + feedback
        return forward

    @wp.func
    def begin_step(memory: wp.ref[Memory]):
        if memory[period] > zero:
            memory[period] = memory[period] + slow * (memory[clock] - memory[period])
        elif memory[period] < -half:
            memory[period] = memory[clock]
        else:
            memory[period] = -one
        memory[clock] = zero

    @wp.func
    def displace(memory: wp.ref[Memory], leg: int, n: int, miss: real):
        shifted = zero
        if n >= 0:
            shifted = memory[shift + 2 * bins * leg + n]
            memory[missed + leg] = memory[missed + leg] + miss
        return shifted

    return StrideLearning(find_bin, anticipate, begin_step, displace if legs else None)
