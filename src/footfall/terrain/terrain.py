"""What all terrains share: heights and normals for whoever asks, tables for the engine."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError

Array = NDArray[np.float64]

EDGE = 0.01
"""Length of the ramp that stands for a step's vertical edge, m (as in the SIMBICON applet)."""
NEAREST, FARTHEST = 1e-6, 1e6
"""How near to each other vertices may be, and how far from the origin, m."""


class Terrain(ABC):
    """An immutable ground z = height(x, y). ``kind`` says which table describes it: none, ``profile`` or ``grid``."""

    kind: ClassVar[Literal["flat", "profile", "grid"]]

    @abstractmethod
    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Height of the ground at x, y (any shapes that broadcast), m."""

    @abstractmethod
    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """∂z/∂x and ∂z/∂y; at an edge of the table those of the side ahead."""

    def normal(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Upward unit normal [..., 3]."""
        along, across = self.gradient(x, y)
        vector = np.stack([0.0 - along, 0.0 - across, np.ones_like(along)], axis=-1)
        return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))

    def profile(self) -> tuple[Array, Array]:
        """(x [K], z [K]): a polyline with strictly increasing x that continues level beyond its ends."""
        raise FootfallError(
            f"terrain '{self}' varies with y: it has a grid and no profile, planar figures cannot use it"
        )

    def grid(self) -> tuple[Array, Array, Array]:
        """(origin [2], spacing [2], heights [NX, NY]): bilinear between nodes, its rim continues level beyond."""
        raise FootfallError(f"terrain '{self}' does not vary with y: it has a profile and no grid")


class TerrainLine(Terrain):
    """A terrain that varies with x alone."""

    kind: ClassVar[Literal["flat", "profile", "grid"]] = "profile"

    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Height at x, y, linear between the profile's vertices."""
        x, _ = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        return np.asarray(np.interp(x, *self.profile()))

    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Slope of the profile's segments, zero beyond the ends."""
        x, _ = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        xs, zs = self.profile()
        slopes = np.concatenate([[0.0], np.diff(zs) / np.diff(xs), [0.0]])
        along = slopes[np.searchsorted(xs, x, side="right")]
        return along, np.zeros_like(along)
