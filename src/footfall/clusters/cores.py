"""How many cores a simulation shares its worlds out over: all that this process may use, or one where it is a job
among others."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["on_one_core", "usable_cores"]

_ALONE: ContextVar[bool] = ContextVar("ALONE", default=True)
"""Whether what runs here has the machine for itself."""


def usable_cores() -> int:
    """Cores that a simulation may use here."""
    if not _ALONE.get():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def on_one_core() -> Iterator[None]:
    """While this lasts, simulations of this thread run on one core: other jobs have the others."""
    token = _ALONE.set(False)
    try:
        yield
    finally:
        _ALONE.reset(token)
