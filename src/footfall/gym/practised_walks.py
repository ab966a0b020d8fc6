"""A tracker practises to be steered: it follows walks that are played at random on a character's clips, until it stays
up in all that its judge tries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import FootfallError
from footfall.gym.practice import Practice, PracticeSettings
from footfall.gym.practised import Show, tracker_options
from footfall.methods.network.clip_table import table_of
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.motion import Motion
from footfall.study.imitation.steered_policy import random_walk, steer_policy

__all__ = ["PractisedWalks", "practise_walks"]

USUAL = 12_000_000
"""Decisions, at most."""
WALKS, JUDGED = 48, 20
"""Played walks of a minute that it practises, and others by which it is judged."""
FIRST = 8
"""Of the judged ones, those that are tried before the rest: a policy that falls in one of them falls."""
EVERY = 50
"""Iterations between judgements."""
SECONDS = 60.0
NOISE = 0.03
"""Deviation of the velocities at a judged walk's start."""
PRACTISED_AT, JUDGED_AT = 2_000_000, 3_000_000
"""Seeds of walks, far from those of a report."""


@dataclass(frozen=True)
class PractisedWalks:
    """What practice made of a character.

    Attributes:
        controller: with the best policy. decisions: that it practised. up, tried: judged minutes that it stayed up in.
    """

    controller: SteeredNetwork
    decisions: int
    up: int
    tried: int


@dataclass(frozen=True)
class _Judged:
    network: Network
    up: int
    share: float

    @property
    def worth(self) -> tuple[int, float]:
        return self.up, self.share


def practise_walks(
    controller: SteeredNetwork, *, decisions: int | None = None, seed: int = 1, progress: Show | None = None
) -> PractisedWalks:
    """Let a character's policy practise random walks on its clips.

    Args:
        controller: the tracker and the clips.
        decisions: how many, at most, in all worlds together; None for 12 million. It ends where it stays up in all
            judged minutes; 0 for none.
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    if decisions is not None and decisions < 0:
        raise FootfallError(f"practice is {decisions}; give decisions, 0 for none")
    show = progress or (lambda done, what: None)
    graph, policy, most = controller.graph, controller.policy, USUAL if decisions is None else decisions
    show(0.0, "playing walks")
    judged = [random_walk(graph, SECONDS, JUDGED_AT + 1000 * seed + k) for k in range(JUDGED)]
    best, done = _judge(policy, policy.network, judged), 0
    if most > 0 and best.up < JUDGED:
        practised = []
        for k in range(WALKS):
            show(0.05 * k / WALKS, "playing walks")
            practised.append(random_walk(graph, SECONDS, PRACTISED_AT + 1000 * seed + k))
        motions = [_motion(walk, policy.rate) for walk in practised]
        practice = Practice(best.network, tracker_options(policy, motions), PracticeSettings(), seed)
        try:
            while practice.decisions < most and best.up < JUDGED:
                practice.iterate()
                if practice.iteration % EVERY == 0 or practice.decisions >= most:
                    best = max(best, _judge(policy, practice.network(), judged), key=lambda one: one.worth)
                share = 0.05 + 0.95 * practice.decisions / most
                show(min(share, 1.0), f"practising walks: up in {best.up} of {JUDGED} minutes")
            done = practice.decisions
        finally:
            practice.close()
    made = replace(controller, policy=replace(policy, network=best.network))
    return PractisedWalks(made, done, best.up, JUDGED)


def _motion(walk: PlayedSteps, rate: float) -> Motion:
    table = table_of(walk.frames, walk.graph.figure, rate)
    return Motion.from_qpos(walk.graph.figure, np.arange(len(table)) / rate, table)


def _judge(policy: NetworkController, network: Network, walks: Sequence[PlayedSteps]) -> _Judged:
    """How many walks a policy stays up in, and for what share of their time; where it falls in one of the first, the
    others count as lost."""
    own, up, seconds = replace(policy, network=network, start=None), 0, 0.0
    for k, walk in enumerate(walks):
        if k >= FIRST and up < FIRST:
            break
        made = steer_policy(own, walk, noise=NOISE, seed=k)
        up += not made.fell
        seconds += made.seconds / SECONDS
    return _Judged(network, up, seconds / len(walks))
