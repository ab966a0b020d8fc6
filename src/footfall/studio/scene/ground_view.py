"""The ground: a grid where it is level, a lit surface with its outline where it is not."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.terrain import Terrain

__all__ = ["GroundView"]

Array = NDArray[np.float64]

HALF_WIDTH = 2.5
BEFORE, BEHIND = 12.0, 25.0
GRID_CELLS = 120


class GroundView:
    """The terrain under the node ``/world``."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: list[Any] = []

    def show(self, terrain: Terrain) -> None:
        """Draw another terrain."""
        for node in self._nodes:
            node.remove()
        self._nodes = []
        flat = str(getattr(terrain, "name", "")) == "flat" or terrain.kind == "flat"
        self._nodes.append(
            self._scene.add_grid(
                "/world/grid",
                infinite_grid=True,
                cell_size=0.5,
                section_size=1.0,
                cell_color=(214, 219, 226),
                section_color=(176, 186, 198),
                fade_distance=24.0,
                shadow_opacity=0.22 if flat else 0.0,
                plane_opacity=0.0,
                position=(0.0, 0.0, float(terrain.height(0.0))),
                visible=flat,
            )
        )
        if flat:
            return
        vertices, faces, edges = self._profile(terrain) if terrain.kind == "profile" else self._field(terrain)
        self._nodes.append(
            self._scene.add_mesh_simple(
                "/world/ground",
                vertices,
                faces,
                color=(226, 229, 233),
                side="double",
                flat_shading=True,
                cast_shadow=False,
            )
        )
        if len(edges):
            self._nodes.append(
                self._scene.add_line_segments(
                    "/world/outline", edges, (150, 160, 172), thickness=1.5, thickness_units="screen"
                )
            )

    def _profile(self, terrain: Terrain) -> tuple[Array, NDArray[np.int64], Array]:
        x, z = terrain.profile()
        x = np.concatenate([[x[0] - BEFORE], x, [x[-1] + BEHIND]])
        z = np.concatenate([[z[0]], z, [z[-1]]])
        left = np.stack([x, np.full_like(x, HALF_WIDTH), z], axis=-1)
        right = left * [1.0, -1.0, 1.0]
        n = len(x)
        i = np.arange(n - 1)
        faces = np.concatenate([np.stack([i, i + n, i + 1], -1), np.stack([i + 1, i + n, i + n + 1], -1)])
        along = np.concatenate([np.stack([side[:-1], side[1:]], axis=1) for side in (left, right)])
        lift = np.array([0.0, 0.0, 0.004])
        across = np.stack([left[1:-1], right[1:-1]], axis=1)
        metres = np.arange(np.ceil(x[0]), np.floor(x[-1]) + 0.5, 1.0)[:400]
        heights = np.interp(metres, x, z)
        marks = np.stack(
            [np.stack([metres, np.full_like(metres, s * HALF_WIDTH), heights], -1) for s in (1.0, -1.0)], axis=1
        )
        return np.concatenate([left, right]), faces, np.concatenate([along, across, marks]) + lift

    def _field(self, terrain: Terrain) -> tuple[Array, NDArray[np.int64], Array]:
        origin, spacing, heights = terrain.grid()
        extent = spacing * (np.array(heights.shape) - 1)
        x, y = (np.linspace(origin[k], origin[k] + extent[k], GRID_CELLS) for k in (0, 1))
        gx, gy = np.meshgrid(x, y, indexing="ij")
        vertices = np.stack([gx, gy, terrain.height(gx, gy)], axis=-1).reshape(-1, 3)
        k = np.arange(GRID_CELLS * GRID_CELLS).reshape(GRID_CELLS, GRID_CELLS)
        a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[:-1, 1:], k[1:, 1:]))
        faces = np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)])
        return vertices, faces, np.zeros((0, 2, 3))
