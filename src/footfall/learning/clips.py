"""Walks that are played on motion graphs under random orders, for policies that learn to follow clips.

Clips are joined into one graph with as wide seams as it takes to get from every clip to every other. No seam may jolt
the pelvis, so that a run of three metres a second cannot follow a walk. Clips that are apart for their speed are also
taken with shorter strides (:mod:`footfall.methods.tracking.played_steps`): a walker comes to such a run step by step,
and back.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import on_all_cores, run_jobs
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.steered_network import as_clips
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps, slowed_clip
from footfall.motion.ball_poses import FPS
from footfall.progress import Show, silent

NEAR = (0.08, 0.12, 0.16, 0.2)
"""Metres that joints are apart at a seam at most, as they are tried."""
CLOSE = 0.8
"""Share of the largest jolt by which speeds of slowed clips are apart."""
SLOWEST, MOST = 0.4, 10
"""Share of its speed to which a clip is slowed at most, and in how many steps."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Clips that are joined.

    Attributes:
        graph: of their steps. of: the clip whose steps each one has, by its name: its own, or another that was slowed.
        left_out: names of clips that no seam joins to the others.
    """

    graph: TrackedGraph
    of: Mapping[str, str]
    left_out: tuple[str, ...]


def joined_graph(
    clips: Sequence[GraphClip], figure: Figure, choosing: Choosing, near: Sequence[float] = NEAR
) -> Joined:
    """Join clips.

    Args:
        clips: poses of the figure's skeleton. figure: whose. choosing: how steps are chosen.
        near: widths of seams that are tried, rising.
    """
    of = {clip.name: clip.name for clip in clips}
    made = _widened(clips, figure, choosing, near)
    shares = _shares(made)
    if shares:
        slow = {
            clip.name: [slowed_clip(clip, x, made.skeleton) for x in shares.get(clip.name, ())] for clip in made.clips
        }
        of |= {one.name: name for name, some in slow.items() for one in some}
        more = [one for some in slow.values() for one in some]
        made = _widened([*made.clips, *more], figure, choosing, near)
    inside = _inside(made)
    if len(inside) < len(made.clips):
        made = _widened([clip for clip in made.clips if clip.name in inside], figure, choosing, near)
    kept = {of[clip.name] for clip in made.clips}
    return Joined(made, of, tuple(name for name in of if of[name] == name and name not in kept))


def _inside(graph: TrackedGraph) -> set[str]:
    """Names of the clips that can be come to and come back from."""
    return {graph.steps[k].clip for k in graph.core}


def _widened(clips: Sequence[GraphClip], figure: Figure, choosing: Choosing, widths: Sequence[float]) -> TrackedGraph:
    """With seams as wide as it takes to join as many clips as the widest do."""
    tried = [TrackedGraph(clips, figure, choosing=replace(choosing, near=near)) for near in widths]
    counts = [len(_inside(one)) for one in tried]
    return tried[counts.index(max(counts))]


def _shares(graph: TrackedGraph) -> dict[str, list[float]]:
    """Shares of their strides with which clips are taken too that are not joined and faster than any that is: from the
    speed of the fastest to their own, little by little."""
    inside = _inside(graph)
    fastest = max(graph.steps[k].speed for k in graph.core)
    speeds: dict[str, list[float]] = {}
    for step in graph.steps:
        speeds.setdefault(step.clip, []).append(step.speed)
    found = {}
    for name, own in speeds.items():
        speed = float(np.median(own))
        if name not in inside and speed > fastest:
            least = max(fastest / speed, SLOWEST)
            count = min(MOST, int(np.ceil((1.0 - least) * speed / (CLOSE * graph.choosing.jolt))))
            found[name] = [round(float(share), 2) for share in np.linspace(1.0, least, count + 1)[1:]]
    return found


TOGETHER = 4
"""Walks that are turned into clips side by side."""
MANY_WALKS = 8
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

    @classmethod
    def of(cls, walks: Sequence[PlayedSteps], rate: float) -> "list[PlayedMinute]":
        """Walks of one length on one graph, for a policy of so many decisions a second."""
        return [
            cls(walk.frames, clip, tuple(walk.walked), tuple(walk.begun), tuple(walk.orders))
            for walk, clip in zip(walks, as_clips(walks, rate), strict=True)
        ]

    @property
    def time(self) -> float:
        """Seconds."""
        return (len(self.frames) - 1) / FPS

    def walked_by(self, seconds: float) -> list[int]:
        """The steps that had begun by then."""
        return [number for number, frame in zip(self.walked, self.begun, strict=True) if frame <= seconds * FPS]


SHORTEST, LONGEST = 3.0, 8.0
"""Seconds between two orders."""
TURN = math.radians(150.0)
STOPPING = 0.15
"""Share of the orders that stop it."""


class RandomOrders:
    """The orders that one character on a graph gets."""

    def __init__(self, graph: TrackedGraph, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.styles, self.stops = graph.styles(), bool(graph.halts)
        used = graph.core if graph.choosing.plans else range(len(graph.steps))
        quick = [graph.steps[k].speed for k in used if graph.steps[k].speed > 0.0] or [0.0]
        self.speeds = float(np.percentile(quick, 10.0)), max(quick)
        self.since, self.until = 0.0, 0.0

    def next(self, time: float, direction: float) -> tuple[float, float, str | None]:
        """Direction, speed and style from now on."""
        random, first = self.random, self.until == 0.0
        self.since, self.until = time, time + float(random.uniform(SHORTEST, LONGEST))
        turned = direction + (0.0 if first else float(random.uniform(-TURN, TURN)))
        speed = float(random.uniform(*self.speeds))
        if self.stops and not first and random.random() < STOPPING:
            speed = 0.0
        style = str(random.choice(self.styles)) if random.random() < 1 / 3 else None
        return turned, speed, style


def play_at_random(graph: TrackedGraph, seconds: float, seed: int) -> PlayedSteps:
    """A walk under random orders."""
    walk, orders = PlayedSteps(graph), RandomOrders(graph, seed)
    while walk.time < seconds - 1e-9:
        if walk.time >= orders.until:
            walk.direct(*orders.next(walk.time, walk.direction))
        walk.advance()
    return walk


def played_minutes(
    graph: TrackedGraph, seconds: float, seeds: Sequence[int], rate: float, *, progress: Show = silent
) -> list[PlayedMinute]:
    """Walks under random orders.

    Args:
        graph: what is walked on. seconds: of each. seeds: of their orders. rate: of a policy's decisions.
        progress: called with the share done and a few words.
    """
    parts = [seeds[k : k + TOGETHER] for k in range(0, len(seeds), TOGETHER)]
    progress(0.0, "playing walks")
    play = partial(_played, graph, seconds, rate)
    return made_by_all(play, parts, len(seeds) >= MANY_WALKS, lambda done: progress(done, "playing walks"))


def _played(graph: TrackedGraph, seconds: float, rate: float, seeds: Sequence[int]) -> list[PlayedMinute]:
    return PlayedMinute.of([play_at_random(graph, seconds, seed) for seed in seeds], rate)


def made_by_all(
    make: Callable[[Any], list[Any]], asked: Sequence[Any], many: bool, show: Callable[[float], None]
) -> list[Any]:
    """What is made of each, by all processors together where they are many."""
    found: dict[int, list[Any]] = {}
    with on_all_cores(many) as executor:
        for place, some in run_jobs(make, asked, executor):
            found[place] = some
            show(len(found) / len(asked))
    return [one for place in range(len(asked)) for one in found[place]]
