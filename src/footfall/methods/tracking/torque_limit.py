"""What a body's joints can give: torques beyond it are cut, and the joints then move as they do under what is left.

The law asks for accelerations and hybrid dynamics finds the torques of the ball joints that bring them about, however
large. The paper leaves it at that. With a limit T (N m for each kg of the body of mass m) a joint's torque keeps its
direction and has at most the size T m. A hinge gets no more than its motor gives, either.

A joint whose torque is cut falls behind the velocity that the held acceleration leads to. It catches up as soon as it
can: the law asks for CATCHING_UP (v_planned - v) more. Without this, the few hundredths of a second at a landing in
which torques are cut bring a walk down.
"""

from typing import Any

import numpy as np
import warp as wp

from footfall.control.law import Types
from footfall.figures import Figure
from footfall.methods.tracking.layout import SettingField

CATCHING_UP = 100.0
"""1/s."""
LARGEST = 1e9
"""N m of a motor whose file names no limit."""


def torque_limit_function(types: Types, figure: Figure) -> wp.Function:
    """(parameters, row, torque) cuts torques [nv] of ball joints to the row's limit; True where it cut one."""
    real, Qvel, nv = types.real, types.compiled.Qvel, types.compiled.nv
    mass, zero = real(sum(body.mass for body in figure.bodies)), real(0.0)
    if any(joint.kind == "hinge" for joint in figure.joints):
        return _hinge_limit(types, figure, mass)

    @wp.func
    def keep_within(parameters: wp.array2d[real], row: int, torque: wp.ref[Qvel]):
        most = mass * parameters[row, wp.static(int(SettingField.TORQUE_LIMIT))]
        cut = bool(False)
        if most > zero:
            j = int(6)
            while j < nv:
                x, y, z = torque[j], torque[j + 1], torque[j + 2]
                size = wp.sqrt(x * x + y * y + z * z)
                if size > most:
                    share = most / size
                    for k in range(3):
                        torque[j + k] = share * torque[j + k]
                    cut = True
                j += 3
        return cut

    return keep_within


def _hinge_limit(types: Types, figure: Figure, mass: Any) -> wp.Function:
    """The same for hinges, each by itself: the row's limit, and what its motor gives where that is less."""
    real, Qvel, nv = types.real, types.compiled.Qvel, types.compiled.nv
    motors = Qvel(*(float(x) if np.isfinite(x) else LARGEST for x in figure.torque_limit))
    zero = real(0.0)

    @wp.func
    def keep_within(parameters: wp.array2d[real], row: int, torque: wp.ref[Qvel]):
        most = mass * parameters[row, wp.static(int(SettingField.TORQUE_LIMIT))]
        given = motors
        cut = bool(False)
        if most > zero:
            j = int(6)
            while j < nv:
                least = wp.min(most, given[j])
                if wp.abs(torque[j]) > least:
                    torque[j] = wp.clamp(torque[j], -least, least)
                    cut = True
                j += 1
        return cut

    return keep_within
