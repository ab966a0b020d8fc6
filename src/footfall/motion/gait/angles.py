"""Leg angles as gait laboratories give them, for any skeleton: from the positions of the joints, not from their frames.

Angles of trunk, pelvis, hips and feet in three planes, as gait laboratories give them, for any skeleton.

Directions are those of the body's progression P: along the path of the pelvis over about a stride, up, and to the left.
With the pelvis's own axes forward f, left l and up u (its frame in the rest pose is upright and faces forward):

    tilt        forward lean of u in the plane of P and the vertical; anterior is positive
    obliquity   asin(l_z): the side's own hip up is positive
    rotation    atan2(l · P, l · left of P): the side's own hip ahead is positive
    hip adduction   asin of the thigh's component towards the other leg, in the pelvis's axes
    hip rotation    turn of the thigh about its length against the pelvis; inward is positive
    foot progression    the sole's direction against P, seen from above; toes in is positive
"""

import numpy as np

from footfall.motion.gait.feet import carried_path, facing, net_turn, smoothed, sole_positions, soles
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    continuous,
    from_axis_angle,
    multiply,
    normalised,
    rotate,
    twist_angle,
    wrapped_angle,
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
        angles[f"{side}_hip"] = wrapped_angle(thigh + lean)
        angles[f"{side}_knee"] = wrapped_angle(thigh - shank)
        if side in feet:
            points = sole_positions(motion, feet[side])
            along = points[:, feet[side].toe].mean(axis=1) - points[:, feet[side].heel].mean(axis=1)
            pitch = np.arctan2(along[:, 2], np.einsum("tk,tk->t", along[:, :2], forward))
            angles[f"{side}_ankle"] = wrapped_angle(pitch - shank)
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
    if stands_at_rest(motion):
        ahead = rest_forward(motion.skeleton)
        heading = from_axis_angle(np.array([0.0, 0.0, 1.0]), np.arctan2(ahead[1], ahead[0]))
        return multiply(conjugate(motion.skeleton.at_rest()[1][joint]), heading)
    forward = facing(motion)
    back = from_axis_angle(np.array([0.0, 0.0, 1.0]), -np.arctan2(forward[:, 1], forward[:, 0]))
    seen = continuous(multiply(back, motion.orientations()[:, joint]))
    return conjugate(normalised(seen.mean(axis=0)))


def stands_at_rest(motion: Motion) -> bool:
    """Whether a body's legs hang in its rest pose."""
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


_SLOWEST = 0.2
"""m/s below which a body has no direction of progression but that it faces."""
_STRAIGHT = 0.35
"""Radians that the body turns in all, below which it has one direction of progression."""
_SIDES = (("left", 1.0), ("right", -1.0))


def progression(motion: Motion, seconds: float = 2.0) -> Array:
    """[T, 2] unit vectors of the way that the pelvis goes: of the whole way where it is straight, else of about
    ``seconds`` around; on a treadmill, over the belt. Where it hardly moves, the smoothed direction that it faces."""
    pelvis = find_roles(motion.skeleton)["pelvis"]
    path = motion.positions()[:, pelvis, :2] - carried_path(motion)
    whole = path[-1] - path[0]
    if abs(net_turn(motion)) < _STRAIGHT and np.hypot(*whole) > max(_SLOWEST * motion.seconds, 0.3):
        return np.tile(whole / np.hypot(*whole), (len(motion), 1))
    half = 0.5 * min(seconds, motion.seconds)
    times = motion.times
    ends = [np.clip(times + shift, times[0], times[-1]) for shift in (-half, half)]
    first, last = (np.stack([np.interp(t, times, path[:, k]) for k in (0, 1)], axis=-1) for t in ends)
    moved = last - first
    span = np.maximum(ends[1] - ends[0], 1e-9)
    length = np.linalg.norm(moved, axis=-1)
    faced = smoothed(facing(motion), motion.frame_time, min(seconds, motion.seconds))
    faced = faced / np.maximum(np.linalg.norm(faced, axis=-1, keepdims=True), 1e-9)
    moves = (length / span > _SLOWEST)[:, None]
    return np.asarray(np.where(moves, moved / np.maximum(length, 1e-9)[:, None], faced))


def body_angles(motion: Motion, ahead: Array | None = None) -> dict[str, Array]:
    """Angles [T] in radians by name, those of a side as ``left_knee_flexion``: pelvis tilt, obliquity and rotation,
    trunk tilt, hip flexion, adduction and rotation, knee flexion, ankle dorsiflexion, foot progression, as far as the
    skeleton has the joints. ``ahead`` [T, 2] is the direction of progression; by default the motion's own."""
    roles, positions = find_roles(motion.skeleton), motion.positions()
    ahead = progression(motion) if ahead is None else ahead
    aside = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    pelvis = anatomical_turn(motion, roles["pelvis"])
    left = rotate(pelvis, np.array([0.0, 1.0, 0.0]))
    tilt = trunk_lean(motion, roles["pelvis"])
    found: dict[str, Array] = {}
    trunk = roles.get("chest", roles.get("neck"))
    legs = leg_angles(motion)
    for side, sign in _SIDES:
        found[f"{side}_pelvis_tilt"] = tilt
        found[f"{side}_pelvis_obliquity"] = sign * np.arcsin(np.clip(left[:, 2], -1.0, 1.0))
        along, across = (np.einsum("tk,tk->t", left[:, :2], way) for way in (ahead, aside))
        found[f"{side}_pelvis_rotation"] = sign * np.arctan2(along, across)
        if trunk is not None:
            found[f"{side}_trunk_tilt"] = trunk_lean(motion, trunk)
        for joint, name in (("hip", "hip_flexion"), ("knee", "knee_flexion"), ("ankle", "ankle_dorsiflexion")):
            if f"{side}_{joint}" in legs:
                found[f"{side}_{name}"] = legs[f"{side}_{joint}"]
        if f"{side}_hip" in roles and f"{side}_knee" in roles:
            hip, knee = roles[f"{side}_hip"], roles[f"{side}_knee"]
            thigh = rotate(conjugate(pelvis), positions[:, knee] - positions[:, hip])
            thigh = thigh / np.maximum(np.linalg.norm(thigh, axis=-1, keepdims=True), 1e-9)
            found[f"{side}_hip_adduction"] = -sign * np.arcsin(np.clip(thigh[:, 1], -1.0, 1.0))
            against = multiply(conjugate(pelvis), anatomical_turn(motion, hip))
            found[f"{side}_hip_rotation"] = -sign * wrapped_angle(twist_angle(against, np.array([0.0, 0.0, 1.0])))
    for side, sole in soles(motion.skeleton).items():
        points = sole_positions(motion, sole)
        foot = points[:, sole.toe].mean(axis=1) - points[:, sole.heel].mean(axis=1)
        along, across = (np.einsum("tk,tk->t", foot[:, :2], way) for way in (ahead, aside))
        found[f"{side}_foot_progression"] = (-1.0 if side == "left" else 1.0) * np.arctan2(across, along)
    return found
