"""Exact stable PD of servos against the world: torso and swing hip one step ahead, by this very step's accelerations.

A servo against its parent adds to its joint's inertia. Servos against the world tie the hips to the torso; their
torques are corrected after the dynamics have answered (see :meth:`footfall.control.law.Law.correction`).
"""

import warp as wp

from footfall.control.law import Types

__all__ = ["COUPLED", "HIP_STIFFNESS", "STANCE_HIP", "SWING_HIP", "TORSO_STIFFNESS", "hip_correction"]

COUPLED = 2
"""Torques that are corrected: the swing hip's and the stance hip's."""
SWING_HIP, STANCE_HIP = range(2)
"""Places in ``command.coupled``."""
HIP_STIFFNESS, TORSO_STIFFNESS = range(2)
"""Places in ``command.coupling``: kd h + kp h² of the swing hip's and of the torso's servo."""


def hip_correction(types: Types) -> wp.Function:
    """A Warp function (command, qacc, responses) that takes the hips' servos against the world implicitly.

    With y = (swing hip's + torso's, torso's) acceleration, their torques fall by x(y) = (s_hip y_0,
    -s_hip y_0 - s_torso y_1) on swing and stance hip. Accelerations are linear in torques: the responses to unit
    torques give y = y⁰ - B x(y), two equations for y, and x is taken off the torques.
    """
    Command, Qvel, Responses, one = types.Command, types.compiled.Qvel, types.Responses, types.real(1.0)

    @wp.func
    def correct(command: wp.ref[Command], qacc: wp.ref[Qvel], responses: wp.ref[Responses]):
        swing = command.coupled[SWING_HIP]
        stance = command.coupled[STANCE_HIP]
        s = command.coupling[HIP_STIFFNESS]
        t = command.coupling[TORSO_STIFFNESS]
        y0 = qacc[swing] + qacc[2]
        y1 = qacc[2]
        b00 = responses[0, swing] + responses[0, 2] - y0
        b10 = responses[0, 2] - y1
        b01 = responses[1, swing] + responses[1, 2] - y0
        b11 = responses[1, 2] - y1
        m00 = one + s * (b00 - b01)
        m01 = -t * b01
        m10 = s * (b10 - b11)
        m11 = one - t * b11
        inverse = one / (m00 * m11 - m01 * m10)
        z0 = (m11 * y0 - m01 * y1) * inverse
        z1 = (m00 * y1 - m10 * y0) * inverse
        command.torque[swing] = command.torque[swing] - s * z0
        command.torque[stance] = command.torque[stance] + s * z0 + t * z1

    return correct
