"""Clips as states at every decision, for policies that learn to follow them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.made_clips import MADE, made_clips
from footfall.methods.network.clip_table import clip_table, clip_velocities
from footfall.motion import Motion, load_motion
from footfall.motion.editing import resampled
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.retargeting.retarget import retarget
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

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
