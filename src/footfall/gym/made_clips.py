"""Clips that footfall makes itself, for policies that follow clips: random walks on the figure's body, lively ones with
runs, jumps and spins and steady ones that run on and on among them, walks that are played on motion graphs of such, and
the walks, runs, hops and stands of the controllers that come with it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from footfall.clusters.cores import on_all_cores
from footfall.clusters.jobs import run_jobs
from footfall.control.registry import controller_names, load_controller
from footfall.figures import Figure
from footfall.gym.played_clips import played_clips
from footfall.gym.whole_parts import whole_parts
from footfall.motion import Motion
from footfall.motion.editing.cutting import resampled
from footfall.motion.synthesis.random_walks import random_walk
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

MADE = "made"
"""What an environment's option calls all of them."""
Show = Callable[[float], None]

WALKS, LIVELY, STEADY, GRAPHS, SECONDS = 200, 600, 240, 68, 15.0
"""Random walks, lively ones, steady ones, motion graphs, and how long each random walk is."""
UNSEEN = 9_000_000
"""Seeds from here on are not trained on."""
MANY = 32
"""Walks that are worth several processes."""
SIMULATED = 12.0
"""Seconds of a controller's motion."""
PACES = (0.85, 1.0, 1.15)
"""At which controllers' motions are played."""
A_GRAPH = 30.0
"""What a graph costs, in random walks."""


class MadeClips(tuple[Motion, ...]):
    """Clips that were made ahead: to an environment and in a checkpoint they are the same as :data:`MADE`."""

    name = MADE


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
    progress: Show | None = None,
) -> MadeClips:
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
    found = _by_all(partial(_walk, figure, rate), asked, len(asked) >= MANY, lambda done: show(walked * done))
    numbers = range(100 * seed, 100 * seed + graphs)
    found += _by_all(
        partial(played_clips, figure, rate), numbers, graphs > 1, lambda done: show(walked + (1.0 - walked) * done)
    )
    for name in controller_names() if names is None else names:
        if load_controller(name).figure == figure.name:
            found += _simulated(name, figure, rate)
    return MadeClips(motion for one in found for motion in (one, _mirrored(one, figure)))


def lively_clips(figure: Figure, rate: float, count: int, *, seconds: float = 8.0) -> dict[int, Motion]:
    """So many lively walks that no policy was trained on, by their seeds: of each the first part without a jump of its
    joints."""
    found: dict[int, Motion] = {}
    seed = UNSEEN
    while len(found) < count:
        seed += 1
        parts = whole_parts(random_walk(figure, seconds, seed, rate, lively=True), figure)
        if parts:
            found[seed] = parts[0]
    return found


def _by_all(make: Callable[[Any], list[Motion]], asked: Sequence[Any], many: bool, show: Show) -> list[Motion]:
    """What is made of each, by all processors together where they are many."""
    found: dict[int, list[Motion]] = {}
    with on_all_cores(many) as executor:
        for place, some in run_jobs(make, asked, executor):
            found[place] = some
            show(len(found) / len(asked))
    return [motion for place in range(len(asked)) for motion in found[place]]


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
