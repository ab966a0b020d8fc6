"""Clips as states at every decision, for policies that learn to follow them; and clips that footfall makes itself.

On the latter the network that comes with footfall was trained (docs/learning.md). They are random walks on the figure's
body, lively ones with runs, jumps and spins and steady ones that run on and on among them; walks that are played under
random orders on motion graphs of such, as a policy is given them where it is steered; and the walks, runs, hops and
stands of the controllers that come with footfall. Every graph has clips of its own, and the joints at its seams are up
to a width apart that changes from graph to graph: who learns to walk on many graphs may walk on one that was never
seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.registry import controller_names, load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import NEAR, joined_graph, made_by_all, play_at_random
from footfall.methods.network.clip_frames import clip_table, clip_velocities, tables_of
from footfall.methods.network.steered_network import CHOOSING
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.motion import Motion, load_motion
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.editing import resampled
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.retargeting.retarget import retarget
from footfall.motion.synthesis.random_walks import random_walk
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

Array = NDArray[np.float64]
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
        clips: a motion, its file, a folder of files, ``OWN``, or several of these; or ``MADE``.
        figure: what imitates them; a clip of another body is retargeted onto it.
        controller: whose walk ``OWN`` stands for.
        period: seconds between decisions.
    """
    found = made_clips(figure, 1.0 / period) if isinstance(clips, str) and clips == MADE else _listed(clips)
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
        figure: whose. rate: frames a second. number: of the graph. minutes: how many.
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
        figure: whose. rate: frames a second.
        walks: how many random walks. lively, steady: how many such ones. seed: of the first.
        graphs: on how many motion graphs walks are played.
        names: controllers whose motion is simulated; None for all that come with footfall.
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
        if load_controller(name).figure == figure.name:
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
