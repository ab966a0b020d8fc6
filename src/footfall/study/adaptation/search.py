"""The search: CMA-ES over a controller's free numbers on a body, in stages that ask for more and more.

    step     stay up longer, step and get ahead
    walk     at the pace asked for, straight, upright, without sliding, with little effort
    sturdy   besides, pushes from all sides that grow as candidates survive them, and slopes

All stages have one cost, so that what was reached is not lost. Every generation is noted with its costs, and a search
that was interrupted continues where it was.

A generation of candidates judged in shares, by any executor: each share is a job, and the costs do not depend on how
many there are.
"""

import pickle
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import jobs_at_a_time, run_all
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.adaptation.judging import Judge, Judged, PushSet
from footfall.study.adaptation.wanted import Wanted
from footfall.study.gaits.find import GROWS_AT, SHRINKS_AT
from footfall.study.search.evolution import Checkpoint, Evolution
from footfall.study.search.graph_changes import FreeNumbers, changed_graph

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


@dataclass(frozen=True)
class Budget:
    """How long a search takes.

    Attributes:
        seconds: by the clock, those of the runs before it included and pictures left out; None for no such limit.
        generations: None for no such limit.
    """

    seconds: float | None = 300.0
    generations: int | None = None

    def share(self, seconds: float, generations: int) -> float:
        """How much of it is spent, 0 to 1."""
        spent = [0.0]
        if self.generations is not None:
            spent.append(generations / max(1, self.generations))
        if self.seconds is not None:
            spent.append(seconds / max(1e-9, self.seconds))
        return min(1.0, max(spent))


@dataclass(frozen=True)
class SearchSettings:
    """How a search goes.

    Attributes:
        population: candidates a generation. sigma: size of first steps. seed: of everything.
        sturdy: the pushes forward that are asked for, body weights; None for as hard as it gets.
        duration: of pushes, seconds. phases: moments of a stride, in every direction.
    """

    population: int = 20
    sigma: float = 0.5
    seed: int = 1
    sturdy: float | None = None
    duration: float = 0.4
    phases: int = 2


@dataclass
class Search:
    """A search on a body.

    Attributes:
        graph: the controller it begins with. free: its free numbers. judge: of candidates.
        history: one entry a generation: stage, cost, seconds up, speed and so on of its best candidate.
        stage, size: now.
    """

    graph: PoseControlGraph
    free: FreeNumbers
    judge: Judge
    settings: SearchSettings
    checkpoint: Checkpoint
    history: list[dict[str, Any]] = field(default_factory=list)
    stage: str = STAGES[0]
    size: float = SMALLEST
    interrupted: bool = False
    _bests: list[Array] = field(default_factory=list)
    _least: tuple[float, int, Array | None] = (np.inf, 0, None)

    def run(self, budget: Budget, watch: Watch | None = None) -> None:
        """Search until the budget is spent, the gait is as asked, or somebody interrupts."""
        noted = list(self.checkpoint.generations)
        spent = float(noted[-1]["seconds"]) if noted else 0.0
        settings = self.settings
        self.evolution = Evolution(settings.sigma, population=settings.population, seed=settings.seed)
        self.evolution.begin(np.zeros(len(self.free)))

        def over() -> bool:
            count = len(self.history)
            if count < len(noted):
                return budget.generations is not None and count >= budget.generations
            return budget.share(spent, count) >= 1.0 or self._is_as_asked()

        try:
            for points in self.evolution.generations(until=over):
                turn = len(self.history)
                judged = None
                if turn < len(noted):
                    note = noted[turn]
                else:
                    began = time.monotonic()
                    judged = self.judge(self.free.rows(points), turn, self._pushes())
                    spent += time.monotonic() - began
                    note = self._note(judged, spent)
                    self.checkpoint.add(note)
                self.evolution.tell(note["costs"])
                self._advance(note, points, budget.share(note["seconds"], turn + 1))
                if watch is not None:
                    watch(self.history[-1], judged)
        except KeyboardInterrupt:
            self.interrupted = True

    # -- a generation --------------------------------------------------------------------------------------------------

    def _pushes(self) -> PushSet | None:
        if self.stage != "sturdy":
            return None
        return PushSet(self.size, self.settings.duration, self.settings.phases)

    def _note(self, judged: Judged, seconds: float) -> dict[str, Any]:
        """What a generation is remembered by."""
        best = int(np.argmin(judged.costs))
        units = self.judge.units
        return {
            "costs": judged.costs.tolist(),
            "best": best,
            "walks": float(judged.walks.mean()),
            "bands": float(judged.bands[best]),
            "pushes": float(np.quantile(judged.pushes, BEST)),
            "seconds": seconds,
            "up": float(judged.up[best] * self.judge.walk),
            "footsteps": float(judged.footsteps[best]),
            "distance": float(judged.distance[best]),
            "speed": float(np.nan_to_num(judged.numbers["progress"][best] * units.speed)),
            "survived": float(judged.pushes[best]),
        }

    def _advance(self, note: Mapping[str, Any], points: Array, share: float) -> None:
        """The stage and the pushes after a generation."""
        row = {name: value for name, value in note.items() if name != "costs"}
        row["cost"] = float(min(note["costs"]))
        row |= {"generation": len(self.history) + 1, "stage": self.stage, "sigma": self.evolution.sigma}
        row["push"] = self.size * self.judge.units.weight if self.stage == "sturdy" else 0.0
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
            self.size = min(larger, self.settings.sturdy or LARGEST)
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
        asked = self.settings.sturdy
        return (
            asked is not None
            and len(last) == KEPT
            and all(row["stage"] == "sturdy" and row["bands"] <= NATURAL for row in last)
            and all(row["push"] >= asked * self.judge.units.weight - 1e-9 for row in last)
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
        points = points[:1] + points[1:][-(self.settings.population - 1) :]
        rows = np.resize(np.array(points), (self.settings.population, len(self.free)))
        judged = self.judge(self.free.rows(rows), -1 - len(self.history), self._pushes())
        found = []
        for k, point in enumerate(points):
            own = slice(k, None, len(points))
            numbers = {name: float(np.nanmean(values[own])) if np.isfinite(values[own]).any() else float("nan")
                       for name, values in judged.numbers.items()}  # fmt: skip
            found.append((self._controller(point), float(judged.costs[own].mean()), numbers))
        return sorted(found, key=lambda one: one[1])

    def _controller(self, point: Array) -> PoseControlGraph:
        if not point.any():
            return self.graph
        numbers = {path: float(value[0]) for path, value in self.free.values(point[None]).items()}
        return changed_graph(self.graph, numbers)


class SharedJudge(Judge):
    """Judges as :class:`Judge` does, on the workers of an executor.

    Args:
        executor: judges the shares.
        graph, figure, wanted, population, options: as :class:`Judge` takes them.
    """

    def __init__(
        self,
        executor: Executor,
        graph: PoseControlGraph,
        figure: Figure,
        wanted: Wanted,
        population: int,
        **options: Any,
    ) -> None:
        super().__init__(graph, figure, wanted, population, **options)
        self._executor = executor
        self._plan = pickle.dumps((graph, figure, wanted, options | {"whole": population}))

    def warm_up(self) -> None:
        """Nothing: workers compile what they need."""

    def __call__(self, rows: Array, turn: int, pushes: PushSet | None = None, first: int = 0) -> Judged:
        """Judge candidates with these rows [C, NP], all of a generation."""
        shares = max(1, min(self.population // 2, jobs_at_a_time(self._executor)))
        bounds = np.linspace(0, self.population, shares + 1).astype(int)
        jobs = [_Share(self._plan, rows[a:b], int(a), turn, pushes) for a, b in pairwise(bounds)]
        return _joined(tuple(run_all(_Share.run, jobs, self._executor)))


@dataclass(frozen=True, eq=False)
class _Share:
    """Some candidates of a generation, to be judged: a job.

    Attributes:
        plan: a judge's arguments, pickled. rows: of the candidates. first: the number of the first one. turn, pushes:
            as :class:`Judge` takes them.
    """

    plan: bytes
    rows: Array
    first: int
    turn: int
    pushes: PushSet | None

    def run(self) -> Judged:
        """How they did."""
        judge = _judge(self.plan, len(self.rows), threading.get_ident())
        return judge(self.rows, self.turn, self.pushes, self.first)


@lru_cache(maxsize=8)
def _judge(plan: bytes, candidates: int, thread: int) -> Judge:
    """A judge of this thread's own, kept for the next generations."""
    graph, figure, wanted, options = pickle.loads(plan)
    return Judge(graph, figure, wanted, candidates, **options)


def _joined(parts: tuple[Judged, ...]) -> Judged:
    arrays = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("costs", "up", "footsteps", "distance", "walks", "pushes", "bands")
    }
    numbers = {name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers}
    return Judged(**arrays, numbers=numbers, trace=parts[0].trace, parts=parts)
