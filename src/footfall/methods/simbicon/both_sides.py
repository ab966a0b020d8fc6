"""Graphs written out for both sides: roles resolved to joints, the mirror image of a symmetric graph behind it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.control.slots import SAGITTAL, Slot
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target


class WrittenState(NamedTuple):
    """A state of one side.

    Attributes:
        state: as written, with this side's stance. targets: by slot.
        after: the number of the state that follows; its own where it stays.
        disturbed: the number of the state to enter when disturbed; -1 for none.
    """

    state: State
    targets: dict[str, Target]
    after: int
    disturbed: int = -1


def write_out(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot]) -> tuple[WrittenState, ...]:
    """A graph's states, and behind them their mirror images if it is symmetric."""
    count = len(graph.states)
    total = 2 * count if graph.symmetric else count
    written = []
    for k in range(total):
        i, turned = k % count, k >= count
        state, after = graph.states[i], graph.successor(i)
        targets = _resolved(graph, figure, slots, i)
        if turned:
            state = replace(state, stance="right" if state.stance == "left" else "left")
            targets = _mirrored(figure, slots, targets)
        there = k if after is None else (after + (count if turned else 0)) % total
        disturbed = graph.labels.index(state.disturbed) + (count if turned else 0) if state.disturbed else -1
        written.append(WrittenState(state, targets, there, disturbed))
    return tuple(written)


def _resolved(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot], index: int) -> dict[str, Target]:
    state, where = graph.states[index], f"controller '{graph.name}', state {graph.labels[index]}"
    names = [slot.name for slot in slots]
    torsos = [slot.name for slot in slots if slot.place == "torso"]
    targets: dict[str, Target] = {}
    for role, target in state.targets.items():
        name = role
        if role not in torsos:
            try:
                name = figure.joint_for(role, state.stance)
            except FootfallError as error:
                raise FootfallError(f"{where}: {error}") from None
        if name not in names:
            raise FootfallError(f"{where}: joint '{name}' has no servo")
        if name in targets:
            raise FootfallError(f"{where}: '{name}' has two targets")
        targets[name] = target
    return targets


def _mirrored(figure: Figure, slots: Sequence[Slot], targets: dict[str, Target]) -> dict[str, Target]:
    perm, sign = figure.mirror_dofs
    by_name, by_dof = {s.name: s for s in slots}, {s.dof: s for s in slots}
    turned = {}
    for name, target in targets.items():
        other = int(np.flatnonzero(perm == by_name[name].dof)[0])
        turned[by_dof[other].name] = mirrored_target(target, by_dof[other], float(sign[other]))
    return turned


def mirrored_target(target: Target, slot: Slot, sign: float) -> Target:
    """A target's mirror image, for a slot whose coordinate changes by ``sign``: d and v to the side change theirs."""
    feedback = sign if slot.feels == SAGITTAL else -sign
    return replace(
        target,
        angle=sign * target.angle,
        c_d=feedback * target.c_d,
        c_v=feedback * target.c_v,
        c_h=sign * target.c_h,
        c_hip=sign * target.c_hip,
    )
