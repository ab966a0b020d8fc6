"""Gains that change along a clip, for clips that no single set of gains carries to the end.

The clip is followed from several disturbed starts until the first one falls. From some steps before that fall on, the
clip gets another set of gains: first the known sets are tried, then CMA-ES goes on from the best.
A set is taken when every start comes through and stays up for some seconds more; then the walk goes on to the next
fall. A disturbed start that nothing keeps up is left out from then on; at last the undisturbed one is tried alone.
Gains go with fragments of motion, as in the paper, where every clip has its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.layout import GAINS
from footfall.methods.tracking.repertoire import Repertoire
from footfall.simulation import Simulation
from footfall.study.imitation.gain_search import LAW_RANGES
from footfall.study.search.cma_driver import Box, Evolution

Array = NDArray[np.float64]
Snapshot = dict[str, NDArray[Any]]
Mark = tuple[float, int, Snapshot]
"""A time, the furthest fragment at that time, and the state of all starts."""


@dataclass(frozen=True)
class StretchSearch:
    """How to search.

    Attributes:
        seconds: of the clip that are tried.
        starts: disturbed starts, the first one undisturbed. noise: of their velocities. seed: of starts and strategy.
        before: fragments before a fall where the new gains begin; so many more whenever that does not help.
        after: seconds after a fall that a set must stay up.
        population, generations: of CMA-ES, for each stretch.
        tries: stretches without progress before it gives a start up.
        simulated: seconds of simulation after which the undisturbed start is tried alone, for half as long again.
    """

    seconds: float
    starts: int = 4
    noise: float = 0.05
    seed: int = 1
    before: int = 4
    after: float = 6.0
    population: int = 12
    generations: int = 12
    tries: int = 3
    simulated: float = 30000.0


@dataclass(frozen=True)
class _Fall:
    """When the first start fell, which one, and in which fragment; where all were before, at several times."""

    time: float
    start: int
    fragment: int
    marks: list[Mark]


@dataclass(frozen=True)
class _Stretch:
    """A stretch of the clip: whose last set of gains is looked for, where all starts are when it begins, since when and
    until when it lasts."""

    controller: TrackingController
    begin: Snapshot
    since: float
    until: float


class _Worlds:
    """Worlds that follow the clip, with the simulated seconds that they spent."""

    def __init__(self, figure: Figure, plan: StretchSearch) -> None:
        self.figure, self.plan, self.spent, self.most = figure, plan, 0.0, plan.simulated
        self.shaken = np.random.default_rng(plan.seed).normal(0.0, plan.noise, (plan.starts, figure.nv))
        self.shaken[0] = 0.0

    @property
    def starts(self) -> int:
        """How many are left."""
        return len(self.shaken)

    def give_up(self, start: int) -> bool:
        """Leave a start out, or all but the undisturbed one where that falls or the time is over; False when there is
        nothing more to try."""
        over = self.spent > self.most
        if self.starts == 1 or self.most > self.plan.simulated:
            return False
        if over or start == 0:
            self.shaken, self.most = self.shaken[:1], 1.5 * self.plan.simulated
        else:
            self.shaken = np.delete(self.shaken, start, axis=0)
        return True

    def _simulation(self, controller: TrackingController, worlds: int) -> Simulation:
        return Simulation(
            controller,
            figure=self.figure,
            qvel=np.tile(np.array(controller.start.qvel) + self.shaken, (worlds // self.starts, 1)),
            worlds=worlds,
            efforts=False,
            last_states=1,
        )

    def first_fall(self, controller: TrackingController, known: Sequence[Mark]) -> _Fall | None:
        """The first fall after the last of the marks that are known; None if all starts reach the end."""
        simulation = self._simulation(controller, self.starts)
        place = simulation.law.layout.memory()["fragment"]  # type: ignore[attr-defined]
        marks = list(known)
        if marks:
            simulation.restore(marks[-1][2])
        else:
            marks.append((0.0, 0, simulation.snapshot()))
        steps = round(0.5 / simulation.dt)
        while simulation.time < self.plan.seconds - 1e-9:
            simulation.step(min(steps, round((self.plan.seconds - simulation.time) / simulation.dt)))
            self.spent += 0.5 * self.starts
            outcome = simulation.outcome()
            fragments = simulation.memory[:, place].astype(int)
            if not outcome.survived.all():
                first = int(np.argmin(np.where(outcome.survived, np.inf, outcome.end_time)))
                return _Fall(float(outcome.end_time[first]), first, int(fragments[first]), marks)
            marks.append((simulation.time, int(fragments.max()), simulation.snapshot()))
        return None

    def lived(self, stretch: "_Stretch", sets: Sequence[Gains]) -> Array:
        """[C] for sets of gains in the place of the controller's last one: the share of the stretch that the starts
        stayed up, in the mean; 1 if all of them came through."""
        controller, since = stretch.controller, stretch.since
        count, starts = len(sets), self.starts
        row = controller.repertoire.parameters()
        rows = np.tile(row, (count, 1))
        rows[:, -len(GAINS) :] = [[getattr(gains, name) for name in GAINS] for gains in sets]
        simulation = self._simulation(controller, count * starts)
        simulation.set_parameters(np.repeat(rows, starts, axis=0))
        simulation.restore(stretch.begin, np.tile(np.arange(starts), count))
        length = stretch.until - since
        simulation.step(round(length / simulation.dt))
        outcome = simulation.outcome()
        share = np.where(outcome.survived, 1.0, (outcome.end_time - since) / length)
        self.spent += float(share.sum()) * length
        return np.asarray(share.reshape(count, starts).mean(axis=1))


def search_stretches(
    controller: TrackingController,
    known: Sequence[Gains],
    plan: StretchSearch,
    progress: Callable[[float, str], None] | None = None,
) -> tuple[TrackingController, int]:
    """The controller with gains that change along its clip so that it stays up longer; and how many sets were tried.

    Args:
        controller: follows a clip once. known: sets of gains to try first.
        plan: how. progress: called with the share of the clip that all starts stay up, and a few words.
    """
    show = progress or (lambda done, what: None)
    worlds = _Worlds(Figure.load(controller.figure), plan)
    tried, failures, reached, kept = 0, 0, 0.0, controller
    marks: list[Mark] = []
    while True:
        fall = worlds.first_fall(controller, marks)
        if fall is None:
            return controller, tried
        failures = failures + 1 if fall.time < reached + 0.5 else 0
        if fall.time > reached:
            reached, kept = fall.time, controller
        if worlds.spent > worlds.most or failures >= plan.tries:
            if not worlds.give_up(fall.start):
                return kept, tried
            marks, failures, reached, controller = [], 0, 0.0, kept
            continue
        show(fall.time / plan.seconds, f"up for {fall.time:.0f} s of {plan.seconds:.0f}; {tried} more sets of gains")
        first = max(fall.fragment - plan.before * (1 + failures), 0)
        marks = [mark for mark in fall.marks if mark[1] < first] or fall.marks[:1]
        parted = _parted(controller.repertoire, first)
        controller = replace(controller, repertoire=parted)
        stretch = _Stretch(controller, marks[-1][2], marks[-1][0], min(fall.time + plan.after, plan.seconds))
        best, count = _best_set(worlds, stretch, known, plan.seed + failures)
        tried += count
        controller = replace(controller, repertoire=replace(parted, gains=(*parted.gains[:-1], best)))


def _best_set(worlds: _Worlds, stretch: _Stretch, known: Sequence[Gains], seed: int) -> tuple[Gains, int]:
    """The best set of gains for a stretch, and how many were tried."""
    plan = worlds.plan
    sets = [stretch.controller.repertoire.gains[-1], *known]
    lived = worlds.lived(stretch, sets)
    box = Box({name: LAW_RANGES[name] for name in GAINS})
    evolution = Evolution(0.2, population=plan.population, seed=seed, boxed=True)
    evolution.consider(sets, -lived)
    known_sets = len(sets)
    evolution.begin(np.clip(box.to_cube([getattr(evolution.best, name) for name in GAINS]), 0.01, 0.99))
    for cube in evolution.generations(
        plan.generations, until=lambda: evolution.least <= -1.0 or worlds.spent > worlds.most
    ):
        sets = [Gains(**box.named(row)) for row in box.from_cube(cube)]
        lived = worlds.lived(stretch, sets)
        evolution.tell(1.0 - lived)
        evolution.consider(sets, -lived)
    return evolution.best, known_sets + evolution.tried


def _parted(repertoire: Repertoire, first: int) -> Repertoire:
    """With one more set of gains, from a fragment on; sets that nothing uses any more are dropped."""
    numbers = [fragment.gains for fragment in repertoire.fragments]
    new = len(repertoire.gains)
    gains = (*repertoire.gains, repertoire.gains[numbers[first]])
    numbers = [number if k < first else new for k, number in enumerate(numbers)]
    used = sorted(set(numbers))
    fragments = tuple(
        replace(fragment, gains=used.index(number))
        for fragment, number in zip(repertoire.fragments, numbers, strict=True)
    )
    return replace(repertoire, fragments=fragments, gains=tuple(gains[k] for k in used))
