"""``adapt``: a controller carried to another body, by scaling and by search."""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import print_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.adaptation.fitting import Fitted, fit_controller
from footfall.study.adaptation.judging import DEGREES, PUSH, body_trials
from footfall.study.adaptation.search import BodySearch, Watch
from footfall.study.adaptation.wanted import Wanted, free_choice, own_gait, person_scales, slowed, wanted_gait
from footfall.study.measures.body import Units
from footfall.study.search.evolution import Budget, SearchLog
from footfall.study.search.free_numbers import FreeNumbers
from footfall.study.trials.bench import Judge
from footfall.study.trials.final import Rose, Trials, level_walk, push_rose, walking_trials
from footfall.study.trials.starts import load_any_graph, settled_start

SECONDS = 300.0
STEEPEST = 30.0
"""Degrees of a slope that anyone walks on."""
POPULATION = {"cpu": 16, "cuda": 320}
STARTS = {"cpu": 2, "cuda": 3}
PHASES = {"cpu": 1, "cuda": 6}
STEPS = {"cpu": (0.0017,), "cuda": (0.0019, 0.0014)}
"""Of time, seconds, in turns; none is one of those that the result is judged with."""
SMALL = 0.5
"""Hip height, metres, below which a walk may depend on the step: several are then tried everywhere."""
NEAR, FAR = 0.3, 0.5
"""Size of a search's first steps from a controller that walks, and from one that falls."""
NEWTON_SECONDS = 0.4
"""How long a push lasts whose size is given in newtons."""
CHECKED = 3
"""Finalists that walk a whole minute before one is chosen."""
CHECK_SEED = 104729


@dataclass(frozen=True, eq=False)
class Adapted:
    """A controller on another body.

    Attributes:
        controller: what was found.
        fitted: what scaling alone gave.
        scaled: what the scaled controller does by itself: seconds up, footsteps.
        wanted: what was asked for.
        numbers: of the gait, in the body's units.
        units: those.
        history: one entry a generation.
        stage: the last one reached.
        trials: disturbed starts, for each engine.
        rose: pushes; None where it was not measured or falls.
        interrupted: whether somebody ended the search, or the last judgement.
    """

    controller: PoseControlGraph
    fitted: Fitted
    scaled: dict[str, Any]
    wanted: Wanted
    numbers: dict[str, float]
    units: Units
    history: list[dict[str, Any]]
    stage: str
    trials: tuple[Trials, ...]
    rose: Rose | None
    interrupted: bool

    @property
    def speed(self) -> float:
        """Metres a second."""
        return self.numbers["progress"] * self.units.speed

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        fitted = self.fitted
        return {
            "controller": self.controller.name,
            "figure": self.controller.figure,
            "length_ratio": fitted.scales.length,
            "mass_ratio": fitted.scales.mass,
            "notes": list(fitted.notes),
            "scaled": self.scaled,
            "stage": self.stage,
            "generations": len(self.history),
            "search_seconds": round(self.history[-1]["seconds"], 1) if self.history else 0.0,
            "speed_mps": self.speed,
            "wanted_speed_mps": self.wanted.speed * self.units.speed,
            "step_time_s": self.numbers["step_time"] * self.units.time,
            "numbers": self.numbers,
            "trials": [trials.as_dict() for trials in self.trials],
            "push_limits_n": None if self.rose is None else self.rose.limits,
            "push_seconds": None if self.rose is None else self.rose.duration,
            "interrupted": self.interrupted,
        }


def warm_up(controller: str | Path | PoseControlGraph, figure: str | Path | Figure, device: str = "cpu") -> None:
    """Compile what an adaptation needs, so that it begins at once; kernels are kept for later processes."""
    fitted = fit_controller(controller, figure)
    own_gait(load_any_graph(controller), fitted.source)
    for where in dict.fromkeys((device, "cpu")):
        Judge(body_trials(fitted.controller, fitted.figure, Wanted(), device=where), 1).warm_up()


@dataclass(frozen=True)
class Sturdy:
    """The pushes that a walk should withstand.

    Attributes:
        size: of those forward, body weights; None for as hard as it gets.
        duration: seconds.
        sides: those sideways and backward as shares of it; None for those of SIMBICON's human.
    """

    size: float | None
    duration: float
    sides: tuple[float, float] | None = None


def parse_sturdy(text: str | None, units: Units) -> Sturdy:
    """The pushes asked for: ``150`` newtons for 0.4 s, ``150/100/120`` forward, sideways and backward, or ``0.3w`` body
    weights, for 0.4 s on a person and less on a smaller body."""
    if text is None:
        return Sturdy(None, PUSH * units.time)
    numbers, weights = text.removesuffix("w").split("/"), text.endswith("w")
    try:
        sizes = [float(number) for number in numbers]
    except ValueError:
        sizes = []
    if len(sizes) not in (1, 2, 3) or not all(math.isfinite(size) and size > 0.0 for size in sizes):
        raise FootfallError(
            f"sturdy is '{text}'; write newtons, as in 150, or forward/sideways/backward, as in 150/100/120, or body "
            "weights, as in 0.3w"
        )
    sides = (sizes[1] / sizes[0], sizes[-1] / sizes[0]) if len(sizes) > 1 else None
    if weights:
        return Sturdy(sizes[0], PUSH * units.time, sides)
    return Sturdy(sizes[0] / units.weight, NEWTON_SECONDS, sides)


@dataclass(frozen=True, kw_only=True)
class AdaptSettings:
    """What is asked of an adapted gait, and how it is searched for.

    Attributes:
        speed: metres a second; by default the controller's own, scaled by the body's size.
        sturdy: pushes that it should withstand (see :func:`parse_sturdy`); None for as hard as it gets.
        effort: weight of the effort.
        slope: degrees of the slopes, up and down, that a sturdy walk is tried on; by default 3, 0 for none.
        want: measures of the gait laboratory -> (low, high, weight): nothing to pay inside, weight times the miss
            outside (:data:`footfall.study.measures.table.CYCLE_MEASURES`).
        norms: a folder with people's tables, where measures compare with them.
        seconds: of searching, by the clock.
        generations: at most; the same seed then gives the same result. Of the two the first that is reached counts;
            with neither it searches for 300 s.
        population: candidates a generation; by default 16 on a CPU, 320 on a GPU.
        sigma: size of first steps; by default 0.3 where the scaled controller walks, else 0.5.
        seed: of everything.
        device: "cpu" or "cuda".
    """

    speed: float | None = None
    sturdy: str | float | None = None
    effort: float = 1.0
    slope: float | None = None
    want: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    norms: str | Path | None = None
    seconds: float | None = None
    generations: int | None = None
    population: int | None = None
    sigma: float | None = None
    seed: int = 1
    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.slope is not None and not 0.0 <= self.slope <= STEEPEST:
            raise FootfallError(f"adapt: slope is {self.slope:g}; give 0 to {STEEPEST:g} degrees")

    @property
    def budget(self) -> Budget:
        """How long it searches."""
        return Budget(SECONDS if self.seconds is None and self.generations is None else self.seconds, self.generations)


def adapt(
    controller: str | Path | PoseControlGraph,
    figure: str | Path | Figure,
    *,
    engines: Sequence[str] = ("native",),
    rose: bool = True,
    name: str = "",
    figure_name: str = "",
    checkpoint: Path | None = None,
    watch: Watch | None = None,
    progress: Callable[[float, str], None] | None = None,
    executor: Executor | None = None,
    **settings: Any,
) -> Adapted:
    """Carry a SIMBICON controller to another body.

    Args:
        controller: built in, a sketch or a file.
        figure: the body.
        engines: with which the result is judged.
        rose: whether it is pushed from all sides in the end.
        name: of the new controller.
        figure_name: what its file calls the body.
        checkpoint: a file in which generations are noted; a search that is there is continued.
        watch: called after each generation with its entry of the history and, unless it was noted before, how it was
            judged.
        progress: called with the share of the last judgement that is done, and what comes next.
        executor: judges the candidates in shares; each generation is the same with any, and with none.
        settings: what is asked for, and how it is searched for, as :class:`AdaptSettings` has it.
    """
    asked = AdaptSettings(**settings)
    fitted = fit_controller(controller, figure, name=name, figure_name=figure_name)
    body, units = fitted.figure, Units.of(fitted.figure)
    pushes = parse_sturdy(None if asked.sturdy is None else str(asked.sturdy), units)
    own = own_gait(load_any_graph(controller), fitted.source)
    wanted = wanted_gait(own, body, speed=asked.speed, effort=asked.effort)
    wanted = replace(wanted, want={**wanted.want, **asked.want})
    if asked.speed is None and (why := slowed(own, body)[1]):
        fitted = replace(fitted, notes=(*fitted.notes, why))
    scaled = _walk_alone(fitted.controller, body)
    near = scaled["seconds_up"] >= scaled["of_seconds"]
    search = _search(fitted, wanted, asked, pushes, NEAR if near else FAR, checkpoint, executor)
    search.run(asked.budget, watch)
    best, numbers = _chosen(search.finalists(), body, asked.seed)
    about = (
        f"'{load_any_graph(controller).name}' of {fitted.source.name}, carried to {body.name} by `footfall adapt`: "
        f"scaled, then {len(search.history)} generations of search with seed {asked.seed}."
    )
    settled = settled_start(best, body, seconds=25.0 * units.time, simulation=level_walk(best, body))
    found = best.changed(about=about, start=settled or fitted.controller.start)
    judged: tuple[Trials, ...] = ()
    pushed, interrupted = None, search.interrupted
    try:
        if not interrupted:
            judged = tuple(walking_trials(found, body, engine=e, seed=asked.seed, progress=progress) for e in engines)
        if rose and not interrupted:
            pushed = push_rose(
                found,
                body,
                duration=search.plan.duration,
                step_time=(numbers["step_time"] if math.isfinite(numbers["step_time"]) else 1.6) * units.time,
                device=asked.device,
                seed=asked.seed,
                progress=progress,
            )
    except KeyboardInterrupt:
        interrupted = True
    return Adapted(
        found, fitted, scaled, wanted, numbers, units, search.history, search.stage, judged, pushed, interrupted
    )


def _search(
    fitted: Fitted,
    wanted: Wanted,
    asked: AdaptSettings,
    pushes: Sturdy,
    sigma: float,
    checkpoint: Path | None,
    executor: Executor | None,
) -> BodySearch:
    """The search that settings ask for, ready to run."""
    graph, body, units = fitted.controller, fitted.figure, Units.of(fitted.figure)
    if wanted.lab_measures and body.root != "free":
        raise FootfallError(
            f"adapt: '{body.name}' moves in a plane, and the gait laboratory's measures are of walks in space"
        )
    where = "cpu" if asked.device == "cpu" else "cuda"
    plan = body_trials(
        graph,
        body,
        wanted,
        starts=STARTS[where],
        device=asked.device,
        dts=STEPS["cuda" if units.length < SMALL else where],
        seed=asked.seed,
        norms=wanted.norms_at(asked.norms, wanted.speed * units.speed, body, "adapt: it"),
        slope=DEGREES if asked.slope is None else asked.slope,
        sides=pushes.sides,
        duration=round(pushes.duration, 4),
        phases=PHASES[where],
    )
    judge = Judge(plan, asked.population or POPULATION[where], executor)
    judge.warm_up()
    if checkpoint is not None:
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
    first = asked.sigma or sigma
    parts = [print_graph(graph), body.xml, repr((judge.population, first, asked.seed, asked.device, asked.slope))]
    key = hashlib.sha256("\n".join([*parts, repr(wanted), repr(pushes)]).encode()).hexdigest()[:16]
    free = FreeNumbers(free_choice(graph, body), graph, body, person_scales(body))
    return BodySearch(plan, free, judge, first, pushes.size, SearchLog(checkpoint, key))


def _walk_alone(graph: PoseControlGraph, figure: Figure) -> dict[str, Any]:
    seconds = 20.0
    outcome = level_walk(graph, figure).run(seconds)
    up = seconds if outcome.survived[0] else float(outcome.end_time[0])
    return {"seconds_up": round(up, 3), "of_seconds": seconds, "footsteps": int(outcome.footsteps[0])}


def _chosen(
    finalists: list[tuple[PoseControlGraph, float, dict[str, float]]], figure: Figure, seed: int
) -> tuple[PoseControlGraph, dict[str, float]]:
    """Of the best finalists the one that stays up most often for a minute, the cheapest of equals."""
    kept = []
    for graph, _, numbers in finalists[:CHECKED]:
        trials = walking_trials(graph, figure, steps=(0.0011,), each=4, seed=seed + CHECK_SEED)
        if trials.up == trials.tried:
            return graph, numbers
        kept.append((trials.up, graph, numbers))
    most = max(up for up, _, _ in kept)
    return next((graph, numbers) for up, graph, numbers in kept if up == most)
