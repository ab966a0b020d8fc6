"""Speed, as ratios within one run: footfall against MuJoCo on the same figures, on the same machine.

Each duration is the least of several repeats; of what runs on one thread, it is CPU time.
"""

import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.stages import Stages
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation.device import device_of
from footfall.simulation.rollout import COMPILER_FLAGS
from footfall.simulation.simulation import Simulation


def forward_kernel(figure: Figure) -> tuple[Any, Any, Any]:
    """A kernel (steps, dt, qpos, qvel, body, end_qpos, end_qvel) of free flight; the types of qpos and qvel."""
    compiled = CompiledFigure(figure)
    stages = Stages(compiled, implicit=False)
    sense, accelerate, advance = stages.sense, stages.accelerate, compiled.advance
    Qpos, Qvel, Points, Pushes, Scratch = compiled.Qpos, compiled.Qvel, compiled.Points, compiled.Pushes, stages.Scratch

    @wp.kernel(enable_backward=False, module="unique", module_options={"cpu_compiler_flags": COMPILER_FLAGS})
    def forward(
        steps: int,
        dt: wp.float64,
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        body: wp.array2d[wp.float64],
        end_qpos: wp.array[Qpos],
        end_qvel: wp.array[Qvel],
    ):
        i = wp.tid()
        q = qpos[i]
        v = qvel[i]
        for _ in range(steps):
            scratch = Scratch()
            position = Points()
            velocity = Points()
            torque = Qvel()
            force = Points()
            push = Pushes()
            qacc = Qvel()
            sense(q, v, body, 0, scratch, position, velocity)
            accelerate(q, v, body, 0, scratch, torque, force, push, qacc)
            v += qacc * dt
            advance(q, v, dt)
        end_qpos[i] = q
        end_qvel[i] = v

    return forward, Qpos, Qvel


@dataclass(frozen=True)
class BenchResult:
    """One number: what it is, and the bound that it is held to where there is one."""

    id: str
    what: str
    value: float | None
    unit: str
    bound: str = ""
    holds: bool | None = None
    note: str = ""


ROUNDS = 3
"""All measures are taken in turn so many times, so that a machine that slows down for a while slows them all."""


def measure_speed(device: str = "cpu", repeats: int = 5) -> list[BenchResult]:
    """All measures of a device.

    Args:
        device: "cpu", or "cuda" for the GPU's.
        repeats: how often each duration is taken; the least counts.
    """
    if repeats < 1:
        raise FootfallError(f"repeats is {repeats}; it must be at least 1")
    return _gpu(device, repeats) if not device_of(device).is_cpu else _cpu(repeats)


def _least(
    run: Callable[[], Any],
    repeats: int,
    *,
    before: Callable[[], Any] = lambda: None,
    clock: Callable[[], float] = time.thread_time,
) -> float:
    """The least duration of ``run``, after one that does not count: CPU seconds, which other work on the machine does
    not lengthen, or by another clock."""
    taken = []
    for _ in range(repeats + 1):
        before()
        began = clock()
        run()
        taken.append(clock() - began)
    return min(taken[1:])


def _held(id: str, what: str, value: float, unit: str, bound: str) -> BenchResult:
    sign, limit = bound.split()
    holds = value <= float(limit) if sign == "<=" else value >= float(limit)
    return BenchResult(id, what, value, unit, bound, holds)


# -- on the CPU --------------------------------------------------------------------------------------------------------


def _cpu(repeats: int) -> list[BenchResult]:
    alone: dict[str, Any] = {"last_states": 0, "efforts": False}
    crowd: dict[str, Any] = {"clock": time.perf_counter, "dt": 0.001}
    taken = [
        (
            _simulated("walk", 20_000, repeats, dt=0.001, **alone) / 20_000,
            _mj_step("planar-biped", 20_000, repeats),
            _human_forward(10_000, repeats),
            _mj_step("human", 10_000, repeats),
            _simulated("walk", 1_000, repeats, worlds=512, threads=1, **crowd),
            _simulated("walk", 1_000, repeats, worlds=512, threads=2, **crowd),
            _simulated("walk", 10_000, repeats, dt=0.002, **alone),
            _simulated("walk-3d", 4_000, repeats, dt=0.001, **alone) / 4_000,
            _simulated("tracked-walk", 900, repeats, threads=1, efforts=False),
            _simulated("tracked-walk", 900, repeats, time.perf_counter, worlds=TRACKED, efforts=False),
            _simulated("walk-3d", 300, repeats, worlds=32, threads=2, **crowd),
            _simulated("walk-3d", 300, repeats, worlds=32, threads=2, lanes=4, **crowd),
        )
        for _ in range(ROUNDS)
    ]
    planar, planar_mujoco, human, human_mujoco, one, two, fast, spatial, tracked, many, apart, beside = (
        min(column) for column in zip(*taken, strict=True)
    )
    slow = 200_000 * planar_mujoco
    return [
        BenchResult("planar_step", "planar biped, a step with SIMBICON's control and ground", 1e6 * planar, "µs"),
        BenchResult("planar_mj_step", "the same figure, a raw mj_step without contacts", 1e6 * planar_mujoco, "µs"),
        _held("planar_ratio", "the first against the second", planar / planar_mujoco, "", "<= 0.125"),
        BenchResult("human_forward", "human, forward dynamics and a step", 1e6 * human, "µs"),
        BenchResult("human_mj_step", "the same figure, a raw mj_step without contacts", 1e6 * human_mujoco, "µs"),
        _held("human_ratio", "the first against the second", human / human_mujoco, "", "<= 0.28"),
        _held("threads", "512 worlds on two threads against one, by the clock", one / two, "times", ">= 1.8"),
        BenchResult("real_time", "a walk of 20 s at 2 ms", 20.0 / fast, "times real time"),
        _held("walk_speedup", "that walk against mj_step alone at 0.1 ms", slow / fast, "times", ">= 100"),
        BenchResult(
            "spatial_step", "human-28, a step with SIMBICON's control in space and ground", 1e6 * spatial, "µs"
        ),
        BenchResult(
            "lanes", "32 worlds of it on two threads, four side by side against one by one", apart / beside, "times"
        ),
        BenchResult("tracked_real_time", "the tracked walk, one world at 900 Hz", 1.0 / tracked, "times real time"),
        BenchResult("tracked_worlds", f"{TRACKED} tracked walks on all cores", TRACKED / many, "worlds in real time"),
    ]


TRACKED = 32

DIFFERENT = 0.01
"""By how much the speeds of a GPU's worlds differ, rad/s and m/s."""


def _simulated(
    controller: str, steps: int, repeats: int, clock: Callable[[], float] = time.thread_time, **options: Any
) -> float:
    """Seconds for so many steps of a simulation."""
    simulation = Simulation(controller, **options)
    return _least(lambda: simulation.step(steps), repeats, before=simulation.reset, clock=clock)


def _mj_step(name: str, steps: int, repeats: int) -> float:
    """Seconds for one raw step of MuJoCo, in its own loop, without contacts, limits and actuators."""
    model = copy(Figure.load(name).model)
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.timestep = 1e-4
    data = mujoco.MjData(model)

    def run() -> None:
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, steps)

    return _least(run, repeats) / steps


def _human_forward(steps: int, repeats: int) -> float:
    """Seconds for one step of the human's generated forward dynamics."""
    figure = Figure.load("human")
    kernel, Qpos, Qvel = forward_kernel(figure)
    start = [wp.array(v[None], dtype=t, device="cpu") for v, t in ((figure.default_qpos, Qpos), (np.zeros(25), Qvel))]
    end = [wp.zeros_like(a) for a in start]
    body = wp.zeros((1, 1), dtype=wp.float64, device="cpu")

    def run() -> None:
        wp.launch(kernel, 1, [steps, wp.float64(1e-4), *start, body], end, device="cpu")

    return _least(run, repeats) / steps


# -- on a GPU ----------------------------------------------------------------------------------------------------------


def _gpu(device: str, repeats: int) -> list[BenchResult]:
    planar = {
        way: _rate("walk", 1 << 20, 1000, device, repeats, *way) for way in (("explicit", 1e-4), ("implicit", 1e-3))
    }
    human = {
        way: _rate("human-walk", 1 << 16, 300, device, repeats, *way)
        for way in (("explicit", 2.5e-4), ("implicit", 1e-3))
    }
    tracked = _rate("tracked-walk", 1 << 14, 300, device, repeats, "explicit", 1.0 / 900.0) / 900.0
    spatial = _rate("walk-3d", 1 << 16, 300, device, repeats, "implicit", 1e-3)
    rival, note = _mujoco_warp("human", 1 << 16, 50, repeats)
    ratio = None if rival is None else human["implicit", 1e-3] / rival
    walker, person = "planar biped with control and ground, 1M worlds", "human with servos and ground, 65k worlds"
    return [
        _held("gpu_planar", f"{walker}, explicit 0.1 ms", planar["explicit", 1e-4], "steps/s", ">= 1e10"),
        BenchResult("gpu_planar_implicit", f"{walker}, implicit 1 ms", planar["implicit", 1e-3], "steps/s"),
        _held("gpu_human", f"{person}, explicit 0.25 ms", human["explicit", 2.5e-4], "steps/s", ">= 1e9"),
        BenchResult("gpu_human_implicit", f"{person}, implicit 1 ms", human["implicit", 1e-3], "steps/s"),
        BenchResult(
            "gpu_mujoco_warp", "MuJoCo Warp, the same human on a plane, 65k worlds", rival, "steps/s", note=note
        ),
        BenchResult(
            "gpu_ratio", "the human, implicit, against MuJoCo Warp at the same step", ratio, "times", note=note
        ),
        BenchResult("gpu_spatial", "human-28 under SIMBICON in space, 65k worlds, implicit 1 ms", spatial, "steps/s"),
        BenchResult("gpu_tracked_worlds", "16k tracked walks at 900 steps a second", tracked, "worlds in real time"),
    ]


def _rate(controller: str, worlds: int, steps: int, device: str, repeats: int, integrator: str, dt: float) -> float:
    """Steps a second of all worlds together, in float32, with footsteps and falls counted and nothing else.

    Worlds start with different speeds and are some steps apart when they are measured: equal ones would need equally
    many solves in every step, and no thread would wait for another.
    """
    options: dict[str, Any] = {"device": device, "integrator": integrator, "dt": dt, "last_states": 0, "efforts": False}
    qvel = Simulation(controller, **options).qvel
    qvel = qvel + DIFFERENT * np.random.default_rng(0).normal(size=(worlds, qvel.shape[1]))
    simulation = Simulation(controller, worlds=worlds, qvel=qvel, **options)

    def before() -> None:
        simulation.reset()
        simulation.step(steps)

    clock = time.perf_counter
    return worlds * steps / _least(lambda: simulation.step(steps), repeats, before=before, clock=clock)


def _mujoco_warp(name: str, worlds: int, steps: int, repeats: int) -> tuple[float | None, str]:
    """Steps a second of MuJoCo Warp, captured as a graph; None and the reason where it cannot run."""
    try:
        import mujoco_warp as mjw
    except ImportError as error:
        return None, f"mujoco_warp is not installed ({error})"
    try:
        figure = Figure.load(name)
        spec = figure.spec()
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
        model = spec.compile()
        model.opt.timestep = 0.001
        data = mujoco.MjData(model)
        data.qpos[:] = figure.default_qpos
        mujoco.mj_forward(model, data)
        m = mjw.put_model(model)
        d = mjw.put_data(model, data, nworld=worlds, nconmax=16, njmax=64)
        mjw.step(m, d)
        with wp.ScopedCapture() as capture:
            mjw.step(m, d)

        def run() -> None:
            for _ in range(steps):
                wp.capture_launch(capture.graph)
            wp.synchronize()

        return worlds * steps / _least(run, repeats, clock=time.perf_counter), ""
    except Exception as error:  # whatever another library raises is reported, not hidden
        return None, f"mujoco_warp: {type(error).__name__}: {' '.join(str(error).split())[:200]}"


# -- as a command ------------------------------------------------------------------------------------------------------


def print_measures(measures: list[BenchResult]) -> None:
    """As lines."""
    for m in measures:
        value = "-" if m.value is None else f"{m.value:.4g}" if m.value < 1e5 else f"{m.value:.2e}"
        verdict = "" if m.holds is None else f"  ({m.bound}: {'holds' if m.holds else 'does not hold'})"
        print(f"{value:>9} {m.unit:<16} {m.what}{verdict}{f'  [{m.note}]' if m.note else ''}")
