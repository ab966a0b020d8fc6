"""Gains for a clip, found over worlds, where the authors tuned by hand.

First a few known sets are tried: those of ``default-gains.toml``, which were found over many clips at once, and some of
figure 5. Then CMA-ES (:mod:`footfall.study.search.evolution`) goes on from the best. The target is the clip's next
frame, as the paper says. Every candidate walks from several disturbed starts, and is judged by staying up first, then
by the clip's path, heading, poses and time (:mod:`.following`).

Where no single set of gains carries a clip to its end, gains change along it, as in the paper, where every clip has its
own. The clip is followed from several disturbed starts until the first one falls. From some steps before that fall on,
it gets another set: first the known sets are tried, then CMA-ES goes on from the best. A set is taken when every start
comes through and stays up for some seconds more; then the walk goes on to the next fall. A disturbed start that nothing
keeps up is left out from then on; at last the undisturbed one is tried alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.controller import Entry, TrackingController
from footfall.methods.tracking.law import TrackingLaw
from footfall.methods.tracking.layout import GAINS
from footfall.methods.tracking.repertoire import Repertoire, Settings, TrackingGains
from footfall.motion.ball_poses import legs_of, skeleton_of_balls
from footfall.progress import Show, silent
from footfall.simulation import Simulation
from footfall.study.imitation.following import EVEN, Weights, clip_costs, judging_record, reached_end
from footfall.study.search.evolution import Budget, Evolution, SearchBox, evolve
from footfall.study.trials.bench import Judge, Judged, PushRound, States, TrialPlan, Undisturbed, disturbed_worlds
from footfall.study.trials.pushing import PUSH_SIDES
from footfall.text_files import packaged_toml, parse_toml, read_text

Array = NDArray[np.float64]

_SEARCHED: dict[str, dict[str, tuple[float, float]]] = packaged_toml("footfall.study.imitation", "gain-ranges.toml")
LAW_RANGES = _SEARCHED["law"]
"""Gains and settings that are searched, and where."""
RANGES = LAW_RANGES | _SEARCHED["more"]
"""The same, the share of foot placement by a model, and the entry into a clip that begins in mid-walk; a clip that
begins at rest does without it."""

BLANK = {"clip_feedforward": 0.0, "ankle_settling": 0.2, "earliest_landing": 0.7, "course": 0.0}
"""What a set of gains is taken to say where it is silent."""

COURSE = 0.5
"""What clips that are followed once try with sets that say nothing of the course."""

PLACEMENTS = (0.0, 0.5)
"""Shares of foot placement by a model that every known set is tried with."""

BOX = SearchBox(RANGES)

ENTRY = ("pace", "sway", "sink", "rise")

PUSHED_FROM, PUSHED_FOR, PUSH_SECONDS = 0.25, 0.35, 0.4
"""Where in the clip pushes begin and for how long, as shares of it; seconds of each."""

OWN_FIGURE = "mocap-biped"
"""The figure that known sets of gains were found with."""


@dataclass(frozen=True)
class GainSearch:
    """How to search.

    Attributes:
        seconds: that a candidate should stay up.
        population, generations: of CMA-ES.
        starts: disturbed starts of each candidate.
        noise: of their velocities.
        seed: of starts and strategy.
        enough: cost at which the search ends.
        restarts: how often CMA-ES starts again, from the next best known set, with its share of the generations.
        simulated: seconds of simulation after which no new generation begins.
        refined: the same once all starts of the best candidate stay up.
        pushes: newtons that candidates are pushed with as well, from four sides for 0.4 s, each in a world of its own;
            falling to all of them counts as much as all else.
        weights: what counts how much in candidates that stay up.
    """

    seconds: float = 10.0
    population: int = 12
    generations: int = 36
    starts: int = 4
    noise: float = 0.05
    seed: int = 1
    enough: float = 0.04
    restarts: int = 3
    simulated: float = 40000.0
    refined: float = 8000.0
    pushes: tuple[float, ...] = ()
    weights: Weights = EVEN

    def __post_init__(self) -> None:
        for name, least in (("population", 4), ("generations", 0), ("starts", 1)):
            if getattr(self, name) < least:
                raise FootfallError(f"gain search: {name} is {getattr(self, name)}; it must be at least {least}")


@dataclass(frozen=True, eq=False)
class SearchedGains:
    """What a search found: the controller with its gains, its cost, how many candidates were tried, and how many starts
    of the best one stayed up."""

    controller: TrackingController
    cost: float
    tried: int
    up: int
    starts: int


def search_gains(
    controller: TrackingController,
    search: GainSearch = GainSearch(),  # noqa: B008
    progress: Show = silent,
) -> SearchedGains:
    """Search gains for a controller's clip.

    Args:
        controller: with the gains to begin with.
        search: how.
        progress: called with the share done and a few words.
    """
    judge = gain_judge(controller, search)
    known, spent = known_points(controller), 0.0

    def judged(points: Array) -> dict[str, Any]:
        nonlocal spent
        found = judge(points, 0, 1.0 if search.pushes else None)
        spent += float(found.tallies["spent"].sum())
        return {"costs": found.costs, "candidates": list(zip(points, found.tallies["up"], strict=True))}

    first = judged(known)
    up = sum(stayed == search.starts for _, stayed in first["candidates"])
    progress(0.2, f"{up} of {len(known)} known sets of gains stay up")
    order = np.argsort(first["costs"], kind="stable")
    evolution = Evolution(0.15, population=search.population, seed=search.seed, boxed=True)
    evolution.consider(first["candidates"], first["costs"])
    each = max(1, -(-search.generations // search.restarts))
    done = 0

    def over() -> bool:
        carried = evolution.best[1] == search.starts
        return evolution.least < search.enough or spent > (search.refined if carried else search.simulated)

    def after(points: Array, note: Mapping[str, Any]) -> None:
        nonlocal done
        done += 1
        tried = len(known) + evolution.tried
        progress(0.2 + 0.8 * done / search.generations, f"cost {evolution.least:.3f} after {tried} sets of gains")

    while done < search.generations and not over():
        evolution.begin(np.clip(BOX.to_cube(known[order[evolution.starts % len(known)]]), 0.01, 0.99))
        budget = Budget(generations=min(each, search.generations - done))
        if evolve(evolution, lambda cube, _: judged(BOX.from_cube(cube)), budget, until=over, after=after):
            raise KeyboardInterrupt
    best, stayed = evolution.best
    tried = len(known) + evolution.tried
    return SearchedGains(with_point(controller, best), evolution.least, tried, int(stayed), search.starts)


@dataclass(frozen=True, eq=False, kw_only=True)
class GainTrials(TrialPlan):
    """Candidates follow a clip from disturbed starts, and are pushed where that is asked for. The tallies are ``up``,
    starts that stayed up, and ``spent``, seconds of simulation.

    Attributes:
        search: how to search.
    """

    graph: TrackingController
    search: GainSearch

    @cached_property
    def law(self) -> TrackingLaw:
        """Of the controller."""
        return TrackingLaw(self.graph.repertoire, self.figure)

    @cached_property
    def repertoire(self) -> Repertoire:
        """The clip as candidates follow it: their target is the next frame."""
        return replace(self.graph.repertoire, settings=Settings(ahead=True))

    def rows(self, points: Array) -> Array:
        """With the candidates' numbers, in the order of RANGES."""
        return np.concatenate([parameter_row(self.law, point)[None] for point in points])

    def begin(self, states: States, points: Array) -> None:
        """Each candidate enters the clip in its own way; the first of its starts is undisturbed."""
        starts = [with_point(self.graph, point).start for point in points]
        noise = self.search.noise
        shaken = np.random.default_rng(self.seed).normal(0.0, noise, (self.walks, self.figure.nv))
        shaken[0] = 0.0
        states["qpos"][:] = np.tile([start.qpos for start in starts], (self.walks, 1))
        states["qvel"][:] = np.tile([start.qvel for start in starts], (self.walks, 1))
        states["qvel"] += np.repeat(shaken, len(points), axis=0)

    def up(self, simulation: Simulation) -> NDArray[np.bool_]:
        """Also those that came to the clip's end."""
        return np.asarray(simulation.outcome().survived | reached_end(simulation, self.repertoire))

    def pushes(self, size: float) -> PushRound:
        """Each force from four sides."""
        forces, stride = self.search.pushes, PUSHED_FOR * self.seconds
        rest = max(0.0, self.seconds - self.settled - stride - PUSH_SECONDS)
        sides = size * np.array(list(PUSH_SIDES.values()))[:, :2]
        return PushRound(sides, 1.0, len(forces), PUSH_SECONDS, self.settled, stride, rest, sizes=forces)

    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """Means over the starts; falls to pushes count as much as all else."""
        count, lived = walks.candidates, walks.lived.ravel() / self.seconds
        costs = clip_costs(self.figure, self.repertoire, walks.trace, walks.up, lived, self.search.weights)
        up = walks.up.reshape(self.walks, count).sum(axis=0)
        spent = walks.lived.sum(axis=0)
        if pushed:
            spent = spent + len(PUSH_SIDES) * len(self.search.pushes) * (self.seconds - self.settled)
        total = np.ascontiguousarray(costs.reshape(self.walks, count).T).mean(axis=1) + lost
        return Judged(total, {}, {"up": up, "spent": spent})


def gain_judge(controller: TrackingController, search: GainSearch) -> Judge:
    """What judges sets of gains [C, n], in the order of RANGES, for a controller's clip."""
    plan = GainTrials(
        graph=controller,
        figure=Figure.load(controller.figure),
        seed=search.seed,
        settled=PUSHED_FROM * search.seconds if search.pushes else 0.0,
        seconds=search.seconds,
        walks=search.starts,
        record=judging_record(controller.repertoire),
        recorded=search.starts,
        options={"efforts": False, "last_states": 1},
        same_starts=True,
        whole_trace=True,
        search=search,
    )
    return Judge(plan, search.population)


def parameter_row(law: TrackingLaw, point: Array) -> Array:
    """A law's row of parameters with a candidate's numbers, in the order of RANGES."""
    values = {name: float(v) for name, v in zip(RANGES, point, strict=True) if name not in ENTRY}
    values |= {"ahead": 1.0, "kv": 2.0 * values["kt"] ** 0.5}
    return np.asarray(law.applied(law.parameters[None], values)[0])


def default_sets(file: Path | None = None, **silent: float) -> list[dict[str, float]]:
    """Sets of gains that hold for many clips, the best one first, or those of another file; ``silent`` is what they are
    taken to say, besides BLANK, where they are silent."""
    if file is None:
        found = packaged_toml("footfall.study.imitation", "default-gains.toml")
    else:
        found = parse_toml(read_text(file, "sets of gains"), str(file))
    rows = found["sets"] if "sets" in found else [row for row in found.values() if isinstance(row, dict)]
    return [BLANK | silent | {name: float(row[name]) for name in LAW_RANGES if name in row} for row in rows]


def split_set(values: Mapping[str, float]) -> tuple[TrackingGains, Settings]:
    """A set's gains and the settings that go with them."""
    own = {f.name: values[f.name] for f in fields(TrackingGains)}
    rest: dict[str, Any] = {f.name: values[f.name] for f in fields(Settings) if f.name in values}
    return TrackingGains(**own), Settings(**rest, ahead=True)


def known_points(controller: TrackingController) -> Array:
    """[C, n] the default sets, and the paper's for its push test and for brisk walking."""
    sets = default_sets(course=COURSE)
    for gains in (
        TrackingGains(c1_cor=0.25, c2_sag_behind=1.7, c2_sag_ahead=0.1, c2_cor=0.3),
        TrackingGains(c1_sag=0.0, c1_cor=0.3),
    ):
        sets.append(
            {name: getattr(gains, name, 0.0) for name in LAW_RANGES}
            | BLANK
            | {"clearance": 0.03, "kt": 40.0, "feedforward": 1.0, "course": COURSE}
        )
    points = []
    for known in sets:
        for entry in (Entry(), Entry(0.9, 1.0, 0.012, 0.0)) if begins_walking(controller) else (Entry(),):
            for share in PLACEMENTS:
                every = known | {f.name: getattr(entry, f.name) for f in fields(Entry)} | {"placement": share}
                points.append([every[name] for name in RANGES])
    sizes = size_factors(Figure.load(controller.figure))
    return np.array(points) * [sizes[name] for name in RANGES]


def size_factors(body: Figure) -> dict[str, float]:
    """Factors that carry a set of gains, found for mocap-biped, to another body: with its legs L times as long and the
    clip's time as it is, lengths grow with L, and angles for each metre with 1 / L."""
    if body.name == OWN_FIGURE:
        return dict.fromkeys(RANGES, 1.0)
    ratio = _leg(body) / _leg(Figure.load(OWN_FIGURE))
    power = {"c1": -1.0, "c2": -1.0, "c3": -1.0, "c4": -1.0, "lift": 1.0, "clearance": 1.0, "sink": 1.0, "rise": 1.0}
    return {name: ratio ** power.get(name, power.get(name.split("_")[0], 0.0)) for name in RANGES}


def sized_set(values: Mapping[str, float], body: Figure) -> dict[str, float]:
    """A set of gains carried to a body."""
    sizes = size_factors(body)
    return {name: value * sizes.get(name, 1.0) for name, value in values.items()}


def _leg(figure: Figure) -> float:
    """Metres from hip to ankle along the bones."""
    leg = legs_of(skeleton_of_balls(figure))[0]
    return float(np.linalg.norm(leg.knee_at) + np.linalg.norm(leg.ankle_at))


def with_point(controller: TrackingController, point: Array) -> TrackingController:
    """The controller with a candidate's numbers, in the order of RANGES."""
    values = dict(zip(RANGES, (float(x) for x in point), strict=True))
    entry = Entry(**{name: values.pop(name) for name in ENTRY})
    repertoire = controller.repertoire.changed(**values, ahead=True, kv=None)
    return replace(controller, repertoire=repertoire, entry=entry if begins_walking(controller) else Entry())


def found_point(controller: TrackingController) -> Array:
    """A controller's numbers as a candidate, in the order of RANGES; its gains are those of the first set."""
    own = controller.repertoire
    values = vars(own.settings) | vars(own.gains[0]) | vars(controller.entry)
    return np.array([values[name] for name in RANGES])


def begins_walking(controller: TrackingController) -> bool:
    """Whether the clip's first frame is in mid-walk."""
    return controller.repertoire.fragments[controller.repertoire.start].kind != "stand"


POPULATION, TRIES, AFTER, SIMULATED = 12, 3, 6.0, 30000.0
"""On a stretch: candidates of a generation; stretches without progress before a start is given up; seconds after a fall
that a set must stay up; and of simulation after which the undisturbed start is tried alone, for half as long again."""
Mark = tuple[float, int, States]
"""A time, the furthest fragment at that time, and the state of all starts."""


@dataclass(frozen=True)
class StretchSearch:
    """How to search.

    Attributes:
        seconds: of the clip that are tried.
        starts: disturbed starts, the first one undisturbed.
        noise: of their velocities.
        seed: of starts and strategy.
        before: fragments before a fall where the new gains begin; so many more whenever that does not help.
        generations: of CMA-ES, for each stretch.
    """

    seconds: float
    starts: int = 4
    noise: float = 0.05
    seed: int = 1
    before: int = 4
    generations: int = 12


@dataclass(frozen=True)
class _Fall:
    """When the first start fell, which one, and in which fragment; where all were before, at several times."""

    time: float
    start: int
    fragment: int
    marks: list[Mark]


@dataclass(frozen=True, eq=False, kw_only=True)
class StretchTrials(TrialPlan):
    """Sets of gains take the place of a controller's last one on a stretch of its clip. They cost the share of it that
    the starts did not stay up, in the mean; 0 if all of them came through.

    Attributes:
        begun: where all starts are when the stretch begins.
        since: when that is, seconds.
    """

    begun: States
    since: float

    def rows(self, points: Array) -> Array:
        """With the sets' numbers, in the order of GAINS."""
        rows = np.tile(self.graph.repertoire.parameters(), (len(points), 1))
        rows[:, -len(GAINS) :] = points
        return rows

    def begin(self, states: States, points: Array) -> None:
        """Where the stretch begins."""
        for name, values in self.begun.items():
            states[name][:] = np.repeat(values, len(points), axis=0)

    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """By the time that starts stay up."""
        share = np.where(walks.up, 1.0, (walks.outcome.end_time - self.since) / self.seconds)
        share = np.ascontiguousarray(share.reshape(self.walks, walks.candidates).T)
        return Judged(1.0 - share.mean(axis=1), {}, {"spent": share.sum(axis=1) * self.seconds})


class _Worlds:
    """Worlds that follow the clip, with the simulated seconds that they spent."""

    def __init__(self, figure: Figure, plan: StretchSearch) -> None:
        self.figure, self.plan, self.spent, self.most = figure, plan, 0.0, SIMULATED
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
        if self.starts == 1 or self.most > SIMULATED:
            return False
        if over or start == 0:
            self.shaken, self.most = self.shaken[:1], 1.5 * SIMULATED
        else:
            self.shaken = np.delete(self.shaken, start, axis=0)
        return True

    def first_fall(self, controller: TrackingController, known: Sequence[Mark]) -> _Fall | None:
        """The first fall after the last of the marks that are known; None if all starts reach the end."""
        simulation = disturbed_worlds(controller, shaken=self.shaken, figure=self.figure, last_states=1)
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

    def best_set(
        self,
        controller: TrackingController,
        known: Sequence[TrackingGains],
        mark: Mark,
        until: float,
        seed: int,
    ) -> tuple[TrackingGains, int]:
        """The best set of gains from a mark on, in the place of the controller's last one; and how many were tried."""
        plan, since, begun = self.plan, mark[0], mark[2]
        trials = StretchTrials(
            graph=controller,
            figure=self.figure,
            seed=seed,
            seconds=until - since,
            walks=self.starts,
            options={"efforts": False, "last_states": 1},
            begun=begun,
            since=since,
        )
        judge = Judge(trials, POPULATION)

        def judged(points: Array) -> dict[str, Any]:
            found = judge(points, 0)
            self.spent += float(found.tallies["spent"].sum())
            return {"costs": found.costs, "candidates": points}

        box = SearchBox({name: LAW_RANGES[name] for name in GAINS})
        sets = np.array(
            [[getattr(gains, name) for name in GAINS] for gains in (controller.repertoire.gains[-1], *known)]
        )
        evolution = Evolution(0.2, population=POPULATION, seed=seed, boxed=True)
        evolution.consider(sets, judged(sets)["costs"])
        evolution.begin(np.clip(box.to_cube(evolution.best), 0.01, 0.99))

        def over() -> bool:
            return evolution.least <= 0.0 or self.spent > self.most

        budget = Budget(generations=plan.generations)
        if evolve(evolution, lambda cube, _: judged(box.from_cube(cube)), budget, until=over):
            raise KeyboardInterrupt
        return TrackingGains(**box.named(evolution.best)), len(sets) + evolution.tried


def search_stretches(
    controller: TrackingController,
    known: Sequence[TrackingGains],
    plan: StretchSearch,
    progress: Show = silent,
) -> tuple[TrackingController, int]:
    """The controller with gains that change along its clip so that it stays up longer; and how many sets were tried.

    Args:
        controller: follows a clip once.
        known: sets of gains to try first.
        plan: how.
        progress: called with the share of the clip that all starts stay up, and a few words.
    """
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
        if worlds.spent > worlds.most or failures >= TRIES:
            if not worlds.give_up(fall.start):
                return kept, tried
            marks, failures, reached, controller = [], 0, 0.0, kept
            continue
        progress(
            fall.time / plan.seconds, f"up for {fall.time:.0f} s of {plan.seconds:.0f}; {tried} more sets of gains"
        )
        first = max(fall.fragment - plan.before * (1 + failures), 0)
        marks = [mark for mark in fall.marks if mark[1] < first] or fall.marks[:1]
        parted = _parted(controller.repertoire, first)
        controller = replace(controller, repertoire=parted)
        until = min(fall.time + AFTER, plan.seconds)
        best, count = worlds.best_set(controller, known, marks[-1], until, plan.seed + failures)
        tried += count
        controller = replace(controller, repertoire=replace(parted, gains=(*parted.gains[:-1], best)))


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
