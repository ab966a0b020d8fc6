"""Aperiodic graphs: the chain of poses that a walk was made of, with every correction in it (Laszlo 1996, sections 2.3
and 2.4).

From the same start it replays the same motion without any balance control.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import StateField
from footfall.control.start import Start
from footfall.methods.simbicon.graph import PoseControlGraph, State
from footfall.methods.simbicon.table import GraphTable

Array = NDArray[np.float64]


def graph_of_row(table: GraphTable, row: Array, *, name: str, about: str = "") -> PoseControlGraph:
    """The graph that a row [NP] of a table describes, written out for both sides."""
    labels = _labels(table)
    states = [_state(table, row, k, labels[k], labels[table.states[k][2] or 0]) for k in range(len(table.states))]
    return table.graph.changed(name=name, about=about, symmetric=False, states=tuple(states))


def _labels(table: GraphTable) -> list[str]:
    own = table.graph.labels
    mirrored = len(table.states) > len(own)
    return [own[o] + ("'" if mirrored and k >= len(own) else "") for k, o in enumerate(table.origins)]


def _state(table: GraphTable, row: Array, k: int, name: str, after: str) -> State:
    state = table.states[k][0]
    targets = {slot.name: table.target_of(row, k, slot.name) for slot in table.slots}
    hold = float(row[table.layout.state(k, StateField.HOLD)])
    return State(targets, hold=hold, contact=state.contact, stance=state.stance, next=after, name=name)


def step_states(table: GraphTable, first: int) -> list[int]:
    """The states of the step that begins with state ``first``: those that follow it on the same stance leg."""
    chain = [first]
    while True:
        after = table.states[chain[-1]][2]
        if after is None or after in chain or table.states[after][0].stance != table.states[first][0].stance:
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
