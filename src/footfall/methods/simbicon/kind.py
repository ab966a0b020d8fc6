"""SIMBICON's controllers, as files, commands and the studio know them."""

from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from footfall.control.kind import Abilities, Number
from footfall.methods.simbicon.alike import LAW, WORLD, difference
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_kind import GraphKind

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.methods.simbicon.law import SimbiconLaw


class _Simbicon(GraphKind):
    laws = ("simbicon",)
    library = resources.files("footfall.methods.simbicon") / "library"
    usual = Abilities(edit=True, speed=True, turn=True, switch=True, live=True, feedback=True)

    def law(self, controller: PoseControlGraph, figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.law import SimbiconLaw

        return SimbiconLaw(controller, figure)

    def shared_law(self, controllers: Sequence[PoseControlGraph], figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.padded_law import PaddedSimbiconLaw

        return PaddedSimbiconLaw(controllers, figure)

    def numbers(self, controller: PoseControlGraph) -> tuple[Number, ...]:
        about = "SIMBICON subtracts it from v in its balance feedback"
        return (Number("speed", float(controller.balance.speed), -2.0, 3.0, "Walking speed (m/s)", about=about),)

    def with_number(self, controller: PoseControlGraph, name: str, value: float) -> PoseControlGraph:
        if name != "speed":
            super().with_number(controller, name, value)
        from footfall.methods.simbicon.parameterisation import with_speed

        return with_speed(controller, float(value))

    def switchable(self, controller: PoseControlGraph, others: Sequence[PoseControlGraph]) -> list[PoseControlGraph]:
        return [
            g
            for g in others
            if g.feedforward is None
            and g.figure == controller.figure
            and not difference(controller, g, {**LAW, **WORLD})
        ]


SIMBICON = _Simbicon()
