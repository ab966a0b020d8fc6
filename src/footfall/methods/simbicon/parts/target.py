"""Targets with balance feedback, and targets that move with the phase of a cycle (SIMBICON, equation 1 and section 5).

target = angle + c_d d + c_v v + c_h h + c_hip q_hip + Σ terms · waves
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.feedback import corrected_target, raised_target
from footfall.control.parts.now import NowParts
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
