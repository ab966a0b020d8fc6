"""Which controllers can be entered directly from which others, and the way round where the direct one fails (SIMBICON,
section 7.1).

Every pair is tried at phases spread over the stride: controller A runs until it has settled, B is requested, and the
entry counts if the figure is in B, up and stepping some seconds later.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import MOST_CANDIDATES, FootfallError, check_name, check_whole
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import current_controller, set_memory
from footfall.simulation import Simulation

SETTLING = 2.0
"""Seconds at the end within which a gait must take a step: one that only waits for contact was not entered."""


@dataclass(frozen=True)
class TransitionMatrix:
    """Shares of phases at which direct entries succeed.

    Attributes:
        names: [G] the controllers.
        share: [G, G] from row to column, of all phases tried; 1 on the diagonal.
        phases: how many were tried.
        window: seconds over which the requests were spread.
        passed: [G, G, phases] at which phases.
    """

    names: tuple[str, ...]
    share: NDArray[np.float64]
    phases: int
    window: float
    passed: NDArray[np.bool_]

    def route(self, start: str, goal: str) -> tuple[str, ...]:
        """The most likely way from one controller to another (the fewest steps among equals); empty if none."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        for name in (start, goal):
            check_name("controller of the matrix", name, self.names)
        first, way = self.names.index(start), [self.names.index(goal)]
        there = self.share > 0
        lengths = csr_array(np.where(there, 1e-9 - np.log(np.where(there, self.share, 1.0)), 0.0))
        _, before = dijkstra(lengths, indices=[first], return_predecessors=True)
        while way[-1] != first:
            way.append(int(before[0, way[-1]]))
            if way[-1] < 0:
                return ()
        return tuple(self.names[i] for i in reversed(way))

    def chance(self, way: Sequence[str]) -> float:
        """The product of the shares along a way."""
        index = [self.names.index(name) for name in way]
        return float(np.prod([self.share[a, b] for a, b in pairwise(index)])) if index else 0.0

    def routes(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """For every pair whose direct entry does not always succeed, the better way round where there is one."""
        found = {}
        for a in self.names:
            for b in self.names:
                way = self.route(a, b)
                if a != b and len(way) > 2:
                    found[a, b] = way
        return found

    def as_dict(self) -> dict[str, Any]:
        """The matrix as JSON has it."""
        share = {a: {b: float(self.share[i, j]) for j, b in enumerate(self.names)} for i, a in enumerate(self.names)}
        routes = [{"from": a, "to": b, "by": list(w), "share": self.chance(w)} for (a, b), w in self.routes().items()]
        return {"controllers": list(self.names), "phases": self.phases, "share": share, "routes": routes}


def transition_matrix(
    controllers: Sequence[str | Path | PoseControlGraph],
    *,
    phases: int = 12,
    settle: float = 6.0,
    window: float = 0.8,
    after: float = 10.0,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> TransitionMatrix:
    """Try every direct entry at every phase.

    Args:
        controllers: of one figure, each with a start of its own.
        phases: requests are spread evenly over ``window`` seconds, about a stride.
        settle: seconds before the first request.
        after: seconds that the new controller must stay up.
        progress: called with the share of the work that is done.
        options: as :class:`Simulation` takes them, such as dt and integrator.
    """
    graphs = [load_graph(c) for c in controllers]
    if after <= SETTLING:
        raise FootfallError(f"after is {after}; it must be above {SETTLING:g} seconds")
    for graph in graphs:
        if graph.start is None:
            raise FootfallError(f"controller '{graph.name}' has no start, from which it could be left")
    figure = Figure.load(graphs[0].figure)
    law = SimbiconLaw(graphs, figure)
    if len(graphs) < 2:
        raise FootfallError("transitions: give at least two controllers")
    count = len(graphs)
    check_whole("phases", phases, 1, max(1, MOST_CANDIDATES // max(1, count * count)))
    origin, goal, phase = (a.ravel() for a in np.mgrid[:count, :count, :phases])
    starts = [graph.start for graph in graphs if graph.start is not None]
    simulation = Simulation(
        graphs[0],
        law=law,
        figure=figure,
        worlds=len(origin),
        qpos=np.array([starts[i].qpos for i in origin]),
        qvel=np.array([starts[i].qvel for i in origin]),
        last_states=0,
        **options,
    )
    set_memory(
        simulation,
        state=(np.array(law.table.first) + [s.state for s in starts])[origin],
        request=np.where(goal == origin, -1, goal),
        request_time=settle + phase * window / phases,
    )
    total = settle + window + after
    report = None if progress is None else lambda now: progress(now / total)
    before = simulation.run(total - SETTLING, report).footsteps
    outcome = simulation.run(SETTLING, report)
    stays = np.array([any(state.next == "end" for state in graph.states) for graph in graphs])
    steps = (outcome.footsteps > before) | stays[goal]
    passed = (outcome.survived & steps & (current_controller(simulation) == goal)).reshape(count, count, phases)
    return TransitionMatrix(tuple(g.name for g in graphs), passed.mean(axis=2), phases, window, passed)
