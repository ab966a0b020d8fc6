"""The numbers of a compiled model, which MuJoCo takes even where they are none."""

from typing import Any

import numpy as np

from footfall.errors import FootfallError

LARGEST = 1e9
"""No mass, length, angle or gain of a figure comes near it."""

_CHECKED = {
    "body": ("body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia"),
    "joint": ("jnt_pos", "jnt_axis", "jnt_range", "jnt_stiffness"),
    "geom": ("geom_pos", "geom_quat", "geom_size"),
    "site": ("site_pos", "site_quat"),
    "actuator": ("actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange"),
    "key": ("key_qpos",),
}
"""What is checked of each part."""
_WHOLE = ("dof_damping", "dof_armature", "dof_frictionloss", "qpos0", "qpos_spring")


def check_numbers(model: Any, name: str) -> None:
    """Refuse a model with numbers that are not finite, or absurdly large."""
    for part, attributes in _CHECKED.items():
        for attribute in attributes:
            near = np.abs(getattr(model, attribute)) <= LARGEST
            good = near if near.ndim == 1 else near.all(axis=1)
            if not good.all():
                k = int(np.argmin(good))
                label = getattr(model, part)(k).name or f"number {k}"
                what = attribute.partition("_")[2]
                raise FootfallError(
                    f"figure '{name}': {part} '{label}': its {what} holds a number that is not within ±{LARGEST:g}"
                )
    for attribute in _WHOLE:
        if not (np.abs(getattr(model, attribute)) <= LARGEST).all():
            raise FootfallError(f"figure '{name}': {attribute} holds a number that is not within ±{LARGEST:g}")
    if not (np.abs(model.opt.gravity) <= LARGEST).all():
        raise FootfallError(f"figure '{name}': its gravity is not within ±{LARGEST:g}")
