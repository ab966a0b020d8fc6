"""The ground: a tinted plane with a grid where it is level, shaded blocks where it is not, and metres along the way."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.terrain import Terrain

__all__ = ["GroundView"]

Array = NDArray[np.float64]

W = 2.5
"""Half the width of uneven ground, metres."""
BEFORE, BEHIND = 12.0, 25.0
GRID_CELLS = 160
DEPTH = 0.4
"""Metres by which the sides of the ground reach below its lowest place."""
TINT = (141, 160, 178)
"""Of level ground: half transparent, so that it goes with a light and with a dark sky."""
TREAD, RISER, SIDE = (219, 226, 233), (158, 173, 188), (187, 198, 209)
STEEP = 1.0
LABELS, ASIDE = 5, 0.8
"""Metres are labelled so far ahead and behind, and so far to the right of the walker."""


class GroundView:
    """The terrain under the node ``/world``."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: list[Any] = []
        self._labels = {
            k: scene.add_label(f"/world/metre-{k}", "", anchor="center-center", font_screen_scale=0.75)
            for k in range(2 * LABELS + 1)
        }
        self._labelled: tuple[int, float, float] | None = None

    def follow(self, place: Array, terrain: Terrain) -> None:
        """Label the metres along x around a place [3]."""
        metre, across = round(float(place[0])), round(2.0 * float(place[1])) / 2.0
        key = (metre, across, float(terrain.height(metre + 3.0, across)))
        if key == self._labelled:
            return
        self._labelled = key
        y = across - ASIDE
        for x in range(metre - LABELS, metre + LABELS + 1):
            label = self._labels[x % len(self._labels)]
            if label.text != f"{x} m":
                label.text = f"{x} m"
            label.position = (float(x), y, float(terrain.height(float(x), y)) + 0.01)

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
                cell_color=(158, 171, 184),
                section_color=(133, 147, 162),
                fade_distance=26.0,
                shadow_opacity=0.4 if flat else 0.0,
                plane_color=TINT,
                plane_opacity=0.28,
                position=(0.0, 0.0, float(terrain.height(0.0))),
                visible=flat,
            )
        )
        if flat:
            return
        if terrain.kind != "profile":
            self._add_mesh("ground", *self._field(terrain), TREAD)
            return
        x, z = terrain.profile()
        x = np.concatenate([[x[0] - BEFORE], x, [x[-1] + BEHIND]])
        z = np.concatenate([[z[0]], z, [z[-1]]])
        steep = np.abs(np.diff(z)) > STEEP * np.abs(np.diff(x))
        for name, which, colour in (("treads", ~steep, TREAD), ("risers", steep, RISER)):
            if which.any():
                self._add_mesh(name, *_strip(x, z, which), colour)
        self._add_mesh("sides", *_sides(x, z), SIDE)
        edges = np.stack([np.stack([x[1:-1], np.full_like(x[1:-1], s), z[1:-1] + 0.004], -1) for s in (W, -W)], axis=1)
        self._nodes.append(
            self._scene.add_line_segments(
                "/world/edges", edges.astype(np.float32), (120, 135, 150), thickness=1.5, thickness_units="screen"
            )
        )

    def _add_mesh(self, name: str, vertices: Array, faces: NDArray[np.int64], colour: tuple[int, int, int]) -> None:
        self._nodes.append(
            self._scene.add_mesh_simple(
                f"/world/ground-{name}",
                vertices,
                faces,
                color=colour,
                side="double",
                flat_shading=True,
                cast_shadow=False,
            )
        )

    def _field(self, terrain: Terrain) -> tuple[Array, NDArray[np.int64]]:
        origin, spacing, heights = terrain.grid()
        extent = spacing * (np.array(heights.shape) - 1)
        x, y = (np.linspace(origin[k], origin[k] + extent[k], GRID_CELLS) for k in (0, 1))
        gx, gy = np.meshgrid(x, y, indexing="ij")
        vertices = np.stack([gx, gy, terrain.height(gx, gy)], axis=-1).reshape(-1, 3)
        k = np.arange(GRID_CELLS * GRID_CELLS).reshape(GRID_CELLS, GRID_CELLS)
        a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[:-1, 1:], k[1:, 1:]))
        faces = np.concatenate([np.stack([a, b, c], -1), np.stack([b, d, c], -1)])
        return vertices, faces


def _strip(x: Array, z: Array, which: NDArray[np.bool_]) -> tuple[Array, NDArray[np.int64]]:
    """The surface over some segments of a profile."""
    i = np.flatnonzero(which)
    corners = [(x[i], W, z[i]), (x[i], -W, z[i]), (x[i + 1], W, z[i + 1]), (x[i + 1], -W, z[i + 1])]
    return _quads(corners)


def _sides(x: Array, z: Array) -> tuple[Array, NDArray[np.int64]]:
    """The walls below both edges of a profile."""
    low = float(z.min()) - DEPTH
    walls = [_quads([(x[:-1], s, z[:-1]), (x[:-1], s, low), (x[1:], s, z[1:]), (x[1:], s, low)]) for s in (W, -W)]
    count = len(walls[0][0])
    return np.concatenate([v for v, _ in walls]), np.concatenate([f + k * count for k, (_, f) in enumerate(walls)])


def _quads(corners: list[tuple[Any, Any, Any]]) -> tuple[Array, NDArray[np.int64]]:
    """Quadrilaterals of four corners each, as vertices and triangles."""
    n = len(np.atleast_1d(corners[0][0]))
    vertices = np.concatenate([np.stack(np.broadcast_arrays(*c), axis=-1).reshape(n, 3) for c in corners])
    k = np.arange(n)
    first, second = np.stack([k, k + n, k + 2 * n], -1), np.stack([k + 2 * n, k + n, k + 3 * n], -1)
    return vertices, np.concatenate([first, second])
