"""Dask's distributed as an executor: jobs go to whatever workers a scheduler has, and errors come in words.

    dask scheduler                                  on one machine: prints its address
    dask worker tcp://SCHEDULER:8786 --nworkers 8   on any number of machines, at any time

    with connect("tcp://scheduler:8786") as executor:
        Sweep("walk", "kp=200:400:1000").run("kp.nc", executor=executor)

Scheduler and workers come from Dask, not from footfall. A job whose worker dies is run again on another, by the
scheduler; a worker that joins gets jobs at once. Each job says which footfall it comes from, and a worker with another
one refuses it.
"""

import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from typing import Any

from footfall.clusters.jobs import WorkLostError
from footfall.clusters.source import own_source
from footfall.clusters.worker import perform
from footfall.errors import FootfallError

PATIENCE = 10.0
"""Seconds in which a scheduler must answer."""
ALONE = 5.0
"""Seconds without a worker after which a line says how to start one."""
LOOK = 1.0
"""Seconds between two looks at how many workers there are."""


def load_distributed() -> Any:
    """The module ``distributed``, with its own log silent: what goes wrong is said by footfall."""
    try:
        import distributed
    except ImportError as error:
        raise FootfallError(
            "clusters need Dask's distributed, which is not installed: pip install 'footfall[cluster]'"
        ) from error
    for name in ("distributed", "distributed.client", "distributed.nanny", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


class DaskExecutor(Executor):
    """Jobs on a Dask scheduler's workers.

    Args:
        client: a connected ``distributed.Client``. where: the cluster, in words.
        told: called with each line that a user should read.
    """

    def __init__(self, client: Any, where: str, told: Callable[[str], None] | None = None) -> None:
        self._client, self._where = client, where
        self._inner: Executor = client.get_executor(pure=False)
        self._told = told or (lambda line: print(f"footfall: {line}", file=sys.stderr, flush=True))
        self._processors: set[str] = set()
        self._threads: dict[str, int] = {}
        self._looked, self._opened = -LOOK, time.monotonic()
        self._complained = False
        self._failure = ""
        self._lock = threading.Lock()

    @property
    def workers(self) -> int:
        """How many workers there are now."""
        return len(self._look())

    @property
    def slots(self) -> int:
        """How many jobs run at a time."""
        return sum(self._look().values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Send a job; its future has the result, or what went wrong in words."""
        import cloudpickle

        if self._client.status != "running":
            raise self._gone()
        self._look()
        inner = self._inner.submit(perform, own_source(), cloudpickle.dumps((fn, args, kwargs)))
        outer: Future[Any] = Future()
        inner.add_done_callback(lambda done: self._pass_on(done, outer))
        outer.add_done_callback(lambda done: done.cancelled() and inner.cancel())
        return outer

    def fail(self, why: str) -> None:
        """Give the work up, when it next looks for workers: none will come."""
        self._failure = why

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; it stays as it is."""
        self._inner.shutdown(wait=wait and not cancel_futures and self._client.status == "running")

    def _pass_on(self, inner: "Future[Any]", outer: "Future[Any]") -> None:
        if not outer.set_running_or_notify_cancel():
            return
        try:
            processor, result = inner.result()
        except CancelledError:
            outer.set_exception(self._gone())
        except BaseException as error:
            outer.set_exception(self._in_words(error))
        else:
            outer.set_result(result)
            self._see(processor)

    def _gone(self) -> WorkLostError:
        return WorkLostError(f"{self._where} is gone")

    def _in_words(self, error: BaseException) -> BaseException:
        kind = type(error).__name__
        if kind == "KilledWorker":
            return WorkLostError(
                f"{self._where}: workers died one after the other while they ran the same job, of too little memory"
                " perhaps; smaller chunks need less"
            )
        if kind in ("CommClosedError", "TimeoutError"):
            return self._gone()
        if isinstance(error, ImportError | AttributeError) or "eserializ" in str(error):
            return FootfallError(
                f"{self._where}: its scheduler or a worker has another footfall, or none ({error}); install there what"
                " is here"
            )
        return error

    def _see(self, processor: str) -> None:
        with self._lock:
            new = processor not in self._processors
            self._processors.add(processor)
            several = new and len(self._processors) == 2
        if several:
            kinds = " and ".join(sorted(self._processors))
            self._told(f"workers have different processors ({kinds}): results may differ in their last digits")

    def _look(self) -> dict[str, int]:
        """Threads of each worker, at most ``LOOK`` seconds ago."""
        if self._failure:
            raise WorkLostError(self._failure)
        now = time.monotonic()
        if now - self._looked >= LOOK and self._client.status == "running":
            self._looked = now
            try:
                self._threads = dict(self._client.nthreads())
            except Exception as error:  # whatever Dask raises when its scheduler goes while it is asked
                raise self._gone() from error
            if not self._threads and now - self._opened > ALONE and not self._complained:
                self._complained = True
                self._told(f"{self._where} has no workers; work goes on when some join it")
        return self._threads


@contextmanager
def connect(address: str) -> Iterator[DaskExecutor]:
    """The workers of a scheduler, by its address (``tcp://HOST:PORT``)."""
    if re.fullmatch(r"((tcp|tls|ws|wss|ucx)://)?([^\s/:]+|\[[0-9a-fA-F:]+\]):\d+", address) is None:
        raise FootfallError(f"cluster '{address}' is not an address; write tcp://HOST:PORT")
    distributed = load_distributed()
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError as error:
        raise FootfallError(
            f"cluster {address}: no scheduler answers there; `dask scheduler` starts one and prints its address"
        ) from error
    try:
        yield DaskExecutor(client, f"the cluster at {address}")
    finally:
        client.close(timeout=1.0)
