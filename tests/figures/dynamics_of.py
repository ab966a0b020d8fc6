"""MuJoCo's accelerations of a figure, as the oracle."""

from copy import copy

import mujoco
import numpy as np

__all__ = ["acceleration", "passive"]


def passive(model):
    """A copy without actuators, contacts and limits."""
    model = copy(model)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    return model


def acceleration(model, qpos, qvel, torque=0.0) -> np.ndarray:
    """[nv], at one state with generalised forces."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, torque
    mujoco.mj_forward(model, data)
    return data.qacc.copy()
