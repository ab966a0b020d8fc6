"""Small figures and laws for tests of the ground and of free flight."""

import numpy as np
import warp as wp

from footfall.control import Law

__all__ = ["BLOCK", "LIGHT_BLOCK_MASS", "Limp"]

LIGHT_BLOCK_MASS = 10.0

BLOCK = f"""<mujoco model="block"><option gravity="0 0 -9.8"/><worldbody>
<body name="block"><freejoint/><inertial pos="0 0 0" mass="{LIGHT_BLOCK_MASS}" diaginertia="1 1 2"/>
<site name="a" pos="0.5 0.5 -0.05"/><site name="b" pos="0.5 -0.5 -0.05"/>
<site name="c" pos="-0.5 0.5 -0.05"/><site name="d" pos="-0.5 -0.5 -0.05"/></body></worldbody></mujoco>"""
"""A flat block on four points, resting on the ground with its centre at z = 0.05."""


class Limp(Law):
    """No torques at all."""

    key = "limp"
    memory = np.zeros(1)
    parameters = np.zeros(1)

    def build(self, types):
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real

        @wp.func
        def limp(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            command.stance = -1

        return limp
