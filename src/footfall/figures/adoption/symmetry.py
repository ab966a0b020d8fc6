"""Left and right paired by shape, and made mirror images by averaging: CAD files differ by a few per mille.

With y to the left, M = diag(1, -1, 1) reflects positions; an axis of rotation reflects to -M a. Both sides take the
mean of one and the image of the other; middle links the mean of themselves and their own image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.tree import Hinge, Tree, TreeLink
from footfall.figures.mirror import AXIAL, POLAR

Array = NDArray[np.float64]

APART = 0.08
"""Two links are a pair if their positions differ by less than this share of the body's size."""


SIZES = ("mass", "inertia", "place", "axis", "range")


@dataclass(frozen=True)
class Asymmetry:
    """The largest differences between two sides: of masses, inertias (shares), positions (m), axes, ranges (rad)."""

    mass: float = 0.0
    inertia: float = 0.0
    place: float = 0.0
    axis: float = 0.0
    range: float = 0.0
    link: str = ""
    """Where the positions differ most."""

    def __or__(self, other: Asymmetry) -> Asymmetry:
        most = {name: max(getattr(self, name), getattr(other, name)) for name in SIZES}
        return Asymmetry(**most, link=(self if self.place >= other.place else other).link)


def paired(tree: Tree, legs: tuple[Sequence[int], Sequence[int]]) -> dict[int, int]:
    """Each link with its mirror image, itself for a middle one; links without an image are left out.

    Args:
        tree: the body.
        legs: links of the left and the right leg, which are a pair even where both are in the middle (in the plane).
    """
    size = tree.span
    images, queue = {0: 0}, [(0, 0)]
    if len(legs[0]) == len(legs[1]) and all(_alike(tree, a, b) for a, b in zip(*legs)):
        for a, b in zip(*legs):
            images[a], images[b] = b, a
            queue.append((a, b))
    while queue:
        left, right = queue.pop(0)
        ones, others = tree.children(left), tree.children(right)
        offers = sorted(
            (_distance(tree, a, b), a, b)
            for a in ones
            for b in others
            if _alike(tree, a, b) and (left != right or a <= b)
        )
        for distance, a, b in offers:
            if a in images or b in images or distance > APART * size:
                continue
            images[a], images[b] = b, a
            queue.append((a, b))
    return images


def _alike(tree: Tree, a: int, b: int) -> bool:
    kinds = [[joint.kind for joint in tree.links[i].joints] for i in (a, b)]
    return kinds[0] == kinds[1] and len(tree.below(a)) == len(tree.below(b))


def _distance(tree: Tree, a: int, b: int) -> float:
    """Between a link and the image of another, by their joints' positions and their masses."""
    one, other = tree.links[a], tree.links[b]
    places = [(one.com, other.com), *((p.anchor, q.anchor) for p, q in zip(one.joints, other.joints))]
    return max(float(np.linalg.norm(p - POLAR * q)) for p, q in places) * (0.5 if a == b else 1.0)


def averaged(tree: Tree, images: Mapping[int, int]) -> tuple[Tree, Asymmetry]:
    """The tree with paired links made mirror images of each other, and how different they were."""
    links = list(tree.links)
    worst = Asymmetry()
    for a, b in images.items():
        if a > b:
            continue
        links[a], links[b], difference = _mean(tree.links[a], tree.links[b], a == b)
        worst = worst | replace(difference, link=tree.links[a].name)
    return replace(tree, links=tuple(links)), worst


def _mean(one: TreeLink, other: TreeLink, middle: bool) -> tuple[TreeLink, TreeLink, Asymmetry]:
    mass = 0.5 * (one.mass + other.mass)
    com = 0.5 * (one.com + POLAR * other.com)
    image = POLAR[:, None] * other.inertia * POLAR
    inertia = 0.5 * (one.inertia + image)
    joints, mirrored, differences = [], [], Asymmetry()
    for p, q in zip(one.joints, other.joints):
        first, second, difference = _mean_joint(p, q)
        joints.append(first)
        mirrored.append(second)
        differences = differences | difference
    difference = Asymmetry(
        mass=abs(one.mass - other.mass) / max(mass, 1e-9),
        inertia=float(np.abs(one.inertia - image).max()) / max(float(np.trace(inertia)), 1e-12),
        place=float(np.linalg.norm(one.com - POLAR * other.com)) if mass > 0 else 0.0,
    )
    left = replace(one, mass=mass, com=com, inertia=inertia, joints=tuple(joints))
    reflected = POLAR[:, None] * inertia * POLAR
    right = replace(other, mass=mass, com=POLAR * com, inertia=reflected, joints=tuple(mirrored))
    return left, (left if middle else right), differences | difference


def _mean_joint(one: Hinge, other: Hinge) -> tuple[Hinge, Hinge, Asymmetry]:
    anchor = 0.5 * (one.anchor + POLAR * other.anchor)
    reflect = POLAR if one.kind == "slide" else AXIAL
    image = reflect * other.axis
    sign = 1.0 if image @ one.axis >= 0 else -1.0
    axis = one.axis + sign * image
    axis = axis / np.linalg.norm(axis)
    turned = other if sign > 0 else replace(other, lower=-other.upper, upper=-other.lower, rest=-other.rest)
    ends = (one.lower, turned.lower), (one.upper, turned.upper)
    lower, upper = (float(np.mean(pair)) if np.isfinite(pair).all() else pair[0] for pair in ends)
    numbers = {
        name: 0.5 * (getattr(one, name) + getattr(turned, name))
        for name in ("armature", "damping", "friction", "stiffness", "rest")
    }
    first = replace(one, anchor=anchor, axis=axis, lower=lower, upper=upper, **numbers)
    second = replace(first, index=other.index, name=other.name, anchor=POLAR * anchor, axis=sign * reflect * axis)
    if sign < 0:
        second = replace(second, lower=-upper, upper=-lower, rest=-first.rest)
    finite = [abs(a - b) for a, b in ends if np.isfinite(a) and np.isfinite(b)]
    return (
        first,
        second,
        Asymmetry(
            place=float(np.linalg.norm(one.anchor - POLAR * other.anchor)),
            axis=float(np.arccos(np.clip(abs(image @ one.axis), -1.0, 1.0))) if one.kind != "ball" else 0.0,
            range=max(finite, default=0.0),
        ),
    )
