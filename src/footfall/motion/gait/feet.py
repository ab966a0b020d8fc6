"""Feet: the points of a skeleton that can stand on the ground, and how they do."""

from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.ground import GroundProfile
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, rotate
from footfall.motion.skeleton.landmarks import rest_forward
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton


@dataclass(frozen=True, eq=False)
class Sole:
    """The points under one foot.

    Attributes:
        side: "left" or "right".
        ankle: index of the ankle joint.
        joints: [P] the joint that each point moves with.
        offsets: [P, 3] the points in those joints' frames.
        heel, toe: indices of the rearmost and of the foremost points among them.
    """

    side: str
    ankle: int
    joints: np.ndarray
    offsets: Array
    heel: np.ndarray
    toe: np.ndarray


def soles(skeleton: Skeleton) -> dict[str, Sole]:
    """Both soles. Contact points where the skeleton has them; else toe joint and toe tip, with a heel estimated below
    and behind the ankle at the height of the toes in the rest pose."""
    return skeleton.once("soles", lambda: _soles(skeleton))


def _soles(skeleton: Skeleton) -> dict[str, Sole]:
    roles = find_roles(skeleton)
    found = {}
    for side in ("left", "right"):
        if f"{side}_ankle" not in roles:
            continue
        ankle = roles[f"{side}_ankle"]
        foot = skeleton.subtree(ankle)
        rows = [(end.joint, np.array(end.offset)) for end in skeleton.ends if end.contact and end.joint in foot]
        if len(rows) < 2:
            rows = _estimated(skeleton, ankle, foot)
        places, turns = skeleton.at_rest()
        ahead = rest_forward(skeleton)
        forward = np.array([float((places[j] + rotate(turns[j], offset)) @ ahead) for j, offset in rows])
        middle = 0.5 * (forward.min() + forward.max())
        found[side] = Sole(
            side,
            ankle,
            np.array([j for j, _ in rows]),
            np.array([offset for _, offset in rows]),
            np.flatnonzero(forward < middle),
            np.flatnonzero(forward >= middle),
        )
    if not found:
        raise FootfallError(
            "feet: no joint is an ankle by its name or by the body's shape "
            f"(joints: {', '.join(skeleton.names[:8])} …); name the joints of the legs in a map file, lines such as "
            "'left_ankle = JOINT' (--map)"
        )
    return found


def _estimated(skeleton: Skeleton, ankle: int, foot: list[int]) -> list[tuple[int, Array]]:
    places, turns = skeleton.at_rest()
    rows = [(j, np.zeros(3)) for j in foot[1:] if np.linalg.norm(skeleton.offsets[j]) > 1e-4]
    rows += [(end.joint, np.array(end.offset)) for end in skeleton.ends if end.joint in foot]
    world = [places[j] + rotate(turns[j], offset) for j, offset in rows]
    if not rows:
        return [(ankle, np.zeros(3)), (ankle, np.array([0.12, 0.0, 0.0]))]
    tip = world[int(np.argmax([np.linalg.norm(w[:2] - places[ankle][:2]) for w in world]))]
    low = min(float(w[2]) for w in world)
    reach = tip[:2] - places[ankle][:2]
    heel = np.array([*(places[ankle][:2] - 0.3 * reach), low])
    return [*rows, (ankle, rotate(conjugate(turns[ankle]), heel - places[ankle]))]


def sole_positions(motion: Motion, sole: Sole) -> Array:
    """[T, P, 3] world positions of a sole's points."""
    positions, orientations = motion.positions(), motion.orientations()
    points = [positions[:, j] + rotate(orientations[:, j], offset) for j, offset in zip(sole.joints, sole.offsets)]
    return np.moveaxis(np.array(points), 0, 1)


def ground_level(motion: Motion) -> float:
    """Height of level ground under a captured motion: what its soles rest on (the 5th percentile of the lowest point).

    A motion that knows its ground is measured against that instead; see ``clearance``.
    """
    return motion.once("ground level", lambda: float(np.percentile(lowest_points(motion), 5.0)))


def lowest_points(motion: Motion) -> Array:
    """[T] height of the lowest point of both soles."""
    feet = soles(motion.skeleton).values()
    return np.asarray(np.min([sole_positions(motion, sole)[..., 2].min(axis=1) for sole in feet], axis=0))


def clearance(motion: Motion, points: Array) -> Array:
    """Heights [...] of points [..., 3] above the motion's ground: its own, or level ground where its soles rest."""
    ground = motion.ground or GroundProfile.flat(ground_level(motion))
    return points[..., 2] - ground.height(points[..., 0], points[..., 1])
