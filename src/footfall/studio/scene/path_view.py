"""A path on the ground: numbered points and the line through them, those reached pale."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.terrain import Terrain

__all__ = ["PathView"]

Array = NDArray[np.float64]

AHEAD, NEXT, REACHED = (0, 114, 178), (213, 94, 0), (176, 186, 198)
LINE, LINE_NEXT, LINE_REACHED = (0, 43, 115), (171, 28, 0), (130, 140, 152)
"""Lines are drawn brighter than their numbers say."""
RADIUS, THICK, POLE = 0.16, 0.012, 0.42
RING = 48


class PathView:
    """Points under the node ``/world``."""

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self._nodes: list[Any] = []
        self._shown: tuple[Any, ...] = ()

    def show(self, points: Sequence[tuple[float, float]], reached: int, terrain: Terrain, reach: float = 0.0) -> None:
        """Draw points [P, 2], the first ``reached`` of which lie behind the walker, and round the next one how near is
        near enough, ``reach`` metres."""
        wanted = (tuple(points), reached, id(terrain))
        if wanted == self._shown:
            return
        self._shown = wanted
        for node in self._nodes:
            node.remove()
        self._nodes = []
        places = np.array([(x, y, float(terrain.height(x, y))) for x, y in points]).reshape(-1, 3)
        for i, place in enumerate(places):
            self._add_point(i, place, REACHED if i < reached else NEXT if i == reached else AHEAD, i < reached)
        if len(places) > 1:
            lift = np.array([0.0, 0.0, 0.012])
            ends = np.stack([places[:-1], places[1:]], axis=1) + lift
            colours = np.array([[LINE_REACHED if i < reached else LINE] * 2 for i in range(1, len(places))])
            self._nodes.append(
                self._scene.add_line_segments(
                    "/world/path/line",
                    ends.astype(np.float32),
                    colours.astype(np.uint8),
                    thickness=3.0,
                    thickness_units="screen",
                )
            )

        if reached < len(places) and reach > 0:
            self._add_ring(places[reached], reach, terrain)

    def _add_ring(self, place: Array, radius: float, terrain: Terrain) -> None:
        angle = np.linspace(0.0, 2.0 * np.pi, RING + 1)
        x, y = place[0] + radius * np.cos(angle), place[1] + radius * np.sin(angle)
        ring = np.stack([x, y, terrain.height(x, y) + 0.008], axis=1)
        self._nodes.append(
            self._scene.add_line_segments(
                "/world/path/ring",
                np.stack([ring[:-1:2], ring[1::2]], axis=1).astype(np.float32),
                LINE_NEXT,
                thickness=2.0,
                thickness_units="screen",
            )
        )

    def _add_point(self, number: int, place: Array, colour: tuple[int, int, int], done: bool) -> None:
        name = f"/world/path/{number}"
        opacity = 0.35 if done else 0.85
        x, y, z = place
        self._nodes += [
            self._scene.add_cylinder(
                f"{name}-disc",
                RADIUS,
                THICK,
                color=colour,
                opacity=opacity,
                position=(x, y, z + THICK),
                cast_shadow=False,
                receive_shadow=False,
            ),
            self._scene.add_cylinder(
                f"{name}-pole",
                0.01,
                POLE,
                color=colour,
                opacity=opacity,
                position=(x, y, z + POLE / 2),
                cast_shadow=False,
                receive_shadow=False,
            ),
            self._scene.add_label(f"{name}-label", str(number + 1), position=(x, y, z + POLE), anchor="bottom-center"),
        ]
