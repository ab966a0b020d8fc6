"""The search: CMA-ES over a controller's free numbers on a body, in stages that ask for more and more.

    step     stay up longer, step and get ahead
    walk     at the pace asked for, straight, upright, without sliding, with little effort
    sturdy   besides, pushes from all sides that grow as candidates survive them, and slopes

All stages have one cost, so that what was reached is not lost.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.adaptation.judging import BodyTrials
from footfall.study.search.evolution import Budget, Evolution, SearchLog, evolve
from footfall.study.search.free_numbers import FreeNumbers, changed_graph
from footfall.study.trials.bench import GROWS_AT, SHRINKS_AT, Judge, Judged

Array = NDArray[np.float64]
Watch = Callable[[Mapping[str, Any], Judged | None], None]

STAGES = ("step", "walk", "sturdy")
STEPS_AT = 0.3
"""The share of a generation that must walk before the gait is asked for more."""
NATURAL = 2.0
"""What the gait's misses may cost at most before it is pushed."""
WALK_SHARE = 0.35
"""The share of the budget after which it is pushed however it walks."""
SMALLEST, LARGEST = 0.03, 1.0
"""Pushes forward, body weights."""
GROWTH, LEAP, SHRINKAGE = 1.06, 1.4, 0.9
"""By which pushes are multiplied where most, where nearly all and where few are survived."""
LEAPS_AT = 0.96
BEST = 0.75
"""The candidate, from the worst to the best, whose survived pushes decide that."""
STUCK, BETTER = 30, 10.0
"""Generations after which a search that has become no better, by so much, begins anew at its best."""
KEPT = 6
"""Best candidates of the last generations that may win in the end."""


@dataclass
class BodySearch:
    """A search on a body.

    Attributes:
        plan: how candidates are tried.
        free: the free numbers of its controller.
        judge: of candidates.
        sigma: size of first steps.
        sturdy: the pushes forward that are asked for, body weights; None for as hard as it gets.
        log: in which generations are noted.
        history: one entry a generation: stage, cost, seconds up, speed and so on of its best candidate.
        stage: now.
        size: of pushes, now.
        interrupted: whether somebody ended it.
    """

    plan: BodyTrials
    free: FreeNumbers
    judge: Judge
    sigma: float
    sturdy: float | None
    log: SearchLog
    history: list[dict[str, Any]] = field(default_factory=list)
    stage: str = STAGES[0]
    size: float = SMALLEST
    interrupted: bool = False
    _bests: list[Array] = field(default_factory=list)
    _least: tuple[float, int, Array | None] = (np.inf, 0, None)
    _judged: Judged | None = None

    def run(self, budget: Budget, watch: Watch | None = None) -> None:
        """Search until the budget is spent, the gait is as asked, or somebody interrupts."""
        self.evolution = Evolution(self.sigma, population=self.judge.population, seed=self.plan.seed)
        self.evolution.begin(np.zeros(len(self.free)))

        def judge(points: Array, generation: int) -> dict[str, Any]:
            self._judged = self.judge(self.free.rows(points), generation, self._pushes())
            return self._note(self._judged)

        def after(points: Array, note: Mapping[str, Any]) -> None:
            self._advance(note, points, budget.share(note["seconds"], len(self.history) + 1))
            if watch is not None:
                watch(self.history[-1], self._judged)
            self._judged = None

        self.interrupted = evolve(self.evolution, judge, budget, log=self.log, until=self._is_as_asked, after=after)

    # -- a generation --------------------------------------------------------------------------------------------------

    def _pushes(self) -> float | None:
        return self.size if self.stage == "sturdy" else None

    def _note(self, judged: Judged) -> dict[str, Any]:
        """What a generation is remembered by."""
        best, tallies = int(np.argmin(judged.costs)), judged.tallies
        return {
            "costs": judged.costs.tolist(),
            "best": best,
            "walks": float(tallies["walks"].mean()),
            "bands": float(tallies["bands"][best]),
            "pushes": float(np.quantile(tallies["pushes"], BEST)),
            "up": float(tallies["up"][best] * self.plan.seconds),
            "footsteps": float(tallies["footsteps"][best]),
            "distance": float(tallies["distance"][best]),
            "speed": float(np.nan_to_num(judged.measures["progress"][best] * self.plan.units.speed)),
            "survived": float(tallies["pushes"][best]),
            "transport": float(np.nan_to_num(tallies["transport"][best], nan=-1.0)),
        }

    def _advance(self, note: Mapping[str, Any], points: Array, share: float) -> None:
        """The stage and the pushes after a generation."""
        row = {name: value for name, value in note.items() if name != "costs"}
        row["cost"] = float(min(note["costs"]))
        row |= {"generation": len(self.history) + 1, "stage": self.stage, "sigma": self.evolution.sigma}
        row["push"] = self.size * self.plan.units.weight if self.stage == "sturdy" else 0.0
        self.history.append(row)
        self._bests = [*self._bests[-KEPT + 1 :], points[int(note["best"])]]
        if self.stage == "step":
            self._begin_anew_if_stuck(note, points)
            if note["walks"] >= STEPS_AT:
                self.stage = "walk"
        elif self.stage == "walk":
            if note["walks"] >= STEPS_AT and (note["bands"] <= NATURAL or share >= WALK_SHARE):
                self.stage = "sturdy"
        elif note["pushes"] >= GROWS_AT:
            larger = self.size * (LEAP if note["pushes"] >= LEAPS_AT else GROWTH)
            self.size = min(larger, self.sturdy or LARGEST)
        elif note["pushes"] < SHRINKS_AT:
            self.size = max(self.size * SHRINKAGE, SMALLEST)

    def _begin_anew_if_stuck(self, note: Mapping[str, Any], points: Array) -> None:
        least, at, _ = self._least
        cost = min(note["costs"])
        if cost < least - BETTER:
            self._least = (cost, len(self.history), points[int(note["best"])])
        elif len(self.history) - at >= STUCK or self.evolution.converged:
            begin = self._least[2]
            self.evolution.begin(np.zeros(len(self.free)) if begin is None else begin)
            self._least = (least, len(self.history), begin)

    def _is_as_asked(self) -> bool:
        """Whether it walks, is natural and withstands the pushes asked for, in each of the last generations."""
        last = self.history[-KEPT:]
        return (
            self.sturdy is not None
            and len(last) == KEPT
            and all(row["stage"] == "sturdy" and row["bands"] <= NATURAL for row in last)
            and all(row["push"] >= self.sturdy * self.plan.units.weight - 1e-9 for row in last)
            and all(row["pushes"] >= GROWS_AT for row in last)
        )

    # -- the result ----------------------------------------------------------------------------------------------------

    def finalists(self) -> list[tuple[PoseControlGraph, float, dict[str, float]]]:
        """Controllers that may win, the best first, with their mean cost and numbers, judged again with other noise.

        The controller that the search began with is one of them.
        """
        points = [np.zeros(len(self.free)), *self._bests]
        if self.history:
            points.append(self.evolution.mean)
        points = points[:1] + points[1:][-(self.judge.population - 1) :]
        rows = np.resize(np.array(points), (self.judge.population, len(self.free)))
        judged = self.judge(self.free.rows(rows), -1 - len(self.history), self._pushes())
        found = []
        for k, point in enumerate(points):
            own = slice(k, None, len(points))
            numbers = {name: float(np.nanmean(values[own])) if np.isfinite(values[own]).any() else float("nan")
                       for name, values in {**judged.measures, **judged.tallies}.items()}  # fmt: skip
            numbers["push"] = (self._pushes() or 0.0) * self.plan.units.weight
            found.append((self._controller(point), float(judged.costs[own].mean()), numbers))
        return sorted(found, key=lambda one: one[1])

    def _controller(self, point: Array) -> PoseControlGraph:
        if not point.any():
            return self.plan.graph
        return changed_graph(self.plan.graph, self.free.at(point))
