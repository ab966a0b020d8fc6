"""Graphs of steps: which fragment of captured motion may follow which, and what that costs (Lee et al. 2002;
Data-Driven Biped Control, sections 3 and 6).

A step is half a cycle of walking, or a time of standing. What its motion is, and how far the end of one is from the
start of another, is for those who build the graph to say: motions of any skeleton that are played
(:mod:`footfall.motion.synthesis.graph`), or poses with gains that a figure tracks
(:mod:`footfall.methods.tracking.motion_graph`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.contact import SegmentKind
from footfall.motion.quaternion import Array

FOLLOWS: dict[str, tuple[SegmentKind, ...]] = {
    "left_swing": ("right_swing", "stand", "flight"),
    "right_swing": ("left_swing", "stand", "flight"),
    "stand": ("left_swing", "right_swing", "stand"),
    "flight": ("left_swing", "right_swing", "stand"),
}
"""What the feet may do after what they did."""


class GraphStep(Protocol):
    """What a graph asks of its steps."""

    @property
    def kind(self) -> str:
        """What the feet do, one of FOLLOWS."""

    @property
    def style(self) -> str:
        """What it looks like: a name."""

    @property
    def turn(self) -> float:
        """Radians that the heading changes."""

    @property
    def speed(self) -> float:
        """Metres a second."""

    @property
    def seconds(self) -> float:
        """How long it lasts."""


S = TypeVar("S", bound=GraphStep)


@dataclass(frozen=True)
class Prices:
    """What a step costs that is not as it is wanted.

    Attributes:
        turn: radians off the heading that cost 1. speed: metres a second that cost 1. style: cost of another style.
    """

    turn: float = 1.0
    speed: float = 1.0
    style: float = 0.5

    def turning(self, off: float | Array) -> Array:
        """The cost of a heading that is off by some radians."""
        return np.asarray(np.abs(off) / self.turn)

    def hurrying(self, off: float | Array) -> Array:
        """The cost of a speed that is off by some metres a second."""
        return np.asarray(np.abs(off) / self.speed)


class StepGraph(Generic[S]):
    """Steps, and the cost of going from one to another.

    Args:
        steps: the nodes.
        followers: number of a step -> number of the one that followed it in its clip.
        seams: [S, S] how far the end of each is from the start of each.

    Attributes:
        steps, followers, seams: as given.
        may_follow: [S, S] whether the feet of the second can do what they do after the first.
        cost: [S, S] the seams, infinite where the second may not follow.
    """

    def __init__(self, steps: Sequence[S], followers: Mapping[int, int], seams: Array) -> None:
        self.steps, self.followers = list(steps), dict(followers)
        kinds = np.array([step.kind for step in steps])
        self.may_follow: NDArray[np.bool_] = np.stack([np.isin(kinds, FOLLOWS[step.kind]) for step in steps])
        self.seams: Array = seams
        self.cost: Array = np.where(self.may_follow, seams, np.inf)

    def styles(self) -> list[str]:
        """Names of the styles, in the order of the steps."""
        return list(dict.fromkeys(step.style for step in self.steps))
