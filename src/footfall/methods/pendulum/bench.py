"""How fast a crowd walks: ``footfall pendulum --crowd 100000 --device cuda``.

A frame is the whole of it: time projection, the 3LP state, and the posture written to memory, for walkers of
different bodies and speeds. Needs only numpy and Warp. Times are the best of several rounds; the cost of a sine in
numpy, measured in between, makes machines comparable.
"""

import time
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.kernels.start import start_warp
from footfall.methods.pendulum.crowd import Crowd, Precision
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.person import Person
from footfall.methods.pendulum.walk import human_walk

_SINES = 200_000


def mixed_crowd(count: int, seed: int = 0) -> Gait:
    """Gaits of ``count`` different people: 1.2 to 2 m tall, 30 to 110 kg, walking at 0.1 to 0.55 √(g leg)."""
    random = np.random.default_rng(seed)
    body = Person.of(random.uniform(1.2, 2.0, count), random.uniform(30.0, 110.0, count))
    speed = random.uniform(0.1, 0.55, count) * np.sqrt(9.81 * body.h1)
    return periodic_gait(body, human_walk(body, speed))


def bench_crowd(
    count: int = 100_000,
    *,
    device: str = "cpu",
    precision: Precision | None = None,
    threads: int | None = None,
    frames: int = 8,
    rounds: int = 8,
    fps: float = 30.0,
) -> dict[str, Any]:
    """Walk ``count`` walkers ``rounds`` times ``frames`` frames; what it cost, as values that JSON can hold."""
    wp = start_warp()
    if not 1 <= count <= 10_000_000:
        raise FootfallError(f"a crowd has 1 to 10000000 walkers, not {count}")
    began = time.perf_counter()
    gait = mixed_crowd(count)
    solved = time.perf_counter()
    crowd = Crowd(gait, device=device, precision=precision, threads=threads)
    crowd.walk(frames, 1.0 / fps).numpy()
    ready = time.perf_counter()
    clock = time.thread_time if crowd.threads == 1 and device == "cpu" else time.perf_counter
    angles = np.linspace(0.0, 10.0, _SINES)
    walk, sine = np.inf, np.inf
    for _ in range(rounds):
        start = clock()
        crowd.walk(frames, 1.0 / fps)
        wp.synchronize()
        walk = min(walk, clock() - start)
        start = clock()
        np.sin(angles)
        sine = min(sine, clock() - start)
    per_frame, per_sine = walk / (count * frames), sine / _SINES
    name = str(wp.get_device(device).name) if device != "cpu" else "cpu"
    return {
        "walkers": count,
        "device": device,
        "device_name": name,
        "precision": crowd.precision,
        "threads": crowd.threads,
        "frames_per_second": 1.0 / per_frame,
        "microseconds_per_frame": per_frame * 1e6,
        "numpy_sine_nanoseconds": per_sine * 1e9,
        "frame_in_sines": per_frame / per_sine,
        "real_time_factor": 1.0 / (per_frame * count * fps),
        "gaits_seconds": solved - began,
        "compile_seconds": ready - solved,
    }
