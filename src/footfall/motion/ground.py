"""The ground under a motion: an outline along x, or a grid of heights."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.quaternion import Array


@dataclass(frozen=True, eq=False)
class GroundProfile:
    """Heights of the ground. Beyond its ends it goes on flat.

    Attributes:
        x: [K] places along x, strictly increasing.
        y: [M] places along y, or one entry where the height does not change along y.
        z: [K, M] heights.
    """

    x: Array
    y: Array
    z: Array

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        if self.z.shape != (len(self.x), len(self.y)) or not np.isfinite(self.z).all():
            raise FootfallError(f"ground: heights must be finite and of shape {(len(self.x), len(self.y))}")
        if (np.diff(self.x) <= 0).any() or (np.diff(self.y) <= 0).any():
            raise FootfallError("ground: places must increase strictly")

    @classmethod
    def outline(cls, x: Array, z: Array) -> "GroundProfile":
        """Ground with the profile z [K] over x [K]."""
        return cls(np.asarray(x), np.zeros(1), np.asarray(z, dtype=float).reshape(-1, 1))

    @classmethod
    def flat(cls, height: float = 0.0) -> "GroundProfile":
        """Level ground."""
        return cls.outline(np.zeros(1), np.array([height]))

    @classmethod
    def of(cls, terrain: Any) -> "GroundProfile":
        """The ground of a ``footfall.terrain`` terrain."""
        if terrain.kind == "flat":
            return cls.flat()
        if terrain.kind == "profile":
            x, z = terrain.profile()
            return cls.outline(x, z)
        origin, spacing, heights = terrain.grid()
        heights = np.asarray(heights, dtype=float)
        step = np.broadcast_to(np.asarray(spacing, dtype=float), (2,))
        places = [origin[k] + step[k] * np.arange(heights.shape[k]) for k in range(2)]
        return cls(places[0], places[1], heights)

    @property
    def is_flat(self) -> bool:
        """Whether the height is the same everywhere."""
        return bool(np.ptp(self.z) == 0.0)

    def height(self, x: Array, y: Array | float = 0.0) -> Array:
        """Heights [...] at places x, y [...], bilinear between the given ones."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        if self.z.size == 1:
            return np.full(x.shape, self.z[0, 0])
        i, u = _cell(self.x, x)
        j, v = _cell(self.y, y)
        i1, j1 = np.minimum(i + 1, len(self.x) - 1), np.minimum(j + 1, len(self.y) - 1)
        near = (1 - u) * self.z[i, j] + u * self.z[i1, j]
        far = (1 - u) * self.z[i, j1] + u * self.z[i1, j1]
        return np.asarray((1 - v) * near + v * far)


def _cell(places: Array, at: Array) -> tuple[np.ndarray, Array]:
    """Index of the place at or before each ``at``, and how far on (0 to 1) towards the next."""
    if len(places) == 1:
        return np.zeros(at.shape, dtype=int), np.zeros(at.shape)
    at = np.clip(at, places[0], places[-1])
    i = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    return i, (at - places[i]) / (places[i + 1] - places[i])
