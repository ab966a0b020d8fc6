"""Torques as colours: the harder a joint works, the redder what it carries."""

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.pictures.torque_colours import TorqueColours
from footfall.studio.scene.nodes import Scene

Array = NDArray[np.float64]


class Torques:
    """How hard each body of a walker is worked.

    Args:
        scene: where it stands. figure: the walker's. bodies: numbers of the bodies that are drawn, in their order.

    Attributes:
        shown: whether the colours are drawn.
    """

    def __init__(self, scene: Scene, figure: Figure, bodies: list[int], *, shown: bool = False) -> None:
        self._bodies, self.shown, self._colours = bodies, shown, TorqueColours(figure)
        self.node = scene.add("torques", "heat", visible=shown)

    def show(self, torque: Array | None) -> None:
        """Colour the walker by torques [nv]; None where there are none."""
        self.node.visible = self.shown and torque is not None
        if self.shown and torque is not None:
            self.node.put(self._colours.heat(torque)[self._bodies])

    def remove(self) -> None:
        """Take it out of the scene."""
        self.node.remove()
