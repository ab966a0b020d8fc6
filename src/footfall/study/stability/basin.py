"""The basin of attraction of a gait: the states on its section from which it keeps walking.

States lie around the gait's fixed point, measured in radians (rates divided by 5/s, as everywhere in studies). Sections
change two coordinates over a grid; the volume is estimated from random directions at growing distances.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.study.robustness.pushing import strict_threshold
from footfall.study.stability.return_map import FixedPoint, ReturnMap

Array = NDArray[np.float64]

RADII = tuple(0.01 * k for k in range(1, 31))


@dataclass(frozen=True, eq=False)
class Basin:
    """How large a basin is.

    Attributes:
        radii: [R] distances from the fixed point, radians (root of the mean of the squares over the coordinates).
        share: [R] of random directions from which the gait went on walking.
        directions: how many at each distance.
        seconds: how long each walked.
        radius: the strict one: from no direction did it fall up to here.
        effective_radius: of the ball with the estimated volume of the basin's part within the largest of ``radii``.
        coordinates: how many.
    """

    radii: Array
    share: Array
    directions: int
    seconds: float
    radius: float
    effective_radius: float
    coordinates: int

    def as_dict(self) -> dict[str, Any]:
        """What a controller file's [basin] says."""
        half = np.flatnonzero(self.share < 0.5)
        return {
            "section": "left foot strike",
            "measure": "root mean square of the coordinates' errors; radians, rates divided by 5/s",
            "radius": round(self.radius, 4),
            "half_radius": round(float(self.radii[half[0]] if len(half) else self.radii[-1]), 4),
            "effective_radius": round(self.effective_radius, 4),
            "within": round(float(self.radii[-1]), 4),
            "coordinates": self.coordinates,
            "directions": self.directions,
            "seconds": self.seconds,
        }


def basin(
    gait: ReturnMap,
    point: FixedPoint,
    *,
    radii: ArrayLike = RADII,
    directions: int = 200,
    seconds: float = 10.0,
    seed: int = 0,
) -> Basin:
    """Estimate a basin's size from random directions.

    Volume: in n coordinates ∫ share(r) n r^(n-1) dr is the n-th power of the effective radius.
    """
    distance = np.asarray(radii, dtype=float)
    if distance.ndim != 1 or np.any(np.diff(distance) <= 0) or distance[0] <= 0:
        raise FootfallError("basin: radii must rise from above 0")
    n = gait.size
    ways = np.random.default_rng(seed).normal(size=(directions, n))
    ways /= np.sqrt(np.mean(ways**2, axis=1, keepdims=True))
    states = point.x + distance[:, None, None] * ways
    stood = _walks(gait, states.reshape(-1, n), seconds).reshape(len(distance), directions)
    share = stood.mean(axis=1)
    r = np.concatenate([[0.0], distance]) / distance[-1]
    level = np.concatenate([[1.0], share])
    shells = np.diff(r**n) * (level[1:] + level[:-1]) / 2.0
    effective = float(distance[-1] * shells.sum() ** (1.0 / n))
    return Basin(distance, share, directions, seconds, strict_threshold(distance, stood), effective, n)


def basin_section(
    gait: ReturnMap,
    point: FixedPoint,
    first: tuple[str, ArrayLike],
    second: tuple[str, ArrayLike],
    *,
    seconds: float = 10.0,
) -> NDArray[np.bool_]:
    """[A, B] whether the gait keeps walking, with two coordinates changed from the fixed point.

    Args:
        gait, point: the gait.
        first, second: a coordinate's name (``torso_pitch``, ``root_x.rate``) and its changes in its units, [A] and [B].
    """
    (name_a, a), (name_b, b) = first, second
    grid_a, grid_b = np.meshgrid(np.asarray(a, dtype=float), np.asarray(b, dtype=float), indexing="ij")
    states = np.tile(point.x, (grid_a.size, 1))
    for name, change in ((name_a, grid_a), (name_b, grid_b)):
        at = gait.coordinate(name)
        states[:, at] += change.reshape(-1) / gait.scale[at]
    return _walks(gait, states, seconds).reshape(grid_a.shape)


def _walks(gait: ReturnMap, states: Array, seconds: float, batch: int = 1000) -> NDArray[np.bool_]:
    """[N] whether worlds are up after a time and have taken steps."""
    stood = np.zeros(len(states), dtype=bool)
    needed = 0.5 * seconds / (gait.period * (1.0 if gait.mirrored else 0.5))
    for k in range(0, len(states), batch):
        part = slice(k, min(k + batch, len(states)))
        outcome = gait.run(states[part], seconds)
        steps = outcome.footsteps - int(gait.base["tally"][0, 0])
        stood[part] = outcome.survived & (steps > needed)
    return stood
