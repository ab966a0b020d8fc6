"""The laws that a controller file can name."""

from typing import Any, Protocol, runtime_checkable

from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law
from footfall.control.pose_servo import PoseServoLaw
from footfall.control.simbicon import SimbiconLaw
from footfall.control.table import GraphTable
from footfall.control.tracking.controller import TrackingController
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure

__all__ = ["LAWS", "GraphLaw", "law_of"]

LAWS: dict[str, type[SimbiconLaw] | type[PoseServoLaw]] = {
    "simbicon": SimbiconLaw,
    "servo": PoseServoLaw,
    "torso-servo": PoseServoLaw,
}


@runtime_checkable
class GraphLaw(Protocol):
    """A law whose numbers are in a table of graphs."""

    table: GraphTable
    plan: Any
    """What its Warp function depends on; ``plan.memory`` names what it remembers."""


def law_of(graph: PoseControlGraph | TrackingController, figure: Figure) -> Law:
    """The law of a controller on a figure."""
    if isinstance(graph, TrackingController):
        from footfall.control.tracking.law import TrackingLaw

        return TrackingLaw(graph.repertoire, figure)
    if graph.law not in LAWS:
        raise FootfallError(f"controller '{graph.name}': {unknown_name('law', graph.law, LAWS)}")
    if graph.start is not None and (len(graph.start.qpos), len(graph.start.qvel)) != (figure.nq, figure.nv):
        raise FootfallError(
            f"controller '{graph.name}': its start has {len(graph.start.qpos)} qpos and {len(graph.start.qvel)} qvel; "
            f"figure '{figure.name}' has {figure.nq} and {figure.nv}"
        )
    return LAWS[graph.law](graph, figure)
