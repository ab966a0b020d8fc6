"""What laws of pose control graphs have in common: their numbers are in a table of graphs, their kernel's key is a
plan."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.rows import MACHINE, MemoryLayout, check_kernel_index
from footfall.methods.simbicon.graph import WORLD, PoseControlGraph, check_alike
from footfall.methods.simbicon.table import GraphTable


class GraphLaw(Law):
    """A law of one pose control graph, or of several of which the first one starts.

    Attributes:
        table: the graphs' numbers.
        plan: what the Warp function depends on besides the figure; ``plan.memory`` names what the law remembers.
    """

    table: GraphTable
    plan: Any

    @property
    def graphs(self) -> tuple[PoseControlGraph, ...]:
        return self.table.graphs

    @property
    def graph(self) -> PoseControlGraph:
        return self.table.graph

    @property
    def label(self) -> str:
        """Its controllers: the first ones by name."""
        names = [graph.name for graph in self.graphs]
        return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")

    @property
    def state_names(self) -> tuple[str, ...]:
        labels = [graph.labels for graph in self.graphs]
        return tuple(labels[g][k] for g, k in zip(self.table.owners, self.table.origins, strict=True))

    @property
    def key(self) -> Any:
        return self.plan

    @property
    def kernel_key(self) -> Any:
        """The plan, for any number of states."""
        return replace(self.plan, layout=self.plan.layout.compiled)

    @property
    def parameters(self) -> NDArray[np.float64]:
        return self.table.row

    @property
    def memory(self) -> NDArray[np.float64]:
        """[M] what the plan's memory names, at the start."""
        start = self.graph.start.state if self.graph.start else 0
        layout: MemoryLayout = self.plan.memory
        return layout.filled(state=start, clock=0.0, request=-1.0, request_time=0.0, **self._more_memory())

    def _more_memory(self) -> dict[str, Any]:
        """What the law remembers at the start besides its state machine."""
        return {}

    @property
    def memory_names(self) -> tuple[str, ...]:
        return tuple(self.plan.memory.names)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(self.table.paths())

    def cells(self, name: str) -> list[tuple[int, float]]:
        return self.table.cells(name)

    @property
    def unrolled(self) -> int:
        """Loops over the slots are written out."""
        return len(self.table.layout.slots)

    def check_memory(self, memory: NDArray[np.float64]) -> None:
        """Refuse states and requests that are not there."""
        for name, first, count in (("state", 0, len(self.table.states)), ("request", -1, len(self.graphs))):
            check_kernel_index(memory[:, MACHINE.index(name)], first, count - 1, f"memory: {name}")

    def check_parameters(self, rows: NDArray[np.float64]) -> None:
        """Refuse rows that lead to states that are not there."""
        self.table.check_rows(rows)

    def check_world(self, given: Collection[str]) -> None:
        """Refuse graphs made for different grounds or steps, where none is given for all."""
        check_alike(self.graphs, {name: part for name, part in WORLD.items() if name not in given})
