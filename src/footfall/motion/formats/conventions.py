"""Units and axes of motion files."""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.quaternion import Array

UNITS: Mapping[str, float] = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres in a unit; ``cmu`` is that of the CMU database (inches over 0.45)."""

Up = Literal["x", "-x", "y", "-y", "z", "-z"]
UP_AXES: tuple[Up, ...] = ("y", "z", "x", "-y", "-z", "-x")

_TO_FOOTFALL: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "y": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "z": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "x": ((0, 0, 1), (0, -1, 0), (1, 0, 0)),
    "-y": ((0, 0, 1), (-1, 0, 0), (0, -1, 0)),
    "-z": ((0, 1, 0), (1, 0, 0), (0, 0, -1)),
    "-x": ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
}
_FULL_NAMES = (("millim", "mm"), ("centim", "cm"), ("inch", "inch"), ("met", "m"))


def axes_from_up(up: str) -> Array:
    """[3, 3] the turn from a file's axes to footfall's (x forward, y left, z up).

    A file with x or y up, or down, looks along its z axis; one with z up (as Blender writes) along -y, with z down
    along y.
    """
    if up not in _TO_FOOTFALL:
        raise unknown_name("up axis", up, _TO_FOOTFALL)
    return np.array(_TO_FOOTFALL[up], dtype=float)


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
        raise FootfallError(f"unit: {unit} is not a length in metres")
    return value


def unit_named(text: str) -> str | None:
    """The unit that a file names in its own words ("mm", "meters", "mete" …), or None where that is not a length."""
    word = text.strip().strip("\0").lower()
    if word in UNITS:
        return word
    return next((unit for start, unit in _FULL_NAMES if word.startswith(start)), None)
