"""Workers on this machine: processes of a cluster of its own, one GPU each where there are some.

A process that dies is started again, and its job with it.
"""

import logging
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from footfall.clusters.dask_executor import DaskExecutor, load_distributed
from footfall.errors import FootfallError

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

    scheduler = {
        "cls": distributed.Scheduler,
        "options": {"host": "127.0.0.1", "port": 0, "dashboard": False, "dashboard_address": ":0"},
    }
    cluster = distributed.SpecCluster(
        workers={k: worker(k) for k in range(count)}, scheduler=scheduler, name="footfall", silence_logs=SILENT
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield DaskExecutor(client, "the cluster of this machine")
