"""Random footsteps: walks that change speed, side-step, turn, spin, go back and stand, in a random style; lively ones
run, jump and hop too, steady ones keep at what they do.

A plan is what a walker does with its feet, without a body: where and when each foot stands. Bodies are put on it by
:mod:`footfall.motion.synthesis.random_walks`.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import Array

LONGEST, LONGEST_LEAP = 0.8, 1.3
"""Metres of a step, at most; of a run's."""
RUNNING = 2.0
"""m/s above which somebody who comes to a stand ran."""
GETTING_GOING, EVEN = 6, 3
"""Steps in which such a walk has got its speed, and steps that it keeps it."""
LANDS = 4
"""Where in a row of a plan the time is at which the foot lands."""
QUICKER = 0.35
"""m/s by which speed may change from step to step; twice that in a run."""
SHARPEST, SHARP, QUICKEST = 2.2, 1.7, 0.28
"""rad of a step's turn, at most; beyond which a lively step is shorter, and its least seconds."""


@dataclass(frozen=True)
class Style:
    """How somebody walks.

    Attributes:
        pace: seconds of a step at 1 m/s.
        shared: part of a step with both feet down.
        width: metres between the feet.
        height: metres that a foot is lifted.
        crouch: metres that the pelvis is lower than it could be.
        toe_out: rad.
        heel, toe: pitch of the foot, rad, as it lands and as it leaves, at 1 m/s.
        lean: pitch and roll of the trunk, rad.
        sway: of pelvis and shoulders about the vertical, rad, at 1 m/s.
        arms: [2, 4] shoulder's pitch, roll and yaw and elbow, of the left and the right arm.
        swing: of the arms, rad.
        fidget: rad by which the upper body moves at random.
        nimble: rad/s by which turning may change from step to step.
        pivot: how much a foot that stands turns with the body, where that turns sharply, 0 to 1.
        airy: part of a run's step in the air.
        leap: seconds of a run's step.
        kick: metres that its feet are lifted.
        gesture: rad by which head, trunk and arms move of their own accord.
        brisk: seconds in which they do.
        lively: whether it runs, jumps, hops and spins.
        steady: steps that it does the same for, at most, where it keeps at what it does; 0 where it soon does something
            else.
    """

    pace: float
    shared: float
    width: float
    height: float
    crouch: float
    toe_out: float
    heel: float
    toe: float
    lean: tuple[float, float]
    sway: tuple[float, float]
    arms: Array
    swing: float
    fidget: float
    nimble: float = 0.8
    pivot: float = 0.0
    airy: float = 0.2
    leap: float = 0.36
    kick: float = 0.2
    gesture: float = 0.0
    brisk: float = 0.3
    lively: bool = False
    steady: int = 0


@dataclass(frozen=True)
class FootstepPlan:
    """Footsteps in time.

    Attributes:
        places: [K, 2] where each foot is put.
        headings: [K] the body's, rad.
        left: [K] whether it is a left foot.
        lands, leaves: [K] seconds at which it comes down and goes up again.
        speeds: [K] m/s while it stands, forward.
        lifts: [K] metres that it is lifted on the way to its position.
        body, turns: [K, 2] and [K] position and heading of the body between the feet at each landing.
    """

    places: Array
    headings: Array
    left: NDArray[np.bool_]
    lands: Array
    leaves: Array
    speeds: Array
    lifts: Array
    body: Array
    turns: Array


def random_style(random: np.random.Generator) -> Style:
    """A style; most are ordinary."""
    odd = random.random() < 0.25
    hanging = np.array([random.uniform(-0.2, 0.3), random.uniform(0.05, 0.3), 0.0, random.uniform(0.1, 0.7)])
    arms = np.stack([hanging, hanging]) + random.normal(0.0, 0.08, (2, 4))
    if odd:
        raised = random.uniform([-0.6, 0.0, -0.8, 0.1], [2.4, 1.8, 0.8, 2.2], (2, 4))
        arms = np.where(random.random((2, 1)) < 0.7, raised, arms)
    return Style(
        pace=random.uniform(0.42, 0.72),
        shared=random.uniform(0.1, 0.28),
        width=random.uniform(0.07, 0.3) if odd else random.uniform(0.12, 0.22),
        height=random.uniform(0.03, 0.3) if odd else random.uniform(0.03, 0.1),
        crouch=random.uniform(0.0, 0.2) if odd else random.uniform(0.0, 0.035),
        toe_out=random.uniform(-0.15, 0.4) if odd else random.uniform(0.0, 0.2),
        heel=random.uniform(0.0, 0.35),
        toe=random.uniform(0.25, 0.85),
        lean=(random.normal(0.03, 0.12 if odd else 0.05), random.normal(0.0, 0.05 if odd else 0.015)),
        sway=(random.uniform(0.0, 0.2), random.uniform(0.0, 0.3)),
        arms=arms,
        swing=random.uniform(0.0, 0.6),
        fidget=random.uniform(0.0, 0.25 if odd else 0.08),
    )


def lively_style(random: np.random.Generator) -> Style:
    """A style of somebody who also runs, jumps, hops, spins and moves the arms of their own accord."""
    return replace(
        random_style(random),
        nimble=random.uniform(0.8, 5.0),
        pivot=random.uniform(0.4, 1.0),
        airy=random.uniform(0.08, 0.42),
        leap=random.uniform(0.29, 0.42),
        kick=random.uniform(0.08, 0.4),
        gesture=random.uniform(0.1, 0.6) if random.random() < 0.4 else random.uniform(0.0, 0.1),
        brisk=random.uniform(0.12, 0.5),
        lively=True,
    )


def steady_style(random: np.random.Generator) -> Style:
    """A style of somebody who runs or walks on and on, one time in three with high knees."""
    lively = random.random() < 0.7
    style = lively_style(random) if lively else random_style(random)
    height = random.uniform(0.15, 0.4) if random.random() < 0.33 else style.height
    return replace(style, height=height, steady=int(random.integers(10, 50)))


def plan_footsteps(style: Style, seconds: float, random: np.random.Generator) -> FootstepPlan:
    """Footsteps of about so many seconds, from a stand or from mid-walk."""
    planner = _Planner(style, random)
    while planner.time < seconds:
        planner.step()
    return planner.plan()


def plan_stop(
    style: Style, velocity: Array, spin: float, random: np.random.Generator
) -> tuple[FootstepPlan, float, float]:
    """Footsteps from a stand into a walk or a run and to a stand again; when its last even steps begin, and when it
    stands.

    Args:
        style: how.
        velocity: [2] forward and to the left, m/s.
        spin: rad/s that it turns by.
        random: of what is random.
    """
    planner, how = _Planner(style, random), "run" if np.linalg.norm(velocity) > RUNNING else "walk"
    planner.order = _Order(velocity, spin)
    for _ in range(GETTING_GOING):
        planner._step(how)
    begins = planner.time
    for _ in range(EVEN):
        planner._step(how)
    planner.order = _Order(np.zeros(2), 0.0)
    planner._step("stand")
    while np.linalg.norm(planner.velocity) > 0.0:
        planner._step("stand")
    planner._step("stand")
    stands = planner.rows[-1][LANDS]
    planner._step("stand")
    return planner.plan(), begins, stands


class Means(np.random.Generator):
    """Random numbers that are not random: each is the mean of its distribution."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Halfway."""
        return 0.5 * (low + high) if size is None else np.full(size, 0.5 * (low + high))


def plan_steady(style: Style, velocity: Array, spin: float, steps: int, *, running: bool) -> FootstepPlan:
    """Footsteps from a stand into an even walk or run, of so many steps; at the end it goes on as :func:`plan_stop`'s
    does."""
    planner = _Planner(style, Means())
    planner.order = _Order(velocity, spin)
    for _ in range(steps):
        planner._step("run" if running else "walk")
    return planner.plan()


@dataclass(frozen=True)
class _Order:
    """What to do next: velocity forward and to the left, m/s, and turning, rad/s; and how: "walk", "stand", "run",
    "jump" or "hop"."""

    velocity: Array
    spin: float
    how: str = "walk"


class _Planner:
    """A walker that makes one step after the other: ``time`` is when the last foot came down."""

    def __init__(self, style: Style, random: np.random.Generator) -> None:
        self.style, self.random = style, random
        self.side = 1.0 if random.random() < 0.5 else -1.0
        self.heading, self.body = 0.0, np.zeros(2)
        self.velocity, self.turn = np.zeros(2), 0.0
        self.order, self.left_over = _Order(np.zeros(2), 0.0), 0
        self.rows: list[tuple[float, ...]] = []
        self.down = {1.0: 0, -1.0: 0}
        self.leaves: dict[int, float] = {}
        for s in (self.side, -self.side):
            self._put(s, self.body + _turned(0.0, np.array([0.0, 0.5 * s * style.width])), 0.0, style.height)
        self.time = random.uniform(0.3, 1.5)

    def _put(self, side: float, place: Array, lands: float, lift: float) -> None:
        self.rows.append((*place, self.heading, side, lands, float(self.velocity[0]), *self.body, self.heading, lift))
        self.down[side] = len(self.rows) - 1

    def step(self) -> None:
        """The next step, jump or hop."""
        if self.left_over == 0:
            self.order = _order(self.random, self.style)
            most = 5 if self.order.how in ("jump", "hop") else max(9, self.style.steady)
            self.left_over = int(self.random.integers(1 if self.style.lively else 2, most))
        self.left_over -= 1
        how = self.order.how
        if how == "jump":
            self._jump()
        elif how == "hop":
            self._hop()
        else:
            self._step(how)

    def _step(self, how: str) -> None:
        style, random = self.style, self.random
        change = self.order.velocity - self.velocity
        quicker = (2.0 if how == "run" else 1.0) * QUICKER
        self.velocity = self.velocity + change * min(1.0, quicker / max(float(np.linalg.norm(change)), 1e-9))
        self.turn += float(np.clip(self.order.spin - self.turn, -style.nimble, style.nimble))
        speed = float(np.linalg.norm(self.velocity))
        pause, air = 0.0, 0.0
        if how == "stand" and speed < 0.05:
            self.left_over = 0
            step = 0.5 * style.pace + 0.2
            self.velocity, self.turn = np.zeros(2), 0.0
            pause = random.uniform(0.5, 3.0)
        elif how == "run":
            step = min(style.leap * random.uniform(0.95, 1.05), LONGEST_LEAP / max(speed, 1e-9))
            air = style.airy * step
        else:
            step = style.pace * (1.25 - 0.25 * min(speed, 2.0)) * random.uniform(0.95, 1.05)
            step = min(step, LONGEST / max(speed, 1e-9))
            if style.lively:
                step = min(step, max(QUICKEST, SHARP / max(abs(self.turn), 1e-9)))
        turned = float(np.clip(self.turn * step, -SHARPEST, SHARPEST))
        self.side = -self.side
        self.body = self.body + _turned(self.heading + 0.5 * turned, self.velocity * step)
        self.heading += turned
        swinging = self.down[self.side]
        self.leaves[swinging] = self.time - air if air else self.time + style.shared * step
        width = 0.5 * self.side * style.width * random.uniform(0.9, 1.1)
        ahead = self.velocity * (step - air) * 0.5
        outward = self.side * max(0.0, self.side * ahead[1])
        place = self.body + _turned(self.heading, np.array([ahead[0], width + outward]))
        self._put(self.side, place, self.time + step, style.kick if air else style.height)
        self.time += step + pause

    def _jump(self) -> None:
        """Both feet leave the ground and come down together."""
        random = self.random
        air, ready = random.uniform(0.12, 0.45), random.uniform(0.25, 0.5)
        self.velocity = 0.7 * self.order.velocity
        self.turn = 0.0
        leaves, turned = self.time + ready, self.order.spin * air
        self.body = self.body + _turned(self.heading + 0.5 * turned, self.velocity * air)
        self.heading += turned
        apart = random.uniform(0.1, 0.7) if random.random() < 0.5 else self.style.width
        for side in (1.0, -1.0):
            self.leaves[self.down[side]] = leaves
            place = self.body + _turned(self.heading, np.array([0.0, 0.5 * side * apart]))
            self._put(side, place, leaves + air, 0.25 * self.style.kick)
        self.time = leaves + air

    def _hop(self) -> None:
        """One foot leaves the ground and comes down again while the other is lifted; then that one comes down."""
        random, style = self.random, self.style
        self.velocity, self.turn = 0.7 * self.order.velocity, 0.0
        on, lifted = self.side, -self.side
        self.leaves[self.down[lifted]] = self.time + 0.12
        time = self.time + random.uniform(0.4, 0.6)
        for _ in range(int(random.integers(1, 5))):
            air, rest = random.uniform(0.08, 0.28), random.uniform(0.22, 0.4)
            self.leaves[self.down[on]] = time
            self.body = self.body + _turned(self.heading, self.velocity * (air + rest))
            place = self.body + _turned(self.heading, np.array([0.0, 0.2 * on * style.width]))
            self._put(on, place, time + air, 0.25 * style.kick)
            time += air + rest
        self.side = lifted
        place = self.body + _turned(self.heading, np.array([0.1 * self.velocity[0], 0.5 * lifted * style.width]))
        self._put(lifted, place, time, style.height)
        self.time = time + 0.1

    def plan(self) -> FootstepPlan:
        """The steps so far."""
        table = np.array(self.rows)
        leaves = np.array([self.leaves.get(k, np.inf) for k in range(len(table))])
        return FootstepPlan(
            table[:, :2],
            table[:, 2],
            table[:, 3] > 0,
            table[:, 4],
            leaves,
            table[:, 5],
            table[:, 9],
            table[:, 6:8],
            table[:, 8],
        )


def _order(random: np.random.Generator, style: Style) -> _Order:
    """What to do next."""
    if style.steady and style.lively and random.random() < 0.5:
        return _Order(np.array([random.uniform(1.2, 4.0), 0.0]), random.uniform(-0.8, 0.8), "run")
    how = random.random() if style.lively else 1.0
    if how < 0.15:
        return _Order(np.array([random.uniform(1.5, 4.2), 0.0]), random.uniform(-1.5, 1.5), "run")
    if how < 0.21:
        forward = random.uniform(-0.5, 1.6) if random.random() < 0.6 else 0.0
        return _Order(np.array([forward, 0.0]), random.uniform(-3.0, 3.0) if random.random() < 0.3 else 0.0, "jump")
    if how < 0.25:
        return _Order(np.array([random.uniform(-0.2, 0.9), 0.0]), 0.0, "hop")
    if style.lively and how < 0.4:
        spin = random.uniform(2.0, 8.0) * (1.0 if random.random() < 0.5 else -1.0)
        return _Order(np.array([random.uniform(-0.2, 0.8), 0.0]), spin)
    kind = random.random()
    if kind < 0.12:
        return _Order(np.zeros(2), 0.0, "stand")
    forward = random.uniform(0.25, 2.0 if style.lively else 1.7) if kind < 0.8 else random.uniform(-0.8, 0.3)
    left = random.uniform(-0.4, 0.4) if random.random() < 0.25 else 0.0
    chance = random.random()
    spin = 0.0 if chance < 0.4 else random.uniform(-1.2, 1.2) if chance < 0.9 else random.uniform(-2.8, 2.8)
    return _Order(np.array([forward, left]) * (1.0 if abs(spin) < 1.3 else 0.5), spin)


def _turned(angle: float, vector: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
