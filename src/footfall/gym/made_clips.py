"""Clips that footfall makes itself, for policies that follow clips: random walks on the figure's body, and the walks,
runs, hops and stands of the controllers that come with it."""

from collections.abc import Sequence

import numpy as np

from footfall.control.registry import controller_names, load_controller
from footfall.figures import Figure
from footfall.motion import Motion
from footfall.motion.editing.cutting import resampled
from footfall.motion.synthesis.random_walks import random_walk
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

__all__ = ["made_clips"]

WALKS, SECONDS = 200, 15.0
"""Random walks, and how long each is."""
QUICK = 40.0
"""rad/s that no joint of a random walk moves at."""
SIMULATED = 12.0
"""Seconds of a controller's motion."""
PACES = (0.85, 1.0, 1.15)
"""At which controllers' motions are played."""


def made_clips(
    figure: Figure, rate: float, *, walks: int = WALKS, seed: int = 1, names: Sequence[str] | None = None
) -> list[Motion]:
    """Motions of a figure, ``rate`` frames a second, each with its mirror image.

    Args:
        figure: whose. rate: frames a second.
        walks: how many random walks. seed: of the first.
        names: controllers whose motion is simulated; None for all that come with footfall.
    """
    walked = [random_walk(figure, SECONDS, 1000 * seed + k, rate) for k in range(walks)]
    found = [walk for walk in walked if _quickest(walk, figure) < QUICK]
    for name in controller_names() if names is None else names:
        if load_controller(name).figure == figure.name:
            found += _simulated(name, figure, rate)
    return [motion for one in found for motion in (one, _mirrored(one, figure))]


def _quickest(motion: Motion, figure: Figure) -> float:
    """The largest rate of a joint, rad/s: a random walk whose joints jump from one solution to another is left out."""
    return float(np.abs(np.diff(motion.to_qpos(figure)[:, 7:], axis=0)).max() * motion.fps)


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
