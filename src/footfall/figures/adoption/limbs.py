"""How a body stands: in its file's own pose, or turned until its legs are below it; its legs by shape, the two limbs
that reach the ground; the link that carries them, and which way the body looks.

Names only confirm: they break the tie between the two ways along the line from heel to toe.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.adoption.source import Source
from footfall.figures.adoption.tree import Tree, link_points, take_tree
from footfall.figures.mjcf import joint_kind
from footfall.figures.side_names import side_in_name

Array = NDArray[np.float64]

NEAR = 0.06
"""A link whose lowest point is within this share of the body's height above the lowest of all is near the ground."""
FOOT_HEIGHT = 0.22
"""Branches lower than this share of the height are toes of one foot, not limbs."""


@dataclass(frozen=True)
class Stance:
    """How a body stands.

    Attributes:
        hub: the link that carries the legs.
        legs: for either leg the links from the first below the hub to those of its foot; left and right come later.
        turn: [3, 3] rotation from the file's world to x forward, y left, z up.
        left: index of the left leg in ``legs``.
        signs: what was said about the direction.
        sure: whether all that spoke of the direction agreed.
    """

    hub: int
    legs: tuple[tuple[int, ...], tuple[int, ...]]
    turn: Array
    left: int
    signs: tuple[str, ...]
    sure: bool


_LEG = re.compile(r"leg|thigh|shank|shin|knee|ankle|foot|femur|tibia|calf", re.IGNORECASE)


def named_legs(tree: Tree, stance: Stance) -> bool:
    """Whether names of the file confirm that its legs are legs."""
    links = [tree.links[i] for leg in stance.legs for i in leg]
    return any(_LEG.search(name) for link in links for name in (link.name, *(joint.name for joint in link.joints)))


def find_stance(tree: Tree, planar: bool, where: str, forward: str | None = None) -> Stance:
    """Find the legs of a body that stands with z up.

    Args:
        tree: of the model in its own pose, z up, rooted as in the file.
        planar: whether the file moves it in its x-z plane alone.
        where: names the file in errors.
        forward: 'x', '-x', 'y' or '-y' of the file's world, or None to find it.

    Raises:
        FootfallError: it does not have two legs to stand on: says what it has instead.
    """
    clouds = [link_points(tree, link) for link in tree.links]
    low = np.array([cloud[:, 2].min() for cloud in clouds])
    ground, top = float(low.min()), float(max(cloud[:, 2].max() for cloud in clouds))
    height = top - ground
    near = {i for i in range(1, len(tree.links)) if low[i] < ground + NEAR * height}
    limbs = _limbs(tree, near, ground + FOOT_HEIGHT * height)
    _refuse(tree, limbs, near, where)
    hub = _hub(tree, limbs)
    legs = [
        _leg_links(tree, hub, min(limb, key=lambda i: (round(float(low[i]) / (0.02 * height)), -i))) for limb in limbs
    ]
    _check_legs(tree, legs, clouds, where)
    hips = [np.array(_first_joint(tree, leg)) for leg in legs]
    across = np.array([0.0, 1.0, 0.0]) if planar else _across(tree, legs, hips, height, where)
    if planar and abs(hips[0][0] - hips[1][0]) > 0.15 * height:
        raise FootfallError(f"{where}: its legs are one behind the other, as a four-legged animal's in the plane; "
                            "footfall walks bodies with two legs")  # fmt: skip
    _check_knees(tree, legs, across, where)
    ahead = np.array([across[1], -across[0], 0.0])  # with leg 0 on the left
    votes = _votes(tree, legs, clouds, ahead, height)
    if planar:
        votes = [vote for vote in votes if not vote[0].startswith("names")]
    elif forward is not None:
        axis = {"x": [1, 0, 0], "-x": [-1, 0, 0], "y": [0, 1, 0], "-y": [0, -1, 0]}[forward]
        votes = [(f"the file beside it says {forward}", 9.0 * float(np.sign(ahead @ axis)))]
    sign = 1.0 if sum(weight for _, weight in votes) >= 0 else -1.0
    ahead = sign * ahead
    left = np.array([-ahead[1], ahead[0], 0.0])
    turn = np.stack([ahead, left, [0.0, 0.0, 1.0]])
    if abs(turn[0, 0]) > np.cos(0.1):  # looks along x but for a few degrees of CAD: leave it
        turn = np.diag([np.sign(turn[0, 0]), np.sign(turn[0, 0]), 1.0])
    elif abs(turn[0, 1]) > np.cos(0.1):
        s = float(np.sign(turn[0, 1]))
        turn = np.array([[0.0, s, 0.0], [-s, 0.0, 0.0], [0.0, 0.0, 1.0]])
    agree = planar or all(np.sign(weight) == sign for _, weight in votes if weight)
    words = tuple(text if weight * sign > 0 else f"but: not {text}" for text, weight in votes if weight)
    return Stance(hub, (legs[0], legs[1]), turn, _left(tree, legs) if planar else int(sign < 0), words, agree)


def _across(tree: Tree, legs: list[tuple[int, ...]], hips: list[Array], height: float, where: str) -> Array:
    """[3] the level way from the second leg to the first, of length 1."""
    across = (hips[0] - hips[1]) * [1.0, 1.0, 0.0]
    if np.linalg.norm(across) < 0.02 * height:
        across = (tree.links[legs[0][-1]].com - tree.links[legs[1][-1]].com) * [1.0, 1.0, 0.0]
    if np.linalg.norm(across) < 0.01 * height:
        raise FootfallError(f"{where}: its two legs are not side by side")
    return np.asarray(across / np.linalg.norm(across))


def _left(tree: Tree, legs: list[tuple[int, ...]]) -> int:
    """Which leg of a body in the plane is the left one, by its links' names."""
    names = [[side_in_name(tree.links[i].name) for i in leg] for leg in legs]
    return int("left" in names[1] or "right" in names[0])


def _limbs(tree: Tree, near: set[int], floor: float) -> list[set[int]]:
    """Sets of links near the ground, one for each limb: links that share a branch above ``floor`` are several limbs."""
    carries = {i: bool(near & set(tree.below(i))) for i in range(len(tree.links))}

    def split(link: int) -> list[set[int]]:
        branches = [child for child in tree.children(link) if carries[child]]
        found = [limb for child in branches for limb in split(child)]
        joints = [joint.anchor[2] for child in branches for joint in tree.links[child].joints[:1]]
        if len(found) > 1 and joints and max(joints) < floor:
            found = [set().union(*found)]
        if link in near:
            if len(found) <= 1:
                found = [{link, *(found[0] if found else ())}]
            else:
                found.append({link})
        return found

    return split(0)


def _check_legs(tree: Tree, legs: list[tuple[int, ...]], clouds: list[Array], where: str) -> None:
    """Refuse limbs that only hang lowest: arms of a trunk without legs, limbs of a body that lies or floats."""
    size = float(np.ptp(np.concatenate(clouds), axis=0).max())
    hips = min(_first_joint(tree, leg)[2] for leg in legs)
    ground = min(float(cloud[:, 2].min()) for cloud in clouds)
    joints = [tree.joints(leg) for leg in legs]
    limbs = {i for leg in legs for i in tree.below(leg[0])}
    rest = [link for i, link in enumerate(tree.links) if i not in limbs]
    trunk = sum(link.mass * link.com[2] for link in rest) / max(sum(link.mass for link in rest), 1e-12)
    if hips - ground < 0.2 * size or min(map(len, joints)) < 2 or trunk < hips - 0.15 * (hips - ground):
        raise FootfallError(f"{where}: it has no legs to stand on; footfall walks bodies with two legs")


def _check_knees(tree: Tree, legs: list[tuple[int, ...]], across: Array, where: str) -> None:
    for leg in legs:
        joints = tree.joints(leg)
        bending = [j for j in joints if j.kind == "ball" or (j.kind == "hinge" and abs(j.axis @ across) > 0.7)]
        if len(bending) < 2:
            raise FootfallError(
                f"{where}: its legs have no knees that bend forward and back; footfall needs hips and knees"
            )


def _refuse(tree: Tree, limbs: list[set[int]], near: set[int], where: str) -> None:
    wheels = [tree.links[i].name for i in near if _is_wheel(tree, i)]
    if wheels:
        raise FootfallError(f"{where}: it rolls on wheels ('{wheels[0]}'); footfall walks bodies with two legs")
    if len(limbs) != 2:
        names = ", ".join(f"'{tree.links[max(limb)].name}'" for limb in limbs)
        kind = {0: "no legs", 1: "one leg", 3: "three legs", 4: "four legs"}.get(len(limbs), f"{len(limbs)} legs")
        found = f" (reaching the ground: {names})" if names else ""
        raise FootfallError(f"{where}: it has {kind}{found}; footfall walks bodies with two legs")


def _is_wheel(tree: Tree, link: int) -> bool:
    """A hinge without limits about a level axis, with a surface that stays as low however it turns."""
    joints = tree.links[link].joints
    if len(joints) != 1 or joints[0].kind != "hinge" or np.isfinite(joints[0].lower) or abs(joints[0].axis[2]) > 0.3:
        return False
    arm = link_points(tree, tree.links[link]) - joints[0].anchor
    away = arm - np.outer(arm @ joints[0].axis, joints[0].axis)
    round_ = [
        np.max(away @ d) for d in (np.array([0, 0, -1.0]), np.array([0, 0, 1.0]), np.cross(joints[0].axis, [0, 0, 1]))
    ]
    return bool(min(round_) > 0.85 * max(round_))


def _hub(tree: Tree, limbs: list[set[int]]) -> int:
    first, second = (tree.chain(min(limb)) for limb in limbs)
    common = [i for i in first if i in second]
    return common[-1]


def _leg_links(tree: Tree, hub: int, foot: int) -> tuple[int, ...]:
    while len(tree.children(foot)) == 1:
        foot = tree.children(foot)[0]
    chain = tree.chain(foot)
    return tuple(chain[chain.index(hub) + 1 :])


def _first_joint(tree: Tree, leg: tuple[int, ...]) -> Array:
    return tree.links[leg[0]].joints[0].anchor


def _ankle(tree: Tree, leg: tuple[int, ...], across: Array) -> Array:
    """The third pitching hinge of a leg, or the last one that there is."""
    pitching = [j for j in tree.joints(leg) if j.kind == "hinge" and abs(j.axis @ across) > 0.8]
    return pitching[min(2, len(pitching) - 1)].anchor if pitching else tree.links[leg[-1]].com


def _votes(
    tree: Tree, legs: list[tuple[int, ...]], clouds: list[Array], ahead: Array, height: float
) -> list[tuple[str, float]]:
    """What speaks for ``ahead`` (weight above zero) or against it."""
    votes: list[tuple[str, float]] = []
    reach = 0.0
    for leg in legs:
        ankle = _ankle(tree, leg, np.cross([0.0, 0.0, 1.0], ahead))
        foot = np.concatenate([clouds[i] for i in tree.below(leg[-1])])
        sole = foot[foot[:, 2] < foot[:, 2].min() + max(0.6 * (ankle[2] - foot[:, 2].min()), 0.01 * height)]
        along = sole @ ahead
        reach += 0.5 * float(along.max() + along.min() - 2.0 * ankle @ ahead)
    if abs(reach) > 0.02 * height:
        votes.append(("feet reach ahead of the ankles", 2.0 * float(np.sign(reach))))
    named = 0.0
    for k, leg in enumerate(legs):
        for i in leg:
            for name in (tree.links[i].name, *(joint.name for joint in tree.links[i].joints)):
                side = side_in_name(name)
                if side:
                    named += (1.0 if side == "left" else -1.0) * (1.0 if k == 0 else -1.0)
    if named:
        votes.append(("names of left and right", 3.0 * float(np.sign(named))))
    if abs(ahead[0]) > 0.7:
        votes.append(("along the file's x axis", 0.8 * float(np.sign(ahead[0]))))
    bends = 0.0
    across = np.cross([0.0, 0.0, 1.0], ahead)
    for leg in legs:
        pitching = [j for j in tree.joints(leg) if j.kind == "hinge" and abs(j.axis @ across) > 0.8]
        if len(pitching) > 1 and np.isfinite(pitching[1].lower):
            bends += float(np.sign(pitching[1].lower + pitching[1].upper) * np.sign(pitching[1].axis @ across))
    if bends:
        votes.append(("knees bend backward", 0.7 * float(np.sign(bends))))
    return votes


_HALF = np.sqrt(0.5)
TURNS = {
    "z": (1.0, 0.0, 0.0, 0.0),
    "y": (_HALF, _HALF, 0.0, 0.0),
    "x": (_HALF, 0.0, -_HALF, 0.0),
    "-x": (_HALF, 0.0, _HALF, 0.0),
    "-y": (_HALF, -_HALF, 0.0, 0.0),
}
"""Quaternions that bring an axis of the file's world upright."""


def is_planar(source: Source) -> bool:
    """Whether the file moves its body in a plane alone."""
    return joint_kind(source.model, 0) != "free"


def stand_up(
    source: Source, welded: Collection[int], up: str | None = None, forward: str | None = None
) -> tuple[Tree, Stance, str]:
    """The body on its legs: its tree in the file's axes with z up, its stance, and the axis that is up in the file.

    The file's own pose is tried first; a body that lies there, or whose file has another axis up, is turned.

    Raises:
        FootfallError: it has no two legs whichever way it is turned.
    """
    model, where = source.model, source.path.name
    if is_planar(source):
        tree = take_tree(model, model.qpos0, np.eye(3), welded)
        return tree, find_stance(tree, True, where, forward), "z"
    first: FootfallError | None = None
    for axis in [up] if up else list(TURNS):
        qpos = np.array(model.qpos0)
        turn = np.array(TURNS[axis])
        at, quaternion = np.zeros(3), np.zeros(4)
        mujoco.mju_rotVecQuat(at, qpos[:3], turn)
        mujoco.mju_mulQuat(quaternion, turn, qpos[3:7])
        qpos[:3], qpos[3:7] = at, quaternion
        tree = take_tree(model, qpos, np.eye(3), welded)
        try:
            stance = find_stance(tree, False, where, forward)
            if axis == "z" or up or named_legs(tree, stance):  # what lies or hangs must at least be called a leg
                return tree, stance, axis
        except FootfallError as error:
            first = first or error
            if not any(words in str(error) for words in ("no legs", "one leg", "no knees")):
                break
    assert first is not None
    raise first
