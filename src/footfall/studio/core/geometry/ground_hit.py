"""What a click on the page points at."""

import numpy as np
from numpy.typing import NDArray

from footfall.terrain import Terrain

Array = NDArray[np.float64]

FARTHEST = 80.0
SAMPLES = 1600


def ground_hit(terrain: Terrain, origin: Array, direction: Array) -> Array | None:
    """[3] where a ray first meets the ground; None where it does not within ``FARTHEST`` metres.

    Args:
        terrain: the ground. origin, direction: [3] the ray's, in the world's axes.
    """
    way = np.asarray(direction, dtype=float)
    way = way / np.linalg.norm(way)
    along = np.linspace(0.0, FARTHEST, SAMPLES)

    def above(t: Array) -> Array:
        points = origin + t[:, None] * way
        return np.asarray(points[:, 2] - terrain.height(points[:, 0], points[:, 1]))

    under = np.flatnonzero(above(along) <= 0.0)
    if len(under) == 0 or under[0] == 0:
        return None
    low, high = along[under[0] - 1], along[under[0]]
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if above(np.array([middle]))[0] <= 0 else (middle, high)
    return np.asarray(origin + high * way)
