"""A controller's numbers for a body of another size and mass, by dimensions (Froude's law of similar gaits).

With L the ratio of lengths, M the ratio of masses and the same gravity, times go with √L and forces with M:

    time, hold          √L          c_d, c_h          1 / L
    velocity            √L          c_v               1 / √L
    rate of turning     1 / √L      kp, torque        M L
    length              L           kd                M L √L
    angle               1           ground stiffness  M / L,  damping  M / √L

On a body that is scaled exactly by L and M, with steps of time scaled too, the scaled controller's motion is the scaled
motion. On other bodies it is where a search begins.

Which joint of a body plays the part of which joint of another, and which way their knees bend.

Knees that bend the other way: the same steps of the foot with the knee behind the leg.

A leg of thigh a and shank b, its knee bent by k ≥ 0, has its ankle at the angle δ from the thigh's line:

    δ = atan2(b sin k, a + b cos k)

With the knee bent as people's do, the foot is at θ - δ for a thigh at θ, and turned by θ - k. With the knee bent the
other way it is at θ' + δ and turned by θ' + k. So the same position and turn of the foot need

    θ' = θ - 2 δ,     ankle' = ankle + 2 δ - 2 k
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from footfall.control.kind import Start
from footfall.dynamics.contact import Ground
from footfall.figures import Figure
from footfall.figures.parts import Joint
from footfall.methods.simbicon.graph import PoseControlGraph, Recovery, State, Target
from footfall.study.search.free_numbers import Scales


def scaled_ground(ground: Ground, scales: Scales) -> Ground:
    """A ground into which a scaled body sinks by the scaled depth."""
    return replace(
        ground,
        stiffness=ground.stiffness * scales.mass / scales.length,
        damping=ground.damping * scales.mass / scales.time,
        locking_speed=ground.locking_speed * scales.time,
    )


_ALL = ("left", "right")
DIMENSIONS: Mapping[str, Mapping[str, str]] = {
    "balance": {"speed": "time", "side_speed": "time", "heading_rate": "rate"},
    "reaction": {"delay": "time", "duration": "time"},
    "feedforward": {"limit": "torque", "period": "time", "joints": "torque"},
    "sight": dict.fromkeys(("ahead", "threshold", "margin", "step", "reach"), "length") | {"per_speed": "time"},
    "recovery": {one.name: "time" for one in fields(Recovery)},
    "cycle": dict.fromkeys(_ALL, "time")
    | {f"{side}_{what}": "length" for side in _ALL for what in ("d", "d_side")}
    | {f"{side}_{what}": "time" for side in _ALL for what in ("v", "v_side")},
    "integration": {"dt": "time"},
}
"""Part of a controller -> its numbers -> the ratio that each goes with."""
_GAINS = {"kp": "torque", "kd": "damping", "torque_limit": "torque"}


def scaled_graph(graph: PoseControlGraph, scales: Scales) -> PoseControlGraph:
    """A controller for a body scaled exactly: every number by its dimension. Gains that the controller leaves to its
    figure stay there. Joint stops of the law itself (``joint_limits``) have gains of their own and stay as they are."""
    servo = graph.servo
    parts: dict[str, Any] = {
        name: _scaled(part, numbers, scales)
        for name, numbers in DIMENSIONS.items()
        if (part := getattr(graph, name)) is not None
    }
    parts["servo"] = replace(
        _scaled(servo, _GAINS, scales),
        torso=(scales.torque * servo.torso[0], scales.damping * servo.torso[1]),
        joints={name: _scaled(gains, _GAINS, scales) for name, gains in servo.joints.items()},
    )
    if graph.start is not None:
        parts["start"] = _start(graph.start, scales, planar=len(graph.start.qpos) == len(graph.start.qvel))
    if graph.ground is not None:
        parts["ground"] = scaled_ground(graph.ground, scales)
    return graph.changed(states=tuple(_state(state, scales) for state in graph.states), basin={}, **parts)


def _scaled(part: Any, numbers: Mapping[str, str], scales: Scales) -> Any:
    return replace(part, **{name: _times(getattr(part, name), getattr(scales, by)) for name, by in numbers.items()})


def _times(value: Any, factor: float) -> Any:
    """A number, or all of a table or a row; None stays None."""
    if isinstance(value, Mapping):
        return {name: _times(one, factor) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(_times(one, factor) for one in value)
    return None if value is None else factor * value


def _state(state: State, scales: Scales) -> State:
    targets: Mapping[str, Target] = {
        name: replace(
            target, c_d=target.c_d / scales.length, c_v=target.c_v / scales.time, c_h=target.c_h / scales.length
        )
        for name, target in state.targets.items()
    }
    return replace(state, hold=scales.time * state.hold, targets=targets)


def _start(start: Start, scales: Scales, *, planar: bool) -> Start:
    places = 2 if planar else 3
    qpos, qvel = list(start.qpos), [scales.rate * v for v in start.qvel]
    qpos[:places] = [scales.length * x for x in start.qpos[:places]]
    qvel[:places] = [scales.time * v for v in start.qvel[:places]]
    return replace(start, qpos=tuple(qpos), qvel=tuple(qvel))


def joint_groups(figure: Figure) -> Iterator[tuple[str, tuple[Joint, ...]]]:
    """Every servo of a figure once: (the name of a pair without its side, both joints), or (a joint's name, itself)."""
    paired: set[str] = set()
    for left, right in figure.sides.joints:
        joints = (figure.joint(left), figure.joint(right))
        paired |= {left, right}
        if all(joint.actuated for joint in joints):
            yield _role(figure, left), joints
    for joint in figure.joints:
        if joint.actuated and joint.name not in paired:
            yield joint.name, (joint,)


def _role(figure: Figure, left: str) -> str:
    """The most telling role of a left joint: with its plane where it has one."""
    names = [role for role, pair in figure.roles.items() if pair[0] == left]
    planes = [role for role in names if role.endswith(("_pitch", "_roll", "_yaw")) and not role.startswith("knee_")]
    return (planes or sorted(names, key=len))[0]


def counterpart(source: Figure, target: Figure, name: str) -> str | None:
    """The joint of ``source`` that plays the part of ``target``'s joint; None where there is none."""
    for role, pair in target.roles.items():
        if name in pair and role in source.roles:
            return source.roles[role][pair.index(name)]
    own = {joint.name for joint in source.joints}
    return name if name in own and name not in (j for pair in target.sides.joints for j in pair) else None


def knee_sense(figure: Figure) -> float:
    """-1 where knees bend as people's do, the shank backward; 1 where they bend as a bird's seem to; -1 without knees
    or where a range does not tell."""
    if "knee" not in figure.roles:
        return -1.0
    knee = figure.joint(figure.roles["knee"][0])
    if math.isfinite(knee.lower) and math.isfinite(knee.upper) and knee.lower + knee.upper != 0.0:
        return -1.0 if knee.lower + knee.upper < 0.0 else 1.0
    at_rest = float(figure.default_qpos[knee.qpos])
    return 1.0 if at_rest > 0.1 else -1.0


_TURNED = ("angle", "c_d", "c_v", "c_h", "c_hip")
"""Numbers of a knee's target that turn with it."""


def mirrored_leg(bend: float, thigh: float, shank: float) -> tuple[float, float]:
    """By how much hip and ankle angles change when a knee bent by ``bend`` bends the other way."""
    k = abs(bend)
    delta = math.atan2(shank * math.sin(k), thigh + shank * math.cos(k))
    turn = math.copysign(1.0, bend)
    return -2.0 * turn * delta, 2.0 * turn * (delta - k)


def mirrored_knees(state: State, thigh: float, shank: float) -> State:
    """A state for knees that bend the other way. Targets of the hip and of the swing ankle move along; a stance hip
    has no target of its own, and an ankle against the world keeps its."""
    targets = dict(state.targets)
    for leg in ("swing", "stance"):
        knee = targets.get(f"{leg}_knee")
        if knee is None:
            continue
        hip_shift, ankle_shift = mirrored_leg(-knee.angle, thigh, shank)
        targets[f"{leg}_knee"] = replace(knee, **{name: -getattr(knee, name) for name in _TURNED})
        for name, shift in ((f"{leg}_hip", hip_shift), (f"{leg}_hip_pitch", hip_shift), (f"{leg}_ankle", ankle_shift)):
            own = targets.get(name)
            if own is not None and not own.world:
                targets[name] = replace(own, angle=own.angle + shift)
    return replace(state, targets=targets)
