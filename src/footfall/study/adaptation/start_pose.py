"""The start of a controller on another body: its pose joint by joint, its feet on the ground, its velocities scaled."""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.control.start import Start
from footfall.figures import Figure
from footfall.figures.reading import HEIGHT
from footfall.study.adaptation.body_facts import lean_change, leg_lengths, standing_bends
from footfall.study.adaptation.knees import mirrored_leg
from footfall.study.adaptation.roles import counterpart, knee_sense
from footfall.study.adaptation.scaling import Scales

Array = NDArray[np.float64]
DIGITS = 6


def carried_start(start: Start, source: Figure, target: Figure, scales: Scales) -> Start:
    """``start`` of ``source`` as a start of ``target``; joints that only ``target`` has are at rest in their default
    pose, and all stay within their ranges."""
    root = 3 if target.root == "planar" else 7
    old_qpos, old_qvel = np.array(start.qpos), np.array(start.qvel)
    qpos, qvel = np.array(target.default_qpos), np.zeros(target.nv)
    places = 2 if target.root == "planar" else 3
    qpos[:places] = scales.length * old_qpos[:places]
    qpos[places:root] = _leant(old_qpos[places:root], lean_change(source, target))
    qvel[:places] = scales.time * old_qvel[:places]
    qvel[places : root - 1 if root == 7 else root] = scales.rate * old_qvel[places : root - 1 if root == 7 else root]
    bends = standing_bends(target)
    for joint in target.joints:
        twin = counterpart(source, target, joint.name)
        if twin is not None and joint.dof >= places and joint.ndof == 1 and joint.qpos >= root:
            own = source.joint(twin)
            sign = float(np.sign(joint.axis @ own.axis)) or 1.0
            qpos[joint.qpos] = sign * old_qpos[own.qpos] + bends.get(joint.name, 0.0)
            qvel[joint.dof] = sign * scales.rate * old_qvel[own.dof]
    if not bends and knee_sense(source) != knee_sense(target):
        _mirror_knees(qpos, qvel, target)
    for joint in target.joints:
        if joint.ndof == 1 and joint.qpos >= root:
            qpos[joint.qpos] = np.clip(qpos[joint.qpos], joint.lower, joint.upper)
    height = HEIGHT[target.root]
    qpos[height] += scales.length * lowest_sole(source, old_qpos) - lowest_sole(target, qpos)
    return Start(
        tuple((np.round(qpos, DIGITS) + 0.0).tolist()), tuple((np.round(qvel, DIGITS) + 0.0).tolist()), start.state
    )


def _leant(attitude: Array, forward: float) -> Array:
    """A root's pitch [1] or quaternion [4], turned forward by an angle about its own y axis."""
    if len(attitude) == 1:
        return attitude - forward
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, attitude, np.array([np.cos(0.5 * forward), 0.0, np.sin(0.5 * forward), 0.0]))
    return turned


def lowest_sole(figure: Figure, qpos: Array) -> float:
    """Height of the lowest point of the feet at ``qpos`` [nq]."""
    model: Any = figure.model
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    soles = [p for p in figure.points if p.foot and p.ground]
    return min(float(data.xpos[p.body + 1, 2] + data.xmat[p.body + 1, 6:9] @ p.position) for p in soles)


def _mirror_knees(qpos: Array, qvel: Array, figure: Figure) -> None:
    thigh, shank = leg_lengths(figure)
    for side in (0, 1):
        joints = [figure.joint(figure.roles[role][side]) for role in ("hip", "knee") if role in figure.roles]
        if len(joints) < 2:
            return
        hip, knee = joints
        hip_shift, ankle_shift = mirrored_leg(-qpos[knee.qpos], thigh, shank)
        qpos[hip.qpos] += hip_shift
        qpos[knee.qpos] *= -1.0
        qvel[knee.dof] *= -1.0
        if "ankle" in figure.roles:
            qpos[figure.joint(figure.roles["ankle"][side]).qpos] += ankle_shift
