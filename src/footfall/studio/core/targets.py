"""The pose that a state asks for, as coordinates to be drawn; and which parameter a joint's angle stands for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.figures import Figure

__all__ = ["pose_of", "role_of", "target_qpos"]

Array = NDArray[np.float64]


def target_qpos(table: Any, local: int, qpos: Array, d: float = 0.0, v: float = 0.0) -> Array:
    """[nq] the coordinates that a written-out state asks for, with the root where it is.

    Args:
        table: the controller's table. local: the state in it.
        qpos: [nq] the present coordinates: what no target tells stays (the root's place, the stance hip under SIMBICON,
            which serves the torso).
        d, v: of balance feedback.
    """
    figure: Figure = table.figure
    state, targets, _ = table.states[local]
    wanted = np.array(qpos, dtype=float)
    hips = {name for leg in figure.legs.values() for name in leg.hip} if table.balanced else set()
    torso = qpos[2] if table.balanced else 0.0
    if table.balanced and "torso" in targets and not state.flight:
        t = targets["torso"]
        wanted[2] = torso = t.angle + t.c_d * d + t.c_v * v
    low, high = table.graph.balance.hip_range
    for slot, dof in zip(table.slots, table.dofs, strict=True):
        if slot == "torso" and table.balanced:
            continue
        joint = next(j for j in figure.joints if j.dof == dof)
        if slot in hips and not state.flight and slot == figure.joint_for("stance_hip", state.stance):
            wanted[joint.qpos] = qpos[joint.qpos] + qpos[2] - torso
            continue
        target = targets.get(slot)
        if target is None:
            wanted[joint.qpos] = figure.default_qpos[joint.qpos]
            continue
        angle = target.angle + target.c_d * d + target.c_v * v
        if slot in hips and not state.flight:
            angle = float(np.clip(angle, low, high)) - torso
        wanted[joint.qpos] = angle
    return wanted


def pose_of(table: Any, index: int, qpos: Array) -> Array:
    """[nq] the pose of state ``index`` as written, without feedback."""
    return target_qpos(table, index, qpos)


def role_of(graph: PoseControlGraph, figure: Figure, index: int, joint: str) -> str:
    """The name under which a state's targets hold a joint: its role where the state speaks in roles, else its own."""
    state = graph.states[index]
    for role in state.targets:
        if role != "torso" and figure.joint_for(role, state.stance) == joint:
            return role
    for role in (f"{phase}_{part}" for part in figure.roles for phase in ("swing", "stance")):
        if any(name.startswith(("swing_", "stance_")) for name in state.targets) and (
            figure.joint_for(role, state.stance) == joint
        ):
            return role
    return joint
