"""Pose control graphs, SIMBICON's above all, as files, commands and the studio know them."""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING

from footfall.control.kind import Abilities, ControllerKind, Description, Knobs, Number
from footfall.errors import FootfallError
from footfall.methods.simbicon.files import parse_graph, print_graph
from footfall.methods.simbicon.graph import LAW, WORLD, PoseControlGraph, law_difference

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure
    from footfall.methods.simbicon.law import SimbiconLaw


class GraphKind(ControllerKind):
    """Pose control graphs under some law."""

    def parse(self, text: str, where: str) -> PoseControlGraph:
        return parse_graph(text, where)

    def print(self, controller: PoseControlGraph) -> str:
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

    def doubts(self, controller: PoseControlGraph, figure: "Figure") -> Sequence[str]:
        """Targets that do nothing, and angles that no joint reaches."""
        from footfall.methods.simbicon.describing import doubts_of

        return doubts_of(controller, figure, balanced=self.usual.feedback)

    def describe(self, controller: PoseControlGraph, *, draw: bool = False) -> Description:
        from footfall.methods.simbicon.describing import describe_graph

        return describe_graph(controller, draw=draw)

    def shares_module(self, controller: PoseControlGraph) -> bool:
        """Graphs that can switch share a module, where none asks for a law, ground or step of its own."""
        plain = controller.feedforward is None and controller.servo.stable == "" and controller.integration is None
        return self.abilities(controller).switch and plain and controller.ground is None

    def page_law(self, controllers: Sequence[PoseControlGraph], figure: "Figure") -> "Law":
        """The shared law of the graphs under plain names."""
        from footfall.methods.simbicon.knobs import plainly_named

        return self.shared_law([plainly_named(graph, f"gait-{k}") for k, graph in enumerate(controllers)], figure)

    def knobs(self, law: "Law", controller: PoseControlGraph, number: int) -> Knobs:
        from footfall.methods.simbicon.graph_law import GraphLaw
        from footfall.methods.simbicon.knobs import graph_knobs

        return (
            graph_knobs(law, controller, number)
            if isinstance(law, GraphLaw)
            else super().knobs(law, controller, number)
        )

    def template(self, controller: PoseControlGraph, knobs: Knobs) -> str:
        from footfall.methods.simbicon.knobs import graph_template

        if not knobs.labels:
            return self.print(controller)
        return graph_template(controller, knobs.labels, speed=self.abilities(controller).speed)

    def differences(self, new: PoseControlGraph, old: PoseControlGraph) -> list[tuple[str, str, str]]:
        """What differs between two graphs, state by state."""
        from footfall.methods.simbicon.editing import graph_differences

        return graph_differences(new, old)


class _Simbicon(GraphKind):
    laws = ("simbicon",)
    library = resources.files("footfall.methods.simbicon") / "library"
    method = "SIMBICON"
    usual = Abilities(edit=True, speed=True, turn=True, switch=True, live=True, feedback=True)

    def law(self, controller: PoseControlGraph, figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.law import SimbiconLaw

        return SimbiconLaw(controller, figure)

    def shared_law(self, controllers: Sequence[PoseControlGraph], figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.law import PaddedSimbiconLaw

        return PaddedSimbiconLaw(controllers, figure)

    def numbers(self, controller: PoseControlGraph) -> tuple[Number, ...]:
        about = "SIMBICON subtracts it from v in its balance feedback"
        return (Number("speed", float(controller.balance.speed), -2.0, 3.0, "Walking speed (m/s)", about=about),)

    def with_number(self, controller: PoseControlGraph, name: str, value: float) -> PoseControlGraph:
        if name != "speed":
            super().with_number(controller, name, value)
        from footfall.methods.simbicon.editing import with_speed

        return with_speed(controller, float(value))

    def for_page(self, controller: PoseControlGraph) -> PoseControlGraph:
        asked = controller.balance.page_speed
        if not asked or controller.balance.speed:
            return controller
        return controller.changed(balance=replace(controller.balance, speed=asked, page_speed=0.0))

    def switchable(self, controller: PoseControlGraph, others: Sequence[PoseControlGraph]) -> list[PoseControlGraph]:
        return [
            g
            for g in others
            if g.feedforward is None
            and g.figure == controller.figure
            and not law_difference(controller, g, {**LAW, **WORLD})
        ]


SIMBICON = _Simbicon()
