"""What each joint of a skeleton is, by its name: the name families of motion capture and of figures.

Known families: CMU (BVH and ASF), SNU, Mixamo, LaFAN, Bandai-Namco, 100STYLE, Unreal, Unity, Blender's Rigify, 3ds Max
Biped, Poser and DAZ, MakeHuman, SMPL, Vicon, Xsens, OptiTrack, Perception Neuron, Rokoko, Kinect, footfall's own
figures and robots whose hips are several bodies in series. Words that most names of a skeleton begin with say nothing.
A role is the joint at which a part turns: the role ``left_knee`` is the joint that carries the shank.
"""

import re
from collections.abc import Mapping, Sequence

from footfall.motion.skeleton.tree import Skeleton

LIMB_ROLES = ("hip", "knee", "ankle", "toe", "clavicle", "shoulder", "elbow", "wrist")

ROLES = ("pelvis", "chest", "neck", "head", *(f"{side}_{role}" for side in ("left", "right") for role in LIMB_ROLES))
"""All roles that a joint can have."""

_LIMBS: Mapping[str, tuple[str, ...]] = {
    "hip": ("upleg", "upperleg", "thigh", "thighbend", "femur", "hip", "legupper"),
    "knee": ("leg", "lowerleg", "lowleg", "loleg", "shin", "calf", "shank", "tibia", "knee", "leglower"),
    "ankle": ("ankle", "foot", "feet"),
    "toe": ("toebase", "toe", "toes", "ball", "forefoot", "foot"),
    "clavicle": ("clavicle", "collar", "clav", "scapula", "shoulder", "innershoulder"),
    "shoulder": ("arm", "upperarm", "uparm", "uarm", "humerus", "armupper", "shldr", "shldrbend", "shoulder"),
    "elbow": ("forearm", "forearmbend", "lowerarm", "lowarm", "loarm", "farm", "elbow", "radius", "armlower"),
    "wrist": ("wrist", "hand"),
}
_CENTRE: Mapping[str, tuple[str, ...]] = {
    "pelvis": ("hips", "pelvis", "hip", "root", "bip", "bip01"),
    "neck": ("neck", "neck1", "necklower", "necktwist", "lowerneck", "upperneck", "cervical"),
    "head": ("head",),
}
_PREFIXED = {"l" + name: ("left", name) for names in _LIMBS.values() for name in names} | {
    "r" + name: ("right", name) for names in _LIMBS.values() for name in names
}
_SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}
_NOISE = {
    "mixamorig",
    "bip01",
    "bip001",
    "bip",
    "character1",
    "jnt",
    "joint",
    "bone",
    "def",
    "org",
    "avg",
    "skel",
    "stretch",
}
_MIDDLE = {"c", "m", "x"}
"""Letters that stand for the middle of the body where others stand for its sides."""
_HINGES = {"pitch", "roll", "yaw", "link", "cross"}
"""Words of robots' bodies, which turn about one axis each."""
_PREFIX_SHARE = 0.6
"""Share of a skeleton's names that begin with a word which says nothing, at least."""


def name_tokens(name: str) -> list[str]:
    """The lower-case words of a joint name: "mixamorig:LeftUpLeg" gives left, up, leg."""
    name = name.rsplit(":", 1)[-1]
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", name) if word]


def _split(name: str) -> tuple[str, str]:
    """(side, rest) of a name: side is "left", "right" or ""; rest its other words written together."""
    return _side_and_rest(name_tokens(name))


def _side_and_rest(tokens: list[str]) -> tuple[str, str]:
    words = [word for word in tokens if word not in _NOISE] or tokens
    words = [word for word in words if word not in _HINGES] or words
    places = (0, len(words) - 1, *range(1, len(words) - 1))
    if len(words) > 1 and words[0] not in _SIDES and words[-1] not in _SIDES:
        words = [word for word in words if word not in _MIDDLE] or words
        places = tuple(range(len(words)))
    for place in places:
        if len(words) > 1 and words[place] in _SIDES:
            return _SIDES[words[place]], "".join(words[:place] + words[place + 1 :])
    joined = "".join(words)
    if joined in _PREFIXED:
        return _PREFIXED[joined]
    for word in ("left", "right"):
        if joined.startswith(word) and joined != word:
            return word, joined[len(word) :]
    return "", joined


def _without_prefix(names: Sequence[str]) -> list[list[str]]:
    """The words of each name, without those that most names begin with: a tool's or a character's own name."""
    rows = [name_tokens(name) for name in names]
    while len(rows) > 3:
        first = [row[0] for row in rows if len(row) > 1]
        word = max(set(first), key=first.count, default="")
        if word in _SIDES or first.count(word) < _PREFIX_SHARE * len(rows):
            break
        rows = [row[1:] if len(row) > 1 and row[0] == word else row for row in rows]
    return rows


def side_of(name: str) -> str:
    """ "left", "right" or "" for a joint's, body's or point's name."""
    return _split(name)[0]


def is_link(name: str) -> bool:
    """Whether a body's name says that it turns about one axis of several: a robot's hip pitch, roll or yaw."""
    return bool(set(name_tokens(name)) & {"pitch", "roll", "yaw"})


def telling_name(body: str, joints: Sequence[str]) -> str:
    """The name that says what a figure's body is: its own, or that of its first joint where that says more.

    Some robots number their bodies (``AL1``) and name their joints (``Left_Shoulder_Pitch``); and some call a foot or a
    hand what turns as the last link of an ankle or an elbow.
    """
    own = _known_part(body)
    if own not in ("", "foot", "feet", "hand"):
        return body
    found = [name for name in joints if _known_part(name) and (not own or is_link(name))]
    return found[0] if found else body


def _known_part(name: str) -> str:
    """The part of the body that a name means, without its side; empty where it means none."""
    side, rest = _split(name)
    rest = re.sub(r"\d+$", "", rest)
    families = _LIMBS if side else _CENTRE
    return rest if any(rest in family for family in families.values()) else ""


def same_part(first: str, second: str) -> bool:
    """Whether two names mean the same part of the body on the same side."""
    return _split(first) == _split(second)


def find_roles(skeleton: Skeleton) -> dict[str, int]:
    """Joint index by role, for the roles that the names reveal (or that the skeleton brings along).

    Roles are ``pelvis``, ``chest``, ``neck``, ``head`` and, with ``left_`` or ``right_`` before them, those of
    ``LIMB_ROLES``. ``pelvis`` is always there (the root where no name says better); ``chest`` is where the arms and
    the neck meet.
    """
    return dict(skeleton.once("roles", lambda: _complete(skeleton, skeleton.roles or _roles_by_name(skeleton))))


def _roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    parts = [_side_and_rest(words) for words in _without_prefix(skeleton.telling_names)]
    bare = [(side, re.sub(r"\d+$", "", rest)) for side, rest in parts]
    roles: dict[str, int] = {}
    for side in ("left", "right"):
        for role in LIMB_ROLES:
            taken = set(roles.values())
            for family in _LIMBS[role]:
                found = [j for j, part in enumerate(parts) if part == (side, family) and j not in taken]
                found = found or [j for j, part in enumerate(bare) if part == (side, family) and j not in taken]
                if role == "clavicle" and family == "shoulder":
                    arms = {(side, name) for name in _LIMBS["shoulder"] if name != "shoulder"}
                    found = found if arms & {*parts, *bare} else []
                if found:
                    roles[f"{side}_{role}"] = _one_of(skeleton, found, role)
                    break
        _keep_in_order(skeleton, roles, [f"{side}_{role}" for role in ("hip", "knee", "ankle", "toe")])
        _keep_in_order(skeleton, roles, [f"{side}_{role}" for role in ("clavicle", "shoulder", "elbow", "wrist")])
    for role, families in _CENTRE.items():
        for family in families:
            found = [j for j, part in enumerate(parts) if part == ("", family)]
            found = found or [j for j, part in enumerate(bare) if part == ("", family)]
            if found:
                roles[role] = found[0]
                break
    _neck_of_the_spine(skeleton, roles, bare)
    return roles


def _neck_of_the_spine(skeleton: Skeleton, roles: dict[str, int], parts: list[tuple[str, str]]) -> None:
    """Neck and head where a spine goes on above the arms and has no other name for them: Rigify's spine.004 to
    spine.006."""
    arms = [roles.get(f"{side}_clavicle", roles.get(f"{side}_shoulder")) for side in ("left", "right")]
    tops = [joint for joint in arms if joint is not None]
    if "head" in roles or "neck" in roles or len(tops) < 2:
        return
    line = [_meeting(skeleton, tops)]
    while more := [j for j in skeleton.children[line[-1]] if parts[j] == parts[line[0]]]:
        line.append(more[0])
    if len(line) > 1 and not parts[line[0]][0]:
        roles["head"] = line[-1]
        if len(line) > 2:
            roles["neck"] = line[1]


def _one_of(skeleton: Skeleton, found: Sequence[int], role: str) -> int:
    """The joint that plays a role among several on one limb whose names say the same.

    Bodies that turn about one axis each (a robot's hip) carry the limb by the last of them; so do connectors before a
    hip. Of twist joints that differ by a number, and of a wrist and a hand, it is the first.
    """
    line = [j for j in found if found[0] in skeleton.chain(j)]
    names = [skeleton.telling_names[j] for j in line]
    numbered = len({re.sub(r"\d+", "", name) for name in names}) < len(line)
    serial = any(is_link(name) for name in names)
    last = (serial and role != "wrist") or (role == "hip" and not numbered)
    return line[-1] if last else line[0]


def _complete(skeleton: Skeleton, found: Mapping[str, int]) -> dict[str, int]:
    """The roles with pelvis and chest where legs and arms meet."""
    roles = dict(found)
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
        if role in roles and above >= 0 and above not in skeleton.chain(roles[role])[:-1]:
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
