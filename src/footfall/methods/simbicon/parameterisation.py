"""Parameterisation: gaits between gaits, displaced targets, desired speed (SIMBICON, section 7.2).

Controllers with corresponding states can be interpolated number by number; the result is a controller again.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace

from footfall.control.rows import ParameterPath
from footfall.errors import FootfallError, unknown_name
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target


def interpolated(a: PoseControlGraph, b: PoseControlGraph, share: float) -> PoseControlGraph:
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


def displaced(graph: PoseControlGraph, offsets: Mapping[str, float]) -> PoseControlGraph:
    """The controller with offsets, radians, added to targets: ``swing_hip`` in all states, ``0.swing_hip`` in one."""
    labels, states = graph.labels, list(graph.states)
    for path, offset in offsets.items():
        parsed = ParameterPath.parse(path, labels)
        chosen, role = range(len(states)) if parsed.state is None else [labels.index(parsed.state)], parsed.name
        hit = [k for k in chosen if role in states[k].targets and parsed.field is None]
        if not hit:
            raise unknown_name(f"target of controller '{graph.name}'", path, sorted(_roles(graph.states)))
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


def _roles(states: tuple[State, ...]) -> set[str]:
    return {role for state in states for role in state.targets}
