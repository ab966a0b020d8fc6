"""The stance hip: it makes the torques on the torso add up to the torso's own servo (SIMBICON, section 3.2).

    τ_stance = -τ_torso - τ_swing

A hip's torque on the thigh pushes the torso the other way, so that the torso feels -(τ_stance + τ_swing) = τ_torso. The
rule holds in every plane alike: for numbers in the sagittal plane, for vectors in space.
"""

from typing import Any

import warp as wp

__all__ = ["stance_hip_torque"]


@wp.func
def stance_hip_torque(torso: Any, swing: Any):
    """The stance hip's torque, given those of the torso's servo and of the swing hip."""
    return -torso - swing
