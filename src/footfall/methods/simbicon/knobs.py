"""Pose control graphs on pages that simulate: which numbers get a slider, where they are; the file as a template."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from footfall.control.kind import MARK, Knobs, Parameter
from footfall.control.rows import TargetField
from footfall.figures import Figure
from footfall.methods.simbicon.files import print_graph
from footfall.methods.simbicon.graph import PoseControlGraph, Target
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.table import GraphTable

NUMBERS = tuple(f.name for f in fields(Target) if f.type in (float, "float"))
SPATIAL = ("side_speed", "heading", "heading_rate", "hip_roll_limit", "sideways")
"""Numbers of the whole controller that a planar figure has no use for."""
SWITCHES = {
    "reaction": ("reaction_duration",),
    "learning": ("learning_rate",),
    "feedforward": ("feedforward_limit",),
    "sight": ("sight_drop", "sight_per_speed"),
    "edge": ("edge_reach", "edge_margin"),
    "limit": ("limit_kp", "limit_kd"),
}
"""First word of a part of the law -> its numbers, all of which are 0 where the part does nothing."""
UNLIMITED = 1e8
"""From this on a threshold or a torque limit is none."""


def plainly_named(graph: PoseControlGraph, name: str) -> PoseControlGraph:
    """The graph under a name that paths can hold; its states are numbered where their names are no plain words."""
    if all(re.fullmatch(r"[\w-]*", state.name) for state in graph.states):
        return graph.changed(name=name)
    numbers = {state.name: f"state-{k}" for k, state in enumerate(graph.states) if state.name}
    states = (
        replace(s, **{key: numbers.get(getattr(s, key), getattr(s, key)) for key in ("name", "next", "disturbed")})
        for s in graph.states
    )
    return graph.changed(name=name, states=tuple(states))


def graph_knobs(law: GraphLaw, graph: PoseControlGraph, g: int) -> Knobs:
    """What a page can change of graph ``g`` of a law, whose graphs are plainly named."""
    table = law.table
    memory = np.array(law.memory, dtype=float)
    memory[law.memory_names.index("state")] = table.first[g] + (0 if graph.start is None else graph.start.state)
    return Knobs(
        tuple(map(float, memory)),
        tuple(_parameters(law, g)),
        tuple(table.graphs[g].labels),
        tuple(_states(table, table.figure, g)),
    )


def _states(table: GraphTable, figure: Figure, g: int) -> Iterator[dict[str, Any]]:
    """States with where their targets are. Only in the plane is a target with its feedback one number; in space those
    of hips and torso are against the world and left out."""
    planar = figure.root == "planar"
    for k, owner in enumerate(table.owners):
        if owner != g:
            continue
        state = table.states[k].state
        targets, world = {}, []
        for i, slot in enumerate(table.slots):
            if table.balanced and slot.place == "hip" and (not planar or slot.side == state.stance):
                continue
            if table.balanced and slot.place == "hip":
                world.append(slot.name)
            fed = (TargetField.ANGLE, TargetField.C_D, TargetField.C_V) if table.balanced and planar else (0,)
            targets[slot.name] = [table.layout.target(k, i, field) for field in fed]
        label = table.graphs[g].labels[table.origins[k]]
        yield {"number": k, "label": label, "stance": state.stance, "targets": targets, "world": world}


def _parameters(law: GraphLaw, g: int) -> Iterator[Parameter]:
    table, row = law.table, law.parameters
    graph, found = table.graphs[g], dict[tuple[tuple[int, float], ...], Parameter]()
    for path in _paths(table, graph):
        cells = tuple((int(i), float(s)) for i, s in table.cells(f"{graph.name}/{path}"))
        label, dot, _ = path.partition(".")
        index, sign = cells[0]
        value = float(sign * row[index])
        found.setdefault(cells, Parameter(path, value, cells, label if dot and label in graph.labels else ""))
    values = {parameter.path: parameter.value for parameter in found.values()}
    yield from (replace(p, used=_is_used(p, values)) for p in found.values())


def _is_used(parameter: Parameter, values: Mapping[str, float]) -> bool:
    """Whether a controller with these numbers makes use of one: feedback of 0, limits that are none, and parts of the
    law that are off do nothing."""
    name = parameter.path.rpartition(".")[2]
    if abs(parameter.value) >= UNLIMITED or (name.startswith("c_") and parameter.value == 0.0):
        return False
    part = SWITCHES.get(name.partition("_")[0], ()) if "." not in parameter.path else ()
    looks = name.startswith("sight_") and any(v for path, v in values.items() if path.endswith(".c_h"))
    return not part or looks or any(values.get(switch) for switch in part)


def _paths(table: GraphTable, graph: PoseControlGraph) -> list[str]:
    """The parameters worth a slider: those of single states, the whole controller's, and each joint's gains."""
    joints = dict.fromkeys(name.removeprefix("left_").removeprefix("right_") for name in table.layout.slots)
    gains = [f"{joint}.{part}" for joint in joints for part in ("kp", "kd", "torque_limit")]
    paths = [path.removeprefix(f"{graph.name}/") for path in table.paths() if path.startswith(f"{graph.name}/")]
    paths = paths or table.paths()
    own = [p for p in paths if p.partition(".")[0] in graph.labels and "." in p and not p.endswith(".world")]
    if not table.balanced:  # plain servos have no feedback
        own = [p for p in own if p.rpartition(".")[2] in ("angle", "hold")]
    gone = ("hold", "kp", "kd", "torque_limit", *(SPATIAL if table.figure.root == "planar" else ()))
    whole = [p for p in paths if "." not in p and p not in gone and table.balanced]
    return [*own, *whole, *gains]


def graph_template(graph: PoseControlGraph, labels: Sequence[str], *, speed: bool) -> str:
    """A controller's file with a marked path in place of every number that a page can change.

    Args:
        graph: the controller.
        labels: the states' names in paths.
        speed: whether it takes a desired speed.
    """
    numbers: dict[str, float] = {}

    def hidden(path: str) -> float:
        numbers[path] = 70000.5 + len(numbers)
        return numbers[path]

    states = []
    for label, state in zip(labels, graph.states, strict=True):
        targets = {
            role: replace(target, **dict[str, Any]((name, hidden(f"{label}.{role}.{name}")) for name in NUMBERS))
            for role, target in state.targets.items()
        }
        hold = hidden(f"{label}.hold") if math.isfinite(state.hold) else state.hold
        states.append(replace(state, targets=targets, hold=hold))
    balance = graph.balance
    if speed:
        balance = replace(balance, speed=hidden("speed"), hip_range=(-hidden("hip_low"), hidden("hip_high")))
    text = print_graph(graph.changed(states=tuple(states), balance=balance, basin={}))
    for path, value in numbers.items():
        sign = "-" if path == "hip_low" else ""
        text = text.replace(f"{sign}{value!r}", f"{MARK}{path}{MARK}")
    return text
