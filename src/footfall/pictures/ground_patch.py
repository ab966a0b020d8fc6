"""The ground around a walker as triangles and as lines at each metre, cut from ground of any shape."""

import numpy as np

from footfall.motion.ground import GroundProfile
from footfall.motion.quaternion import Array

_REACH = 16.0
_LINES = ((0.5, 0.12, 6.0), (1.0, 0.26, _REACH))
"""Metres between lines, how strong they are, and how far they reach."""


class GroundPatch:
    """Cuts patches of a ground; the triangles' corners lie on whole metres, and where the ground bends."""

    def __init__(self, ground: GroundProfile) -> None:
        self.ground = ground

    def triangles(self, centre: Array) -> tuple[Array, Array, np.ndarray]:
        """Corners [V, 3], their upward normals [V, 3] and triangles [N, 3], up to 16 m around ``centre`` (3,)."""
        x, y = (self._stops(k, float(centre[k])) for k in (0, 1))
        places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
        corners = np.concatenate([places, self.ground.height(places[..., 0], places[..., 1])[..., None]], axis=-1)
        if self.ground.is_flat:
            normals = np.broadcast_to([0.0, 0.0, 1.0], (corners.shape[0] * corners.shape[1], 3))
            index = np.arange(len(x) * len(y)).reshape(len(x), len(y))
            a, b, c, d = (v.reshape(-1) for v in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
            return corners.reshape(-1, 3), normals, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
        cells = np.stack([corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]], axis=2).reshape(
            -1, 4, 3
        )
        normal = np.cross(cells[:, 2] - cells[:, 0], cells[:, 3] - cells[:, 1])
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        first = 4 * np.arange(len(cells))[:, None]
        faces = np.concatenate([first + np.array(corner) for corner in ([0, 1, 2], [0, 2, 3])])
        return cells.reshape(-1, 3), np.repeat(normal, 4, axis=0), faces

    def lines(self, centre: Array) -> tuple[Array, Array, Array, Array]:
        """Starts [N, 3] and ends [N, 3] of lines on the ground at whole metres, and near ``centre`` at half metres;
        with how far apart they lie [N], and how strong they are [N]."""
        starts, ends, every, strength = [], [], [], []
        for apart, strong, reach in _LINES:
            for axis in (0, 1):
                low = np.ceil((centre[axis] - reach) / apart)
                fixed = apart * np.arange(low, (centre[axis] + reach) / apart)
                stops = self._stops(1 - axis, float(centre[1 - axis]), reach)[:: 2 if self.ground.is_flat else 1]
                places = np.empty((len(fixed), len(stops), 3))
                places[..., axis], places[..., 1 - axis] = fixed[:, None], stops
                places[..., 2] = self.ground.height(places[..., 0], places[..., 1])
                starts.append(places[:, :-1].reshape(-1, 3))
                ends.append(places[:, 1:].reshape(-1, 3))
                every.append(np.full(len(starts[-1]), apart))
                strength.append(np.full(len(starts[-1]), strong))
        return np.concatenate(starts), np.concatenate(ends), np.concatenate(every), np.concatenate(strength)

    def _stops(self, axis: int, centre: float, reach: float = _REACH) -> Array:
        grid = (self.ground.x, self.ground.y)[axis]
        low, high = np.floor(centre - reach), np.ceil(centre + reach)
        inside = grid[(grid > low) & (grid < high)] if not self.ground.is_flat else grid[:0]
        return np.unique(np.concatenate([np.arange(low, high + 1.0), inside]))
