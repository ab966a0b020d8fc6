"""Where the jobs of a command run: here, in processes, on a cluster, on Slurm; and how fast, while they do."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Annotated

import tyro

from footfall.cli.printing import Show
from footfall.clusters.executors import open_cluster

Cluster = Annotated[str | None, tyro.conf.arg(metavar="ADDRESS")]
Workers = Annotated[int | None, tyro.conf.arg(metavar="INT")]
Slurm = Annotated[str | None, tyro.conf.arg(metavar="NAME=VALUE,…")]


@contextmanager
def opened(cluster: str | None, workers: int | None, slurm: str | None, show: Show) -> Iterator[Executor | None]:
    """The executor that these options ask for; meanwhile the progress bar says that workers are starting."""
    if cluster or workers or slurm:
        show(0, what="starting workers")
    with open_cluster(cluster, workers, slurm) as executor:
        yield executor


def cluster_progress(
    show: Show, what: str, executor: Executor | None, unit: str = ""
) -> Callable[[float, float], None]:
    """A report (done, total) that adds how many workers there are and, with a unit, how much is done a second."""
    began, first = time.monotonic(), -1.0

    def report(done: float, total: float) -> None:
        nonlocal began, first
        if first < 0:
            began, first = time.monotonic(), done
        words = [what]
        count = getattr(executor, "workers", None)
        if count is not None:
            words.append(f"{count} worker{'' if count == 1 else 's'}")
        spent = time.monotonic() - began
        if unit and spent > 1.0 and done > first:
            words.append(f"{(done - first) / spent:,.0f} {unit}/s")
        show(done, total, ", ".join(words))

    return report
