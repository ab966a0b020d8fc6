"""Warp, which compiles footfall's kernels: its quiet start, and a notice while a kernel compiles."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["loading", "start_warp"]

FEW = 2
"""Kernels that a thread compiles before precompiled headers pay off."""


@cache
def start_warp() -> Any:
    """The module ``warp``, started without its banner and without its warning that this machine has no GPU."""
    wp: Any = import_module("warp")
    wp.config.log_level = max(wp.config.log_level, getattr(wp, "LOG_ERROR", 40))
    with _without_stderr():
        wp.init()
    with contextlib.suppress(ImportError, AttributeError):
        _precompile_headers_late(import_module("warp._src.build"))
    return wp


def _precompile_headers_late(build: Any) -> None:
    """Let a thread's first kernels be compiled without precompiled headers.

    Warp precompiles its headers for each thread and set of flags. That takes 4 s and saves 2 s a kernel, but most
    processes compile one or two kernels, and the studio compiles each in a thread of its own.
    """
    plain, here = build.build_cpu, threading.local()

    def build_cpu(*arguments: Any, **options: Any) -> Any:
        flags = str(options.get("extra_flags"))
        before = vars(here).get(flags, 0)
        vars(here)[flags] = before + 1
        if before < FEW and "use_precompiled_headers" in options:
            options |= {"use_precompiled_headers": False, "pch_dir": None}
        return plain(*arguments, **options)

    build.build_cpu = build_cpu


@contextmanager
def _without_stderr() -> Iterator[None]:
    """Discard what native code writes to standard error meanwhile."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def loading(what: str) -> Iterator[None]:
    """While a kernel loads: print one line on standard error if it takes long enough to be a compilation."""

    def say() -> None:
        print(
            f"footfall: compiling {what} (first use; later runs take it from the cache) …", file=sys.stderr, flush=True
        )

    timer = threading.Timer(1.0, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
