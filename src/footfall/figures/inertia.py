"""Mass properties: about the centre of mass and in fixed axes, how they add, stretch and come from rods; gravity."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GRAVITY = 9.81
"""m/s², of people and of figures whose files have none; else a figure has its own (``Figure.gravity``)."""
"""Metres a second squared."""


def about(mass: Array, offset: Array) -> Array:
    """Inertia [..., 3, 3] of a point mass [...] at ``offset`` [..., 3] from where it is measured: m (r·r 1 − r rᵀ)."""
    square = np.sum(offset * offset, axis=-1)[..., None, None] * np.eye(3)
    tensor: Array = np.asarray(mass)[..., None, None] * (square - offset[..., :, None] * offset[..., None, :])
    return tensor


def combine(
    mass: Array, com: Array, inertia: Array, other_mass: Array, other_com: Array, other_inertia: Array
) -> tuple[Array, Array, Array]:
    """Two rigid bodies made one: masses [...], centres [..., 3], inertias [..., 3, 3] in common axes."""
    total = mass + other_mass
    safe = np.where(total > 0.0, total, 1.0)
    weight = np.where(total > 0.0, other_mass / safe, 0.0)[..., None]
    centre = com + weight * (other_com - com)
    moved = inertia + about(mass, com - centre) + other_inertia + about(other_mass, other_com - centre)
    return total, centre, moved


def stretch(inertia: Array, factors: Array) -> Array:
    """Inertia [..., 3, 3] of a body whose matter is stretched along its axes by ``factors`` [..., 3], mass kept.

    The second moments S = ½ tr(I) 1 − I of the matter go to F S F, and I = tr(S) 1 − S.
    """
    trace = np.trace(inertia, axis1=-2, axis2=-1)[..., None, None]
    second = 0.5 * trace * np.eye(3) - inertia
    second = factors[..., :, None] * second * factors[..., None, :]
    stretched: Array = np.trace(second, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - second
    return stretched


def cylinder(start: Array, end: Array, radius: float, density: float) -> tuple[Array, Array, Array]:
    """Mass, centre [3] and inertia [3, 3] of a solid cylinder from ``start`` [3] to ``end`` [3]."""
    span = end - start
    length = float(np.linalg.norm(span))
    axis = span / length
    mass = np.asarray(density * np.pi * radius**2 * length)
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    along = mass * radius**2 / 2.0
    inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    return mass, 0.5 * (start + end), inertia
