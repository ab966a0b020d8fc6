"""After a disturbance: stiffer servos for some time after an impact, which the torso's error shows (SIMBICON, section
6), and recovery, by which a state is left at once for its ``disturbed`` one when v is beyond its limits."""

from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts
from footfall.control.rows import GraphField, StateField
from footfall.control.slots import CORONAL, SAGITTAL
from footfall.methods.simbicon.plan import SimbiconPlan

LONG_AGO = 1e6
"""Seconds since an impact that never was."""


@wp.func
def raised_gain(since: Any, delay: Any, duration: Any, gain: Any):
    """By how much gains are multiplied, ``since`` seconds after the last impact."""
    late = delay + duration
    return wp.where(since >= delay and since < late, gain, type(gain)(1.0))


@wp.func
def time_since_impact(since: Any, error: Any, threshold: Any, delay: Any, duration: Any, dt: Any):
    """Seconds since the last impact, one step on; an error above the threshold is one, once the last is over."""
    later = since + dt
    struck = wp.abs(error) > threshold and later >= delay + duration
    return wp.where(struck, type(later)(0.0), later)


def raise_gain_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that raises ``now.gain`` some time after an impact."""
    of_graph, impact_ = now.of_graph, plan.memory["since_impact"]

    @now.part
    def raise_gain(now, sense, memory, command):
        now.gain = raised_gain(
            memory[impact_],
            of_graph(now, GraphField.REACTION_DELAY),
            of_graph(now, GraphField.REACTION_DURATION),
            of_graph(now, GraphField.REACTION_GAIN),
        )

    return raise_gain


def feel_impact_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that takes a large error of the torso for an impact."""
    of_graph, impact_ = now.of_graph, plan.memory["since_impact"]

    @now.part
    def feel_impact(now, sense, memory, command):
        memory[impact_] = time_since_impact(
            memory[impact_],
            now.torso_error[SAGITTAL],
            of_graph(now, GraphField.REACTION_THRESHOLD),
            of_graph(now, GraphField.REACTION_DELAY),
            of_graph(now, GraphField.REACTION_DURATION),
            sense.dt,
        )

    return feel_impact


def recovery_function(types: Types, plan: SimbiconPlan, now: NowParts, advance: wp.Function) -> wp.Function:
    """A part that leaves a disturbed state at once, and otherwise does what ``advance`` does."""
    real = types.real
    of_graph, of_state = now.of_graph, now.of_state
    state_, clock_ = plan.memory["state"], plan.memory["clock"]
    spatial, zero = plan.spatial, real(0.0)

    @now.part
    def recover_or_advance(now, sense, memory, command):
        after = int(of_state(now, StateField.DISTURBED))
        v = now.v[SAGITTAL]
        disturbed = v < -of_graph(now, GraphField.SLOWER) or v > of_graph(now, GraphField.FASTER)
        if wp.static(spatial):
            disturbed = disturbed or wp.abs(now.v[CORONAL]) > of_graph(now, GraphField.SIDEWAYS)
        if disturbed and after >= 0:
            memory[state_] = real(after)
            memory[clock_] = zero
        else:
            advance(now, sense, memory, command)

    return recover_or_advance
