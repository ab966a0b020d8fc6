"""Clips that policies learn to follow: as states at every decision, played on motion graphs, and made by footfall.

Clips are joined into one graph with as wide seams as it takes to get from every clip to every other. No seam may jolt
the pelvis, so that a run of three metres a second cannot follow a walk. Clips that are apart for their speed are also
taken with shorter strides (:mod:`footfall.methods.tracking.played_steps`): a walker comes to such a run step by step,
and back. On such graphs walks are played under random orders.

On clips that footfall makes itself the network that comes with it was trained (docs/learning.md). They are random walks
on the figure's body, lively ones with runs, jumps and spins and steady ones that run on and on among them; walks that
are played under random orders on motion graphs of such, as a policy is given them where it is steered; and the walks,
runs, hops and stands of the controllers that come with footfall. Every graph has clips of its own, and the joints at
its seams are up to a width apart that changes from graph to graph: who learns to walk on many graphs may walk on one
that was never seen.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import on_all_cores, run_jobs
from footfall.control.kind import Controller
from footfall.control.registry import controller_names, kind_of, load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames, clip_table, clip_velocities, tables_of
from footfall.methods.network.gaits import FRAMES
from footfall.methods.network.kind import NETWORK
from footfall.methods.network.law import ASKED, ServoNetworkLaw
from footfall.methods.network.steered_network import CHOOSING, as_clips
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps, slowed_clip
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.editing import resampled
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.retargeting.retarget import retarget
from footfall.motion.synthesis.random_walks import random_walk
from footfall.progress import Show, silent
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

Array = NDArray[np.float64]
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
        graph: of their steps.
        of: the clip whose steps each one has, by its name: its own, or another that was slowed.
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
        clips: poses of the figure's skeleton.
        figure: whose.
        choosing: how steps are chosen.
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
        frames: [T, nq] its poses, of ball joints, 30 a second.
        clip: the same for a policy.
        walked: numbers of the steps that were made, -1 for a stand.
        begun: the frame at which each began.
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
SLOWEST_ORDER, FASTEST_ORDER = 0.3, 3.0
"""m/s that are asked of one whose law takes a speed."""


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
        graph: what is walked on.
        seconds: of each.
        seeds: of their orders.
        rate: of a policy's decisions.
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


OWN = "own"
"""The clip of the environment's own controller, simulated."""
OWN_SECONDS = 10.0
SHORTEST_CLIP = 4
"""Decisions that a clip must last."""
QUICK, DEEP, LOW = 40.0, -0.06, 0.72
"""rad/s that no joint of a random walk moves at, metres over the ground that no sole is below, and the share of its
height in a stand that no pelvis is."""
SHORTEST_PART, AROUND = 2.5, 0.1
"""Seconds of what is left of a walk without its moments that do so, at least, and what is cut around them."""
MADE_AT, ORDERED_AT = 5_000_000, 7_000
"""Seeds of the graphs' clips and of the orders, a hundred for each graph."""
CLIP_SECONDS, MINUTES = 10.0, 4
"""Of a clip, and walks of a minute on each graph."""
KINDS = ((8, 4), (12, 2), (4, 8), (6, 2))
"""How many clips of a graph are lively, and how many are not; graphs take turns."""
WALKS, LIVELY, STEADY, GRAPHS, SECONDS = 200, 600, 240, 68, 15.0
"""Random walks, lively ones, steady ones, motion graphs, and how long each random walk is."""
MANY = 32
"""Walks that are worth several processes."""
SIMULATED = 12.0
"""Seconds of a controller's motion."""
PACES = (0.85, 1.0, 1.15)
"""At which controllers' motions are played."""
A_GRAPH = 30.0
"""What a graph costs, in random walks."""
MADE = "made"
"""Stands for these clips in an environment's options."""


@dataclass(frozen=True, eq=False)
class ClipStates:
    """States of one clip after the other.

    Attributes:
        qpos, qvel: [frames, nq] and [frames, nv].
        last: [frames] the last frame of each frame's clip.
        begins: [B] the frames that episodes begin at.
    """

    qpos: Array
    qvel: Array
    last: NDArray[np.int32]
    begins: NDArray[np.int32]


def clip_states(
    clips: Any, figure: Figure, controller: Controller | None, period: float, more: Sequence[Array] = ()
) -> ClipStates:
    """Clips on a figure, ``period`` seconds between frames. Episodes begin in the first half of a clip, or
    later where more than a second is left.

    Args:
        clips: a motion, its file, a folder of files, ``OWN``, or several of these; or ``MADE`` or ``STEERED``; None for
            none.
        figure: what imitates them; a clip of another body is retargeted onto it.
        controller: whose walk ``OWN`` and ``STEERED`` stand for.
        period: seconds between decisions.
        more: [T, nq] each, other clips.
    """
    found: Sequence[Any] = ()
    if isinstance(clips, str) and clips == STEERED:
        more = [*more, *steered_clips(controller, figure, period)]
    elif clips is not None:
        found = made_clips(figure, 1.0 / period) if isinstance(clips, str) and clips == MADE else _listed(clips)
    states = [_states(clip, figure, controller, period) for clip in found]
    states += [(qpos, clip_velocities(figure, qpos, period)) for qpos in more]
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


STEERED = "steered"
"""Stands for the gaits of the environment's controller under random orders."""
CROWD, CROWD_SECONDS = 96, 20.0
"""Characters, and for how long each."""
SIDEWAYS, BACKWARDS = 0.15, 0.1
"""Share of the orders that send a character to the side or backwards, slowly."""
LOST = 0.3
"""Seconds before a fall that are left out."""


def random_orders(seed: int, seconds: float, fastest: float) -> list[tuple[float, float, float]]:
    """(seconds until the next, heading, speed) of orders."""
    random, found = np.random.default_rng(seed), [(0.0, 0.0, 0.0)]
    while sum(one[0] for one in found) < seconds:
        heading = found[-1][1] + (random.uniform(-TURN, TURN) if len(found) > 1 else 0.0)
        stops = len(found) > 1 and random.random() < STOPPING
        speed = 0.0 if stops else random.uniform(SLOWEST_ORDER, fastest)
        found.append((float(random.uniform(SHORTEST, LONGEST)), float(heading), float(speed)))
    return found[1:]


def steered_clips(
    controller: Controller | None, figure: Figure, period: float, *, count: int = CROWD, seed: int = 11
) -> list[Array]:
    """[T, nq] each: what characters follow that are steered at random, while they stay up, with the mirror images."""
    if controller is None or getattr(controller, "gaits", None) is None:
        raise FootfallError(f"clip '{STEERED}' is for a controller with gaits; name it with controller=, such as human")
    simulation = Simulation(controller, figure=figure, worlds=count, efforts=False, last_states=1)
    law, random = simulation.law, np.random.default_rng(seed)
    assert isinstance(law, ServoNetworkLaw)
    first = law.memory_layout[FRAMES]
    orders = [random_orders(1000 * seed + k, CROWD_SECONDS, FASTEST_ORDER) for k in range(count)]
    asked = np.zeros((round(CROWD_SECONDS / period), count, 3))
    for k, own in enumerate(orders):
        begun = 0.0
        for seconds, heading, speed in own:
            way, side = random.random(), 0.0
            if way < SIDEWAYS:
                speed, side = 0.3 * random.uniform(), float(random.uniform(-0.4, 0.4))
            elif way < SIDEWAYS + BACKWARDS:
                speed = -float(random.uniform(0.1, 0.6))
            asked[round(begun / period) :, k] = speed, heading, side
            begun += seconds
    frames = []
    for orders_now in asked:
        simulation.set(dict(zip(ASKED, orders_now.T, strict=True)))
        simulation.step(round(period / simulation.dt))
        frames.append(simulation.memory[:, first : first + figure.nq])
    ends = np.nan_to_num(np.asarray(simulation.outcome().end_time), nan=CROWD_SECONDS + LOST)
    poses = np.swapaxes(np.array(frames), 0, 1)
    kept = [own[: max(0, int((end - LOST) / period))] for own, end in zip(poses, ends, strict=True)]
    return [qpos for own in kept if len(own) >= SHORTEST_CLIP for qpos in (own, figure.mirror_qpos(own))]


class MadeClips(tuple[Motion, ...]):
    """Clips that were made ahead: to an environment and in a checkpoint they are the same as :data:`MADE`."""

    name = MADE


def whole_parts(motion: Motion, figure: Figure) -> list[Motion]:
    """What a motion is without the moments at which a joint jumps from one solution to another, one at its stop
    presses a foot into the ground, or the legs' reach lets the pelvis sink too low."""
    qpos, chains = motion.to_qpos(figure), hinge_chains(figure)
    frames, skeleton = (qpos, figure) if chains is None else (chains.ball_poses(qpos), chains.skeleton)
    bad = soles_of(frames, skeleton).height.min(axis=1) < DEEP
    bad |= qpos[:, 2] < LOW * figure.default_qpos[2]
    bad[1:] |= np.abs(np.diff(qpos[:, 7:], axis=0)).max(axis=1) * motion.fps > QUICK
    cut = np.concatenate([[-1], np.flatnonzero(bad), [len(qpos)]])
    around = round(AROUND * motion.fps)
    parts = []
    for before, after in pairwise(cut):
        first, last = before + 1 + (around if before >= 0 else 0), after - (around if after < len(qpos) else 0)
        if last - first >= SHORTEST_PART * motion.fps:
            parts.append(Motion.from_qpos(figure, np.arange(last - first) / motion.fps, qpos[first:last]))
    return parts


def played_clips(figure: Figure, rate: float, number: int, *, minutes: int = MINUTES) -> list[Motion]:
    """Motions of a figure, ``rate`` frames a second: walks of a minute each on a motion graph of made clips, without
    the moments at which a joint jumps.

    Args:
        figure: whose.
        rate: frames a second.
        number: of the graph.
        minutes: how many.
    """
    lively, plain = KINDS[number % len(KINDS)]
    seeds = [MADE_AT + 100 * number + k for k in range(lively + plain)]
    clips = [clip for k, seed in enumerate(seeds) for clip in _clips(figure, seed, k < lively)]
    if not clips:
        return []
    graph = joined_graph(clips, figure, CHOOSING, [NEAR[number // len(KINDS) % len(NEAR)]]).graph
    walks = [play_at_random(graph, 60.0, ORDERED_AT + 100 * number + k) for k in range(minutes)]
    tables = tables_of(np.stack([walk.frames for walk in walks]), figure, rate)
    motions = [Motion.from_qpos(figure, np.arange(len(table)) / rate, table) for table in tables]
    return [part for motion in motions for part in whole_parts(motion, figure)]


def _clips(figure: Figure, seed: int, lively: bool) -> list[GraphClip]:
    """The parts of a random walk that have steps."""
    chains = hinge_chains(figure)
    made: list[GraphClip] = []
    for part in whole_parts(random_walk(figure, CLIP_SECONDS, seed, FPS, lively=lively), figure):
        qpos = part.to_qpos(figure)
        clip = GraphClip(f"{seed}-{len(made)}", qpos if chains is None else chains.ball_poses(qpos))
        try:
            TrackedGraph([clip], figure)
        except FootfallError:
            continue
        made.append(clip)
    return made


def made_clips(
    figure: Figure,
    rate: float,
    *,
    walks: int = WALKS,
    lively: int = LIVELY,
    steady: int = STEADY,
    graphs: int = GRAPHS,
    seed: int = 1,
    names: Sequence[str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> tuple[Motion, ...]:
    """Motions of a figure, ``rate`` frames a second, each with its mirror image.

    Args:
        figure: whose.
        rate: frames a second.
        walks: how many random walks.
        lively, steady: how many such ones.
        seed: of the first.
        graphs: on how many motion graphs walks are played.
        names: controllers whose motion is simulated; None for all that come with footfall, except networks.
        progress: called with the share done.
    """
    counts = {"plain": walks, "lively": lively, "steady": steady}
    asked = [
        (1_000_000 * place + 1000 * seed + k, kind)
        for place, (kind, count) in enumerate(counts.items())
        for k in range(count)
    ]
    show, walked = progress or (lambda done: None), len(asked) / (len(asked) + A_GRAPH * graphs + 1e-9)
    found = made_by_all(partial(_walk, figure, rate), asked, len(asked) >= MANY, lambda done: show(walked * done))
    numbers = range(100 * seed, 100 * seed + graphs)
    found += made_by_all(
        partial(played_clips, figure, rate), numbers, graphs > 1, lambda done: show(walked + (1.0 - walked) * done)
    )
    for name in controller_names() if names is None else names:
        if load_controller(name).figure == figure.name and kind_of(load_controller(name)).method != NETWORK.method:
            found += _simulated(name, figure, rate)
    return tuple(motion for one in found for motion in (one, _mirrored(one, figure)))


def _walk(figure: Figure, rate: float, asked: tuple[int, str]) -> list[Motion]:
    seed, kind = asked
    made = random_walk(figure, SECONDS, seed, rate, lively=kind == "lively", steady=kind == "steady")
    return whole_parts(made, figure)


def _mirrored(motion: Motion, figure: Figure) -> Motion:
    qpos = motion.to_qpos(figure)
    return Motion.from_qpos(figure, np.arange(len(qpos)) / motion.fps, figure.mirror_qpos(qpos))


def _simulated(name: str, figure: Figure, rate: float) -> list[Motion]:
    """The motion of a controller at several paces, while it is up; none of one that falls at once."""
    simulation = Simulation(name, figure=figure, record=Record(rate=200.0, fields=("qpos",), worlds=1))
    outcome = simulation.run(SIMULATED)
    up = float(outcome.end_time[0]) - 0.5 if outcome.fell[0] else SIMULATED
    if up < 2.0:
        return []
    whole = simulation.trace()
    count = int(np.searchsorted(whole.times, up))
    times, qpos = np.asarray(whole.times[:count]), whole.qpos[:count, 0]
    return [resampled(Motion.from_qpos(figure, times / pace, qpos), rate) for pace in PACES]
