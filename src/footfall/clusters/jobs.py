"""Jobs: a list of pure pieces of work, run by any ``concurrent.futures.Executor``, each gathered once.

    for place, result in run_jobs(Chunk.run, chunks, executor):     as they finish
        folder.save(place, result)
    results = run_all(measure, tasks, executor)                     all of them, in their order

A job is a function that pickles and one value; its result depends on nothing else. So it does not matter where it runs,
in which order, or how often it was begun: an executor that loses a worker runs the job again on another.

How many cores a simulation shares its worlds out over: all that this process may use, or one where it is a job
among others; and processes that use all of them for other work.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

from footfall.errors import FootfallError

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


T = TypeVar("T")
R = TypeVar("R")

LOOK = 1.0
"""Seconds after which an executor is asked again how much work it takes, if nothing has finished."""


class WorkLostError(FootfallError):
    """What ran the jobs is gone; those that are finished are not lost."""


def run_jobs(
    function: Callable[[T], R], items: Iterable[T], executor: Executor | None = None
) -> Iterator[tuple[int, R]]:
    """Run ``function(item)`` for every item, and yield the item's place and the result as each is finished.

    Args:
        function: defined in a module, so that it pickles.
        items: what it is called with; values that pickle. They are taken a few at a time.
        executor: runs the jobs, each on one core; None runs them here, one after the other, on all cores.

    A job's error ends the rest. Where the executor has gone, that is a :class:`WorkLostError`.
    """
    if executor is None:
        for place, item in enumerate(items):
            yield place, function(item)
        return
    queue = enumerate(items)
    waiting: dict[Future[R], int] = {}
    try:
        while True:
            for place, item in islice(queue, max(0, _most_waiting(executor) - len(waiting))):
                waiting[_submit(executor, function, item)] = place
            if not waiting:
                return
            for future in wait(waiting, LOOK, FIRST_COMPLETED).done:
                place = waiting.pop(future)
                yield place, _result(future)
    finally:
        for future in waiting:
            future.cancel()


def run_all(function: Callable[[T], R], items: Iterable[T], executor: Executor | None = None) -> list[R]:
    """The results of :func:`run_jobs` in the order of the items."""
    found = dict(run_jobs(function, items, executor))
    return [found[place] for place in range(len(found))]


def jobs_at_a_time(executor: Executor | None) -> int:
    """How many jobs are run at a time: by none, one; executors whose workers come and go say it (``slots``), and of
    others one for each core is assumed."""
    if executor is None:
        return 1
    slots: int = getattr(executor, "slots", os.cpu_count() or 1)
    return max(1, slots)


def _most_waiting(executor: Executor) -> int:
    """How many jobs to hand to an executor: enough that no worker waits, few enough that memory is bounded."""
    return 2 * jobs_at_a_time(executor) + 2


def _here(function: Callable[[T], R], item: T) -> R:
    with on_one_core():
        return function(item)


def _submit(executor: Executor, function: Callable[[T], R], item: T) -> "Future[R]":
    try:
        return executor.submit(_here, function, item)
    except (BrokenExecutor, RuntimeError) as error:
        raise WorkLostError(f"the executor takes no more work: {error}") from error


def _result(future: "Future[Any]") -> Any:
    try:
        return future.result()
    except CancelledError as error:
        raise WorkLostError("a job was cancelled by what ran it; is the cluster gone?") from error
    except BrokenExecutor as error:
        raise WorkLostError(f"a worker process died, of too little memory perhaps: {error}") from error
