"""Targets with balance feedback (SIMBICON, equation 1), and targets that move with the phase of a walk cycle (section
5).

    target = angle + c_d d + c_v v + c_h h + c_hip q_hip + Σ terms · waves
    φ = s + 1/2 min(t / T, 1),     s = 0 in left stance, 1/2 in right stance

t is the time since stance changed, T how long this half of the cycle is expected to last. Waves are cos 2πkφ and
sin 2πkφ for k = 1 ... K; each slot's terms weigh them. d and v have a reference trajectory, a straight line over each
half; what they differ from it is what feedback acts on.
"""

import math

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts, corrected_target, raised_target
from footfall.control.rows import CycleField
from footfall.methods.simbicon.parts.sight import RISE
from footfall.methods.simbicon.plan import SimbiconPlan


def target_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """(now, sense) -> slot i's target, with feedback in its plane."""
    Now, Sense, real, slot = now.Now, types.Sense, types.real, plan.slots[i]
    read_target, of_cycle = now.read_target, now.of_cycle
    plane, sees, swings = slot.feels, plan.sees, plan.swings and slot.other_hip[0] >= 0
    hip, turn = slot.other_hip[0], real(slot.other_hip[1])
    first, terms = plan.layout.term(0, i) - plan.layout.cycle(0), 2 * plan.layout.harmonics

    @wp.func
    def target_angle(now: wp.ref[Now], sense: wp.ref[Sense]):
        wanted = read_target(now, i)
        target = corrected_target(wanted.angle, wanted.c_d, now.d[plane], wanted.c_v, now.v[plane])
        if wp.static(sees):
            target = raised_target(target, wanted.c_h, sense.view[RISE])
        if wp.static(swings):
            target += wanted.c_hip * (turn * sense.qpos[hip])
        if wp.static(terms > 0):
            for k in range(wp.static(terms)):
                target += of_cycle(now, first + k) * now.waves[k]
        return target

    return target_angle


def target_rate_function(types: Types, plan: SimbiconPlan, now: NowParts, i: int) -> wp.Function:
    """(now) -> how fast slot i's target moves in the cycle."""
    Now, of_cycle, zero = now.Now, now.of_cycle, types.real(0.0)
    first, terms = plan.layout.term(0, i) - plan.layout.cycle(0), 2 * plan.layout.harmonics

    @wp.func
    def target_rate(now: wp.ref[Now]):
        rate = zero
        for k in range(wp.static(terms)):
            rate += of_cycle(now, first + k) * now.wave_rates[k]
        return rate

    return target_rate


def cycle_function(types: Types, plan: SimbiconPlan, now: NowParts, phase_signal: int) -> wp.Function:
    """A part that sets the waves and their rates, takes the reference trajectory off d and v, and records the phase."""
    real = types.real
    of_cycle, clock_ = now.of_cycle, plan.memory["clock"]
    planes = 2 if plan.spatial else 1
    harmonics, later = plan.layout.harmonics, CycleField.LEFT_V - CycleField.LEFT_D
    zero, half, one, turn = real(0.0), real(0.5), real(1.0), real(2.0 * math.pi)

    @now.part
    def cycle(now, sense, memory, command):
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
