"""A simple body around a skeleton's bones: tapered capsules, for pictures and for exported meshes."""

import itertools

import numpy as np

from footfall.motion.quaternion import Array
from footfall.motion.roles import find_roles, side_of
from footfall.motion.skeleton import Capsule, Skeleton

__all__ = ["body_capsules", "leg_length"]

_RADII = {
    "hip": (0.085, 0.058),
    "knee": (0.055, 0.037),
    "ankle": (0.034, 0.030),
    "toe": (0.028, 0.022),
    "shoulder": (0.048, 0.038),
    "elbow": (0.037, 0.027),
    "wrist": (0.026, 0.018),
    "clavicle": (0.050, 0.050),
    "trunk": (0.115, 0.120),
    "neck": (0.050, 0.046),
    "head": (0.088, 0.082),
    "other": (0.020, 0.015),
}
"""Radii at the start and the end of a part, as shares of a leg of 0.9 m (thigh and shank)."""


def leg_length(skeleton: Skeleton) -> float:
    """Thigh plus shank in metres, or an estimate from the whole skeleton where no leg is found."""
    roles = find_roles(skeleton)
    lengths = []
    for side in ("left", "right"):
        if f"{side}_knee" in roles and f"{side}_ankle" in roles:
            joints = [
                j for j in skeleton.chain(roles[f"{side}_ankle"]) if j not in skeleton.chain(roles[f"{side}_hip"])
            ]
            lengths.append(sum(float(np.linalg.norm(skeleton.offsets[j])) for j in joints))
    if lengths and max(lengths) > 0:
        return float(np.mean(lengths))
    reach = skeleton.rest_positions()
    return max(0.5 * float(np.ptp(reach, axis=0).max(initial=0.0)), 1e-3)


def body_capsules(skeleton: Skeleton) -> list[Capsule]:
    """Capsules for all bones: joint to child, and joint to end site; what a segment is follows from its role.

    A foot becomes a flat fan from the ankle to its contact points, a trunk without bones above it (planar figures)
    reaches from the root to its highest point. A skeleton that brings its own capsules keeps them.
    """
    if skeleton.capsules:
        return list(skeleton.capsules)
    roles = {joint: role for role, joint in find_roles(skeleton).items()}
    scale = leg_length(skeleton) / 0.9
    pelvis = find_roles(skeleton)["pelvis"]
    parts = [_part(skeleton, j, roles, pelvis) for j in range(len(skeleton))]
    capsules: list[Capsule] = []
    for j in range(len(skeleton)):
        for target, offset, child in _targets(skeleton, j):
            if np.linalg.norm(offset) < 0.02 * scale and child >= 0:
                continue
            part = _bone_part(parts, j, child, target)
            a, b = (r * scale for r in _RADII[part])
            a, b = (min(r, 0.55 * max(float(np.linalg.norm(offset)), 0.06 * scale)) for r in (a, b))
            side = side_of(skeleton.names[j]) or (side_of(target) if part != "trunk" else "")
            end = (float(offset[0]), float(offset[1]), float(offset[2]))
            capsules.append(Capsule(j, (0.0, 0.0, 0.0), end, a, b, side, part))
    return _with_soles(skeleton, parts, capsules, scale)


def _part(skeleton: Skeleton, joint: int, roles: dict[int, str], pelvis: int) -> str:
    """Which part of the body a joint's segment belongs to."""
    for j in reversed(skeleton.chain(joint)):
        role = roles.get(j, "")
        if role in ("pelvis", "chest"):
            return "trunk"
        if role:
            name = role.split("_")[-1]
            far = skeleton.chain(joint).index(joint) - skeleton.chain(joint).index(j)
            return "other" if name in ("wrist", "toe") and far > 0 else name
    return "trunk" if joint <= pelvis or pelvis in skeleton.chain(joint) else "other"


def _bone_part(parts: list[str], joint: int, child: int, target: str) -> str:
    """The part that the bone from ``joint`` to ``child`` (or to an end site) shows."""
    part = parts[joint]
    if part == "trunk" and child >= 0 and parts[child] in ("hip", "shoulder", "clavicle"):
        return "clavicle"
    if part == "trunk" and child >= 0 and parts[child] == "head":
        return "neck"
    return part


def _targets(skeleton: Skeleton, joint: int) -> list[tuple[str, Array, int]]:
    """(name, offset, child or -1) of everything that hangs on a joint."""
    rows = [(skeleton.names[c], skeleton.offsets[c], c) for c in skeleton.children[joint]]
    return rows + [(e.name, np.array(e.offset), -1) for e in skeleton.ends if e.joint == joint]


def _with_soles(skeleton: Skeleton, parts: list[str], capsules: list[Capsule], scale: float) -> list[Capsule]:
    """Feet that carry several contact points get their outline too: capsules between neighbouring points."""
    for j, part in enumerate(parts):
        points = [np.array(e.offset) for e in skeleton.ends if e.joint == j]
        if part not in ("ankle", "toe") or len(points) < 2:
            continue
        radius = _RADII["toe"][1] * scale
        side = side_of(skeleton.names[j])
        loop = points if len(points) == 2 else [*_around(points), _around(points)[0]]
        for a, b in itertools.pairwise(loop):
            rim = [(float(p[0]), float(p[1]), float(p[2]) + radius) for p in (a, b)]
            capsules.append(Capsule(j, rim[0], rim[1], radius, radius, side, "toe"))
    return capsules


def _around(points: list[Array]) -> list[Array]:
    """Points in order around their centre, seen from above."""
    centre = np.mean(points, axis=0)
    return sorted(points, key=lambda p: float(np.arctan2(p[1] - centre[1], p[0] - centre[0])))
