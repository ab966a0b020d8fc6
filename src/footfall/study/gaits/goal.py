"""Goals: what a gait should be like, as data. One TOML file each, built in or a user's own.

about = "A walk on bent knees."       what it is, for the controller's file
base = "walk-3d"                     the controller to begin with: built in, or one of the sketches beside the goals
[set]                                numbers of it that are changed beforehand, by path
angles, feedback, shared, gains      which of its numbers are free
[want]                               measure = [low, high, weight]: nothing to pay inside, weight times the miss outside
[less]                               measure = weight: the less the better
[pushes]                             how hard it is pushed at first, how much harder whenever it succeeds
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import MACHINE
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.figures.side_names import SIDES
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Record
from footfall.study.measures.people import Norms
from footfall.study.measures.table import (
    GOAL_MEASURES,
    OLD_NAMES,
    OLD_UNITS,
    WALK_MEASURES,
    measure_cycles,
    measure_walks,
)
from footfall.study.measures.walks import Walks
from footfall.study.measures.wanted import UNKNOWN_COST, WantedMeasures
from footfall.study.search.free_numbers import FreeChoice, changed_graph
from footfall.study.trials.bench import (
    LATE_FALL,
    ROSE,
    Judged,
    PushRound,
    States,
    TrialPlan,
    Undisturbed,
    mirrored_rose,
)
from footfall.study.trials.starts import arrivals, load_any_graph
from footfall.terrain import parse_terrain
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import Schema, read_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pushes:
    """How candidates are pushed: in eight directions, as multiples of the largest pushes that SIMBICON's human survived
    (section 7.2), over one stride.

    Attributes:
        scale: the multiple at the start.
        step: by how much it grows when candidates survive most.
        highest: where it ends.
        phases: moments within a stride, in every direction; some push less hard.
        weight: what a whole set of falls costs.
        duration: seconds.
    """

    scale: float = 0.3
    step: float = 0.02
    highest: float = 1.3
    phases: int = 3
    weight: float = 100.0
    duration: float = 0.4


@dataclass(frozen=True)
class Goal(WantedMeasures, FreeChoice):
    """What a gait should be like, and which numbers of its controller are free.

    Attributes:
        name: of the controller to be found.
        base: the controller to begin with.
        about: what it is, in a sentence.
        set: numbers changed in the first controller, by path.
        want: measure -> (low, high, weight).
        less: measure -> weight.
        pushes: how candidates are pushed.
        people_speed: of the people whose joint angles ``likeness`` compares with, m/s.
        terrain: what it walks on.
        crosses: terrains that it must cross besides.
        arrives_from: controllers that it must be able to follow.
        trial_weight: what falling in all these trials costs.
        settles: whether its file starts in its own cycle, and not where the controller began that it was found from.
    """

    name: str
    base: str
    about: str = ""
    set: Mapping[str, float] = field(default_factory=dict)
    want: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    less: Mapping[str, float] = field(default_factory=dict)
    pushes: Pushes = field(default_factory=Pushes)
    people_speed: float = 1.28
    terrain: str = "flat"
    crosses: tuple[str, ...] = ()
    arrives_from: tuple[str, ...] = ()
    trial_weight: float = 100.0
    settles: bool = True

    def start(self) -> PoseControlGraph:
        """The controller to begin with."""
        return changed_graph(load_any_graph(self.base), self.set)

    def __post_init__(self) -> None:
        for measure in (*self.want, *self.less):
            if measure not in GOAL_MEASURES:
                raise FootfallError(f"goal '{self.name}': {unknown_name('measure', measure, GOAL_MEASURES)}")
        for measure, numbers in self.want.items():
            if len(numbers) != 3 or not numbers[0] <= numbers[1]:
                raise FootfallError(f"goal '{self.name}': want {measure} is {list(numbers)}; give [low, high, weight]")


def goal_names() -> tuple[str, ...]:
    """Names of the built-in goals."""
    folder = resources.files("footfall.study.gaits") / "goals"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def load_goal(source: str | Path) -> Goal:
    """A goal by built-in name or from a ``.toml`` file."""
    name = str(source)
    if name in goal_names():
        text = (resources.files("footfall.study.gaits") / "goals" / f"{name}.toml").read_text(encoding="utf-8")
    else:
        path = Path(source)
        if path.suffix != ".toml":
            raise unknown_name("goal", name, goal_names())
        text, name = read_text(path, "goal file"), path.stem
    where = f"goal '{name}'"
    table = parse_toml(text, where)
    for part in ("want", "less"):
        asked = table.get(part)
        if isinstance(asked, dict):
            table[part] = dict(_as_named_today(m, value) for m, value in asked.items())
    return read_table(table, Goal, where, Schema(largest=math.inf), given={"name": name})


def _as_named_today(measure: str, asked: Any) -> tuple[str, Any]:
    """A measure of a goal file, and its weight or [low, high, weight], by today's name and in its unit."""
    if measure in GOAL_MEASURES:
        return measure, asked
    name, unit = OLD_UNITS.get(measure, (OLD_NAMES.get(measure, measure), 1.0))
    if unit == 1.0:
        return name, asked
    if isinstance(asked, list) and len(asked) == 3 and all(type(v) in (int, float) for v in asked):
        return name, [asked[0] * unit, asked[1] * unit, asked[2] / unit]
    return name, asked / unit if type(asked) in (int, float) else asked


SETTLED, STRIDE, RECOVERY = 4.0, 1.1, 3.5
"""Seconds: until the walk is pushed, over which the pushes are spread, and that it must stay up after the last one."""
NOISE = (2e-3, 5e-3)
"""Of joint angles, radians, and of velocities."""
FORCE_RATE = 200.0
"""Samples a second where forces are measured: those of the gait laboratory."""
ARRIVALS = 6
"""States in which each gait that must be followed is left."""
COSTLY = ("leg_clearance", "veer", "sole_spread", "sole_lift", "slide")
"""Measures that take long, or a body's own units: they are made where a goal asks for them."""
FALL_COST = 1000.0
"""What a fall of the undisturbed walk costs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class GoalTrials(TrialPlan):
    """Candidates for a goal walk undisturbed, cross terrains, follow other gaits, and are pushed from all sides at
    several moments of a stride. A walk that has states for recovery must be back in its usual ones at the end.

    Attributes:
        goal: what is wanted.
        people: their joint angles, where the goal compares with them.
        norms: their tables.
        arrived: qpos and qvel [A] in which the last A walks of each candidate begin; None where none does.
    """

    goal: Goal
    people: Mapping[str, Array] | None = None
    norms: Norms | None = None
    arrived: tuple[Array, Array] | None = None

    def begin(self, states: States, points: Array) -> None:
        """Walks that follow other gaits begin where those were left."""
        for name, arriving in zip(("qpos", "qvel"), self.arrived or (), strict=False):
            states[name][-len(arriving) * len(points) :] = np.repeat(arriving, len(points), axis=0)

    def pushes(self, size: float) -> PushRound | None:
        """Multiples of SIMBICON's."""
        asked = self.goal.pushes
        rose = mirrored_rose() if self.graph.symmetric and not self.graph.balance.side_speed else ROSE
        if not asked.phases:
            return None
        return PushRound(rose, size, asked.phases, asked.duration, SETTLED, STRIDE, RECOVERY)

    @property
    def _measured(self) -> tuple[str, ...]:
        asked = {*self.goal.want, *self.goal.less}
        return tuple(m for m in WALK_MEASURES if m in asked or (m in GOAL_MEASURES and m not in COSTLY))

    @cached_property
    def _usual(self) -> NDArray[np.bool_]:
        return np.array([bool(s.state.disturbed) for s in GraphTable(self.graph, self.figure).states])

    def not_back(self, states: States) -> NDArray[np.bool_] | None:
        """Those in states of a recovery."""
        if not self._usual.any():
            return None
        return np.asarray(~self._usual[states["memory"][:, MACHINE.index("state")].astype(int)])

    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """Misses of what is wanted, of trials and of pushes; or the fall of the undisturbed walk."""
        goal, n = self.goal, walks.candidates
        outcome, trace = walks.outcome, walks.trace
        measures = measure_walks(Walks(trace, outcome.torque_squared[:n], people=self.people), self._measured)
        if goal.lab_measures:
            standing = np.flatnonzero(outcome.survived[:n])
            sides = SIDES[:1] if self.graph.symmetric else SIDES
            measures |= measure_cycles(trace, measures["speed"], self.norms, worlds=standing, sides=sides)
        up = outcome.survived[:n].astype(float)
        tallies = {"survived": up, "pushes_survived": survived}
        misses = sum((*goal.misses(measures), *goal.burdens(measures)), np.zeros(n))
        trials = walks.lived[1:] / self.seconds
        if len(trials):
            tallies["trials_survived"] = (trials >= 1.0).mean(axis=0)
            misses = misses + goal.trial_weight * (1.0 - np.where(trials >= 1.0, 1.0, LATE_FALL * trials)).mean(axis=0)
        tallies["miss"] = np.nan_to_num(misses, nan=UNKNOWN_COST)
        fallen = FALL_COST * (1.5 - walks.lived[0] / self.seconds)
        costs = np.where(up == 1.0, goal.pushes.weight * lost + tallies["miss"], fallen)
        return Judged(costs, measures, tallies)


def goal_trials(
    goal: Goal, graph: PoseControlGraph, figure: Figure, *, dt: float = 0.002, seconds: float = 8.0, **plan: Any
) -> GoalTrials:
    """How candidates for a goal are tried.

    Args:
        goal: what is wanted.
        graph: the controller to begin with.
        figure: its body.
        dt: step, seconds.
        seconds: of undisturbed walks.
        plan: device, seed, people and norms, as :class:`GoalTrials` has them.
    """
    usual: dict[str, Any] = {"device": "cpu", "seed": 1}
    plan = usual | plan
    follows = [arrivals(name, ARRIVALS, dt=dt) for name in goal.arrives_from]
    arrived = (np.concatenate([f[0] for f in follows]), np.concatenate([f[1] for f in follows])) if follows else None
    trials = [goal.terrain, *goal.crosses, *[goal.terrain] * (ARRIVALS * len(follows))]
    forces, rate = (("grf",), FORCE_RATE) if goal.measures_needing("forces") else ((), 100.0)
    return GoalTrials(
        graph=graph,
        figure=figure,
        dts=(dt,),
        settled=SETTLED,
        seconds=seconds,
        noise=NOISE,
        ground=goal.terrain,
        walks=len(trials),
        grounds=tuple(map(parse_terrain, trials)) if goal.crosses else (),
        record=Record(rate=rate, fields=("qpos", "events", *forces)),
        same_starts=True,
        goal=goal,
        arrived=arrived,
        **plan,
    )
