"""Leg angles as gait laboratories give them, for any skeleton: from the places of the joints, not from their frames."""

import numpy as np

from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.gait.heading import facing
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    continuous,
    from_axis_angle,
    multiply,
    normalised,
    rotate,
    wrap_angle,
)
from footfall.motion.skeleton.landmarks import rest_forward
from footfall.motion.skeleton.roles import find_roles

_HANGS = 0.8
"""The cosine between a leg and the vertical, below which a rest pose is no stand."""


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
    """[T] forward lean in radians of a joint's segment against its upright pose."""
    up = rotate(multiply(motion.orientations()[:, joint], anatomical_offset(motion, joint)), np.array([0.0, 0.0, 1.0]))
    ahead = np.einsum("tk,tk->t", up[:, :2], facing(motion))
    return np.asarray(np.arctan2(ahead, up[:, 2]))


def anatomical_turn(motion: Motion, joint: int) -> Array:
    """[T, 4] the axes of a joint's segment, forward, left and up: those of the world when it stands and faces x."""
    return multiply(motion.orientations()[:, joint], anatomical_offset(motion, joint))


def anatomical_offset(motion: Motion, joint: int) -> Array:
    """[4] from a segment's axes, forward, left and up, to those of its joint's frame.

    In the rest pose a body stands and faces somewhere; where its legs do not hang in the rest pose, that says nothing,
    and a segment's upright pose is its mean one as seen from the body's heading.
    """
    return motion.once(f"anatomical offset {joint}", lambda: _offset(motion, joint))


def _offset(motion: Motion, joint: int) -> Array:
    if _stands_at_rest(motion):
        ahead = rest_forward(motion.skeleton)
        heading = from_axis_angle(np.array([0.0, 0.0, 1.0]), np.arctan2(ahead[1], ahead[0]))
        return multiply(conjugate(motion.skeleton.at_rest()[1][joint]), heading)
    forward = facing(motion)
    back = from_axis_angle(np.array([0.0, 0.0, 1.0]), -np.arctan2(forward[:, 1], forward[:, 0]))
    seen = continuous(multiply(back, motion.orientations()[:, joint]))
    return conjugate(normalised(seen.mean(axis=0)))


def _stands_at_rest(motion: Motion) -> bool:
    roles = find_roles(motion.skeleton)
    places = motion.skeleton.at_rest()[0]
    for side in ("left", "right"):
        if f"{side}_hip" in roles and f"{side}_ankle" in roles:
            leg = places[roles[f"{side}_ankle"]] - places[roles[f"{side}_hip"]]
            if -leg[2] < _HANGS * np.linalg.norm(leg):
                return False
    return True


def _swing(segment: Array, forward: Array) -> Array:
    """Angle [T] of a hanging segment [T, 3] from straight down, positive when its end is forward."""
    return np.asarray(np.arctan2(np.einsum("tk,tk->t", segment[:, :2], forward), -segment[:, 2]))
