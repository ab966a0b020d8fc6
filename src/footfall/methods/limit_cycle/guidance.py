"""Guidance: what steers a balanced walk from step to step (Laszlo 1996, chapter 5).

Q_d = Q_bias + clip(k (v_d - v), ± ΔQ_max)     speed, equation 5.1
k_turn = clip(k_θ θ, ± max)                     turning towards a point, §5.3.1
B = base + k(step) ΔP                           gaits that come and go over a number of steps, §5.2
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.methods.limit_cycle.perturbation import Perturbation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SpeedControl:
    """Feedback of a step's displacement on a regulation variable's target (equation 5.1, table 5.2).

    Attributes:
        dimension: name of the regulation variable whose target it moves.
        speed: v_d, metres a step, along ``axis``.
        gain: k. limit: ΔQ_max.
        axis: "forward" or "lateral": along or across the direction that the pelvis faces.
    """

    dimension: str
    speed: float
    gain: float = 1.5
    limit: float = 0.15
    axis: str = "forward"

    def __post_init__(self) -> None:
        if self.axis not in ("forward", "lateral"):
            raise FootfallError(f"speed control: axis is '{self.axis}'; choose 'forward' or 'lateral'")

    def correction(self, displacement: Array) -> Array:
        """[W] what is added to the target, given each walker's displacement [W] along the axis over its last step."""
        return np.asarray(np.clip(self.gain * (self.speed - displacement), -self.limit, self.limit))


@dataclass(frozen=True, eq=False)
class GaitChange:
    """A perturbation of the base graph that comes and goes.

    Attributes:
        perturbation: ΔP.
        keys: (step, scaling) pairs in order of steps; the scaling goes in straight lines between them and stays at the
            last one's. A scaling is a number, or one for each walker [W].
    """

    perturbation: Perturbation
    keys: Sequence[tuple[float, ArrayLike]]

    def scaling(self, step: int, walkers: int) -> Array:
        """[W] the scaling in a step."""
        steps = np.array([key[0] for key in self.keys], dtype=float)
        values = np.array([np.broadcast_to(np.asarray(key[1], dtype=float), (walkers,)) for key in self.keys])
        if np.any(np.diff(steps) < 0):
            raise FootfallError(f"gait change '{self.perturbation.name}': its steps must be in order")
        return np.array([np.interp(step, steps, values[:, w]) for w in range(walkers)])


@dataclass(frozen=True, eq=False)
class PathFollowing:
    """Turning towards the points of a path, one after the other.

    Attributes:
        right, left: the turning perturbations.
        points: [P, 2] metres.
        reach: a point counts as reached at this distance; the thesis takes a little more than the tightest turn's
            diameter.
        limit: the largest scaling of a turn.
        angle: the angle off the facing direction at which the turn is the tightest, radians.
        radius: of the tightest turn, metres; a point inside its circle, which a walker would go round for ever, is
            walked away from first. 0 to take no care of that.
    """

    right: Perturbation
    left: Perturbation
    points: Array
    reach: float
    limit: float
    angle: float = np.pi / 4
    radius: float = 0.0

    def scaling(self, pelvis: Array, heading: Array, reached: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
        """Signed scalings [W], positive to the right, and how many points each walker has reached [W].

        Args:
            pelvis: [W, 2 or 3] where the walkers are.
            heading: [W] which way they face.
            reached: [W] how many points they had reached before.
        """
        points = np.asarray(self.points, dtype=float)
        reached = reached.copy()
        k = np.zeros(len(reached))
        for w in range(len(reached)):
            while reached[w] < len(points) and np.linalg.norm(points[reached[w]] - pelvis[w, :2]) < self.reach:
                reached[w] += 1
            if reached[w] < len(points):
                ahead = points[reached[w]] - pelvis[w, :2]
                off = np.arctan2(ahead[1], ahead[0]) - heading[w]
                off = np.arctan2(np.sin(off), np.cos(off))
                side = heading[w] + np.copysign(np.pi / 2, off)
                centre = self.radius * np.array([np.cos(side), np.sin(side)])
                if np.linalg.norm(ahead - centre) >= self.radius - 0.5 * self.reach:
                    k[w] = np.clip(-off / self.angle, -1.0, 1.0) * self.limit
        return k, reached
