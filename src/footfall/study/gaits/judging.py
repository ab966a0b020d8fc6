"""Candidates judged: each walks undisturbed, and is pushed from eight sides at several moments of a stride."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.figures import Figure
from footfall.simulation import Push, Record, Simulation
from footfall.study.gaits.goal import Goal
from footfall.study.gaits.measures import gait_measures

__all__ = ["ROSE", "Judge"]

Array = NDArray[np.float64]

ROSE = np.array(
    [(340, 0), (230, 230), (0, 330), (-220, 220), (-270, 0), (-190, -190), (0, -240), (190, -190)], dtype=float
)
"""[8, 2] the largest pushes of 0.4 s that SIMBICON's human survived, newtons forward and to the left (section 7.2)."""

FIRST_PUSH, STRIDE = 4.0, 1.1
NOISE = (2e-3, 5e-3)
FALL_COST, UNKNOWN_COST = 1000.0, 300.0


class Judge:
    """Judges ``population`` candidates at a time, each in a world of its own and one for each push."""

    def __init__(
        self,
        goal: Goal,
        graph: PoseControlGraph,
        figure: Figure,
        population: int,
        people: Mapping[str, Array] | None,
        *,
        device: str = "cpu",
        dt: float = 0.002,
        seconds: float = 9.0,
        seed: int = 1,
    ) -> None:
        self.goal, self.population, self.people, self.seconds = goal, population, people, seconds
        self.each = len(ROSE) * goal.pushes.phases
        worlds = population * (1 + self.each)
        still = Push(np.zeros((worlds, 3)), np.full(worlds, FIRST_PUSH), goal.pushes.duration)
        record = Record(rate=100.0, worlds=population, fields=("qpos", "events"))
        self.simulation = Simulation(
            graph,
            figure=figure,
            worlds=worlds,
            terrain=goal.terrain,
            pushes=[still],
            dt=dt,
            device=device,
            record=record,
        )
        rng = np.random.default_rng(seed)
        snapshot = self.simulation.snapshot()
        snapshot["qpos"][:, 7:] += NOISE[0] * rng.standard_normal(snapshot["qpos"][:, 7:].shape)
        snapshot["qvel"] += NOISE[1] * rng.standard_normal(snapshot["qvel"].shape)
        self._start = snapshot

    def __call__(self, rows: Array, scale: float, shift: float = 0.0) -> tuple[Array, dict[str, Array]]:
        """[C] costs of candidates with these rows [C, NP], pushed at ``scale`` times the rose, and their measures.

        ``shift`` moves the pushes' moments, as a share of the time between two.
        """
        goal, n = self.goal, self.population
        simulation, phases = self.simulation, goal.pushes.phases
        simulation.set_parameters(rows, np.concatenate([np.arange(n), np.repeat(np.arange(n), self.each)]))
        force, start = np.zeros((simulation.worlds, 3)), np.full(simulation.worlds, FIRST_PUSH)
        sizes = np.where(np.arange(phases) < phases - goal.pushes.small, scale, 0.55 * scale)
        force[n:, :2] = np.tile((ROSE[:, None] * sizes[:, None]).reshape(-1, 2), (n, 1))
        start[n:] += np.tile((np.arange(phases) + shift) / phases * STRIDE, n * len(ROSE))
        simulation.set_pushes([Push(force, start, goal.pushes.duration)])
        simulation.reset()
        simulation.restore(self._start)
        outcome = simulation.run(self.seconds)
        measures = gait_measures(simulation.trace(), outcome.torque_squared, self.people)
        up = outcome.survived
        lived = np.where(np.isnan(outcome.end_time[:n]), self.seconds, outcome.end_time[:n])
        measures["survived"] = up[:n].astype(float)
        measures["pushes_survived"] = up[n:].reshape(n, -1).mean(axis=1)
        misses = np.zeros(n)
        for name, (low, high, weight) in goal.want.items():
            misses += weight * np.maximum(0.0, np.maximum(low - measures[name], measures[name] - high))
        for name, weight in goal.less.items():
            misses += weight * measures[name]
        measures["miss"] = np.nan_to_num(misses, nan=UNKNOWN_COST)
        fallen = FALL_COST * (1.5 - lived / self.seconds)
        cost = goal.pushes.weight * (1.0 - measures["pushes_survived"]) + measures["miss"]
        return np.where(up[:n], cost, fallen), measures
