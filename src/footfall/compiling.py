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

from footfall.kernel_building import LOADED, build_kernels_fast

__all__ = ["loading", "start_warp"]


@cache
def start_warp() -> Any:
    """The module ``warp``, started without its banner and without its warning that this machine has no GPU."""
    wp: Any = import_module("warp")
    wp.config.log_level = max(wp.config.log_level, getattr(wp, "LOG_ERROR", 40))
    with _without_stderr():
        wp.init()
    with contextlib.suppress(ImportError, AttributeError):
        build_kernels_fast()
    return wp


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
    token = LOADED.set(what)
    try:
        yield
    finally:
        LOADED.reset(token)
        timer.cancel()
