"""A zero pose that can be trusted: the same motion, with standing upright as its zero.

What a file calls zero may be a T, a crouch, a body on its back or no pose at all: a joint's own frame is free up to a
constant turn. If every joint frame R_j(t) becomes R_j(t) Q_j, and offsets and local rotations follow, all positions
stay what they were. So Q_j is chosen here from the posed positions over the whole clip, such that R_j(t) Q_j has

    pelvis    y from the right to the left hip, z on average along the trunk while it is upright
    chest     y on average from the right to the left shoulder, z along the trunk
    head      z from the head's joint to its top, x on average where the chest faces
    limbs     z up along the limb, y about the axis in which knee or elbow bends over the clip
    feet      x towards the toes, z upward on average while the foot is lowest
    others    on average as the joint they hang on

and a body at rest stands upright, facing x, arms hanging, soles level. Nothing of the file's zero pose enters: the same
motion written with another one comes out the same.

Anatomical frames: how each part of a body is turned from standing upright, the same for source and target.

The frame of a part is the identity when the body stands facing x with its arms hanging. Sources get theirs frame by
frame, from a motion whose zero stands (``standing.py``). A target gets them once, in its rest pose, from the positions
of its joints and the axes of its hinges; its rest pose need not stand either.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing import picked, without_rest_frame
from footfall.motion.gait.angles import stands_at_rest
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    between,
    conjugate,
    cross,
    dot,
    from_axis_angle,
    from_matrix,
    log,
    multiply,
    norm,
    normalised,
    rotate,
    to_matrix,
    unit,
    wrapped_angle,
)
from footfall.motion.skeleton.figure_skeleton import body_joints
from footfall.motion.skeleton.landmarks import Landmark, landmark_positions, landmarks
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton, triple
from footfall.motion.smoothing import transition

_FRAMES = 600
"""Frames that constant turns are estimated from, at most."""
_STRAIGHT = 0.01
"""Squared sine of a bend below which a limb's own roll counts for more than the plane it bends in (6 degrees)."""
WELL_BENT = np.sin(np.deg2rad(25.0)), np.sin(np.deg2rad(45.0))
"""Sines of the bends from which on a limb's plane is not in doubt, and is certain."""
_UP = np.array([0.0, 0.0, 1.0])


def standing(motion: Motion) -> Motion:
    """The motion with a zero pose that stands upright, facing x; every joint and end site stays where it was."""
    skeleton = motion.skeleton
    if not {"hips", "left_knee", "right_knee", "left_ankle", "right_ankle"} <= set(landmarks(skeleton)):
        raise FootfallError("zero pose: the joints of both legs must be known")
    pick = np.unique(np.linspace(0, len(motion) - 1, min(len(motion), _FRAMES)).astype(int))
    turns = _Calibration(picked(motion, pick)).turns
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton), 1))
    above = np.array([[1.0, 0.0, 0.0, 0.0] if p < 0 else turns[p] for p in skeleton.parents])
    offsets = rotate(conjugate(above), skeleton.offsets)
    ends = [
        replace(end, offset=triple(rotate(conjugate(turns[end.joint]), np.array(end.offset)))) for end in skeleton.ends
    ]
    upright = Skeleton(
        skeleton.names,
        skeleton.parents,
        offsets,
        rest,
        ends=tuple(ends),
        mass=skeleton.mass,
        com=None if skeleton.com is None else rotate(conjugate(turns), skeleton.com),
        roles=find_roles(skeleton),
        marks={name: _turned_mark(turns, *mark) for name, mark in skeleton.marks.items()},
    )
    rotations = normalised(multiply(multiply(conjugate(above), motion.rotations), turns))
    return replace(motion, skeleton=upright, rotations=rotations)


def with_rest(motion: Motion) -> Motion:
    """The motion without a first frame that is a rest pose, and with a rest pose that stands, by which heels, toes and
    zeros are known: its own where that stands or no other is found."""
    motion = without_rest_frame(motion)
    try:
        return motion if stands_at_rest(motion) else standing(motion)
    except FootfallError:
        return motion


def _turned_mark(turns: Array, joint: int, place: tuple[float, float, float]) -> tuple[int, tuple[float, float, float]]:
    x, y, z = (float(v) for v in rotate(conjugate(turns[joint]), np.array(place)))
    return joint, (x, y, z)


class _Calibration:
    """The constant turns [J, 4] of a motion's joint frames."""

    def __init__(self, motion: Motion) -> None:
        self.roles = find_roles(motion.skeleton)
        self.places = landmark_positions(motion)
        self.frames = motion.orientations()
        skeleton, places = motion.skeleton, self.places
        self.turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton), 1))
        self.known: set[int] = set()
        trunk = unit(places[trunk_top(places)] - places["hips"])
        self.upright: Array = np.maximum(trunk @ _UP, 0.0) ** 4 + 1e-3
        pelvis = framed(trunk, places["left_hip"] - places["right_hip"], "y")
        self._set(self.roles["pelvis"], pelvis, self.upright)
        self.pelvis = self._anatomical(self.roles["pelvis"])
        self.chest = self._chest(trunk)
        self._head(trunk)
        for side in ("left", "right"):
            self._limb(side, "hip", "knee", "ankle", self._leg_prior(side), 1.0)
            if f"{side}_elbow" in places and f"{side}_wrist" in places:
                arm = places[f"{side}_elbow"] - places[f"{side}_shoulder"]
                self._limb(side, "shoulder", "elbow", "wrist", arm_prior(self.chest, arm), -1.0)
            self._foot(side)
        for j, parent in enumerate(skeleton.parents):
            if j not in self.known:
                if parent < 0:
                    goal = self.pelvis
                elif self._is_spine(skeleton, j):
                    goal = self.chest
                else:
                    goal = self._anatomical(parent)
                self._set(j, goal, self._weights(skeleton, j))

    def _anatomical(self, joint: int) -> Array:
        return multiply(self.frames[:, joint], self.turns[joint])

    def _set(self, joint: int, goal: Array, weight: Array) -> None:
        """The constant turn that brings a joint's frame nearest to goals [T, 4], weighted [T]."""
        self.known.add(joint)
        relative = to_matrix(multiply(conjugate(self.frames[:, joint]), goal))
        u, _, v = np.linalg.svd(np.einsum("t,tij->ij", weight / weight.sum(), relative))
        u[:, 2] *= np.sign(np.linalg.det(u @ v))
        self.turns[joint] = from_matrix(u @ v)

    def _chest(self, trunk: Array) -> Array:
        if "chest" not in self.roles:
            return self.pelvis
        across = rotate(self.pelvis, np.array([0.0, 1.0, 0.0]))
        if "shoulders" in self.places:
            across = self.places["left_shoulder"] - self.places["right_shoulder"]
        self._set(self.roles["chest"], framed(trunk, across, "z"), self.upright)
        return self._anatomical(self.roles["chest"])

    def _head(self, trunk: Array) -> None:
        if "head" not in self.roles:
            return
        up = trunk
        if "head_top" in self.places:
            own = unit(self.places["head_top"] - self.places["head"])
            up = own if float(np.average(dot(own, trunk), weights=self.upright)) > 0.6 else trunk
        goal = framed(up, rotate(self.chest, np.array([0.0, 1.0, 0.0])), "z")
        self._set(self.roles["head"], goal, self.upright)

    def _leg_prior(self, side: str) -> Array:
        """[T, 3] the lateral axis of a straight leg: square to its foot, and near the pelvis's."""
        across = rotate(self.pelvis, np.array([0.0, 1.0, 0.0]))
        if f"{side}_toe" not in self.places:
            return across
        ahead = unit(self.places[f"{side}_toe"] - self.places[f"{side}_heel"])
        return across + cross(unit(self.places[f"{side}_knee"] - self.places[f"{side}_ankle"]), ahead)

    def _limb(self, side: str, near: str, middle: str, far: str, prior: Array, sign: float) -> None:
        """Both joints of a limb: z along it, y the mean axis that it bends about, with a little of ``prior`` [T, 3]."""
        a, b, c = (self.places[f"{side}_{role}"] for role in (near, middle, far))
        first, second = unit(b - a), unit(c - b)
        normal = sign * cross(first, second)
        bend = normal * norm(normal)[..., None] + _STRAIGHT * prior
        for role, along in ((near, first), (middle, second)):
            joint = self.roles[f"{side}_{role}"]
            own = rotate(conjugate(self.frames[:, joint]), bend).mean(axis=0)
            axis = rotate(self.frames[:, joint], own)
            axis = np.where(np.linalg.norm(own) > 1e-6, axis, prior)
            self._set(joint, framed(-along, axis, "z"), np.ones(len(along)))

    def _foot(self, side: str) -> None:
        joint = self.roles[f"{side}_ankle"]
        shank = multiply(self.frames[:, self.roles[f"{side}_knee"]], self.turns[self.roles[f"{side}_knee"]])
        if f"{side}_toe" not in self.places:
            self._set(joint, shank, np.ones(len(shank)))
            return
        along = self.places[f"{side}_toe"] - self.places[f"{side}_heel"]
        low = lowest_frames(self.places, side) > 0
        up = rotate(conjugate(self.frames[:, joint]), np.broadcast_to(_UP, along.shape))[low].mean(axis=0)
        ahead = rotate(conjugate(self.frames[:, joint]), unit(along)).mean(axis=0)
        slope = float(unit(up) @ unit(ahead)) if np.linalg.norm(up) > 0.3 else 1.0
        if not -0.95 < slope < 0.35:
            across = rotate(conjugate(self.frames[:, joint]), rotate(shank, np.array([0.0, 1.0, 0.0]))).mean(axis=0)
            up = cross(unit(ahead), across) - 0.45 * unit(ahead)
        self.known.add(joint)
        self.turns[joint] = framed(up[None], cross(up, ahead)[None], "z")[0]

    def _is_spine(self, skeleton: Skeleton, joint: int) -> bool:
        chest = self.roles.get("chest")
        return chest is not None and joint in skeleton.chain(chest)

    def _weights(self, skeleton: Skeleton, joint: int) -> Array:
        for side in ("left", "right"):
            if self.roles[f"{side}_ankle"] in skeleton.chain(joint):
                return lowest_frames(self.places, side) + 1e-6
        return self.upright


def trunk_top(places: Mapping[str, Array] | Mapping[str, Landmark]) -> str:
    """The landmark that a trunk runs up to: between the shoulders, else neck or head."""
    top = next((name for name in ("shoulders", "neck", "head", "chest") if name in places), None)
    if top is None:
        raise FootfallError(
            "retarget: the motion has neither shoulders nor a neck nor a head, so its trunk is not known"
        )
    return top


def bend_axis(first: Array, second: Array, sign: float, prior: Array) -> Array:
    """[T, 3] the lateral axis of a limb with unit directions ``first`` and ``second`` [T, 3].

    Bent, it is the normal of the plane of both; straight, ``prior``. With n = ±first × second and a small s it is
    (n · prior) n + s prior, which does not flip where a limb bends a little the other way, and |n| n where it is well
    bent and there is no doubt.
    """
    normal = sign * cross(first, second)
    along = dot(normal, prior)[..., None]
    size = norm(normal)[..., None]
    sure = np.where(dot(first, second)[..., None] < 0, 1.0, transition(size, *WELL_BENT))
    return np.asarray(normal * ((1.0 - sure) * along + sure * size) + _STRAIGHT * prior)


def arm_prior(chest: Array, along: Array) -> Array:
    """[T, 3] the lateral axis of an arm along [T, 3] that swung there from hanging beside the chest [T, 4]."""
    local = rotate(conjugate(chest), unit(along))
    swing = between(np.broadcast_to(-_UP, local.shape), local)
    return rotate(multiply(chest, swing), np.array([0.0, 1.0, 0.0]))


def lowest_frames(places: Mapping[str, Array], side: str) -> Array:
    """[T] one in the frames in which ankle and toe together are lowest (a sixth of them), else zero: the foot is
    flat."""
    height = places[f"{side}_ankle"][:, 2] + places.get(f"{side}_toe", places[f"{side}_ankle"])[:, 2]
    return (height <= np.percentile(height, 100.0 / 6.0)).astype(float) if len(height) > 6 else np.ones(len(height))


def framed(z: Array, y: Array, first: str) -> Array:
    """Frames [T, 4] with axes near z and y [T, 3]: the ``first`` of them ("y" or "z") is kept, the other squared to
    it."""
    z, y = unit(z), unit(y)
    x = unit(cross(y, z))
    if first == "z":
        y = cross(z, x)
    else:
        z = cross(x, y)
    return from_matrix(np.stack([x, y, z], axis=-1))


_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_Y = np.array([0.0, 1.0, 0.0])
_NEARLY_UPRIGHT = np.deg2rad(20.0)
_HINGE = 3
_MOST_CARRIED = np.deg2rad(30.0)
_STEEP, _MOST_HEADED = np.deg2rad([58.0, 66.0]), np.deg2rad(30.0)
"""Slopes at which a foot begins to have no heading, and has none; the most that a foot is turned to its heading."""
_ON_ITS_SIDE = np.deg2rad([60.0, 40.0])
"""Angles between sole and ground up to which a foot has no heading, and from which on it has."""
LIMB_CHAINS = (("hip", "knee", "ankle", 1.0), ("shoulder", "elbow", "wrist", -1.0))
"""Near, middle and far landmark of a limb, and the sign of (near to middle) × (middle to far) along y when it bends."""


def source_frames(motion: Motion, top: str) -> dict[str, Array]:
    """Frames [T, 4] by role of a motion whose zero stands; ``top`` is the landmark that the trunk runs up to.

    Limbs lie exactly along their joints' positions; their roll is that of the plane they bend in.
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

    def axis(near: str, middle: str, first: Array, second: Array, sign: float) -> Array:
        return bend_axis(first, second, sign, rotate(turns[:, roles[near]], _Y))

    return frames | _limb_frames(places, axis)


def _limb_frames(
    places: Mapping[str, Array], axis: Callable[[str, str, Array, Array, float], Array]
) -> dict[str, Array]:
    """Frames [T, 4] of both parts of each limb by role: z up along them, y their common ``axis``, a function of the
    near and the middle role, the directions [T, 3] of both parts, and the sign of LIMB_CHAINS."""
    frames = {}
    for near, middle, far, sign in LIMB_CHAINS:
        for side in ("left", "right"):
            names = [f"{side}_{role}" for role in (near, middle, far)]
            if all(name in places for name in names):
                first, second = (unit(places[b] - places[a]) for a, b in pairwise(names))
                lateral = axis(names[0], names[1], first, second, sign)
                frames[names[0]], frames[names[1]] = framed(-first, lateral, "z"), framed(-second, lateral, "z")
    return frames


def _headed(frame: Array, along: Array) -> Array:
    """Frames [T, 4] of feet turned about the vertical until they head where the line from ankle to toes [T, 3] does.

    That line slopes down in most sources. A foot that rolls turns it aside, while its x axis, level when the foot
    stands, stays. What one sees of a foot's heading is the line; where it is steep, or the sole does not face down, it
    has none, and the frame stays.
    """
    ahead = rotate(frame, np.array([1.0, 0.0, 0.0]))
    turn = np.arctan2(along[:, 1], along[:, 0]) - np.arctan2(ahead[:, 1], ahead[:, 0])
    turn = np.clip(wrapped_angle(turn), -_MOST_HEADED, _MOST_HEADED)
    steep = np.max([np.abs(v[:, 2]) / np.maximum(norm(v), 1e-12) for v in (along, ahead)], axis=0)
    down = transition(rotate(frame, _UP)[:, 2], *np.cos(_ON_ITS_SIDE))
    turn = turn * down * (1.0 - transition(steep, *np.sin(_STEEP)))
    return multiply(from_axis_angle(np.array([0.0, 0.0, 1.0]), turn), frame)


def _level(frame: Array) -> Array:
    """Frames [T, 4] that face as the given ones, but stand level: feet of which nothing is known."""
    up = np.array([0.0, 0.0, 1.0])
    return framed(np.broadcast_to(up, (len(frame), 3)), rotate(frame, _Y), "z")


def target_frames(skeleton: Skeleton, model: Any, top: str) -> dict[str, Array]:
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

    def axis(near: str, middle: str, first: Array, second: Array, sign: float) -> Array:
        prior = rotate(pelvis, _Y) if sign > 0 else arm_prior(frames["chest"], first)
        hinge = _hinge_axis(skeleton, model, roles[middle], second)
        return bend_axis(first, second, sign, prior) if hinge is None else hinge * np.sign(hinge @ prior[0])

    frames |= _limb_frames(places, axis)
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
    turn = skeleton.at_rest()[1][joint]
    axes = [rotate(turn, model.jnt_axis[j]) for j in body_joints(model, joint + 1) if model.jnt_type[j] == _HINGE]
    best = min(axes, key=lambda axis: abs(float(axis @ along[0])), default=None)
    return best if best is not None and abs(float(best @ along[0])) < 0.7 else None


def in_body(skeleton: Skeleton, joint: int, frame: Array) -> Array:
    """A frame (4,) of the rest pose, seen from a joint's own frame."""
    return multiply(conjugate(skeleton.at_rest()[1][joint]), frame)
