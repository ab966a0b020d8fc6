"""A figure as thin lines along its limbs: they show where a pose differs from the walker's, and hide inside its limbs
where the two agree."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import rotate
from footfall.motion.skeleton.body_shape import body_capsules
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["OutlineView"]

Array = NDArray[np.float64]


class OutlineView:
    """Lines along the capsules of a body.

    Args:
        scene: viser's. name: of the node. skeleton: the body. colour: of the lines.
    """

    def __init__(self, scene: Any, name: str, skeleton: Skeleton, colour: tuple[int, int, int]) -> None:
        self._capsules = body_capsules(skeleton)
        self._joints = [c.joint for c in self._capsules]
        self._ends = np.array([[c.start, c.end] for c in self._capsules], dtype=float)
        blank = np.zeros((len(self._capsules), 2, 3), dtype=np.float32)
        self._node = scene.add_line_segments(
            name, blank, colour, thickness=3.0, thickness_units="screen", visible=False
        )

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self._node.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        if self._node.visible != visible:
            self._node.visible = visible

    def move(self, position: Array, wxyz: Array) -> None:
        """Put every body in place: position [J, 3], wxyz [J, 4]."""
        at, turn = position[self._joints], wxyz[self._joints]
        self._node.points = (at[:, None] + rotate(turn[:, None], self._ends)).astype(np.float32)

    def remove(self) -> None:
        """Take it out of the scene."""
        self._node.remove()
