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
from importlib import resources
from pathlib import Path

from footfall.errors import FootfallError, unknown_name
from footfall.methods.simbicon.files import load_graph, parse_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.measures.table import CYCLE_MEASURES, GOAL_MEASURES, OLD_NAMES
from footfall.study.search.graph_changes import changed_graph
from footfall.text_files import parse_toml, read_text
from footfall.toml_files import Schema, read_table


@dataclass(frozen=True)
class Pushes:
    """How candidates are pushed: in eight directions, as multiples of the largest pushes that SIMBICON's human survived
    (section 7.2), over one stride.

    Attributes:
        scale: the multiple at the start. step: by how much it grows when candidates survive most. highest: where it
            ends.
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
class Goal:
    """What a gait should be like.

    Attributes:
        name: of the controller to be found. about: what it is, in a sentence.
        base: the controller to begin with. set: numbers changed in it, by path.
        angles: roles whose target angles are free, state by state. feedback: roles whose c_d and c_v are free, state by
            state. shared: roles whose c_d and c_v are free and the same in all states, or in all states of a group.
        groups: names of states that share them; by default all do.
        gains: groups of joints that share one free kp (kd is a tenth of it).
        numbers: other free parameters by path, with the size of a first step.
        holds: whether the states' times are free.
        want, less: see above. pushes: how candidates are pushed.
        people_speed: of the people whose joint angles ``likeness`` compares with, m/s.
        limits: lowest and highest value by path.
        terrain: what it walks on. crosses: terrains that it must cross besides. arrives_from: controllers that it
            must be able to follow. trial_weight: what falling in all these trials costs.
        settles: whether its file starts in its own cycle, and not where the controller began that it was found from.
    """

    name: str
    base: str
    about: str = ""
    set: Mapping[str, float] = field(default_factory=dict)
    angles: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    gains: tuple[tuple[str, ...], ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    holds: bool = True
    want: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    less: Mapping[str, float] = field(default_factory=dict)
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    pushes: Pushes = field(default_factory=Pushes)
    people_speed: float = 1.28
    terrain: str = "flat"
    crosses: tuple[str, ...] = ()
    arrives_from: tuple[str, ...] = ()
    trial_weight: float = 100.0
    settles: bool = True

    def start(self) -> PoseControlGraph:
        """The controller to begin with."""
        sketch = resources.files("footfall.study.gaits") / "sketches" / f"{self.base}.toml"
        if sketch.is_file():
            graph = parse_graph(sketch.read_text(encoding="utf-8"), f"sketch '{self.base}'")
        else:
            graph = load_graph(self.base)
        return changed_graph(graph, self.set)

    @property
    def lab_measures(self) -> tuple[str, ...]:
        """The gait laboratory's measures that it asks for."""
        return tuple(measure for measure in (*self.want, *self.less) if measure in CYCLE_MEASURES)

    def measures_needing(self, what: str) -> tuple[str, ...]:
        """The measures that it asks for and that need "people" to compare with, or "forces" that acted."""
        return tuple(measure for measure in (*self.want, *self.less) if GOAL_MEASURES[measure].needs == what)

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
            table[part] = {OLD_NAMES.get(m, m) if m not in GOAL_MEASURES else m: value for m, value in asked.items()}
    return read_table(table, Goal, where, Schema(largest=math.inf), given={"name": name})
