"""What the kernels of an environment need to observe a world."""

from functools import cache
from typing import Any

import warp as wp

from footfall.control.parts.frame import root_heading
from footfall.gym.task import task_structures


@cache
def observing_functions(real: Any) -> tuple[wp.Function, wp.Function]:
    """(put, facing).

    put: (task, out, world, k, value) writes number k of an observation, within its bounds, and answers k + 1. facing:
    (task, live, world) is the cosine and the sine of the root's heading.
    """
    Task, Live = task_structures(real)
    zero, one = real(0.0), real(1.0)

    @wp.func
    def put(task: Task, out: wp.array2d[wp.float32], w: int, k: int, value: real):
        out[w, k] = wp.float32(wp.clamp(value, task.low[k], task.high[k]))
        return k + 1

    @wp.func
    def facing(task: Task, live: Live, w: int):
        face = wp.vector(one, zero, length=2)
        if task.planar == 0:
            face = root_heading(live.qpos[w, 3], live.qpos[w, 4], live.qpos[w, 5], live.qpos[w, 6])
        return face

    return put, facing
