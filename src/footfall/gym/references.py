"""The clip that is imitated, as states of the figure at every decision."""

from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, load_motion
from footfall.motion.editing.cutting import resampled
from footfall.motion.retargeting.retarget import retarget
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Record

__all__ = ["OWN", "clip_states"]

OWN = "own"
"""The clip of the environment's own controller, simulated."""
OWN_SECONDS = 10.0
SHORTEST = 4
"""Decisions that a clip must last."""

Array = NDArray[np.float64]


def clip_states(
    clip: str | Path | Motion, figure: Figure, controller: Controller | None, period: float
) -> tuple[Array, Array]:
    """qpos [frames, nq] and qvel [frames, nv] of a clip on a figure, ``period`` seconds apart.

    Args:
        clip: a motion, its file, or ``OWN``.
        figure: what imitates it; a clip of another body is retargeted onto it.
        controller: whose walk ``OWN`` stands for.
        period: seconds between decisions.
    """
    motion = _own(figure, controller) if isinstance(clip, str) and clip == OWN else _loaded(clip)
    if motion.figure != figure.name:
        motion, _ = retarget(motion, figure)
    motion = resampled(motion, 1.0 / period)
    qpos = motion.to_qpos(figure)
    if len(qpos) < SHORTEST:
        raise FootfallError(
            f"clip lasts {motion.seconds:g} s; it must have at least {SHORTEST} decisions of {period:g} s"
        )
    return qpos, _velocities(figure, qpos, period)


def _loaded(clip: str | Path | Motion) -> Motion:
    return clip if isinstance(clip, Motion) else load_motion(clip)


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


def _velocities(figure: Figure, qpos: Array, period: float) -> Array:
    """[frames, nv] by differences over two frames, one at the ends."""
    before, after = np.r_[0, 0 : len(qpos) - 1], np.r_[1 : len(qpos), len(qpos) - 1]
    qvel = np.zeros((len(qpos), figure.nv))
    for k, (a, b) in enumerate(zip(before, after, strict=True)):
        mujoco.mj_differentiatePos(figure.model, qvel[k], (b - a) * period, qpos[a], qpos[b])
    return qvel
