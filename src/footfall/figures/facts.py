"""What a figure measures as a whole."""

import mujoco
import numpy as np

from footfall.figures.figure import Figure
from footfall.figures.scaling import figure_height


def figure_facts(figure: Figure) -> dict[str, float]:
    """Height and mass, where the centre of mass is in the default pose (as a share of the height), how many joints are
    driven, and the torque of the strongest one."""
    data = mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(figure.model, data)
    height = figure_height(figure)
    return {
        "height_m": height,
        "mass_kg": float(figure.model.body_mass.sum()),
        "centre_of_mass_height": float(data.subtree_com[1, 2]) / height,
        "joints": sum(joint.actuated for joint in figure.joints),
        "strongest_joint_Nm": float(np.max(figure.torque_limit, where=np.isfinite(figure.torque_limit), initial=0.0)),
    }
