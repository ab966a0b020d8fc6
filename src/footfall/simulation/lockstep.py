"""Warps in step: one fetch of an instruction serves all of a GPU's multiprocessor.

A spatial figure's kernel is longer than the instruction cache. Worlds that differ solve different numbers of times, so
that their warps drift apart and each fetches the kernel by itself; a barrier at every step keeps them together.
"""

import warp as wp

from footfall.dynamics.native import native_function

_VOTE = """
#ifdef __CUDA_ARCH__
running = __syncthreads_or(running);
#endif
"""


def together_function(*, waits: bool) -> wp.Function:
    """A Warp function (k, steps) -> whether k < steps; if it ``waits``, for any thread of the block, once all of them
    are there."""
    vote = native_function("vote", {"running": wp.ref[wp.int32]}, _VOTE, wp.float32)

    @wp.func
    def together(k: int, steps: int):
        running = wp.where(k < steps, 1, 0)
        if wp.static(waits):
            vote(running)
        return running > 0

    return together
