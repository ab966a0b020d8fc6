"""What each joint of a skeleton is, told from its name: the name families of motion capture and of figures.

Known families: CMU (BVH and ASF), SNU, Mixamo, LaFAN, Unreal, Blender's Rigify, 3ds Max Biped, SMPL, Vicon, Rokoko and
footfall's own figures. A role is the joint at which a part turns: the role ``left_knee`` is the joint that carries
the shank.
"""

import re
from collections.abc import Mapping

from footfall.motion.skeleton.tree import Skeleton

__all__ = ["LIMB_ROLES", "find_roles", "name_tokens", "partner", "side_of"]

LIMB_ROLES = ("hip", "knee", "ankle", "toe", "clavicle", "shoulder", "elbow", "wrist")

_LIMBS: Mapping[str, tuple[str, ...]] = {
    "hip": ("upleg", "upperleg", "thigh", "femur", "hip", "legupper", "upleg1", "hippitch"),
    "knee": ("leg", "lowerleg", "lowleg", "shin", "calf", "shank", "tibia", "knee", "leglower"),
    "ankle": ("ankle", "foot", "feet"),
    "toe": ("toebase", "toe", "toes", "toe0", "ball", "foot"),
    "clavicle": ("clavicle", "collar", "clav", "scapula", "shoulder", "shoulder1", "innershoulder"),
    "shoulder": ("arm", "upperarm", "uparm", "humerus", "armupper", "shoulder"),
    "elbow": ("forearm", "lowerarm", "lowarm", "elbow", "radius", "armlower"),
    "wrist": ("hand", "wrist"),
}
_CENTRE: Mapping[str, tuple[str, ...]] = {
    "pelvis": ("hips", "pelvis", "hip", "root", "bip", "bip01"),
    "neck": ("neck", "neck1", "lowerneck", "upperneck", "cervical"),
    "head": ("head",),
}
_PREFIXED = {"l" + name: ("left", name) for names in _LIMBS.values() for name in names} | {
    "r" + name: ("right", name) for names in _LIMBS.values() for name in names
}
_SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}
_NOISE = {"mixamorig", "bip01", "bip001", "bip", "character1", "jnt", "joint", "bone", "def", "org", "m", "avg", "skel"}


def name_tokens(name: str) -> list[str]:
    """The lower-case words of a joint name: "mixamorig:LeftUpLeg" gives left, up, leg."""
    name = name.rsplit(":", 1)[-1]
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", name) if word]


def _split(name: str) -> tuple[str, str]:
    """(side, rest) of a name: side is "left", "right" or ""; rest its other words written together."""
    tokens = name_tokens(name)
    words = [word for word in tokens if word not in _NOISE] or tokens
    for place in (0, -1):
        if len(words) > 1 and words[place] in _SIDES:
            side = _SIDES[words[place]]
            return side, "".join(words[1:] if place == 0 else words[:-1])
    joined = "".join(words)
    if joined in _PREFIXED:
        return _PREFIXED[joined]
    for word in ("left", "right"):
        if joined.startswith(word) and joined != word:
            return word, joined[len(word) :]
    return "", joined


def side_of(name: str) -> str:
    """ "left", "right" or "" for a joint's, body's or point's name."""
    return _split(name)[0]


def find_roles(skeleton: Skeleton) -> dict[str, int]:
    """Joint index by role, for the roles that the names reveal.

    Roles are ``pelvis``, ``chest``, ``neck``, ``head`` and, with ``left_`` or ``right_`` before them, those of
    ``LIMB_ROLES``. ``pelvis`` is always there (the root where no name says better); ``chest`` is where the arms and
    the neck meet.
    """
    parts = [_split(name) for name in skeleton.names]
    roles: dict[str, int] = {}
    for side in ("left", "right"):
        for role in LIMB_ROLES:
            taken = set(roles.values())
            for family in _LIMBS[role]:
                found = [j for j, part in enumerate(parts) if part == (side, family) and j not in taken]
                if role == "clavicle" and family.startswith("shoulder"):
                    arms = {(side, name) for name in _LIMBS["shoulder"] if name != "shoulder"}
                    found = found if arms & set(parts) else []
                if found:
                    roles[f"{side}_{role}"] = found[0]
                    break
        _keep_in_order(skeleton, roles, [f"{side}_{role}" for role in ("hip", "knee", "ankle", "toe")])
    for role, families in _CENTRE.items():
        for family in families:
            found = [j for j, part in enumerate(parts) if part == ("", family)]
            if found:
                roles[role] = found[0]
                break
    hips = [roles[role] for role in ("left_hip", "right_hip") if role in roles]
    roles["pelvis"] = _meeting(skeleton, hips) if len(hips) == 2 else roles.get("pelvis", 0)
    tops = [roles[r] for r in ("left_shoulder", "right_shoulder", "neck", "head") if r in roles]
    if tops:
        roles["chest"] = _meeting(skeleton, tops) if len(tops) > 1 else skeleton.parents[tops[0]]
        if roles["chest"] in (-1, roles["pelvis"]):
            del roles["chest"]
    return roles


def _keep_in_order(skeleton: Skeleton, roles: dict[str, int], limb: list[str]) -> None:
    """Drop roles of a limb that do not hang on the one before."""
    above = -1
    for role in limb:
        if role in roles and above >= 0 and above not in skeleton.chain(roles[role]):
            del roles[role]
        above = roles.get(role, above)


def _meeting(skeleton: Skeleton, joints: list[int]) -> int:
    """The lowest joint that all of ``joints`` hang on."""
    chains = [skeleton.chain(skeleton.parents[j] if skeleton.parents[j] >= 0 else j) for j in joints]
    shared = [row[0] for row in zip(*chains) if len(set(row)) == 1]
    return shared[-1] if shared else 0


def partner(skeleton: Skeleton) -> list[int]:
    """For each joint the one on the other side of the body (by name, else by role), itself where it has none."""
    parts = {_split(name): j for j, name in enumerate(skeleton.names)}
    other = {"left": "right", "right": "left"}
    pairs = []
    for j, name in enumerate(skeleton.names):
        side, rest = _split(name)
        pairs.append(parts.get((other[side], rest), j) if side else j)
    roles = find_roles(skeleton)
    for role, j in roles.items():
        side, _, what = role.partition("_")
        twin = roles.get(f"{other[side]}_{what}") if side in other else None
        if twin is not None and pairs[j] == j:
            pairs[j] = twin
    return [twin if pairs[twin] == j else j for j, twin in enumerate(pairs)]
