"""The cluster that a command line asks for."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from footfall.errors import FootfallError


@contextmanager
def open_cluster(
    cluster: str | None = None, workers: int | None = None, slurm: str | None = None
) -> Iterator[Executor | None]:
    """An executor for jobs; None, to run them here, where nothing is asked for.

    Args:
        cluster: the address of a Dask scheduler, ``tcp://HOST:PORT``.
        workers: so many processes on this machine.
        slurm: Slurm jobs as workers, as :func:`~footfall.clusters.slurm.slurm_workers` reads it:
            ``partition=gpu,workers=8,…``
    """
    given = {"--cluster": cluster, "--workers": workers, "--slurm": slurm}
    names = [name for name, value in given.items() if value is not None]
    if len(names) > 1:
        raise FootfallError(f"{' and '.join(names)}: give one of them")
    if cluster is not None:
        from footfall.clusters.dask_executor import connect

        with connect(cluster) as executor:
            yield executor
    elif workers is not None:
        from footfall.clusters.local import local_workers

        with local_workers(workers) as local:
            yield local
    elif slurm is not None:
        from footfall.clusters.slurm import parse_slurm, slurm_workers

        with slurm_workers(**parse_slurm(slurm)) as executor:
            yield executor
    else:
        yield None
