"""Edits of a pose control graph: each takes one and returns another."""

import math
from dataclasses import fields, replace
from typing import Any

from footfall.control.slots import TORSOS
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target

UNHELD = 0.1
"""Seconds for which a state is held that had no time of its own."""


def _with_state(graph: PoseControlGraph, index: int, state: State) -> PoseControlGraph:
    states = list(graph.states)
    states[index] = state
    return graph.changed(states=tuple(states))


def with_hold(graph: PoseControlGraph, index: int, seconds: float) -> PoseControlGraph:
    """A state held for another time: more than 0 s, unless it ends on foot contact."""
    state = graph.states[index]
    if seconds <= 0 and not (seconds == 0 and (state.contact or state.hold == 0)):
        least = "at least 0 seconds" if state.contact else "above 0 seconds, or the state must end on foot contact"
        raise FootfallError(
            f"controller '{graph.name}', state {graph.labels[index]}: hold is {seconds:g}; it must be {least}"
        )
    return _with_state(graph, index, replace(state, hold=float(seconds)))


def with_contact(graph: PoseControlGraph, index: int, contact: bool) -> PoseControlGraph:
    """A state that ends on foot contact, or by its hold time alone: 0.1 s where it had none."""
    state = graph.states[index]
    hold = state.hold if contact or state.hold > 0 else UNHELD
    return _with_state(graph, index, replace(state, contact=contact, hold=hold))


def with_target(graph: PoseControlGraph, index: int, joint: str, **parts: float) -> PoseControlGraph:
    """A target of a state with its ``angle``, ``c_d``, ``c_v`` or ``c_h`` replaced; a joint without one gets one."""
    state = graph.states[index]
    numbers: dict[str, Any] = {k: float(v) for k, v in parts.items()}
    target = replace(state.targets.get(joint, Target(0.0)), **numbers)
    return _with_state(graph, index, replace(state, targets={**state.targets, joint: target}))


def _relinked(graph: PoseControlGraph, states: list[State]) -> PoseControlGraph:
    """The graph with other states, one after the other: names that no longer lead anywhere are dropped."""
    names = {s.name for s in states if s.name} | {"end"}
    kept = [
        replace(s, next=s.next if s.next in names else "", disturbed=s.disturbed if s.disturbed in names else "")
        for s in states
    ]
    return graph.changed(states=tuple(kept), start=_start(graph, len(kept)))


def _start(graph: PoseControlGraph, count: int) -> "object":
    start = graph.start
    if start is None or start.state < count * (2 if graph.symmetric else 1):
        return start
    return replace(start, state=0)


def add_state(graph: PoseControlGraph, after: int) -> PoseControlGraph:
    """A copy of a state behind it. The two share its hold time, so that the walk keeps its rhythm; where it had none,
    the first is held for 0.1 s."""
    model = graph.states[after]
    half = 0.5 * model.hold
    shared = 0 < model.hold < 10
    copy = replace(model, name="", hold=half if shared else model.hold)
    first = replace(model, next="", exchange=False, contact=False, hold=half if shared else UNHELD)
    return _relinked(graph, [*graph.states[:after], first, copy, *graph.states[after + 1 :]])


def remove_state(graph: PoseControlGraph, index: int) -> PoseControlGraph:
    """The graph without a state; those before lead to those behind."""
    if len(graph.states) == 1:
        raise FootfallError(f"controller '{graph.name}': its only state cannot be removed")
    gone = graph.states[index]
    label = graph.labels[index]
    rest = [s for i, s in enumerate(graph.states) if i != index]
    after = gone.next or (graph.states[index + 1].name if index + 1 < len(graph.states) else "")
    rest = [replace(s, next=after) if s.next == label else s for s in rest]
    return _relinked(graph, rest)


def move_state(graph: PoseControlGraph, index: int, by: int) -> PoseControlGraph:
    """A state earlier (-1) or later (+1) in the order."""
    there = index + by
    if not 0 <= there < len(graph.states):
        raise FootfallError(f"controller '{graph.name}': state {graph.labels[index]} cannot move beyond the ends")
    states = list(graph.states)
    states[index], states[there] = states[there], states[index]
    return _relinked(graph, states)


def differences(new: PoseControlGraph, old: PoseControlGraph) -> list[tuple[str, str, str]]:
    """What differs between two versions, in words: what, before, now; angles in degrees."""
    rows: list[tuple[str, str, str]] = []
    if len(new.states) != len(old.states):
        rows.append(("states", str(len(old.states)), str(len(new.states))))
    for i, (a, b) in enumerate(zip(new.states, old.states)):
        if a.hold != b.hold:
            rows.append((f"{i} hold", f"{b.hold:g} s", f"{a.hold:g} s"))
        if a.contact != b.contact:
            rows.append((f"{i} contact", str(b.contact), str(a.contact)))
        for joint in dict.fromkeys([*b.targets, *a.targets]):
            one, two = a.targets.get(joint), b.targets.get(joint)
            for part in fields(Target):
                x, y = (None if t is None else getattr(t, part.name) for t in (one, two))
                if x != y:
                    write = _degrees if part.name == "angle" else _number
                    rows.append((f"{i} {joint.replace('_', ' ')} {part.name}", write(y), write(x)))
    if new.balance.speed != old.balance.speed:
        rows.append(("speed", f"{old.balance.speed:g} m/s", f"{new.balance.speed:g} m/s"))
    if new.balance != old.balance and not rows:
        rows.append(("balance", "", "changed"))
    return rows


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def _degrees(value: float | None) -> str:
    return "—" if value is None else f"{math.degrees(value):.1f}°"


def target_name(state: State, figure: Figure, joint: str) -> str:
    """The name under which a state's targets hold a joint: its role where the state speaks in roles, else its own."""
    for role in state.targets:
        if role not in TORSOS and figure.joint_for(role, state.stance) == joint:
            return role
    for role in (f"{phase}_{part}" for part in figure.roles for phase in ("swing", "stance")):
        if any(name.startswith(("swing_", "stance_")) for name in state.targets) and (
            figure.joint_for(role, state.stance) == joint
        ):
            return role
    return joint
