"""The worlds in which a share of a generation's candidates walk and are pushed.

What a candidate does depends on its own rows and states alone, so a generation may be tried in one piece here or in
shares on many machines.
"""

import pickle
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import MACHINE
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Push, Record, Simulation
from footfall.study.gaits.goal import Goal
from footfall.study.measures.people import Norms
from footfall.study.measures.table import WALK_MEASURES, measure_cycles, measure_walks
from footfall.study.measures.walks import SIDES, Walks
from footfall.study.trials.starts import arrivals
from footfall.terrain import Terrain, parse_terrain

Array = NDArray[np.float64]
States = dict[str, NDArray[Any]]

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
FORCE_RATE = 200.0
"""Samples a second where forces are measured: those of the gait laboratory."""
COSTLY = ("overlap", "veer", "sole_spread", "sole_lift", "slide")
"""Measures that take long, or a body's own units: they are made where a goal asks for them."""
ARRIVALS = 6
"""States in which each gait that must be followed is left."""
LATE_FALL, NOT_BACK = 0.4, 0.5
"""How much of a push's cost a fall at the very end spares, and how much of it a walk pays that is not back in its usual
states."""


def mirrored_rose() -> Array:
    """[5, 2] ROSE's pushes forward, to the left and backward, each the larger of itself and its mirror image."""
    mirror = np.hypot(*ROSE[[0, 7, 6, 5, 4]].T)
    return np.asarray(ROSE[:5] * np.maximum(1.0, mirror / np.hypot(*ROSE[:5].T))[:, None])


@dataclass(frozen=True, eq=False)
class BenchPlan:
    """What all candidates share."""

    goal: Goal
    graph: PoseControlGraph
    figure: Figure
    people: Mapping[str, Array] | None
    norms: Norms | None
    device: str
    dt: float
    seconds: float

    @property
    def rose(self) -> Array:
        """[D, 2] the largest pushes, newtons forward and to the left."""
        return mirrored_rose() if self.graph.symmetric and not self.graph.balance.side_speed else ROSE

    @property
    def each(self) -> int:
        """Pushed worlds of a candidate."""
        return len(self.rose) * self.goal.pushes.phases


class TrialBench:
    """Simulations for C candidates: T worlds of each that walk, world t C + c for candidate c, and those that are
    pushed, one after the other for each candidate.

    Attributes:
        start: states in which the walks begin.
    """

    def __init__(self, plan: BenchPlan, candidates: int) -> None:
        self.plan, self.candidates = plan, candidates
        goal = plan.goal
        forces, rate = (("grf",), FORCE_RATE) if goal.measures_needing("forces") else ((), 100.0)
        record = Record(rate=rate, worlds=candidates, fields=("qpos", "events", *forces))

        def simulation(worlds: int, terrain: str | list[Terrain] = goal.terrain, **more: Any) -> Simulation:
            options: dict[str, Any] = {"terrain": terrain, "dt": plan.dt, "device": plan.device}
            return Simulation(plan.graph, figure=plan.figure, worlds=worlds, **options, **more)

        follows = [arrivals(name, ARRIVALS, dt=plan.dt) for name in goal.arrives_from]
        trials = [goal.terrain, *goal.crosses, *[goal.terrain] * (ARRIVALS * len(follows))]
        grounds = [ground for ground in map(parse_terrain, trials) for _ in range(candidates)]
        self.walking = simulation(len(grounds), grounds if goal.crosses else goal.terrain, record=record)
        worlds = candidates * plan.each
        still = Push(np.zeros((worlds, 3)), np.full(worlds, SETTLED), goal.pushes.duration)
        self.pushed = simulation(worlds, pushes=[still]) if worlds else None
        self.start = self.walking.snapshot()
        for i, name in enumerate(("qpos", "qvel") if follows else ()):
            arriving = np.concatenate([states[i] for states in follows])
            self.start[name][-len(arriving) * candidates :] = np.repeat(arriving, candidates, axis=0)
        asked = {*goal.want, *goal.less}
        self._measured = tuple(m for m in WALK_MEASURES if m in asked or m not in COSTLY)
        self._usual = np.array([bool(s.state.disturbed) for s in GraphTable(plan.graph, plan.figure).states])

    def walk(self, rows: Array, start: Mapping[str, NDArray[Any]]) -> tuple[States, dict[str, Array], Array]:
        """Let candidates with these rows [C, NP] walk, from states [T C].

        Returns:
            their states [C] before they would be pushed, their measures [C] (with "survived"), and [T, C] for how many
            seconds each stayed up.
        """
        walking, n, seconds = self.walking, self.candidates, self.plan.seconds
        walking.set_parameters(rows, np.arange(walking.worlds) % n)
        walking.reset()
        walking.restore(start)
        walking.run(SETTLED)
        settled = {name: values[:n] for name, values in walking.snapshot().items()}
        walking.drop_trace()
        outcome = walking.run(seconds - SETTLED)
        trace = walking.trace()
        walks = Walks(trace, outcome.torque_squared[:n], people=self.plan.people)
        measures = measure_walks(walks, self._measured)
        if self.plan.goal.lab_measures:
            standing = np.flatnonzero(outcome.survived[:n])
            sides = SIDES[:1] if self.plan.graph.symmetric else SIDES
            measures |= measure_cycles(trace, measures["speed"], self.plan.norms, worlds=standing, sides=sides)
        measures["survived"] = outcome.survived[:n].astype(float)
        lived = np.where(np.isnan(outcome.end_time), seconds, outcome.end_time)
        return settled, measures, lived.reshape(-1, n)

    def push(self, rows: Array, states: Mapping[str, NDArray[Any]], scale: float, turn: int) -> tuple[Array, Array]:
        """[C] the share of pushes that each candidate survives from states [C each], and what its falls cost."""
        simulation, pushes, n, rose = self.pushed, self.plan.goal.pushes, self.candidates, self.plan.rose
        assert simulation is not None
        simulation.set_parameters(rows, np.repeat(np.arange(n), self.plan.each))
        force = np.zeros((simulation.worlds, 3))
        which_size = np.add.outer(np.arange(len(rose)), np.arange(pushes.phases)) + turn
        sizes = scale * np.array(SIZES)[which_size % len(SIZES)]
        force[:, :2] = np.tile((rose[:, None] * sizes[..., None]).reshape(-1, 2), (n, 1))
        moments = SETTLED + (np.arange(pushes.phases) + GOLDEN * turn % 1.0) / pushes.phases * STRIDE
        start = np.tile(moments, n * len(rose))
        simulation.set_pushes([Push(force, start, pushes.duration)])
        simulation.reset()
        simulation.restore(states)
        outcome = simulation.run(STRIDE + pushes.duration + RECOVERY)
        after = np.where(outcome.survived, np.inf, outcome.end_time) - start
        spared = np.where(np.isinf(after), 1.0, LATE_FALL * np.clip(after / (pushes.duration + RECOVERY), 0.0, 1.0))
        if self._usual.any():
            state = simulation.snapshot()["memory"][:, MACHINE.index("state")].astype(int)
            spared = spared - NOT_BACK * (outcome.survived & ~self._usual[state])
        lost = 1.0 - spared.reshape(n, len(rose), -1).mean(axis=2)
        cost = pushes.weight * 0.5 * (lost.mean(axis=1) + lost.max(axis=1))
        return outcome.survived.reshape(n, -1).mean(axis=1), cost


@lru_cache(maxsize=8)
def _bench(plan: bytes, candidates: int, thread: int) -> TrialBench:
    """A bench of this thread's own, kept for the next generations."""
    return TrialBench(pickle.loads(plan), candidates)


@dataclass(frozen=True, eq=False)
class WalkTrial:
    """A share of the candidates, to walk: a job. plan: pickled."""

    plan: bytes
    rows: Array
    start: States

    def run(self) -> tuple[States, dict[str, Array], Array]:
        """As :meth:`TrialBench.walk`."""
        return _bench(self.plan, len(self.rows), threading.get_ident()).walk(self.rows, self.start)


@dataclass(frozen=True, eq=False)
class PushTrial:
    """A share of the candidates, to be pushed: a job. plan: pickled."""

    plan: bytes
    rows: Array
    states: States
    scale: float
    turn: int

    def run(self) -> tuple[Array, Array]:
        """As :meth:`TrialBench.push`."""
        bench = _bench(self.plan, len(self.rows), threading.get_ident())
        return bench.push(self.rows, self.states, self.scale, self.turn)
