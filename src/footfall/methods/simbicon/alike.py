"""What several controllers under one law must have in common: the law has it once, and it comes from the first."""

from collections.abc import Callable, Sequence
from typing import Any

from footfall.control.integration import Integration
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph

_USUAL_SENSORS = ("heel", "toe", "any")


def _sensor(graph: PoseControlGraph) -> str:
    """The points that sense contact; which of heels and toes count is in the table, by graph."""
    sensor = graph.balance.sensor
    return "heel, toe or any" if sensor in _USUAL_SENSORS else sensor


LAW: dict[str, Callable[[PoseControlGraph], Any]] = {
    "law": lambda graph: graph.law,
    "servo stable": lambda graph: graph.servo.stable,
    "balance sensor": _sensor,
}
"""What a kernel is built for."""
WORLD: dict[str, Callable[[PoseControlGraph], Any]] = {
    "ground": lambda graph: graph.ground or Ground(),
    "integration": lambda graph: graph.integration or Integration(),
}
"""What a simulation has once, unless it is given."""


def difference(
    first: PoseControlGraph, other: PoseControlGraph, parts: dict[str, Callable[[PoseControlGraph], Any]]
) -> str:
    """What two controllers differ in, in words; empty where they have all parts in common."""
    for what, part in parts.items():
        own, theirs = part(first), part(other)
        if own != theirs:
            return f"{what} of '{first.name}' is {own!r}, of '{other.name}' it is {theirs!r}"
    return ""


def check_alike(graphs: Sequence[PoseControlGraph], parts: dict[str, Callable[[PoseControlGraph], Any]]) -> None:
    """Refuse controllers that differ in one of the parts."""
    for graph in graphs[1:]:
        wrong = difference(graphs[0], graph, parts)
        if wrong:
            raise FootfallError(f"repertoire: {wrong}; controllers that follow each other need the same")
