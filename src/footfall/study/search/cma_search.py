"""Search: a controller's parameters by CMA-ES, with the population as worlds.

The covariance matrix adaptation evolution strategy (Hansen) comes from the package ``cma``; it works in a unit cube
that the parameters' ranges span. Every generation is noted in the checkpoint with its candidates and costs: a search
that was interrupted gives them to a new strategy with the same seed and continues exactly where it was.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import MACHINE
from footfall.control.start import Start
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.study.robustness.pushing import SettledGait
from footfall.study.search.graph_changes import changed_graph
from footfall.study.search.measures import Measuring
from footfall.study.search.objective import Objective
from footfall.writing import write_whole

__all__ = ["Found", "Range", "Search", "all_ranges", "settled_start"]

Array = NDArray[np.float64]
Progress = Callable[[int, int, float], None]

DIGITS = 4


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
        if not state.contact and state.hold > 0:
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
        return np.clip(self._to_cube(values), 0.0, 1.0)

    def _to_cube(self, values: Array) -> Array:
        low, high = np.array([r.low for r in self.ranges]), np.array([r.high for r in self.ranges])
        return np.asarray((values - low) / (high - low))

    def values(self, cube: Array) -> dict[str, Array]:
        """[C] parameters of points [C, n] of the unit cube, rounded as they will be written."""
        return {r.name: np.round(r.low + (r.high - r.low) * cube[:, i], DIGITS) for i, r in enumerate(self.ranges)}

    def run(
        self,
        checkpoint: str | Path | None = None,
        progress: Progress | None = None,
        base: Mapping[str, float] | None = None,
        enough: float = -np.inf,
    ) -> Found:
        """Search, or continue a search that was interrupted.

        Args:
            checkpoint: a JSON file, written after every generation.
            progress: called with the generations done, their number and the best cost so far.
            base: measures that costs are relative to; by default the controller's own.
            enough: a cost at which to end.
        """
        path = None if checkpoint is None else Path(checkpoint)
        log = self._load(path)
        base = dict(base) if base is not None else {n: float(v[0]) for n, v in self.measuring({}, 1).items()}
        best: tuple[float, list[float]] = (np.inf, self.origin().tolist())
        history: list[dict[str, float]] = []
        for start in range(self.starts):
            if best[0] > enough:
                best = self._one(start, log, base, best, history, path, progress, enough)
        return self.result(best[1], base, history)

    def _one(
        self,
        start: int,
        log: list[dict[str, Any]],
        base: dict[str, float],
        best: tuple[float, list[float]],
        history: list[dict[str, float]],
        path: Path | None,
        progress: Progress | None,
        enough: float,
    ) -> tuple[float, list[float]]:
        import cma

        x0 = self.origin()
        if start > 0:
            near = np.random.default_rng([self.seed, start]).uniform(-0.25, 0.25, len(x0))
            x0 = np.clip(x0 + near, 0.05, 0.95)
        options = {"bounds": [0.0, 1.0], "popsize": self.population, "seed": self.seed + start, "verbose": -9}
        strategy = cma.CMAEvolutionStrategy(np.clip(x0, 0.001, 0.999), self.sigma, options)
        done = [g for g in log if g["start"] == start]
        for generation in range(self.generations):
            asked = np.array(strategy.ask())
            if generation < len(done):
                cost = np.array(done[generation]["cost"])
            else:
                values = self.values(asked)
                cost = self.objective.cost(self.measuring(values, len(asked)), base)
                log.append({"start": start, "points": asked.tolist(), "cost": cost.tolist()})
                self._save(path, log)
            strategy.tell(list(asked), cost.tolist())
            k = int(np.argmin(cost))
            if cost[k] < best[0]:
                best = float(cost[k]), asked[k].tolist()
            numbers = {"best": best[0], "lowest": float(cost[k]), "median": float(np.median(cost))}
            history.append({"start": start, "generation": generation, **numbers, "sigma": float(strategy.sigma)})
            if progress is not None:
                progress(start * self.generations + generation + 1, self.starts * self.generations, best[0])
            if strategy.stop() or best[0] <= enough:
                break
        return best

    def result(self, point: Sequence[float], base: Mapping[str, float], history: list[dict[str, float]]) -> Found:
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

    def _load(self, path: Path | None) -> list[dict[str, Any]]:
        if path is None or not path.exists():
            return []
        try:
            data = json.loads(path.read_text())
            key, generations = data["key"], data["generations"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FootfallError(f"checkpoint {path} cannot be read ({error}); delete it to begin anew") from error
        if key != self.key:
            raise FootfallError(f"checkpoint {path} belongs to another search; delete it or name another file")
        return list(generations)

    def _save(self, path: Path | None, log: list[dict[str, Any]]) -> None:
        if path is not None:
            write_whole(path, json.dumps({"key": self.key, "generations": log}).encode())


def settled_start(controller: PoseControlGraph, measuring: Measuring) -> PoseControlGraph:
    """A controller that starts on its own gait, at the left foot's strike, with its hip over x = 0."""
    from dataclasses import replace

    from footfall.control.registry import print_controller

    experiment = replace(measuring.experiment, controller=print_controller(controller))
    state = SettledGait(experiment, 1, 0.0).snapshot
    qpos, qvel = state["qpos"][0].astype(float), state["qvel"][0].astype(float)
    qpos[0] = 0.0
    number = int(state["memory"][0, MACHINE.index("state")])
    start = Start(tuple(np.round(qpos, 6).tolist()), tuple(np.round(qvel, 6).tolist()), number)
    return controller.changed(start=start)
