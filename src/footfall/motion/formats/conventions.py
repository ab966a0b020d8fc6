"""Units and axes of motion files, and how they are guessed where a file does not say."""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.body_shape import leg_length
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["UNITS", "Up", "axes_from_up", "guess_unit", "guess_up", "metres_per", "turned"]

UNITS: Mapping[str, float] = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres in a unit; ``cmu`` is that of the CMU database (inches over 0.45)."""

Up = Literal["y", "z"]

_HUMAN_LEG = 0.86
_TO_FOOTFALL: Mapping[str, Array] = {
    "y": np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "z": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
}


def axes_from_up(up: str) -> Array:
    """[3, 3] the turn from a file's axes to footfall's (x forward, y left, z up).

    A file with y up looks along its z axis; one with z up (as Blender writes) along -y. Both have x to the left.
    """
    if up not in _TO_FOOTFALL:
        raise unknown_name("up axis", up, _TO_FOOTFALL)
    return _TO_FOOTFALL[up]


def turned(axes: Array, quaternions: Array) -> Array:
    """Quaternions [..., 4] of the same rotations seen in axes turned by ``axes`` [3, 3]."""
    return np.concatenate([quaternions[..., :1], quaternions[..., 1:] @ axes.T], axis=-1)


def metres_per(unit: str | float) -> float:
    """Metres in a unit given by name or as a number."""
    try:
        value = UNITS[unit] if isinstance(unit, str) and unit in UNITS else float(unit)
    except ValueError:
        raise unknown_name("unit", str(unit), UNITS) from None
    if not (math.isfinite(value) and 1e-9 < value < 1e9):
        raise FootfallError(f"unit: {unit} is no length in metres")
    return value


def guess_unit(skeleton: Skeleton) -> str:
    """The unit in which this skeleton's legs (thigh and shank) are nearest to a grown person's 0.86 m."""
    length = leg_length(skeleton)
    return min(UNITS, key=lambda unit: abs(math.log(length * UNITS[unit] / _HUMAN_LEG)))


def guess_up(skeleton: Skeleton, root_position: Array, rotations: Array) -> Up:
    """The file axis along which the head stands above the feet over the whole motion; y where the names do not tell."""
    roles = find_roles(skeleton)
    top = roles.get("head", roles.get("neck", roles.get("chest")))
    feet = [roles[role] for role in ("left_ankle", "right_ankle") if role in roles]
    if top is None or not feet:
        return "y"
    every = max(len(root_position) // 50, 1)
    positions = skeleton.forward(root_position[::every], rotations[::every])[0]
    above = np.abs((positions[:, top] - positions[:, feet].mean(axis=1)).mean(axis=0))
    return "z" if above[2] > above[1] else "y"
