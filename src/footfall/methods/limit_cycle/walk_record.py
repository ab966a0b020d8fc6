"""The record of a balanced walk: every step's targets, scalings and results, and the graph that replays it; and whether
it is a limit cycle, chaos or a fall (Laszlo 1996, section 4.1).

A walk is on a limit cycle if its values come back after one step or a few, to within a tolerance, over its last steps.
A step on one leg mirrors the one on the other, so that a symmetric cycle may return after one stride (two steps) only.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Integration, Start
from footfall.errors import FootfallError
from footfall.methods.limit_cycle.balance_control import BalanceControl
from footfall.methods.limit_cycle.perturbation import chained
from footfall.methods.limit_cycle.regulation import Posture
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.motion import Motion
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record, Trace

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TakenStep:
    """One step of W walkers.

    Attributes:
        scalings, values, predicted: [W, N] K, Q at the end of the step, and Q as the model predicted it.
        samples: [W] sample simulations run.
        rows: [W, NP] the graph's numbers.
        upright: [W] True where the walker did not fall.
    """

    scalings: Array
    values: Array
    predicted: Array
    samples: NDArray[np.int64]
    rows: Array
    upright: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class WalkRecord:
    """S steps of W walkers under N control dimensions; a fallen walker's rows end with NaN.

    Attributes:
        controller: the base graph.
        table: its table.
        control: how it was balanced.
        targets, scalings, values: [S, W, N] Q_d, K and Q at the end of each step.
        predicted: [S, W, N] Q as the model predicted it.
        samples: [S, W] sample simulations run for each step.
        times: [S + 1, W] seconds at which steps begin and end.
        pelvis: [S + 1, W, 3].
        heading: [S + 1, W].
        feet: [S + 1, W, 3] the foot that the step which ends there put down (the swing foot).
        footsteps: [W] steps taken.
        fell: [W].
        reached: [W] points of a path that were reached.
        rows: [S, W, NP] the graph's numbers in each step.
        firsts: [S, W] the state that each step began with.
        start: qpos [W, nq] and qvel [W, nv] at the start.
        options: the simulation's own arguments.
    """

    controller: PoseControlGraph
    table: GraphTable
    control: BalanceControl
    targets: Array
    scalings: Array
    values: Array
    predicted: Array
    samples: NDArray[np.int64]
    times: Array
    pelvis: Array
    heading: Array
    feet: Array
    footsteps: NDArray[np.int64]
    fell: NDArray[np.bool_]
    reached: NDArray[np.int64]
    rows: Array
    firsts: NDArray[np.int64]
    start: tuple[Array, Array]
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def empty(cls, steps: int, simulation: Simulation, control: BalanceControl, **values: Any) -> "WalkRecord":
        """A record of so many steps, to be filled as a simulation's worlds take them."""
        w, n = len(simulation.qpos), len(control.dimensions)
        known: dict[str, Any] = {
            name: np.full((steps, w, n), np.nan) for name in ("targets", "scalings", "values", "predicted")
        }
        known |= {name: np.full((steps + 1, w), np.nan) for name in ("times", "heading")}
        known |= {name: np.full((steps + 1, w, 3), np.nan) for name in ("pelvis", "feet")}
        return cls(
            control=control,
            samples=np.zeros((steps, w), dtype=np.int64),
            rows=np.zeros((steps, w, len(values["table"].row))),
            firsts=np.zeros((steps, w), dtype=np.int64),
            footsteps=np.zeros(w, dtype=np.int64),
            fell=np.zeros(w, dtype=bool),
            reached=np.zeros(w, dtype=np.int64),
            start=(simulation.qpos, simulation.qvel),
            **known,
            **values,
        )

    def mark(self, number: int, simulation: Simulation, posture: Posture) -> None:
        """Write down where the walkers are before step ``number``."""
        self.times[number] = simulation.snapshot()["step_count"] * simulation.dt
        self.pelvis[number], self.heading[number] = posture.pelvis, posture.heading
        self.feet[number] = posture.foot(swing=True)
        for array in (self.pelvis, self.heading, self.feet):
            array[number, self.fell] = np.nan

    def take(self, number: int, target: Array, taken: TakenStep, firsts: Array) -> None:
        """Write down step ``number``, which aimed at ``target`` [W, N] from states ``firsts`` [W]."""
        alive = ~self.fell
        self.targets[number, alive] = target[alive]
        for name in ("scalings", "values", "predicted"):
            getattr(self, name)[number, alive] = getattr(taken, name)[alive]
        self.samples[number], self.rows[number] = taken.samples, taken.rows
        self.firsts[number] = firsts.astype(np.int64)
        self.fell[~taken.upright] = True
        self.footsteps[~self.fell] += 1

    def displacement(self, number: int, axis: str) -> Array:
        """[W] how far the pelvis went over the step before ``number``, forward or to the left; 0 before the first."""
        if number == 0:
            return np.zeros(len(self.fell))
        went = self.pelvis[number] - self.pelvis[number - 1]
        angle = self.heading[number] + (0.0 if axis == "forward" else np.pi / 2)
        return np.asarray(np.nan_to_num(went[:, 0] * np.cos(angle) + went[:, 1] * np.sin(angle)))

    @property
    def step_lengths(self) -> Array:
        """[S, W] horizontal distance that the pelvis went in each step."""
        return np.asarray(np.linalg.norm(np.diff(self.pelvis[..., :2], axis=0), axis=-1))

    @property
    def speeds(self) -> Array:
        """[S, W] metres per second over each step in the direction that the pelvis faces; negative when it walks
        backwards."""
        went = np.diff(self.pelvis[..., :2], axis=0)
        heading = self.heading[1:]
        ahead = went[..., 0] * np.cos(heading) + went[..., 1] * np.sin(heading)
        return np.asarray(ahead / np.diff(self.times, axis=0))

    def aperiodic(self, walker: int = 0) -> PoseControlGraph:
        """The chain of poses that a walker's walk was made of, with its start, ground and integration: it replays the
        same motion."""
        steps = min(len(self.rows), int(self.footsteps[walker]) + int(self.fell[walker]))
        if steps == 0:
            raise FootfallError(f"walker {walker} took no step")
        start = Start(tuple(float(x) for x in self.start[0][walker]), tuple(float(x) for x in self.start[1][walker]))
        rows = [self.rows[s, walker] for s in range(steps)]
        firsts = [int(self.firsts[s, walker]) for s in range(steps)]
        chain = chained(self.table, rows, firsts, start, f"{self.controller.name}-aperiodic")
        integration = Integration(self.options["dt"], self.options["integrator"])
        figure = self.options.get("figure")
        lacking = [name for name in ("terrain", "body", "pushes") if self.options.get(name)]
        note = f" Replays the walk only with the same {' and '.join(lacking)}." if lacking else ""
        return chain.changed(
            ground=self.options["ground"],
            integration=integration,
            figure=str(figure) if isinstance(figure, str | Path) else chain.figure,
            about=chain.about + note,
        )

    def replay(self, walker: int = 0, *, rate: float = 100.0) -> Simulation:
        """The walker's walk simulated once more from its aperiodic graph, recorded."""
        own = self.options | {"record": Record(rate=rate), "ragdoll_after_fall": False}
        simulation = Simulation(self.aperiodic(walker), **own)
        simulation.step(round(self.seconds(walker) / simulation.dt))
        return simulation

    def seconds(self, walker: int = 0) -> float:
        """How long a walker walked, seconds."""
        return float(np.nanmax(self.times[:, walker]))

    def trace(self, walker: int = 0, rate: float = 100.0) -> Trace:
        """A walker's walk as samples over time."""
        return self.replay(walker, rate=rate).trace()

    def motion(self, walker: int = 0, rate: float = 100.0) -> Motion:
        """A walker's walk as a motion."""
        return self.trace(walker, rate).motion()


LONGEST_PERIOD = 8


@dataclass(frozen=True)
class DetectedCycle:
    """What a walk came to.

    Attributes:
        kind: "cycle", "chaos" or "fall".
        period: steps after which the values return; 0 if they do not.
        deviation: root mean square of what is left between values a period apart, over the last steps (without a
            period, between strides).
        settled: the step from which on the values return, of a cycle; the steps taken, of a fall.
    """

    kind: Literal["cycle", "chaos", "fall"]
    period: int
    deviation: float
    settled: int


def detect_cycle(
    values: NDArray[np.float64], *, fell: bool = False, tolerance: float = 0.005, last: int = 20
) -> DetectedCycle:
    """Judge a walk by its values [S, N] at the ends of its steps (NaN after a fall).

    Args:
        values: regulation variables, or any quantity with one row a step.
        fell: whether the walk ended in a fall.
        tolerance: the largest root-mean-square difference between values a period apart that counts as a return.
        last: how many of the last steps are looked at.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2:
        raise FootfallError(f"values have shape {values.shape}; give one row of regulation variables for each step")
    taken = values[np.isfinite(values).all(axis=1)]
    if fell or len(taken) < len(values):
        return DetectedCycle("fall", 0, float("nan"), len(taken))
    if len(taken) < 4:
        raise FootfallError(f"{len(taken)} steps are too few to tell a cycle from chaos; take at least 4")
    last = min(last, len(taken) // 2)
    deviations = {}
    for period in range(1, min(LONGEST_PERIOD, len(taken) // 2) + 1):
        gaps = taken[period:] - taken[:-period]
        deviations[period] = float(np.sqrt(np.mean(gaps[-last:] ** 2)))
        if deviations[period] <= tolerance:
            off = np.flatnonzero(np.sqrt(np.mean(gaps**2, axis=1)) > 2.0 * tolerance)
            return DetectedCycle("cycle", period, deviations[period], int(off[-1]) + 1 if len(off) else 0)
    return DetectedCycle("chaos", 0, deviations.get(2, float("inf")), len(taken))
