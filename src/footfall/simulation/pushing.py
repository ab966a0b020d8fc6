"""Forces from outside in a kernel: pushes whose time it is, summed up at the places of the body that are pushed."""

from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure


def pushing_structure(real: Any) -> Any:
    """The structure of K pushes: windows of time [1 or N, K, 2], forces [1 or N, K, 3] and places [K]."""

    @wp.struct
    class Pushing:
        window: wp.array3d[real]
        force: wp.array3d[real]
        slot: wp.array[wp.int32]

    return Pushing


def pushed_function(compiled: CompiledFigure, Pushing: Any) -> wp.Function:
    """A Warp function (pushing, world, time, push) that sets the force at every place that is pushed."""
    real, Pushes = compiled.real, compiled.Pushes

    @wp.func
    def pushed(pushing: Pushing, w: int, time: real, push: wp.ref[Pushes]):
        row = w
        if pushing.window.shape[0] == 1:
            row = 0
        push = Pushes()
        for i in range(pushing.slot.shape[0]):
            if time >= pushing.window[row, i, 0] and time < pushing.window[row, i, 1]:
                slot = 3 * pushing.slot[i]
                push[slot] = push[slot] + pushing.force[row, i, 0]
                push[slot + 1] = push[slot + 1] + pushing.force[row, i, 1]
                push[slot + 2] = push[slot + 2] + pushing.force[row, i, 2]

    return pushed
