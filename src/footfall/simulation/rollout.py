"""The fused rollout: one kernel that takes a world through all its steps, one thread per world.

The kernel is composed from parts with fixed signatures: an evaluation (a figure's dynamics, a ground and a law), an
integrator, a fall check and a tally. It keeps a world's whole state in local variables between steps and gives it back
at the end, so that a simulation continues bit for bit where it was left.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import warp as wp

from footfall.control.law import Law, Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.native import again_function
from footfall.simulation.evaluation import build_evaluation
from footfall.simulation.features import Features
from footfall.simulation.lanes import lanes_kernel
from footfall.simulation.lockstep import together_function
from footfall.simulation.stepping import DIVERGED, FELL, RUNNING, STOPPED, build_stepping
from footfall.simulation.structures import Structures

__all__ = [
    "BLOCKS",
    "DIVERGED",
    "FELL",
    "INTEGRATORS",
    "RUNNING",
    "STOPPED",
    "Rollout",
    "build_rollout",
    "kernel_options",
]

INTEGRATORS = ("implicit", "explicit", "semi-implicit", "rk4")
"""implicit: joint servos and ground springs one step ahead, to first order. explicit: x += h v + h²/2 a, v += h a, as
in
the papers. semi-implicit: v += h a, x += h v. rk4: fourth-order Runge-Kutta, law and ground evaluated in every
stage."""

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


def build_rollout(
    structures: Structures,
    law: Law,
    *,
    ground: str = "anchor",
    terrain: str = "flat",
    integrator: str = "implicit",
    features: Features = Features(),  # noqa: B008
    outside: wp.Function | None = None,
    identity: Any = None,
    lanes: int = 1,
) -> Rollout:
    """Compose the kernel of a figure's and a law's structures, a ground law and terrain kind, and an integrator: one
    that the structures are for, implicit or not. ``outside`` is another engine's dynamics (see
    :func:`build_evaluation`). Kernels of laws whose ``identity`` is equal are the same to Warp's cache; without one,
    that is the law's key. With ``lanes``, for a CPU, so many worlds run side by side
    (:mod:`footfall.simulation.lanes`)."""
    compiled = structures.types.compiled
    evaluation = build_evaluation(structures, law, ground=ground, terrain=terrain, features=features, outside=outside)
    stepping = build_stepping(structures, law, evaluation, integrator=integrator, features=features)
    narrow, again = compiled.graph.narrow, again_function(compiled.real)
    implicit = structures.types.implicit
    together = together_function(waits=narrow and implicit and not compiled.planar)
    alone = narrow and compiled.planar  # a world that must solve again does so while others go on with their next step
    options, (block, _) = kernel_options(compiled, implicit=implicit), bounds_of(compiled, implicit=implicit)
    World, start, begin, solve = stepping.World, stepping.start, stepping.begin, stepping.solve
    finish, give_back = stepping.finish, stepping.give_back
    Setting, Worlds, Trace = structures.Setting, structures.Worlds, structures.Trace
    Pushing, Past, Hardware = structures.Pushing, structures.Past, structures.Hardware
    real, Pushes = compiled.real, compiled.Pushes
    never = -1 - int(hashlib.sha256(repr(identity or law.key).encode()).hexdigest()[:7], 16)

    if lanes > 1:
        kernel = lanes_kernel(structures, stepping, evaluation, lanes, never, options)
        return Rollout(kernel, structures, block, lanes)

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
                    begin(world, push, dt, setting, pushing, trace, past, hardware)
                more = bool(True)
                while more:
                    solve(world, push, setting)
                    more = world.unsettled
                    if wp.static(alone):
                        more = bool(False)
                if not world.unsettled:
                    finish(world, push, dt, fall_stride, setting, worlds, trace, past, hardware)
        give_back(world, worlds, hardware)

    return Rollout(rollout, structures, block)
