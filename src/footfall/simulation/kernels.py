"""Kernels, built once for each combination of figure, law and options, and shared by all simulations.

Kernels for the CPU that were built before: which file in Warp's cache is the kernel of a figure and a law.

Warp finds a compiled kernel by a digest of all its functions, so it must have read and hashed them: a second for a
human, at every start. Here the digest is of what footfall makes the functions from: its own files, the versions, the
figure and the law. The file is then loaded under an empty kernel with the same arguments.
"""

import contextlib
import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import warp as wp

import footfall
from footfall.control.law import Law, is_guest
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.mechanism import body_row
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.builtin import is_builtin_mjcf
from footfall.kernels.building import LONG, PORTABLE, QUICK, missing_internals
from footfall.kernels.start import loading
from footfall.simulation.ragdoll import Ragdoll, build_ragdoll
from footfall.simulation.rollout import COMPILER_FLAGS, Rollout, bounds_of, build_rollout, empty_kernel
from footfall.simulation.step_plan import WorldStepPlan
from footfall.simulation.structures import Features, Structures
from footfall.text_files import write_whole

APART = ("cli", "embedded", "gym", "learning", "live", "pictures", "studio", "study")
"""Packages that no kernel is made from."""

_ANEW: ContextVar[bool] = ContextVar("ANEW", default=False)
_FOR_TEXT: ContextVar[bool] = ContextVar("FOR_TEXT", default=False)


@contextmanager
def built_anew(*, for_text: bool = False) -> Iterator[None]:
    """While this lasts, kernels are built and not remembered: for those who need their functions.

    Args:
        for_text: their text alone, which is the same for quick kernels and others.
    """
    tokens = [(_ANEW, _ANEW.set(True)), (_FOR_TEXT, _FOR_TEXT.set(for_text))]
    try:
        yield
    finally:
        for variable, token in tokens:
            variable.reset(token)


def is_built_anew() -> bool:
    """Whether kernels are built, remembered or not."""
    return _ANEW.get()


def digest_of(law: Law, key: Any) -> str | None:
    """A digest of a kernel on this machine; None where it is unknown what the kernel is made from.

    Args:
        law: whose kernel. Laws that do not come with footfall have no digest: their files are not known here.
        key: all else that it depends on.
    """
    if _ANEW.get() or PORTABLE.get() or missing_internals():
        return None
    if law.key is None or is_guest(law):
        return None
    try:
        text = repr([_made_from(), _plain(key)])
    except TypeError:
        return None
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _plain(value: Any) -> Any:
    """A value as something whose text says all of it; TypeError where that is not possible."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, np.ndarray | np.generic):
        return (str(value.dtype), np.shape(value), value.tobytes())
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    if isinstance(value, frozenset):
        return sorted(map(repr, map(_plain, value)))
    if isinstance(value, dict):
        return [(_plain(k), _plain(v)) for k, v in value.items()]
    if is_dataclass(value):
        return [_plain(type(value)), *((f.name, _plain(getattr(value, f.name))) for f in fields(value))]
    raise TypeError(f"{type(value)} is not known by its text")


@cache
def _made_from() -> list[Any]:
    """footfall's files, by size and time of change, the versions beneath, and the processor."""
    home = Path(footfall.__file__).parent
    files = sorted(p for p in home.rglob("*.py") if p.relative_to(home).parts[0] not in APART)
    stamps = [(str(p), (seen := p.stat()).st_size, seen.st_mtime_ns) for p in files]
    context: Any = import_module("warp._src.context")
    c = wp.config
    options = (c.mode, c.verify_fp, c.optimization_level, c.cpu_compiler_flags, str(c.kernel_cache_dir))
    machine = context._get_cpu_target_hash(COMPILER_FLAGS), context._get_host_cpu_name()
    return [stamps, c.version, repr(options), machine]


@dataclass(frozen=True)
class _Known:
    """A compiled kernel: its files, and Warp's hash of it, which is part of its name in there."""

    binary: str
    meta: str
    hash: str


def _file(digest: str) -> Path:
    return Path(wp.config.kernel_cache_dir) / "footfall" / f"{digest}.json"


def recall(digest: str, structures: Structures, lanes: int = 1) -> Rollout | None:
    """A rollout that was remembered, loaded for the CPU, each thread of which takes ``lanes`` worlds; None where there
    is none."""
    try:
        known = _Known(**json.loads(_file(digest).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    device = wp.get_device("cpu")
    kernel = empty_kernel(structures, int(digest[:7], 16))
    module = kernel.module
    try:
        module.get_module_hash(1)
        module.hashers[1].kernel_hashes[kernel] = bytes.fromhex(known.hash)
        loaded = module.load(device, 1, binary_path=known.binary, meta_path=known.meta)
        if not loaded.get_kernel_hooks(kernel).forward:
            raise FootfallError(f"{known.binary} has no such kernel")
    except Exception:  # Warp has no class of its own for files that it cannot load
        _file(digest).unlink(missing_ok=True)
        return None
    types = structures.types
    return Rollout(kernel, structures, bounds_of(types.compiled, implicit=types.implicit)[0], lanes)


def remember(digest: str, rollout: Rollout) -> None:
    """Keep where the kernel of a rollout that was loaded for the CPU is."""
    module = rollout.kernel.module
    with contextlib.suppress(AttributeError, KeyError, OSError, FootfallError):
        binary = Path(module.execs[(None, 1)].binary_path)
        own = module.hashers[1].kernel_hashes[rollout.kernel].hex()
        known = {"binary": str(binary), "meta": str(binary.parent / module._get_meta_name(block_dim=1)), "hash": own}
        _file(digest).parent.mkdir(parents=True, exist_ok=True)
        write_whole(_file(digest), json.dumps(known).encode())


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


@dataclass(frozen=True)
class Compiling:
    """How a figure's kernels are compiled, whatever drives it.

    Attributes:
        real: the scalar type.
        push_places: body and point of every place that may be pushed.
        sizes_differ: whether bodies' sizes are read from rows, or compiled in.
        terrain: the terrain's kind.
        engine: whose dynamics they run.
        solid: whether limbs touch each other.
    """

    real: Any
    push_places: tuple[tuple[int, tuple[float, float, float]], ...]
    sizes_differ: bool
    terrain: str
    engine: str = "native"
    solid: bool = False

    def figure(self, figure: Figure, **more: bool) -> CompiledFigure:
        """The figure's dynamics."""
        more |= {"sizes_differ": self.sizes_differ, "solid": self.solid}
        return CompiledFigure(figure, self.real, push_places=list(self.push_places), **more)


def _shape(figure: Figure) -> tuple[Any, ...]:
    """What a figure's compiled dynamics depend on."""
    return figure.xml, body_row(figure.model, np.array([p.position for p in figure.points])).tobytes()


def rollout_kernel(
    figure: Figure,
    law: Law,
    compiling: Compiling,
    *,
    ground: str,
    integrator: str,
    features: Features,
    device: Any,
    outside: Callable[[CompiledFigure], wp.Function | None] = lambda compiled: None,
    lanes: int = 1,
) -> Rollout:
    """The rollout of a figure under a law: taken from those built before where one fits, else built.

    Args:
        figure: what moves.
        law: what drives it. A law whose key is None shares its kernel with no other simulation; laws of other packages
            share theirs within their class.
        compiling: how the figure is compiled.
        ground: the ground's contact law.
        integrator: its name.
        features: what else the kernel can do.
        device: where it will run.
        outside: makes another engine's dynamics for the compiled figure.
        lanes: how many worlds each thread of a CPU takes.
    """
    own = (type(law), law.kernel_key) if is_guest(law) else law.kernel_key
    how = device.is_cpu, is_built_anew(), os.environ.get(QUICK)
    key = (compiling, *how, *_shape(figure), own, ground, integrator, features, lanes)
    with _loading:
        if law.key is not None and key in _built:
            return _built[key]
        compiled = compiling.figure(figure, feet_only=bool(figure.legs), narrow=not device.is_cpu)
        if len(compiled.points) > MOST_POINTS:
            raise FootfallError(
                f"figure '{figure.name}': {len(compiled.points)} points feel the ground; at most {MOST_POINTS} can"
            )
        digest = digest_of(law, key) if device.is_cpu and compiling.engine == "native" else None
        structures = Structures.of(compiled, law, implicit=integrator == "implicit", features=features)
        rollout = recall(digest, structures, lanes) if digest else None
        if rollout is None:
            plan = WorldStepPlan(structures, law, ground, compiling.terrain, integrator, features, outside(compiled))
            rollout = build_rollout(plan, identity=_identity(figure, law), lanes=lanes)
            if digest:
                _digests[rollout.kernel] = digest
        if law.key is not None:
            _built[key] = rollout
        return rollout


def ragdoll_kernel(
    figure: Figure,
    compiling: Compiling,
    outside: Callable[[CompiledFigure], wp.Function | None] = lambda compiled: None,
    *,
    divides: bool = True,
) -> Ragdoll:
    """The kernel of a figure's fallen body, whatever drove it; arguments as :func:`rollout_kernel` and
    :func:`build_ragdoll` take them."""
    key = (compiling, *_shape(figure), divides)
    with _loading:
        if key not in _ragdolls:
            compiled = compiling.figure(figure)
            _ragdolls[key] = build_ragdoll(compiled, compiling.terrain, len(figure.skin), outside, divides=divides)
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
    it. It also takes a kernel that it has loaded for any of that name: quick ones have names of their own, and so have
    quick ones for long simulations where they may differ, in space."""
    key = law.kernel_key if is_builtin_mjcf(figure.name, figure.xml) else (law.kernel_key, figure.xml)
    quick = os.environ.get(QUICK)
    if not quick or _FOR_TEXT.get():
        return key
    return key, LONG if quick == LONG and figure.root != "planar" else QUICK
