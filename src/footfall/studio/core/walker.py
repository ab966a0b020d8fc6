"""What panels, steering and the history ask of a walker, answered for a controller of any law.

Worlds of controllers that can do more answer more (:mod:`footfall.studio.core.world`).

What can be done with a walker while it is watched. Panels and steering ask for that, never for a world's class.

Steps that are balanced one by one, as panels and steering see them.

How a balanced walker is driven: numbers that may change with every step (Laszlo 1996, sections 3.7 and 5).
"""

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Number
from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import (
    BalanceControl,
    PathFollowing,
    SpeedControl,
    hip_control,
)
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
        """A copy with some attributes replaced."""
        return replace(self, **parts)

    @property
    def control(self) -> BalanceControl:
        """Its balance control."""
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
            pelvis: [1, 2 or 3] where the walker is. heading: [1] which way it faces.
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
    """What walks best: a held torso and an upright pelvis where there is a waist, else an upright torso."""
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


class Balance(Protocol):
    """A walker that limit-cycle control balances.

    Attributes:
        figure: what walks. drive: what is asked of it. steps: those that were taken.
        late: steps that had to wait for their plan. planned: seconds that the last plan took to work out.
    """

    figure: Figure
    drive: BalanceDrive
    steps: list[StepValues]
    late: int
    planned: float

    @property
    def reached(self) -> int:
        """Points of its path that it reached."""

    @property
    def changes(self) -> Set[str]:
        """Postures and turns that it has the joints and the states for."""

    def change_drive(self, drive: BalanceDrive) -> None:
        """Ask something else of it, from the next step on."""

    def prepare_drive(self, drive: BalanceDrive) -> None:
        """Compile what another drive needs; call it in a thread of its own."""


@dataclass(frozen=True)
class Can:
    """What can be done with a walker, besides what works for every one: watch, push, pull, rewind, reset, export, and
    change the terrain, friction, load and gravity.

    Attributes:
        edit: its states can be edited, and posed with handles. feedback: its states have gains of balance feedback.
        speed: it takes a speed. turn: it takes a heading. switch: it changes to other gaits.
        balance: its steps are balanced one by one; :attr:`World.balance` says how.
        follow: it follows a clip, which is drawn beside it. target: it says which pose it asks for.
        compare: its saved version can walk beside it.
        study: its push rose and its basin of attraction can be computed.
    """

    edit: bool = False
    feedback: bool = False
    speed: bool = False
    turn: bool = False
    switch: bool = False
    balance: bool = False
    follow: bool = False
    target: bool = False
    compare: bool = True
    study: bool = False


@dataclass(frozen=True)
class Leading:
    """How a walker is led by a heading (:mod:`footfall.studio.core.steering`).

    Attributes:
        rate: rad/s by which what is asked of it follows the goal at most.
        ahead: radians that it may be ahead of where the walker faces.
        around: metres, the radius of the tightest circle.
    """

    rate: float
    ahead: float
    around: float


class Walker:
    """A figure under one controller, or several that it may switch between.

    Attributes:
        controllers: the first one starts. law: what drives it. state: the whole state, arrays by name.
        drive: what is asked of it beside its controller; None where nothing can be.
        clip: the clip that the present step was chosen from; empty where no steps are chosen.
    """

    controllers: tuple[Any, ...]
    law: Law
    state: dict[str, NDArray[Any]]
    drive: Any = None
    clip: str = ""

    # -- what can be done with it ------------------------------------------------------------------------------------

    @property
    def can(self) -> Can:
        """What can be done with it."""
        return Can(speed=self._speed is not None, compare=self.law.key is not None)

    @property
    def balance(self) -> Balance | None:
        """How its steps are balanced one by one; None where they are not."""
        return None

    @property
    def leading(self) -> Leading | None:
        """How it can be led by a heading; None where it cannot."""
        return None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians."""
        raise FootfallError(f"'{self.gait}' cannot be led by a heading")

    @property
    def _speed(self) -> Number | None:
        """The desired speed, where the controller that drives has one."""
        controller = self.active()
        if not kind_of(controller).abilities(controller).speed:
            return None
        return next((n for n in kind_of(controller).numbers(controller) if n.name == "speed"), None)

    @property
    def asked_speed(self) -> float | None:
        """Metres a second that it is asked for; None where it cannot be asked."""
        return None if self._speed is None else self._speed.value

    @property
    def speeds(self) -> tuple[float, float]:
        """Between which metres a second it may be asked."""
        return (0.0, 1.0) if self._speed is None else (self._speed.least, self._speed.most)

    def steady_speeds(self, saved: Any) -> tuple[float, float]:
        """The part of these speeds at which it is likely to stay up; ``saved`` is its controller as it was saved."""
        return self.speeds

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """Ask it for a speed, metres a second: the controller to go on with, another version where the speed is one of
        its numbers."""
        return kind_of(controller).with_number(controller, "speed", speed)

    @property
    def gaits(self) -> list[str]:
        """Names of the gaits that it can switch between."""
        return [c.name for c in self.controllers]

    @property
    def gait(self) -> str:
        """The gait that it walks in."""
        return self.where()[0]

    def request(self, name: str) -> None:
        """Ask for another gait."""
        if name != self.gait:
            raise FootfallError(f"controller '{self.gait}' cannot switch to another one while it runs")

    def requested(self) -> str | None:
        """The gait that was asked for and has not come yet."""
        return None

    def known_transition(self, source: str, target: str) -> str:
        """What is recorded of switching from one gait to another; empty for nothing."""
        return ""

    # -- what its controller asks for ----------------------------------------------------------------------------------

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A state of the law (the present one) as (controller, number, whether the right leg is in stance)."""
        number = int(self.state["state"][0]) if state is None else state
        return self.controllers[0].name, max(number, 0), int(self.state["stance"][0]) == 1

    def active(self) -> Any:
        """The controller that drives it now."""
        name = self.where()[0]
        return next(c for c in self.controllers if c.name == name)

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array | None:
        """[nq] the pose that is asked for at this moment, at coordinates qpos [nq] and with the law's signals; None
        where the law does not say."""
        return None

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        """[S, nq] the poses that were asked for at sampled times, in states as :meth:`decode` takes them."""
        return np.full(qpos.shape, np.nan)

    def state_pose(self, name: str, number: int, base: Array) -> Array:
        """[nq] the pose of a controller's state as written, with the root as in ``base`` [nq]."""
        raise FootfallError(f"controller '{name}' has no states that can be posed")

    def undriven_joints(self, name: str, number: int) -> set[str]:
        """Joints that have no target of their own in a controller's state."""
        return set()

    def reference(self) -> Array | None:
        """[nq] the pose of the clip that it follows, where it is; None where it follows none."""
        return None

    def _references_then(self, times: Array, qpos: Array) -> Array:
        """[S, nq] the same at sampled times; [S, 0] where it follows none."""
        return np.zeros((len(times), 0))
