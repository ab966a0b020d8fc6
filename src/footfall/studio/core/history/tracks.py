"""Where the walker was: its footprints and the trail of its root, taken from the samples of the simulation."""

import bisect
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.studio.core.geometry.kinematics import Kinematics
from footfall.studio.core.history.samples import Samples
from footfall.terrain import Terrain

Array = NDArray[np.float64]

MOST = 4000
SPACING = 0.03
"""Metres between two points of the trail."""


@dataclass(frozen=True, eq=False)
class Footprint:
    """A foot that became the stance foot: when, from heel [3] to toe [3], and whether it is the right one."""

    time: float
    heel: Array
    toe: Array
    right: bool


class Tracks:
    """Footprints and trail of one figure, oldest first."""

    def __init__(self, figure: Figure) -> None:
        self._kinematics = Kinematics(figure)
        self.footprints: list[Footprint] = []
        self._trail: list[tuple[float, Array]] = []
        self._stance: int | None = None
        self.forgotten = 0

    def append(self, samples: Samples, terrain: Terrain, until: float | None = None) -> None:
        """Add what new samples show, up to a time (of a fall)."""
        for i, time in enumerate(samples.times):
            if until is not None and time > until:
                return
            stance = int(samples.stance[i])
            root = self._root(samples.qpos[i])
            if not self._trail or float(np.linalg.norm(root - self._trail[-1][1])) >= SPACING:
                self._trail.append((float(time), root))
            if stance >= 0 and self._stance not in (None, stance) and self._kinematics.figure.legs:
                self._footprint(float(time), samples.qpos[i], stance == 1, terrain)
            if stance >= 0:
                self._stance = stance
        self.forgotten += max(len(self.footprints) - MOST, 0)
        self.footprints, self._trail = self.footprints[-MOST:], self._trail[-MOST:]

    def _root(self, qpos: Array) -> Array:
        return np.asarray(self._kinematics.place(qpos).position[0])

    def _footprint(self, time: float, qpos: Array, right: bool, terrain: Terrain) -> None:
        figure = self._kinematics.figure
        points = self._kinematics.place(qpos).points
        names = [p.name for p in figure.points]
        leg = figure.legs["right" if right else "left"]
        heel, toe = (np.mean([points[names.index(n)] for n in ends], axis=0) for ends in (leg.heel, leg.toe))
        for end in (heel, toe):
            end[2] = float(terrain.height(end[0], end[1]))
        if float(np.linalg.norm(toe - heel)) > 1e-3:
            self.footprints.append(Footprint(time, heel, toe, right))

    def _until(self, time: float | None) -> tuple[int, int]:
        """How many footprints and points of the trail there are until a time (all)."""
        end = np.inf if time is None else time + 1e-9
        prints = bisect.bisect_right(self.footprints, end, key=lambda one: one.time)
        return prints, bisect.bisect_right(self._trail, end, key=lambda one: one[0])

    def rewind(self, time: float) -> None:
        """Forget what came after a time."""
        prints, trail = self._until(time)
        self.footprints, self._trail = self.footprints[:prints], self._trail[:trail]
        self._stance = None if not self.footprints else int(self.footprints[-1].right)

    def steps(self, until: float | None = None) -> int:
        """Footsteps taken until a time (all)."""
        return self.forgotten + self._until(until)[0]

    def last(self, count: int, until: float | None = None) -> list[Footprint]:
        """The newest footprints until a time."""
        stop = self._until(until)[0]
        return self.footprints[max(0, stop - count) : stop]

    def trail(self, count: int, until: float | None = None) -> Array:
        """[K, 3] the newest points of the trail until a time."""
        stop = self._until(until)[1]
        return np.array([place for _, place in self._trail[max(0, stop - count) : stop]]).reshape(-1, 3)
