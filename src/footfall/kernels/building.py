"""How Warp builds kernels for the CPU, made faster: calls resolved once, headers compiled once, each kernel by one
process, and a log.

Every kernel includes Warp's headers, which take 1.6 s to read; compiled beforehand they take 0.1 s. Warp keeps compiled
headers for one thread of one process. Here they are kept beside the kernels, in Warp's cache, for all processes.

Tests' kernels are hardly optimised: most run for less time than that takes. They differ from others in rounding alone,
and are kept in a cache of their own. What comes compiled is used as it is.

Warp may change what is used here beyond its public interface with any minor version, so ``pyproject.toml`` names one.
With another one that lacks some of it, Warp stays as it is: it compiles every kernel by itself, which takes longer.
"""

import contextlib
import functools
import hashlib
import inspect
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.kernels.shipped import portable_flag, put_in_place

QUICK = "FOOTFALL_QUICK_KERNELS"
"""Environment variable: if set, kernels are quick, in this process and those that it starts."""
LONG = "long"
"""Its value for long simulations: large kernels are optimised as little as others. That takes them twice as long, and
they run 30 times as fast."""


def quick_cache(cache: str) -> str:
    """Where compiled kernels are kept, given where they are kept usually."""
    return str(Path(cache) / "quick") if os.environ.get(QUICK) else cache


LARGE = 900_000
"""Characters of a kernel that takes longer to optimise than most tests run it: one of a figure in space."""


def quick_options(source: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of the compiler for a file, given the usual ones. Flags that make no difference at these levels (slp) are
    left out: headers are compiled for each set of flags."""
    if not os.environ.get(QUICK):
        return options
    flags = (flag for flag in str(options.get("extra_flags", "")).split() if not re.search("inline|slp", flag))
    hardly = Path(source).stat().st_size > LARGE and os.environ[QUICK] != LONG
    level = min(options.get("optimization_level", 2), 0 if hardly else 1)
    return options | {"extra_flags": " ".join(flags), "optimization_level": level}


FUNCTIONS = {
    ("warp._src.build", "build_cpu"): (
        "obj_path", "cpp_path", "extra_flags", "optimization_level", "verbose", "use_precompiled_headers", "pch_dir",
    ),
    ("warp._src.codegen", "Adjoint.get_node_source"): ("adj", "node"),
    ("warp._src.codegen", "Adjoint.resolve_func"): ("adj", "func", "arg_types", "kwarg_types", "min_outputs"),
    ("warp._src.context", "Module._compile"): ("self", "device", "output_dir", "output_name"),
    ("warp._src.context", "Module._get_meta_name"): ("self", "block_dim"),
    ("warp._src.context", "Module.get_module_hash"): ("self", "block_dim"),
    ("warp._src.context", "Module.load"): ("self", "device", "block_dim", "binary_path", "meta_path"),
    ("warp._src.context", "_get_cpu_feature_set"): (),
    ("warp._src.context", "_get_cpu_target_hash"): ("resolved_flags",),
    ("warp._src.context", "_get_cpu_target_triple"): (),
    ("warp._src.context", "_get_cpu_toolchain_version"): (),
    ("warp._src.context", "_get_host_cpu_name"): (),
}  # fmt: skip
"""Module and function -> arguments that it must have, in this order."""


@cache
def missing_internals() -> str:
    """What the installed Warp lacks of :data:`FUNCTIONS`; empty where nothing is missing."""
    return "; ".join(filter(None, (_lack(*where, arguments) for where, arguments in FUNCTIONS.items())))


def _lack(module: str, name: str, arguments: tuple[str, ...]) -> str:
    try:
        function: Any = attrgetter(name)(import_module(module))
        there = inspect.signature(function).parameters
    except (ImportError, AttributeError, TypeError, ValueError):
        return f"{module}.{name} is missing"
    if [argument for argument in there if argument in arguments] != list(arguments):
        return f"{module}.{name} takes other arguments"
    return ""


LOG = "FOOTFALL_KERNEL_LOG"
"""Environment variable: a file that gets one line of JSON for each kernel that is compiled."""

LOADED: ContextVar[str] = ContextVar("LOADED", default="")
"""What is being loaded, for the log."""

PORTABLE: ContextVar[bool] = ContextVar("PORTABLE", default=False)
"""Whether kernels are compiled to be shipped: for processors of the last ten years, not for this one."""

_PATIENT: ContextVar[bool] = ContextVar("PATIENT", default=True)
"""Whether there is time to compile."""

FEW = 2
"""Kernels that are compiled with some set of flags before its headers are: that takes 3.5 s."""


class NotCompiledError(FootfallError):
    """A kernel would have to be compiled, and there is no time for that."""


@contextmanager
def without_compiling() -> Iterator[None]:
    """While this lasts, a kernel for the CPU that is neither cached nor shipped raises :class:`NotCompiledError`."""
    token = _PATIENT.set(False)
    try:
        yield
    finally:
        _PATIENT.reset(token)


def build_kernels_fast() -> None:
    """Change how Warp, once started, builds kernels for the CPU, in this process.

    A Warp that footfall does not know is left as it is, with a warning on standard error.
    """
    warp: Any = import_module("warp")
    if missing := missing_internals():
        print(
            f"footfall: Warp {warp.config.version} is not the version that footfall was made for ({missing}):"
            " kernels take longer to compile",
            file=sys.stderr,
        )
        return
    warp.config.kernel_cache_dir = quick_cache(str(warp.config.kernel_cache_dir))
    build: Any = import_module("warp._src.build")
    context: Any = import_module("warp._src.context")
    plain_build, plain_compile = build.build_cpu, context.Module._compile

    @functools.wraps(plain_build)
    def build_cpu(binary: str, source: str, **options: Any) -> None:
        began, spent = time.perf_counter(), time.thread_time()
        options = quick_options(source, options)
        if PORTABLE.get():
            options["extra_flags"] = str(options.get("extra_flags", "")).replace("-march=native", portable_flag())
        if options.get("use_precompiled_headers"):
            options["pch_dir"] = _headers(functools.partial(plain_build, **options), options, context)
            options["use_precompiled_headers"] = options["pch_dir"] is not None
        plain_build(binary, source, **options)
        _log(
            kernel=Path(source).stem,
            what=LOADED.get(),
            cpu_seconds=time.thread_time() - spent,
            seconds=time.perf_counter() - began,
            level=options.get("optimization_level"),
        )

    @functools.wraps(plain_compile)
    def compile_once(
        self: Any, device: Any = None, folder: Any = None, name: Any = None, *rest: Any, **options: Any
    ) -> Any:
        if folder is None or name is None or os.path.exists(os.path.join(folder, name)):
            return plain_compile(self, device, folder, name, *rest, **options)
        with _lock(Path(folder).parent / "wp_locks" / Path(folder).name):
            if not PORTABLE.get() and put_in_place(Path(folder), name):
                return False
            if not _PATIENT.get():
                raise NotCompiledError(f"kernel {name} is not compiled yet")
            with _telling():
                return plain_compile(self, device, folder, name, *rest, **options)

    build.build_cpu = build_cpu
    context.Module._compile = compile_once
    _generate_fast(import_module("warp._src.codegen").Adjoint)


def _generate_fast(adjoint: Any) -> None:
    """Change how Warp turns functions into C++: which overload of its own functions takes some types is found once, and
    a function's text is divided into lines once. Both took a third of the time."""
    plain_resolve = adjoint.resolve_func
    found: dict[Any, Any] = {}

    def resolve_func(adj: Any, func: Any, arg_types: Any, kwarg_types: Any, min_outputs: Any) -> Any:
        if kwarg_types or not func.is_builtin() or not all(isinstance(t, type) for t in arg_types):
            return plain_resolve(adj, func, arg_types, kwarg_types, min_outputs)
        key = func, arg_types, min_outputs
        if key not in found:
            found[key] = plain_resolve(adj, func, arg_types, kwarg_types, min_outputs)
        return found[key]

    def get_node_source(adj: Any, node: Any) -> str:
        lines = _lines(adj.source)[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode()

    adjoint.resolve_func, adjoint.get_node_source = resolve_func, get_node_source


@functools.lru_cache(maxsize=64)
def _lines(source: str) -> list[bytes]:
    return source.encode().splitlines(keepends=True)


@contextmanager
def _telling(doing: str = "compiling") -> Iterator[None]:
    """Print one line on standard error if this takes longer than a second."""
    what = LOADED.get()

    def tell() -> None:
        line = f"footfall: {doing} {what} (first use; later runs take it from the cache) …"
        print(line, file=sys.stderr, flush=True)

    timer = threading.Timer(1.0, tell)
    timer.daemon = True
    if what:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _headers(build: Any, options: dict[str, Any], context: Any) -> str | None:
    """Folder of the compiled headers for these options; None while too few kernels have been compiled with them."""
    cache = Path(import_module("warp").config.kernel_cache_dir)
    folder = cache / f"wp_headers_{_digest(options, context)}"
    if any(folder.glob("*.pch")):
        return str(folder)
    with _lock(folder / "lock"), open(folder / "kernels", "ab") as kernels:
        if any(folder.glob("*.pch")):
            return str(folder)
        if kernels.tell() < FEW:
            kernels.write(b".")
            return None
        with tempfile.TemporaryDirectory(prefix="part_", dir=folder) as part:
            source = Path(part, "nothing.cpp")
            source.write_text("")
            build(str(source.with_suffix(".o")), str(source), pch_dir=part)
            for file in Path(part).glob("*.pch"):
                shutil.move(file, folder / file.name)
    return str(folder)


def _digest(options: dict[str, Any], context: Any) -> str:
    """A digest of all that compiled headers depend on: flags, processor, and the headers themselves."""
    apart = {"use_precompiled_headers", "pch_dir", "verbose"}
    parts = [repr(sorted((key, str(value)) for key, value in options.items() if key not in apart))]
    parts += [context._get_cpu_target_hash(str(options.get("extra_flags"))), context._get_host_cpu_name()]
    native = Path(import_module("warp").__file__ or "").parent / "native"
    for header in sorted(native.rglob("*.h")):
        seen = header.stat()
        parts.append(f"{header} {seen.st_size} {seen.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Only one thread of all processes at a time; where the system has no such locks, any number."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as file:
        with contextlib.suppress(OSError), _telling("waiting for another process that compiles"):
            flock(file, LOCK_EX)  # some network folders have no locks
        yield


def _log(**what: Any) -> None:
    """Append a line to the log, if one is wanted."""
    log = os.environ.get(LOG)
    if log:
        line = json.dumps(what | {"test": os.environ.get("PYTEST_CURRENT_TEST", "")})
        with open(log, "a") as file:
            file.write(line + "\n")
