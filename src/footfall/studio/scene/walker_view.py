"""A figure as rigid meshes, one for each body, moved by their places."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.tree import Skeleton
from footfall.pictures.palette import SIDE_COLOURS, hex_to_rgb
from footfall.studio.scene.placing import place_nodes

__all__ = ["WalkerView"]

Array = NDArray[np.float64]


class WalkerView:
    """A body made of solids.

    Args:
        scene: viser's. name: of the node that holds it. skeleton: its bones and shape.
        colour: of the whole; None for the colours of left, right and trunk.
        opacity: from 0 to 1; None for solid.
    """

    def __init__(
        self,
        scene: Any,
        name: str,
        skeleton: Skeleton,
        *,
        colour: tuple[int, int, int] | None = None,
        opacity: float | None = None,
        visible: bool = True,
    ) -> None:
        self.names = skeleton.names
        self._frame = scene.add_frame(name, show_axes=False, visible=visible)
        self._meshes: list[Any] = []
        solids = body_solids(skeleton)
        for j, joint in enumerate(skeleton.names):
            own = [solid for solid in solids if solid.joint == j]
            if not own:
                self._meshes.append(None)
                continue
            starts = np.cumsum([0, *(len(solid.vertices) for solid in own)])
            self._meshes.append(
                scene.add_mesh_simple(
                    f"{name}/{joint}",
                    np.concatenate([solid.vertices for solid in own]),
                    np.concatenate([solid.triangles + start for solid, start in zip(own, starts)]),
                    color=colour or hex_to_rgb(SIDE_COLOURS[own[0].side]),
                    opacity=opacity,
                    cast_shadow=opacity is None,
                    receive_shadow=opacity is None,
                )
            )

    @property
    def meshes(self) -> list[Any]:
        """viser's nodes, one for each body that has a shape."""
        return [mesh for mesh in self._meshes if mesh is not None]

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self._frame.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        if self._frame.visible != visible:
            self._frame.visible = visible

    def move(self, position: Array, wxyz: Array) -> None:
        """Put every body in place: position [J, 3], wxyz [J, 4]."""
        place_nodes(self._meshes, position, wxyz)

    def on_drag(self, act: Callable[[str, Any], None]) -> None:
        """Call ``act`` with a body's name and viser's drag event when one is dragged."""
        for body, mesh in zip(self.names, self._meshes, strict=True):
            if mesh is not None:
                mesh.on_drag("left")(_dragger(body, act))

    def remove(self) -> None:
        """Take it out of the scene."""
        self._frame.remove()


def _dragger(body: str, act: Callable[[str, Any], None]) -> Any:
    async def dragged(event: Any) -> None:
        act(body, event)

    return dragged
