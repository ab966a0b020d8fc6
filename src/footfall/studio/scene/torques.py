"""Torques as colours: the harder a joint works, the redder what it carries."""

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.studio.scene.nodes import Scene

__all__ = ["Torques"]

Array = NDArray[np.float64]

LEAST, FADING = 20.0, 0.99
"""N m that are full red at least, and how the largest torque of late fades from frame to frame."""


class Torques:
    """How hard each body of a walker is worked.

    Args:
        scene: where it stands. figure: the walker's. bodies: numbers of the bodies that are drawn, in their order.

    Attributes:
        shown: whether the colours are drawn.
    """

    def __init__(self, scene: Scene, figure: Figure, bodies: list[int], *, shown: bool = False) -> None:
        self._bodies, self.shown, self._most = bodies, shown, LEAST
        joints = [joint for joint in figure.joints if joint.actuated]
        self._dofs = np.array([d for j in joints for d in range(j.dof, j.dof + j.ndof)], dtype=int)
        self._moved = np.array([j.body for j in joints for _ in range(j.ndof)], dtype=int)
        self._count = len(figure.bodies)
        self.node = scene.add("torques", "heat", visible=shown)

    def show(self, torque: Array | None) -> None:
        """Colour the walker by torques [nv]; None where there are none."""
        self.node.visible = self.shown and torque is not None
        if self.shown and torque is not None:
            self.node.put(self.heat(torque)[self._bodies])

    def heat(self, torque: Array) -> Array:
        """[B] from 0 to 1: the torque at the joint that carries each body, of the largest lately."""
        sizes = np.abs(torque[self._dofs])
        heat = np.zeros(self._count)
        np.maximum.at(heat, self._moved, sizes)
        self._most = max(LEAST, float(sizes.max(initial=0.0)), FADING * self._most)
        return np.minimum(1.0, heat / self._most)

    def remove(self) -> None:
        """Take it out of the scene."""
        self.node.remove()
