"""The pose that a state asks for, by the law's own functions: for pictures, ghosts and plots."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import Target
from footfall.control.parts.feedback import corrected_target, raised_target
from footfall.control.parts.frame import root_pitch, root_roll, root_yaw
from footfall.control.rows import GraphField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE, Slot
from footfall.control.table import GraphTable
from footfall.motion.quaternion import from_euler

__all__ = ["target_qpos"]

Array = NDArray[np.float64]


def target_qpos(table: GraphTable, k: int, qpos: Array, balance: Mapping[str, float] | None = None) -> Array:
    """[nq] the coordinates that a state asks for, with the root where it is.

    Args:
        table: of the law. k: the state in it.
        qpos: [nq] the present coordinates: what no target tells stays (the root's place, the heading, the stance hip
            under SIMBICON, which serves the torso).
        balance: the law's signals at this moment, by name (d, v, rise, d_side, v_side, phase); 0 for what is not
            there, and the phase at which the state begins.
    """
    felt = dict(balance or {})
    wanted = np.array(qpos, dtype=float)
    state, hips = table.states[k].state, {}
    now = _leans(table, qpos)
    lean = list(now)
    waves = _waves(table, k, felt.get("phase"))
    for i, slot in enumerate(table.slots):
        target = table.target_of(table.row, k, slot.name)
        angle = _with_feedback(target, slot, felt)
        if len(waves):
            at = table.layout.term(table.owners[k], i)
            angle += float(table.row[at : at + len(waves)] @ waves)
        if slot.other_hip[0] >= 0:
            angle += target.c_hip * slot.other_hip[1] * float(qpos[slot.other_hip[0]])
        if slot.place == "torso":
            if not state.flight and slot.plane != TRANSVERSE:
                lean[slot.plane] = angle
            continue
        if table.balanced and slot.place == "hip" and not state.flight:
            hips[slot.name] = (slot, angle)
            continue
        if target.world and table.balanced:
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
    return [float(angle(*turned)) for angle in (root_pitch, root_roll, root_yaw)]


def _with_feedback(target: Target, slot: Slot, felt: Mapping[str, float]) -> float:
    side = "" if slot.feels == SAGITTAL else "_side"
    d, v = felt.get(f"d{side}", 0.0), felt.get(f"v{side}", 0.0)
    return float(
        raised_target(corrected_target(target.angle, target.c_d, d, target.c_v, v), target.c_h, felt.get("rise", 0.0))
    )


def _hip_range(table: GraphTable, k: int, slot: Slot) -> tuple[float, float]:
    def value(field: GraphField) -> float:
        return float(table.row[table.layout.graph(table.owners[k], field)])

    most = value(GraphField.HIP_ROLL_LIMIT)
    if slot.plane == CORONAL:
        return -most, most
    return value(GraphField.HIP_LOW), value(GraphField.HIP_HIGH)
