"""Whether legs pass each other or through each other, for many states at once."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.figures.body_places import places_of, rotations
from footfall.figures.figure import Figure

Array = NDArray[np.float64]
Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")
APART = 0.8
"""Between the middles of balls that stand for a limb, in their radii: a row of them is 8 % thinner at most."""
AT_ONCE = 1000
"""States, so that memory stays small."""


class LegRoom:
    """How far the limbs of the left leg are inside those of the right one.

    Limbs are rows of balls along the shapes in the figure's file, and along the soles. What overlaps where the body
    stands is not counted: shapes are rough.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._left, self._right = (_balls(figure, side) for side in SIDES)
        self._standing = 0.0
        self._standing = float(self(figure.default_qpos[None])[0])

    def __call__(self, qpos: Array) -> Array:
        """[N] metres for states [N, nq]; 0 where they are apart."""
        if not self._left or not self._right:
            return np.zeros(len(qpos))
        if len(qpos) > AT_ONCE:
            return np.concatenate([self(part) for part in np.array_split(qpos, 1 + len(qpos) // AT_ONCE)])
        left, right = (places_of(self.figure, ((b, at) for b, at, _ in s), qpos) for s in (self._left, self._right))
        radii = np.add.outer([r for *_, r in self._left], [r for *_, r in self._right])
        inside = radii - np.linalg.norm(left[:, :, None] - right[:, None], axis=-1)
        return np.asarray(np.maximum(0.0, inside.max(axis=(1, 2)) - self._standing))


def _balls(figure: Figure, side: Side) -> list[tuple[int, Array, float]]:
    """(body, middle, radius) of the balls that stand for a leg."""
    links, model = {figure.body(name).index for name in figure.leg(side).links}, figure.model
    balls: list[tuple[int, Array, float]] = []
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom]) - 1
        if body not in links:
            continue
        half = model.geom_aabb[geom, 3:]
        longest = int(np.argmax(half))
        radius = float(np.median(half))
        turn = rotations(np.array(model.geom_quat[geom])[None])[0]
        middle = model.geom_pos[geom] + turn @ model.geom_aabb[geom, :3]
        reach = float(half[longest]) - radius
        balls += [(body, middle + way * turn[:, longest], radius) for way in _spread(-reach, reach, radius)]
    soles = [p for p in figure.points if p.foot == side and p.ground]
    for body in {p.body for p in soles}:
        own = np.array([p.position for p in soles if p.body == body])
        low, high = own.min(axis=0), own.max(axis=0)
        radius = 0.5 * float(high[1] - low[1])
        if radius > 0.0 and high[0] - low[0] > 2.0 * radius:
            middle = 0.5 * (low + high)
            ways = _spread(low[0] + radius, high[0] - radius, radius)
            balls += [(body, np.array([way, middle[1], middle[2]]), radius) for way in ways]
    return balls


def _spread(begin: float, end: float, radius: float) -> Array:
    """Places between two, as far apart as balls of that radius may be."""
    if end <= begin or radius <= 0.0:
        return np.array([0.5 * (begin + end)])
    return np.linspace(begin, end, 1 + int(np.ceil((end - begin) / (APART * radius))))
