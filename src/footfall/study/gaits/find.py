"""The search for a gait: CMA-ES over the free numbers, pushes that grow as candidates get better.

The result is the mean of the last distribution or the best candidate of the last generation, whichever costs less when
both are judged again with other noise.
"""

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.gaits.goal import Goal, goal_trials
from footfall.study.measures.walks import read_people
from footfall.study.search.evolution import Budget, Evolution, evolve
from footfall.study.search.free_numbers import FreeNumbers, changed_graph
from footfall.study.trials.bench import GROWS_AT, SHRINKS_AT, Judge
from footfall.study.trials.starts import settled_start
from footfall.text_files import plain_json, write_whole

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FoundGait:
    """What a search found.

    Attributes:
        controller: the controller.
        set: its free numbers, by path.
        measures: of its undisturbed walk, and the share of pushes survived.
        scale: of the last pushes.
        history: one entry a generation.
        interrupted: whether somebody ended the search (Ctrl-C).
    """

    controller: PoseControlGraph
    set: dict[str, float]
    measures: dict[str, float]
    scale: float
    history: list[dict[str, float]]
    interrupted: bool = False


@dataclass
class GoalSearch:
    """A search for a gait, with pushes that grow while half of a generation survives most of them.

    Attributes:
        goal: what is wanted.
        free: the free numbers.
        judge: of candidates.
        evolution: of the free numbers.
        size: of the pushes, now.
        shrinks: whether pushes get smaller again where few are survived.
        own_first: whether the controller that it begins with is a candidate of the first generation.
        history: one entry a generation: its best candidate.
        last: [n] the best candidate of the last generation.
    """

    goal: Goal
    free: FreeNumbers
    judge: Judge
    evolution: Evolution
    size: float
    shrinks: bool = True
    own_first: bool = False
    history: list[dict[str, float]] = field(default_factory=list)
    last: Array = field(init=False)

    def run(self, seconds: float, report: Callable[[float], None]) -> bool:
        """Search for so many seconds; ``report`` is called after each generation with those spent. True if somebody
        interrupted."""
        self.last = np.zeros(len(self.free))
        self.evolution.begin(self.last)

        def judge(points: Array, generation: int) -> dict[str, Any]:
            if self.own_first and generation == 0:
                points[0] = 0.0
            judged = self.judge(self.free.rows(points), generation, self.size)
            best, measures = int(np.argmin(judged.costs)), {**judged.measures, **judged.tallies}
            row = {"cost": float(judged.costs[best]), "median": float(np.median(judged.costs)), "scale": self.size}
            row |= {name: float(values[best]) for name, values in measures.items()}
            survived = float(np.median(judged.tallies["pushes_survived"]))
            return {"costs": judged.costs, "best": best, "row": row, "survived": survived}

        def after(points: Array, note: Mapping[str, Any]) -> None:
            self.last = points[note["best"]]
            self.history.append(note["row"])
            asked = self.goal.pushes
            if note["survived"] >= GROWS_AT and self.size < asked.highest:
                self.size += asked.step
            elif self.shrinks and note["survived"] < SHRINKS_AT and self.size > asked.scale:
                self.size -= asked.step
            report(note["seconds"])

        return evolve(self.evolution, judge, Budget(seconds=seconds), after=after)

    def judged_again(self, finalists: Array) -> tuple[list[float], list[dict[str, float]]]:
        """What points [k, n] cost and measure when they are judged with other noise, as means over a population that
        they share."""
        k = len(finalists)
        points = np.resize(finalists, (max(self.judge.population, k), len(self.free)))
        judged = self.judge(self.free.rows(points), len(self.history), self.size)
        measures = {**judged.measures, **judged.tallies}
        found = [{name: float(values[i::k].mean()) for name, values in measures.items()} for i in range(k)]
        return [float(judged.costs[i::k].mean()) for i in range(k)], found


def find_gait(
    goal: Goal,
    *,
    seconds: float = 300.0,
    population: int = 160,
    sigma: float = 0.5,
    seed: int = 1,
    norms: str | Path | None = None,
    base: PoseControlGraph | None = None,
    scale: float | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[float, dict[str, float]], None] | None = None,
    executor: Executor | None = None,
    **trials: Any,
) -> FoundGait:
    """Search for a gait.

    Args:
        goal: what it should be like.
        seconds: of searching, by the clock.
        population: candidates a generation.
        sigma: size of the first steps.
        seed: of the strategy.
        norms: a folder with people's joint angles, where the goal asks for likeness.
        base: the controller to begin with; by default the goal's.
        scale: of the first pushes; by default the goal's.
        checkpoint: a JSON file for the numbers found so far (the middle of the distribution) and what the best
            candidate measured, written every ten generations.
        progress: called with the seconds spent and the generation's best.
        executor: judges the candidates in shares; each generation is the same with any, and with none.
        trials: device and dt of the simulations, as :func:`~footfall.study.gaits.goal.goal_trials` takes them.
    """
    graph = base if base is not None else goal.start()
    figure = Figure.load(graph.figure)
    tables = goal.norms_at(norms, goal.people_speed, figure, f"goal '{goal.name}'")
    people = None if tables is None else read_people(tables.folder, goal.people_speed)
    free = FreeNumbers(goal, graph, figure)
    plan = goal_trials(goal, graph, figure, people=people, norms=tables, seed=seed, **trials)
    evolution = Evolution(sigma, population=population, seed=seed)
    size = goal.pushes.scale if scale is None else scale
    search = GoalSearch(goal, free, Judge(plan, population, executor), evolution, size)
    history = search.history

    def report(spent: float) -> None:
        if progress is not None:
            progress(spent, history[-1])
        if checkpoint is not None and len(history) % 10 == 0:
            numbers = free.at(evolution.mean)
            state = {"generation": len(history), "scale": search.size, "set": numbers, "best": plain_json(history[-1])}
            write_whole(Path(checkpoint), json.dumps(state).encode())

    interrupted = search.run(seconds, report)
    if interrupted and not history:
        raise KeyboardInterrupt
    finalists = np.array([evolution.mean, search.last])
    costs, measures = search.judged_again(finalists)
    winner = int(np.argmin(costs))
    numbers = free.at(finalists[winner])
    about = f"{goal.about} The numbers are footfall's own, found by `footfall optimize --goal {goal.name}`.".strip()
    controller = changed_graph(graph, numbers).changed(name=goal.name, about=about)
    if goal.settles:
        controller = controller.changed(start=settled_start(controller, figure, terrain=goal.terrain) or graph.start)
    return FoundGait(controller, numbers, measures[winner], search.size, history, interrupted)
