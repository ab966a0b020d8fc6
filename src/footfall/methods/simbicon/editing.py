"""Edits of a pose control graph: each takes one and returns another.

Parameterisation (SIMBICON, section 7.2): gaits between gaits, displaced targets, desired speed. Controllers with
corresponding states can be interpolated number by number; the result is a controller again. States as principal
components of a walk's own motion (Improving SIMBICON, section IV.C): the first component is much like the pose that
state 0 aims at, with its mirror image for state 2, and poses can be replaced by the mean plus a component. Composite
graphs (Laszlo 1996, section 2.3): graphs one after another in one, each written out for both sides and gone through a
number of times; the last one goes round for ever, or ends.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from footfall.control.registry import kind_of
from footfall.control.rows import ParameterPath
from footfall.control.slots import TORSOS, slots_of
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target
from footfall.methods.simbicon.table import write_out

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
    start = graph.start
    if start is not None and start.state >= len(kept) * (2 if graph.symmetric else 1):
        start = replace(start, state=0)
    return graph.changed(states=tuple(kept), start=start)


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
        where, other = ("first", "later (▼)") if by < 0 else ("last", "earlier (▲)")
        name = graph.labels[index]
        raise FootfallError(
            f"controller '{graph.name}': state {name} is the {where} one already; it can only go {other}"
        )
    states = list(graph.states)
    states[index], states[there] = states[there], states[index]
    return _relinked(graph, states)


def graph_differences(new: PoseControlGraph, old: PoseControlGraph) -> list[tuple[str, str, str]]:
    """What differs between two versions: what, before, now; angles in degrees."""
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
                    before, now = (_shown(value, part.name) for value in (y, x))
                    rows.append((f"{i} {joint.replace('_', ' ')} {part.name}", before, now))
    if new.balance.speed != old.balance.speed:
        rows.append(("speed", f"{old.balance.speed:g} m/s", f"{new.balance.speed:g} m/s"))
    if new.balance != old.balance and not rows:
        rows.append(("balance", "", "changed"))
    return rows


def _shown(value: float | None, part: str) -> str:
    if value is None:
        return "—"
    return f"{math.degrees(value):.1f}°" if part == "angle" else f"{value:.3f}"


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


def interpolated_graph(a: PoseControlGraph, b: PoseControlGraph, share: float) -> PoseControlGraph:
    """A controller between two: ``share`` 0 is a, 1 is b, beyond extrapolates.

    Durations, targets and gains go linearly; who ends a state, where d is measured from and the joints' limits are
    those of the nearer one. States must correspond: as many, each with the same stance, way out and joints.
    """
    if len(a.states) != len(b.states) or (a.symmetric, a.law, a.figure) != (b.symmetric, b.law, b.figure):
        raise FootfallError(
            f"'{a.name}' and '{b.name}' cannot be interpolated: they need as many states, one law and one figure "
            f"({len(a.states)} and {len(b.states)} states)"
        )
    near = a if share < 0.5 else b

    def mixed(x: float, y: float) -> float:
        return x if x == y else (1.0 - share) * x + share * y

    states = []
    for i, (s, t) in enumerate(zip(a.states, b.states, strict=True)):
        if (s.contact, s.stance, s.flight) != (t.contact, t.stance, t.flight) or set(s.targets) != set(t.targets):
            raise FootfallError(f"'{a.name}' and '{b.name}' cannot be interpolated: their states {i} do not correspond")
        targets = {
            joint: _mixed_target(target, t.targets[joint], mixed, near is b) for joint, target in s.targets.items()
        }
        states.append(replace(s, targets=targets, hold=max(0.0, mixed(s.hold, t.hold))))
    low, high = (mixed(x, y) for x, y in zip(a.balance.hip_range, b.balance.hip_range, strict=True))
    balance = replace(near.balance, speed=mixed(a.balance.speed, b.balance.speed), hip_range=(low, high))
    name = near.name if share in (0.0, 1.0) else f"{a.name}-{b.name}-{share:g}".replace(".", "-")
    about = f"{1 - share:g} of {a.name} and {share:g} of {b.name}."
    return near.changed(name=name, states=tuple(states), balance=balance, about=about, basin={})


def displaced_targets(graph: PoseControlGraph, offsets: Mapping[str, float]) -> PoseControlGraph:
    """The controller with offsets, radians, added to targets: ``swing_hip`` in all states, ``0.swing_hip`` in one."""
    labels, states = graph.labels, list(graph.states)
    for path, offset in offsets.items():
        parsed = ParameterPath.parse(path, labels)
        chosen, role = range(len(states)) if parsed.state is None else [labels.index(parsed.state)], parsed.name
        hit = [k for k in chosen if role in states[k].targets and parsed.field is None]
        if not hit:
            roles = sorted({role for state in graph.states for role in state.targets})
            raise unknown_name(f"target of controller '{graph.name}'", path, roles)
        for k in hit:
            target = states[k].targets[role]
            moved = {**states[k].targets, role: replace(target, angle=target.angle + offset)}
            states[k] = replace(states[k], targets=moved)
    return graph.changed(states=tuple(states))


def with_speed(graph: PoseControlGraph, speed: float) -> PoseControlGraph:
    """The controller with a desired speed, metres a second, which its balance feedback subtracts from v."""
    return graph.changed(balance=replace(graph.balance, speed=speed))


def _mixed_target(a: Target, b: Target, mixed: Callable[[float, float], float], nearer_b: bool) -> Target:
    numbers = {f.name: mixed(getattr(a, f.name), getattr(b, f.name)) for f in fields(Target) if f.name != "world"}
    return Target(**numbers, world=b.world if nearer_b else a.world)


def with_pose(graph: PoseControlGraph, figure: Figure, state: int, pose: Mapping[str, float]) -> PoseControlGraph:
    """A graph with one state's target angles replaced; feedback gains and the way out stay.

    Args:
        graph: the controller.
        figure: its figure.
        state: which state, as written.
        pose: angles by joint name, and the torso's; a swing hip's angle is against the torso, and becomes one against
            the world.
    """
    if not 0 <= state < len(graph.states):
        raise FootfallError(f"controller '{graph.name}' has states 0 to {len(graph.states) - 1}; there is no {state}")
    old = graph.states[state]
    torso = pose.get("torso", pose.get("torso_pitch", 0.0))
    targets: dict[str, Target] = {}
    for role, target in old.targets.items():
        name = "torso" if role == "torso" else figure.joint_for(role, old.stance)
        angle = torso if role == "torso" else pose.get(name)
        if angle is None:
            targets[role] = target
            continue
        hip = role != "torso" and name in (*figure.legs["left"].hip, *figure.legs["right"].hip)
        targets[role] = replace(target, angle=float(angle + (torso if hip and kind_of(graph).usual.feedback else 0.0)))
    return _with_state(graph, state, replace(old, targets=targets))


def composite_graph(
    name: str, parts: Sequence[tuple[PoseControlGraph, int]], figure: Figure, *, ends: bool = False
) -> PoseControlGraph:
    """One graph that goes through several.

    Args:
        name: of the new graph.
        parts: graphs, each with how often it is gone through; all under one law.
        figure: the figure that tells the sides apart.
        ends: whether the last state stays for ever, instead of the last part going round.
    """
    if not parts:
        raise FootfallError(f"composite '{name}': it has no parts; give at least one graph")
    first = parts[0][0]
    states: list[State] = []
    for k, (graph, times) in enumerate(parts):
        if graph.law != first.law:
            raise FootfallError(
                f"composite '{name}': '{graph.name}' is under law '{graph.law}', '{first.name}' under '{first.law}'"
            )
        if times < 1:
            raise FootfallError(
                f"composite '{name}': '{graph.name}' is gone through {times} times; it must be at least once"
            )
        rounds = 1 if k == len(parts) - 1 and not ends else times
        for turn in range(rounds):
            states += _written_out(graph, figure, f"{k}-{graph.name}-{turn}")
    if ends:
        states[-1] = replace(states[-1], next="end", hold=math.inf, contact=False)
    elif states[-1].next != "end":
        loop = len(states) - len(_written_out(parts[-1][0], figure, ""))
        states[-1] = replace(states[-1], next=states[loop].name)
    about = "Composite: " + ", ".join(f"{graph.name} {times}×" for graph, times in parts) + "."
    return replace(first, name=name, states=tuple(states), symmetric=False, basin={}, about=about)


def _written_out(graph: PoseControlGraph, figure: Figure, prefix: str) -> list[State]:
    """A graph's states for both sides, by the figure's own joint names, each leading to the one that follows."""
    written = []
    slots = slots_of(figure, balanced=kind_of(graph).usual.feedback, where=f"controller '{graph.name}'")
    for i, (state, targets, _, _) in enumerate(write_out(graph, figure, slots)):
        branch = state.disturbed or (state.next if state.next != "end" else "")
        if branch:
            raise FootfallError(
                f"graph '{graph.name}' branches (state {i} leads to '{branch}'); parts must go straight on"
            )
        written.append(replace(state, targets=targets, name=f"{prefix}-{i}"))
    return written
