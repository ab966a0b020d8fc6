"""Continuation: a controller carried to another body or ground by small steps.

Conditions move from where the controller works to where it should, a share at a time. Where it still keeps its bounds
nothing is done; where not, a short search from the last parameters mends it; where that fails, the step is halved.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from footfall.control.registry import print_controller
from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.body_parameters import standing_heights
from footfall.study.search.cma_search import Found, Search
from footfall.study.sweeps.conditions import Conditions
from footfall.study.sweeps.experiment import Experiment
from footfall.terrain import parse_terrain

LEAST_STEP = 1.0 / 64.0


@dataclass(frozen=True)
class ContinuationStage:
    """One step of a continuation.

    Attributes:
        share: how far on the way, 0 to 1.
        set: the conditions there.
        searched: generations that were needed.
        cost: of the parameters that it left with.
    """

    share: float
    set: dict[str, float]
    searched: int
    cost: float


@dataclass(frozen=True, eq=False)
class Continued:
    """A controller at the end of its way.

    Attributes:
        found: the controller with its measures.
        stages: the way.
        experiment: the conditions at the end.
        unchanged_stands: whether the first controller would have kept its bounds there too.
    """

    found: Found
    stages: list[ContinuationStage]
    experiment: Experiment
    unchanged_stands: bool


def continuation(
    search: Search,
    target: Mapping[str, float],
    *,
    steps: int = 6,
    progress: Callable[[float, str], None] | None = None,
    executor: Executor | None = None,
) -> Continued:
    """Carry a search's controller to other conditions.

    Args:
        search: the controller, its parameters, objective and bounds; its generations are those of each mending.
        target: conditions at the end, by name: ``body.thigh=1.3``, ``terrain.degrees=8``, ``ground.friction=0.3``.
        steps: how many shares to begin with.
        progress: called with the share reached and words.
        executor: measures candidates of searches.
    """
    base = search.measuring.experiment
    for name in target:
        if name.split(".")[0] not in ("body", "terrain", "ground") and not name.endswith("_delay"):
            raise FootfallError(f"continuation toward '{name}': it moves body, terrain, ground or delays")
    start = {name: nominal(name, base) for name in target}
    first = {n: float(np.mean(v)) for n, v in search.values(search.origin()[None]).items()}
    origin = {n: float(v[0]) for n, v in search.measuring({}, 1).items()}
    enough = 1.25 * float(search.objective.cost({n: np.array([v]) for n, v in origin.items()}, origin)[0])
    share, step, params, stages = 0.0, 1.0 / steps, first, list[ContinuationStage]()
    last = search
    while share < 1.0 - 1e-9:
        now = min(1.0, share + step)
        settings = {n: start[n] + now * (target[n] - start[n]) for n in target}
        one = _at(last, settings, params)
        found = _kept(one, origin)
        searched = 0
        if not found.holds:
            found = one.run(base=origin, enough=enough, executor=executor)
            searched = len(found.history)
        if found.holds:
            share, params = now, found.set
            last = _carried(one, found)
            stages.append(ContinuationStage(now, settings, searched, found.cost))
            step = min(1.0 / steps, 1.0 - share) if searched == 0 else min(step, max(1.0 - share, LEAST_STEP))
        else:
            step /= 2.0
            if step < LEAST_STEP:
                raise FootfallError(f"continuation: no parameters keep the bounds beyond {share:.0%} of the way")
        if progress is not None:
            progress(share, f"{share:.0%} of the way{f', {searched} generations' if searched else ''}")
    end = _at(last, dict(target), params)
    unchanged = _kept(_at(search, dict(target), first), origin).holds
    return Continued(_kept(end, origin), stages, end.measuring.experiment, unchanged)


def _at(search: Search, settings: dict[str, float], params: Mapping[str, float]) -> Search:
    experiment = search.measuring.experiment
    moved = replace(experiment, set={**experiment.set, **settings})
    return replace(search, measuring=replace(search.measuring, experiment=moved), first=dict(params))


def _kept(search: Search, base: Mapping[str, float]) -> Found:
    """The search's first parameters as they are, measured."""
    return search.result(search.origin().tolist(), base, [])


def _carried(search: Search, found: Found) -> Search:
    """The search with a start on the gait that was found, its height as it would be on the figure's own body."""
    experiment = search.measuring.experiment
    start, figure = found.controller.start, experiment.load_figure()
    body = Conditions(experiment, {}, 1).body
    if start is None or figure.root == "fixed":
        return search
    qpos = np.array(start.qpos)
    if body is not None:
        own, now = (standing_heights(figure.model, figure.points, qpos, b)[0] for b in (figure.body_parameters(), body))
        qpos[1 if figure.root == "planar" else 2] += now - own
    graph = experiment.graph.changed(start=replace(start, qpos=tuple(qpos.tolist())))
    moved = replace(experiment, controller=print_controller(graph))
    return replace(search, measuring=replace(search.measuring, experiment=moved))


def nominal(name: str, experiment: Experiment) -> float:
    """The value of a condition before it is changed."""
    if name in experiment.set:
        return float(experiment.set[name])
    kind, _, rest = name.partition(".")
    if kind == "body":
        return 0.0 if rest.endswith("load") else 1.0
    if kind == "terrain":
        terrain: Any = parse_terrain(experiment.terrain)
        if rest in {f.name for f in fields(terrain)}:
            return float(getattr(terrain, rest))
        raise FootfallError(f"continuation toward '{name}': terrain '{terrain}' has no such number")
    if kind == "ground":
        return float(getattr(Ground(), rest))
    return 0.0


def reshaped_figure(experiment: Experiment) -> Figure:
    """The figure that an experiment's body settings make of its own."""
    body = Conditions(experiment, {}, 1).body
    figure = experiment.load_figure()
    return figure if body is None else figure.with_body_parameters(body)
