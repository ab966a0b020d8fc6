"""Kernels, built once for each combination of figure, law and options, and shared by all simulations."""

import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import warp as wp

from footfall.control.law import Law, is_guest
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.mechanism import body_row
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.builtin import is_builtin_mjcf
from footfall.kernels.start import loading
from footfall.simulation.features import Features
from footfall.simulation.ragdoll import Ragdoll, build_ragdoll
from footfall.simulation.remembered import digest_of, is_built_anew, recall, remember
from footfall.simulation.rollout import Rollout, build_rollout
from footfall.simulation.structures import Structures

MOST_POINTS = 31
"""Points in contact are bits of a signed number of 32."""

_built: dict[Any, Rollout] = {}
_ragdolls: dict[Any, Ragdoll] = {}
_loaded: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""Kernels that were loaded, and on which devices."""
_digests: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""Kernels that are remembered once they are loaded."""
_loading = threading.RLock()
"""Simulations may begin in several threads at once, and fallen bodies' kernels are built beside them; Warp's functions
may not be made in one thread while another reads them."""


def rollout_kernel(
    figure: Figure,
    law: Law,
    *,
    real: Any,
    push_places: Sequence[tuple[int, tuple[float, float, float]]],
    sizes_differ: bool,
    ground: str,
    terrain: str,
    integrator: str,
    features: Features,
    device: Any,
    engine: str = "native",
    outside: Callable[[CompiledFigure], wp.Function | None] = lambda compiled: None,
    lanes: int = 1,
) -> Rollout:
    """The rollout of a figure under a law: taken from those built before where one fits, else built.

    Args:
        figure: what moves.
        law: what drives it. A law whose key is None shares its kernel with no other simulation; laws of other packages
            share theirs within their class.
        real: the scalar type.
        push_places: body and point of every place that may be pushed.
        sizes_differ: whether bodies' sizes are read from rows, or compiled in.
        ground: the ground's contact law.
        terrain: the terrain's kind.
        integrator: its name.
        features: what else the kernel can do.
        device: where it will run.
        engine: whose dynamics it runs.
        outside: makes another engine's dynamics for the compiled figure.
        lanes: how many worlds each thread of a CPU takes.
    """
    key = (
        engine,
        device.is_cpu,
        is_built_anew(),
        figure.xml,
        body_row(figure.model, np.array([p.position for p in figure.points])).tobytes(),
        (type(law), law.kernel_key) if is_guest(law) else law.kernel_key,
        real,
        tuple(push_places),
        sizes_differ,
        ground,
        terrain,
        integrator,
        features,
        lanes,
    )
    with _loading:
        if law.key is not None and key in _built:
            return _built[key]
        compiled = CompiledFigure(
            figure,
            real,
            sizes_differ=sizes_differ,
            push_places=list(push_places),
            feet_only=bool(figure.legs),
            narrow=not device.is_cpu,
        )
        if len(compiled.points) > MOST_POINTS:
            raise FootfallError(
                f"figure '{figure.name}': {len(compiled.points)} points feel the ground; at most {MOST_POINTS} can"
            )
        digest = digest_of(law, key) if device.is_cpu and engine == "native" else None
        structures = Structures.of(compiled, law, implicit=integrator == "implicit")
        rollout = recall(digest, structures, lanes) if digest else None
        if rollout is None:
            rollout = build_rollout(
                structures,
                law,
                ground=ground,
                terrain=terrain,
                integrator=integrator,
                features=features,
                outside=outside(compiled),
                identity=_identity(figure, law),
                lanes=lanes,
            )
            if digest:
                _digests[rollout.kernel] = digest
        if law.key is not None:
            _built[key] = rollout
        return rollout


def ragdoll_kernel(
    figure: Figure,
    *,
    real: Any,
    push_places: Sequence[tuple[int, tuple[float, float, float]]],
    sizes_differ: bool,
    terrain: str,
    engine: str = "native",
    outside: Callable[[CompiledFigure], wp.Function | None] = lambda compiled: None,
    divides: bool = True,
) -> Ragdoll:
    """The kernel of a figure's fallen body, whatever drove it; arguments as :func:`rollout_kernel` and
    :func:`build_ragdoll` take them."""
    points = np.array([p.position for p in figure.points])
    key = (
        engine,
        figure.xml,
        body_row(figure.model, points).tobytes(),
        real,
        tuple(push_places),
        sizes_differ,
        terrain,
        divides,
    )
    with _loading:
        if key not in _ragdolls:
            compiled = CompiledFigure(figure, real, sizes_differ=sizes_differ, push_places=list(push_places))
            _ragdolls[key] = build_ragdoll(compiled, terrain, len(figure.skin), outside, divides=divides)
        return _ragdolls[key]


def load_kernel(rollout: Rollout | Ragdoll, device: Any, name: str) -> None:
    """Load a kernel onto a device, once; where that takes a compilation, say so with the ``name`` of what is
    simulated."""
    devices = _loaded.setdefault(rollout.kernel, set())
    if device.alias not in devices:
        with _loading, loading(f"{name} for {device.alias}"):
            if device.alias not in devices:
                rollout.kernel.module.load(device, 1 if device.is_cpu else rollout.block)
                devices.add(device.alias)
    if isinstance(rollout, Rollout) and device.is_cpu and (digest := _digests.pop(rollout.kernel, None)):
        remember(digest, rollout)


def _identity(figure: Figure, law: Law) -> Any:
    """What tells kernels apart in Warp's cache beside their functions' text. Warp names a kernel before it knows the
    constants of its unrolled loops, such as the ranges of joints: figures that differ in these alone would share
    it."""
    return law.kernel_key if is_builtin_mjcf(figure.name, figure.xml) else (law.kernel_key, figure.xml)
