"""Random steering: characters on a motion graph that are sent here and there, stopped and hurried, until they fall.

Every few seconds a world gets another order: a heading up to 150 degrees away, a speed from that of slow steps (the
10th percentile) to that of the fastest one, where its clips stand a stop now and then, and one time in three another
style. What is measured is how many stay up, and how well they obey.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion.quaternion import wrap_angle
from footfall.study.imitation.steered_worlds import SteeredWorlds

Array = NDArray[np.float64]
SHORTEST, LONGEST = 3.0, 8.0
"""Seconds between two orders."""
TURN = math.radians(150.0)
STOPPING = 0.15
"""Share of the orders that stop it."""
SETTLED = 0.6
"""Share of an order's time after which its heading is measured."""


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What random steering came to.

    Attributes:
        up: [N] which worlds stayed up. seconds: [N] that they did.
        heading_error: degrees between asked and simulated heading, mean over the last part of each order.
        walked: numbers of the steps that each world made, -1 for a stand.
        worlds: they, with the motions that were recorded.
    """

    up: NDArray[np.bool_]
    seconds: Array
    heading_error: float
    walked: tuple[tuple[int, ...], ...]
    worlds: SteeredWorlds


class RandomOrders:
    """The orders that one character on a graph gets."""

    def __init__(self, graph: TrackedGraph, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.styles, self.stops = graph.styles(), bool(graph.halts)
        used = graph.core if graph.choosing.plans else range(len(graph.steps))
        quick = [graph.steps[k].speed for k in used if graph.steps[k].speed > 0.0] or [0.0]
        self.speeds = float(np.percentile(quick, 10.0)), max(quick)
        self.since, self.until = 0.0, 0.0

    def next(self, time: float, direction: float) -> tuple[float, float, str | None]:
        """Direction, speed and style from now on."""
        random, first = self.random, self.until == 0.0
        self.since, self.until = time, time + float(random.uniform(SHORTEST, LONGEST))
        turned = direction + (0.0 if first else float(random.uniform(-TURN, TURN)))
        speed = float(random.uniform(*self.speeds))
        if self.stops and not first and random.random() < STOPPING:
            speed = 0.0
        style = str(random.choice(self.styles)) if random.random() < 1 / 3 else None
        return turned, speed, style


def rehearse(
    controller: SteeredController,
    worlds: int = 20,
    seconds: float = 60.0,
    *,
    noise: float = 0.03,
    seed: int = 1,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Rehearsal:
    """Steer worlds at random.

    Args:
        controller: what they walk on. worlds: how many. seconds: for how long.
        noise: of the starts' velocities. seed: of noise and orders.
        progress: called with the share done.
        options: as :class:`.steered_worlds.SteeredWorlds` takes them.
    """
    crowd = SteeredWorlds(controller, worlds, noise=noise, seed=seed, **options)
    orders = [RandomOrders(controller.graph, 1000 * seed + k) for k in range(worlds)]
    walked: list[list[int]] = [[choice.slots.numbers[choice.slots.now]] for choice in crowd.choices]
    errors: list[float] = []
    up = crowd.up
    while crowd.simulation.time < seconds - 1e-9 and up.any():
        time = crowd.simulation.time
        for own, choice in zip(orders, crowd.choices, strict=True):
            if time >= own.until:
                choice.direct(*own.next(time, choice.direction))
        slots = [choice.slots.now for choice in crowd.choices]
        up = crowd.advance()
        facings = crowd.facings
        for k in np.flatnonzero(up):
            choice, own = crowd.choices[k], orders[k]
            if choice.slots.now != slots[k]:
                walked[k].append(choice.slots.numbers[choice.slots.now])
            if time > own.since + SETTLED * (own.until - own.since) and choice.speed > 0.0:
                errors.append(abs(float(wrap_angle(facings[k] - choice.direction))))
        if progress is not None:
            progress(min(crowd.simulation.time / seconds, 1.0))
    lived = np.where(up, seconds, np.nan_to_num(crowd.simulation.outcome().end_time, nan=seconds))
    off = float(np.degrees(np.mean(errors))) if errors else math.nan
    return Rehearsal(up, lived, off, tuple(map(tuple, walked)), crowd)
