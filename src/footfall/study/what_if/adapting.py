"""How a walk adapts to a change: a search over its own numbers, side by side, for a steady walk with little effort.

Nothing asks it to be even: whoever limps with less effort may limp. The servos' gains are not free, since strength is
what a change takes away.
"""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.gaits.free_numbers import FreeNumbers
from footfall.study.gaits.goal import Goal, Pushes
from footfall.study.gaits.judging import Judge
from footfall.study.gaits.settled_start import settled_start
from footfall.study.search.cma_driver import Evolution
from footfall.study.search.graph_changes import changed_graph
from footfall.study.what_if.changes import Walker

Array = NDArray[np.float64]
Progress = Callable[[float, str], None]

ANGLE_STEP, SPEED_STEP = 0.08, 0.1
"""First steps of target angles, radians, and of the desired speed, m/s."""
LIMIT_STEP, LIMITS = 0.08, (0.1, 1.5)
"""First step and range of the limits of v beyond which a walk takes quick steps, m/s."""
FEEDBACK_STEPS = {"c_d": 0.1, "c_v": 0.05}
LEAN = 0.3
"""Radians to which the torso's targets are bound."""
PACE = 0.05
"""By how much the speed may miss, as a share."""
SLACK, WIDTHS = 0.15, (0.03, 0.2)
"""By how much the time of a step may differ, as a share, and where the step width may be, metres."""
STANDING = 1000.0
"""A cost below this is that of a candidate that stayed up."""


def free_goal(walker: Walker, speed: float, step_time: float) -> Goal:
    """What is free of a walker's two-sided controller, and what is wanted: to walk at ``speed``, m/s, with steps of
    about ``step_time`` seconds."""
    figure, graph = walker.figure, walker.graph
    numbers: dict[str, float] = {"speed": SPEED_STEP}
    if graph.recovery is not None:
        numbers |= dict.fromkeys(("slower", "faster", "sideways"), LIMIT_STEP)
    limits: dict[str, tuple[float, float]] = dict.fromkeys(("slower", "faster", "sideways"), LIMITS)
    for label, state in zip(graph.labels, graph.states, strict=True):
        swing = figure.legs["right" if state.stance == "left" else "left"]
        joints = {j for leg in figure.legs.values() for j in (*leg.knee, *leg.ankle)} | {*swing.hip}
        for name, target in state.targets.items():
            torso = name in ("torso", "torso_roll")
            if not torso and (name not in joints or name in walker.fixed or name.endswith(("_yaw", "ankle_roll"))):
                continue
            numbers[f"{label}.{name}.angle"] = ANGLE_STEP
            if torso:
                limits[f"{label}.{name}.angle"] = (-LEAN, LEAN)
            elif not target.world:
                joint = figure.joint(name)
                limits[f"{label}.{name}.angle"] = (joint.lower, joint.upper)
            if name in swing.hip:
                numbers |= {f"{label}.{name}.{part}": step for part, step in FEEDBACK_STEPS.items()}
    return Goal(
        name=graph.name,
        base=graph.name,
        numbers=numbers,
        limits=limits,
        want={
            "speed": (speed * (1.0 - PACE), speed * (1.0 + PACE), 300.0),
            "step_time": ((1.0 - SLACK) * step_time, (1.0 + SLACK) * step_time, 1000.0),
            "step_width": (*WIDTHS, 600.0),
            "flight": (0.0, 0.01, 300.0),
        },
        less={"effort": 4.0, "shake": 8.0, "drift": 60.0, "turn": 200.0},
        pushes=Pushes(scale=0.15, step=0.02, highest=0.4, phases=1, weight=60.0),
    )


def adapted_walk(
    walker: Walker,
    speed: float,
    step_time: float,
    *,
    seconds: float = 120.0,
    population: int = 16,
    sigma: float = 0.5,
    seed: int = 1,
    dt: float = 0.002,
    device: str = "cpu",
    progress: Progress | None = None,
) -> tuple[PoseControlGraph, list[float]]:
    """The controller that a search finds for a changed walker, with a start in its own cycle, and the best cost of each
    generation.

    Args:
        walker: with a controller for both sides (``two_sided``).
        speed: to walk at, m/s. step_time: about which its steps should take, seconds.
        seconds: of searching, by the clock. population, sigma, seed: of the search.
        dt: step of the simulations, seconds. device: "cpu" or "cuda".
        progress: called with the share of the time spent and a few words.
    """
    goal = free_goal(walker, speed, step_time)
    free = FreeNumbers(goal, walker.graph, walker.figure)
    judge = Judge(goal, walker.graph, walker.figure, population, None, device=device, dt=dt, seed=seed)
    evolution = Evolution(sigma, population=population, seed=seed)
    evolution.begin(np.zeros(len(free)))
    size = goal.pushes.scale
    history: list[float] = []
    began = time.monotonic()
    for points in evolution.generations(seconds=seconds):
        if not history:
            points[0] = 0.0
        cost, measures = judge(free.rows(points), size, turn=len(history))
        evolution.tell(cost)
        evolution.consider(points, cost)
        history.append(float(cost.min()))
        if float(np.median(measures["pushes_survived"])) >= 0.85 and size < goal.pushes.highest:
            size += goal.pushes.step
        if progress is not None:
            words = f"generation {len(history)}, cost {evolution.least:.0f}"
            progress(min((time.monotonic() - began) / seconds, 1.0), words)
    finalists = np.resize(np.array([evolution.mean, evolution.best]), (population, len(free)))
    cost, _ = judge(free.rows(finalists), size, turn=len(history))
    winner = int(np.argmin([cost[0::2].mean(), cost[1::2].mean()]))
    if cost[winner::2].mean() >= STANDING:
        raise FootfallError(
            f"no walk was found in {seconds:g} s of searching ({len(history)} generations): every candidate fell; give "
            "it longer (--seconds), or a smaller change"
        )
    numbers = {path: float(v[0]) for path, v in free.values(finalists[[winner]]).items()}
    found = changed_graph(walker.graph, numbers)
    return found.changed(start=settled_start(found, walker.figure) or found.start), history
