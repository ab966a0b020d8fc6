"""What each joint of a skeleton is where names do not tell: from its bones and its posed places over a clip.

Bone lengths and the tree are the same in any pose, and posed places in any zero pose. So nothing here looks at the
file's zero pose, at its axes or at its unit:

* limbs are pairs of branches that hang on one joint and whose bones have equal lengths,
* legs are the pair with the longest two bones in a row, arms the next that hangs elsewhere, and shorter,
* of a limb, the two longest bones in a row are thigh and shank, or upper arm and forearm,
* forward is where toes point and knees stick out, upward where the arms hang, and left follows.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from footfall.motion.quaternion import (
    Array,
    cross,
    dot,
    norm,
    rotate,
    unit,
)
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton

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
    every = max(len(root_position) // _FRAMES, 1)
    positions, turns = skeleton.forward(root_position[::every], rotations[::every])
    held = list(skeleton.end_joints())
    ends = positions[:, held] + rotate(turns[:, held], skeleton.end_offsets())
    found = roles_by_shape(skeleton, positions, ends)
    return replace(skeleton, roles=found) if both_legs_known(found) else skeleton


def roles_by_shape(skeleton: Skeleton, positions: Array, ends: Array) -> dict[str, int]:
    """Joint by role, guessed from bone lengths and from posed places of joints [T, J, 3] and end sites [T, E, 3]; empty
    where it is not a person's body."""
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
    up = unit(positions[:, chest] - positions[:, home]) if chest != home else None
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
        """From a joint down its longest branch, joints that stand at the same place as the next left out."""
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
