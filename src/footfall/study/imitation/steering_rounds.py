"""Transitions of a motion graph that are left out because characters fall after them in random steering.

A fall comes from what adds up over some steps, so none of them is to blame for certain: the last BLAMED transitions
before it are, each. Over all rounds it is counted how often a transition was made and how often it was blamed; one that
is blamed in a tenth of the times is left out, whether it joins two clips or lies within one.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.clusters.chunk_folder import Results
from footfall.methods.tracking.motion_graph import TrackedGraph, Transition
from footfall.methods.tracking.step_choice import SteeredController
from footfall.study.imitation.rehearsal import rehearse

BLAMED = 3
"""Transitions before a fall that are blamed for it."""
TOO_OFTEN = 0.1
"""Share of the times that a transition was made in which it is blamed, from which on it is left out."""

_Kind = tuple[str, Transition]


@dataclass(frozen=True, eq=False)
class Walkers:
    """A job: worlds that are steered at random."""

    controller: SteeredController
    worlds: int
    seconds: float
    seed: int

    def run(self) -> Results:
        """Which stayed up, for how many seconds, the mean error of heading, and the steps that each made."""
        made = rehearse(self.controller, self.worlds, self.seconds, seed=self.seed)
        steps = [json.dumps([list(walk) for walk in made.walked])]
        off = np.array([made.heading_error])
        return {"up": made.up, "seconds": made.seconds, "off": off, "walked": np.array(steps)}


def walked_steps(result: Results) -> list[list[int]]:
    """The numbers of the steps that each world made, -1 for a stand."""
    return [[int(number) for number in walk] for walk in json.loads(str(result["walked"][0]))]


class Blame:
    """How often each transition and each stop was made, and how often it was blamed for a fall."""

    def __init__(self) -> None:
        self.made: Counter[_Kind] = Counter()
        self.blamed: Counter[_Kind] = Counter()

    def count(self, steps: Sequence[int], *, up: bool) -> None:
        """Count a walk's transitions, and blame the last of them where it ended in a fall."""
        found = _transitions(steps)
        self.made.update(found)
        if not up:
            self.blamed.update(found[-BLAMED:])

    def left_out(self) -> set[_Kind]:
        """What is blamed too often: ("transition", steps) or ("stop", steps), -1 after a stop for any start."""
        return {what for what, count in self.blamed.items() if count >= TOO_OFTEN * self.made[what]}

    def without(self, graph: TrackedGraph) -> TrackedGraph:
        """The graph without what is blamed too often."""
        tried, stops = dict(graph.tried or {}), dict(graph.stops or {})
        for kind, pair in self.left_out():
            if kind == "transition" and graph.following.get(pair[0]) == pair[1]:
                tried[pair] = (0, self.made[kind, pair])
            elif kind == "transition":
                tried.pop(pair, None)
            elif pair[1] < 0:
                stops = {own: counts for own, counts in stops.items() if own[0] != pair[0]}
            else:
                stops.pop(pair, None)
        return graph.keeping(tried, stops)


def _transitions(steps: Sequence[int]) -> list[_Kind]:
    """The transitions of a walk, the stops that it came to (a step, -1), and the steps that it began after them."""
    found: list[_Kind] = []
    for k, (a, b) in enumerate(pairwise(steps)):
        if a >= 0 and b >= 0:
            found.append(("transition", (a, b)))
        elif b < 0 <= a:
            found.append(("stop", (a, -1)))
        elif a < 0 <= b and k > 0:
            found.append(("stop", (steps[k - 1], b)))
    return found
