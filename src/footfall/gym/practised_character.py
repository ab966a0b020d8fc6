"""A folder of clips becomes one policy to be steered: it practises walks that are played on the clips' motion graph.

A played walk goes from clip to clip over seams that no single clip has, so clips alone would not do.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from footfall.figures import Figure
from footfall.gym.practice import Practice, PracticeSettings
from footfall.gym.practised import tracker_options
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.motion import Motion
from footfall.study.imitation.steered_policy import graph_for_policy, random_walk, read_clips, with_walk

__all__ = ["PractisedCharacter", "practise_character"]

WALKS, SECONDS = 12, 60.0
"""Walks that are practised, and how long each is."""
FIRST = 900_000
"""Seed of the first of them; ``footfall steer --minutes`` measures others."""
USUAL = 2_000_000
"""Decisions."""

Show = Callable[[float, str], None]


@dataclass(frozen=True, eq=False)
class PractisedCharacter:
    """A policy that practised a folder's clips.

    Attributes:
        policy: it, without a clip. graph: what it is steered on. left_out: files that cannot be used, with the reason.
        decisions: that it practised.
    """

    policy: NetworkController
    graph: TrackedGraph
    left_out: list[tuple[str, str]]
    decisions: int


def practise_character(
    clips: Sequence[tuple[str, Path]],
    policy: NetworkController,
    name: str,
    *,
    decisions: int | None = None,
    seed: int = 1,
    progress: Show | None = None,
) -> PractisedCharacter:
    """Let a policy practise walks through clips.

    Args:
        clips: (style, motion file). policy: a tracker. name: of what it becomes.
        decisions: in all worlds together; None for 2,000,000.
        seed: of everything random. progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    decisions = USUAL if decisions is None else decisions
    figure = Figure.load(policy.figure)
    made, left_out = read_clips(clips, figure, lambda done, what: show(0.1 * done, what))
    graph = graph_for_policy(made, figure)
    motions = []
    for k in range(WALKS):
        show(0.1 + 0.1 * k / WALKS, "playing walks")
        shown = with_walk(policy, random_walk(graph, SECONDS, FIRST + 100 * seed + k), name).clip_frames
        assert shown is not None
        motions.append(Motion.from_qpos(figure, np.arange(len(shown)) / shown.rate, shown.qpos.astype(float)))
    practice = Practice(policy.network, tracker_options(policy, motions), PracticeSettings(), seed)
    try:
        while practice.decisions < decisions:
            practice.iterate()
            show(0.2 + 0.8 * min(practice.decisions / decisions, 1.0), "practising")
        network = practice.network()
    finally:
        practice.close()
    about = f"Follows walks through {len(made)} clips; it practised {WALKS} of them for {practice.decisions} decisions."
    report = {"policy": policy.name, "practised_decisions": practice.decisions, "clips": [clip.name for clip in made]}
    after = replace(policy, name=name, network=network, about=about, report=report)
    return PractisedCharacter(after, graph, left_out, practice.decisions)
