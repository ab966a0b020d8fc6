"""The body around a skeleton's bones, for pictures and for exported meshes.

A skeleton that has meshes is drawn with them. One with a person's joints gets a person's shape (``human_shape``). Any
other is drawn with tapered capsules: its own (those of a figure), or simple ones along its bones.
"""

import itertools

import numpy as np

from footfall.motion.quaternion import Array, conjugate, rotate
from footfall.motion.skeleton.human_shape import human_solids
from footfall.motion.skeleton.mesh_solids import MeshSolid
from footfall.motion.skeleton.roles import find_roles, name_tokens, side_of
from footfall.motion.skeleton.solids import Solid, capsule_solid
from footfall.motion.skeleton.tree import Capsule, Skeleton

_RADII = {
    "hip": (0.085, 0.058),
    "knee": (0.055, 0.037),
    "ankle": (0.034, 0.030),
    "toe": (0.028, 0.022),
    "shoulder": (0.048, 0.038),
    "elbow": (0.037, 0.027),
    "wrist": (0.026, 0.018),
    "clavicle": (0.050, 0.050),
    "trunk": (0.100, 0.105),
    "neck": (0.050, 0.046),
    "head": (0.085, 0.088),
    "other": (0.020, 0.015),
}
"""Radii at the start and the end of a part, as shares of a leg of 0.9 m (thigh and shank)."""


def leg_length(skeleton: Skeleton) -> float:
    """Thigh plus shank in metres, or an estimate from the whole skeleton where no leg is found."""
    roles = find_roles(skeleton)
    lengths = []
    for side in ("left", "right"):
        if all(f"{side}_{role}" in roles for role in ("hip", "knee", "ankle")):
            joints = [
                j for j in skeleton.chain(roles[f"{side}_ankle"]) if j not in skeleton.chain(roles[f"{side}_hip"])
            ]
            lengths.append(sum(float(np.linalg.norm(skeleton.offsets[j])) for j in joints))
    if lengths and max(lengths) > 0:
        return float(np.mean(lengths))
    reach = skeleton.rest_positions()
    return max(0.5 * float(np.ptp(reach, axis=0).max(initial=0.0)), 1e-3)


def body_solids(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    """The parts of the body as solids: what every picture, film, page and exported file shows."""
    return skeleton.once("solids", lambda: _meshed(skeleton) if skeleton.meshes else _modelled(skeleton))


def _modelled(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    solids = human_solids(skeleton, leg_length(skeleton))
    if not solids:
        return [capsule_solid(capsule) for capsule in (*body_capsules(skeleton), *_head_on_top(skeleton))]
    shown = {solid.joint for solid in solids}
    return [*solids, *(capsule_solid(c) for c in skeleton.capsules if c.joint not in shown)]


def _head_on_top(skeleton: Skeleton) -> list[Capsule]:
    """A head for a figure of capsules that has legs and a trunk but none: it says where the body faces and ends.

    It sits on the top of the trunk, leaning forward, and reaches beyond it by its own radius, so that a body that lies
    on its trunk keeps its head above the ground.
    """
    roles = find_roles(skeleton)
    legs = {f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "ankle")}
    trunk = [c for c in skeleton.capsules if c.joint == roles.get("pelvis", -1) and c.part == "trunk"]
    named = any("head" in name_tokens(name) for name in skeleton.names)
    if not (legs <= roles.keys() and trunk) or named or "head" in roles or "chest" in roles:
        return []
    top = max(max(c.start[2], c.end[2]) for c in trunk)
    size = _RADII["head"][0] * leg_length(skeleton) / 0.9
    if top < size:
        return []
    low, high = (0.02 * size / 0.085, 0.0, top + 0.6 * size), (0.03 * size / 0.085, 0.0, top + size)
    return [Capsule(roles["pelvis"], low, high, size, 0.96 * size, "", "head")]


def _meshed(skeleton: Skeleton) -> list[Solid | MeshSolid]:
    """The meshes, and the capsules of bodies that have none."""
    shown = {mesh.joint for mesh in skeleton.meshes}
    bare = [capsule for capsule in skeleton.capsules if capsule.joint not in shown]
    return [*map(MeshSolid, skeleton.meshes), *map(capsule_solid, bare)]


def body_capsules(skeleton: Skeleton) -> list[Capsule]:
    """Capsules for all bones: joint to child, and joint to end site; what a segment is follows from its role.

    The trunk is filled by a pelvis between the hips and a chest between the shoulders; feet with several contact points
    get their outline. A skeleton that brings its own capsules keeps them.
    """
    if skeleton.capsules:
        return list(skeleton.capsules)
    found = find_roles(skeleton)
    roles = {joint: role for role, joint in found.items()}
    scale = leg_length(skeleton) / 0.9
    parts = [_part(skeleton, j, roles, found["pelvis"]) for j in range(len(skeleton))]
    capsules: list[Capsule] = _girdles(skeleton, found, scale)
    for j in range(len(skeleton)):
        for target, offset, child in _targets(skeleton, j):
            length = float(np.linalg.norm(offset))
            part = _bone_part(parts, j, child)
            if part == "trunk" and child < 0 and "head" not in found and j != found["pelvis"]:
                part = "head"
            if not part or (length < 0.02 * scale and child >= 0):
                continue
            a, b = (r * scale for r in _RADII[part])
            start, end = np.zeros(3), offset
            if part == "head":
                start, end = 0.45 * offset, 0.70 * offset
            elif part not in ("trunk", "neck"):
                a, b = (min(r, 0.55 * max(length, 0.06 * scale)) for r in (a, b))
            side = "" if part in ("trunk", "neck", "head") else side_of(skeleton.names[j]) or side_of(target)
            capsules.append(Capsule(j, _triple(start), _triple(end), a, b, side, part))
    return _with_soles(skeleton, parts, capsules, scale)


def _girdles(skeleton: Skeleton, roles: dict[str, int], scale: float) -> list[Capsule]:
    """The pelvis from hip to hip and the chest from shoulder to shoulder, in the frames of the joints they hang on."""
    rest = skeleton.forward(np.zeros(3), skeleton.rest)
    capsules = []
    for joint, role, share, drop, radius in (
        ("pelvis", "hip", 0.75, 0.0, 0.088),
        ("chest", "shoulder", 0.62, 0.05, 0.092),
    ):
        pair = [roles.get(f"{side}_{role}") for side in ("left", "right")]
        if joint not in roles or pair[0] is None or pair[1] is None:
            continue
        home, turn = rest[0][roles[joint]], conjugate(rest[1][roles[joint]])
        ends = [rest[0][j] - [0.0, 0.0, drop * scale] for j in pair if j is not None]
        middle = 0.5 * (ends[0] + ends[1])
        a, b = (rotate(turn, middle + share * (end - middle) - home) for end in ends)
        if np.linalg.norm(a - b) > 0.05 * scale:
            capsules.append(Capsule(roles[joint], _triple(a), _triple(b), radius * scale, radius * scale, "", "trunk"))
            if joint == "chest":
                waist = rotate(turn, np.array([0.0, 0.0, -0.12 * scale])) + 0.35 * (a - 0.5 * (a + b))
                flank = rotate(turn, np.array([0.0, 0.0, -0.12 * scale])) + 0.35 * (b - 0.5 * (a + b))
                for top, low in ((a, waist), (b, flank)):
                    pair_radii = (radius * scale, 0.095 * scale)
                    capsules.append(Capsule(roles[joint], _triple(top), _triple(low), *pair_radii, "", "trunk"))
    return capsules


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


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


def _bone_part(parts: list[str], joint: int, child: int) -> str:
    """The part that the bone from ``joint`` to ``child`` (or to an end site) shows; empty inside a girdle."""
    part = parts[joint]
    if child >= 0 and (part == "clavicle" or (part == "trunk" and parts[child] in ("hip", "shoulder", "clavicle"))):
        return ""
    if part == "trunk" and child >= 0 and parts[child] in ("neck", "head"):
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
