"""A figure as rigid solids, one or more for each body, moved by their places."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.tree import Skeleton
from footfall.pictures.web_page import packed_body
from footfall.studio.scene.nodes import Colour, Scene
from footfall.studio.wire.asked import Drag

Array = NDArray[np.float64]


class WalkerView:
    """A body made of solids.

    Args:
        scene: where it stands. name: of its node. skeleton: its bones and shape.
        colour: of the whole; None for the colours of left, right and trunk.
        alpha: from 0 to 1, how solid it is. same_as: the name of another body of the same shape; None for none.

    Attributes:
        names: of the joints that have a shape. bodies: their numbers. node: its node.
    """

    def __init__(
        self,
        scene: Scene,
        name: str,
        skeleton: Skeleton,
        *,
        colour: Colour | None = None,
        alpha: float = 1.0,
        visible: bool = True,
        same_as: str | None = None,
    ) -> None:
        solids = body_solids(skeleton)
        self.bodies = sorted({solid.joint for solid in solids})
        self.names = [skeleton.names[j] for j in self.bodies]
        self.node = scene.add(
            name,
            "body",
            body=None if same_as else packed_body(solids, self.bodies),
            same_as=same_as,
            joints=len(self.bodies),
            names=self.names,
            colour=colour,
            alpha=alpha,
            drag=False,
            visible=visible,
        )

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self.node.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self.node.visible = visible

    @property
    def places(self) -> Array:
        """[J, 3] where the joints are that have a shape."""
        return np.asarray(self.node.data[:, :3], dtype=float)

    def move(self, position: Array, wxyz: Array) -> None:
        """Put every body in place: position [J, 3], wxyz [J, 4]."""
        self.node.put(np.concatenate([position, wxyz], axis=1)[self.bodies])

    def on_drag(self, act: Callable[[int, str, Drag], None]) -> None:
        """Call ``act`` with a page's number, a body's name and where it is dragged."""

        def dragged(page: int, drag: Drag) -> None:
            if drag.part < len(self.names):
                act(page, self.names[drag.part], drag)

        self.node.set(drag=True)
        self.node.dragged = dragged

    def remove(self) -> None:
        """Take it out of the scene."""
        self.node.remove()
