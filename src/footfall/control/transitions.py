"""Transitions: several graphs in one row of numbers, and where each is entered from the others (paper 000 §4 and §7.1).

A request to go from controller A to B is answered when a state ends: instead of A's state n + 1 comes B's state of the
same number and stance side. Where B has none (a skip's third state has no like in a walk), the request waits for a
later state. A graph that is not symmetric is entered at its first state, from its own stance side; a state that stays
for ever is left at once, for the first state of the graph requested.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.control.table import EXIT, GraphTable, replace_cells
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure

__all__ = ["Repertoire"]


class Repertoire:
    """Graphs side by side for one figure, in one row: their heads and servos, then all states, then the entries.

    Attributes:
        graphs: the graphs. tables: their own tables.
        first: [graphs] the number of each graph's first state among all states.
        row: [NP] the numbers. first_state, first_entry: where states and entries begin in it.
        entries: [states, graphs] the state entered instead of a state if a graph is requested; -1 for none.
    """

    def __init__(self, graphs: Sequence[PoseControlGraph], figure: Figure) -> None:
        if not graphs:
            raise FootfallError("repertoire: it holds no controllers; give at least one")
        self.graphs = tuple(graphs)
        names = self.names
        if len(set(names)) < len(names):
            raise FootfallError(f"repertoire: two controllers are named '{max(names, key=names.count)}'")
        for graph in self.graphs:
            if graph.law != self.graphs[0].law:
                raise FootfallError(f"repertoire: '{graph.name}' is under law '{graph.law}'; all need one law")
        self.tables = tuple(GraphTable(graph, figure) for graph in self.graphs)
        head = self.tables[0]
        self.slots, self.dofs, self.width, self.first_servo = head.slots, head.dofs, head.width, head.first_servo
        self.block = head.first_state
        self.first = np.cumsum([0, *(len(t.states) for t in self.tables[:-1])])
        self.first_state = self.block * len(self.tables)
        self.first_entry = self.first_state + self.width * sum(len(t.states) for t in self.tables)
        self.entries = self._entries()
        self.row = self._numbers()

    @property
    def names(self) -> list[str]:
        """Names of the graphs."""
        return [graph.name for graph in self.graphs]

    def index(self, name: str) -> int:
        """Which graph has a name."""
        if name not in self.names:
            raise unknown_name("controller of the repertoire", name, self.names)
        return self.names.index(name)

    def graph_of(self, state: int) -> int:
        """Which graph a state belongs to."""
        return int(np.searchsorted(self.first, state, side="right")) - 1

    def _numbers(self) -> NDArray[np.float64]:
        heads = [t.row[: self.block] for t in self.tables]
        states = []
        for g, table in enumerate(self.tables):
            own = table.row[self.block :].reshape(-1, self.width).copy()
            own[:, EXIT.index("next")] += self.first[g]
            own[:, EXIT.index("block")] = self.block * g
            states.append(own.ravel())
        return np.concatenate([*heads, *states, self.entries.ravel().astype(float)])

    def _entries(self) -> NDArray[np.int64]:
        total = sum(len(t.states) for t in self.tables)
        entries = np.full((total, len(self.tables)), -1)
        for g, table in enumerate(self.tables):
            for k, (state, _, after) in enumerate(table.states):
                stays = after == k
                number = 0 if stays else _number(table, k)
                for h, other in enumerate(self.tables):
                    found = _entry(other, number, state.stance, anyhow=stays)
                    if h != g and found is not None:
                        entries[self.first[g] + k, h] = self.first[h] + found
        return entries

    def cells(self, path: str) -> list[tuple[int, float]]:
        """Where a parameter stands: ``path`` in every graph that has it, ``walk/path`` in one."""
        name, slash, rest = path.partition("/")
        chosen = [self.index(name)] if slash else list(range(len(self.tables)))
        found = []
        for g in chosen:
            try:
                own = self.tables[g].cells(rest if slash else path)
            except FootfallError:
                if slash:
                    raise
                continue
            found += [(self._place(g, index), sign) for index, sign in own]
        if not found:
            raise unknown_name("parameter of the repertoire", path, self.paths())
        return found

    def _place(self, g: int, index: int) -> int:
        if index < self.block:
            return self.block * g + index
        return self.first_state + self.width * int(self.first[g]) + index - self.block

    def paths(self) -> list[str]:
        """Names of the parameters."""
        return [f"{g.name}/{path}" for g, t in zip(self.graphs, self.tables, strict=True) for path in t.paths()]

    def value(self, path: str) -> float:
        """A parameter's value, where it first stands."""
        index, sign = self.cells(path)[0]
        return float(sign * self.row[index])

    def applied(self, rows: NDArray[np.float64], changes: dict[str, Any]) -> NDArray[np.float64]:
        """[W, NP] a copy of rows with parameters replaced, each by a number or one number a world [W]."""
        return replace_cells(self.cells, rows, changes)


def _number(table: GraphTable, k: int) -> int:
    """A state's number among those of its stance: in a graph that is not symmetric since stance last changed."""
    if table.graph.symmetric:
        return k % len(table.graph.states)
    number = 0
    while k > 0 and table.states[k - 1][0].stance == table.states[k][0].stance:
        k, number = k - 1, number + 1
    return number


def _entry(table: GraphTable, number: int, stance: str, *, anyhow: bool) -> int | None:
    if not table.graph.symmetric:
        return 0 if number == 0 and (anyhow or table.states[0][0].stance == stance) else None
    count = len(table.graph.states)
    if number >= count:
        return None
    return number + (0 if table.states[number][0].stance == stance else count)
