"""Random steering: characters on a motion graph that are sent here and there, stopped and hurried, until they fall.

Every few seconds a character gets another order: a heading up to 150 degrees away, a speed from that of slow steps (the
10th percentile) to that of the fastest one, where its clips stand a stop now and then, and one time in three another
style. What is measured is how many stay up, and how well they obey.

A fall comes from what adds up over some steps, so none of them is to blame for certain: the last BLAMED transitions
before it are, each. Over all rounds it is counted how often a transition was made and how often it was blamed; one that
is blamed in a tenth of the times is left out, whether it joins two clips or lies within one.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.chunk_folder import Results
from footfall.figures import Figure
from footfall.learning.clips import RandomOrders, played_minutes
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.deciding import FRAME
from footfall.methods.network.law import ServoNetworkLaw
from footfall.methods.network.terms import looks_of
from footfall.methods.tracking.motion_graph import TrackedGraph, Transition
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion.quaternion import wrapped_angle
from footfall.progress import Show, part_of, silent
from footfall.simulation import Simulation
from footfall.simulation.outcome import Outcome
from footfall.study.imitation.steering import SETTLED, Steered, SteeredWorlds, clips_of, follow_walk
from footfall.study.trials.bench import disturbed_worlds

Array = NDArray[np.float64]
NOISE = 0.03
"""Deviation of what is added to the velocities at a start, rad/s and m/s."""
BLAMED = 3
"""Transitions before a fall that are blamed for it."""
TOO_OFTEN = 0.1
"""Share of the times that a transition was made in which it is blamed, from which on it is left out."""
_Kind = tuple[str, Transition]


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """The outcome of random steering.

    Attributes:
        up: [N] which worlds stayed up.
        seconds: [N] that they did.
        heading_error: degrees between asked and simulated heading, mean over the last part of each order.
        walked: numbers of the steps that each world made, -1 for a stand.
    """

    up: NDArray[np.bool_]
    seconds: Array
    heading_error: float
    walked: tuple[tuple[int, ...], ...]


def rehearse(
    controller: SteeredController,
    worlds: int = 20,
    seconds: float = 60.0,
    *,
    noise: float = NOISE,
    seed: int = 1,
    **options: Any,
) -> Rehearsal:
    """Steer worlds at random.

    Args:
        controller: what they walk on.
        worlds: how many.
        seconds: for how long.
        noise: of the starts' velocities.
        seed: of noise and orders.
        options: as :class:`SteeredWorlds` takes them.
    """
    crowd = SteeredWorlds(controller, worlds, noise=noise, seed=seed, **options)
    orders = [RandomOrders(controller.graph, 1000 * seed + k) for k in range(worlds)]
    walked: list[list[int]] = [[choice.slots.all[choice.slots.now].number] for choice in crowd.choices]
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
                walked[k].append(choice.slots.all[choice.slots.now].number)
            if time > own.since + SETTLED * (own.until - own.since) and choice.speed > 0.0:
                errors.append(abs(float(wrapped_angle(facings[k] - choice.direction))))
    lived = np.where(up, seconds, np.nan_to_num(crowd.simulation.outcome().end_time, nan=seconds))
    off = float(np.degrees(np.mean(errors))) if errors else math.nan
    return Rehearsal(up, lived, off, tuple(map(tuple, walked)))


@dataclass(frozen=True, eq=False)
class WalkersJob:
    """A job: tracked worlds that are steered at random."""

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
    """The numbers of the steps that each world of a job made, -1 for a stand."""
    return [[int(number) for number in walk] for walk in json.loads(str(result["walked"][0]))]


class ClipWorlds:
    """Worlds in which a policy follows clips of one length, each world its own.

    Args:
        policy: a tracker.
        clips: of one length; others of that length may be followed later.
        starts: worlds of each clip.

    Attributes:
        of: [worlds] the number of each one's clip.
        seconds: of a clip.
    """

    def __init__(self, policy: NetworkController, clips: Sequence[ClipFrames], starts: int = 1) -> None:
        self.figure, self.seconds = Figure.load(policy.figure), clips[0].seconds
        looks = looks_of(name for block in policy.observations for name in block.names)
        self._beyond = max(looks, default=0) + 1
        self.of = np.repeat(np.arange(len(clips)), starts)
        longer = [self._longer(clip) for clip in clips]
        self._length = len(longer[0])
        whole = ClipFrames(np.concatenate([clip.qpos for clip in longer]), policy.rate)
        own = replace(policy, clip_frames=whole, start=None)
        self.simulation: Simulation = disturbed_worlds(own, worlds=len(self.of), figure=self.figure, last_states=1)
        self._begin = self.simulation.snapshot()

    def _longer(self, clip: ClipFrames) -> ClipFrames:
        """A clip that stays in its last pose for as far as a policy looks: there the next one begins."""
        return ClipFrames(np.concatenate([clip.qpos, np.repeat(clip.qpos[-1:], self._beyond, axis=0)]), clip.rate)

    def walk(self, clips: Sequence[ClipFrames], shaken: Array) -> Outcome:
        """Follow as many clips to their end; ``shaken`` [worlds, nv] is added to the velocities at the start."""
        simulation, law = self.simulation, self.simulation.law
        assert isinstance(law, ServoNetworkLaw)
        simulation.set_library(law.with_clips(*(self._longer(clip) for clip in clips)))
        state = {name: part.copy() for name, part in self._begin.items()}
        starts = [clip.start for clip in clips]
        state["qpos"][:] = np.array([start.qpos for start in starts])[self.of]
        state["qvel"][:] = np.array([start.qvel for start in starts])[self.of] + shaken
        state["memory"][:, law.memory_layout[FRAME]] = self.of * self._length
        simulation.restore(state)
        return simulation.run(self.seconds)


def seconds_up(policy: NetworkController, clips: Sequence[ClipFrames], noise: float, seeds: Sequence[int]) -> Array:
    """[clips] how long a policy stays up, infinite where it does to the end; from starts whose velocities are disturbed
    by ``noise``, each with its own seed."""
    worlds = ClipWorlds(policy, clips)
    shaken = np.array([np.random.default_rng(seed).normal(0.0, noise, worlds.figure.nv) for seed in seeds])
    outcome = worlds.walk(clips, shaken)
    return np.where(outcome.survived, np.inf, np.nan_to_num(outcome.end_time))


def random_minutes(
    policy: NetworkController,
    graph: TrackedGraph,
    minutes: int = 20,
    *,
    seed: int = 1,
    seconds: float = 60.0,
    progress: Show = silent,
) -> list[Steered]:
    """Walks under random orders, each followed by a network from a disturbed start.

    Args:
        policy: what follows.
        graph: what is walked on.
        minutes: how many walks.
        seed: of orders and noise.
        seconds: of each.
        progress: called with the share done and a few words.
    """
    found: list[Steered] = []
    seeds = range(1000 * seed, 1000 * seed + minutes)
    walks = played_minutes(graph, seconds, seeds, policy.rate, progress=part_of(progress, 0.0, 0.5))
    for own, walk in zip(seeds, walks, strict=True):
        made = follow_walk(policy, walk, noise=NOISE, seed=own)
        found.append(replace(made, clips=clips_of(graph, walk.walked)))
        up = sum(not minute.fell for minute in found)
        progress(0.5 + 0.5 * len(found) / minutes, f"random minutes: {up} of {len(found)} up")
    return found


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


@dataclass(frozen=True, eq=False)
class Pruned:
    """A motion graph without what characters fall after.

    Attributes:
        graph: what is left.
        rounds: (up, tried) of each.
        left_out: how many transitions and stops.
    """

    graph: TrackedGraph
    rounds: tuple[tuple[int, int], ...]
    left_out: int


def pruned_graph(
    graph: TrackedGraph,
    walk: Callable[[TrackedGraph, int], Sequence[tuple[Sequence[int], bool]]],
    *,
    rounds: int,
    clean: int = 1,
) -> Pruned:
    """Leave out what characters fall after in random steering, round after round.

    Args:
        graph: what is walked on.
        walk: (graph, number of the round): for each walk the numbers of its steps, and whether it stayed up.
        rounds: at most.
        clean: rounds in a row without a fall, after which it ends.
    """
    blame, counts, in_a_row = Blame(), list[tuple[int, int]](), 0
    while len(counts) < rounds and in_a_row < clean:
        walks = walk(graph, len(counts))
        for steps, stays in walks:
            blame.count(steps, up=stays)
        up = sum(stays for _, stays in walks)
        counts.append((up, len(walks)))
        in_a_row = in_a_row + 1 if up == len(walks) else 0
        graph = graph if in_a_row else blame.without(graph)
    return Pruned(graph, tuple(counts), len(blame.left_out()))


def all_stops(graph: TrackedGraph) -> dict[Transition, tuple[int, int]]:
    """Every stand that a graph has, with the steps after it."""
    return {(a, b): (1, 1) for a in graph.halts for b in graph.starts_after(a)}
