"""Legs: whether a skeleton has them by name."""

from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton


def has_legs(skeleton: Skeleton) -> bool:
    """Whether the names tell where thigh, shank and foot of a leg are."""
    roles = find_roles(skeleton)
    return any(all(f"{side}_{role}" in roles for role in ("hip", "knee", "ankle")) for side in ("left", "right"))
