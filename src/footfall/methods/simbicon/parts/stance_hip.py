"""The stance hip: it makes the torques on the torso add up to the torso's own servo (SIMBICON, section 3.2).

    τ_stance = -τ_torso - τ_swing

A hip's torque on the thigh pushes the torso the other way, so that the torso feels -(τ_stance + τ_swing) = τ_torso. The
rule holds in every plane alike: for numbers in the sagittal plane, for vectors in space.
"""

from typing import Any

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.methods.simbicon.plan import SimbiconPlan


@wp.func
def stance_hip_torque(torso: Any, swing: Any):
    """The stance hip's torque, given those of the torso's servo and of the swing hip."""
    return -torso - swing


def stance_hip_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that sets the stance hip's torques, plane by plane, unless the figure flies. They do not depend on the
    stance hip's own angle, so they have no stiffness."""
    Now, Sense, Memory, Command, real = now.Now, types.Sense, types.Memory, types.Command, types.real
    planes = plan.planes
    Torques = wp.types.vector(length=planes, dtype=real)
    left, right = ([plan.hip(side, plane) for plane in range(planes)] for side in ("left", "right"))
    lefts, rights = tuple(s.dof for s in left), tuple(s.dof for s in right)
    left_turns, right_turns = tuple(real(s.turn) for s in left), tuple(real(s.turn) for s in right)
    zero = real(0.0)

    @wp.func
    def stance_hip(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        if not now.flies:
            swing = Torques()
            for p in range(wp.static(planes)):
                if wp.static(lefts[p] >= 0):
                    if now.right_stance:
                        swing[p] = wp.static(left_turns[p]) * command.torque[wp.static(lefts[p])]
                    else:
                        swing[p] = wp.static(right_turns[p]) * command.torque[wp.static(rights[p])]
            stance = stance_hip_torque(now.torso_torque, swing)
            for p in range(wp.static(planes)):
                if wp.static(lefts[p] >= 0):
                    if now.right_stance:
                        command.torque[wp.static(rights[p])] = wp.static(right_turns[p]) * stance[p]
                        command.stiffness[wp.static(rights[p])] = zero
                    else:
                        command.torque[wp.static(lefts[p])] = wp.static(left_turns[p]) * stance[p]
                        command.stiffness[wp.static(lefts[p])] = zero

    return stance_hip
