"""Clips for policies that learn to follow clips: walks that are played on motion graphs under random orders, and clips
as states at every decision.

Clips are joined into one graph with as wide seams as it takes to get from every clip to every other. No seam may jolt
the pelvis, so that a run of three metres a second cannot follow a walk. Clips that are apart for their speed are also
taken with shorter strides (:mod:`footfall.methods.tracking.played_steps`): a walker comes to such a run step by step,
and back.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import on_all_cores, run_jobs
from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.clip_table import clip_table, clip_velocities
from footfall.methods.network.steered_network import as_clips
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps, slowed_clip
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS
from footfall.motion.editing import resampled
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.retargeting.retarget import retarget
from footfall.progress import Show
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

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
    graph: TrackedGraph, seconds: float, seeds: Sequence[int], rate: float, *, progress: Show | None = None
) -> list[PlayedMinute]:
    """Walks under random orders.

    Args:
        graph: what is walked on. seconds: of each. seeds: of their orders. rate: of a policy's decisions.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    parts = [seeds[k : k + TOGETHER] for k in range(0, len(seeds), TOGETHER)]
    show(0.0, "playing walks")
    play = partial(_played, graph, seconds, rate)
    return made_by_all(play, parts, len(seeds) >= MANY_WALKS, lambda done: show(done, "playing walks"))


def _played(graph: TrackedGraph, seconds: float, rate: float, seeds: Sequence[int]) -> list[PlayedMinute]:
    walks = [play_at_random(graph, seconds, seed) for seed in seeds]
    return [
        PlayedMinute(walk.frames, clip, tuple(walk.walked), tuple(walk.begun), tuple(walk.orders))
        for walk, clip in zip(walks, as_clips(walks, rate), strict=True)
    ]


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


_MAKER = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


class MadeClips(tuple[Motion, ...]):
    """Clips that a function made.

    Attributes:
        name: MODULE:FUNCTION; to an environment and in a checkpoint they are the same as this.
    """

    name: str

    @classmethod
    def by(cls, name: str, figure: Figure, rate: float, progress: Callable[[float], None] | None = None) -> "MadeClips":
        """Those of a function (figure, rate, progress), which is called with the share done."""
        module, _, function = name.partition(":")
        try:
            make = getattr(import_module(module), function)
        except (ImportError, AttributeError) as error:
            raise FootfallError(f"clip '{name}': there is no such function ({error})") from error
        made = cls(make(figure, rate, progress=progress))
        made.name = name
        return made

    @staticmethod
    def asked(clips: Any) -> bool:
        """Whether an option names a function that makes clips."""
        return isinstance(clips, str) and _MAKER.fullmatch(clips) is not None


OWN = "own"
"""The clip of the environment's own controller, simulated."""
OWN_SECONDS = 10.0
SHORTEST_CLIP = 4
"""Decisions that a clip must last."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClipStates:
    """States of one clip after the other.

    Attributes:
        qpos, qvel: [frames, nq] and [frames, nv].
        last: [frames] the last frame of each frame's clip. begins: [B] the frames that episodes begin at.
    """

    qpos: Array
    qvel: Array
    last: NDArray[np.int32]
    begins: NDArray[np.int32]


def clip_states(clips: Any, figure: Figure, controller: Controller | None, period: float) -> ClipStates:
    """Clips on a figure, ``period`` seconds between frames. Episodes begin in the first half of a clip, or
    later where more than a second is left.

    Args:
        clips: a motion, its file, a folder of files, ``OWN``, or several of these; or MODULE:FUNCTION, which makes
            some for a figure and a rate.
        figure: what imitates them; a clip of another body is retargeted onto it.
        controller: whose walk ``OWN`` stands for.
        period: seconds between decisions.
    """
    found = MadeClips.by(clips, figure, 1.0 / period) if MadeClips.asked(clips) else _listed(clips)
    states = [_states(clip, figure, controller, period) for clip in found]
    last, begins, first = [], [], 0
    for qpos, _ in states:
        count = len(qpos)
        latest = max(count // 2, count - round(1.0 / period))
        begins.append(np.arange(first, first + latest + 1))
        first += count
        last.append(np.full(count, first - 1))
    whole = [np.concatenate(parts) for parts in zip(*states, strict=True)]
    return ClipStates(*whole, *(np.concatenate(part).astype(np.int32) for part in (last, begins)))


def _listed(clips: Any) -> list[Any]:
    """Clips one by one; a folder stands for its motion files."""
    if isinstance(clips, Sequence) and not isinstance(clips, str):
        if not clips:
            raise FootfallError("clip: the list is empty; give one clip or several")
        return [one for clip in clips for one in _listed(clip)]
    if isinstance(clips, str | Path) and clips != OWN and Path(clips).is_dir():
        return list(clips_in(clips))
    return [clips]


def _states(
    clip: str | Path | Motion, figure: Figure, controller: Controller | None, period: float
) -> tuple[Array, Array]:
    """qpos [T, nq] and qvel [T, nv] of one clip."""
    own = isinstance(clip, str) and clip == OWN
    motion = _own(figure, controller) if own else clip if isinstance(clip, Motion) else load_motion(clip)
    if motion.figure != figure.name and figure.root == "free":
        states = clip_table(motion, figure, 1.0 / period)
    else:
        if motion.figure != figure.name:
            motion, _ = retarget(motion, figure)
        qpos = resampled(motion, 1.0 / period).to_qpos(figure)
        states = qpos, clip_velocities(figure, qpos, period)
    if len(states[0]) < SHORTEST_CLIP:
        raise FootfallError(
            f"clip lasts {motion.seconds:g} s; it must have at least {SHORTEST_CLIP} decisions of {period:g} s"
        )
    return states


def _own(figure: Figure, controller: Controller | None) -> Motion:
    if controller is None:
        raise FootfallError(
            f"clip '{OWN}' is the walk of a controller; name it with controller=, or give a motion's file"
        )
    simulation = Simulation(controller, figure=figure, record=Record(rate=200.0, fields=("qpos",), worlds=1))
    outcome = simulation.run(OWN_SECONDS)
    if outcome.fell[0]:
        raise FootfallError(f"clip '{OWN}': controller '{controller.name}' falls within {OWN_SECONDS:g} s; give a clip")
    return simulation.trace().motion()
