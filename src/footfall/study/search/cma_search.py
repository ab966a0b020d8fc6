"""A search for a better controller: from what is wanted to a controller with a name and a record of its origin.

The loop (:mod:`footfall.study.search.evolution`) works in a unit cube that the parameters' ranges span.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.kind import Start
from footfall.control.registry import print_controller
from footfall.control.rows import MACHINE
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.motion.motion import Motion
from footfall.pictures.page import COLUMN, LINE_COLOURS, dress, empty_figure, save_figure
from footfall.study.measures.table import MEASURES
from footfall.study.search.evolution import Budget, Evolution, SearchBox, SearchLog, evolve
from footfall.study.search.free_numbers import changed_graph
from footfall.study.search.measuring import Measuring
from footfall.study.search.objective import FALL, LEAST_FLIGHT, STANDING, Bound, Objective, usual_bounds
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait

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
        cost: its cost.
        holds: whether it keeps every bound.
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
        population: candidates per generation.
        generations: how many, at most, from each start.
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
    def box(self) -> SearchBox:
        """The ranges, as a search moves in them."""
        return SearchBox({r.name: (r.low, r.high) for r in self.ranges})

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
        log = SearchLog(None if checkpoint is None else Path(checkpoint), self.key)
        base = dict(base) if base is not None else {n: float(v[0]) for n, v in self.measuring({}, 1).items()}
        evolution = Evolution(self.sigma, population=self.population, seed=self.seed, boxed=True)
        origin = self.origin()
        evolution.consider(origin[None], self.objective.cost(self.measuring(self.values(origin[None]), 1), base))
        history: list[dict[str, float]] = []

        def judge(points: Array, generation: int) -> dict[str, Any]:
            cost = self.objective.cost(self.measuring(self.values(points), len(points), executor), base)
            return {"start": evolution.starts - 1, "points": points.tolist(), "costs": cost.tolist()}

        def after(points: Array, note: Mapping[str, Any]) -> None:
            numbers = {"best": evolution.least, "lowest": min(note["costs"]), "median": float(np.median(note["costs"]))}
            start, generation = evolution.starts - 1, len(history) - before
            history.append({"start": start, "generation": generation, **numbers, "sigma": evolution.sigma})
            if progress is not None:
                progress(start * self.generations + generation + 1, self.starts * self.generations, evolution.least)

        for start in range(self.starts):
            if start > 0 and evolution.least <= enough:
                break
            before = len(history)
            evolution.begin(self._first_point(origin, start))
            if evolve(
                evolution,
                judge,
                Budget(generations=self.generations),
                log=log,
                noted=[g for g in log.generations if g["start"] == start],
                until=lambda: len(history) > before and (evolution.converged or evolution.least <= enough),  # noqa: B023
                after=after,
            ):
                raise KeyboardInterrupt
        return self.result(evolution.best, base, history)

    def _first_point(self, origin: Array, start: int) -> Array:
        """[n] where the search begins: at the controller first, then at random near it."""
        if start > 0:
            near = np.random.default_rng([self.seed, start]).uniform(-0.25, 0.25, len(origin))
            origin = np.clip(origin + near, 0.05, 0.95)
        return np.clip(origin, 0.001, 0.999)

    def result(self, point: ArrayLike, base: Mapping[str, float], history: list[dict[str, float]]) -> Found:
        """What a point of the unit cube is as a controller, measured again."""
        values = self.values(np.array([point]))
        measured = self.measuring(values, 1)
        cost = float(self.objective.cost(measured, base)[0])
        parameters = {n: float(v[0]) for n, v in values.items()}
        measures = {n: float(v[0]) for n, v in measured.items()}
        controller = changed_graph(self.measuring.experiment.graph, parameters)
        if measures["survival"] == 1.0:
            controller = on_own_gait(controller, self.measuring)
        return Found(controller, parameters, measures, dict(base), cost, self.objective.holds(measures), history)


def on_own_gait(controller: PoseControlGraph, measuring: Measuring) -> PoseControlGraph:
    """A controller that starts on its own gait, at the left foot's strike, with its hip over x = 0."""
    experiment = replace(measuring.experiment, controller=print_controller(controller))
    state = SettledGait(experiment, 1, 0.0, must_step=False).snapshot
    qpos, qvel = state["qpos"][0].astype(float), state["qvel"][0].astype(float)
    qpos[0] = 0.0
    number = int(state["memory"][0, MACHINE.index("state")])
    start = Start(tuple(np.round(qpos, 6).tolist()), tuple(np.round(qvel, 6).tolist()), number)
    return controller.changed(start=start)


TOLD = ("survival", "speed", "step_length", "step_time", "step_rate", "flight", "torque", "power")
"""Measures that are reported of every search, whatever it was for."""
NOISE = 0.02
LONGEST_ABOUT = 120


def change_rows(found: Found) -> list[tuple[str, str]]:
    """Each measure's name, and its value before and after with the unit."""
    rows = []
    for name, value in found.measures.items():
        unit = MEASURES[name].unit
        rows.append((name, f"{number(found.base[name])} → {number(value)} {unit}".rstrip()))
    return rows


def number(value: float) -> str:
    """A measure to four digits, without an exponent below a million; a dash where it has none."""
    if not math.isfinite(value):
        return "–"
    if abs(value) < 5e-4:
        return "0"
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.4g}"


def bound_words(bound: Bound) -> str:
    """A bound as text."""
    if bound == Bound("flight", high=LEAST_FLIGHT):
        return "always a foot on the ground"
    if bound == Bound("flight", LEAST_FLIGHT):
        return "a time in flight"
    if bound == Bound("step_rate", high=STANDING):
        return "it stands"
    unit = MEASURES[bound.measure].unit
    if math.isfinite(bound.low) and math.isfinite(bound.high):
        return f"{bound.measure} {bound.low:g} to {bound.high:g} {unit}".rstrip()
    sign, value = (">=", bound.low) if math.isfinite(bound.low) else ("<=", bound.high)
    return f"{bound.measure} {sign} {value:g} {unit}".rstrip()


def broken_bounds(objective: Objective, measures: Mapping[str, float]) -> list[str]:
    """The bounds that measures do not keep, each as text with what it is instead."""
    broken = []
    for bound in objective.bounds:
        value = measures[bound.measure]
        if not bool(bound.violation(np.array([value]))[0] == 0.0):
            broken.append(f"{bound_words(bound)} (it is {number(value)})")
    return broken


def goal_words(objective: Objective) -> str:
    """The goal as text: ``less torque, more push_forward``."""
    words = [f"{'less' if term.weight > 0 else 'more'} {term.measure}" for term in objective.terms]
    return ", ".join(words) or "its bounds"


def disturbed_starts(experiment: Experiment, controller: PoseControlGraph, starts: int = 10) -> tuple[int, int]:
    """From how many of how many disturbed starts, which no search has seen, a controller stays up for 20 s."""
    one = replace(experiment, controller=print_controller(controller), seconds=20.0)
    replica = 1001.0 + np.arange(starts)
    up = one.run({"start.noise": np.full(starts, NOISE), "replica": replica})["survived"]
    return int(np.sum(up)), starts


def with_origin(
    found: Found,
    first: PoseControlGraph,
    source: str,
    objective: Objective,
    name: str,
    tried: Sequence[int],
    search: str,
) -> PoseControlGraph:
    """The found controller under a name of its own, with where it comes from; what was known of the first one's basin
    of attraction is dropped.

    Args:
        found: by the search.
        first: the controller that it began with.
        source: what it was asked for by.
        objective: what was wanted.
        name: the new name.
        tried: disturbed starts from which it stayed up, and how many there were.
        search: what the search was.
    """
    known = first.about.split(". ")[0].rstrip(".")
    origin = f"'{first.name}'" + (f" in {source}" if source.endswith(".toml") else "")
    origin += f" ({known})" if 0 < len(known) <= LONGEST_ABOUT else ""
    told = ("speed", "step_length", "step_time", "torque", *(t.measure for t in objective.terms))
    changes = ", ".join(f"{row} {text}" for row, text in change_rows(found) if row in told)
    about = (
        f"Found by footfall optimize ({search}) for {goal_words(objective)}, from {origin}: {changes}. "
        f"It stays up for 20 s from {tried[0]} of {tried[1]} disturbed starts."
    )
    return found.controller.changed(name=name, about=about, basin={})


def prepared_search(
    experiment: Experiment,
    objective: Objective,
    ranges: Sequence[Range] = (),
    *,
    clip: Motion | None = None,
    any_speed: bool = False,
    any_gait: bool = False,
    **numbers: Any,
) -> tuple[Search, dict[str, float], tuple[Bound, ...]]:
    """A search that keeps the speed and the kind of gait unless it is told otherwise.

    Args:
        experiment: the controller to begin with and what it walks on.
        objective: what is wanted.
        ranges: the parameters to vary; by default every angle, gain and hold of the graph.
        clip: for the measure ``likeness``.
        any_speed, any_gait: whether these may change.
        numbers: population, generations, starts, sigma and seed of :class:`Search`.

    Returns:
        the search, the measures of the controller that it begins with, and the bounds that were added.
    """
    measuring = Measuring(experiment, tuple(dict.fromkeys([*TOLD, *objective.measures])), clip=clip)
    search = Search(measuring, objective, tuple(ranges) or tuple(all_ranges(experiment.graph)), **numbers)
    base = {name: float(values[0]) for name, values in measuring({}, 1).items()}
    kept = usual_bounds(objective, base, any_speed=any_speed, any_gait=any_gait)
    return replace(search, objective=replace(objective, bounds=(*objective.bounds, *kept))), base, kept


def judged(found: Found, search: Search, place: Experiment, source: str, name: str) -> tuple[Found, tuple[int, int]]:
    """What a search found under a name of its own, tried from disturbed starts that no search has seen.

    Args:
        found: by the search.
        place: what the controller is tried on.
        source: what the first one was asked for by.
        name: of the new controller.

    Returns:
        the same with its controller's name and origin; from how many of how many starts it stays up for 20 s.
    """
    tried = disturbed_starts(place, found.controller)
    effort = f"CMA-ES, {len(found.history)} generations of {search.population}, seed {search.seed}"
    first = search.measuring.experiment.graph
    made = with_origin(found, first, source, search.objective, name, tried, effort)
    return replace(found, controller=made), tried


def save_search_picture(found: Found, path: str | Path) -> Path:
    """Draw how a search went and save the picture."""
    return save_figure(plot_search(found), path)


def plot_search(found: Found) -> Any:
    """Lowest and median cost and the step size over the generations, a colour for each start; falls are left out."""
    from matplotlib.ticker import LogFormatterSciNotation, LogLocator, MaxNLocator, NullFormatter

    if not found.history:
        raise FootfallError("picture: the search has no history")
    figure = empty_figure(COLUMN, 3.6)
    cost, sigma = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.0])
    for start in sorted({int(h["start"]) for h in found.history}):
        rows = [h for h in found.history if h["start"] == start]
        colour = LINE_COLOURS[start % len(LINE_COLOURS)]
        column = {n: np.array([h[n] for h in rows]) for n in ("best", "lowest", "median", "sigma")}
        for name, style in (("lowest", "-"), ("median", ":")):
            shown = np.where(column[name] < FALL, column[name], np.nan)
            cost.plot(shown, style, color=colour, linewidth=1.0, label=f"start {start}, {name}")
        sigma.plot(column["sigma"], color=colour, linewidth=1.0)
    cost.set_ylabel("cost")
    cost.legend()
    sigma.set_ylabel("step size")
    sigma.set_xlabel("generation")
    sigma.xaxis.set_major_locator(MaxNLocator(integer=True))
    steps = np.array([h["sigma"] for h in found.history])
    if steps.max() > 20.0 * steps.min() > 0.0:
        sigma.set_yscale("log")
        sigma.yaxis.set_major_locator(LogLocator(numticks=4))
        sigma.yaxis.set_major_formatter(LogFormatterSciNotation())
        sigma.yaxis.set_minor_formatter(NullFormatter())
    else:
        sigma.set_ylim(bottom=0.0)
        sigma.yaxis.set_major_locator(MaxNLocator(4))
    words = [f"{n} {found.base[n]:.4g} → {v:.4g}" for n, v in found.measures.items() if n != "survival"]
    cost.set_title("\n".join([found.controller.name, *words]), loc="left")
    dress(cost, sigma)
    return figure


def plot_generations(history: Sequence[Mapping[str, Any]], columns: Mapping[str, str], width: float = COLUMN) -> Any:
    """Numbers of each generation's best candidate, one above the other.

    Args:
        history: one row a generation.
        columns: the numbers to draw, and what their axes say.
        width: inches.
    """
    figure = empty_figure(width, 0.4 + 0.95 * len(columns))
    panels = figure.subplots(len(columns), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, label) in zip(panels, columns.items(), strict=True):
        panel.plot(range(1, len(history) + 1), [row[name] for row in history], color=LINE_COLOURS[0], linewidth=1.0)
        panel.set_ylabel(label)
    panels[-1].set_xlabel("generation")
    dress(*panels)
    return figure
