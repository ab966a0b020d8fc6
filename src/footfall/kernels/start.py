"""Warp, which compiles footfall's kernels: its quiet start, and names for what it compiles."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from footfall.kernels.building import LOADED, build_kernels_fast
from footfall.kernels.cache_folder import usable_cache

_starting = threading.Lock()
"""Threads may start at once; Warp is started, and changed, once."""


def start_warp() -> Any:
    """The module ``warp``, started without its banner and without its warning that this machine has no GPU."""
    with _starting:
        return _started()


@cache
def _started() -> Any:
    wp: Any = import_module("warp")
    wp.config.log_level = max(wp.config.log_level, getattr(wp, "LOG_ERROR", 40))
    if cache := usable_cache(wp.config.kernel_cache_dir):
        wp.config.kernel_cache_dir = cache
    with _without_stderr():
        wp.init()
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
    """While a kernel loads: name what it is for, so that a message can say what is being compiled."""
    token = LOADED.set(what)
    try:
        yield
    finally:
        LOADED.reset(token)
