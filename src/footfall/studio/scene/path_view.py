"""A path on the ground: numbered points and the line through them, those reached pale."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.scene.marks import rgb
from footfall.studio.scene.nodes import Scene
from footfall.terrain import Terrain

Array = NDArray[np.float64]

AHEAD, NEXT, REACHED = rgb(0, 114, 178), rgb(213, 94, 0), rgb(176, 186, 198)
POLE, RADIUS, THIN = 0.42, 0.05, 0.012
RING = 48


class PathView:
    """The points of a path."""

    def __init__(self, scene: Scene) -> None:
        self._line = scene.add("path-line", "lines", colours=[], radius=THIN, alpha=1.0)
        self._poles = scene.add("path-points", "lines", colours=[], radius=RADIUS, alpha=1.0)
        self._ring = scene.add("path-ring", "lines", colour=NEXT, radius=0.5 * THIN, alpha=1.0)
        self._labels = scene.add("path-labels", "labels", texts=[], colour="--ink")
        self._shown: tuple[Any, ...] = ()

    def show(self, points: Sequence[tuple[float, float]], reached: int, terrain: Terrain, reach: float = 0.0) -> None:
        """Draw points [P, 2], the first ``reached`` of which lie behind the walker, and round the next one how near is
        near enough, ``reach`` metres."""
        wanted = (tuple(points), reached, id(terrain))
        if wanted == self._shown:
            return
        self._shown = wanted
        places = np.array([(x, y, float(terrain.height(x, y))) for x, y in points]).reshape(-1, 3)
        colours = [list(REACHED if i < reached else NEXT if i == reached else AHEAD) for i in range(len(places))]
        up = np.array([0.0, 0.0, 1.0])
        self._line.set(colours=colours[1:])
        self._line.put(np.concatenate([places[:-1] + THIN * up, places[1:] + THIN * up], axis=1))
        self._poles.set(colours=colours)
        self._poles.put(np.concatenate([places, places + 0.3 * POLE * up], axis=1))
        self._labels.set(texts=[str(i + 1) for i in range(len(places))])
        self._labels.put(places + POLE * up)
        self._ring.put(_ring(places[reached], reach, terrain) if reached < len(places) and reach > 0 else [])


def _ring(place: Array, radius: float, terrain: Terrain) -> Array:
    """Every second piece of a circle on the ground, [N, 6]."""
    angle = np.linspace(0.0, 2.0 * np.pi, RING + 1)
    x, y = place[0] + radius * np.cos(angle), place[1] + radius * np.sin(angle)
    ring = np.stack([x, y, terrain.height(x, y) + 0.008], axis=1)
    return np.concatenate([ring[:-1:2], ring[1::2]], axis=1)
