"""Worlds side by side on a CPU: their accelerations are found at once, in the lanes of its vector unit.

Each world senses, feels the ground and acts by itself. What takes most of a step, the articulated bodies, is the same
straight-line code for all, so several worlds share it. A world whose forces must be mended solves again with the
others' next step, so that none waits.
"""

from typing import Any

import warp as wp

from footfall.dynamics.lanes import accelerate_lanes
from footfall.simulation.evaluation import Evaluation
from footfall.simulation.stepping import RUNNING, Stepping
from footfall.simulation.structures import Structures


def lanes_kernel(
    structures: Structures, stepping: Stepping, evaluation: Evaluation, lanes: int, never: int, options: dict[str, Any]
) -> Any:
    """The rollout's kernel, each thread of which takes ``lanes`` worlds, for implicit steps.

    Args:
        structures: what it takes.
        stepping: the parts of a step.
        evaluation: whose accelerations.
        lanes: how many worlds.
        never: fewer steps than are ever asked for.
        options: of the kernel.
    """
    World, start, begin = stepping.World, stepping.start, stepping.begin
    finish, give_back, mend = stepping.finish, stepping.give_back, evaluation.mend
    accelerate = accelerate_lanes(evaluation.stages, World, lanes)
    Setting, Worlds, Trace = structures.Setting, structures.Worlds, structures.Trace
    Pushing, Past, Hardware = structures.Pushing, structures.Past, structures.Hardware
    real, Pushes = structures.types.compiled.real, structures.types.compiled.Pushes

    @wp.kernel(**options)
    def rollout(
        first: int,
        steps: int,
        dt: real,
        fall_stride: int,
        own_rows: wp.vec4i,
        setting: Setting,
        worlds: Worlds,
        pushing: Pushing,
        trace: Trace,
        past: Past,
        hardware: Hardware,
    ):
        w = first + wp.static(lanes) * wp.tid()
        if steps <= never:  # never: see the other kernel
            return
        world = wp.zeros(shape=(lanes,), dtype=World)
        push = wp.zeros(shape=(lanes,), dtype=Pushes)
        count = int(0)
        for i in range(wp.min(lanes, worlds.status.shape[0] - w)):
            if worlds.status[w + i] == wp.static(RUNNING):
                start(world[count], w + i, steps, dt, fall_stride, own_rows, worlds, hardware)
                count += 1
        running = int(0)
        if steps > 0:
            running = count
        while running > 0:
            for i in range(count):
                if world[i].k < world[i].steps and not world[i].unsettled:
                    begin(world[i], push[i], dt, setting, pushing, trace, past, hardware)
            accelerate(world[0], push[0], setting.body, count)
            running = int(0)
            for i in range(count):
                if world[i].k < world[i].steps:
                    world[i].unsettled = mend(
                        world[i].sense, world[i].contact, setting, world[i].rows, world[i].command, world[i].qacc,
                        world[i].work,
                    )  # fmt: skip
                    if not world[i].unsettled:
                        finish(world[i], push[i], dt, fall_stride, setting, worlds, trace, past, hardware)
                    if world[i].k < world[i].steps:
                        running += 1
        for i in range(count):
            give_back(world[i], worlds, hardware)

    return rollout
