"""Balance control of a limit cycle: what is regulated, by which perturbations, sampled how (Laszlo 1996, section 3.7).

The samplings differ in how a step's model is built from its sample simulations, two for each dimension:

    superposition   each dimension alone about K = 0, all at once: a diagonal Jacobian
    sequential      one dimension after the other, each about the scalings found before it: forward-then-lateral
                    (F-L) or lateral-then-forward (L-F) by the order of the dimensions
    jacobian        all at once about K = 0, with the full Jacobian

Guidance steers a balanced walk from step to step (chapter 5):

    Q_d = Q_bias + clip(k (v_d - v), ± ΔQ_max)      speed, equation 5.1
    k_turn = clip(k_θ θ, ± max)                     turning towards a point, §5.3.1
    B = base + k(step) ΔP                           gaits that come and go over a number of steps, §5.2
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.methods.limit_cycle.perturbation import Perturbation, load_perturbation
from footfall.methods.limit_cycle.regulation import RegulationVariable, regulation_variable

SAMPLINGS = ("superposition", "sequential", "jacobian")


@dataclass(frozen=True)
class ControlDimension:
    """One regulated variable with the perturbation that moves it; the numbers are those of the ``balance`` command.

    Attributes:
        variable: the regulation variable.
        perturbation: what is scaled and added to the graph.
        sample: scalings ± sample at which the step is simulated.
        target: Q_d. Of a mirrored variable it is meant for steps on the left leg; on the right one its sign changes.
        limit: the largest scaling applied.
        tolerance: the largest error in Q that passes; a step that ends further off is modelled once more about the
            scalings it used.
    """

    variable: RegulationVariable
    perturbation: Perturbation
    sample: float
    target: float = 0.0
    limit: float = 180.0
    tolerance: float = 1.0

    def __post_init__(self) -> None:
        for name in ("sample", "limit", "tolerance"):
            if not getattr(self, name) > 0:
                raise FootfallError(
                    f"balance of {self.variable.name}: {name} is {getattr(self, name)}; it must be above 0"
                )


@dataclass(frozen=True)
class BalanceControl:
    """Control dimensions and how their model is sampled."""

    dimensions: tuple[ControlDimension, ...]
    sampling: Literal["superposition", "sequential", "jacobian"] = "superposition"

    def __post_init__(self) -> None:
        if self.sampling not in SAMPLINGS:
            raise FootfallError(f"sampling is '{self.sampling}'; choose one of: {', '.join(SAMPLINGS)}")
        if not self.dimensions:
            raise FootfallError("balance control needs at least one dimension")


def hip_control(
    sampling: str = "F-L",
    *,
    forward: str | RegulationVariable = "up.forward",
    lateral: str | RegulationVariable = "up.lateral",
    targets: tuple[float, float] = (0.25, 0.0),
    samples: tuple[float, float] = (5.0, 1.0),
) -> BalanceControl:
    """The thesis's control of a biped: stance hip pitch moves the forward variable, stance hip roll the lateral one.

    Args:
        sampling: "F-L", "L-F", "SP" or "jacobian".
        forward, lateral: regulation variables; different vectors make a composite (§5.1).
        targets: Q_d, forward and lateral.
        samples: degrees of hip pitch and hip roll.
    """
    kinds: dict[str, Literal["superposition", "sequential", "jacobian"]] = {
        "F-L": "sequential",
        "L-F": "sequential",
        "SP": "superposition",
        "jacobian": "jacobian",
    }
    if sampling not in kinds:
        raise FootfallError(f"sampling is '{sampling}'; choose one of: {', '.join(kinds)}")
    dimensions = (
        ControlDimension(regulation_variable(forward), load_perturbation("hip-pitch"), samples[0], targets[0]),
        ControlDimension(regulation_variable(lateral), load_perturbation("hip-roll"), samples[1], targets[1]),
    )
    return BalanceControl(dimensions[::-1] if sampling == "L-F" else dimensions, kinds[sampling])


Array = NDArray[np.float64]


@dataclass(frozen=True)
class SpeedControl:
    """Feedback of a step's displacement on a regulation variable's target (equation 5.1, table 5.2).

    Attributes:
        dimension: name of the regulation variable whose target it moves.
        speed: v_d, metres a step, along ``axis``.
        gain: k.
        limit: ΔQ_max.
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
