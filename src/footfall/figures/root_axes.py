"""Planar roots in footfall's axes: slide along x, slide along z, hinge about -y, whatever signs a file gives them."""

from typing import Any

import mujoco
import numpy as np

AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
KINDS = [mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE]


def turn_root_axes(spec: Any, model: Any) -> bool:
    """Reverse root joints that point the other way, with their coordinates in ranges, references and key frames.

    A hinge about +y (Gymnasium's walker2d has one) would otherwise read a lean forward as a lean backward.

    Returns:
        whether anything was changed; ``spec`` then needs compiling again.
    """
    first, count = int(model.body_jntadr[1]), int(model.body_jntnum[1])
    if count < 3 or [int(k) for k in model.jnt_type[first : first + 3]] != [int(k) for k in KINDS]:
        return False
    axes = np.array(model.jnt_axis[first : first + 3])
    if not np.allclose(np.abs(axes), np.abs(AXES)):
        return False
    turned = [i for i in range(3) if axes[i] @ AXES[i] < 0]
    for i in turned:
        joint = spec.bodies[1].joints[i]
        joint.axis = -np.array(joint.axis)
        joint.range = -np.array(joint.range)[::-1]
        joint.ref, joint.springref = -joint.ref, -joint.springref
        for key in spec.keys:
            for values in (key.qpos, key.qvel):
                if len(values) > i:
                    values[i] = -values[i]
    return bool(turned)
