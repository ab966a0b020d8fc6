"""A symmetric controller written out for both sides, so that each may change by itself."""

from dataclasses import replace

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable


def two_sided(graph: PoseControlGraph, figure: Figure) -> PoseControlGraph:
    """The same controller with states of its own for left and right stance, and targets by the joints' own names."""
    if not graph.symmetric:
        return graph
    written = GraphTable(graph, figure).states
    labels = [f"{graph.labels[k % len(graph.states)]}-{w.state.stance}" for k, w in enumerate(written)]
    states = [
        replace(
            w.state,
            targets=w.targets,
            next=w.state.next if w.state.next == "end" else labels[w.after],
            exchange=False,
            disturbed=labels[w.disturbed] if w.disturbed >= 0 else "",
            name=labels[k],
        )
        for k, w in enumerate(written)
    ]
    return graph.changed(symmetric=False, states=tuple(states))
