"""Steps planned ahead: which one to make next, by all that can follow it (value iteration on a motion graph; Lee and
Lee 2004, precomputed avatar behaviour; ours in this law).

A step costs what its seam, its speed and its style are off what is wanted, and what is left to turn after it. What
comes later counts less and less, by FADE for each step. The least sum, for every step and every heading, is found once
for a wanted speed and style, and read while the character walks. A choice that looks at one or two steps waits for a
turn that happens to fit, or walks into a part of the graph that it cannot leave; this one goes where a turn begins.

Only the largest part of the graph is used in which every step can be reached from every other.
"""

from collections import OrderedDict
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.motion.quaternion import Array, wrap_angle
from footfall.motion.synthesis.step_graph import Prices

PRICES = Prices(turn=0.5, speed=0.25, style=2.0)
BEND = 0.12
"""Radians that a step may be bent."""
BINS = 36
"""Headings between which worths are interpolated."""
ALIGNED, FAR = 0.1, 1.2
"""Radians left to turn that cost nothing, since a pelvis turns to and fro with every step, and beyond which no more is
charged."""
FADE = 0.85
ROUNDS = 30
"""Of value iteration; what is left after them counts 1 %."""
NOWHERE = 1e3
"""Cost of a step that leads out of the part that is used."""
KEPT = 32
"""Wishes whose worths are kept."""


class StepPlan:
    """The worth of every step of a graph for what is wanted.

    Args:
        graph: the steps. Only those of its ``core`` are gone to.
    """

    def __init__(self, graph: TrackedGraph) -> None:
        count = len(graph.steps)
        self.styles = np.array([step.style for step in graph.steps])
        inside = np.zeros(count, dtype=bool)
        inside[list(graph.core)] = True
        cost = np.where(graph.near & inside[None], graph.cost / graph.choosing.seam, np.inf)
        most = min(graph.choosing.followers, count)
        self.after: NDArray[np.intp] = np.argsort(cost, axis=1, kind="stable")[:, :most]
        self.seams: Array = np.minimum(np.take_along_axis(cost, self.after, axis=1), NOWHERE)
        out = ~np.isfinite(cost).any(axis=1)
        self.after[out] = np.argmin(np.where(graph.may_follow, graph.seams, np.inf), axis=1)[out, None]
        self.turns: Array = np.array([step.turn for step in graph.steps])
        self.speeds: Array = np.array([step.speed for step in graph.steps])
        self.headings: Array = np.linspace(-np.pi, np.pi, BINS, endpoint=False)
        self.left: Array = _left(wrap_angle(self.headings[None] - self.turns[:, None]))
        self._worths: OrderedDict[tuple[float, str], Array] = OrderedDict()

    def _own(self, speed: float, style: str) -> Array:
        """[S] what each step costs, wherever the character is heading."""
        return np.asarray(PRICES.hurrying(self.speeds - speed) + PRICES.style * (self.styles != style))

    def worth(self, speed: float, style: str) -> Array:
        """[S, BINS] least cost of all that comes after each step, by what is left to turn at its end."""
        key = (round(20.0 * speed) / 20.0, style)
        if key in self._worths:
            self._worths.move_to_end(key)
            return self._worths[key]
        own = self._own(*key)[:, None] + _turning(self.left)
        worth = np.zeros((len(self.turns), BINS))
        for _ in range(ROUNDS):
            then = own + FADE * self._at(worth, self.left)
            worth = np.min(self.seams[:, :, None] + then[self.after], axis=1)
        self._worths[key] = worth
        if len(self._worths) > KEPT:
            self._worths.popitem(last=False)
        return worth

    def _at(self, worth: Array, left: Array) -> Array:
        """[S, n] worths at headings [S, n], between those of the table."""
        place = (left + np.pi) * (BINS / (2.0 * np.pi))
        low = np.floor(place).astype(int)
        share = place - low
        rows = np.arange(len(worth))[:, None]
        return np.asarray((1.0 - share) * worth[rows, low % BINS] + share * worth[rows, (low + 1) % BINS])

    def best(self, number: int, need: float, speed: float, style: str) -> tuple[int, float]:
        """The step after one, and the radians by which it is bent, where ``need`` is left to turn."""
        worth = self.worth(speed, style)
        numbers = self.after[number]
        rest = wrap_angle(need - self.turns[numbers])
        left = _left(rest)
        total = self.seams[number] + self._own(speed, style)[numbers] + _turning(left)
        total = total + FADE * self._at(worth[numbers], left[:, None])[:, 0]
        at = int(np.argmin(total))
        return int(numbers[at]), float(np.clip(rest[at], -BEND, BEND))


_plans: "WeakKeyDictionary[TrackedGraph, StepPlan]" = WeakKeyDictionary()


def plan_of(graph: TrackedGraph) -> StepPlan:
    """A graph's plan, which all characters on it share."""
    if graph not in _plans:
        _plans[graph] = StepPlan(graph)
    return _plans[graph]


def _left(rest: Array) -> Array:
    """What is left to turn after a step was bent."""
    return np.asarray(np.sign(rest) * np.maximum(np.abs(rest) - BEND, 0.0))


def _turning(left: Array) -> Array:
    return PRICES.turning(np.clip(np.abs(left) - ALIGNED, 0.0, FAR))
