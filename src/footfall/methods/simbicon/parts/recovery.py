"""Recovery: a state is left at once for its ``disturbed`` one when v is beyond its limits
(:mod:`footfall.methods.simbicon.recovery`)."""

from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import GraphField, MemoryLayout, RowLayout, StateField
from footfall.control.slots import CORONAL, SAGITTAL

__all__ = ["recovery_function"]


def recovery_function(types: Types, layout: RowLayout, memory: MemoryLayout, Frame: Any) -> wp.Function:
    """A Warp function (frame, memory, parameters, row, state_row, graph_row) -> whether the state was left."""
    real, Memory = types.real, types.Memory
    state_, clock_ = memory["state"], memory["clock"]
    spatial = types.compiled.figure.root != "planar"
    zero = real(0.0)

    @wp.func
    def recover(
        frame: wp.ref[Frame], memory: wp.ref[Memory], parameters: wp.array2d[real], row: int, here: int, graph: int
    ):
        after = int(parameters[row, here + StateField.DISTURBED])
        v = frame.v[SAGITTAL]
        disturbed = v < -parameters[row, graph + GraphField.SLOWER] or v > parameters[row, graph + GraphField.FASTER]
        if wp.static(spatial):
            disturbed = disturbed or wp.abs(frame.v[CORONAL]) > parameters[row, graph + GraphField.SIDEWAYS]
        leaves = disturbed and after >= 0
        if leaves:
            memory[state_] = real(after)
            memory[clock_] = zero
        return leaves

    return recover
