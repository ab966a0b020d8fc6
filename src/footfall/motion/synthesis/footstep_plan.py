"""Random footsteps: walks that change speed, side-step, turn, spin, go back and stand, in a random style.

A plan is what a walker does with its feet, without a body: where and when each foot stands. Bodies are put on it by
:mod:`footfall.motion.synthesis.random_walks`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FootstepPlan", "Style", "plan_footsteps", "random_style"]

Array = NDArray[np.float64]
LONGEST = 0.8
"""Metres of a step, at most."""
QUICKER = 0.35
"""m/s by which speed may change from step to step."""


@dataclass(frozen=True)
class Style:
    """How somebody walks.

    Attributes:
        pace: seconds of a step at 1 m/s. shared: part of a step with both feet down. width: metres between the feet.
        height: metres that a foot is lifted. crouch: metres that the pelvis is lower than it could be.
        toe_out: rad. heel, toe: pitch of the foot, rad, as it lands and as it leaves, at 1 m/s.
        lean: pitch and roll of the trunk, rad. sway: of pelvis and shoulders about the vertical, rad, at 1 m/s.
        arms: [2, 4] shoulder's pitch, roll and yaw and elbow, of the left and the right arm. swing: of the arms, rad.
        fidget: rad by which the upper body moves at random.
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


@dataclass(frozen=True)
class FootstepPlan:
    """Footsteps in time.

    Attributes:
        places: [K, 2] where each foot is put. headings: [K] the body's, rad. left: [K] whether it is a left foot.
        lands, leaves: [K] seconds at which it comes down and goes up again.
        speeds: [K] m/s while it stands, forward.
        body, turns: [K, 2] and [K] place and heading of the body between the feet at each landing.
    """

    places: Array
    headings: Array
    left: NDArray[np.bool_]
    lands: Array
    leaves: Array
    speeds: Array
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


def plan_footsteps(style: Style, seconds: float, random: np.random.Generator) -> FootstepPlan:
    """Footsteps of about so many seconds, from a stand or from mid-walk."""
    side = 1.0 if random.random() < 0.5 else -1.0
    time, heading, body = 0.0, 0.0, np.zeros(2)
    velocity, turn = np.zeros(2), 0.0
    wanted, spin, stand, left_over = velocity, 0.0, False, 0
    rows: list[tuple[float, ...]] = []
    down = {1.0: 0.0, -1.0: 0.0}
    for s in (side, -side):
        place = body + _turned(heading, np.array([0.0, 0.5 * s * style.width]))
        rows.append((*place, heading, s, 0.0, 0.0, *body, heading))
        down[s] = len(rows) - 1
    leaves = {0: 0.0, 1: 0.0}
    time = random.uniform(0.3, 1.5)
    while time < seconds:
        if left_over == 0:
            wanted, spin, stand = _order(random)
            left_over = int(random.integers(2, 9))
        left_over -= 1
        change = wanted - velocity
        velocity = velocity + change * min(1.0, QUICKER / max(float(np.linalg.norm(change)), 1e-9))
        turn += float(np.clip(spin - turn, -0.8, 0.8))
        if stand and float(np.linalg.norm(velocity)) < 0.05:
            left_over = 0
            heading_rate, step = 0.0, 0.5 * style.pace + 0.2
            velocity, turn = np.zeros(2), 0.0
            pause = random.uniform(0.5, 3.0)
        else:
            heading_rate, pause = turn, 0.0
            speed = float(np.linalg.norm(velocity))
            step = style.pace * (1.25 - 0.25 * min(speed, 2.0)) * random.uniform(0.95, 1.05)
            step = min(step, LONGEST / max(speed, 1e-9))
        side = -side
        body = body + _turned(heading + 0.5 * heading_rate * step, velocity * step)
        heading += heading_rate * step
        swinging = int(down[side])
        leaves[swinging] = time + style.shared * step
        land = time + step
        width = 0.5 * side * style.width * random.uniform(0.9, 1.1)
        ahead = velocity * step * 0.5
        outward = side * max(0.0, side * ahead[1])
        place = body + _turned(heading, np.array([ahead[0], width + outward]))
        rows.append((*place, heading, side, land, float(velocity[0]), *body, heading))
        down[side] = len(rows) - 1
        time = land + pause
    table = np.array(rows)
    off = np.array([leaves.get(k, np.inf) for k in range(len(rows))])
    for k in range(2):
        if leaves[k] == 0.0:
            off[k] = np.inf
    return FootstepPlan(
        table[:, :2], table[:, 2], table[:, 3] > 0, table[:, 4], off, table[:, 5], table[:, 6:8], table[:, 8]
    )


def _order(random: np.random.Generator) -> tuple[Array, float, bool]:
    """What to do next: velocity forward and to the left, m/s, turning, rad/s, and whether to come to a stand."""
    kind = random.random()
    if kind < 0.12:
        return np.zeros(2), 0.0, True
    forward = random.uniform(0.25, 1.7) if kind < 0.8 else random.uniform(-0.8, 0.3)
    left = random.uniform(-0.4, 0.4) if random.random() < 0.25 else 0.0
    chance = random.random()
    spin = 0.0 if chance < 0.4 else random.uniform(-1.2, 1.2) if chance < 0.9 else random.uniform(-2.8, 2.8)
    return np.array([forward, left]) * (1.0 if abs(spin) < 1.3 else 0.5), spin, False


def _turned(angle: float, vector: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])
