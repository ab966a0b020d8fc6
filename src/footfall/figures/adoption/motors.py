"""What a body's motors can give: torque limits from every place where a file may hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

TO_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))


@dataclass(frozen=True)
class Motor:
    """The motor of a joint.

    Attributes:
        limit: largest torque (N m) or force, infinite where the file has none. source: where the file says so.
        kp, kd: of a position servo in the file, zero for a plain motor.
        speed: without load, rad/s; infinite unless it is given beside the file.
    """

    limit: float
    source: str
    kp: float = 0.0
    kd: float = 0.0
    speed: float = np.inf


def read_motors(model: Any) -> tuple[dict[int, Motor], list[str]]:
    """Motors by joint, and notes about actuators that are none.

    A file without any actuator leaves open what moves its joints: then every hinge and slide has a motor.
    """
    limits: dict[int, tuple[float, str]] = {}
    gains: dict[int, tuple[float, float]] = {}
    notes = []
    for a in range(model.nu):
        label = model.actuator(a).name or f"number {a}"
        if int(model.actuator_trntype[a]) not in TO_JOINT:
            notes.append(f"actuator '{label}' does not act on a joint and is left out")
            continue
        j, gear = int(model.actuator_trnid[a, 0]), float(model.actuator_gear[a, 0])
        kp, kd = (max(0.0, -gear * gear * float(model.actuator_biasprm[a, k])) for k in (1, 2))
        found: list[tuple[float, str]] = []
        if model.actuator_forcelimited[a]:
            found.append((abs(gear) * float(np.abs(model.actuator_forcerange[a]).max()), "forcerange"))
        if model.actuator_ctrllimited[a] and kp == kd == 0.0:
            most = float(np.abs(model.actuator_ctrlrange[a]).max()) * abs(float(model.actuator_gainprm[a, 0]))
            found.append((abs(gear) * most, "ctrlrange x gear"))
        best = min(found, default=(np.inf, "none"))
        before = limits.get(j)
        limits[j] = best if before is None else (before[0] + best[0], f"{before[1]} + {best[1]}")
        gains[j] = (gains.get(j, (0.0, 0.0))[0] + kp, gains.get(j, (0.0, 0.0))[1] + kd)
    motors: dict[int, Motor] = {}
    for j in range(model.njnt):
        if int(model.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_FREE) or (limits and j not in limits):
            continue
        limit, where = limits.get(j, (np.inf, "none"))
        if model.jnt_actfrclimited[j]:
            limit, where = min((limit, where), (float(np.abs(model.jnt_actfrcrange[j]).max()), "actuatorfrcrange"))
        kp, kd = gains.get(j, (0.0, 0.0))
        motors[j] = Motor(limit if limit > 0 else np.inf, where, kp, kd)
    if not limits:
        notes.append("the file has no actuators: every joint has a motor")
    return motors, notes
