"""The zero pose: legs straight down, soles level, arms hanging, everything else as in the file.

footfall's joint angles are zero when a limb hangs straight, so that a controller's targets mean the same on every body.
A limb that already hangs straight to within a few degrees is left as the file has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.roles import Parts
from footfall.figures.adoption.tree import Hinge, Tree, has_shape, link_points
from footfall.figures.mirror import POLAR
from footfall.figures.mjcf import joint_kind

Array = NDArray[np.float64]

STRAIGHT = 0.12
"""A limb within this angle of the vertical is straight as it is."""
LEVEL = 0.1


def zero_pose(tree: Tree, parts: Parts, again: Callable[[Array], Tree]) -> Array:
    """[nq] of the original model, its limbs hanging straight.

    Args:
        tree: the body as the file poses it, rooted at its legs, x forward.
        parts: its parts.
        again: gives the same tree in another pose.
    """
    qpos = np.array(tree.qpos)
    for side, leg in parts.legs.items():
        tree = _straighten_leg(tree, leg.links, parts.feet[side], parts, again)
    before = np.array(tree.qpos)
    for arm in parts.arms.values():
        _hang_arm(tree, arm.links, parts)
        tree = again(tree.qpos)
    if parts.arms and _lopsided(tree, parts) > _lopsided(again(before), parts) + 0.01:
        tree = again(before)
    root = 7 if joint_kind(tree.model, 0) == "free" else 3
    return np.concatenate([qpos[:root], tree.qpos[root:]])


def _lopsided(tree: Tree, parts: Parts) -> float:
    """How far the arms are from mirror images of each other, metres."""
    left, right = ([joint.anchor for joint in tree.joints(parts.arms[side].links)] for side in ("left", "right"))
    return max((float(np.linalg.norm(a - b * POLAR)) for a, b in zip(left, right)), default=0.0)


def _straighten_leg(
    tree: Tree, links: tuple[int, ...], foot: tuple[int, ...], parts: Parts, again: Callable[[Array], Tree]
) -> Tree:
    hip, knee, ankle = (_pitching(tree, links, parts, place) for place in ("hip", "knee", "ankle"))
    if hip is None or knee is None:
        return tree
    bent = [_lean(knee.anchor - hip.anchor)]
    end = ankle.anchor if ankle else _sole_centre(tree, links)
    bent.append(_lean(end - knee.anchor))
    level = abs(_slope(tree, foot)) < LEVEL or ankle is None
    if max(map(abs, bent)) < STRAIGHT and level:
        return tree
    flat = _slope(tree, foot) if any(has_shape(tree, tree.links[i]) for i in foot) else 0.0
    qpos = np.array(tree.qpos)
    turned = 0.0
    if max(map(abs, bent)) >= STRAIGHT:
        for joint, lean in ((hip, bent[0]), (knee, bent[1])):
            wanted = -lean - turned  # about -y, on top of what the joints above turn it
            qpos[_address(tree, joint)] += wanted * np.sign(-joint.axis[1])
            turned += wanted
    if ankle is not None:
        wanted = -turned - (flat if abs(flat) >= LEVEL else 0.0)
        qpos[_address(tree, ankle)] += wanted * np.sign(-ankle.axis[1])
    return again(qpos)


def _pitching(tree: Tree, links: tuple[int, ...], parts: Parts, place: str) -> Hinge | None:
    joints = iter(tree.joints(links))
    return next((j for j in joints if parts.places[j.index] == place and j.plane == "pitch"), None)


def _lean(bone: Array) -> float:
    """How far forward of straight down a bone points, about -y."""
    return float(np.arctan2(bone[0], -bone[2]))


def _sole_centre(tree: Tree, links: tuple[int, ...]) -> Array:
    cloud = link_points(tree, tree.links[links[-1]])
    return np.asarray(cloud[cloud[:, 2] < cloud[:, 2].min() + 0.01].mean(axis=0))


def _slope(tree: Tree, foot: tuple[int, ...]) -> float:
    """How far a sole points up, about -y: along its undersides at heel and toe."""
    cloud = np.concatenate([link_points(tree, tree.links[i]) for i in foot])
    back, front = np.quantile(cloud[:, 0], [0.0, 1.0])
    heel = cloud[cloud[:, 0] < back + 0.3 * (front - back)]
    toe = cloud[cloud[:, 0] > front - 0.3 * (front - back)]
    low, high = heel[np.argmin(heel[:, 2])], toe[np.argmin(toe[:, 2])]
    run = float(high[0] - low[0])
    return float(np.arctan2(high[2] - low[2], run)) if run > 0.02 else 0.0


def _address(tree: Tree, joint: Hinge) -> int:
    return int(tree.model.jnt_qposadr[joint.index])


def _hang_arm(tree: Tree, links: tuple[int, ...], parts: Parts) -> None:
    """Turn the shoulder's bending hinges, then the elbow, within their ranges and no more than needed."""
    joints = [joint for joint in tree.joints(links) if joint.kind == "hinge"]
    elbow = next((joint for joint in joints if parts.places[joint.index] == "elbow"), None)
    shoulder = [joint for joint in joints if parts.places[joint.index] == "shoulder"]
    if elbow is None or not shoulder:
        return
    along = elbow.anchor - shoulder[0].anchor
    bending = [j for j in shoulder if abs(j.axis @ along) < 0.8 * np.linalg.norm(along)] or shoulder
    after = [j for j in joints[joints.index(elbow) + 1 :] if np.linalg.norm(j.anchor - elbow.anchor) > 0.02]
    hand = tree.links[links[-1]].bodies[0]
    _hang(tree, bending, lambda data: data.xanchor[elbow.index] - data.xanchor[bending[-1].index])
    _hang(
        tree,
        [elbow],
        lambda data: (data.xanchor[after[-1].index] if after else data.xipos[hand]) - data.xanchor[elbow.index],
    )


def _hang(tree: Tree, free: list[Hinge], bone: Callable[[Any], Array]) -> None:
    """Turn joints until a bone points down, where it does not nearly so already."""
    from scipy.optimize import least_squares  # heavy; few bodies need it

    model, data, base = tree.model, tree.data, np.array(tree.qpos)
    at = [_address(tree, joint) for joint in free]
    lower, upper = (np.array([_bound(model, joint, k) for joint in free]) for k in (0, 1))
    down = tree.turn.T @ [0.0, 0.0, -1.0]

    def miss(angles: Array) -> Array:
        data.qpos[:] = base
        data.qpos[at] = angles
        mujoco.mj_kinematics(model, data)
        vector = bone(data)
        return np.concatenate([vector / max(float(np.linalg.norm(vector)), 1e-9) - down, 0.1 * (angles - base[at])])

    if np.linalg.norm(miss(base[at])[:3]) < 3.0 * STRAIGHT:
        return
    inside = np.clip(base[at], lower + 1e-6, upper - 1e-6)
    found = min((least_squares(miss, np.clip(inside + shift, lower + 1e-6, upper - 1e-6), bounds=(lower, upper))
                 for shift in (0.0, 0.7, -0.7)), key=lambda result: result.cost)  # fmt: skip
    tree.qpos[at] = np.round(found.x, 9)
    miss(found.x)


def _bound(model: Any, joint: Hinge, k: int) -> float:
    return float(model.jnt_range[joint.index][k]) if model.jnt_limited[joint.index] else (-np.pi, np.pi)[k]
