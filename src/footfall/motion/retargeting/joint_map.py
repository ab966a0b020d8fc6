"""Which joint of one skeleton moves which joint of another: by role, by a map file, or by shape."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.motion import Motion
from footfall.motion.skeleton.roles import ROLES, both_legs_known, find_roles, roles_by_shape
from footfall.motion.skeleton.tree import Skeleton
from footfall.text_files import read_text

_NEEDED = ("left_hip", "left_knee", "left_ankle", "right_hip", "right_knee", "right_ankle")


@dataclass(frozen=True)
class JointMap:
    """A match of two skeletons.

    Attributes:
        source_roles, target_roles: joint index by role, for the roles that both have.
        all_source_roles: joint index by role, for all roles of the source.
        guessed: roles of the source that were recognised by its shape, not from names.
        dropped: names of source joints that move nothing.
        still: names of target joints that nothing moves (they keep the rest pose or follow their neighbours).
    """

    source_roles: dict[str, int]
    target_roles: dict[str, int]
    all_source_roles: dict[str, int]
    guessed: tuple[str, ...]
    dropped: tuple[str, ...]
    still: tuple[str, ...]


def match_joints(motion: Motion | Skeleton, target: Skeleton, given: Mapping[str, str] | None = None) -> JointMap:
    """Match two skeletons by the roles of their joints.

    Args:
        motion: what moves; of a bare skeleton the rest pose gives its shape.
        target: what is to move.
        given: target joint (or role) -> source joint, by name; these come before names and shape.
    """
    source = motion if isinstance(motion, Skeleton) else motion.skeleton
    goals = find_roles(target)
    unfit = [role for role in _NEEDED if role not in goals]
    if unfit:
        raise FootfallError(
            f"retarget: no joint of the target is a {unfit[0].replace('_', ' ')} "
            f"(joints: {', '.join(target.names[:12])}); a target needs legs of thigh, shank and foot"
        )
    named = _given_roles(given or {}, source, target, goals)
    roles = find_roles(source) | named
    root, turns = np.zeros((1, 3)), source.rest[None]
    if isinstance(motion, Motion):
        root, turns = motion.root_position, motion.rotations
    by_shape = {} if both_legs_known(roles) else roles_by_shape(source, root, turns)
    found = {role: j for role, j in by_shape.items() if j not in named.values() and (role not in roles or not named)}
    roles |= found
    guessed = [*(source.roles or ()), *found]
    missing = [role for role in _NEEDED if role not in roles]
    if missing:
        raise FootfallError(
            f"retarget: no joint of the motion is a {missing[0].replace('_', ' ')}, neither by its name nor by the "
            f"body's shape (joints: {', '.join(source.names[:8])} …); if this is a person, name the joints of its legs "
            f"in a map file, lines such as '{missing[0]} = JOINT' (--map)"
        )
    shared = [role for role in goals if role in roles]
    used, moved = {roles[role] for role in shared}, {goals[role] for role in shared}
    return JointMap(
        {role: roles[role] for role in shared},
        {role: goals[role] for role in shared},
        dict(roles),
        tuple(role for role in guessed if role in goals),
        tuple(name for j, name in enumerate(source.names) if j not in used),
        tuple(name for j, name in enumerate(target.names) if j not in moved),
    )


def _given_roles(
    given: Mapping[str, str], source: Skeleton, target: Skeleton, goals: Mapping[str, int]
) -> dict[str, int]:
    """Joint of the source by role, from names of target joints or roles and of source joints."""
    by_joint = {target.names[j]: role for role, j in goals.items()}
    roles = {}
    for name, joint in given.items():
        role = by_joint.get(name, name)
        if role not in goals and role not in ROLES:
            raise unknown_name("target joint in the map", name, [*by_joint, *goals])
        roles[role] = source.index(joint)
    return roles


def read_joint_map(path: str | Path) -> dict[str, str]:
    """A map file: one line for each joint, ``TARGET = SOURCE``; ``#`` begins a comment."""
    lines = read_text(Path(path), "map").splitlines()
    pairs = {}
    for number, line in enumerate(lines, start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        target, mark, source = (part.strip() for part in text.partition("="))
        if not (target and mark and source):
            raise FootfallError(f"{path}, line {number}: expected 'TARGET = SOURCE', not '{text[:60]}'")
        pairs[target] = source
    if not pairs:
        raise FootfallError(f"{path}: the map is empty; it needs lines 'TARGET = SOURCE'")
    return pairs
