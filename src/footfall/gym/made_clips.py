"""Clips that footfall makes itself, for policies that follow clips: random walks on the figure's body, lively ones with
runs, jumps and spins among them, and the walks, runs, hops and stands of the controllers that come with it."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing import get_context

import numpy as np

from footfall.control.registry import controller_names, load_controller
from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import soles_of
from footfall.motion import Motion
from footfall.motion.editing.cutting import resampled
from footfall.motion.synthesis.hinge_chains import hinge_chains
from footfall.motion.synthesis.random_walks import random_walk
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

__all__ = ["UNSEEN", "lively_clips", "made_clips"]

WALKS, LIVELY, SECONDS = 200, 600, 15.0
"""Random walks, lively ones, and how long each is."""
QUICK, DEEP, LOW = 40.0, -0.06, 0.72
"""rad/s that no joint of a random walk moves at, metres over the ground that no sole is below, and the share of its
height in a stand that no pelvis is."""
SHORTEST, AROUND = 2.5, 0.1
"""Seconds of what is left of a walk without its moments that do so, at least, and what is cut around them."""
UNSEEN = 9_000_000
"""Seeds from here on are not trained on."""
MANY = 32
"""Walks that are worth several processes."""
SIMULATED = 12.0
"""Seconds of a controller's motion."""
PACES = (0.85, 1.0, 1.15)
"""At which controllers' motions are played."""


def made_clips(
    figure: Figure,
    rate: float,
    *,
    walks: int = WALKS,
    lively: int = LIVELY,
    seed: int = 1,
    names: Sequence[str] | None = None,
) -> list[Motion]:
    """Motions of a figure, ``rate`` frames a second, each with its mirror image.

    Args:
        figure: whose. rate: frames a second.
        walks: how many random walks. lively: how many lively ones. seed: of the first.
        names: controllers whose motion is simulated; None for all that come with footfall.
    """
    first, second = 1000 * seed, 1_000_000 + 1000 * seed
    asked = [(first + k, False) for k in range(walks)] + [(second + k, True) for k in range(lively)]
    found = _walked(figure, rate, asked)
    for name in controller_names() if names is None else names:
        if load_controller(name).figure == figure.name:
            found += _simulated(name, figure, rate)
    return [motion for one in found for motion in (one, _mirrored(one, figure))]


def lively_clips(figure: Figure, rate: float, count: int, *, seconds: float = 8.0) -> dict[int, Motion]:
    """So many lively walks that no policy was trained on, by their seeds: of each the first part without a jump of its
    joints."""
    found: dict[int, Motion] = {}
    seed = UNSEEN
    while len(found) < count:
        seed += 1
        parts = _parts(random_walk(figure, seconds, seed, rate, lively=True), figure)
        if parts:
            found[seed] = parts[0]
    return found


def _walked(figure: Figure, rate: float, asked: Sequence[tuple[int, bool]]) -> list[Motion]:
    """The parts of random walks, of seeds that are lively or not; of many by all processors together."""
    make = partial(_walk, figure, rate)
    if len(asked) < MANY:
        return [part for one in map(make, asked) for part in one]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return [part for one in pool.map(make, asked, chunksize=MANY // 4) for part in one]


def _walk(figure: Figure, rate: float, asked: tuple[int, bool]) -> list[Motion]:
    seed, lively = asked
    return _parts(random_walk(figure, SECONDS, seed, rate, lively=lively), figure)


def _parts(motion: Motion, figure: Figure) -> list[Motion]:
    """What a random walk is without the moments at which a joint jumps from one solution to another, one at its stop
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
        if last - first >= SHORTEST * motion.fps:
            parts.append(Motion.from_qpos(figure, np.arange(last - first) / motion.fps, qpos[first:last]))
    return parts


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
