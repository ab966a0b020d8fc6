"""A generation of candidates judged in shares, by any executor: each share is a job, and the costs do not depend on how
many there are."""

import pickle
import threading
from concurrent.futures import Executor
from dataclasses import dataclass
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

Array = NDArray[np.float64]


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
