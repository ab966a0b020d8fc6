"""Exact stable PD of servos against the world: torso and swing hip one step ahead, by this very step's accelerations.

A servo against its parent adds to its joint's inertia. Servos against the world tie the hips to the torso; their
torques are corrected after the dynamics have answered (see :meth:`footfall.control.law.Law.correction`).
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.parts.servo import limited, servo_stiffness
from footfall.control.slots import SAGITTAL
from footfall.methods.simbicon.plan import SimbiconPlan

COUPLED = 2
"""Torques that are corrected: the swing hip's and the stance hip's."""
SWING_HIP, STANCE_HIP = range(2)
"""Places in ``command.coupled``."""
HIP_STIFFNESS, TORSO_STIFFNESS, SWING_LIMIT, STANCE_LIMIT = range(4)
"""Places in ``command.coupling``: kd h + kp h² of the swing hip's and of the torso's servo, and the hips' torque
limits."""
COUPLING = 4


def hip_correction(types: Types) -> wp.Function:
    """A Warp function (command, qacc, responses) that takes the hips' servos against the world implicitly.

    With y = (swing hip's + torso's, torso's) acceleration, their torques fall by x(y) = (s_hip y_0,
    -s_hip y_0 - s_torso y_1) on swing and stance hip. Accelerations are linear in torques: the responses to unit
    torques give y = y⁰ - B x(y), two equations for y, and x is taken off the torques.

    A torque at its limit stays there and no longer depends on accelerations; the other one is then found alone.
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
        at_swing = command.torque[swing]
        at_stance = command.torque[stance]
        most_swing = command.coupling[SWING_LIMIT]
        most_stance = command.coupling[STANCE_LIMIT]
        command.torque[swing] = at_swing - s * z0
        command.torque[stance] = at_stance + s * z0 + t * z1
        if wp.abs(at_swing) >= most_swing or wp.abs(command.torque[swing]) > most_swing:
            if wp.abs(at_swing) >= most_swing:
                command.torque[swing] = at_swing
            command.torque[swing] = limited(command.torque[swing], most_swing)
            more = command.torque[swing] - at_swing
            y1 = (y1 + (b10 - b11) * more) / (one - t * b11)
            command.torque[stance] = at_stance
            if wp.abs(at_stance) < most_stance:
                command.torque[stance] = limited(at_stance - more + t * y1, most_stance)
        elif wp.abs(at_stance) >= most_stance or wp.abs(command.torque[stance]) > most_stance:
            if wp.abs(at_stance) >= most_stance:
                command.torque[stance] = at_stance
            command.torque[stance] = limited(command.torque[stance], most_stance)
            more = command.torque[stance] - at_stance
            y0 = (y0 + b01 * more) / (one + s * b00)
            command.torque[swing] = limited(at_swing - s * y0, most_swing)

    return correct


def couple_hips_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that says which hips' torques :func:`hip_correction` corrects, by which stiffnesses and within which
    limits; in flight nothing is coupled."""
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    read_servo = now.read_servo
    left, right = (plan.hip(side, SAGITTAL) for side in ("left", "right"))
    left_hip, right_hip = left.dof, right.dof
    left_slot, right_slot, torso_slot = plan.slots.index(left), plan.slots.index(right), SAGITTAL
    zero = types.real(0.0)

    @wp.func
    def couple_hips(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        torso = read_servo(now, wp.static(torso_slot))
        swing = read_servo(now, wp.where(now.right_stance, left_slot, right_slot))
        stance = read_servo(now, wp.where(now.right_stance, right_slot, left_slot))
        command.coupled[SWING_HIP] = wp.where(now.right_stance, left_hip, right_hip)
        command.coupled[STANCE_HIP] = wp.where(now.right_stance, right_hip, left_hip)
        command.coupling[SWING_LIMIT] = swing.torque_limit
        command.coupling[STANCE_LIMIT] = stance.torque_limit
        command.coupling[HIP_STIFFNESS] = servo_stiffness(now.gain * swing.kp, now.gain * swing.kd, sense.dt)
        command.coupling[TORSO_STIFFNESS] = servo_stiffness(now.gain * torso.kp, now.gain * torso.kd, sense.dt)
        if now.flies:
            command.coupling[HIP_STIFFNESS] = zero
            command.coupling[TORSO_STIFFNESS] = zero

    return couple_hips
