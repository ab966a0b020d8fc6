"""A tracker practises to be steered: it follows walks that are played at random on a character's clips, until it stays
up in all that its judge tries."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.gym.practice import Practice, PracticeSettings
from footfall.gym.practised import Show, tracker_options
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.played_walk import as_clips
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.motion import Motion
from footfall.study.imitation.steered_policy import random_walk, steer_policy

__all__ = ["PractisedWalks", "practise_walks"]

USUAL = 4_000_000
"""Decisions, at most."""
WALKS, JUDGED = 48, 20
"""Played walks of a minute that it practises, and others by which it is judged."""
FIRST, FALLEN = 8, 1
"""Of the judged ones, those that are tried before the rest, and in how many of them a policy may fall to be tried
on."""
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
        decisions: how many, at most, in all worlds together; None for 4 million. It ends where it stays up in all
            judged minutes; 0 for none.
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    if decisions is not None and decisions < 0:
        raise FootfallError(f"practice is {decisions}; give decisions, 0 for none")
    show = progress or (lambda done, what: None)
    graph, policy, most = controller.graph, controller.policy, USUAL if decisions is None else decisions
    show(0.0, "playing walks")
    seeds = [
        *(JUDGED_AT + 1000 * seed + k for k in range(JUDGED)),
        *(PRACTISED_AT + 1000 * seed + k for k in range(WALKS)),
    ]
    walks = []
    for k, own in enumerate(seeds):
        show(0.1 * k / len(seeds), "playing walks")
        walks.append(random_walk(graph, SECONDS, own))
    clips = as_clips(walks, policy.rate)
    judged = list(zip(walks[:JUDGED], clips[:JUDGED], strict=True))
    best, done = _judge(policy, policy.network, judged), 0
    if most > 0 and best.up < JUDGED:
        motions = [_motion(clip, graph.figure) for clip in clips[JUDGED:]]
        practice = Practice(best.network, tracker_options(policy, motions), PracticeSettings(), seed)
        try:
            while practice.decisions < most and best.up < JUDGED:
                practice.iterate()
                if practice.iteration % EVERY == 0 or practice.decisions >= most:
                    best = max(best, _judge(policy, practice.network(), judged), key=lambda one: one.worth)
                share = 0.1 + 0.9 * practice.decisions / most
                show(min(share, 1.0), f"practising walks: up in {best.up} of {JUDGED} minutes")
            done = practice.decisions
        finally:
            practice.close()
    made = replace(controller, policy=replace(policy, network=best.network))
    return PractisedWalks(made, done, best.up, JUDGED)


def _motion(clip: ClipFrames, figure: Figure) -> Motion:
    return Motion.from_qpos(figure, np.arange(len(clip)) / clip.rate, clip.qpos.astype(float))


def _judge(policy: NetworkController, network: Network, walks: Sequence[tuple[PlayedSteps, ClipFrames]]) -> _Judged:
    """How many walks a policy stays up in, and for what share of their time; where it falls in several of the first,
    the others count as lost."""
    own, up, seconds = replace(policy, network=network, start=None), 0, 0.0
    for k, (walk, shown) in enumerate(walks):
        if k >= FIRST and up < FIRST - FALLEN:
            break
        made = steer_policy(own, walk, noise=NOISE, seed=k, shown=shown)
        up += not made.fell
        seconds += made.seconds / SECONDS
    return _Judged(network, up, seconds / len(walks))
