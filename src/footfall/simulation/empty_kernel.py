"""A kernel with the arguments of a rollout, under which a compiled one is loaded. Were it ever run itself, its worlds
would have diverged."""

from typing import Any

import warp as wp

from footfall.simulation.rollout import DIVERGED, kernel_options
from footfall.simulation.structures import Structures


def empty_kernel(structures: Structures, number: int) -> Any:
    """The kernel. Those with different numbers differ for Warp, which takes equal ones for the same."""
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
