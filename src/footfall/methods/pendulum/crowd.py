"""A crowd: many walkers with their own bodies and gaits, frame by frame on the CPU or a GPU.

On the CPU the walkers are split over Python threads, each launching its share of one kernel; what a walker does depends
neither on how many walk with it nor on the number of threads. float64 is the default on the CPU, float32 on a GPU.

In the kernel one thread per walker runs control, state and posture of each frame. It is compiled from the same text
that numpy runs for few walkers (:mod:`footfall.methods.pendulum.numpy_warp`).

:func:`bench_crowd` (``footfall pendulum --crowd 100000 --device cuda``) measures a frame as the whole of it, for
walkers of different bodies and speeds. Times are the best of several rounds; the cost of a sine in numpy, measured in
between, makes machines comparable.
"""

import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from inspect import isfunction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.kernels.start import start_warp
from footfall.methods.pendulum import closed_form, time_projection
from footfall.methods.pendulum import posture as posture_module
from footfall.methods.pendulum.closed_form import StepRow, advance, in_turned_axes, next_step, step_of, step_row
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.numpy_warp import m, warp_functions, warp_structs
from footfall.methods.pendulum.posture import WalkerPosture, posture
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.time_projection import project
from footfall.methods.pendulum.walk import human_walk
from footfall.methods.pendulum.walkers import WalkState

CROWD_STATE = StepRow._fields
"""Rows of a crowd's state, as in :class:`footfall.methods.pendulum.walkers.WalkState`."""

CROWD_POSE = ("x", "y", "z", "heading", *WalkerPosture._fields[3:6], "swing_side", *WalkerPosture._fields[6:])
"""Rows of a crowd's poses: the pelvis in the world (along the slope) and its heading, then as in
:class:`footfall.methods.pendulum.posture.Posture`; ``swing_side`` is +1 while the left leg swings, -1 while the right
one does."""

Strides = Any
Rows = Any
Table = Any
Cube = Any
Int = Any
wp: Any = None


def walk_frames(
    strides: "Strides",
    row: "Rows",
    wanted: "Rows",
    state: "Table",
    command: "Table",
    poses: "Cube",
    first: "Int",
    frames: "Int",
    dt: Any,
) -> None:
    """Kernel: walker first + tid walks ``frames`` frames of ``dt`` seconds. ``command`` has rows fx, fy, turn."""
    i = first + wp.tid()
    numbers = StepRow()  # type: ignore[call-arg]
    for k in range(20):
        numbers[k] = state[k, i]  # type: ignore[index]
    s = step_of(numbers)
    cos = m.cos(s.heading)
    sin = m.sin(s.heading)
    for frame in range(frames):
        left = dt
        while left > 0.0:
            c = strides[row[i]]
            s.hips = project(c, s)  # type: ignore[misc]
            fx, fy = in_turned_axes(cos, sin, command[0, i], command[1, i])
            part = m.min(left, c.duration - s.t)
            x, y = advance(c, s, part, fx, fy)
            s.x = x  # type: ignore[misc]
            s.y = y  # type: ignore[misc]
            if left < c.duration - s.t:
                s.t = s.t + part  # type: ignore[misc]
                left = 0.0
            else:
                left = left - part
                s = next_step(c, s, command[2, i])
                cos = m.cos(s.heading)
                sin = m.sin(s.heading)
                row[i] = wanted[i]
        body = posture(strides[row[i]], s)
        ahead = s.x.p + body[0]
        poses[frame, 0, i] = s.foot_x + cos * ahead - sin * s.y.p
        poses[frame, 1, i] = s.foot_y + sin * ahead + cos * s.y.p
        poses[frame, 2, i] = body[1]
        poses[frame, 3, i] = s.heading + body[2]
        poses[frame, 7, i] = s.d
        for k in range(3):
            poses[frame, 4 + k, i] = body[3 + k]
        for k in range(12):
            poses[frame, 8 + k, i] = body[6 + k]
    numbers = step_row(s)
    for k in range(20):
        state[k, i] = numbers[k]


@cache
def crowd_kernel(precision: str) -> tuple[Any, Any]:
    """The kernel and the struct of strides for "float32" or "float64"."""
    warp = start_warp()
    scalar = getattr(warp, precision)
    tuples = ("Factors", "Basis", "Plane", "PlaneDrive", "Hips", "StepState")
    structs = warp_structs([*(getattr(closed_form, name) for name in tuples), Stride], scalar)
    names = structs | {
        "StepRow": warp.types.vector(length=len(StepRow._fields), dtype=scalar),
        "WalkerPosture": warp.types.vector(length=len(WalkerPosture._fields), dtype=scalar),
        "Strides": warp.array(dtype=structs["Stride"]),
        "Rows": warp.array(dtype=warp.int32),
        "Table": warp.array2d(dtype=scalar),
        "Cube": warp.array3d(dtype=scalar),
        "Int": warp.int32,
    }
    modules = (closed_form, time_projection, posture_module)
    functions = [f for module in modules for f in _in_order(module)]
    scope = warp_functions(f"footfall_pendulum_{precision}", functions, scalar, names, [walk_frames])
    return scope["walk_frames"], structs["Stride"]


def _in_order(module: Any) -> list[Any]:
    """The functions that ``module`` defines, in order."""
    own = [f for f in vars(module).values() if isfunction(f) and f.__module__ == module.__name__]
    return sorted(own, key=lambda f: f.__code__.co_firstlineno)


Precision = Literal["float32", "float64"]


class Crowd:
    """``[N]`` walkers on a device.

    Args:
        gait: of the walkers.
        device: "cpu" or "cuda" (or "cuda:1" …).
        precision: "float32" or "float64"; by default float64 on the CPU, float32 on a GPU.
        threads: on the CPU; by default one for each core.
        swing_left: which leg each walker starts with, ``[N]`` or one for all.
    """

    def __init__(
        self,
        gait: Gait,
        *,
        device: str = "cpu",
        precision: Precision | None = None,
        threads: int | None = None,
        swing_left: ArrayLike = True,
    ) -> None:
        wp = start_warp()
        if device.startswith("cuda") and not wp.is_cuda_available():
            raise FootfallError(f"device '{device}': this machine has no CUDA device; use 'cpu'")
        if device != "cpu" and not device.startswith("cuda"):
            raise FootfallError(f"device '{device}': choose 'cpu' or 'cuda'")
        self.count = len(gait)
        self.device = device
        self.precision: Precision = precision or ("float64" if device == "cpu" else "float32")
        self.threads = max(1, min(threads or os.cpu_count() or 1, self.count)) if device == "cpu" else 1
        self._wp = wp
        self._kernel, self._struct = crowd_kernel(self.precision)
        self._scalar = getattr(wp, self.precision)
        start = step_row(WalkState.start(gait.stride, self.count, swing_left).step)
        state = np.stack(start).astype(self.precision)
        self.gait = gait
        self._strides = self._table(gait)
        self._row = wp.array(np.arange(self.count, dtype=np.int32), device=device)
        self._wanted = wp.clone(self._row)
        self._state = wp.array(state, dtype=self._scalar, device=device)
        self._command = wp.zeros((3, self.count), dtype=self._scalar, device=device)
        self._poses = wp.empty((1, len(CROWD_POSE), self.count), dtype=self._scalar, device=device)

    def __len__(self) -> int:
        return self.count

    def _table(self, gait: Gait) -> Any:
        table = gait.stride.table(self.count, self.precision)
        return self._wp.array(table.astype(self._struct.numpy_dtype()), dtype=self._struct, device=self.device)

    def command(self, fx: ArrayLike = 0.0, fy: ArrayLike = 0.0, turn: ArrayLike = 0.0) -> None:
        """From now on push each pelvis with (fx, fy) newtons (world axes) and turn left by ``turn`` rad with each
        step."""
        rows = [np.broadcast_to(np.asarray(v, self.precision), (self.count,)) for v in (fx, fy, turn)]
        if not np.all(np.isfinite(rows)):
            raise FootfallError("a crowd's commands must be finite numbers")
        self._command.assign(np.stack(rows))

    def change(self, gait: Gait) -> None:
        """Every walker walks ``gait`` from its next step on."""
        if len(gait) != self.count:
            raise FootfallError(f"the new gait is for {len(gait)} walkers, but {self.count} walk: give one for each")
        wp = self._wp
        rows = self._row.numpy() % self.count
        joined = np.concatenate([self._strides.numpy()[self._row.numpy()], self._table(gait).numpy()])
        self._strides = wp.array(joined, dtype=self._struct, device=self.device)
        self._row.assign(rows.astype(np.int32))
        self._wanted.assign((np.arange(self.count) + self.count).astype(np.int32))
        self.gait = gait

    def walk(self, frames: int, dt: float) -> Any:
        """Walk ``frames`` frames of ``dt`` seconds; returns their poses as a Warp array ``[frames, len(CROWD_POSE),
        N]`` on
        the device, which the next call overwrites."""
        if frames < 1 or not (np.isfinite(dt) and 0 < dt <= 1):
            raise FootfallError("a crowd walks at least 1 frame of more than 0 and at most 1 s")
        wp = self._wp
        if self._poses.shape[0] != frames:
            shape = (frames, len(CROWD_POSE), self.count)
            self._poses = wp.empty(shape, dtype=self._scalar, device=self.device)
        edges = np.linspace(0, self.count, self.threads + 1).astype(int)
        shares = [(int(a), int(b - a)) for a, b in itertools.pairwise(edges)]
        arrays = [self._strides, self._row, self._wanted, self._state, self._command, self._poses]

        def share(part: tuple[int, int]) -> None:
            inputs = [*arrays, part[0], frames, self._scalar(dt)]
            wp.launch(self._kernel, dim=part[1], inputs=inputs, device=self.device)

        if len(shares) == 1:
            share(shares[0])
        else:
            wp.load_module(self._kernel.module, device=self.device)
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(share, shares))
        return self._poses

    def state(self) -> dict[str, NDArray[Any]]:
        """The present state by name, ``[N]`` each (see :class:`footfall.methods.pendulum.walkers.WalkState`)."""
        return dict(zip(CROWD_STATE, self._state.numpy(), strict=True))


_SINES = 200_000


def mixed_crowd(count: int, seed: int = 0) -> Gait:
    """Gaits of ``count`` different people: 1.2 to 2 m tall, 30 to 110 kg, walking at 0.1 to 0.55 √(g leg)."""
    random = np.random.default_rng(seed)
    body = Person.of(random.uniform(1.2, 2.0, count), random.uniform(30.0, 110.0, count))
    speed = random.uniform(0.1, 0.55, count) * np.sqrt(GRAVITY * body.h1)
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
