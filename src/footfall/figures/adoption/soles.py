"""Where a body meets the ground: the corners of its soles, and points off the feet whose touch means a fall.

The sole of a link of the foot is the rectangle around the lowest part of its surface, a line where it is narrow, a
point where it is round. Where meshes are missing the ground is taken from a key frame that stands, or from the box of
the foot's inertia, and said so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.roles import Parts
from footfall.figures.adoption.tree import Tree, has_shape, inertia_box, link_points
from footfall.figures.mirror import POLAR
from footfall.figures.mjcf import posed

Array = NDArray[np.float64]

THICK = 0.012
"""The sole is what is within this share of the leg's length above its lowest point."""
NARROW = 0.03
"""A sole that is shorter than this share of the leg's length is a point; narrower than a third of that, a line."""


@dataclass(frozen=True)
class ContactPoints:
    """Points by name: the link and the position, in the tree's axes.

    Attributes:
        soles: points of the feet.
        falls: points off the feet.
        guessed: how the soles were guessed, where no surface shows them; empty otherwise.
        ground: height of the ground below the zero pose.
    """

    soles: dict[str, tuple[int, Array]]
    falls: dict[str, tuple[int, Array]]
    guessed: str
    ground: float


def find_contacts(
    tree: Tree, parts: Parts, planar: bool, given: tuple[float, float, float, float] | None
) -> ContactPoints:
    """The points of a body in its zero pose.

    Args:
        tree: in the zero pose, x forward.
        parts: of the body.
        planar: whether it moves in the x-z plane alone; soles then have no width.
        given: heel and toe ahead of the ankle, width, and the sole's depth below the ankle, or None to find them.
    """
    soles: dict[str, tuple[int, Array]] = {}
    guessed = ""
    for side, leg in parts.legs.items():
        foot = parts.feet[side]
        if given is not None:
            rectangles = [(foot[0], *_given(tree, foot[0], given))]
        elif any(has_shape(tree, tree.links[i]) for i in foot):
            rectangles = _seen(tree, foot, _leg_length(tree, leg.links))
        else:
            has_ankle = any(parts.places[joint.index] == "ankle" for joint in tree.links[foot[0]].joints)
            rectangle, guessed = _guessed(tree, foot[0], _leg_length(tree, leg.links), has_ankle)
            rectangles = [(foot[0], *rectangle)]
        for k, (link, low, high) in enumerate(rectangles):
            label = side if k == 0 else f"{side}_toes" if k == 1 else f"{side}_toes{k}"
            length = _leg_length(tree, leg.links)
            for name, place in _corners(label, side, low, high, length, planar).items():
                soles[name] = (link, place)
    soles = _alike(soles)
    ground = min(float(place[2]) for _, place in soles.values())
    return ContactPoints(soles, _falls(tree, parts), guessed, ground)


def _alike(soles: dict[str, tuple[int, Array]]) -> dict[str, tuple[int, Array]]:
    """Both sides as mirror images, where they have the same points."""
    found = dict(soles)
    for name, (link, place) in soles.items():
        other = name.replace("left", "right", 1)
        if name.startswith("left") and other in soles and np.abs(place - POLAR * soles[other][1]).max() < 0.02:
            mean = 0.5 * (place + POLAR * soles[other][1])
            found[name], found[other] = (link, mean), (soles[other][0], POLAR * mean)
    return found


def _leg_length(tree: Tree, links: tuple[int, ...]) -> float:
    first = tree.links[links[0]].joints[0].anchor
    return float(first[2] - min(link_points(tree, tree.links[i])[:, 2].min() for i in links))


def _seen(tree: Tree, foot: tuple[int, ...], length: float) -> list[tuple[int, Array, Array]]:
    clouds = {i: link_points(tree, tree.links[i]) for i in foot if has_shape(tree, tree.links[i])}
    lowest = min(float(cloud[:, 2].min()) for cloud in clouds.values())
    found = []
    for i, cloud in clouds.items():
        bottom = float(cloud[:, 2].min())
        if bottom < lowest + 2.0 * THICK * length:
            sole = cloud[cloud[:, 2] < bottom + THICK * length]
            low, high = sole.min(axis=0), sole.max(axis=0)
            high[2] = low[2] = bottom
            found.append((i, low, high))
    return found


def _given(tree: Tree, foot: int, given: tuple[float, float, float, float]) -> tuple[Array, Array]:
    heel, toe, width, depth = given
    ankle = _last_anchor(tree, foot)
    return ankle + np.array([heel, -0.5 * width, -depth]), ankle + np.array([toe, 0.5 * width, -depth])


def _guessed(tree: Tree, foot: int, length: float, has_ankle: bool) -> tuple[tuple[Array, Array], str]:
    """A sole without a surface: the box of the foot's inertia, at the height of a key frame that stands or of the
    lowest frame that the file fixes to the foot; the lower end of a leg without an ankle."""
    centre, axes, half = inertia_box(tree.links[foot])
    reach = np.minimum(np.abs(axes) @ half, 0.16 * length)
    low, high = centre - reach, centre + reach
    frames = [tree.place(tree.data.xpos[b]) for b in tree.links[foot].bodies[1:]]
    lowest = min(frames, key=lambda place: float(place[2]), default=None)
    if not has_ankle:
        tip = (
            np.array([centre[0], centre[1], low[2]]) if lowest is None or lowest[2] > low[2] + 0.1 * length else lowest
        )
        return (tip, np.array(tip)), "the lower end of the leg: its shape is missing"
    ankle, ground = float(_last_anchor(tree, foot)[2]), _standing_key(tree, foot, length)
    how = "the box of the foot's inertia"
    if ground is not None:
        how = f"the height of a key frame and {how}"
    elif lowest is not None and 0.01 * length < ankle - lowest[2] < 0.3 * length:
        ground, how = float(lowest[2]), f"the lowest frame in the foot and {how}"
    high[2] = low[2] = low[2] if ground is None else ground
    return (low, high), f"{how}: its shape is missing"


def _standing_key(tree: Tree, foot: int, length: float) -> float | None:
    """The height of the ground, in the tree's axes, by a key frame that stands on level feet."""
    model, ankle = tree.model, _last_anchor(tree, foot)
    body, joints = tree.links[foot].bodies[0], tree.links[foot].joints
    zero = tree.data.xmat[body].reshape(3, 3)
    for k in range(model.nkey):
        data = posed(model, model.key_qpos[k])
        level = zero[2] @ data.xmat[body].reshape(3, 3)[2] > np.cos(0.03)
        below = float(data.xanchor[joints[-1].index][2]) if joints else 0.0
        if level and 0.02 * length < below < 0.3 * length:
            return float(ankle[2]) - below
    return None


def _last_anchor(tree: Tree, link: int) -> Array:
    joints = tree.links[link].joints
    return joints[-1].anchor if joints else tree.links[link].com


def _corners(label: str, side: str, low: Array, high: Array, length: float, planar: bool) -> dict[str, Array]:
    x0, y0, z = low
    x1, y1, _ = high
    middle = 0.5 * (y0 + y1)
    if x1 - x0 < NARROW * length:
        return {f"{label}_sole": np.array([0.5 * (x0 + x1), middle, z])}
    if planar or y1 - y0 < NARROW * length / 3.0:
        return {f"{label}_heel": np.array([x0, middle, z]), f"{label}_toe": np.array([x1, middle, z])}
    inner, outer = (y0, y1) if side == "left" else (y1, y0)
    return {
        f"{label}_inner_heel": np.array([x0, inner, z]),
        f"{label}_outer_heel": np.array([x0, outer, z]),
        f"{label}_inner_toe": np.array([x1, inner, z]),
        f"{label}_outer_toe": np.array([x1, outer, z]),
    }


def _falls(tree: Tree, parts: Parts) -> dict[str, tuple[int, Array]]:
    """Points on pelvis, head, knees and hands."""
    falls: dict[str, tuple[int, Array]] = {}
    hips = np.mean([_hip(tree, leg.links) for leg in parts.legs.values()], axis=0)
    falls["pelvis"] = (0, hips * [1.0, 0.0, 1.0])
    trunk = [*parts.trunk, *parts.head]
    tops = {i: link_points(tree, tree.links[i]) for i in trunk}
    top = max(trunk, key=lambda i: tops[i][:, 2].max())
    highest = tops[top][np.argmax(tops[top][:, 2])]
    falls["head"] = (top, highest * [1.0, 0.0, 1.0])
    for side, leg in parts.legs.items():
        for i in leg.links:
            for joint in tree.links[i].joints:
                if parts.names[joint.index] == f"{side}_knee" and i != parts.feet[side][0]:
                    falls[f"{side}_knee"] = (i, joint.anchor)
    for side, arm in parts.arms.items():
        cloud = link_points(tree, tree.links[arm.links[-1]])
        falls[f"{side}_hand"] = (arm.links[-1], cloud[np.argmin(cloud[:, 2])])
    return falls


def _hip(tree: Tree, links: tuple[int, ...]) -> Array:
    joints = tree.joints(links)
    return next((joint.anchor for joint in joints if joint.plane == "pitch"), joints[0].anchor)
