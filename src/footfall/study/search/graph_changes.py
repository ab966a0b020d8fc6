"""Controllers with some parameters replaced: what a search found, as a controller again."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from footfall.control.rows import ParameterPath
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import Gains, PoseControlGraph, State, Target
from footfall.methods.simbicon.recovery import Recovery

_SERVO = ("kp", "kd", "torque_limit")
_BALANCE = ("speed", "side_speed", "heading", "heading_rate", "hip_roll_limit")
_RECOVERY = tuple(f.name for f in fields(Recovery))
_PARTS = tuple(f.name for f in fields(Target))


def changed_graph(graph: PoseControlGraph, parameters: Mapping[str, float]) -> PoseControlGraph:
    """A controller with parameters replaced, by the names that simulations take: ``swing_hip.c_v`` in every state,
    ``1.swing_hip.c_d`` in one, ``0.hold``, ``kp``, ``knee.kp``, ``speed``; what is said of one state counts."""
    for name in sorted(parameters, key=lambda name: ParameterPath.parse(name, graph.labels).state is not None):
        graph = _changed(graph, name, float(parameters[name]))
    return graph


def _changed(graph: PoseControlGraph, name: str, value: float) -> PoseControlGraph:
    low, high = graph.balance.hip_range
    if name in _BALANCE:
        return graph.changed(balance=replace(graph.balance, **{name: value}))  # type: ignore[arg-type]
    if name in ("hip_low", "hip_high"):
        pair = (value, high) if name == "hip_low" else (low, value)
        return graph.changed(balance=replace(graph.balance, hip_range=pair))
    if name in _RECOVERY:
        return graph.changed(recovery=replace(graph.recovery or Recovery(), **{name: value}))
    if name in _SERVO:
        part: dict[str, Any] = {name: value}
        return graph.changed(servo=replace(graph.servo, **part))
    group, _, gain = name.rpartition(".")
    if group == "cycle" and graph.cycle is not None and gain in ("left", "right"):
        return graph.changed(cycle=replace(graph.cycle, **{gain: value}))  # type: ignore[arg-type]
    if gain in _SERVO and group.split(".")[0] not in graph.labels:
        own = replace(graph.servo.joints.get(group, Gains()), **{gain: value})
        return graph.changed(servo=replace(graph.servo, joints={**graph.servo.joints, group: own}))
    path = ParameterPath.parse(name, graph.labels)
    one = None if path.state is None else graph.labels.index(path.state)
    states, found = [], False
    for k, state in enumerate(graph.states):
        new = state if one not in (None, k) else _state(state, path, value)
        found = found or new is not state
        states.append(new)
    if not found:
        raise FootfallError(f"controller '{graph.name}': parameter '{name}' cannot be written to a controller file")
    return graph.changed(states=tuple(states))


def _state(state: State, path: ParameterPath, value: float) -> State:
    named = path.state is not None
    if path.name == "hold" and path.field is None:
        return replace(state, hold=value) if named or not state.contact else state
    part = path.field or "angle"
    if part not in _PARTS or (path.name not in state.targets and not named):
        return state
    target = state.targets.get(path.name, Target(0.0))
    changed: dict[str, Any] = {part: value > 0 if part == "world" else value}
    return replace(state, targets={**state.targets, path.name: replace(target, **changed)})
