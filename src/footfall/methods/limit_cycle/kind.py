"""Pose control graphs under plain servos, as files, commands and the studio know them."""

from importlib import resources
from typing import TYPE_CHECKING

from footfall.control.kind import Abilities
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.kind import GraphKind

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.methods.limit_cycle.pose_servo import PoseServoLaw


class _Servo(GraphKind):
    laws = ("servo", "torso-servo")
    library = resources.files("footfall.methods.limit_cycle") / "library"
    method = "limit cycles"
    usual = Abilities(edit=True, live=True, balance=True)

    def law(self, controller: PoseControlGraph, figure: "Figure") -> "PoseServoLaw":
        from footfall.methods.limit_cycle.pose_servo import PoseServoLaw

        return PoseServoLaw(controller, figure)


SERVO = _Servo()
