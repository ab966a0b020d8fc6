"""k of n: whether something walks, crosses or stands, as a rate over starts, step sizes and seeds.

One run proves little: a gait near the edge of its basin passes with one rounding and falls with the next. A trial runs
each of several starts (undisturbed, and disturbed by 1e-6 and by 1e-3) with steps of 0.5, 1 and 2 ms. The draws come
from a seed that no search and no test uses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Outcome, Simulation
from footfall.study.sweeps.conditions import perturbed_starts
from footfall_reproductions.rates import wilson_interval

Array = NDArray[np.float64]
Judge = Callable[[Outcome], NDArray[np.bool_]]

NOISES = (1e-6, 1e-3)
"""Sizes of the disturbances, radians (and five times that a second on every rate)."""
DTS = (0.0005, 0.001, 0.002)
SEED = 7_001
"""Of the draws; searches and tests use small numbers."""
DRAWS = 10
"""Draws of each size, where a run is cheap."""
WALKS = 0.95
"""The share of runs in which something must walk for "it walks" to hold."""


@dataclass(frozen=True)
class Trials:
    """What passed.

    Attributes:
        passed: how many runs.
        tried: of how many.
        parts: passed and tried by step size and by disturbance, as text.
        outcomes: of each step size, all starts in it, the undisturbed one first.
    """

    passed: int
    tried: int
    parts: Mapping[str, tuple[int, int]]
    outcomes: tuple[Outcome, ...] = ()

    @property
    def rate(self) -> float:
        """The share that passed."""
        return self.passed / self.tried

    @property
    def words(self) -> str:
        """k of n, the confidence interval and the parts that lost a run."""
        low, high = wilson_interval(self.passed, self.tried)
        text = f"{self.passed} of {self.tried} (95 % confidence: {low:.0%} to {high:.0%})"
        if self.passed < self.tried:
            text += "; " + ", ".join(f"{name}: {k} of {n}" for name, (k, n) in self.parts.items() if k < n)
        return text

    def fields(self, bound: float = WALKS) -> dict[str, Any]:
        """What a row says about them."""
        return {"passed": self.passed, "tried": self.tried, "bound": bound}

    @classmethod
    def counted(
        cls, passed: Mapping[float, NDArray[np.bool_]], noise: Array, outcomes: Sequence[Outcome] = ()
    ) -> "Trials":
        """From [R] verdicts by step size, of starts whose disturbances are ``noise`` [R]."""
        every = np.stack([passed[dt] for dt in passed])
        parts = {f"{1000 * dt:g} ms": (int(v.sum()), v.size) for dt, v in passed.items()}
        for size in np.unique(noise):
            part = every[:, noise == size]
            parts["undisturbed" if size == 0 else f"disturbed by {size:g}"] = (int(part.sum()), part.size)
        return cls(int(every.sum()), int(every.size), parts, tuple(outcomes))


def disturbed_starts(
    figure: Figure, qpos: Array, qvel: Array, draws: int = DRAWS, seed: int = SEED
) -> tuple[Array, Array, Array]:
    """The undisturbed start and ``draws`` of each size: qpos [R, nq], qvel [R, nv] and sizes [R]."""
    noise = np.concatenate([[0.0], *(np.full(draws, size) for size in NOISES)])
    starts = perturbed_starts(figure, qpos, qvel, noise, np.arange(len(noise)), seed)
    return (*starts, noise)


def start_of(controller: PoseControlGraph, figure: Figure) -> tuple[Array, Array]:
    """Where a controller starts: qpos [nq], qvel [nv]."""
    if controller.start is None:
        return np.asarray(figure.standing_qpos()[0], float), np.zeros(figure.nv)
    return np.array(controller.start.qpos, float), np.array(controller.start.qvel, float)


def still_walking(footsteps: int, direction: float = 0.0) -> Judge:
    """Upright to the end, with at least so many footsteps; forward if ``direction`` is 1, backward if it is -1."""

    def judge(outcome: Outcome) -> NDArray[np.bool_]:
        there = np.ones(len(outcome.survived), dtype=bool) if direction == 0 else outcome.distance * direction > 0
        return np.asarray(outcome.survived & (outcome.footsteps >= footsteps) & there)

    return judge


def run_trials(
    controller: str | PoseControlGraph,
    seconds: float,
    judge: Judge | None = None,
    *,
    draws: int = DRAWS,
    dts: Sequence[float] = DTS,
    seed: int = SEED,
    start: tuple[Array, Array] | None = None,
    **options: Any,
) -> Trials:
    """Run a controller from every start at every step size.

    Args:
        controller: a graph or its name.
        seconds: how long.
        judge: outcome -> [R] whether each run passes; by default whether it stays up.
        draws: disturbed starts of each size.
        dts: step sizes.
        seed: of the draws.
        start: qpos [nq] and qvel [nv] to disturb; by default the controller's.
        options: of the simulation, the same for all runs.
    """
    graph = load_graph(controller)
    figure = options.pop("figure", None) or Figure.load(graph.figure)
    qpos, qvel, noise = disturbed_starts(figure, *(start or start_of(graph, figure)), draws, seed)
    passed, outcomes = {}, []
    for dt in dts:
        simulation = Simulation(
            graph, figure=figure, worlds=len(noise), qpos=qpos, qvel=qvel, dt=dt, last_states=1, **options
        )
        outcomes.append(simulation.run(seconds))
        passed[dt] = np.asarray((judge or still_walking(0))(outcomes[-1]), dtype=bool)
    return Trials.counted(passed, noise, outcomes)
