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
from dataclasses import fields
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
from footfall.methods.pendulum.closed_form import Factors, Hips, Plane, PlaneDrive, advance, in_turned_axes
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.numpy_warp import m, warp_functions, warp_struct
from footfall.methods.pendulum.posture import WalkerPosture, posture
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.time_projection import project
from footfall.methods.pendulum.walk import human_walk
from footfall.methods.pendulum.walkers import WalkState

CROWD_STATE = tuple(f.name for f in fields(WalkState))[:20]
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
    t = state[0, i]
    d = state[1, i]
    x = Plane(state[2, i], state[3, i], state[4, i], state[5, i])
    y = Plane(state[6, i], state[7, i], state[8, i], state[9, i])
    hips = Hips(state[10, i], state[11, i], state[12, i], state[13, i])
    before = state[14, i]
    foot_x = state[15, i]
    foot_y = state[16, i]
    heading = state[17, i]
    turn_in = state[18, i]
    turn_out = state[19, i]
    cos = m.cos(heading)
    sin = m.sin(heading)
    for frame in range(frames):
        left = dt
        while left > 0.0:
            c = strides[row[i]]
            hips = project(c, d, before, t, hips, x, y)
            fx, fy = in_turned_axes(cos, sin, command[0, i], command[1, i])
            part = m.min(left, c.duration - t)
            x, y = advance(c, d, before, t, part, hips, fx, fy, x, y)
            if left < c.duration - t:
                t = t + part
                left = 0.0
            else:
                left = left - part
                foot_x = foot_x + cos * x.s - sin * y.s
                foot_y = foot_y + sin * x.s + cos * y.s
                ca = m.cos(turn_out)
                sa = m.sin(turn_out)
                px, py = in_turned_axes(ca, sa, x.p - x.s, y.p - y.s)
                pvx, pvy = in_turned_axes(ca, sa, x.pv, y.pv)
                sx, sy = in_turned_axes(ca, sa, -x.s, -y.s)
                x = Plane(sx, px, 0.0, pvx)
                y = Plane(sy, py, 0.0, pvy)
                hips = Hips(0.0, 0.0, 0.0, 0.0)
                t = 0.0
                d = -d
                before = c.ankle + c.ankle_ramp
                heading = heading + turn_out
                cos = m.cos(heading)
                sin = m.sin(heading)
                turn_in = turn_out
                turn_out = command[2, i]
                row[i] = wanted[i]
        body = posture(strides[row[i]], d, t, turn_in, turn_out, x, y)
        ahead = x.p + body[0]
        poses[frame, 0, i] = foot_x + cos * ahead - sin * y.p
        poses[frame, 1, i] = foot_y + sin * ahead + cos * y.p
        poses[frame, 2, i] = body[1]
        poses[frame, 3, i] = heading + body[2]
        poses[frame, 7, i] = d
        for k in range(3):
            poses[frame, 4 + k, i] = body[3 + k]
        for k in range(12):
            poses[frame, 8 + k, i] = body[6 + k]
    state[0, i] = t
    state[1, i] = d
    state[2, i] = x.s
    state[3, i] = x.p
    state[4, i] = x.sv
    state[5, i] = x.pv
    state[6, i] = y.s
    state[7, i] = y.p
    state[8, i] = y.sv
    state[9, i] = y.pv
    state[10, i] = hips.vx
    state[11, i] = hips.wx
    state[12, i] = hips.vy
    state[13, i] = hips.wy
    state[14, i] = before
    state[15, i] = foot_x
    state[16, i] = foot_y
    state[17, i] = heading
    state[18, i] = turn_in
    state[19, i] = turn_out


@cache
def crowd_kernel(precision: str) -> tuple[Any, Any]:
    """The kernel and the struct of strides for "float32" or "float64"."""
    warp = start_warp()
    scalar = getattr(warp, precision)
    struct = warp_struct(Stride.names(), "Stride", scalar)
    factors = warp_struct(Factors._fields, "Factors", scalar)
    plain = {kind.__name__: warp_struct(kind._fields, kind.__name__, scalar) for kind in (Plane, PlaneDrive, Hips)}
    names = {
        **plain,
        "Factors": factors,
        "Basis": warp_struct((), "Basis", scalar, fall=factors, swing=factors),
        "WalkerPosture": warp.types.vector(length=len(WalkerPosture._fields), dtype=scalar),
        "Stride": struct,
        "Strides": warp.array(dtype=struct),
        "Rows": warp.array(dtype=warp.int32),
        "Table": warp.array2d(dtype=scalar),
        "Cube": warp.array3d(dtype=scalar),
        "Int": warp.int32,
    }
    modules = (closed_form, time_projection, posture_module)
    functions = [f for module in modules for f in _in_order(module)]
    scope = warp_functions(f"footfall_pendulum_{precision}", functions, scalar, names, [walk_frames])
    return scope["walk_frames"], struct


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
        start = WalkState.start(gait.stride, self.count, swing_left)
        state = np.stack([getattr(start, name) for name in CROWD_STATE]).astype(self.precision)
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
