"""Workers as Slurm jobs, submitted by submitit; the scheduler that hands them work runs here.

A Slurm job is a worker, not a piece of work: it waits in Slurm's queue once and then runs chunk after chunk. One that
ends (its time is over, it was preempted) is submitted again while there is work. The nodes must reach this machine by
TCP.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from footfall.clusters.dask_executor import DaskExecutor, load_distributed
from footfall.errors import FootfallError, unknown_name

WHOLE = ("workers", "time", "cpus_per_task", "gpus_per_node")
TEXT = ("partition", "account", "qos", "constraint", "mem", "gres", "host", "folder")
LOOK = 10.0
"""Seconds between two looks at the jobs."""
SHORT = 60.0
"""A job that ended within so many seconds did not work."""
FAILURES = 3
"""So many of them for each worker, and no more are submitted."""


def parse_slurm(text: str) -> dict[str, Any]:
    """Options of :func:`slurm_workers` from ``partition=gpu,workers=8,time=120``."""
    found: dict[str, Any] = {}
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, sign, value = part.partition("=")
        if name not in (*WHOLE, *TEXT):
            raise unknown_name("option of --slurm", name, (*WHOLE, *TEXT))
        if not sign or not value or (name in WHOLE and not (value.isdigit() and int(value) > 0)):
            form = "a whole number of at least 1" if name in WHOLE else "a word"
            raise FootfallError(f"--slurm '{part}': write {name}=VALUE, where VALUE is {form}")
        found[name] = int(value) if name in WHOLE else value
    return found


@contextmanager
def slurm_workers(
    *,
    workers: int = 4,
    time: int = 60,
    cpus_per_task: int = 1,
    folder: str | Path = "footfall-slurm",
    host: str | None = None,
    engine: str = "slurm",
    **more: str | int,
) -> Iterator[DaskExecutor]:
    """An executor whose workers are Slurm jobs.

    Args:
        workers: how many jobs. time: minutes of each. cpus_per_task: cores of each; it runs so many jobs at a time.
        folder: where submitit keeps its scripts and the workers' logs; the nodes must see it.
        host: this machine's name or address, as the nodes reach it; by default that of its route to the outside.
        engine: submitit's: "slurm", or "local" for processes of this machine.
        more: other options of sbatch by name: partition, account, qos, constraint, gpus_per_node, mem, gres.
    """
    distributed = load_distributed()
    submitter = _submitter(engine, Path(folder), {"time": time, "cpus_per_task": cpus_per_task, **more})
    options = {"port": 0, "dashboard": False, "dashboard_address": ":0"} | ({} if host is None else {"host": host})
    cluster = distributed.SpecCluster(
        workers={},
        scheduler={"cls": distributed.Scheduler, "options": options},
        name="footfall",
        silence_logs=logging.CRITICAL,
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        executor = DaskExecutor(client, f"the Slurm jobs of {folder}")
        jobs = _Jobs(lambda: submitter.submit(_serve, cluster.scheduler_address, cpus_per_task), workers, executor)
        try:
            yield executor
        finally:
            jobs.cancel()


def _submitter(engine: str, folder: Path, options: Mapping[str, str | int]) -> Any:
    try:
        import submitit
    except ImportError as error:
        raise FootfallError("Slurm needs submitit, which is not installed: pip install 'footfall[slurm]'") from error
    try:
        submitter: Any = submitit.AutoExecutor(folder, cluster=engine)
    except RuntimeError as error:
        raise FootfallError(f"--slurm: {error}; run it on a machine from which you can call sbatch") from error
    prefix = {name: f"slurm_{name}" for name in options}
    submitter.update_parameters(name="footfall", timeout_min=options["time"])
    submitter.update_parameters(**{prefix[n]: value for n, value in options.items() if n != "time"})
    return submitter


def _serve(address: str, threads: int) -> None:
    """Be a worker until the scheduler ends, on the node."""
    distributed = load_distributed()

    async def work() -> None:
        options: dict[str, Any] = {"nthreads": threads, "memory_limit": 0, "dashboard": False, "death_timeout": 60}
        async with distributed.Worker(address, **options) as worker:
            await worker.finished()

    asyncio.run(work())


class _Jobs:
    """Keeps a number of jobs submitted, in a thread of its own."""

    def __init__(self, submit: Callable[[], Any], count: int, executor: DaskExecutor) -> None:
        self._submit, self._executor = submit, executor
        self._stop = threading.Event()
        self._jobs = [(self._new(), time.monotonic()) for _ in range(count)]
        self._left = FAILURES * count
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _new(self) -> Any:
        try:
            return self._submit()
        except Exception as error:  # submitit raises its own kinds, and those of a missing sbatch
            raise FootfallError(f"--slurm: a worker could not be submitted: {error}") from error

    def _watch(self) -> None:
        try:
            self._resubmit()
        except FootfallError as error:
            self._executor.fail(str(error))

    def _resubmit(self) -> None:
        while not self._stop.wait(LOOK):
            for k, (job, began) in enumerate(self._jobs):
                if not job.done():
                    continue
                if time.monotonic() - began < SHORT:
                    self._left -= 1
                if self._left < 0:
                    raise FootfallError(f"Slurm jobs end as soon as they start; see {job.paths.stderr}")
                self._jobs[k] = (self._new(), time.monotonic())

    def cancel(self) -> None:
        """End all of them."""
        self._stop.set()
        self._thread.join()
        for job, _ in self._jobs:
            job.cancel(check=False)
