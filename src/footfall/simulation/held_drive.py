"""The law under a Python function: torques and servos that are held until the next decision."""

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Law, Types
from footfall.control.parts.servo import servo_stiffness, servo_torque
from footfall.figures import Figure

__all__ = ["ROOT", "HeldDrive"]

Array = NDArray[np.float64]

ROOT = {"planar": 3, "free": 6, "fixed": 0}
"""How many degrees of freedom hold a figure in the world."""


class HeldDrive(Law):
    """Torques and servos that stay as they are until they are replaced: rows of torque, kp, kd and target, [4 nv]."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    @property
    def key(self) -> Any:
        """Every held drive is alike."""
        return "held-drive"

    @property
    def memory(self) -> Array:
        """None is needed."""
        return np.zeros(1)

    @property
    def parameters(self) -> Array:
        """[4 nv] no torque, no servo."""
        return np.zeros(4 * self.figure.nv)

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        Sense, Memory, Command, real, implicit = types.Sense, types.Memory, types.Command, types.real, types.implicit
        figure, nv = self.figure, self.figure.nv
        first = ROOT[figure.root]
        joints = {j.dof: j.qpos for j in figure.joints if j.kind in ("hinge", "slide")}
        places = tuple(joints.get(dof, -1) for dof in range(nv))
        zero = real(0.0)

        @wp.func
        def held_drive(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            ahead = zero
            if wp.static(implicit):
                ahead = sense.dt
            for j in range(wp.static(nv)):
                if wp.static(j >= first):
                    torque = parameters[row, j]
                    if wp.static(places[j] >= 0):
                        kp = parameters[row, wp.static(nv + j)]
                        kd = parameters[row, wp.static(2 * nv + j)]
                        error = parameters[row, wp.static(3 * nv + j)] - sense.qpos[wp.static(places[j])]
                        rate = sense.qvel[j]
                        torque += servo_torque(kp, kd, error, rate, ahead)
                        command.stiffness[j] = servo_stiffness(kp, kd, ahead)
                    command.torque[j] = torque
            command.stance = -1

        return held_drive
