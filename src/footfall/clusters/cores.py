"""How many cores a simulation shares its worlds out over: all that this process may use, or one where it is a job
among others; and processes that use all of them for other work."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import get_context

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


@contextmanager
def on_all_cores(many: bool = True) -> Iterator[Executor | None]:
    """Processes, one for each core, for :func:`footfall.clusters.jobs.run_jobs`; None where there is not much to do, or
    one core alone."""
    cores = usable_cores()
    if not many or cores == 1:
        yield None
        return
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        yield pool
