"""How Warp builds kernels for the CPU, made faster: headers compiled once, each kernel by one process, and a log.

Every kernel includes Warp's headers, which take 1.6 s to read; compiled beforehand they take 0.1 s. Warp keeps compiled
headers for one thread of one process. Here they are kept beside the kernels, in Warp's cache, for all processes.
"""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["LOADED", "LOG", "build_kernels_fast"]

LOG = "FOOTFALL_KERNEL_LOG"
"""Environment variable: a file that gets one line of JSON for each kernel that is compiled."""

LOADED: ContextVar[str] = ContextVar("LOADED", default="")
"""What is being loaded, in words; for the log."""

FEW = 2
"""Kernels that are compiled with some set of flags before its headers are: that takes 3.5 s."""


def build_kernels_fast() -> None:
    """Change how Warp, once started, builds kernels for the CPU, in this process."""
    build: Any = import_module("warp._src.build")
    context: Any = import_module("warp._src.context")
    plain_build, plain_compile = build.build_cpu, context.Module._compile

    @functools.wraps(plain_build)
    def build_cpu(binary: str, source: str, **options: Any) -> None:
        began, spent = time.perf_counter(), time.thread_time()
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
            return plain_compile(self, device, folder, name, *rest, **options)

    build.build_cpu = build_cpu
    context.Module._compile = compile_once


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
        with contextlib.suppress(OSError):  # some network folders have no locks
            flock(file, LOCK_EX)
        yield


def _log(**what: Any) -> None:
    """Append a line to the log, if one is wanted."""
    log = os.environ.get(LOG)
    if log:
        line = json.dumps(what | {"test": os.environ.get("PYTEST_CURRENT_TEST", "")})
        with open(log, "a") as file:
            file.write(line + "\n")
