"""What a cluster costs: the overhead of a chunk, the speed-up of two workers over one, the bytes and time of results.

    python -m tools.cluster_cost --worlds 2000 --repeats 5

Workers are processes of this machine that talk to their scheduler over TCP. Speed-ups are by the clock, medians over
turns of one worker, two workers, one plain process and two: what two plain processes gain is all that the machine has
to give at that moment. Everything else is processor time.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from footfall.clusters import ChunkFolder, local_workers, run_all
from footfall.study.sweeps.experiment import Experiment, Results
from footfall.study.sweeps.sweep import Sweep

JOBS = 100


Job = Callable[[], Results]


def seconds_of(work: Callable[[], Any]) -> float:
    """How long something takes, by the clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def jobs_of(sweep: Sweep) -> list[Job]:
    """The chunks of a sweep, each a job."""
    return [partial(sweep.run_chunk, first) for first in sweep.chunks]


def cpu_of(chunk: Job) -> float:
    """Processor seconds of a chunk's simulation, where it is run."""
    began = time.process_time()
    chunk()
    return time.process_time() - began


def clock(_: int) -> float:
    """Processor seconds of this process so far."""
    return time.process_time()


def measure(worlds: int, repeats: int, seconds: float) -> dict[str, Any]:
    """Everything, as one table."""
    experiment = Experiment("walk", seconds=seconds)
    chunks = jobs_of(Sweep(experiment, f"kp=250:350:{worlds}", chunk=max(1, worlds // 16)))
    tiny = jobs_of(Sweep(Experiment("walk", seconds=0.001), f"kp=250:350:{JOBS}", chunk=1))
    with ExitStack() as stack:
        one, two = (stack.enter_context(local_workers(count)) for count in (1, 2))
        plain = [stack.enter_context(ProcessPoolExecutor(count, mp_context=get_context("spawn"))) for count in (1, 2)]
        executors = (one, two, *plain)
        for executor in executors:  # every worker loads its kernels
            run_all(cpu_of, chunks[:4], executor)
            run_all(cpu_of, tiny[:4], executor)
        turns = [[seconds_of(partial(run_all, cpu_of, chunks, e)) for e in executors] for _ in range(repeats)]
        cpu = sum(run_all(cpu_of, chunks, one))
        overheads = [_overhead(tiny, one) for _ in range(repeats)]
    speedups = sorted(with_one / with_two for with_one, with_two, *_ in turns)
    return {
        "worlds": worlds,
        "simulated_seconds": seconds,
        "cpu_ms_a_world": 1e3 * cpu / worlds,
        "speed_up_of_two": statistics.median(speedups),
        "speed_up_range": [speedups[0], speedups[-1]],
        "speed_up_of_two_plain_processes": statistics.median(turn[2] / turn[3] for turn in turns),
        "two_workers_beside_two_plain_processes": statistics.median(turn[3] / turn[1] for turn in turns),
        "chunk_overhead_cpu_ms": 1e3 * statistics.median(overheads),
        **_files(experiment, chunks[0]()),
    }


def _overhead(tiny: list[Job], one: Executor) -> float:
    """Processor seconds that a chunk costs client, scheduler and worker beside its simulation."""
    here, there = clock(0), run_all(clock, [0], one)[0]
    simulated = sum(run_all(cpu_of, tiny, one))
    return (clock(0) - here + run_all(clock, [0], one)[0] - there - simulated) / (len(tiny) + 2)


def _files(experiment: Experiment, results: Results) -> dict[str, float]:
    """Bytes and processor time of a chunk's file and of the NetCDF file, for many worlds."""
    from footfall.study.sweeps.sweep import save_sweep

    copies, size = 40, 100_000
    large = {name: values.repeat(1 + size // len(values))[:size] for name, values in results.items()}
    whole = Sweep(experiment, [f"kp=250:350:{copies}", "kd=25:35:100", "swing_hip.c_v=0.1:0.4:1000"])
    with tempfile.TemporaryDirectory() as place:
        folder, file, target = ChunkFolder(Path(place), "cost"), Path(place) / "000000.chunk", Path(place) / "whole.nc"
        clocks = [clock(0)]
        folder.save(0, large)
        clocks.append(clock(0))
        folder.load(0)
        clocks.append(clock(0))
        save_sweep(whole.frame(), whole.axes, (large for _ in range(copies)), target)
        clocks.append(clock(0))
        saving, loading, writing = (b - a for a, b in pairwise(clocks))
        return {
            "chunk_bytes_a_world": file.stat().st_size / size,
            "chunk_save_cpu_us_a_world": 1e6 * saving / size,
            "chunk_load_cpu_us_a_world": 1e6 * loading / size,
            "netcdf_bytes_a_world": target.stat().st_size / (copies * size),
            "netcdf_cpu_us_a_world": 1e6 * writing / (copies * size),
        }


def main() -> None:
    """The command line; see above."""
    parser = argparse.ArgumentParser(prog="python -m tools.cluster_cost", description=__doc__)
    parser.add_argument("--worlds", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    given = parser.parse_args()
    print(json.dumps(measure(given.worlds, given.repeats, given.seconds), indent=1))


if __name__ == "__main__":
    main()
