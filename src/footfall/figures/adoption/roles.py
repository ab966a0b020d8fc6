"""What every joint of a body is for, by shape: hips, knees, ankles, waist, neck, shoulders, elbows, wrists.

Along a leg the first, second and third hinges that pitch are hip, knee and ankle, a fourth is the toe's; what rolls or
yaws above the knee belongs to the hip, below it to the ankle. The trunk is the path of middle links up to the one that
carries a pair of arms. Along an arm the elbow is the first bending hinge at some distance from the shoulder; hinges
along the limb twist it.

Links keep the names of the file, with a side in front where they do not pair by themselves.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.tree import Hinge, Tree
from footfall.figures.side_names import SIDES, Side, counterparts, side_in_name, without_left

Array = NDArray[np.float64]

ELBOW = 0.22
"""An elbow is farther from the shoulder's last bending hinge than this share of the arm's length."""
SPOT = 0.08
"""Hinges closer than this share of the arm's length are at one point."""


@dataclass(frozen=True)
class Limb:
    """A leg or an arm: indices of its links in their order, and of all links that hang from the first."""

    links: tuple[int, ...]
    all: tuple[int, ...]


@dataclass(frozen=True)
class Parts:
    """A body's parts.

    Attributes:
        legs: left and right.
        arms: left and right, or empty.
        torso: the link that carries arms and head.
        trunk: links from the root up to it.
        head: links of the neck and head.
        feet: left and right, the links below the ankle, the first one first.
        names: joint of the original model -> footfall's name.
        places: joint of the original model -> its place without side and plane ('hip', 'knee', 'waist', …).
    """

    legs: Mapping[Side, Limb]
    arms: Mapping[Side, Limb]
    torso: int
    trunk: tuple[int, ...]
    head: tuple[int, ...]
    feet: Mapping[Side, tuple[int, ...]]
    names: Mapping[int, str]
    places: Mapping[int, str]

    def sides(self) -> dict[int, Side]:
        """Link -> side, of legs and arms."""
        return {i: side for limbs in (self.legs, self.arms) for side, limb in limbs.items() for i in limb.all}


def find_parts(tree: Tree, legs: Mapping[Side, tuple[int, ...]]) -> Parts:
    """Find the parts of a tree that is rooted where its legs begin and looks along x.

    Args:
        tree: the body.
        legs: links of the left and the right leg, from the first to the foot.
    """
    size = tree.span
    taken = {i for leg in legs.values() for i in tree.below(leg[0])}
    trunk, arms = _trunk(tree, taken, size)
    torso = trunk[-1]
    head = _head(tree, torso, {*taken, *(i for arm in arms.values() for i in tree.below(arm[0]))}, size)
    named = _Names()
    for side in SIDES:
        _name_leg(tree, legs[side], side, named)
        if arms:
            _name_arm(tree, arms[side], side, named)
    for place, links in (("waist", trunk), ("neck", head)):
        for joint in tree.joints(links):
            named.add(joint, place, f"{place}_{_plane(joint)}")
    for i, link in enumerate(tree.links):
        for joint in link.joints:
            if joint.index not in named.names:
                beside = _side_of(tree, i, size)
                alone = beside is None or side_in_name(joint.name) == beside
                bare = joint.name if alone else f"{beside}_{joint.name}"
                named.add(joint, "other", bare)
    return Parts(
        {side: Limb(legs[side], tuple(tree.below(legs[side][0]))) for side in SIDES},
        {side: Limb(arm, tuple(tree.below(arm[0]))) for side, arm in arms.items()},
        torso,
        tuple(trunk),
        tuple(head),
        {side: _foot(tree, legs[side], named.places) for side in SIDES},
        named.names,
        named.places,
    )


class _Names:
    """Names given so far; a second joint of the same name gets a number."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.places: dict[int, str] = {}

    def add(self, joint: Hinge, place: str, name: str) -> None:
        self.names[joint.index], self.places[joint.index] = _free(name, self.names.values()), place


def _plane(joint: Hinge) -> str:
    return joint.plane or joint.kind


def _name_leg(tree: Tree, links: tuple[int, ...], side: str, named: _Names) -> None:
    beyond = tuple(i for i in tree.below(links[0]) if i not in links)
    joints = tree.joints(links)
    pitching = [joint for joint in joints if joint.plane == "pitch" or joint.kind == "ball"]
    knee = joints.index(pitching[1]) if len(pitching) > 1 else len(joints)
    for k, joint in enumerate(joints):
        place = "hip" if k < knee else "ankle"
        if joint not in pitching:
            name = f"{place}_{_plane(joint)}"
        else:
            place = ("hip", "knee", "ankle", "toe")[min(pitching.index(joint), 3)]
            name = place if joint.kind == "ball" or place in ("knee", "toe") else f"{place}_pitch"
        named.add(joint, place, f"{side}_{name}")
    for joint in tree.joints(beyond):
        named.add(joint, "toe", f"{side}_toe" if joint.plane == "pitch" else f"{side}_toe_{_plane(joint)}")


def _foot(tree: Tree, links: tuple[int, ...], places: Mapping[int, str]) -> tuple[int, ...]:
    """The links below the last joint of the ankle; the last link of a leg without one."""
    ankles = [i for i in links if any(places[joint.index] == "ankle" for joint in tree.links[i].joints)]
    return tuple(tree.below(ankles[-1] if ankles else links[-1]))


def _trunk(tree: Tree, legs: set[int], size: float) -> tuple[list[int], dict[Side, tuple[int, ...]]]:
    """The middle links from the root up to the one that carries arms (the last heavy one without), and the arms."""
    mass = [sum(tree.links[i].mass for i in tree.below(k)) for k in range(len(tree.links))]
    path, best = [0], [0]
    arms: dict[Side, tuple[int, ...]] = {}
    while True:
        here = path[-1]
        children = [c for c in tree.children(here) if c not in legs]
        pair = _pair(tree, children, mass, size)
        if pair and (not arms or mass[pair["left"]] > mass[arms["left"][0]]):
            arms = {side: _main_chain(tree, first, mass) for side, first in pair.items()}
            best = list(path)
        middle = [c for c in children if c not in pair.values() and abs(_where(tree, c)[1]) < 0.05 * size]
        if not middle:
            break
        path.append(max(middle, key=lambda c: mass[c]))
        if not arms and mass[path[-1]] > 0.03 * mass[0]:
            best = list(path)
    return best, arms


def _pair(tree: Tree, children: list[int], mass: list[float], size: float) -> dict[Side, int]:
    """The heaviest two branches that begin left and right at the same height, with at least two joints each."""
    found: dict[Side, int] = {}
    most = 0.0
    for a in children:
        for b in children:
            pa, pb = _where(tree, a), _where(tree, b)
            apart = pa[1] - pb[1]
            alike = np.hypot(pa[0] - pb[0], pa[2] - pb[2]) < 0.08 * size and abs(pa[1] + pb[1]) < 0.08 * size
            moving = min(len(tree.joints(tree.below(c))) for c in (a, b))
            if apart > 0.05 * size and alike and moving >= 2 and mass[a] + mass[b] > most:
                most, found = mass[a] + mass[b], {"left": a, "right": b}
    return found


def _where(tree: Tree, link: int) -> Array:
    """Where the mass of a branch is."""
    links = [tree.links[i] for i in tree.below(link)]
    mass = sum(part.mass for part in links)
    return sum((part.mass * part.com for part in links), np.zeros(3)) / mass if mass > 0 else links[0].com


def _main_chain(tree: Tree, first: int, mass: list[float]) -> tuple[int, ...]:
    chain = [first]
    while tree.children(chain[-1]):
        chain.append(max(tree.children(chain[-1]), key=lambda c: mass[c]))
    return tuple(chain)


def _head(tree: Tree, torso: int, taken: set[int], size: float) -> list[int]:
    upward = [c for c in tree.children(torso) if c not in taken and abs(_where(tree, c)[1]) < 0.05 * size]
    upward = [c for c in upward if tree.links[c].com[2] > tree.links[torso].com[2]]
    if not upward:
        return []
    return tree.below(max(upward, key=lambda c: max(tree.links[i].com[2] for i in tree.below(c))))


def _name_arm(tree: Tree, links: tuple[int, ...], side: str, named: _Names) -> None:
    joints = tree.joints(links)
    ends = [joint.anchor for joint in joints[1:]] + [tree.links[links[-1]].com]
    length = sum(float(np.linalg.norm(end - joint.anchor)) for joint, end in zip(joints, ends)) or 1.0
    twists = [_twists(joint, ends[k:], length) for k, joint in enumerate(joints)]
    place, bending, seen = "clavicle" if _has_clavicle(joints, twists, length) else "shoulder", joints[0].anchor, False
    for joint, twist in zip(joints, twists):
        far = np.linalg.norm(joint.anchor - bending) > (ELBOW if place == "shoulder" else SPOT) * length
        if place == "clavicle" and far:
            place = "shoulder"
        elif place == "shoulder" and not twist and far and joint.kind == "hinge":
            place = "elbow"
        elif place == "elbow" and not twist:
            place = "wrist"
        if not twist:
            bending = joint.anchor
        if place == "elbow":
            name = "elbow_twist" if seen else "elbow"
            seen = True
        else:
            name = place if joint.kind == "ball" else f"{place}_{_plane(joint)}"
        named.add(joint, place, f"{side}_{name}")


def _twists(joint: Hinge, ends: list[Array], length: float) -> bool:
    """Whether a hinge turns a limb about its own length."""
    bones = [end - joint.anchor for end in ends]
    bone = next((bone for bone in bones if np.linalg.norm(bone) > 0.02 * length), None)
    return bone is not None and bool(abs(joint.axis @ bone) > 0.85 * np.linalg.norm(bone))


def _has_clavicle(joints: list[Hinge], twists: list[bool], length: float) -> bool:
    """Whether the second place with bending hinges has several of them, as a shoulder has, and an elbow follows."""
    places: list[list[Hinge]] = []
    for joint, twist in zip(joints, twists):
        if twist:
            continue
        if places and np.linalg.norm(joint.anchor - places[-1][0].anchor) < SPOT * length:
            places[-1].append(joint)
        else:
            places.append([joint])
    return len(places) > 2 and len(places[1]) > 1 and len(places[2]) == 1


def _side_of(tree: Tree, link: int, size: float) -> str | None:
    y = float(_where(tree, link)[1])
    return None if abs(y) < 0.02 * size else "left" if y > 0 else "right"


def link_names(tree: Tree, parts: Parts, images: Mapping[int, int]) -> tuple[str, ...]:
    """One name for each link, so that the names of mirror images are each other's counterparts."""
    names = _apart([link.name for link in tree.links])
    sides = _sides(tree, parts, images)
    pairs = counterparts(names)
    good = all(
        pairs[names[i]] == (names[images.get(i, i)], sides[i]) for i in range(len(names)) if i in images or sides[i]
    )
    if good and all(pairs[name][0] == name for i, name in enumerate(names) if i not in images):
        return tuple(names)
    made = list(names)
    for i, side in enumerate(sides):
        image = images.get(i, i)
        if side is None:
            made[i] = names[i] if side_in_name(names[i]) is None else f"middle_{names[i]}"
        elif image == i:
            made[i] = f"single_{names[i]}"
        else:
            left = i if side == "left" else image
            made[i] = (
                f"{side}_{names[left]}" if side_in_name(names[left]) is None else f"{side}_{without_left(names[left])}"
            )
    return tuple(_apart(made))


def _sides(tree: Tree, parts: Parts, images: Mapping[int, int]) -> list[str | None]:
    found: list[str | None] = []
    limbs = parts.sides()
    for i, link in enumerate(tree.links):
        image = images.get(i, i)
        if i in limbs:
            found.append(limbs[i])
        elif image == i:
            found.append(None)
        else:
            found.append("left" if link.com[1] > tree.links[image].com[1] else "right")
    return found


def _apart(names: list[str]) -> list[str]:
    """Names made different by numbers."""
    found: list[str] = []
    for name in names:
        found.append(_free(name, found))
    return found


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free
