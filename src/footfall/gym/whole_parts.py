"""The parts of a made motion that a body could do: without the moments at which a joint jumps."""

from itertools import pairwise

import numpy as np

from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import soles_of
from footfall.motion import Motion
from footfall.motion.synthesis.hinge_chains import hinge_chains

QUICK, DEEP, LOW = 40.0, -0.06, 0.72
"""rad/s that no joint of a random walk moves at, metres over the ground that no sole is below, and the share of its
height in a stand that no pelvis is."""
SHORTEST, AROUND = 2.5, 0.1
"""Seconds of what is left of a walk without its moments that do so, at least, and what is cut around them."""


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
        if last - first >= SHORTEST * motion.fps:
            parts.append(Motion.from_qpos(figure, np.arange(last - first) / motion.fps, qpos[first:last]))
    return parts
