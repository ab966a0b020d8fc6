"""Launching a rollout, or the ragdolls of its fallen worlds: structures filled, worlds shared out over threads."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from footfall.simulation.ragdoll import Ragdoll
from footfall.simulation.rollout import Rollout
from footfall.simulation.worlds import Tables, WorldState

FALL_SECONDS = 0.01
"""How often a world is checked for a fall."""

SHARES = 8
"""Shares of the worlds for each thread: a share whose worlds fall early then leaves no thread idle."""


def launch(
    rollout: Rollout,
    state: WorldState,
    tables: Tables,
    *,
    steps: int,
    dt: float,
    samples: Mapping[str, Any],
    pause: Any,
    threads: int,
    scene: Callable[[], AbstractContextManager[Any]],
) -> None:
    """Advance all worlds by a number of steps, in place.

    Args:
        rollout: the kernel.
        state: of the worlds.
        tables: what they are made of.
        steps: how many.
        dt: step, seconds.
        samples: the values of a kernel's ``Trace``, by name.
        pause: [N or 0] footsteps at which worlds pause.
        threads: how many on a CPU.
        scene: yields another engine's scenes for one launch.
    """
    device, worlds = state.device, len(state["status"])
    head, _, rest = rollout_inputs(rollout, state, tables, dt=dt, samples=samples, pause=pause)

    def part(first: int, count: int) -> None:
        with scene() as addresses:
            setting = _setting(rollout, tables, addresses)
            inputs = [first, steps, *head, setting, *rest]
            dim, block = threads_of(rollout, count), rollout.block
            wp.launch(rollout.kernel, dim=dim, inputs=inputs, device=device, block_dim=block)

    _share(part, worlds, threads, rollout.lanes)


def threads_of(rollout: Rollout, worlds: int) -> int:
    """How many of a kernel's threads take so many worlds."""
    return -(-worlds // rollout.lanes)


def rollout_inputs(
    rollout: Rollout, state: WorldState, tables: Tables, *, dt: float, samples: Mapping[str, Any], pause: Any
) -> tuple[list[Any], Any, list[Any]]:
    """What a rollout's kernel takes after the first world and the number of steps: numbers, the setting without another
    engine's scenes, and structures. Arguments as :func:`launch` takes them."""
    own_rows = wp.vec4i(*(int(table.shape[0] > 1) for table in tables.rows))
    head = [rollout.types.real(dt), max(1, round(FALL_SECONDS / dt)), own_rows]
    nowhere = wp.empty((0, 0), dtype=wp.uint64, device=state.device)
    setting = _setting(rollout, tables, nowhere)
    rest = [
        _filled_by_name(rollout.structures.Worlds, state.arrays),
        _filled(rollout.structures.Pushing, *tables.pushing),
        _filled_by_name(rollout.structures.Trace, samples),
        _filled(rollout.structures.Past, *state.past.values(), pause),
        _filled(rollout.structures.Hardware, *tables.hardware, state.held),
    ]
    return head, setting, rest


def _setting(rollout: Rollout, tables: Tables, scene: Any) -> Any:
    """What worlds are made of, with another engine's scenes."""
    Setting = rollout.structures.Setting
    skin = [tables.bare_skin] if "skin" in Setting.cls.__annotations__ else []
    return _filled(Setting, *tables.rows, tables.library, scene, *skin)


def launch_ragdolls(
    ragdoll: Ragdoll,
    state: WorldState,
    tables: Tables,
    *,
    until: int,
    dt: float,
    samples: Mapping[str, Any],
    threads: int,
    scene: Callable[[], AbstractContextManager[Any]],
) -> None:
    """Advance the worlds that have fallen to a step number, in place; arguments as :func:`launch` takes them."""
    rows = [tables.body, tables.skin, tables.ground, tables.terrain]
    own_rows = wp.vec4i(*(int(table.shape[0] > 1) for table in rows))
    rest = [
        _filled_by_name(ragdoll.Fallen, state.arrays),
        _filled(ragdoll.Pushing, *tables.pushing),
        _filled_by_name(ragdoll.Trace, samples),
    ]

    def part(first: int, count: int) -> None:
        with scene() as addresses:
            inputs = [first, until, ragdoll.compiled.real(dt), own_rows, *rows, addresses, *rest]
            wp.launch(ragdoll.kernel, dim=count, inputs=inputs, device=state.device, block_dim=ragdoll.block)

    _share(part, len(state["status"]), threads)


def _share(part: Callable[[int, int], None], worlds: int, threads: int, lanes: int = 1) -> None:
    """Call for all worlds (first, count), in shares for so many threads."""
    if threads == 1:
        part(0, worlds)
        return
    with ThreadPoolExecutor(threads) as pool:
        for job in [pool.submit(part, *share) for share in shares(worlds, SHARES * threads, lanes)]:
            job.result()


def shares(worlds: int, count: int, lanes: int = 1) -> list[tuple[int, int]]:
    """First world and number of worlds of at most ``count`` shares, each but the last of whole groups of ``lanes``."""
    groups = -(-worlds // lanes)
    edges = np.linspace(0, groups, min(groups, count) + 1).astype(int) * lanes
    edges[-1] = worlds
    return [(int(a), int(b - a)) for a, b in pairwise(edges)]


def _filled_by_name(kind: Any, values: Mapping[str, Any]) -> Any:
    """A Warp structure with its fields, of which there may be more values."""
    return _filled(kind, *(values[name] for name in kind.cls.__annotations__))


def _filled(kind: Any, *values: Any) -> Any:
    """A Warp structure with its fields in order."""
    filled = kind()
    for name, value in zip(kind.cls.__annotations__, values, strict=True):
        setattr(filled, name, value)
    return filled
