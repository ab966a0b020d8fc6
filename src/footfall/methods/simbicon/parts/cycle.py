"""The phase of a walk cycle, and the waves that targets are made of (SIMBICON, section 5).

    φ = s + 1/2 min(t / T, 1),     s = 0 in left stance, 1/2 in right stance

t is the time since stance changed, T how long this half of the cycle is expected to last. Waves are cos 2πkφ and
sin 2πkφ for k = 1 ... K; each slot's terms weigh them. d and v have a reference trajectory, a straight line over each
half; what they differ from it is what feedback acts on.
"""

import math

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.rows import CycleField
from footfall.methods.simbicon.plan import SimbiconPlan


def cycle_function(types: Types, plan: SimbiconPlan, now: NowParts, phase_signal: int) -> wp.Function:
    """A part that sets the waves and their rates, takes the reference trajectory off d and v, and records the phase."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    of_cycle, clock_ = now.of_cycle, plan.memory["clock"]
    planes = 2 if plan.spatial else 1
    harmonics, later = plan.layout.harmonics, CycleField.LEFT_V - CycleField.LEFT_D
    zero, half, one, turn = real(0.0), real(0.5), real(1.0), real(2.0 * math.pi)

    @wp.func
    def cycle(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        clock = memory[clock_]
        seconds = of_cycle(now, CycleField.LEFT)
        trajectory = int(CycleField.LEFT_D)
        phase = zero
        if now.right_stance:
            seconds = of_cycle(now, CycleField.RIGHT)
            trajectory = int(CycleField.RIGHT_D)
            phase = half
        pace = half / seconds
        if clock >= seconds:
            pace = zero
        done = wp.min(clock / seconds, one)
        phase += half * done
        for p in range(wp.static(planes)):
            at = trajectory + 2 * p
            now.d[p] = now.d[p] - (one - done) * of_cycle(now, at) - done * of_cycle(now, at + 1)
            at = at + later
            now.v[p] = now.v[p] - (one - done) * of_cycle(now, at) - done * of_cycle(now, at + 1)
        c1 = wp.cos(turn * phase)
        s1 = wp.sin(turn * phase)
        c = one
        s = zero
        for k in range(wp.static(harmonics)):
            grown = c * c1 - s * s1
            s = s * c1 + c * s1
            c = grown
            speed = turn * pace * real(k + 1)
            now.waves[2 * k] = c
            now.waves[2 * k + 1] = s
            now.wave_rates[2 * k] = -speed * s
            now.wave_rates[2 * k + 1] = speed * c
        command.signals[phase_signal] = phase

    return cycle
