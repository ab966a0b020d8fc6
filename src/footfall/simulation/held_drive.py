"""The law under a Python function: torques and servos that are held until the next decision."""

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Law, Types
from footfall.control.parts.servo import limited, limited_stiffness, servo_stiffness, servo_torque
from footfall.figures import Figure

Array = NDArray[np.float64]

ROOT = {"planar": 3, "free": 6, "fixed": 0}
"""How many degrees of freedom hold a figure in the world."""

DRIVE = ("torque", "kp", "kd", "target", "limit")
"""What a row holds, each [nv]."""
UNLIMITED = 1e9
"""A limit that no torque reaches."""


class HeldDrive(Law):
    """Torques and servos that stay as they are until they are replaced: rows of :data:`DRIVE`, [5 nv]. No joint's
    torque, its servo's included, exceeds its limit."""

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
        """[5 nv] no torque, no servo, no limit."""
        none = np.zeros(self.figure.nv)
        return np.concatenate([none, none, none, none, none + UNLIMITED])

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
                    limit = parameters[row, wp.static(4 * nv + j)]
                    command.stiffness[j] = limited_stiffness(command.stiffness[j], torque, limit)
                    command.torque[j] = limited(torque, limit)
            command.stance = -1

        return held_drive
