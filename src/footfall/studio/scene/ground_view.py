"""The ground, as the viewport takes it: heights over lines along which it bends."""

import numpy as np

from footfall.pictures.web_page import packed
from footfall.studio.scene.nodes import Scene
from footfall.terrain import Terrain

MOST_LINES = 241
"""Along each axis of a field of heights."""


class GroundView:
    """The terrain under the walker."""

    def __init__(self, scene: Scene) -> None:
        self._node = scene.add("ground", "ground", flat=True, x=[0.0], y=[0.0], z=[[0.0]], packed="")

    def show(self, terrain: Terrain) -> None:
        """Draw another terrain."""
        flat = str(getattr(terrain, "name", "")) == "flat" or terrain.kind == "flat"
        if flat:
            self._node.set(flat=True, x=[0.0], y=[0.0], z=[[float(terrain.height(0.0))]], packed="")
        elif terrain.kind == "profile":
            x, z = terrain.profile()
            self._node.set(flat=False, x=_list(x), y=[0.0], z=[[h] for h in _list(z)], packed="")
        else:
            origin, spacing, heights = terrain.grid()
            x, y = (
                np.linspace(origin[k], origin[k] + spacing[k] * (n - 1), min(n, MOST_LINES))
                for k, n in enumerate(heights.shape)
            )
            z = np.asarray(terrain.height(*np.meshgrid(x, y, indexing="ij")))
            self._node.set(flat=False, x=_list(x), y=_list(y), z=[], packed=packed(z))


def _list(values: np.ndarray) -> list[float]:
    return [round(float(v), 5) for v in values]
