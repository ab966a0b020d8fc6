"""SIMBICON's controllers, as files, commands and the studio know them."""

from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from footfall.control.kind import Abilities
from footfall.methods.simbicon.alike import LAW, WORLD, difference
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_kind import GraphKind

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.methods.simbicon.law import SimbiconLaw

__all__ = ["SIMBICON"]


class _Simbicon(GraphKind):
    laws = ("simbicon",)
    library = resources.files("footfall.methods.simbicon") / "library"
    usual = Abilities(edit=True, speed=True, turn=True, switch=True, live=True, balance=True)

    def law(self, controller: PoseControlGraph, figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.law import SimbiconLaw

        return SimbiconLaw(controller, figure)

    def shared_law(self, controllers: Sequence[PoseControlGraph], figure: "Figure") -> "SimbiconLaw":
        from footfall.methods.simbicon.padded_law import PaddedSimbiconLaw

        return PaddedSimbiconLaw(controllers, figure)

    def switchable(self, controller: PoseControlGraph, others: Sequence[PoseControlGraph]) -> list[PoseControlGraph]:
        return [
            g
            for g in others
            if g.feedforward is None
            and g.anticipation is None
            and g.figure == controller.figure
            and not difference(controller, g, {**LAW, **WORLD})
        ]


SIMBICON = _Simbicon()
