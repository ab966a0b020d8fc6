"""Candidates judged: each walks undisturbed, crosses terrains, follows other gaits, and is pushed from five sides at
several moments of a stride.

Falls on all sides and those on the worst side count alike. A walk that has states for recovery must be back in its
usual ones at the end.

A walk whose two halves mirror each other falls to a push to the right wherever it falls to one to the left half a
stride later, so pushes to the left, over a whole stride, stand for both.
"""

import pickle
from collections.abc import Mapping
from concurrent.futures import Executor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import jobs_at_a_time, run_all
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.gaits.goal import Goal
from footfall.study.measures.people import Norms
from footfall.study.trials.bench import LATE_FALL, BenchPlan, PushTrial, States, TrialBench, WalkTrial

Array = NDArray[np.float64]

NOISE = (2e-3, 5e-3)
FALL_COST, UNKNOWN_COST = 1000.0, 300.0
"""What a fall of the undisturbed walk costs, and what a walk without a measure costs."""


class Judge:
    """Judges ``population`` candidates at a time, each in a world of its own and one for each push; with an executor in
    shares, to the same numbers."""

    def __init__(
        self,
        goal: Goal,
        graph: PoseControlGraph,
        figure: Figure,
        population: int,
        people: Mapping[str, Array] | None,
        norms: Norms | None = None,
        *,
        device: str = "cpu",
        dt: float = 0.002,
        seconds: float = 8.0,
        seed: int = 1,
        executor: Executor | None = None,
    ) -> None:
        self.goal, self.population = goal, population
        self.plan = BenchPlan(goal, graph, figure, people, norms, device, dt, seconds)
        self._pickled = pickle.dumps(self.plan)
        self._executor = executor
        self._rng = np.random.default_rng(seed)
        bench = TrialBench(self.plan, population if executor is None else 1)
        self._bench = bench if executor is None else None
        repeats = population // bench.candidates
        self._start = self._disturbed({name: np.repeat(v, repeats, axis=0) for name, v in bench.start.items()})

    def _disturbed(self, states: States) -> States:
        for field, first, size in (("qpos", 7, NOISE[0]), ("qvel", 0, NOISE[1])):
            part = states[field][:, first:]
            part += size * self._rng.standard_normal(part.shape)
        return states

    def __call__(self, rows: Array, scale: float, turn: int = 0) -> tuple[Array, dict[str, Array]]:
        """[C] costs of candidates with these rows [C, NP], pushed at ``scale`` times the rose, and their measures.

        With every ``turn`` the pushes come at other moments, and the smaller ones from other sides.
        """
        goal, seconds = self.goal, self.plan.seconds
        settled, measures, every = self._walk(rows)
        trials, lived = every[1:] / seconds, every[0]
        survived, cost = self._push(rows, settled, scale, turn)
        measures["pushes_survived"] = survived
        misses = np.zeros(self.population)
        for name, (low, high, weight) in goal.want.items():
            misses += weight * np.maximum(0.0, np.maximum(low - measures[name], measures[name] - high))
        for name, weight in goal.less.items():
            misses += weight * measures[name]
        if len(trials):
            measures["trials_survived"] = (trials >= 1.0).mean(axis=0)
            misses += goal.trial_weight * (1.0 - np.where(trials >= 1.0, 1.0, LATE_FALL * trials)).mean(axis=0)
        measures["miss"] = np.nan_to_num(misses, nan=UNKNOWN_COST)
        fallen = FALL_COST * (1.5 - lived / seconds)
        return np.where(measures["survived"] == 1.0, cost + measures["miss"], fallen), measures

    def _walk(self, rows: Array) -> tuple[States, dict[str, Array], Array]:
        if self._bench is not None:
            return self._bench.walk(rows, self._start)
        n = self.population

        def of(values: NDArray[Any], a: int, b: int) -> NDArray[Any]:
            return values.reshape(-1, n, *values.shape[1:])[:, a:b].reshape(-1, *values.shape[1:])

        jobs = [
            WalkTrial(self._pickled, rows[a:b], {name: of(values, a, b) for name, values in self._start.items()})
            for a, b in self._shares()
        ]
        settled, measures, lived = zip(*run_all(WalkTrial.run, jobs, self._executor), strict=True)
        return _joined(settled), _joined(measures), np.concatenate(lived, axis=1)

    def _push(self, rows: Array, settled: States, scale: float, turn: int) -> tuple[Array, Array]:
        n, each = self.population, self.plan.each
        if each == 0:
            return np.ones(n), np.zeros(n)
        states = self._disturbed({name: np.repeat(values, each, axis=0) for name, values in settled.items()})
        if self._bench is not None:
            return self._bench.push(rows, states, scale, turn)
        jobs = [
            PushTrial(
                self._pickled, rows[a:b], {name: v[a * each : b * each] for name, v in states.items()}, scale, turn
            )
            for a, b in self._shares()
        ]
        survived, cost = zip(*run_all(PushTrial.run, jobs, self._executor), strict=True)
        return np.concatenate(survived), np.concatenate(cost)

    def _shares(self) -> list[tuple[int, int]]:
        """Candidates from a to b, as many shares as jobs run at a time, but none of a single candidate: numpy sums the
        only column of an array in another order than each of several."""
        shares = max(1, min(self.population // 2, jobs_at_a_time(self._executor)))
        bounds = np.linspace(0, self.population, shares + 1).astype(int)
        return [(int(a), int(b)) for a, b in pairwise(bounds)]


def _joined(parts: tuple[Mapping[str, NDArray[Any]], ...]) -> dict[str, NDArray[Any]]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
