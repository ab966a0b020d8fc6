"""Recovery: a state is left at once for its ``disturbed`` one when v is beyond its limits
(:mod:`footfall.methods.simbicon.recovery`)."""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.rows import GraphField, StateField
from footfall.control.slots import CORONAL, SAGITTAL
from footfall.methods.simbicon.plan import SimbiconPlan


def recovery_function(types: Types, plan: SimbiconPlan, now: NowParts, advance: wp.Function) -> wp.Function:
    """A part that leaves a disturbed state at once, and otherwise does what ``advance`` does."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    of_graph, of_state = now.of_graph, now.of_state
    state_, clock_ = plan.memory["state"], plan.memory["clock"]
    spatial, zero = plan.spatial, real(0.0)

    @wp.func
    def recover_or_advance(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
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
