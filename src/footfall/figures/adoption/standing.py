"""The way a file's body stands up: in its own pose, or turned until its legs are below it."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.adoption.limbs import Stance, find_stance, named_legs
from footfall.figures.adoption.source import Source
from footfall.figures.adoption.tree import Tree, take_tree

Array = NDArray[np.float64]

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
    return int(source.model.jnt_type[0]) != int(mujoco.mjtJoint.mjJNT_FREE)


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
