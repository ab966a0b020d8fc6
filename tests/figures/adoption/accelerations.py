"""Random states of a model and their accelerations by MuJoCo, without contacts and limits."""

import mujoco
import numpy as np

_OFF = mujoco.mjtDisableBit


def random_state(model, rng):
    """qpos, qvel and joint torques, anywhere."""
    qpos = np.array(model.qpos0)
    free = int(model.jnt_type[0]) == int(mujoco.mjtJoint.mjJNT_FREE)
    for j in range(1 if free else 3, model.njnt):
        qpos[int(model.jnt_qposadr[j])] += rng.uniform(-0.6, 0.6)
    if free:
        turn = rng.normal(size=4)
        qpos[:3], qpos[3:7] = rng.normal(size=3), turn / np.linalg.norm(turn)
    else:
        qpos[:3] += rng.normal(size=3)
    torque = rng.normal(size=model.nv) * 5.0
    torque[: 6 if free else 3] = 0.0
    return qpos, rng.normal(size=model.nv), torque


def accelerations(model, qpos, qvel, torque):
    """[nv] by MuJoCo, the file's own motors, limits, contacts and dry friction off."""
    model.opt.disableflags |= int(_OFF.mjDSBL_CONSTRAINT | _OFF.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, qvel, torque
    mujoco.mj_forward(model, data)
    return np.array(data.qacc)
