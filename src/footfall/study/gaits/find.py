"""The search for a gait: CMA-ES over the free numbers, pushes that grow as candidates get better.

The result is the mean of the last distribution or the best candidate of the
last generation, whichever costs less when both are judged again with other noise.
"""

import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.motion.skeleton.body_shape import leg_length
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.study.gaits.goal import Goal
from footfall.study.gaits.judging import Judge
from footfall.study.measures.people import Norms
from footfall.study.measures.walks import read_people
from footfall.study.search.evolution import Evolution
from footfall.study.search.graph_changes import FreeNumbers, changed_graph
from footfall.study.trials.starts import settled_start
from footfall.text_files import write_whole

Array = NDArray[np.float64]

GROWS_AT, SHRINKS_AT = 0.85, 0.65
"""The pushes grow when half of a generation survives this share of them, and shrink when it survives less than that."""


@dataclass(frozen=True, eq=False)
class FoundGait:
    """What a search found.

    Attributes:
        controller: the controller. set: its free numbers, by path.
        measures: of its undisturbed walk, and the share of pushes survived. scale: of the last pushes.
        history: one entry a generation. interrupted: whether somebody ended the search (Ctrl-C).
    """

    controller: PoseControlGraph
    set: dict[str, float]
    measures: dict[str, float]
    scale: float
    history: list[dict[str, float]]
    interrupted: bool = False


def find_gait(
    goal: Goal,
    *,
    seconds: float = 300.0,
    population: int = 160,
    sigma: float = 0.5,
    seed: int = 1,
    dt: float = 0.002,
    device: str = "cpu",
    data: str | Path | None = None,
    base: PoseControlGraph | None = None,
    scale: float | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[float, dict[str, float]], None] | None = None,
    executor: Executor | None = None,
) -> FoundGait:
    """Search for a gait.

    Args:
        goal: what it should be like.
        seconds: of searching, by the clock.
        population: candidates a generation.
        sigma: size of the first steps.
        seed: of the strategy.
        dt: the simulations' step, seconds. device: "cpu" or "cuda".
        data: a folder with people's joint angles, where the goal asks for likeness.
        base: the controller to begin with; by default the goal's.
        scale: of the first pushes; by default the goal's.
        checkpoint: a JSON file for the numbers found so far (the middle of the distribution) and what the best
            candidate measured, written every ten generations.
        progress: called with the seconds spent and the generation's best.
        executor: judges the candidates in shares; each generation is the same with any, and with none.
    """
    graph = base if base is not None else goal.start()
    figure = Figure.load(graph.figure)
    people, norms = _people(goal, figure, data)
    free = FreeNumbers(goal, graph, figure)
    judge = Judge(goal, graph, figure, population, people, norms, device=device, dt=dt, seed=seed, executor=executor)
    evolution = Evolution(sigma, population=population, seed=seed)
    evolution.begin(np.zeros(len(free)))
    size = goal.pushes.scale if scale is None else scale
    history: list[dict[str, float]] = []
    began = time.monotonic()
    best, last = 0, np.zeros(len(free))
    interrupted = False
    for points in evolution.generations(seconds=seconds):
        try:
            cost, measures = judge(free.rows(points), size, turn=len(history))
        except KeyboardInterrupt:
            if not history:
                raise
            interrupted = True
            break
        evolution.tell(cost)
        best = int(np.argmin(cost))
        last = points[best]
        best_values = {name: float(values[best]) for name, values in measures.items()}
        history.append({"cost": float(cost[best]), "median": float(np.median(cost)), "scale": size, **best_values})
        survived = float(np.median(measures["pushes_survived"]))
        if survived >= GROWS_AT and size < goal.pushes.highest:
            size += goal.pushes.step
        elif survived < SHRINKS_AT and size > goal.pushes.scale:
            size -= goal.pushes.step
        if progress is not None:
            progress(time.monotonic() - began, history[-1])
        if checkpoint is not None and len(history) % 10 == 0:
            numbers = {path: float(v[0]) for path, v in free.values(np.array([evolution.mean])).items()}
            state = {"generation": len(history), "scale": size, "set": numbers, "best": _plain(history[-1])}
            write_whole(Path(checkpoint), json.dumps(state).encode())
    finalists = np.resize(np.array([evolution.mean, last]), (population, len(free)))
    cost, measures = judge(free.rows(finalists), size, turn=len(history))
    winner = int(np.argmin([cost[0::2].mean(), cost[1::2].mean()]))
    numbers = {path: float(v[0]) for path, v in free.values(finalists[[winner]]).items()}
    about = f"{goal.about} The numbers are footfall's own, found by `footfall find-gait {goal.name}`.".strip()
    controller = changed_graph(graph, numbers).changed(name=goal.name, about=about)
    if goal.settles:
        controller = controller.changed(start=settled_start(controller, figure, terrain=goal.terrain) or graph.start)
    best_values = {name: float(values[winner::2].mean()) for name, values in measures.items()}
    return FoundGait(controller, numbers, best_values, size, history, interrupted)


def _plain(values: Mapping[str, float]) -> dict[str, float | None]:
    """Numbers for JSON, which has none that is not a number."""
    return {name: value if np.isfinite(value) else None for name, value in values.items()}


def _people(goal: Goal, figure: Figure, data: str | Path | None) -> tuple[Mapping[str, Array] | None, Norms | None]:
    """People's joint angles at the goal's speed, and their tables, where the goal compares with them."""
    asked = goal.measures_needing("people")
    if not asked:
        return None, None
    if data is None:
        raise FootfallError(
            f"goal '{goal.name}' asks for {', '.join(asked)}, which compare with people: name a folder that has "
            "schwartz2008_joint_angles.csv (--data DIR)"
        )
    return read_people(data, goal.people_speed), Norms(data, goal.people_speed, leg_length(skeleton_of(figure)))
