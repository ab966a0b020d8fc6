"""A network's character without the transitions that it falls after: it is steered at random, round after round, and
what falls are blamed on is left out (:mod:`footfall.study.imitation.steering_rounds`)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from footfall.methods.network.played_walk import as_clips
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.motion_graph import FPS, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.study.imitation.steered_policy import random_walk, steer_policy
from footfall.study.imitation.steering_rounds import Blame

__all__ = ["Pruned", "pruned"]

ROUNDS, WALKS, SECONDS = 4, 24, 60.0
"""Rounds at most, and walks of each."""
CLEAN = 2
"""Rounds in a row without a fall, after which it ends."""
NOISE = 0.03
SEEDS = 4_000_000

Show = Callable[[float, str], None]


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
        up, first = 0, SEEDS + 10_000 * seed + WALKS * len(rounds)
        walks = []
        for k in range(WALKS):
            show((len(rounds) + 0.6 * k / WALKS) / ROUNDS, "playing walks")
            walks.append(random_walk(graph, SECONDS, first + k))
        for k, (walk, shown) in enumerate(zip(walks, as_clips(walks, character.policy.rate), strict=True)):
            made = steer_policy(character.policy, walk, noise=NOISE, seed=first + k, shown=shown)
            up += not made.fell
            blame.count(_walked(walk, made.seconds if made.fell else SECONDS), up=not made.fell)
            done = (len(rounds) + 0.6 + 0.4 * (k + 1) / WALKS) / ROUNDS
            show(done, f"steering at random: up in {up} of {k + 1} minutes")
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


def _walked(walk: PlayedSteps, seconds: float) -> list[int]:
    """The steps that a walk had begun by then."""
    return [number for number, frame in zip(walk.walked, walk.begun, strict=True) if frame <= seconds * FPS]
