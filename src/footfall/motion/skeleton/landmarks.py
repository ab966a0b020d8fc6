"""Landmarks: the points of a body between which its limbs run, on any skeleton.

A limb's direction is found from positions alone, never by joint frames, so that it is the same whatever pose a file
calls zero. Hips, knees, ankles, shoulders, elbows and heads are joints. Where no joint stands at the end of a limb (a
forearm without a hand, a foot without toes) the end of its segment does: an end site, the far end of its shape, or the
line through its centre of mass.

The centre of mass of a motion: from the figure's own masses, or from a standard body.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import bone_length, find_roles, is_link, leg_length, same_part
from footfall.motion.skeleton.tree import Skeleton

LIMBS: Mapping[str, tuple[str, str]] = {
    f"{side}_{limb}": (f"{side}_{near}", f"{side}_{far}")
    for limb, near, far in (
        ("thigh", "hip", "knee"),
        ("shank", "knee", "ankle"),
        ("foot", "heel", "toe"),
        ("upper_arm", "shoulder", "elbow"),
        ("forearm", "elbow", "wrist"),
    )
    for side in ("left", "right")
} | {"trunk": ("hips", "shoulders"), "head": ("head", "head_top")}
"""Limb -> the landmarks at its near and its far end."""

_LEAST = 0.02
"""Shares of a leg below which a segment has no direction."""


_ALL_AROUND = 0.5
"""A segment that reaches this share of its length the other way too lies around its joint, and has no direction."""


@dataclass(frozen=True, eq=False)
class Landmark:
    """The mean of points that are fixed to joints.

    Attributes:
        joints: [P] the joint that each point moves with.
        offsets: [P, 3] the points in those joints' frames.
    """

    joints: np.ndarray
    offsets: Array

    @classmethod
    def at(cls, *points: tuple[int, Array]) -> "Landmark":
        """The mean of (joint, offset) points."""
        return cls(np.array([j for j, _ in points]), np.array([offset for _, offset in points], dtype=float))

    def place(self, positions: Array, orientations: Array) -> Array:
        """[..., 3] for joints at positions [..., J, 3] with orientations [..., J, 4]."""
        points = [positions[..., j, :] for j in self.joints]
        if self.offsets.any():
            rows = zip(self.joints, points, self.offsets)
            points = [place + rotate(orientations[..., j, :], offset) for j, place, offset in rows]
        return points[0] if len(points) == 1 else np.asarray(sum(points[1:], points[0]) / len(points))


def landmarks(skeleton: Skeleton) -> dict[str, Landmark]:
    """The landmarks of a skeleton, as far as its roles are known."""
    return skeleton.once("landmarks", lambda: _landmarks(skeleton))


def landmark_positions(motion: Motion) -> dict[str, Array]:
    """[T, 3] world positions of the motion's landmarks."""
    world, marks = (motion.positions(), motion.orientations()), landmarks(motion.skeleton)
    return dict(motion.once("landmarks", lambda: {name: mark.place(*world) for name, mark in marks.items()}))


def limb_vectors(places: Mapping[str, Array]) -> dict[str, Array]:
    """[T, 3] from the near to the far end of every limb of ``LIMBS`` whose landmarks have positions [T, 3]."""
    return {limb: places[b] - places[a] for limb, (a, b) in LIMBS.items() if a in places and b in places}


def rest_forward(skeleton: Skeleton) -> Array:
    """(3,) the level direction that a body faces in its rest pose: square to the line between its hips."""
    roles, places = find_roles(skeleton), skeleton.rest_positions()
    if "left_hip" in roles and "right_hip" in roles:
        across = places[roles["left_hip"]] - places[roles["right_hip"]]
        forward = np.array([across[1], -across[0], 0.0])
        if np.linalg.norm(forward) > 1e-6:
            return np.asarray(forward / np.linalg.norm(forward))
    return np.array([1.0, 0.0, 0.0])


def first_link(skeleton: Skeleton, joint: int) -> int:
    """The first of the bodies in series that make up a robot's hip or shoulder; any other joint itself."""
    names = skeleton.telling_names
    while is_link(names[joint]) and skeleton.parents[joint] >= 0:
        above = skeleton.parents[joint]
        if not (is_link(names[above]) and same_part(names[above], names[joint])):
            break
        joint = above
    return joint


def _landmarks(skeleton: Skeleton) -> dict[str, Landmark]:
    roles = find_roles(skeleton)
    none = np.zeros(3)
    marks = {role: Landmark.at((joint, none)) for role, joint in roles.items()}
    size = leg_length(skeleton)
    for side in ("left", "right"):
        elbow, wrist, ankle = (roles.get(f"{side}_{role}") for role in ("elbow", "wrist", "ankle"))
        if elbow is not None and (wrist is None or bone_length(skeleton, elbow, wrist) < _LEAST * size):
            marks.pop(f"{side}_wrist", None)
            tip = _tip(skeleton, elbow, _LEAST * size)
            if tip is not None:
                marks[f"{side}_wrist"] = tip
        if ankle is not None:
            marks.pop(f"{side}_toe", None)
            marks |= {f"{side}_{name}": mark for name, mark in _foot(skeleton, ankle, roles.get(f"{side}_toe"), size)}
    for name, role in (("hips", "hip"), ("shoulders", "shoulder")):
        if f"left_{role}" in roles and f"right_{role}" in roles:
            pair = [first_link(skeleton, roles[f"{side}_{role}"]) for side in ("left", "right")]
            marks[name] = Landmark.at(*((joint, none) for joint in pair))
    if "head" in roles:
        top = _tip(skeleton, roles["head"], _LEAST * size, touching=not skeleton.capsules)
        if top is not None:
            marks["head_top"] = top
    if skeleton.mass is not None and not any(name in marks for name in ("shoulders", "neck", "head", "chest")):
        # A figure whose trunk is its root alone (SIMBICON's planar biped): a point above it takes the chest's place.
        marks["chest"] = Landmark.at((0, np.array([0.0, 0.0, 0.5 * size])))
    return marks | {name: Landmark.at((joint, np.array(place))) for name, (joint, place) in skeleton.marks.items()}


def _foot(skeleton: Skeleton, ankle: int, toe: int | None, size: float) -> list[tuple[str, Landmark]]:
    """Heel and toe: the rear and the front of a figure's contact points; else the ankle and the toes."""
    inside = skeleton.subtree(ankle)
    points = [(end.joint, np.array(end.offset)) for end in skeleton.ends if end.contact and end.joint in inside]
    if len(points) >= 2:
        places, turns = skeleton.at_rest()
        forward = rest_forward(skeleton)
        ahead = np.array([float((places[j] + rotate(turns[j], offset)) @ forward) for j, offset in points])
        cut = 0.5 * (ahead.min() + ahead.max())
        if np.ptp(ahead) > _LEAST * size:
            front, rear = ([p for p, x in zip(points, ahead) if (x >= cut) == side] for side in (True, False))
            return [("heel", Landmark.at(*rear)), ("toe", Landmark.at(*front))]
    heel = ("heel", Landmark.at((ankle, np.zeros(3))))
    toes = [j for j in skeleton.children[ankle] if bone_length(skeleton, ankle, j) > 0.05 * size]
    if len(toes) > 2:
        return [heel, ("toe", Landmark.at(*((j, np.zeros(3)) for j in toes)))]
    if toe is not None and bone_length(skeleton, ankle, toe) > 0.05 * size:
        return [heel, ("toe", Landmark.at((toe, np.zeros(3))))]
    ends = [(e.joint, np.array(e.offset)) for e in skeleton.ends if e.joint in inside]
    far = [(j, np.zeros(3)) for j in inside[1:]] + ends
    reach = [_reach(skeleton, ankle, *point) for point in far]
    if not far or max(reach) < 0.05 * size:
        return []
    return [heel, ("toe", Landmark.at(far[int(np.argmax(reach))]))]


def _tip(skeleton: Skeleton, joint: int, least: float, *, touching: bool = True) -> Landmark | None:
    """The far end of a joint's own segment: end site, only child, far end of its shape, or its centre of mass.

    ``touching``: points that feel the ground may be that end. On a head they lie below it."""
    points = [np.array(e.offset) for e in skeleton.ends if e.joint == joint and (touching or not e.contact)]
    if not points and len(skeleton.children[joint]) == 1:
        points = [skeleton.offsets[skeleton.children[joint][0]]]
    if not points:
        points = [np.array(p) for c in skeleton.capsules if c.joint == joint for p in (c.start, c.end)]
    if not points and skeleton.com is not None:
        points = [skeleton.com[joint]]
    far = max(points, key=lambda p: float(np.linalg.norm(p)), default=None)
    if far is None or np.linalg.norm(far) < least:
        return None
    behind = -min(float(p @ far) for p in points) / float(far @ far)
    return None if behind > _ALL_AROUND else Landmark.at((joint, far))


def _reach(skeleton: Skeleton, above: int, joint: int, offset: Array) -> float:
    return bone_length(skeleton, above, joint) + float(np.linalg.norm(offset))


_SEGMENTS = {
    "hip": ("knee", 0.1, 0.433, 0.323),
    "knee": ("ankle", 0.0465, 0.433, 0.302),
    "ankle": ("toe", 0.0145, 0.5, 0.475),
    "shoulder": ("elbow", 0.028, 0.436, 0.322),
    "elbow": ("wrist", 0.022, 0.682, 0.468),
}
"""Limb segment -> its far end, its share of body mass, its centre from the near end and its radius of gyration about
it, in lengths (Winter, Biomechanics, table 4.1; forearm and hand together)."""
_TRUNK, _WITH_ARMS = (0.578, 0.66, 0.503), (0.678, 0.626, 0.496)
"""Share of body mass, centre, from the hips to the shoulders, and radius of gyration of trunk, head and neck together,
and of these with the arms, for bodies whose arms are not known."""


def centre_of_mass(motion: Motion) -> Array:
    """[T, 3] path of the whole body's centre of mass.

    A skeleton with masses (a figure's) uses them. Captured motion takes Winter's shares of the segments that its names
    reveal, the trunk between the middle of the hips and the middle of the shoulders (or the head, or the root).
    """
    centres, shares = mass_points(motion)
    return np.asarray(np.einsum("tjk,j->tk", centres, shares / shares.sum()))


def mass_points(motion: Motion) -> tuple[Array, Array]:
    """Points [T, S, 3] that weigh and turn as a body does, and their masses or shares [S] (Winter's, unscaled): the
    centres of a skeleton with masses; of each segment of a captured one two, its radius of gyration before and behind
    its centre."""
    places, skeleton = motion.positions(), motion.skeleton
    if skeleton.mass is not None and skeleton.com is not None and skeleton.mass.sum() > 0:
        return np.asarray(places + rotate(motion.orientations(), skeleton.com)), skeleton.mass
    roles = find_roles(skeleton)
    points, shares = list[Array](), list[float]()

    def add(start: Array, end: Array, mass: float, centre: float, radius: float) -> None:
        points.extend(start + at * (end - start) for at in (centre - radius, centre + radius))
        shares.extend((0.5 * mass, 0.5 * mass))

    for side in ("left", "right"):
        for near, (far, *known) in _SEGMENTS.items():
            if f"{side}_{near}" in roles:
                at = roles[f"{side}_{near}"]
                add(places[:, at], places[:, roles.get(f"{side}_{far}", at)], *known)
    hips = _middle(places, roles, "hip", roles["pelvis"])
    shoulders = _middle(places, roles, "shoulder", roles.get("head", roles["pelvis"]))
    if not any(role in roles for role in ("left_shoulder", "right_shoulder", "head")):
        shoulders = _top(motion, roles, shoulders)
    arms = any(f"{side}_shoulder" in roles for side in ("left", "right"))
    add(hips, shoulders, *(_TRUNK if arms else _WITH_ARMS))
    return np.stack(points, axis=1), np.array(shares)


def _top(motion: Motion, roles: dict[str, int], otherwise: Array) -> Array:
    """[T, 3] the upper end of a trunk without arms and head, as far as the skeleton has one."""
    skeleton = motion.skeleton
    legs = {j for side in ("left", "right") if f"{side}_hip" in roles for j in skeleton.subtree(roles[f"{side}_hip"])}
    tops = [k for k, end in enumerate(skeleton.ends) if end.joint not in legs and end.joint != roles["pelvis"]]
    return motion.end_positions()[:, tops].mean(axis=1) if tops else otherwise


def _middle(positions: Array, roles: dict[str, int], role: str, otherwise: int) -> Array:
    pair = [roles[f"{side}_{role}"] for side in ("left", "right") if f"{side}_{role}" in roles]
    return np.asarray(positions[:, pair or [otherwise]].mean(axis=1))
