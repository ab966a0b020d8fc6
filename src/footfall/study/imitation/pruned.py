"""A network's character without the transitions that it falls after: it is steered at random, round after round, and
what falls are blamed on is left out (:mod:`footfall.study.imitation.steering_rounds`)."""

from dataclasses import dataclass, replace

import numpy as np

from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.study.imitation.clip_worlds import seconds_up
from footfall.study.imitation.played_minutes import played_minutes
from footfall.study.imitation.steering_rounds import Blame
from footfall.study.progress import Show, part_of

ROUNDS, WALKS, SECONDS = 4, 24, 60.0
"""Rounds at most, and walks of each."""
CLEAN = 2
"""Rounds in a row without a fall, after which it ends."""
NOISE = 0.03
SEEDS = 4_000_000


@dataclass(frozen=True, eq=False)
class Pruned:
    """What is left of a character.

    Attributes:
        controller: without what was blamed. rounds: (up, tried) of each. left_out: transitions and stops.
    """

    controller: SteeredNetwork
    rounds: tuple[tuple[int, int], ...]
    left_out: int


def pruned(character: SteeredNetwork, *, seed: int = 1, progress: Show | None = None) -> Pruned:
    """Leave out what a character falls after.

    Args:
        character: the network and its clips. seed: of orders and starts.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    graph, blame, rounds, clean = _listed(character.graph), Blame(), list[tuple[int, int]](), 0
    while len(rounds) < ROUNDS and clean < CLEAN:
        done, first = len(rounds) / ROUNDS, SEEDS + 10_000 * seed + WALKS * len(rounds)
        seeds = range(first, first + WALKS)
        rate = character.policy.rate
        walks = played_minutes(graph, SECONDS, seeds, rate, progress=part_of(show, done, 0.6 / ROUNDS))
        lasted = seconds_up(character.policy, [walk.clip for walk in walks], NOISE, seeds)
        for walk, seconds in zip(walks, lasted.tolist(), strict=True):
            blame.count(walk.walked_by(min(seconds, SECONDS)), up=np.isinf(seconds))
        up = int(np.isinf(lasted).sum())
        show(done + 1.0 / ROUNDS, f"steering at random: up in {up} of {WALKS} minutes")
        rounds.append((up, WALKS))
        clean = clean + 1 if up == WALKS else 0
        graph = blame.without(graph)
    made_of = replace(character, tried=graph.tried, stops=graph.stops)
    return Pruned(made_of, tuple(rounds), len(blame.left_out()))


def _listed(graph: TrackedGraph) -> TrackedGraph:
    """The graph with every transition and stop that may be made listed, so that each can be left out."""
    tried = {(a, b): (1, 1) for a, row in enumerate(graph.near.tolist()) for b, near in enumerate(row) if near}
    stops = {(a, b): (1, 1) for a in graph.halts for b in graph.starts_after(a)}
    return graph.keeping(tried, stops)
