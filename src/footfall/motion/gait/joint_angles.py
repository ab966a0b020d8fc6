"""Leg angles as gait laboratories give them, for any skeleton: from the places of the joints, not from their frames."""

import numpy as np

from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.gait.heading import facing
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, multiply, rotate, wrap_angle
from footfall.motion.skeleton.roles import find_roles

__all__ = ["leg_angles", "trunk_lean"]


def leg_angles(motion: Motion) -> dict[str, Array]:
    """Sagittal angles [T] in radians: ``left_hip``, ``left_knee``, ``left_ankle`` and the right ones, as far as found.

    Flexion and dorsiflexion are positive. The hip is the thigh against the pelvis (the trunk where they are one), the
    knee the shank against the thigh, the ankle the sole against the shank, zero at a right angle. All are seen from
    the side, in the vertical plane that the motion faces.
    """
    roles = find_roles(motion.skeleton)
    positions, forward = motion.positions(), facing(motion)
    lean = trunk_lean(motion, roles["pelvis"])
    angles: dict[str, Array] = {}
    feet = soles(motion.skeleton) if any(role.endswith("ankle") for role in roles) else {}
    for side in ("left", "right"):
        chain = [roles.get(f"{side}_{role}") for role in ("hip", "knee", "ankle")]
        hip, knee, ankle = chain
        if hip is None or knee is None or ankle is None:
            continue
        thigh = _swing(positions[:, knee] - positions[:, hip], forward)
        shank = _swing(positions[:, ankle] - positions[:, knee], forward)
        angles[f"{side}_hip"] = wrap_angle(thigh + lean)
        angles[f"{side}_knee"] = wrap_angle(thigh - shank)
        if side in feet:
            points = sole_positions(motion, feet[side])
            along = points[:, feet[side].toe].mean(axis=1) - points[:, feet[side].heel].mean(axis=1)
            pitch = np.arctan2(along[:, 2], np.einsum("tk,tk->t", along[:, :2], forward))
            angles[f"{side}_ankle"] = wrap_angle(pitch - shank)
    return angles


def trunk_lean(motion: Motion, joint: int) -> Array:
    """[T] forward lean in radians of a joint's segment against its rest pose."""
    rest = motion.skeleton.forward(np.zeros(3), motion.skeleton.rest)[1][joint]
    up = rotate(multiply(motion.orientations()[:, joint], conjugate(rest)), np.array([0.0, 0.0, 1.0]))
    ahead = np.einsum("tk,tk->t", up[:, :2], facing(motion))
    return np.asarray(np.arctan2(ahead, up[:, 2]))


def _swing(segment: Array, forward: Array) -> Array:
    """Angle [T] of a hanging segment [T, 3] from straight down, positive when its end is forward."""
    return np.asarray(np.arctan2(np.einsum("tk,tk->t", segment[:, :2], forward), -segment[:, 2]))
