"""Ground over a grid of heights, from an array or a grey picture."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import FootfallError
from footfall.terrain.terrain import FARTHEST, NEAREST, Array, Terrain

MOST = 100_000_000
"""Heights of one terrain."""


@dataclass(frozen=True, eq=False)
class TerrainHeightField(Terrain):
    """Heights [NX, NY] over a rectangle, bilinear between nodes; beyond its rim the rim's height continues."""

    kind = "grid"

    heights: ArrayLike
    """[NX, NY], first index along x (forward), second along y (left), m."""
    size: tuple[float, float]
    """Of the rectangle along x and y, m."""
    origin: tuple[float, float]
    """x, y of node [0, 0]."""
    name: str = "heightfield"
    _table: tuple[Array, Array, Array] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        heights = np.array(self.heights, dtype=np.float64)
        if heights.ndim != 2 or min(heights.shape) < 2 or heights.size > MOST:
            raise FootfallError(f"terrain '{self.name}': heights are 2 x 2 to {MOST} in all, not {heights.shape}")
        if not (np.abs(heights) <= FARTHEST).all():
            raise FootfallError(f"terrain '{self.name}': heights are within ±{FARTHEST:g} m")
        if len(self.origin) != 2 or not (np.abs(self.origin) <= FARTHEST).all():
            raise FootfallError(f"terrain '{self.name}': origin is two numbers within ±{FARTHEST:g}, not {self.origin}")
        spacing = np.array(self.size) / (np.array(heights.shape) - 1)
        if spacing.shape != (2,) or not ((spacing >= NEAREST) & (np.array(self.size) <= FARTHEST)).all():
            raise FootfallError(f"terrain '{self.name}': size is two lengths of up to {FARTHEST:g} m, not {self.size}")
        table = (np.array(self.origin, dtype=np.float64), spacing, heights)
        for array in table:
            array.setflags(write=False)
        object.__setattr__(self, "_table", table)

    @classmethod
    def load(
        cls,
        path: str | Path,
        length: float | None = None,
        width: float | None = None,
        height: float = 0.3,
        x: float = -1.0,
        y: float | None = None,
    ) -> "TerrainHeightField":
        """A grey picture: black is 0, white is ``height``; it is seen from above with forward to the right.

        Args:
            path: the picture.
            length: of the picture along x, m; 5 cm a pixel if None.
            width: along y, m; in proportion to ``length`` if None.
            height: of white, m.
            x: of the left edge, m.
            y: of the lower edge, m; the picture is centred on y = 0 if None.
        """
        from PIL import Image, UnidentifiedImageError

        try:
            with Image.open(path) as image:
                deep = image.mode.startswith("I")
                pixels = np.asarray(image if deep else image.convert("L"), dtype=np.float64)
        except UnidentifiedImageError as error:
            raise FootfallError(f"terrain picture {path} is not a picture") from error
        except OSError as error:
            raise FootfallError(f"terrain picture {path} cannot be read: {error.strerror or error}") from error
        except Exception as error:  # each of Pillow's readers has its own for a damaged file
            raise FootfallError(f"terrain picture {path} cannot be read: {error}") from error
        heights = height * pixels[::-1].T / (65535.0 if deep else 255.0)
        if min(heights.shape) < 2:
            raise FootfallError(f"terrain picture {path} is {heights.shape}; it needs 2 x 2 pixels or more")
        length = 0.05 * (heights.shape[0] - 1) if length is None else length
        width = length * (heights.shape[1] - 1) / (heights.shape[0] - 1) if width is None else width
        return cls(heights, (length, width), (x, -width / 2.0 if y is None else y), str(path))

    def grid(self) -> tuple[Array, Array, Array]:
        """(origin [2], spacing [2], heights [NX, NY])."""
        return self._table

    def height(self, x: ArrayLike, y: ArrayLike = 0.0) -> Array:
        """Bilinear between the four nodes around."""
        (a, b, c, d), u, v, _, _ = self._cell(x, y)
        return np.asarray((a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v)

    def gradient(self, x: ArrayLike, y: ArrayLike = 0.0) -> tuple[Array, Array]:
        """Of the bilinear patch, zero across the rim outside."""
        (a, b, c, d), u, v, inside_x, inside_y = self._cell(x, y)
        dx, dy = self._table[1]
        along = ((b - a) * (1 - v) + (d - c) * v) / dx * inside_x
        across = ((c - a) * (1 - u) + (d - b) * u) / dy * inside_y
        return along, across

    def _cell(self, x: ArrayLike, y: ArrayLike) -> tuple[tuple[Array, ...], Array, Array, Array, Array]:
        """The heights at a cell's corners (00, 10, 01, 11), the place in it, and whether x and y are inside."""
        origin, spacing, heights = self._table
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        s, t = (x - origin[0]) / spacing[0], (y - origin[1]) / spacing[1]
        last_x, last_y = heights.shape[0] - 1, heights.shape[1] - 1
        i = np.clip(np.floor(s).astype(np.intp), 0, last_x - 1)
        j = np.clip(np.floor(t).astype(np.intp), 0, last_y - 1)
        u, v = np.clip(s - i, 0.0, 1.0), np.clip(t - j, 0.0, 1.0)
        corners = heights[i, j], heights[i + 1, j], heights[i, j + 1], heights[i + 1, j + 1]
        return corners, u, v, (s >= 0.0) & (s < last_x), (t >= 0.0) & (t < last_y)

    def __str__(self) -> str:
        return self.name
