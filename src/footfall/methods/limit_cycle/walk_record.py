"""The record of a balanced walk: every step's targets, scalings and results, and the graph that replays it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.integration import Integration
from footfall.control.start import Start
from footfall.errors import FootfallError
from footfall.methods.limit_cycle.aperiodic import chained
from footfall.methods.limit_cycle.balance_control import BalanceControl
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
        samples: [W] sample simulations run. rows: [W, NP] the graph's numbers.
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
        controller: the base graph. table: its table. control: how it was balanced.
        targets, scalings, values: [S, W, N] Q_d, K and Q at the end of each step.
        predicted: [S, W, N] Q as the model predicted it.
        samples: [S, W] sample simulations run for each step.
        times: [S + 1, W] seconds at which steps begin and end. pelvis: [S + 1, W, 3]. heading: [S + 1, W].
        feet: [S + 1, W, 3] the foot that the step which ends there put down (the swing foot).
        footsteps: [W] steps taken. fell: [W].
        reached: [W] points of a path that were reached.
        rows: [S, W, NP] the graph's numbers in each step. firsts: [S, W] the state that each step began with.
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

    def replay(self, walker: int = 0, *, rate: float = 100.0, limp: bool = False) -> Simulation:
        """The walker's walk simulated once more from its aperiodic graph, recorded."""
        simulation = Simulation(
            self.aperiodic(walker), **{**self.options, "record": Record(rate=rate), "ragdoll_after_fall": limp}
        )
        simulation.step(round(self.seconds(walker) / simulation.dt) + (round(1.5 / simulation.dt) if limp else 0))
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
