"""Linear parametric perturbations: changes of a pose control graph, scaled and added (Laszlo 1996, section 2.3.1).

    C = B + k ΔP

ΔP holds angles and hold times, a table of the same shape as the base graph B; waiting for a foot stays as it is. A
perturbation is a value with a file of its own and applies to every graph that has its joints and its number of states.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import StateField, TargetField
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable

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
        from footfall.methods.limit_cycle.aperiodic import graph_of_row

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
