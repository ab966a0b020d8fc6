"""The phase of a walk cycle, and the waves that targets are made of (SIMBICON, section 5).

    φ = s + 1/2 min(t / T, 1),     s = 0 in left stance, 1/2 in right stance

t is the time since stance changed, T how long this half of the cycle is expected to last. Waves are cos 2πkφ and
sin 2πkφ for k = 1 ... K; each slot's terms weigh them. d and v have a usual course, a straight line over each half;
what they differ from it is what feedback acts on.
"""

import math

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.frame import FrameParts
from footfall.control.rows import CycleField, RowLayout

__all__ = ["cycle_function"]


def cycle_function(types: Types, layout: RowLayout, frame: FrameParts) -> wp.Function:
    """(parameters, row, graph_row, right_stance, clock, frame) -> the phase; sets the frame's waves and their rates,
    and takes their usual course off its d and v."""
    real, Frame = types.real, frame.Frame
    planes = 1 if types.compiled.figure.root == "planar" else 2
    harmonics, left = layout.harmonics, layout.cycle(0, CycleField.LEFT)
    right = layout.cycle(0, CycleField.RIGHT)
    left_course, right_course = layout.cycle(0, CycleField.LEFT_D), layout.cycle(0, CycleField.RIGHT_D)
    later = CycleField.LEFT_V - CycleField.LEFT_D
    zero, half, one, turn = real(0.0), real(0.5), real(1.0), real(2.0 * math.pi)

    @wp.func
    def set_phase(
        parameters: wp.array2d[real], row: int, graph: int, right_stance: bool, clock: real, frame: wp.ref[Frame]
    ):
        seconds = parameters[row, graph + left]
        phase = zero
        if right_stance:
            seconds = parameters[row, graph + right]
            phase = half
        pace = half / seconds
        if clock >= seconds:
            pace = zero
        done = wp.min(clock / seconds, one)
        phase += half * done
        course = graph + left_course
        if right_stance:
            course = graph + right_course
        for p in range(wp.static(planes)):
            at = course + 2 * p
            frame.d[p] = frame.d[p] - (one - done) * parameters[row, at] - done * parameters[row, at + 1]
            at = at + later
            frame.v[p] = frame.v[p] - (one - done) * parameters[row, at] - done * parameters[row, at + 1]
        c1 = wp.cos(turn * phase)
        s1 = wp.sin(turn * phase)
        c = one
        s = zero
        for k in range(wp.static(harmonics)):
            grown = c * c1 - s * s1
            s = s * c1 + c * s1
            c = grown
            speed = turn * pace * real(k + 1)
            frame.waves[2 * k] = c
            frame.waves[2 * k + 1] = s
            frame.wave_rates[2 * k] = -speed * s
            frame.wave_rates[2 * k + 1] = speed * c
        return phase

    return set_phase
