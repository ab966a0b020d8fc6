"""What each joint of a skeleton is, by its name: the name families of motion capture and of figures.

Known families: CMU (BVH and ASF), SNU, Mixamo, LaFAN, Bandai-Namco, 100STYLE, Unreal, Unity, Blender's Rigify, 3ds Max
Biped, Poser and DAZ, MakeHuman, SMPL, Vicon, Xsens, OptiTrack, Perception Neuron, Rokoko, Kinect, footfall's own
figures and robots whose hips are several bodies in series. Words that most names of a skeleton begin with say nothing.
A role is the joint at which a part turns: the role ``left_knee`` is the joint that carries the shank.

Legs: whether a skeleton has them by name.

What each joint of a skeleton is where names do not tell: from its bones and its posed positions over a clip.

Bone lengths and the tree are the same in any pose, and posed positions in any zero pose. So nothing here looks at the
file's zero pose, at its axes or at its unit:

* limbs are pairs of branches that hang on one joint and whose bones have equal lengths,
* legs are the pair with the longest two bones in a row, arms the next that hangs elsewhere, and shorter,
* of a limb, the two longest bones in a row are thigh and shank, or upper arm and forearm,
* forward is where toes point and knees stick out, upward where the arms hang, and left follows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from footfall.motion.quaternion import (
    Array,
    cross,
    dot,
    norm,
    unit,
)
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


def has_legs(skeleton: Skeleton) -> bool:
    """Whether the names tell where thigh, shank and foot of a leg are."""
    roles = find_roles(skeleton)
    return any(all(f"{side}_{role}" in roles for role in ("hip", "knee", "ankle")) for side in ("left", "right"))


def leg_length(skeleton: Skeleton) -> float:
    """Thigh plus shank in metres, or an estimate from the whole skeleton where no leg is found."""
    roles = find_roles(skeleton)
    lengths = []
    for side in ("left", "right"):
        if all(f"{side}_{role}" in roles for role in ("hip", "knee", "ankle")):
            lengths.append(bone_length(skeleton, roles[f"{side}_hip"], roles[f"{side}_ankle"]))
    if lengths and max(lengths) > 0:
        return float(np.mean(lengths))
    reach = skeleton.rest_positions()
    return max(0.5 * float(np.ptp(reach, axis=0).max(initial=0.0)), 1e-3)


def bone_length(skeleton: Skeleton, above: int, below: int) -> float:
    """Metres of the bones from a joint down to one below it."""
    way = [j for j in skeleton.chain(below) if j not in skeleton.chain(above)]
    return float(sum(np.linalg.norm(skeleton.offsets[j]) for j in way))


_LEGS = tuple(f"{side}_{role}" for side in ("left", "right") for role in ("hip", "knee", "ankle"))
_UNLIKE = 0.12
"""Share by which bones of a pair may differ."""
_ARM_TO_LEG = 0.9
"""Upper arm and forearm over thigh and shank at most (a grown person's: 0.6); beyond, both pairs are legs."""
_UPRIGHT = 0.3
"""Mean cosine between the trunk and the line from ankle to hip; an animal on four legs has about none."""
_LEAST_LIMB = 0.25
_FRAMES = 60


def both_legs_known(roles: dict[str, int]) -> bool:
    """Whether all joints of both legs are known."""
    return all(role in roles for role in _LEGS)


def with_roles(skeleton: Skeleton, root_position: Array, rotations: Array) -> Skeleton:
    """The skeleton with roles recognised by its shape in these poses (root [T, 3], rotations [T, J, 4]), if its names
    do not reveal its legs."""
    if skeleton.roles is not None or both_legs_known(find_roles(skeleton)):
        return skeleton
    found = roles_by_shape(skeleton, root_position, rotations)
    return replace(skeleton, roles=found) if both_legs_known(found) else skeleton


def roles_by_shape(skeleton: Skeleton, root_position: Array, rotations: Array) -> dict[str, int]:
    """Joint by role, guessed from bone lengths and from the positions of joints and end sites in some of these poses
    (root [T, 3], rotations [T, J, 4]); empty where it is not a person's body."""
    every = max(len(root_position) // _FRAMES, 1)
    positions, turns = skeleton.forward(root_position[::every], rotations[::every])
    ends = skeleton.end_positions(positions, turns)
    tree = _Tree(skeleton)
    pairs = sorted(tree.pairs(), key=lambda pair: -tree.two_bones(pair[1])[0])
    if not pairs:
        return {}
    home, first, second = pairs[0]
    legs = [tree.limb(first), tree.limb(second)]
    if any(len(leg) < 3 for leg in legs):
        return {}
    size = tree.two_bones(first)[0]
    others = [
        pair
        for pair in pairs[1:]
        if pair[0] != home
        and pair[1] not in legs[0] + legs[1]
        and tree.two_bones(pair[1])[0] > _LEAST_LIMB * size
        and not tree.below(pair[0], first)
        and not tree.below(pair[0], second)
    ]
    if others and tree.two_bones(others[0][1])[0] > _ARM_TO_LEG * size:
        return {}
    chest = others[0][0] if others else tree.spine_end(home, (first, second))
    high = positions[:, chest]
    if others and float(norm(high - positions[:, home]).mean()) < tree.short:
        high = positions[:, list(others[0][1:])].mean(axis=1)
    up = unit(high - positions[:, home]) if chest != home else None
    left = _left(positions, legs, up, [_tip(skeleton, leg[2], positions, ends) for leg in legs])
    down = unit(np.sum([positions[:, leg[2]] - positions[:, leg[0]] for leg in legs], axis=0))
    if left is None or (up is not None and float(np.mean(-dot(up, down))) < _UPRIGHT):
        return {}
    apart = positions[:, legs[0][0]] - positions[:, legs[1][0]]
    sides = legs if np.mean(dot(apart, left)) > 0 else legs[::-1]
    roles = {"pelvis": home}
    for side, leg in zip(("left", "right"), sides):
        roles |= {f"{side}_{role}": j for role, j in zip(("hip", "knee", "ankle", "toe"), leg)}
    across = positions[:, roles["left_hip"]] - positions[:, roles["right_hip"]]
    if others:
        arms = tree.arms(others[0][1], others[0][2], positions)
        if np.mean(dot(positions[:, arms[0][0]] - positions[:, arms[1][0]], across)) < 0:
            arms.reverse()
        for side, arm in zip(("left", "right"), arms):
            roles |= {f"{side}_{role}": j for role, j in zip(("shoulder", "elbow", "wrist"), arm[:3])}
        crown = tree.crown(chest, others[0][1:], home)
        if crown:
            roles["head"] = crown[-1]
            if len(crown) > 1:
                roles["neck"] = crown[0]
    elif chest != home:
        roles["head"] = chest
    return roles


class _Tree:
    """Bone lengths and branches of a skeleton."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.bones = norm(skeleton.offsets)
        self.reach = np.zeros(len(skeleton))
        for end in skeleton.ends:
            self.reach[end.joint] = max(self.reach[end.joint], float(np.linalg.norm(end.offset)))
        for j in range(len(skeleton) - 1, 0, -1):
            parent = skeleton.parents[j]
            self.reach[parent] = max(self.reach[parent], self.bones[j] + self.reach[j])
        self.short = 1e-3 * max(float(self.reach.max()), 1e-12)
        self.longest = [max(own, key=lambda c: self.bones[c] + self.reach[c], default=-1) for own in skeleton.children]
        self.chains = [self._chain(j) for j in range(len(skeleton))]

    def _chain(self, joint: int) -> list[int]:
        """From a joint down its longest branch, joints that stand at the same position as the next left out."""
        kept, j = [joint], self.longest[joint]
        while j >= 0:
            if self.bones[j] < self.short:
                kept[-1] = j
            else:
                kept.append(j)
            j = self.longest[j]
        return kept

    def _lengths(self, joint: int) -> Array:
        """Bones down a branch, the end site of its last joint included."""
        chain = self.chains[joint]
        last = [float(self.reach[chain[-1]])] if self.reach[chain[-1]] > 0 else []
        return np.array([*(self._between(a, b) for a, b in pairwise(chain)), *last])

    def _between(self, above: int, below: int) -> float:
        total, j = 0.0, below
        while j != above:
            total += float(self.bones[j])
            j = self.skeleton.parents[j]
        return total

    def pairs(self) -> list[tuple[int, int, int]]:
        """(joint, child, other child): branches of equal bones that hang on one joint."""
        found = []
        for home, children in enumerate(self.skeleton.children):
            long = [c for c in children if len(children) > 1 and len(self._lengths(c)) >= 2]
            for n, a in enumerate(long):
                for b in long[n + 1 :]:
                    one, two = self._lengths(a)[:3], self._lengths(b)[:3]
                    if len(one) == len(two) and np.abs(one - two).sum() < _UNLIKE * one.sum() and one.sum() > 0:
                        found.append((home, a, b))
        return found

    def two_bones(self, joint: int) -> tuple[float, int]:
        """Length of the two longest and most equal bones in a row down a branch, and where in its chain they begin."""
        lengths = self._lengths(joint)
        if len(lengths) < 2:
            return 0.0, 0
        sums = lengths[:-1] + lengths[1:]
        alike = np.minimum(lengths[:-1], lengths[1:]) / np.maximum(np.maximum(lengths[:-1], lengths[1:]), 1e-12)
        start = int(np.argmax(sums * np.sqrt(alike)))
        return float(sums[start]), start

    def limb(self, joint: int) -> list[int]:
        """The joints of a limb from its two longest bones on."""
        return self.chains[joint][self.two_bones(joint)[1] :]

    def arms(self, first: int, second: int, positions: Array) -> list[list[int]]:
        """The joints of both arms from the shoulders on.

        A collar-bone can be as long as a forearm. It shows when the arms move: the distance between the shoulders
        stays, that between the elbows changes.
        """
        chains = [self.chains[j] for j in (first, second)]
        start = self.two_bones(first)[1]
        if start + 3 < len(self._lengths(first)) and start + 3 < min(len(chain) for chain in chains):
            apart = [norm(positions[:, a] - positions[:, b]) for a, b in zip(*chains)]
            change = [float(np.ptp(way) / max(way.mean(), 1e-12)) for way in apart]
            if change[start + 1] < 0.1 and change[start + 3] > 0.2:
                start += 1
        return [chain[start:] for chain in chains]

    def below(self, joint: int, top: int) -> bool:
        return top in self.skeleton.chain(joint)

    def spine_end(self, home: int, legs: tuple[int, int]) -> int:
        """The end of the longest branch above the legs."""
        rest = [c for c in self.skeleton.children[home] if c not in legs]
        best = max(rest, key=lambda c: self.bones[c] + self.reach[c], default=None)
        return home if best is None else self.chains[best][-1]

    def crown(self, chest: int, arms: tuple[int, ...], home: int) -> list[int]:
        """Neck and head: the longest branch at the chest that is not an arm and does not lead to the legs."""
        rest = [c for c in self.skeleton.children[chest] if c not in arms and c not in self.skeleton.chain(home)]
        best = max(rest, key=lambda c: self.bones[c] + self.reach[c], default=None)
        if best is None:
            return []
        forks = [k for k, j in enumerate(self.chains[best]) if len(self.skeleton.children[j]) > 1]
        return self.chains[best][: forks[0] + 1] if forks else self.chains[best]


def _tip(skeleton: Skeleton, ankle: int, positions: Array, ends: Array) -> Array:
    """[T, 3] the point of a foot that is farthest from its ankle."""
    inside = skeleton.subtree(ankle)
    points = [positions[:, j] for j in inside] + [ends[:, k] for k, e in enumerate(skeleton.ends) if e.joint in inside]
    return max(points, key=lambda p: float(norm(p - positions[:, ankle]).mean()))


def _left(positions: Array, legs: list[list[int]], up: Array | None, tips: list[Array]) -> Array | None:
    """[T, 3] leftward: upward × forward, forward where toes point and knees stick out."""
    forward = np.zeros((len(positions), 3))
    hips = []
    for leg, tip in zip(legs, tips):
        hip, knee, ankle = (positions[:, j] for j in leg[:3])
        forward += knee - 0.5 * (hip + ankle)
        forward += unit(tip - ankle) * norm(ankle - hip)[..., None]
        hips.append(hip - ankle)
    upward = unit(hips[0] + hips[1]) if up is None else up
    left = cross(upward, forward)
    return None if norm(left).mean() < 1e-9 else left
