"""Where the soles of a figure are, for many states at once."""

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.body_places import places_of

Array = NDArray[np.float64]


class FootPlaces:
    """Places of every ground point of the feet of a planar or spatial figure.

    Attributes:
        names: [P] of the points, the left foot's first.
        left: how many of them are the left foot's.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        soles = [[p for p in figure.points if p.foot == side and p.ground] for side in ("left", "right")]
        self.points = (*soles[0], *soles[1])
        self.names = tuple(p.name for p in self.points)
        self.left = len(soles[0])

    def __call__(self, qpos: Array) -> Array:
        """[N, P, 3] world places for states [N, nq]."""
        return places_of(self.figure, ((point.body, point.position) for point in self.points), qpos)
