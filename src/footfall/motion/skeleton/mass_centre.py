"""The centre of mass of a motion: from the figure's own masses, or from a standard body."""

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import find_roles

_SEGMENTS = {
    "hip": ("knee", 0.1, 0.433),
    "knee": ("ankle", 0.0465, 0.433),
    "ankle": ("toe", 0.0145, 0.5),
    "shoulder": ("elbow", 0.028, 0.436),
    "elbow": ("wrist", 0.022, 0.682),
}
"""Limb segment -> its far end, its share of body mass, its centre from the near end (Winter, Biomechanics, table 4.1;
forearm and hand together)."""
_TRUNK, _WITH_ARMS = (0.578, 0.66), (0.678, 0.626)
"""Share of body mass and centre, from the hips to the shoulders, of trunk, head and neck together, and of these with
the arms, for bodies whose arms are not known."""


def centre_of_mass(motion: Motion) -> Array:
    """[T, 3] path of the whole body's centre of mass.

    A skeleton with masses (a figure's) uses them. Captured motion takes Winter's shares of the segments that its names
    reveal, the trunk between the middle of the hips and the middle of the shoulders (or the head, or the root).
    """
    positions, orientations = motion.positions(), motion.orientations()
    skeleton = motion.skeleton
    if skeleton.mass is not None and skeleton.com is not None and skeleton.mass.sum() > 0:
        centres = positions + rotate(orientations, skeleton.com)
        return np.asarray(np.einsum("tjk,j->tk", centres, skeleton.mass / skeleton.mass.sum()))
    centres, shares = mass_points(motion)
    return np.asarray(np.einsum("tjk,j->tk", centres, shares / shares.sum()))


def mass_points(motion: Motion) -> tuple[Array, Array]:
    """Centres [T, S, 3] of the segments of a captured body, and their shares [S] of its mass (Winter's, unscaled)."""
    places = motion.positions()
    roles = find_roles(motion.skeleton)
    centres, shares = [], []
    for side in ("left", "right"):
        for near, (far, mass, share) in _SEGMENTS.items():
            if f"{side}_{near}" not in roles:
                continue
            start = places[:, roles[f"{side}_{near}"]]
            end = places[:, roles.get(f"{side}_{far}", roles[f"{side}_{near}"])]
            centres.append(start + share * (end - start))
            shares.append(mass)
    hips = _middle(places, roles, "hip", roles["pelvis"])
    shoulders = _middle(places, roles, "shoulder", roles.get("head", roles["pelvis"]))
    if not any(role in roles for role in ("left_shoulder", "right_shoulder", "head")):
        shoulders = _top(motion, roles, shoulders)
    mass, share = _TRUNK if any(f"{side}_shoulder" in roles for side in ("left", "right")) else _WITH_ARMS
    centres.append(hips + share * (shoulders - hips))
    shares.append(mass)
    return np.stack(centres, axis=1), np.array(shares)


def _top(motion: Motion, roles: dict[str, int], otherwise: Array) -> Array:
    """[T, 3] the upper end of a trunk without arms and head, as far as the skeleton has one."""
    skeleton = motion.skeleton
    legs = {j for side in ("left", "right") if f"{side}_hip" in roles for j in skeleton.subtree(roles[f"{side}_hip"])}
    tops = [k for k, end in enumerate(skeleton.ends) if end.joint not in legs and end.joint != roles["pelvis"]]
    return motion.end_positions()[:, tops].mean(axis=1) if tops else otherwise


def _middle(positions: Array, roles: dict[str, int], role: str, otherwise: int) -> Array:
    pair = [roles[f"{side}_{role}"] for side in ("left", "right") if f"{side}_{role}" in roles]
    return np.asarray(positions[:, pair or [otherwise]].mean(axis=1))
