"""Kernels for the CPU that were built before: which file in Warp's cache is the kernel of a figure and a law.

Warp finds a compiled kernel by a digest of all its functions, so it must have read and hashed them: a second for a
human, at every start. Here the digest is of what footfall makes the functions from: its own files, the versions, the
figure and the law. The file is then loaded under an empty kernel with the same arguments.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

import footfall
from footfall.control.law import Law, is_guest
from footfall.errors import FootfallError
from footfall.kernels.building import PORTABLE
from footfall.kernels.warp_internals import missing_internals
from footfall.simulation.empty_kernel import empty_kernel
from footfall.simulation.rollout import COMPILER_FLAGS, Rollout, bounds_of
from footfall.simulation.structures import Structures
from footfall.writing import write_whole

APART = ("cli", "gym", "live", "pictures", "studio", "study")
"""Packages that no kernel is made from."""

_ANEW: ContextVar[bool] = ContextVar("ANEW", default=False)


@contextmanager
def built_anew() -> Iterator[None]:
    """While this lasts, kernels are built and not remembered: for those who need their functions."""
    token = _ANEW.set(True)
    try:
        yield
    finally:
        _ANEW.reset(token)


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
