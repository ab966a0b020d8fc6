"""Controllers with some parameters replaced: what a search found, as a controller again."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from footfall.control.graph import PoseControlGraph, State, Target
from footfall.errors import FootfallError

__all__ = ["changed_graph"]

_SERVO = ("kp", "kd", "torque_limit")
_PARTS = tuple(f.name for f in fields(Target))


def changed_graph(graph: PoseControlGraph, parameters: Mapping[str, float]) -> PoseControlGraph:
    """A controller with parameters replaced, by the names that simulations take: ``swing_hip.c_v`` in every state,
    ``1.swing_hip.c_d`` in one, ``0.hold``, ``kp``, ``speed``."""
    for name, value in parameters.items():
        graph = _changed(graph, name, float(value))
    return graph


def _changed(graph: PoseControlGraph, name: str, value: float) -> PoseControlGraph:
    low, high = graph.balance.hip_range
    if name == "speed":
        return graph.changed(balance=replace(graph.balance, speed=value))
    if name in ("hip_low", "hip_high"):
        pair = (value, high) if name == "hip_low" else (low, value)
        return graph.changed(balance=replace(graph.balance, hip_range=pair))
    if name in _SERVO:
        part: dict[str, Any] = {name: value}
        return graph.changed(servo=replace(graph.servo, **part))
    label, dot, rest = name.partition(".")
    one = graph.labels.index(label) if dot and label in graph.labels else None
    rest = name if one is None else rest
    states, found = [], False
    for k, state in enumerate(graph.states):
        new = state if one not in (None, k) else _state(state, rest, value, one is not None)
        found = found or new is not state
        states.append(new)
    if not found:
        raise FootfallError(f"controller '{graph.name}': parameter '{name}' cannot be written to a controller file")
    return graph.changed(states=tuple(states))


def _state(state: State, name: str, value: float, named: bool) -> State:
    if name == "hold":
        return replace(state, hold=value) if named or not state.contact else state
    role, _, part = name.partition(".")
    part = part or "angle"
    if part not in _PARTS or (role not in state.targets and not named):
        return state
    target = state.targets.get(role, Target(0.0))
    return replace(state, targets={**state.targets, role: replace(target, **{part: value})})
