"""What a cluster costs: the overhead of a chunk, the speed-up of two workers over one, the bytes and time of results.

    python -m tools.cluster_cost --worlds 2000 --repeats 5

Workers are processes of this machine that talk to their scheduler over TCP. Times are the medians of turns that
alternate, so that whatever else the machine does meets all of them; ratios mean more than times.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from footfall.clusters import ChunkFolder, local_workers, run_all
from footfall.study.sweeps.chunks import Chunk
from footfall.study.sweeps.experiment import Experiment
from footfall.study.sweeps.sweep import Sweep

JOBS = 200


def seconds_of(work: Callable[[], Any]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cpu_of(chunk: Chunk) -> float:
    """Processor seconds of a chunk's simulation, where it is run."""
    began = time.process_time()
    chunk.run()
    return time.process_time() - began


def measure(worlds: int, repeats: int, seconds: float) -> dict[str, Any]:
    """Everything, as one table."""
    experiment = Experiment("walk", seconds=seconds)
    sweep = Sweep(experiment, f"kp=250:350:{worlds}", chunk=max(1, worlds // 16))
    chunks = list(sweep.chunks)
    tiny = list(Sweep(Experiment("walk", seconds=0.001), f"kp=250:350:{JOBS}", chunk=1).chunks)
    with ExitStack() as stack:
        one, two = (stack.enter_context(local_workers(count)) for count in (1, 2))
        for executor in (one, two):  # every worker loads its kernels
            run_all(Chunk.run, chunks[:4], executor)
            run_all(Chunk.run, tiny[:4], executor)
        turns = [_turn(chunks, tiny, one, two) for _ in range(repeats)]
        cpu = sum(run_all(cpu_of, chunks, one))
    found = {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}
    speedups = sorted(turn["one_worker_s"] / turn["two_workers_s"] for turn in turns)
    return {
        "worlds": worlds,
        "simulated_seconds": seconds,
        "cpu_ms_a_world": 1e3 * cpu / worlds,
        "speed_up_of_two": statistics.median(speedups),
        "speed_up_range": [speedups[0], speedups[-1]],
        "job_ms": 1e3 * found["empty_s"] / JOBS,
        "chunk_ms": 1e3 * (found["tiny_s"] - found["tiny_here_s"]) / JOBS,
        **_files(sweep, chunks[0]),
    }


def _turn(chunks: list[Chunk], tiny: list[Chunk], one: Executor, two: Executor) -> dict[str, float]:
    return {
        "one_worker_s": seconds_of(lambda: run_all(Chunk.run, chunks, one)),
        "two_workers_s": seconds_of(lambda: run_all(Chunk.run, chunks, two)),
        "empty_s": seconds_of(lambda: run_all(abs, range(JOBS), one)),
        "tiny_s": seconds_of(lambda: run_all(Chunk.run, tiny, one)),
        "tiny_here_s": seconds_of(lambda: [chunk.run() for chunk in tiny]),
    }


def _files(sweep: Sweep, chunk: Chunk) -> dict[str, float]:
    """Bytes and time of a chunk's file and of the NetCDF file, for many worlds."""
    from footfall.study.sweeps.sweep_file import save_sweep

    results, copies = chunk.run(), 64
    large = {name: values.repeat(1 + 100_000 // len(values))[:100_000] for name, values in results.items()}
    frame = Sweep(sweep.experiment, f"kp=250:350:{copies * 100_000}").frame()
    with tempfile.TemporaryDirectory() as place:
        folder = ChunkFolder(Path(place), "cost")
        saving = seconds_of(lambda: folder.save(0, large))
        size = next(Path(place).glob("*.chunk")).stat().st_size
        loading = seconds_of(lambda: folder.load(0))
        target = Path(place) / "whole.nc"
        writing = seconds_of(lambda: save_sweep(frame, ("kp",), (large for _ in range(copies)), target))
        whole = target.stat().st_size
    return {
        "chunk_bytes_a_world": size / 100_000,
        "chunk_save_us_a_world": 1e6 * saving / 100_000,
        "chunk_load_us_a_world": 1e6 * loading / 100_000,
        "netcdf_bytes_a_world": whole / (copies * 100_000),
        "netcdf_us_a_world": 1e6 * writing / (copies * 100_000),
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
