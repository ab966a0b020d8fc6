"""A zero pose that can be trusted: the same motion, with standing upright as its zero.

What a file calls zero may be a T, a crouch, a body on its back or no pose at all: a joint's own frame is free up to a
constant turn. If every joint frame R_j(t) becomes R_j(t) Q_j, and offsets and local rotations follow, all places stay
what they were. So Q_j is chosen here from the posed places over the whole clip, such that each frame R_j(t) Q_j has

    pelvis    y from the right to the left hip, z on average along the trunk while it is upright
    chest     y on average from the right to the left shoulder, z along the trunk
    head      z from the head's joint to its top, x on average where the chest faces
    limbs     z up along the limb, y about the axis in which knee or elbow bends over the clip
    feet      x towards the toes, z upward on average while the foot is lowest
    others    on average as the joint they hang on

and a body at rest stands upright, facing x, arms hanging, soles level. Nothing of the file's zero pose enters: the same
motion written with another one comes out the same.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing.transitions import transition
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    between,
    conjugate,
    cross,
    dot,
    from_matrix,
    multiply,
    norm,
    normalised,
    rotate,
    to_matrix,
    unit,
)
from footfall.motion.skeleton.landmarks import Landmark, landmark_positions, landmarks
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import EndSite, Skeleton

_FRAMES = 600
"""Frames that constant turns are estimated from, at most."""
_STRAIGHT = 0.01
"""Squared sine of a bend below which a limb's own roll counts for more than the plane it bends in (6 degrees). Set
after looking at captured walks, whose knees are nearly straight for a third of the time."""
WELL_BENT = np.sin(np.deg2rad(25.0)), np.sin(np.deg2rad(45.0))
"""Sines of the bends from which on a limb's plane is not in doubt, and is certain. Set after looking: with less, noise
of nearly straight arms turned them about."""
_UP = np.array([0.0, 0.0, 1.0])


def standing(motion: Motion) -> Motion:
    """The motion with a zero pose that stands upright, facing x; every joint and end site stays where it was."""
    skeleton = motion.skeleton
    if not {"hips", "left_knee", "right_knee", "left_ankle", "right_ankle"} <= set(landmarks(skeleton)):
        raise FootfallError("zero pose: the joints of both legs must be known")
    few = _sampled(motion)
    turns = _Calibration(few).turns
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(skeleton), 1))
    above = np.array([[1.0, 0.0, 0.0, 0.0] if p < 0 else turns[p] for p in skeleton.parents])
    offsets = rotate(conjugate(above), skeleton.offsets)
    ends = []
    for end in skeleton.ends:
        x, y, z = (float(v) for v in rotate(conjugate(turns[end.joint]), np.array(end.offset)))
        ends.append(EndSite(end.name, end.joint, (x, y, z), end.contact))
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


def _turned_mark(turns: Array, joint: int, place: tuple[float, float, float]) -> tuple[int, tuple[float, float, float]]:
    x, y, z = (float(v) for v in rotate(conjugate(turns[joint]), np.array(place)))
    return joint, (x, y, z)


def _sampled(motion: Motion) -> Motion:
    if len(motion) <= _FRAMES:
        return motion
    pick = np.unique(np.linspace(0, len(motion) - 1, _FRAMES).astype(int))
    return replace(
        motion,
        times=motion.times[pick],
        root_position=motion.root_position[pick],
        rotations=motion.rotations[pick],
        channels={},
    )


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
