"""Candidates judged: each walks undisturbed, crosses terrains, follows other gaits, and is pushed from five sides at
several moments of a stride.

Falls on all sides and those on the worst side count alike. A walk that has states for recovery must be back in its
usual ones at the end.

A walk whose two halves mirror each other falls to a push to the right wherever it falls to one to the left half a
stride later, so pushes to the left, over a whole stride, stand for both.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import MACHINE
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Push, Record, Simulation
from footfall.study.gait_lab.norms import Norms
from footfall.study.gaits.arrivals import arrivals
from footfall.study.gaits.goal import Goal
from footfall.study.gaits.measures import SIDES, gait_measures, lab_measures
from footfall.terrain import Terrain, parse_terrain

__all__ = ["ROSE", "Judge", "mirrored_rose"]

Array = NDArray[np.float64]

ROSE = np.array(
    [(340, 0), (230, 230), (0, 330), (-220, 220), (-270, 0), (-190, -190), (0, -240), (190, -190)], dtype=float
)
"""[8, 2] the largest pushes of 0.4 s that SIMBICON's human survived, newtons forward and to the left (section 7.2)."""

SETTLED, STRIDE, RECOVERY = 4.0, 1.1, 3.5
"""Seconds: until the walk is pushed, over which the pushes are spread, and that it must stay up after the last one."""
SIZES = (1.0, 0.8, 1.0, 0.5, 1.0, 0.2)
"""Shares of the pushes' size: the smaller ones must pass too."""
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
"""By how much the pushes' moments move with every turn, so that in time they come everywhere."""
NOISE = (2e-3, 5e-3)
FORCE_RATE = 200.0
"""Samples a second where forces are measured: those of the gait laboratory."""
ARRIVALS = 6
"""States in which each gait that must be followed is left."""
FALL_COST, UNKNOWN_COST, LATE_FALL, NOT_BACK = 1000.0, 300.0, 0.4, 0.5
"""What a fall of the undisturbed walk costs, what a walk without a measure costs, how much of a push's cost a fall
at the very end spares, and how much of it a walk pays that is not back in its usual states."""


def mirrored_rose() -> Array:
    """[5, 2] ROSE's pushes forward, to the left and backward, each the larger of itself and its mirror image."""
    mirror = np.hypot(*ROSE[[0, 7, 6, 5, 4]].T)
    return np.asarray(ROSE[:5] * np.maximum(1.0, mirror / np.hypot(*ROSE[:5].T))[:, None])


class Judge:
    """Judges ``population`` candidates at a time, each in a world of its own and one for each push."""

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
    ) -> None:
        self.goal, self.population, self.people, self.seconds = goal, population, people, seconds
        self.norms, self.sides = norms, SIDES[:1] if graph.symmetric else SIDES
        self.rose = mirrored_rose() if graph.symmetric and not graph.balance.side_speed else ROSE
        self.each = len(self.rose) * goal.pushes.phases
        self._rng = np.random.default_rng(seed)
        forces, rate = (("grf",), FORCE_RATE) if goal.measures_needing("forces") else ((), 100.0)
        record = Record(rate=rate, worlds=population, fields=("qpos", "events", *forces))

        def simulation(worlds: int, terrain: str | list[Terrain] = goal.terrain, **more: Any) -> Simulation:
            return Simulation(graph, figure=figure, worlds=worlds, terrain=terrain, dt=dt, device=device, **more)

        follows = [arrivals(name, ARRIVALS, dt=dt) for name in goal.arrives_from]
        trials = [goal.terrain, *goal.crosses, *[goal.terrain] * (ARRIVALS * len(follows))]
        grounds = [ground for ground in map(parse_terrain, trials) for _ in range(population)]
        self.walking = simulation(len(grounds), grounds if goal.crosses else goal.terrain, record=record)
        worlds = population * self.each
        still = Push(np.zeros((worlds, 3)), np.full(worlds, SETTLED), goal.pushes.duration)
        self.pushed = simulation(worlds, pushes=[still]) if worlds else None
        self._start = self.walking.snapshot()
        for i, name in enumerate(("qpos", "qvel") if follows else ()):
            arriving = np.concatenate([states[i] for states in follows])
            self._start[name][-len(arriving) * population :] = np.repeat(arriving, population, axis=0)
        self._start = self._disturbed(self._start)
        self._usual = np.array([bool(s.state.disturbed) for s in GraphTable(graph, figure).states])

    def _disturbed(self, snapshot: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        for field, first, size in (("qpos", 7, NOISE[0]), ("qvel", 0, NOISE[1])):
            part = snapshot[field][:, first:]
            part += size * self._rng.standard_normal(part.shape)
        return snapshot

    def __call__(self, rows: Array, scale: float, turn: int = 0) -> tuple[Array, dict[str, Array]]:
        """[C] costs of candidates with these rows [C, NP], pushed at ``scale`` times the rose, and their measures.

        With every ``turn`` the pushes come at other moments, and the smaller ones from other sides.
        """
        goal, walking, n = self.goal, self.walking, self.population
        walking.set_parameters(rows, np.arange(walking.worlds) % n)
        walking.reset()
        walking.restore(self._start)
        walking.run(SETTLED)
        settled = walking.snapshot()
        walking.drop_trace()
        outcome = walking.run(self.seconds - SETTLED)
        trace = walking.trace()
        measures = gait_measures(trace, outcome.torque_squared[:n], self.people, settle=0.0)
        if goal.lab_measures:
            standing = np.flatnonzero(outcome.survived[:n])
            measures |= lab_measures(trace, measures["speed"], self.norms, worlds=standing, sides=self.sides)
        lived = np.where(np.isnan(outcome.end_time), self.seconds, outcome.end_time)
        trials, lived = lived[n:].reshape(-1, n) / self.seconds, lived[:n]
        up = outcome.survived[:n]
        measures["survived"] = up.astype(float)
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
        fallen = FALL_COST * (1.5 - lived / self.seconds)
        return np.where(up, cost + measures["miss"], fallen), measures

    def _push(self, rows: Array, settled: dict[str, NDArray[Any]], scale: float, turn: int) -> tuple[Array, Array]:
        """[C] the share of pushes that each candidate survives, and what its falls cost."""
        if self.pushed is None:
            return np.ones(self.population), np.zeros(self.population)
        simulation, pushes, n = self.pushed, self.goal.pushes, self.population
        which = np.repeat(np.arange(n), self.each)
        simulation.set_parameters(rows, which)
        force = np.zeros((simulation.worlds, 3))
        which_size = np.add.outer(np.arange(len(self.rose)), np.arange(pushes.phases)) + turn
        sizes = scale * np.array(SIZES)[which_size % len(SIZES)]
        force[:, :2] = np.tile((self.rose[:, None] * sizes[..., None]).reshape(-1, 2), (n, 1))
        moments = SETTLED + (np.arange(pushes.phases) + GOLDEN * turn % 1.0) / pushes.phases * STRIDE
        start = np.tile(moments, n * len(self.rose))
        simulation.set_pushes([Push(force, start, pushes.duration)])
        simulation.reset()
        simulation.restore(self._disturbed({name: values[which] for name, values in settled.items()}))
        outcome = simulation.run(STRIDE + pushes.duration + RECOVERY)
        after = np.where(outcome.survived, np.inf, outcome.end_time) - start
        spared = np.where(np.isinf(after), 1.0, LATE_FALL * np.clip(after / (pushes.duration + RECOVERY), 0.0, 1.0))
        if self._usual.any():
            state = simulation.snapshot()["memory"][:, MACHINE.index("state")].astype(int)
            spared = spared - NOT_BACK * (outcome.survived & ~self._usual[state])
        lost = 1.0 - spared.reshape(n, len(self.rose), -1).mean(axis=2)
        cost = pushes.weight * 0.5 * (lost.mean(axis=1) + lost.max(axis=1))
        return outcome.survived.reshape(n, -1).mean(axis=1), cost
