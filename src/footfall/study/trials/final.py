"""The last judgement, by what no search has seen: disturbed starts at three steps of time, and pushes from all sides at
ten phases of a stride.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.push import Push
from footfall.simulation import MujocoSimulation, Simulation
from footfall.study.measures.body import Units
from footfall.study.trials.bench import disturbed, still_push
from footfall.study.trials.pushing import grow_rose
from footfall.terrain import Terrain, parse_terrain

Array = NDArray[np.float64]
Progress = Callable[[float, str], None]

SETTLED, RECOVERY = 14.0, 12.0
"""In a body's units of time (0.31 s of a person): until a gait is watched or pushed, and that it must stay up after a
push."""
STEPS = (0.0005, 0.001, 0.002)
"""Seconds."""
NOISES = (1e-6, 1e-3)
EACH = 6
"""Starts with each noise."""
SECONDS = 60.0
FAR_SEED = 7919
"""Added to a search's seed: its own starts come from other numbers."""
PHASES, SIZES, SHARE = 10, 40, 0.02
"""Of the rose: moments of a stride; how many sizes, and the step between them in body weights."""
DIRECTIONS = (
    "forward",
    "forward left",
    "left",
    "backward left",
    "backward",
    "backward right",
    "right",
    "forward right",
)


@dataclass(frozen=True)
class Trials:
    """How many disturbed starts stayed up.

    Attributes:
        engine: whose dynamics.
        rows: (step, noise, stayed up, tried) each.
        speed: mean of those that stayed up, metres a second.
    """

    engine: str
    rows: tuple[tuple[float, float, int, int], ...]
    speed: float | None

    @property
    def up(self) -> int:
        """k."""
        return sum(row[2] for row in self.rows)

    @property
    def tried(self) -> int:
        """n."""
        return sum(row[3] for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        rows = [dict(zip(("dt", "noise", "up", "tried"), row, strict=True)) for row in self.rows]
        return {"engine": self.engine, "up": self.up, "tried": self.tried, "speed_mps": self.speed, "rows": rows}


def level_ground() -> Terrain:
    """Level ground as a slope has it, so that slopes need no other kernel."""
    return parse_terrain("slope:0")


def level_walk(controller: PoseControlGraph, figure: Figure, **options: Any) -> Simulation:
    """Worlds of a controller on level ground, in steps of 1 ms unless it is said, by the kernel that also pushes."""
    usual: dict[str, Any] = {"terrain": level_ground(), "pushes": [still_push(options.get("worlds", 1))], "dt": 0.001}
    return Simulation(controller, figure=figure, **usual | options)


def walking_trials(
    controller: PoseControlGraph,
    figure: Figure,
    *,
    engine: str = "native",
    steps: Sequence[float] = STEPS,
    each: int = EACH,
    seed: int = 1,
    progress: Progress | None = None,
) -> Trials:
    """Walk from disturbed starts for a minute each, on the CPU in double precision.

    Args:
        controller: with its figure.
        engine: "native" or "mujoco".
        steps: of time.
        each: starts with each noise, for each step.
        seed: of the noise.
        progress: called with the share done and what comes next.
    """
    if engine not in ("native", "mujoco"):
        raise FootfallError(f"engine '{engine}'; choose 'native' or 'mujoco'")
    rng, rows, speeds = np.random.default_rng(seed + FAR_SEED), [], []
    for k, dt in enumerate(steps):
        if progress is not None:
            progress(k / len(steps), f"walks at {1000 * dt:g} ms, {engine}")
        worlds = each * len(NOISES)
        if engine == "native":
            simulation = level_walk(controller, figure, worlds=worlds, dt=dt)
        else:
            simulation = MujocoSimulation(controller, figure=figure, worlds=worlds, dt=dt)
        noise = np.repeat(NOISES, each)[:, None]
        start = simulation.snapshot()
        start["qpos"] = start["qpos"].astype(float)
        shaken = disturbed({name: values.copy() for name, values in start.items()}, figure, rng, (1.0, 1.0))
        for name in ("qpos", "qvel"):
            start[name] = start[name] + noise * (shaken[name] - start[name])
        simulation.restore(start)
        outcome = simulation.run(SECONDS)
        for i, size in enumerate(NOISES):
            stood = outcome.survived[i * each : (i + 1) * each]
            rows.append((dt, size, int(stood.sum()), each))
        speeds += outcome.speed[outcome.survived].tolist()
    return Trials(engine, tuple(rows), round(float(np.mean(speeds)), 4) if speeds else None)


@dataclass(frozen=True)
class Rose:
    """The largest push in each direction that was survived at every phase of a stride, as all smaller ones were.

    Attributes:
        limits: newtons by direction.
        open: directions in which nothing failed.
        duration: of every push, seconds.
        phases: how many.
    """

    limits: dict[str, float]
    open: tuple[str, ...]
    duration: float
    phases: int


def push_rose(
    controller: PoseControlGraph,
    figure: Figure,
    *,
    duration: float,
    step_time: float,
    device: str = "cpu",
    seed: int = 1,
    progress: Progress | None = None,
) -> Rose | None:
    """Push a gait in all ``DIRECTIONS`` (a planar one forward and backward), strictly over ten phases of its stride;
    None where it falls by itself.

    Args:
        controller: with its figure.
        duration: of pushes, seconds.
        step_time: seconds.
        device: where it runs.
        seed: of the noise.
        progress: called with the share done and what comes next.
    """
    units = Units.of(figure)
    ways = [d for d in DIRECTIONS if figure.root != "planar" or d in ("forward", "backward")]
    angles = np.radians([45.0 * DIRECTIONS.index(d) for d in ways])
    axes = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(ways))], axis=1)
    sizes = SHARE * units.weight * np.arange(1, SIZES + 1)
    settled, recovery, stride = SETTLED * units.time, RECOVERY * units.time, 2.0 * step_time
    rng = np.random.default_rng(seed + FAR_SEED)
    walk = level_walk(controller, figure, device=device)
    if not walk.run(settled).survived[0]:
        return None
    begun = walk.snapshot()

    def trial(way: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.bool_]:
        worlds = len(way) * PHASES
        force = np.repeat(axes[way] * sizes[size][:, None], PHASES, axis=0)
        moments = np.tile(settled + (np.arange(PHASES) + 0.5) / PHASES * stride, len(way))
        pushes = [Push(force, moments, duration)]
        simulation = level_walk(controller, figure, worlds=worlds, pushes=pushes, device=device)
        state = {name: np.repeat(values, worlds, axis=0) for name, values in begun.items()}
        simulation.restore(disturbed(state, figure, rng, (1e-4, 1e-4)))
        stood = simulation.run(stride + duration + recovery).survived
        return np.asarray(stood.reshape(-1, PHASES).all(axis=1))

    def report(share: float, _: Any) -> None:
        if progress is not None:
            progress(share, "pushes from all sides")

    rose = grow_rose(trial, len(ways), SIZES, report)
    limits = {way: float(round(sizes[k - 1], 1)) if k else 0.0 for way, k in zip(ways, rose.passed, strict=True)}
    return Rose(limits, tuple(w for w, o in zip(ways, rose.open, strict=True) if o), duration, PHASES)
