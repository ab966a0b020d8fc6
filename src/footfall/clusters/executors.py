"""Executors of jobs: Dask's workers, processes of this machine, Slurm.

    dask scheduler                                  on one machine: prints its address
    dask worker tcp://SCHEDULER:8786 --nworkers 8   on any number of machines, at any time

    with connect("tcp://scheduler:8786") as executor:
        Sweep("walk", "kp=200:400:1000").run("kp.nc", executor=executor)

Scheduler and workers come from Dask, not from footfall. A job whose worker dies is run again on another, by the
scheduler; a worker that joins gets jobs at once. A worker with another footfall is left out, which one line says; where
there is no other, that is an error.

A Slurm job (by submitit) is a worker, not a piece of work: it waits in Slurm's queue once and then runs chunk after
chunk. One that ends (its time is over, it was preempted) is submitted again while there is work. The nodes must reach
this machine by TCP.
"""

import asyncio
import logging
import os
import pickle
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from footfall.clusters.chunk_folder import differences, own_source, processor_name
from footfall.clusters.jobs import WorkLostError
from footfall.errors import FootfallError, check_name
from footfall.plugins import optional_module


def perform_job(wanted: Mapping[str, str], job: bytes) -> tuple[str, Any]:
    """Run a pickled (function, args, kwargs), and answer this machine's kind of processor and the result.

    Args:
        wanted: the source that the job came from (see :mod:`footfall.clusters.chunk_folder`); another is refused.
    """
    if other := differences(wanted, own_source()):
        raise FootfallError(
            f"the worker on {socket.gethostname()} has {', '.join(other)}: results would differ; install this"
            " machine's versions there, and start the workers again"
        )
    try:
        function, args, kwargs = pickle.loads(job)
    except (ImportError, AttributeError) as error:
        raise FootfallError(
            f"the worker on {socket.gethostname()} lacks what the job needs ({error}); install it there"
        ) from error
    return processor_name(), function(*args, **kwargs)


PATIENCE = 10.0
"""Seconds in which a scheduler must answer."""
ALONE = 5.0
"""Seconds without a worker after which a line says how to start one."""
LOOK = 1.0
"""Seconds between two looks at how many workers there are."""


def load_distributed() -> Any:
    """The module ``distributed``, with its own log silent: what goes wrong is said by footfall."""
    needed = "clusters need Dask's distributed, which is not installed: pip install 'footfall[cluster]'"
    distributed = optional_module("distributed", needed)
    for name in ("distributed", "distributed.client", "distributed.nanny", "distributed.scheduler", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


class DaskExecutor(Executor):
    """Jobs on a Dask scheduler's workers.

    Args:
        client: a connected ``distributed.Client``.
        where: the cluster, for messages.
        told: called with each line that a user should read.
    """

    def __init__(self, client: Any, where: str, told: Callable[[str], None] | None = None) -> None:
        self._client, self._where = client, where
        self._inners: dict[frozenset[str], Executor] = {}
        self._sent: dict[Future[Any], _Sent] = {}
        self._others: dict[str, str] = {}
        self._told = told or (lambda line: print(f"footfall: {line}", file=sys.stderr, flush=True))
        self._processors: set[str] = set()
        self._threads: dict[str, int] = {}
        self._looked, self._opened = -LOOK, time.monotonic()
        self._complained = self._begun = False
        self._failure = ""
        self._lock = threading.RLock()

    @property
    def workers(self) -> int:
        """How many workers there are now."""
        return len(self._look())

    @property
    def slots(self) -> int:
        """How many jobs run at a time."""
        return sum(self._look().values())

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Send a job; its future has the result, or an error that says what went wrong."""
        import cloudpickle

        if self._client.status != "running":
            raise self._gone()
        sent = _Sent(cloudpickle.dumps((fn, args, kwargs)), Future())
        with self._lock:
            self._sent[sent.outer] = sent
        sent.outer.add_done_callback(self._forget)
        self._look()
        self._send(sent)
        return sent.outer

    def fail(self, why: str) -> None:
        """Give the work up, when it next looks for workers: none will come."""
        self._failure = why

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; it stays as it is."""
        for inner in self._inners.values():
            inner.shutdown(wait=wait and not cancel_futures and self._client.status == "running")

    def _send(self, sent: "_Sent") -> None:
        """Send a job to the workers that there are, unless one of them has it already."""
        with self._lock:
            workers = frozenset(self._threads)
            if not workers or sent.to & workers or sent.outer.done():
                return
            if workers not in self._inners:
                self._inners[workers] = self._client.get_executor(pure=False, workers=sorted(workers))
            before, sent.to = sent.inner, workers
            inner = sent.inner = self._inners[workers].submit(perform_job, own_source(), sent.job)
        inner.add_done_callback(lambda done: self._pass_on(done, sent))
        if before is not None:
            before.cancel()

    def _forget(self, outer: "Future[Any]") -> None:
        with self._lock:
            sent = self._sent.pop(outer)
        if outer.cancelled() and sent.inner is not None:
            sent.inner.cancel()

    def _pass_on(self, inner: "Future[Any]", sent: "_Sent") -> None:
        outer = sent.outer
        if inner is not sent.inner or not outer.set_running_or_notify_cancel():
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
                f"{self._where}: its scheduler or a worker has another footfall, or none ({error}); install this"
                " machine's version there"
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
        """Threads of each worker with this footfall, at most ``LOOK`` seconds ago. Jobs that had none are sent."""
        if self._failure:
            raise WorkLostError(self._failure)
        now = time.monotonic()
        if now - self._looked >= LOOK and self._client.status == "running":
            self._looked = now
            try:
                threads = dict(self._client.nthreads())
                for worker in self._ask(sorted(threads.keys() - self._threads.keys() - self._others.keys())):
                    del threads[worker]
            except Exception as error:  # whatever Dask raises when its scheduler goes while it is asked
                raise self._gone() from error
            self._others = {worker: why for worker, why in self._others.items() if worker in threads}
            self._threads = {worker: n for worker, n in threads.items() if worker not in self._others}
            self._begun = self._begun or bool(self._threads)
            if self._others and not self._begun and now - self._opened > ALONE:
                raise FootfallError(
                    f"{next(iter(self._others.values()))}: results would differ; install this machine's versions"
                    " there, and start the workers again"
                )
            for sent in list(self._sent.values()):
                self._send(sent)
            if not self._threads and now - self._opened > ALONE and not self._complained:
                self._complained = True
                self._told(f"{self._where} has no workers; work continues when some join it")
        elif self._client.status != "running" and any(sent.inner is None for sent in self._sent.values()):
            raise self._gone()
        return self._threads

    def _ask(self, workers: list[str]) -> list[str]:
        """Ask new workers which footfall they have; those with another are left out, and a line says so.

        Returns:
            those that did not answer, for they are gone or busy joining; they are asked again.
        """
        if not workers:
            return []
        wanted, known = own_source(), set(self._others.values())
        answers = self._client.run(own_source, workers=workers, on_error="return")
        for worker, answer in answers.items():
            where = f"the worker at {worker}"
            if isinstance(answer, OSError):
                continue
            if isinstance(answer, BaseException):
                self._others[worker] = f"{where} has another footfall, or none ({answer})"
            elif other := differences(wanted, answer):
                self._others[worker] = f"{where} has {', '.join(other)}"
        for why in sorted(set(self._others.values()) - known):
            self._told(f"{why}; it is left out")
        return [worker for worker in workers if isinstance(answers.get(worker, OSError()), OSError)]


@dataclass
class _Sent:
    """A job: its pickle, the future that its owner has, that of the cluster, and the workers that it was sent to."""

    job: bytes
    outer: "Future[Any]"
    inner: "Future[Any] | None" = None
    to: frozenset[str] = frozenset()


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


GPUS = "CUDA_VISIBLE_DEVICES"
SILENT = logging.CRITICAL


def visible_gpus() -> list[str]:
    """Names of this machine's GPUs, as ``CUDA_VISIBLE_DEVICES`` has them."""
    if GPUS in os.environ:
        return [name for name in os.environ[GPUS].split(",") if name]
    folder = Path("/proc/driver/nvidia/gpus")
    return [str(k) for k in range(len(list(folder.iterdir())))] if folder.is_dir() else []


@contextmanager
def local_workers(count: int) -> Iterator[Executor]:
    """``count`` worker processes; each runs a job at a time, and with GPUs each sees one of them, in turns.

    Without Dask's distributed they are a plain pool of processes, which does not survive the death of one.
    """
    if count < 1:
        raise FootfallError(f"workers is {count}; it must be at least 1")
    if find_spec("distributed") is None:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            yield pool
        return
    distributed = load_distributed()
    gpus = visible_gpus()

    def worker(number: int) -> dict[str, Any]:
        env = {GPUS: gpus[number % len(gpus)]} if gpus else {}
        options = {"nthreads": 1, "memory_limit": 0, "env": env, "dashboard": False, "silence_logs": SILENT}
        return {"cls": distributed.Nanny, "options": options}

    cluster = _cluster({k: worker(k) for k in range(count)}, host="127.0.0.1")
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield DaskExecutor(client, "the cluster of this machine")


def _cluster(workers: dict[int, Any], **scheduler: Any) -> Any:
    """A Dask cluster of this process's own: its workers, and options of its scheduler."""
    distributed = load_distributed()
    options = {"port": 0, "dashboard": False, "dashboard_address": ":0", **scheduler}
    own = {"cls": distributed.Scheduler, "options": options}
    return distributed.SpecCluster(workers=workers, scheduler=own, name="footfall", silence_logs=SILENT)


WHOLE_OPTIONS = ("workers", "time", "cpus_per_task", "gpus_per_node")
TEXT_OPTIONS = ("partition", "account", "qos", "constraint", "mem", "gres", "host", "folder")
QUEUE_LOOK = 10.0
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
        check_name("option of --slurm", name, (*WHOLE_OPTIONS, *TEXT_OPTIONS))
        if not sign or not value or (name in WHOLE_OPTIONS and not (value.isdigit() and int(value) > 0)):
            form = "a whole number of at least 1" if name in WHOLE_OPTIONS else "a word"
            raise FootfallError(f"--slurm '{part}': write {name}=VALUE, where VALUE is {form}")
        found[name] = int(value) if name in WHOLE_OPTIONS else value
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
        workers: how many jobs.
        time: minutes of each.
        cpus_per_task: cores of each; it runs so many jobs at a time.
        folder: where submitit keeps its scripts and the workers' logs; the nodes must see it.
        host: this machine's name or address, as the nodes reach it; by default that of its route to the outside.
        engine: submitit's: "slurm", or "local" for processes of this machine.
        more: other options of sbatch by name: partition, account, qos, constraint, gpus_per_node, mem, gres.
    """
    distributed = load_distributed()
    submitter = _submitter(engine, Path(folder), {"time": time, "cpus_per_task": cpus_per_task, **more})
    cluster = _cluster({}, **({} if host is None else {"host": host}))
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        executor = DaskExecutor(client, f"the Slurm jobs of {folder}")

        def submit() -> Any:
            with _without_interrupts():
                return submitter.submit(_serve, cluster.scheduler_address, cpus_per_task)

        end = _end_here if engine == "local" else lambda job: job.cancel(check=False)
        jobs = _Jobs(submit, end, workers, executor)
        try:
            yield executor
        finally:
            jobs.cancel()


def _submitter(engine: str, folder: Path, options: Mapping[str, str | int]) -> Any:
    needed = "Slurm needs submitit, which is not installed: pip install 'footfall[slurm]'"
    submitit = optional_module("submitit", needed)
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


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Processes that are started meanwhile do not get Ctrl-C: it is this process that ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_here(job: Any) -> None:
    """End a job of submitit's engine for one machine, whose number is that of a process, with all that it started;
    by submitit's own way each would print a traceback."""
    import psutil  # Dask needs it

    if job.done():
        return
    with suppress(psutil.Error):
        process = psutil.Process(int(job.job_id))
        for one in (*process.children(recursive=True), process):
            with suppress(psutil.Error):
                one.kill()


class _Jobs:
    """Keeps a number of jobs submitted, in a thread of its own, until they are ended by ``end``."""

    def __init__(
        self, submit: Callable[[], Any], end: Callable[[Any], None], count: int, executor: DaskExecutor
    ) -> None:
        self._submit, self._end, self._executor = submit, end, executor
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
        while not self._stop.wait(QUEUE_LOOK):
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
            self._end(job)


@contextmanager
def open_cluster(
    cluster: str | None = None, workers: int | None = None, slurm: str | None = None
) -> Iterator[Executor | None]:
    """An executor for jobs; None, to run them here, where nothing is asked for.

    Args:
        cluster: the address of a Dask scheduler, ``tcp://HOST:PORT``.
        workers: so many processes on this machine.
        slurm: Slurm jobs as workers, as :func:`~footfall.clusters.executors.slurm_workers` reads it:
            ``partition=gpu,workers=8,…``
    """
    given = {"--cluster": cluster, "--workers": workers, "--slurm": slurm}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise FootfallError(f"{' and '.join(names)}: give one of them")
    if cluster is not None:
        with connect(cluster) as executor:
            yield executor
    elif workers is not None:
        with local_workers(workers) as local:
            yield local
    elif slurm is not None:
        with slurm_workers(**parse_slurm(slurm)) as executor:
            yield executor
    else:
        yield None
