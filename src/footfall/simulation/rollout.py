"""The fused rollout: one kernel that takes a world through all its steps, one thread per world.

The kernel is composed from the parts of a step (:mod:`footfall.simulation.step`). It keeps a world's whole state in
local variables between steps and gives it back at the end, so that a simulation continues bit for bit where it was
left.

On a CPU, worlds may run side by side: each senses, feels the ground and acts by itself. What takes most of a step, the
articulated bodies, is the same straight-line code for all, so their accelerations are found at once, in the lanes of
the vector unit. A world whose forces must be mended solves again with the others' next step, so that none waits.

On a GPU, warps run in step: a spatial figure's kernel is longer than the instruction cache. Worlds that differ solve
different numbers of times, so that their warps drift apart and each fetches the kernel by itself; a barrier at every
step keeps them together.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.native import again_function, native_function
from footfall.dynamics.stages import accelerate_lanes
from footfall.simulation.step import WorldStep, build_step
from footfall.simulation.step_plan import WorldStepPlan
from footfall.simulation.structures import DIVERGED, RUNNING, Structures


def lanes_kernel(step: WorldStep, lanes: int, never: int, options: dict[str, Any]) -> Any:
    """The rollout's kernel, each thread of which takes ``lanes`` worlds, for implicit steps.

    Args:
        step: the parts of a step.
        lanes: how many worlds.
        never: fewer steps than are ever asked for.
        options: of the kernel.
    """
    structures, World = step.plan.structures, step.plan.World
    start, begin, settle, finish, give_back = step.start, step.begin, step.settle, step.finish, step.give_back
    accelerate = accelerate_lanes(step.plan.stages, World, lanes)
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
                    begin(world[i], push[i], setting, worlds, pushing, trace, past, hardware)
            accelerate(world[0], push[0], setting.body, count)
            running = int(0)
            for i in range(count):
                if world[i].k < world[i].steps:
                    settle(world[i], push[i], setting, worlds, pushing, trace, past, hardware)
                    if not world[i].unsettled:
                        finish(world[i], push[i], setting, worlds, pushing, trace, past, hardware)
                    if world[i].k < world[i].steps:
                        running += 1
        for i in range(count):
            give_back(world[i], worlds, hardware)

    return rollout


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


COMPILER_FLAGS = (
    "-march=native -ffp-contract=fast -fno-slp-vectorize -mllvm=-inline-threshold=9000"
    " -mllvm=-inline-cold-callsite-threshold=3000"
)


BLOCKS = {"planar": (128, 3), "explicit": (64, 4), "implicit": (256, 1)}
"""Threads per CUDA block, and blocks that must fit a multiprocessor: of planar figures, and of spatial ones by their
steps (fastest on an H200). Implicit ones run in lockstep, all threads of a multiprocessor in one block."""


@dataclass(frozen=True)
class Rollout:
    """A rollout's kernel with its structures, its threads per CUDA block, and how many worlds each of its threads
    takes."""

    kernel: Any
    structures: Structures
    block: int
    lanes: int = 1

    @property
    def types(self) -> Types:
        """The types that its law is built from."""
        return self.structures.types


def bounds_of(compiled: CompiledFigure, *, implicit: bool) -> tuple[int, int]:
    """Threads per CUDA block of a figure's kernel, and blocks that must fit a multiprocessor."""
    return BLOCKS["planar" if compiled.planar else "implicit" if implicit else "explicit"]


def kernel_options(compiled: CompiledFigure, *, implicit: bool) -> dict[str, Any]:
    """How Warp compiles the kernel, and the name that it gives to it."""
    return {
        "name": "rollout",
        "enable_backward": False,
        "module": "unique",
        "launch_bounds": bounds_of(compiled, implicit=implicit),
        "module_options": {"cpu_compiler_flags": COMPILER_FLAGS, "max_unroll": 64},
    }


def build_rollout(plan: WorldStepPlan, *, identity: Any = None, lanes: int = 1) -> Rollout:
    """Compose the kernel of a step's parts.

    Args:
        plan: the step.
        identity: kernels of laws whose identity is equal are the same to Warp's cache; by default the law's key.
        lanes: on a CPU, so many worlds run side by side.
    """
    step, structures, compiled = build_step(plan), plan.structures, plan.structures.types.compiled
    narrow, again = compiled.graph.narrow, again_function(compiled.real)
    implicit = structures.types.implicit
    together = together_function(waits=narrow and implicit and not compiled.planar)
    alone = narrow and compiled.planar  # a world that must solve again does so while others go on with their next step
    options, (block, _) = kernel_options(compiled, implicit=implicit), bounds_of(compiled, implicit=implicit)
    World, start, begin, solve = plan.World, step.start, step.begin, step.solve
    finish, give_back = step.finish, step.give_back
    Setting, Worlds, Trace = structures.Setting, structures.Worlds, structures.Trace
    Pushing, Past, Hardware = structures.Pushing, structures.Past, structures.Hardware
    real, Pushes = compiled.real, compiled.Pushes
    never = -1 - int(hashlib.sha256(repr(identity or plan.law.key).encode()).hexdigest()[:7], 16)

    if lanes > 1:
        return Rollout(lanes_kernel(step, lanes, never, options), structures, block, lanes)

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
        w = first + wp.tid()
        if steps <= never:  # no steps are fewer than none: this makes kernels of different laws differ for Warp's cache
            return
        if worlds.status[w] != wp.static(RUNNING):
            return
        world = World()
        push = Pushes()
        start(world, w, steps, dt, fall_stride, own_rows, worlds, hardware)
        while together(world.k, world.steps):
            if wp.static(narrow):
                again(world.sense.dt)
            if world.k < world.steps:
                if not world.unsettled:
                    begin(world, push, setting, worlds, pushing, trace, past, hardware)
                more = bool(True)
                while more:
                    solve(world, push, setting, worlds, pushing, trace, past, hardware)
                    more = world.unsettled
                    if wp.static(alone):
                        more = bool(False)
                if not world.unsettled:
                    finish(world, push, setting, worlds, pushing, trace, past, hardware)
        give_back(world, worlds, hardware)

    return Rollout(rollout, structures, block)


def empty_kernel(structures: Structures, number: int) -> Any:
    """A kernel with the arguments of a rollout, under which a compiled one is loaded; were it ever run itself, its
    worlds would have diverged. Those with different numbers differ for Warp, which takes equal ones for the same."""
    real = structures.types.real
    Setting, Worlds, Trace = structures.Setting, structures.Worlds, structures.Trace
    Pushing, Past, Hardware = structures.Pushing, structures.Past, structures.Hardware
    never = -1 - number

    @wp.kernel(**kernel_options(structures.types.compiled, implicit=structures.types.implicit))
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
        if steps > never:  # always
            worlds.status[first + wp.tid()] = wp.static(DIVERGED)

    return rollout
