"""Warp, started without its banner and without its warning that a machine has no GPU."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["start_warp"]


@cache
def start_warp() -> Any:
    """The module ``warp``, initialised; errors alone are still printed."""
    wp: Any = import_module("warp")
    wp.config.log_level = max(wp.config.log_level, getattr(wp, "LOG_ERROR", 40))
    with _without_stderr():
        wp.init()
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
