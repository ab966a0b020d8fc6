"""Walks that are played on motion graphs of made clips, under random orders: what a policy that follows clips is given
to follow where it is steered (:mod:`footfall.methods.tracking.played_steps`).

Every graph has clips of its own, and the joints at its seams are up to a width apart that changes from graph to graph:
who learns to walk on many graphs may walk on one that was never seen.
"""

from typing import NamedTuple

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.gym.whole_parts import whole_parts
from footfall.methods.network.clip_table import tables_of
from footfall.methods.network.steered_network import CHOOSING
from footfall.methods.tracking.motion_graph import FPS, GraphClip, TrackedGraph
from footfall.motion import Motion
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.motion.synthesis.random_walks import random_walk as made_walk
from footfall.study.imitation.joined import joined
from footfall.study.imitation.played_minutes import random_walk

MADE_AT, ORDERED_AT = 5_000_000, 7_000
"""Seeds of the graphs' clips and of the orders, a hundred for each graph."""
SECONDS, MINUTES = 10.0, 4
"""Of a clip, and walks of a minute on each graph."""
NEAR = (0.08, 0.12, 0.16, 0.2)
"""Metres that joints are apart at a seam at most, from graph to graph."""


class _Kinds(NamedTuple):
    """How many clips of a graph are lively, and how many are not."""

    lively: int
    plain: int


KINDS = (_Kinds(8, 4), _Kinds(12, 2), _Kinds(4, 8), _Kinds(6, 2))


def played_clips(figure: Figure, rate: float, number: int, *, minutes: int = MINUTES) -> list[Motion]:
    """Motions of a figure, ``rate`` frames a second: walks of a minute each on a motion graph of made clips, without
    the moments at which a joint jumps.

    Args:
        figure: whose. rate: frames a second. number: of the graph. minutes: how many.
    """
    kinds = KINDS[number % len(KINDS)]
    clips = [
        clip
        for k in range(kinds.lively + kinds.plain)
        for clip in _clips(figure, MADE_AT + 100 * number + k, k < kinds.lively)
    ]
    if not clips:
        return []
    graph = joined(clips, figure, CHOOSING, [NEAR[number // len(KINDS) % len(NEAR)]]).graph
    walks = [random_walk(graph, 60.0, ORDERED_AT + 100 * number + k) for k in range(minutes)]
    tables = tables_of(np.stack([walk.frames for walk in walks]), figure, rate)
    motions = [Motion.from_qpos(figure, np.arange(len(table)) / rate, table) for table in tables]
    return [part for motion in motions for part in whole_parts(motion, figure)]


def _clips(figure: Figure, seed: int, lively: bool) -> list[GraphClip]:
    """The parts of a random walk that have steps."""
    chains = hinge_chains(figure)
    made: list[GraphClip] = []
    for part in whole_parts(made_walk(figure, SECONDS, seed, FPS, lively=lively), figure):
        qpos = part.to_qpos(figure)
        clip = GraphClip(f"{seed}-{len(made)}", qpos if chains is None else chains.ball_poses(qpos))
        try:
            TrackedGraph([clip], figure)
        except FootfallError:
            continue
        made.append(clip)
    return made
