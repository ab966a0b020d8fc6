"""Search: a controller's parameters by CMA-ES, with the population as worlds.

The strategy (:mod:`footfall.study.search.cma_driver`) works in a unit cube that the parameters' ranges span. Every
generation is noted in the checkpoint with its candidates and costs: a search
that was interrupted gives them to a new strategy with the same seed and continues exactly where it was.
"""

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.rows import MACHINE
from footfall.control.start import Start
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.study.robustness.pushing import SettledGait
from footfall.study.search.cma_driver import Box, Checkpoint, Evolution
from footfall.study.search.graph_changes import changed_graph
from footfall.study.search.measures import Measuring
from footfall.study.search.objective import Objective

Array = NDArray[np.float64]
Progress = Callable[[int, int, float], None]


@dataclass(frozen=True)
class Range:
    """A parameter of the controller and where it may lie."""

    name: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise FootfallError(f"parameter '{self.name}': its range {self.low:g} to {self.high:g} is empty")


def all_ranges(graph: PoseControlGraph, reach: float = 0.35) -> list[Range]:
    """A range for every angle, gain and hold of a graph: ± ``reach`` radians, ± half of a gain, ± a third of a hold."""
    ranges = []
    for label, state in zip(graph.labels, graph.states):
        if not state.contact and 0 < state.hold < np.inf:
            ranges.append(Range(f"{label}.hold", 0.67 * state.hold, 1.33 * state.hold))
        for role, target in state.targets.items():
            ranges.append(Range(f"{label}.{role}.angle", target.angle - reach, target.angle + reach))
            for part in ("c_d", "c_v"):
                value = getattr(target, part)
                if value:
                    ranges.append(Range(f"{label}.{role}.{part}", value - 0.5 * abs(value), value + 0.5 * abs(value)))
    return ranges


@dataclass(frozen=True, eq=False)
class Found:
    """What a search found.

    Attributes:
        controller: the best controller, with a start on its own gait.
        set: its parameters, rounded to four digits.
        measures, base: its measures and those of the controller that the search began with.
        cost: its cost; holds: whether it keeps every bound.
        history: per generation of all starts: start, generation, evaluations, best and median cost, sigma.
    """

    controller: PoseControlGraph
    set: dict[str, float]
    measures: dict[str, float]
    base: dict[str, float]
    cost: float
    holds: bool
    history: list[dict[str, float]]


@dataclass(frozen=True)
class Search:
    """A search for better parameters.

    Attributes:
        measuring: how candidates are measured, and the controller to begin with.
        objective: what is wanted.
        ranges: the parameters to vary.
        population: candidates per generation. generations: how many, at most, from each start.
        starts: how often to begin: first at the controller, then at random within a quarter of the ranges.
        sigma: first step size, as a share of the ranges.
        seed: of the strategy.
        first: parameters to begin with, where they are not the controller's own.
    """

    measuring: Measuring
    objective: Objective
    ranges: tuple[Range, ...]
    population: int = 16
    generations: int = 60
    starts: int = 1
    sigma: float = 0.1
    seed: int = 1
    first: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.ranges:
            raise FootfallError("search: name one or more parameters to vary")
        for name, least in (("population", 4), ("generations", 1), ("starts", 1), ("seed", 1)):
            if getattr(self, name) < least:
                raise FootfallError(f"search: {name} is {getattr(self, name)}; it must be at least {least}")
        if not 0 < self.sigma <= 1:
            raise FootfallError(f"search: sigma is {self.sigma:g}; it must be above 0 and at most 1")
        graph = self.measuring.experiment.graph
        for r in self.ranges:
            changed_graph(graph, {r.name: r.low})

    @property
    def key(self) -> str:
        """Names the search, so that another's checkpoint is never taken for its own."""
        parts = [repr(self.measuring.experiment), repr(self.objective), repr(self.ranges), repr(self.measuring.forces)]
        parts += [str(n) for n in (self.population, self.starts, self.sigma, self.seed, dict(self.first))]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]

    def origin(self) -> Array:
        """[n] the controller's own parameters in the unit cube."""
        experiment = self.measuring.experiment
        table = GraphTable(experiment.graph, experiment.load_figure())
        values = np.array([self.first.get(r.name, table.value(r.name)) for r in self.ranges])
        return np.clip(self.box.to_cube(values), 0.0, 1.0)

    @property
    def box(self) -> Box:
        """The ranges, as a search moves in them."""
        return Box({r.name: (r.low, r.high) for r in self.ranges})

    def values(self, cube: Array) -> dict[str, Array]:
        """[C] parameters of points [C, n] of the unit cube, rounded as they will be written."""
        return dict(zip(self.box.ranges, self.box.from_cube(cube).T, strict=True))

    def run(
        self,
        checkpoint: str | Path | None = None,
        progress: Progress | None = None,
        base: Mapping[str, float] | None = None,
        enough: float = -np.inf,
        executor: Executor | None = None,
    ) -> Found:
        """Search, or continue a search that was interrupted.

        Args:
            checkpoint: a JSON file, written after every generation.
            progress: called with the generations done, their number and the best cost so far.
            base: measures that costs are relative to; by default the controller's own.
            enough: a cost at which to end.
            executor: measures the candidates; the search is the same with any, and with none.
        """
        log = Checkpoint(None if checkpoint is None else Path(checkpoint), self.key)
        base = dict(base) if base is not None else {n: float(v[0]) for n, v in self.measuring({}, 1).items()}
        evolution = Evolution(self.sigma, population=self.population, seed=self.seed, boxed=True)
        origin = self.origin()
        evolution.consider(origin[None], self.objective.cost(self.measuring(self.values(origin[None]), 1), base))
        history: list[dict[str, float]] = []
        for start in range(self.starts):
            if start == 0 or evolution.least > enough:
                self._one(start, evolution, log, base, history, progress, enough, executor)
        return self.result(evolution.best, base, history)

    def _one(
        self,
        start: int,
        evolution: Evolution,
        log: Checkpoint,
        base: dict[str, float],
        history: list[dict[str, float]],
        progress: Progress | None,
        enough: float,
        executor: Executor | None,
    ) -> None:
        x0 = self.origin()
        if start > 0:
            near = np.random.default_rng([self.seed, start]).uniform(-0.25, 0.25, len(x0))
            x0 = np.clip(x0 + near, 0.05, 0.95)
        evolution.begin(np.clip(x0, 0.001, 0.999))
        done = [g for g in log.generations if g["start"] == start]
        for generation, asked in enumerate(evolution.generations(self.generations)):
            if generation < len(done):
                cost = np.array(done[generation]["cost"])
            else:
                cost = self.objective.cost(self.measuring(self.values(asked), len(asked), executor), base)
                log.add({"start": start, "points": asked.tolist(), "cost": cost.tolist()})
            evolution.tell(cost)
            evolution.consider(asked, cost)
            numbers = {"best": evolution.least, "lowest": float(cost.min()), "median": float(np.median(cost))}
            history.append({"start": start, "generation": generation, **numbers, "sigma": evolution.sigma})
            if progress is not None:
                progress(start * self.generations + generation + 1, self.starts * self.generations, evolution.least)
            if evolution.converged or evolution.least <= enough:
                break

    def result(self, point: ArrayLike, base: Mapping[str, float], history: list[dict[str, float]]) -> Found:
        """What a point of the unit cube is as a controller, measured again."""
        values = self.values(np.array([point]))
        measured = self.measuring(values, 1)
        cost = float(self.objective.cost(measured, base)[0])
        parameters = {n: float(v[0]) for n, v in values.items()}
        measures = {n: float(v[0]) for n, v in measured.items()}
        controller = changed_graph(self.measuring.experiment.graph, parameters)
        if measures["survival"] == 1.0:
            controller = settled_start(controller, self.measuring)
        return Found(controller, parameters, measures, dict(base), cost, self.objective.holds(measures), history)


def settled_start(controller: PoseControlGraph, measuring: Measuring) -> PoseControlGraph:
    """A controller that starts on its own gait, at the left foot's strike, with its hip over x = 0."""
    from dataclasses import replace

    from footfall.control.registry import print_controller

    experiment = replace(measuring.experiment, controller=print_controller(controller))
    state = SettledGait(experiment, 1, 0.0, must_step=False).snapshot
    qpos, qvel = state["qpos"][0].astype(float), state["qvel"][0].astype(float)
    qpos[0] = 0.0
    number = int(state["memory"][0, MACHINE.index("state")])
    start = Start(tuple(np.round(qpos, 6).tolist()), tuple(np.round(qvel, 6).tolist()), number)
    return controller.changed(start=start)
