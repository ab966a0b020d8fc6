"""The laws that a controller file can name."""

from typing import Protocol, runtime_checkable

from footfall.control.balance import SimbiconLaw
from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law
from footfall.control.servo import ServoLaw
from footfall.control.table import GraphTable
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure

__all__ = ["LAWS", "GraphLaw", "law_of"]

LAWS: dict[str, type[SimbiconLaw] | type[ServoLaw]] = {
    "simbicon": SimbiconLaw,
    "servo": ServoLaw,
    "torso-servo": ServoLaw,
}


@runtime_checkable
class GraphLaw(Protocol):
    """A law whose numbers stand in a graph's table."""

    table: GraphTable


def law_of(graph: PoseControlGraph, figure: Figure) -> Law:
    """The law that tracks a graph on a figure."""
    if graph.law not in LAWS:
        raise FootfallError(f"controller '{graph.name}': {unknown_name('law', graph.law, LAWS)}")
    if graph.start is not None and (len(graph.start.qpos), len(graph.start.qvel)) != (figure.nq, figure.nv):
        raise FootfallError(
            f"controller '{graph.name}': its start has {len(graph.start.qpos)} qpos and {len(graph.start.qvel)} qvel; "
            f"figure '{figure.name}' has {figure.nq} and {figure.nv}"
        )
    return LAWS[graph.law](graph, figure)
