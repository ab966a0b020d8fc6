"""Linear parametric perturbations: changes of a pose control graph, scaled and added (Laszlo 1996, section 2.3.1).

    C = B + k ΔP

ΔP holds angles and hold times, a table of the same shape as the base graph B; waiting for a foot stays as it is. A
perturbation is a value with a file of its own and applies to every graph that has its joints and its number of states.

A file is one readable TOML text a perturbation:

    name = "hip-pitch"
    unit = "degrees"            of the angles, or "radians" (the default)
    [[states]]
    stance_hip_pitch = 1.0

An aperiodic graph (sections 2.3 and 2.4) is the chain of poses that a walk was made of, with every correction in it.
From the same start it replays the same motion without any balance control.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.rows import StateField, TargetField
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph, State
from footfall.methods.simbicon.table import GraphTable
from footfall.text_files import parse_toml, read_text, write_whole
from footfall.toml_files import Form, Schema, print_table, read_table

HOLD = "hold"


@dataclass(frozen=True)
class Perturbation:
    """A relative pose control graph ΔP.

    Attributes:
        name: short, lower case, with hyphens.
        states: changes by joint or role ("stance_hip_pitch"), radians at k = 1, and under "hold" seconds. One table
            applies to every state; otherwise one for each state of the graph as written (a symmetric graph's mirror
            image follows), or one for each state of both sides.
        about: what it does, where its numbers come from.
    """

    name: str
    states: tuple[Mapping[str, float], ...]
    about: str = ""

    def __post_init__(self) -> None:
        if not self.states:
            raise FootfallError(f"perturbation '{self.name}': it has no states; give at least one [[states]]")
        for i, state in enumerate(self.states):
            for joint, value in state.items():
                if not math.isfinite(value):
                    raise FootfallError(f"perturbation '{self.name}', state {i}: {joint} is {value}; it must be finite")

    def delta(self, table: GraphTable) -> NDArray[np.float64]:
        """[NP] what is added to the row of a graph at k = 1."""
        count, written = len(self.states), len(table.graph.states)
        total = len(table.states)
        if count not in (1, written, total):
            raise FootfallError(
                f"perturbation '{self.name}' has {count} states; controller '{table.graph.name}' has {written}"
            )
        row = np.zeros_like(table.row)
        for k in range(total):
            mirrored = count != total and k >= written
            for name, value in self.states[k % count].items():
                if name == HOLD:
                    row[table.layout.state(k, StateField.HOLD)] += value
                else:
                    at, sign = self._cell(table, k, name, mirrored)
                    row[at] += sign * value
        return row

    def _cell(self, table: GraphTable, k: int, name: str, mirrored: bool) -> tuple[int, float]:
        """Where a joint's target stands in state k, and its sign there."""
        figure = table.figure
        try:
            slot = figure.joint_for(name, table.states[k].state.stance)
        except FootfallError as error:
            raise FootfallError(f"perturbation '{self.name}': {error}") from None
        if slot not in table.layout.slots:
            raise FootfallError(f"perturbation '{self.name}': {unknown_name('joint', slot, table.layout.slots)}")
        sign = 1.0
        if mirrored:
            perm, signs = figure.mirror_dofs
            dof = figure.joint(slot).dof
            if not name.startswith(("stance_", "swing_")):
                dof = int(np.flatnonzero(perm == dof)[0])
                slot = next(j.name for j in figure.joints if j.dof == dof)
            sign = float(signs[dof])
        return table.layout.target(k, table.slot(slot), TargetField.ANGLE), sign

    def scaled(self, k: float) -> "Perturbation":
        """k ΔP as a perturbation."""
        return Perturbation(self.name, tuple({n: k * v for n, v in s.items()} for s in self.states), self.about)

    def applied(self, graph: PoseControlGraph, figure: Figure, k: float = 1.0) -> PoseControlGraph:
        """B + k ΔP as a graph, written out for both sides."""
        table = GraphTable(graph, figure)
        row = table.row + k * self.delta(table)
        return graph_of_row(table, row, name=f"{graph.name}-{self.name}", about=graph.about)


def difference(second: PoseControlGraph, first: PoseControlGraph, figure: Figure, name: str) -> Perturbation:
    """ΔP = B2 - B1, which carries the difference between two gaits over to a third (Laszlo 1996, section 5.2)."""
    tables = [GraphTable(graph, figure) for graph in (first, second)]
    if len(tables[0].states) != len(tables[1].states):
        raise FootfallError(
            f"controllers '{first.name}' and '{second.name}' have {len(tables[0].states)} and "
            f"{len(tables[1].states)} states; a difference needs as many"
        )
    states, layout = [], tables[0].layout
    for k in range(len(tables[0].states)):
        cells = {HOLD: layout.state(k, StateField.HOLD)}
        cells |= {name: layout.target(k, i, TargetField.ANGLE) for i, name in enumerate(layout.slots)}
        change = {name: float(tables[1].row[at] - tables[0].row[at]) for name, at in cells.items()}
        states.append({name: value for name, value in change.items() if value != 0.0})
    return Perturbation(name, tuple(states), f"{second.name} less {first.name}")


def interpolated(first: PoseControlGraph, second: PoseControlGraph, alpha: float, figure: Figure) -> PoseControlGraph:
    """α B1 + (1 - α) B2 (Laszlo 1996, section 5.2), written out for both sides."""
    change = difference(first, second, figure, "blend")
    return change.applied(second, figure, alpha).changed(name=f"{first.name}-{second.name}")


@dataclass(frozen=True)
class _PerturbationFile(Perturbation):
    unit: Literal["degrees", "radians"] = "radians"


SCHEMA = Schema({_PerturbationFile: Form(noun="perturbation")}, largest=1e6)
"""Radians, degrees or seconds."""
_UNITS = {"degrees": math.pi / 180.0, "radians": 1.0}
_FOLDER = resources.files("footfall.methods.limit_cycle") / "perturbations"


@cache
def perturbation_names() -> tuple[str, ...]:
    """Names of the built-in perturbations."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in _FOLDER.iterdir() if f.name.endswith(".toml")))


def load_perturbation(source: str | Path | Perturbation) -> Perturbation:
    """A perturbation by built-in name or from a ``.toml`` file (a perturbation passes through)."""
    if isinstance(source, Perturbation):
        return source
    name = str(source)
    if name in perturbation_names():
        text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        return parse_perturbation(text, f"perturbation '{name}'")
    path = Path(source)
    if path.suffix != ".toml":
        raise unknown_name("perturbation", name, perturbation_names())
    return parse_perturbation(read_text(path, "perturbation file"), str(path))


def parse_perturbation(text: str, where: str = "perturbation text") -> Perturbation:
    """A perturbation from the text of its file; errors name ``where`` and the place in it."""
    file = read_table(parse_toml(text, where), _PerturbationFile, where, SCHEMA)
    unit = _UNITS[file.unit]
    states = ({name: value * (1.0 if name == HOLD else unit) for name, value in own.items()} for own in file.states)
    return Perturbation(file.name, tuple(states), file.about)


def save_perturbation(perturbation: Perturbation, path: str | Path) -> None:
    """Write a perturbation file, whole or not at all; angles in radians, which keep every digit."""
    file = _PerturbationFile(**vars(perturbation))
    write_whole(Path(path), print_table(file, SCHEMA).encode())


HIPS = ("hip-pitch", "hip-roll")
"""The perturbations that balance a step forward and sideways."""


def can_be_balanced(graph: PoseControlGraph, figure: Figure) -> bool:
    """Whether limit-cycle control can balance a graph of servos: a free pelvis, two legs, steps on either of them."""
    if figure.root != "free" or len(figure.legs) != 2:
        return False
    table = GraphTable(graph, figure)
    stances = {written.state.stance for written in table.states}
    return len(stances) == 2 and set(HIPS) <= set(fitting_perturbations(table, HIPS))


def fitting_perturbations(table: GraphTable, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """What perturbations add to a controller's row [NP], for those that have its joints and its number of states."""
    found = {}
    for name in names:
        try:
            found[name] = builtin_perturbation(name).delta(table)
        except FootfallError:
            continue
    return found


@cache
def builtin_perturbation(name: str) -> Perturbation:
    """A built-in perturbation, read once."""
    return load_perturbation(name)


def has_waist(figure: Figure) -> bool:
    """Whether a figure has the waist that a torso servo needs."""
    torso = figure.body(figure.torso)
    return torso.parent == 0 and len(torso.joints) == 1 and figure.joint(torso.joints[0]).plane == "pitch"


def with_torso_servo(graph: PoseControlGraph, held: bool) -> PoseControlGraph:
    """The graph with its torso held against the world, or with plain servos alone."""
    return graph.changed(law="torso-servo" if held else "servo")


Array = NDArray[np.float64]


def graph_of_row(table: GraphTable, row: Array, *, name: str, about: str = "") -> PoseControlGraph:
    """The graph that a row [NP] of a table describes, written out for both sides."""
    labels = _labels(table)
    states = [_state(table, row, k, labels[k], labels[table.states[k].after]) for k in range(len(table.states))]
    return table.graph.changed(name=name, about=about, symmetric=False, states=tuple(states))


def _labels(table: GraphTable) -> list[str]:
    own = table.graph.labels
    mirrored = len(table.states) > len(own)
    return [own[o] + ("'" if mirrored and k >= len(own) else "") for k, o in enumerate(table.origins)]


def _state(table: GraphTable, row: Array, k: int, name: str, after: str) -> State:
    state = table.states[k].state
    targets = {slot.name: table.target_of(row, k, slot.name) for slot in table.slots}
    hold = float(row[table.layout.state(k, StateField.HOLD)])
    return State(targets, hold=hold, contact=state.contact, stance=state.stance, next=after, name=name)


def step_states(table: GraphTable, first: int) -> list[int]:
    """The states of the step that begins with state ``first``: those that follow it on the same stance leg."""
    chain = [first]
    while True:
        after = table.states[chain[-1]].after
        if after in chain or table.states[after].state.stance != table.states[first].state.stance:
            return chain
        chain.append(after)


def chained(
    table: GraphTable, rows: Sequence[Array], firsts: Sequence[int], start: Start, name: str
) -> PoseControlGraph:
    """The aperiodic graph of a walk.

    Args:
        table: of the base graph.
        rows: each step's row [NP], corrections included.
        firsts: the state that each step began with.
        start: where the walk began.
        name: of the new graph.
    """
    labels = _labels(table)
    states: list[State] = []
    for number, (row, first) in enumerate(zip(rows, firsts, strict=True)):
        states += [_state(table, row, k, f"{number}-{labels[k]}", "") for k in step_states(table, first)]
    states[-1] = replace(states[-1], next="end")
    return table.graph.changed(
        name=name,
        symmetric=False,
        states=tuple(states),
        start=Start(start.qpos, start.qvel, 0),
        about=f"What '{table.graph.name}' did in {len(rows)} balanced steps, from its start.",
    )
