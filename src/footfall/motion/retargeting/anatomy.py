"""Anatomical frames: how each part of a body is turned from standing upright, the same for source and target.

The frame of a part is the identity when the body stands facing x with its arms hanging. Sources get theirs frame by
frame, from a motion whose zero stands (``standing.py``). A target gets them once, in its rest pose, from the places of
its joints and the axes of its hinges; its rest pose need not stand either.
"""

from typing import Any

import numpy as np

from footfall.motion.editing.transitions import transition
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    cross,
    dot,
    from_axis_angle,
    log,
    multiply,
    norm,
    rotate,
    unit,
    wrap_angle,
)
from footfall.motion.retargeting.standing import WELL_BENT, arm_prior, bend_axis, framed
from footfall.motion.skeleton.landmarks import landmark_positions, landmarks
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton

_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_Y = np.array([0.0, 1.0, 0.0])
_NEARLY_UPRIGHT = np.deg2rad(20.0)
_HINGE = 3
_MOST_CARRIED = np.deg2rad(30.0)
_STEEP, _MOST_HEADED = np.deg2rad([58.0, 66.0]), np.deg2rad(30.0)
"""Slopes at which a foot begins to have no heading, and has none; the most that a foot is turned to its heading. Slopes
set after looking at straight walks (60° to 75° before): legs of feet that point to the ground turned out by 15°."""
LIMB_CHAINS = (("hip", "knee", "ankle", 1.0), ("shoulder", "elbow", "wrist", -1.0))
"""Near, middle and far landmark of a limb, and the sign of (near to middle) × (middle to far) along y when it bends."""


def source_frames(motion: Motion, top: str) -> dict[str, Array]:
    """Frames [T, 4] by role of a motion whose zero stands; ``top`` is the landmark that the trunk runs up to.

    Limbs lie exactly along their joints' places; their roll is that of the plane they bend in.
    """
    roles, places, turns = find_roles(motion.skeleton), landmark_positions(motion), motion.orientations()
    frames = {role: turns[:, j] for role, j in roles.items() if role in ("pelvis", "head")}
    for side in ("left", "right"):
        known = f"{side}_toe" in places
        foot = turns[:, roles[f"{side}_ankle"]]
        along = places[f"{side}_toe"] - places[f"{side}_heel"] if known else None
        frames[f"{side}_ankle"] = _level(frames["pelvis"]) if along is None else _headed(foot, along)
    home = turns[:, roles.get("chest", roles["pelvis"])]
    frames["chest"] = framed(places[top] - places["hips"], rotate(home, _Y), "z")
    for near, middle, far, sign in LIMB_CHAINS:
        for side in ("left", "right"):
            names = [f"{side}_{role}" for role in (near, middle, far)]
            if not all(name in places for name in names):
                continue
            first, second = unit(places[names[1]] - places[names[0]]), unit(places[names[2]] - places[names[1]])
            axis = bend_axis(first, second, sign, rotate(turns[:, roles[names[0]]], _Y))
            frames[names[0]] = framed(-first, axis, "z")
            frames[names[1]] = framed(-second, axis, "z")
    return frames


def _headed(frame: Array, along: Array) -> Array:
    """Frames [T, 4] of feet turned about the vertical until they head where the line from ankle to toes [T, 3] does.

    That line slopes down in most sources. A foot that rolls turns it aside, while its x axis, level when the foot
    stands, stays. What one sees of a foot's heading is the line; where it is steep it has none, and the frame stays.
    """
    ahead = rotate(frame, np.array([1.0, 0.0, 0.0]))
    turn = np.arctan2(along[:, 1], along[:, 0]) - np.arctan2(ahead[:, 1], ahead[:, 0])
    turn = np.clip(wrap_angle(turn), -_MOST_HEADED, _MOST_HEADED)
    steep = np.max([np.abs(v[:, 2]) / np.maximum(norm(v), 1e-12) for v in (along, ahead)], axis=0)
    turn = turn * (1.0 - transition(steep, *np.sin(_STEEP)))
    return multiply(from_axis_angle(np.array([0.0, 0.0, 1.0]), turn), frame)


def _level(frame: Array) -> Array:
    """Frames [T, 4] that face as the given ones, but stand level: feet of which nothing is known."""
    up = np.array([0.0, 0.0, 1.0])
    return framed(np.broadcast_to(up, (len(frame), 3)), rotate(frame, _Y), "z")


def rest_frames(skeleton: Skeleton, model: Any, top: str) -> dict[str, Array]:
    """Frames (4,) by role of a target in its rest pose.

    Args:
        skeleton: the target.
        model: its MuJoCo model, or None: where it has one, knees and elbows bend about their hinges.
        top: the landmark that the trunk runs up to.
    """
    roles, (at, turns) = find_roles(skeleton), skeleton.at_rest()
    places = {name: mark.place(at, turns)[None] for name, mark in landmarks(skeleton).items()}
    across = places["left_hip"] - places["right_hip"]
    across = across if np.linalg.norm(across) > 1e-6 else _Y[None]
    trunk = places[top] - places["hips"] if top in places else np.array([[0.0, 0.0, 1.0]])
    pelvis = _upright(framed(trunk, across, "y"))
    frames = {"pelvis": pelvis}
    shoulders = across
    if "shoulders" in places:
        shoulders = places["left_shoulder"] - places["right_shoulder"]
    frames["chest"] = framed(trunk, shoulders, "z")
    if "head" in roles:
        up = places["head_top"] - places["head"] if "head_top" in places else trunk
        frames["head"] = framed(up, rotate(frames["chest"], _Y), "z")
    for near, middle, far, sign in LIMB_CHAINS:
        for side in ("left", "right"):
            names = [f"{side}_{role}" for role in (near, middle, far)]
            if not all(name in places for name in names):
                continue
            first, second = unit(places[names[1]] - places[names[0]]), unit(places[names[2]] - places[names[1]])
            prior = rotate(pelvis, _Y) if sign > 0 else arm_prior(frames["chest"], first)
            axis = _hinge_axis(skeleton, model, roles[names[1]], second)
            axis = bend_axis(first, second, sign, prior) if axis is None else axis * np.sign(axis @ prior[0])
            frames[names[0]] = framed(-first, axis, "z")
            frames[names[1]] = framed(-second, axis, "z")
    for side in ("left", "right"):
        ahead = places.get(f"{side}_toe", places[f"{side}_ankle"]) - places.get(f"{side}_heel", places[f"{side}_ankle"])
        up = rotate(pelvis, np.array([[0.0, 0.0, 1.0]]))
        frames[f"{side}_ankle"] = (
            pelvis if np.linalg.norm(ahead) < 1e-6 else _upright(framed(up, cross(up, ahead), "z"))
        )
    return {role: frame[0] for role, frame in frames.items()}


def _upright(frame: Array) -> Array:
    """A frame [1, 4], or the identity where it is nearly that: figures stand as their makers drew them."""
    return _IDENTITY[None] if np.linalg.norm(log(frame)) < _NEARLY_UPRIGHT else frame


def arm_roll(skeleton: Skeleton, model: Any, side: str, frame: Array, first: Array, second: Array) -> Array:
    """[T] how far an upper arm must roll, beyond its frame, for the forearm to point where it should.

    Arms carry: the line from elbow to wrist is not square to the elbow's hinge. With u along the upper arm and p(φ)
    along the forearm bent by φ, at rest, φ follows from u · p(φ) = ``first`` · ``second``, and the plane of u and p(φ)
    is not that of u and the hinge's normal. The angle between them is made up for where the arm is well bent.

    Args:
        skeleton: the target.
        model: its MuJoCo model.
        side: "left" or "right".
        frame: (4,) of the upper arm at rest.
        first, second: [T, 3] unit vectors along the source's upper arm and forearm.
    """
    (at, turns), marks = skeleton.at_rest(), landmarks(skeleton)
    shoulder, elbow, wrist = (marks[f"{side}_{role}"].place(at, turns) for role in ("shoulder", "elbow", "wrist"))
    u, p = unit(elbow - shoulder), unit(wrist - elbow)
    lateral = rotate(frame, _Y)
    axis = _hinge_axis(skeleton, model, find_roles(skeleton)[f"{side}_elbow"], p[None])
    cosine = np.clip(dot(first, second), -1.0, 1.0)
    if axis is None:
        return np.zeros(len(first))
    axis = axis * np.sign(axis @ lateral)
    fixed = float(u @ axis) * float(p @ axis)
    a, b = float(u @ p) - fixed, -float(u @ cross(axis, p))
    bend = np.arctan2(b, a) + np.arccos(np.clip((cosine - fixed) / max(np.hypot(a, b), 1e-9), -1.0, 1.0))
    normal = -cross(u, rotate(from_axis_angle(axis, -bend), p))
    roll = np.arctan2(dot(cross(lateral, normal), -u), dot(lateral, normal))
    sure = np.where(cosine < 0.0, 1.0, transition(np.sqrt(1.0 - cosine**2), *WELL_BENT))
    return np.asarray(-sure * np.clip(roll, -_MOST_CARRIED, _MOST_CARRIED))


def knee_axis(skeleton: Skeleton, model: Any, side: str, frame: Array) -> Array:
    """(3,) the axis about which a target's knee flexes, at rest: its hinge's, else y of its anatomical frame (4,)."""
    roles, (at, _) = find_roles(skeleton), skeleton.at_rest()
    knee, ankle = roles[f"{side}_knee"], roles[f"{side}_ankle"]
    axis, lateral = _hinge_axis(skeleton, model, knee, unit(at[ankle] - at[knee])[None]), rotate(frame, _Y)
    return lateral if axis is None else axis * np.sign(axis @ lateral)


def _hinge_axis(skeleton: Skeleton, model: Any, joint: int, along: Array) -> Array | None:
    """The axis (3,) at rest of the hinge of a joint that bends it most, or None."""
    if model is None:
        return None
    first, count = int(model.body_jntadr[joint + 1]), int(model.body_jntnum[joint + 1])
    turn = skeleton.at_rest()[1][joint]
    axes = [rotate(turn, model.jnt_axis[j]) for j in range(first, first + count) if model.jnt_type[j] == _HINGE]
    best = min(axes, key=lambda axis: abs(float(axis @ along[0])), default=None)
    return best if best is not None and abs(float(best @ along[0])) < 0.7 else None


def in_body(skeleton: Skeleton, joint: int, frame: Array) -> Array:
    """A frame (4,) of the rest pose, seen from a joint's own frame."""
    return multiply(conjugate(skeleton.at_rest()[1][joint]), frame)
