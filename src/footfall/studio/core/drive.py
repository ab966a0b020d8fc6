"""How a balanced walker is driven: numbers that may change with every step (Laszlo 1996, sections 3.7 and 5)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import BalanceControl, PathFollowing, SpeedControl, hip_control
from footfall.methods.limit_cycle.perturbation import builtin_perturbation, has_waist

Array = NDArray[np.float64]

SAMPLINGS = ("F-L", "L-F", "SP", "jacobian")
VECTORS = ("up", "pelvis-up", "swing-com")
POSTURES: dict[str, float] = {"bent-knee": 18, "bent-over": 2, "duck": 18, "stride-rate": 6}
"""Perturbations of the gait, and over how many steps each comes and goes (Laszlo 1996, sections 5.4 and 5.5)."""
TURNS = ("turn-right", "turn-left")
CHANGES = (*POSTURES, *TURNS)
"""Perturbations that a drive asks for, where a walker has the joints and the states for them."""
MOST_TURN = 32.0
"""Degrees of hip yaw in the tightest turn."""
TURN_RADIUS = {True: 1.1, False: 2.6}
"""Metres: the circle of the tightest turn with a little to spare, with a held torso and without."""
STRAIGHT_STEPS, TURN_A_STEP = 2, 4.0
"""A walker starts straight ahead; then its turns may become tighter by so many degrees with each step."""
REACH = 0.9
"""Metres at which a point of a path is reached."""
STARTING_STEPS = 8
"""Steps after the start before speed is held."""
TARGET_A_STEP = 0.0125
"""How far Q_d moves in one step towards what is asked for."""


SPEEDS, BIASES = (0.68, 0.73, 0.79, 0.84, 0.87, 0.92), (0.3, 0.325, 0.35, 0.375, 0.4, 0.425)
"""Steady speeds of human-walk, metres a second, by Q_bias: the row speed-linear-pelvis of what is reproduced."""


@dataclass(frozen=True)
class BalanceDrive:
    """What is asked of a balanced walker.

    Attributes:
        balanced: whether steps are balanced at all.
        servo: whether the torso is held against the world.
        sampling: one of ``SAMPLINGS``.
        forward, lateral: the vectors, of ``VECTORS``, whose parts are regulated.
        targets: Q_d, forward and lateral.
        speed: metres a second that speed control holds, instead of a forward target of its own; None for none.
        postures: scalings of ``POSTURES``.
        turn: degrees of hip yaw, to the left, where neither a heading nor a path is asked for.
        heading: radians from the world's x to its y; None for none.
        points: of a path, metres; a walker that has some left follows them.
    """

    balanced: bool = True
    servo: bool = False
    sampling: str = "F-L"
    forward: str = "up"
    lateral: str = "up"
    targets: tuple[float, float] = (0.28, 0.0)
    speed: float | None = None
    postures: Mapping[str, float] = field(default_factory=dict)
    turn: float = 0.0
    heading: float | None = None
    points: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        for name, choices in (("sampling", SAMPLINGS), ("forward", VECTORS), ("lateral", VECTORS)):
            if getattr(self, name) not in choices:
                raise FootfallError(f"{name} is '{getattr(self, name)}'; choose one of: {', '.join(choices)}")
        numbers = [*self.targets, self.speed or 0.0, *self.postures.values(), self.turn, self.heading or 0.0]
        if not all(math.isfinite(x) for x in (*numbers, *(x for point in self.points for x in point))):
            raise FootfallError("drive: its numbers must be finite")

    def changed(self, **parts: Any) -> "BalanceDrive":
        return replace(self, **parts)

    @property
    def control(self) -> BalanceControl:
        return hip_control(
            self.sampling, forward=f"{self.forward}.forward", lateral=f"{self.lateral}.lateral", targets=self.targets
        )

    @property
    def speed_control(self) -> tuple[SpeedControl, ...]:
        """Its speed control (equation 5.1), about which :attr:`aim` moves Q_bias."""
        return () if self.speed is None else (SpeedControl(f"{self.forward}.forward", 0.3, 0.75, 0.1),)

    @property
    def aim(self) -> tuple[float, float]:
        """Q_d that is asked for; with a speed, the Q_bias that walks so fast."""
        if self.speed is None:
            return self.targets
        return float(np.interp(self.speed, SPEEDS, BIASES)), self.targets[1]

    def can_hold_speed(self, figure: Figure) -> bool:
        """Whether it is known which Q_bias walks how fast: for the human with its torso held."""
        return figure.name == "human" and self.servo and self.forward == "pelvis-up"

    def faster(self, by: float) -> "BalanceDrive":
        """The drive of a walk that is faster by about metres a second: through its speed, or else through its lean."""
        if self.speed is not None:
            return self.changed(speed=float(np.clip(self.speed + 0.5 * by, SPEEDS[0], SPEEDS[-1])))
        forward, lateral = self.targets
        return self.changed(targets=(float(np.clip(forward + 0.1 * by, -0.2, 0.5)), lateral))

    def turning(self, number: int, pelvis: Array, heading: Array, reached: int) -> tuple[float, int]:
        """The turn of a step, degrees to the right, and how many points have been reached.

        Args:
            number: how many steps were taken before.
            pelvis: [1, 2 or 3] where the walker is.
            heading: [1] which way it faces.
            reached: how many points it had reached before.
        """
        points: Array = np.array(self.points, dtype=float).reshape(-1, 2)
        most = min(MOST_TURN, TURN_A_STEP * max(number - STRAIGHT_STEPS, 0))
        if len(points) == 0 and self.heading is None:
            return float(np.clip(-self.turn, -most, most)), 0
        if len(points) == 0:
            assert self.heading is not None
            points = pelvis[:, :2] + 1e3 * np.array([[math.cos(self.heading), math.sin(self.heading)]])
        right, left = (builtin_perturbation(name) for name in TURNS)
        follow = PathFollowing(right, left, points, reach=REACH, limit=MOST_TURN, radius=TURN_RADIUS[self.servo])
        k, now = follow.scaling(pelvis, heading, np.array([min(reached, len(points))]))
        return float(np.clip(k[0], -most, most)), int(now[0]) if self.points else 0


def default_drive(figure: Figure) -> BalanceDrive:
    """The drive that walks best: a held torso and an upright pelvis where there is a waist, else an upright torso."""
    if has_waist(figure):
        return BalanceDrive(servo=True, forward="pelvis-up", lateral="pelvis-up", targets=(0.3, 0.0))
    return BalanceDrive(targets=(usual_target(figure, "up", 0), 0.0))


def usual_target(figure: Figure, vector: str, part: int) -> float:
    """A Q_d at which the built-in controllers walk: of a vector's forward (0) or lateral (1) part."""
    if part == 1:
        return 0.03 if vector == "swing-com" else 0.0
    if vector == "up" and not figure.name.startswith("human"):
        return 0.04
    return {"up": 0.28 if has_waist(figure) else 0.24, "pelvis-up": 0.3, "swing-com": 0.05}[vector]


@dataclass(frozen=True)
class StepValues:
    """A step that was taken: when it ended, its Q_d and the Q that it ended with, forward and lateral."""

    number: int
    time: float
    target: tuple[float, float]
    value: tuple[float, float]
