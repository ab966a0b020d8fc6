"""Whether a file already follows footfall's conventions, and is read as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from footfall.errors import FootfallError
from footfall.figures.adoption.source import compiled, one_line
from footfall.figures.sides import counterparts

FEW = 4
"""A body with fewer joints is no biped: a pendulum, a box; it is read as it is."""


def follows_conventions(path: Path) -> bool:
    """Whether a figure's file is read as it is: its feet are named, its frames and axes are footfall's.

    Bodies that hang from the world by a joint (a pendulum, a crane) and very small ones are read as they are, too.

    Raises:
        FootfallError: MuJoCo cannot read the file.
    """
    if path.suffix == ".urdf":
        return False
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except ValueError as error:
        raise FootfallError(f"{path}: MuJoCo cannot read it: {one_line(error)}") from error
    try:
        model = compiled(spec)
    except ValueError as error:
        return "opening file" not in str(error) and not list(spec.meshes)  # what is missing can be left out
    return _is_no_biped(model) or (_names_feet(spec, model) and _has_our_axes(model))


def _is_no_biped(model: Any) -> bool:
    if model.nbody < 2 or model.njnt == 0:
        return True
    kinds = [int(model.jnt_type[j]) for j in range(int(model.body_jntnum[1]))]
    free, slide, hinge = (int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("FREE", "SLIDE", "HINGE"))
    rooted = kinds == [free] or sorted(kinds[:3]) == sorted([slide, slide, hinge])
    if kinds and not rooted:
        return True
    return int(model.njnt) - (len(kinds) if kinds == [free] else min(3, len(kinds))) < FEW


def _names_feet(spec: Any, model: Any) -> bool:
    if any(str(text.name) in ("left_foot", "right_foot") for text in spec.texts):
        return True
    pairs = counterparts(model.body(b).name for b in range(1, model.nbody))
    return any(side and any(word in name.lower() for word in ("foot", "toe")) for name, (_, side) in pairs.items())


def _has_our_axes(model: Any) -> bool:
    """Whether frames are along the world's axes in the reference pose, and hinges about -y, x and z."""
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, data)
    if not np.allclose(data.xmat[1:], np.eye(3).ravel(), atol=1e-6):
        return False
    hinges = [j for j in range(model.njnt) if int(model.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_HINGE)]
    ours = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return all(np.max(ours @ model.jnt_axis[j]) > 0.99 for j in hinges)
