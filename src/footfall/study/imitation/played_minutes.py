"""Walks under random orders on a motion graph, played by all processors: what a policy is steered by, as clips."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.cores import on_all_cores
from footfall.clusters.jobs import run_jobs
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.played_walk import as_clips
from footfall.methods.tracking.motion_graph import FPS, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.study.imitation.rehearsal import RandomOrders
from footfall.study.progress import Show

TOGETHER = 4
"""Walks that are turned into clips side by side."""
MANY = 8
"""Walks that are worth several processes."""


@dataclass(frozen=True, eq=False)
class PlayedMinute:
    """A walk that was played.

    Attributes:
        frames: [T, nq] its poses, of ball joints, 30 a second. clip: the same for a policy.
        walked: numbers of the steps that were made, -1 for a stand. begun: the frame at which each began.
        orders: for each frame the wanted direction (radians) and speed.
    """

    frames: NDArray[np.float64]
    clip: ClipFrames
    walked: tuple[int, ...]
    begun: tuple[int, ...]
    orders: tuple[tuple[float, float], ...]

    @property
    def time(self) -> float:
        """Seconds."""
        return (len(self.frames) - 1) / FPS

    def walked_by(self, seconds: float) -> list[int]:
        """The steps that had begun by then."""
        return [number for number, frame in zip(self.walked, self.begun, strict=True) if frame <= seconds * FPS]


def random_walk(graph: TrackedGraph, seconds: float, seed: int) -> PlayedSteps:
    """A walk under random orders."""
    walk, orders = PlayedSteps(graph), RandomOrders(graph, seed)
    while walk.time < seconds - 1e-9:
        if walk.time >= orders.until:
            walk.direct(*orders.next(walk.time, walk.direction))
        walk.advance()
    return walk


def played_minutes(
    graph: TrackedGraph, seconds: float, seeds: Sequence[int], rate: float, *, progress: Show | None = None
) -> list[PlayedMinute]:
    """Walks under random orders.

    Args:
        graph: what is walked on. seconds: of each. seeds: of their orders. rate: of a policy's decisions.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    parts = [seeds[k : k + TOGETHER] for k in range(0, len(seeds), TOGETHER)]
    found: dict[int, list[PlayedMinute]] = {}
    show(0.0, "playing walks")
    with on_all_cores(len(seeds) >= MANY) as executor:
        for place, some in run_jobs(partial(_played, graph, seconds, rate), parts, executor):
            found[place] = some
            show(len(found) / len(parts), "playing walks")
    return [one for place in range(len(parts)) for one in found[place]]


def _played(graph: TrackedGraph, seconds: float, rate: float, seeds: Sequence[int]) -> list[PlayedMinute]:
    walks = [random_walk(graph, seconds, seed) for seed in seeds]
    return [
        PlayedMinute(walk.frames, clip, tuple(walk.walked), tuple(walk.begun), tuple(walk.orders))
        for walk, clip in zip(walks, as_clips(walks, rate), strict=True)
    ]
