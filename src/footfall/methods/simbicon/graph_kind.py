"""Kinds of controllers that are pose control graphs."""

from abc import abstractmethod
from collections.abc import Collection
from typing import TYPE_CHECKING

from footfall.control.kind import ControllerKind, Description
from footfall.errors import FootfallError
from footfall.methods.simbicon.files import parse_graph, print_graph
from footfall.methods.simbicon.graph import PoseControlGraph

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure

__all__ = ["GraphKind"]


class GraphKind(ControllerKind):
    """Pose control graphs under some law."""

    def parse(self, text: str, where: str) -> PoseControlGraph:
        """A graph from the text of its file."""
        return parse_graph(text, where)

    def print(self, controller: PoseControlGraph) -> str:
        """The text of a graph's file."""
        return print_graph(controller)

    @abstractmethod
    def law(self, controller: PoseControlGraph, figure: "Figure") -> "Law":
        """The law that drives a figure with a graph."""

    def check(self, controller: PoseControlGraph, figure: "Figure", given: Collection[str]) -> None:
        """Refuse a graph that leaves its servos' gains to a figure that has motors, which have none."""
        if controller.servo.kp is not None or "kp" in given:
            return
        motors = [j.name for j in figure.joints if j.actuated and j.kp == 0.0 and f"{j.name}.kp" not in given]
        if motors:
            raise FootfallError(
                f"figure '{figure.name}': joint '{motors[0]}' has a motor without gains, and controller "
                f"'{controller.name}' gives none; set kp and kd under [servo] in its file, or use <position kp kv>"
            )

    def describe(self, controller: PoseControlGraph, *, draw: bool = False) -> Description:
        """Its states and gains; with ``draw`` the poses of its states."""
        from footfall.methods.simbicon.describing import describe_graph

        return describe_graph(controller, draw=draw)

    def differences(self, new: PoseControlGraph, old: PoseControlGraph) -> list[tuple[str, str, str]]:
        """What differs between two graphs, state by state."""
        from footfall.methods.simbicon.editing import differences

        return differences(new, old)
