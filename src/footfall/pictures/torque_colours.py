"""Torques as colours: the harder a joint works, the redder what it carries."""

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.motion import Motion

Array = NDArray[np.float64]

LEAST, FADING = 20.0, 0.99
"""N m that are full red at least, and how the largest torque of late fades from frame to frame."""


class TorqueColours:
    """How hard each body of a figure is worked, frame after frame."""

    def __init__(self, figure: Figure) -> None:
        joints = [joint for joint in figure.joints if joint.actuated]
        self._dofs = np.array([d for j in joints for d in range(j.dof, j.dof + j.ndof)], dtype=int)
        self._moved = np.array([j.body for j in joints for _ in range(j.ndof)], dtype=int)
        self._count, self._most = len(figure.bodies), LEAST

    def heat(self, torque: Array) -> Array:
        """[B] from 0 to 1: the torque [nv] at the joint that carries each body, of the largest lately."""
        sizes = np.abs(torque[self._dofs])
        heat = np.zeros(self._count)
        np.maximum.at(heat, self._moved, sizes)
        self._most = max(LEAST, float(sizes.max(initial=0.0)), FADING * self._most)
        return np.minimum(1.0, heat / self._most)


def torque_colours(motion: Motion, frames: NDArray[np.int64]) -> Array | None:
    """[F, B] the heat of the bodies of a simulated figure at frames of its motion; None where no torques were
    recorded, or nothing is known of its joints."""
    torque = motion.channels.get("torque")
    if torque is None or not motion.figure_xml:
        return None
    try:
        figure = Figure.load(motion.figure_xml)
    except FootfallError:
        return None
    if torque.shape[1:] != (figure.nv,) or len(figure.bodies) != len(motion.skeleton):
        return None
    colours = TorqueColours(figure)
    return np.array([colours.heat(row) for row in np.nan_to_num(torque[frames])])
