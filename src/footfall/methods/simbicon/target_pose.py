"""The pose that a state asks for, by the law's own functions: for pictures, ghosts and plots."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.control.parts import corrected_target, raised_target, root_pitch, root_roll, root_yaw
from footfall.control.rows import GraphField, TargetField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE, Slot
from footfall.methods.simbicon.table import GraphTable
from footfall.motion.quaternion import from_euler

Array = NDArray[np.float64]


def target_qpos(table: GraphTable, k: int, qpos: Array, balance: Mapping[str, float] | None = None) -> Array:
    """[nq] the coordinates that a state asks for, with the root where it is.

    Args:
        table: of the law.
        k: the state in it.
        qpos: [nq] the present coordinates: what no target tells stays (the root's position, the heading, the stance hip
            under SIMBICON, which serves the torso).
        balance: the law's signals at this moment, by name (d, v, rise, d_side, v_side, phase); 0 for what is not
            there, and the phase at which the state begins.
    """
    felt = dict(balance or {})
    wanted = np.array(qpos, dtype=float)
    state, hips = table.states[k].state, {}
    now = _leans(table, qpos)
    lean = list(now)
    waves = _waves(table, k, felt.get("phase")) if table.layout.harmonics else ()
    begin, end = table.layout.target(k, 0), table.layout.target(k, len(table.slots))
    targets = table.row[begin:end].reshape(len(table.slots), len(TargetField))
    angles = _with_feedback(table, targets, felt).tolist()
    for i, (slot, angle) in enumerate(zip(table.slots, angles, strict=True)):
        if len(waves):
            at = table.layout.term(table.owners[k], i)
            angle += float(table.row[at : at + len(waves)] @ waves)
        if slot.other_hip[0] >= 0:
            angle += float(targets[i, TargetField.C_HIP]) * slot.other_hip[1] * float(qpos[slot.other_hip[0]])
        if slot.place == "torso":
            if not state.flight and slot.plane != TRANSVERSE:
                lean[slot.plane] = angle
            continue
        if table.balanced and slot.place == "hip" and not state.flight:
            hips[slot.name] = (slot, angle)
            continue
        if targets[i, TargetField.WORLD] > 0 and table.balanced:
            angle -= slot.turn * lean[slot.plane] + sum(sign * wanted[at] for at, sign in slot.above)
        wanted[slot.qpos] = angle
    for slot, angle in hips.values():
        if slot.side == state.stance:
            wanted[slot.qpos] = qpos[slot.qpos] + slot.turn * (now[slot.plane] - lean[slot.plane])
        elif slot.plane == TRANSVERSE:
            wanted[slot.qpos] = angle
        else:
            low, high = _hip_range(table, k, slot)
            wanted[slot.qpos] = float(np.clip(angle, low, high)) - slot.turn * lean[slot.plane]
    if table.balanced and table.figure.root == "planar":
        wanted[2] = lean[SAGITTAL]
    elif table.balanced:
        wanted[3:7] = from_euler("zyx", np.array([lean[TRANSVERSE], -lean[SAGITTAL], lean[CORONAL]]))
    return wanted


def _waves(table: GraphTable, k: int, phase: float | None) -> Array:
    """[2 K] the waves of a cycle."""
    start = 0.5 if table.states[k].state.stance == "right" else 0.0
    turns = 2.0 * np.pi * np.arange(1, table.layout.harmonics + 1) * (start if phase is None else phase)
    return np.stack([np.cos(turns), np.sin(turns)], axis=-1).ravel()


def _leans(table: GraphTable, qpos: Array) -> list[float]:
    """The torso's present angles by plane."""
    if table.figure.root == "planar":
        return [float(qpos[2])]
    if table.figure.root == "fixed":
        return [0.0, 0.0, 0.0]
    turned = [float(x) for x in qpos[3:7]]
    return [float(angle.func(*turned)) for angle in (root_pitch, root_roll, root_yaw)]


def _with_feedback(table: GraphTable, targets: Array, felt: Mapping[str, float]) -> Array:
    """[slots] the targets with balance feedback; the law's own functions take arrays as well as numbers."""
    sagittal = np.array([slot.feels == SAGITTAL for slot in table.slots])
    d, v = (np.where(sagittal, felt.get(name, 0.0), felt.get(f"{name}_side", 0.0)) for name in ("d", "v"))
    angle, c_d, c_v, c_h = (
        targets[:, k] for k in (TargetField.ANGLE, TargetField.C_D, TargetField.C_V, TargetField.C_H)
    )
    turned = corrected_target.func(angle, c_d, d, c_v, v)
    return np.asarray(raised_target.func(turned, c_h, felt.get("rise", 0.0)), dtype=float)


def _hip_range(table: GraphTable, k: int, slot: Slot) -> tuple[float, float]:
    fields = (GraphField.HIP_LOW, GraphField.HIP_HIGH, GraphField.HIP_ROLL_LIMIT)
    low, high, most = (float(table.row[table.layout.graph(table.owners[k], field)]) for field in fields)
    return (-most, most) if slot.plane == CORONAL else (low, high)
