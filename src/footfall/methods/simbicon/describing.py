"""A pose control graph as text, numbers and poses: a table for each state, what leads from state to state, and what in
its file is likely a mistake."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.kind import Description, Section
from footfall.control.slots import slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.mjcf import posed
from footfall.figures.reading import HEIGHT
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target
from footfall.motion import Motion

if TYPE_CHECKING:
    from footfall.pictures.pose_graph import StateLink

_GAINS = {"c_d": ("rad/m", "d"), "c_v": ("rad s/m", "v"), "c_h": ("rad/m", "h"), "c_hip": ("", "hip")}
"""Feedback gains of a target: unit, and what they act on."""
_MEANINGS = {
    "c_d": "d: metres that the body is ahead of (for rolls: to the left of) the stance foot",
    "c_v": "v: its speed, m/s, less the desired one",
    "c_h": "h: metres that the ground rises ahead",
    "c_hip": "hip: flexion of the other side's hip, rad",
}
_MOST_NOTES = 9
_LEAST_GAIN = 0.01
"""Smaller ones are not written in a picture."""
_BOTH_SIDES = 2
"""Symmetric graphs of at most so many states are drawn with their mirror images."""


def describe_graph(graph: PoseControlGraph, *, draw: bool = False) -> Description:
    """States and gains as tables and lines; with ``draw`` the poses of the states and what leads from one to another
    instead."""
    title = f"{graph.name}: a controller for {graph.figure}, law '{graph.law}'"
    sections = [_state_section(graph, i) for i in range(len(graph.states))]
    servos = _servo_section(graph)
    if not draw:
        return Description(title, lines=_lines(graph), data=asdict(graph), sections=[*sections, servos])
    count = len(graph.states)
    shown = 2 * count if graph.symmetric and count <= _BOTH_SIDES else count
    labels = [f"state {label}" for label in graph.labels]
    labels += [f"state {label}, mirrored" for label in graph.labels[: shown - count]]
    return Description(
        title,
        data=asdict(graph),
        poses=_target_poses(graph, shown),
        labels=labels,
        caption=f"{graph.name}: poses that its states aim at, in degrees; what is the same in all of them is left out",
        links=_links(graph, shown),
        notes=[_notes(graph, k % count) for k in range(shown)],
    )


def _state_section(graph: PoseControlGraph, i: int) -> Section:
    state = graph.states[i]
    title = (
        f"state {graph.labels[i]} ({state.stance} stance{', in flight' if state.flight else ''}): {_way_out(graph, i)}"
    )
    used = [name for name in _GAINS if any(getattr(t, name) for t in state.targets.values())]
    heads = [" ".join(filter(None, (name, _GAINS[name][0]))) for name in used]
    rows = [["target of", "degrees", "radians", *heads, "against"]]
    for role, target in state.targets.items():
        gains = [f"{getattr(target, name):+.4g}" if getattr(target, name) else "" for name in used]
        against = "world" if target.world or _of_the_world(graph, state, role) else "parent"
        rows.append([role, f"{math.degrees(target.angle):7.1f}", f"{target.angle:8.4f}", *gains, against])
    return Section(title, rows if len(rows) > 1 else ())


def _of_the_world(graph: PoseControlGraph, state: State, role: str) -> bool:
    """Whether SIMBICON's law drives a target against the world: the torso's and the swing hip's pitch and roll."""
    if graph.law == "servo" or state.flight or role.endswith("yaw"):
        return False
    return role.startswith("torso") or (graph.law == "simbicon" and role.startswith("swing_hip"))


def _until(graph: PoseControlGraph, state: State) -> str:
    """When a state ends."""
    if math.isinf(state.hold):
        return "lasts"
    if not state.contact:
        return f"ends after {state.hold:g} s" if state.hold > 0 else "ends at once"
    sensor = graph.balance.sensor.replace("_", " ")
    foot = "swing" if state.contact is True else "stance"
    point = "foot" if sensor == "any" else sensor if sensor in ("heel", "toe") else f"foot ({sensor})"
    least = f", after {state.hold:g} s at the earliest" if state.hold > 0 else ""
    return f"ends when the {foot} {point} touches the ground{least}"


def _way_out(graph: PoseControlGraph, i: int) -> str:
    """When a state ends and what follows, for people to read."""
    state, after = graph.states[i], graph.successor(i)
    until = _until(graph, state)
    if after is None:
        words = f"{until} and stays" if until == "lasts" else f"{until}, then stays"
    else:
        words = f"{until}, then state {graph.labels[after % len(graph.states)]}"
        words += " with the sides exchanged" if after >= len(graph.states) else ""
    if state.disturbed:
        words += f"; at once state {state.disturbed} if disturbed"
    return words + ("; no other controller takes over here" if not state.handover else "")


def _servo_section(graph: PoseControlGraph) -> Section:
    """Gains of the servos; what the controller leaves to the figure is said."""
    servo = graph.servo
    named = [(name, gains.kp, gains.kd, gains.torque_limit) for name, gains in servo.joints.items()]
    common = ("every joint" if not named else "other joints", servo.kp, servo.kd, servo.torque_limit)
    rows = [
        [name, *("the figure's" if value is None else f"{value:g}" for value in values)]
        for name, *values in (*named, common)
    ]
    if graph.law == "torso-servo":
        rows.append(["torso against the world", *(f"{gain:g}" for gain in servo.torso), ""])
    lines = ["joint limits push back (800 N m/rad, 80 N m s/rad)"] if servo.joint_limits else []
    lines += [f"stable PD, '{servo.stable}'"] if servo.stable else []
    return Section("servos", [["of", "kp N m/rad", "kd N m s/rad", "limit N m"], *rows], lines)


def _lines(graph: PoseControlGraph) -> list[str]:
    gains = [name for name in _GAINS if any(getattr(t, name) for s in graph.states for t in s.targets.values())]
    lines = ["the mirror image of all states, for right stance, follows"] if graph.symmetric else []
    if gains:
        formula = " ".join(["angle", *(f"+ {name} {_GAINS[name][1]}" for name in gains)])
        lines.append(f"target = {formula}; " + "; ".join(_MEANINGS[name] for name in gains))
    if graph.law == "simbicon":
        lines.append(_balance(graph))
    for key, words in (
        ("reaction", "after an impact"),
        ("sight", "sight of the ground"),
        ("recovery", "disturbed if v"),
    ):
        part = getattr(graph, key)
        if part is not None:
            lines.append(f"{words}: {_pairs({k: v for k, v in vars(part).items() if v != math.inf})}")
    if graph.feedforward is not None:
        learned = graph.feedforward
        lines.append(f"learned torques of {_listed(learned.joints)}, in {learned.bins} parts of a {learned.over}")
    if graph.cycle is not None:
        cycle = graph.cycle
        lines.append(
            f"targets move with the phase: {cycle.harmonics} harmonics of {len(cycle.joints)} joints, "
            f"{cycle.left:g} s of left and {cycle.right:g} s of right stance"
        )
    if graph.basin:
        lines.append(f"basin: {_pairs(graph.basin)}")
    return lines


def _balance(graph: PoseControlGraph) -> str:
    balance = graph.balance
    low, high = (math.degrees(angle) for angle in balance.hip_range)
    words = [f"balance: d from the stance {balance.reference}", f"desired speed {balance.speed:g} m/s"]
    if balance.side_speed:
        words.append(f"{balance.side_speed:g} m/s to the left")
    if balance.heading or balance.heading_rate:
        words.append(f"heading {math.degrees(balance.heading):g}° turning by {math.degrees(balance.heading_rate):g}°/s")
    if balance.turn_limit < math.inf:
        words.append(f"turning by at most {math.degrees(balance.turn_limit):.0f}°/s")
    words.append(f"hip targets between {low:.0f}° and {high:.0f}°")
    if any(role.endswith("hip_roll") for state in graph.states for role in state.targets):
        words.append(f"to the side at most {math.degrees(balance.hip_roll_limit):.0f}°")
    return ", ".join(words)


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{str(k).replace('_', ' ')} {_text(v)}" for k, v in values.items())


def _text(value: Any) -> str:
    """A value with few digits."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return f"({', '.join(f'{k} {_text(v)}' for k, v in value.items())})"
    return _listed(map(_text, value)) if isinstance(value, tuple | list) else str(value)


def _listed(names: Iterable[str]) -> str:
    *most, last = [*names] or ["none"]
    return f"{', '.join(most)} and {last}" if most else last


def _notes(graph: PoseControlGraph, i: int) -> list[str]:
    """The target angles of a state that differ between states, in degrees with their feedback."""
    targets = [state.targets for state in graph.states]
    roles = dict.fromkeys(role for own in targets for role in own)
    told = [role for role in roles if len({own.get(role) for own in targets}) > 1] or list(roles)
    lines = [f"{role.replace('_', ' ')} {_angle(target)}" for role in told if (target := targets[i].get(role))]
    lines = ["in the air", *lines] if graph.states[i].flight else lines
    more = len(lines) - _MOST_NOTES
    return lines if more <= 1 else [*lines[:_MOST_NOTES], f"and {more} more"]


def _angle(target: Target) -> str:
    felt = ((getattr(target, name), sign) for name, (_, sign) in _GAINS.items())
    gains = "".join(f" {gain:+.2g} {sign}" for gain, sign in felt if abs(gain) >= _LEAST_GAIN)
    return f"{math.degrees(target.angle):.0f}°{gains}"


def _links(graph: PoseControlGraph, shown: int) -> "list[StateLink]":
    """What leads from pose to pose among those that are shown."""
    from footfall.pictures.pose_graph import StateLink

    count, links = len(graph.states), []
    for k in range(shown):
        i, mirrored = k % count, k >= count
        state, after = graph.states[i], graph.successor(i)
        until = _short_until(graph, state)
        if after is not None:
            crossed = (after >= count) != mirrored
            exchanged = after >= count and shown == count
            end = after % count + (count if crossed and shown > count else 0)
            links.append(StateLink(k, end, until + ("\nmirrored" if exchanged else "")))
        if state.disturbed:
            end = graph.labels.index(state.disturbed) + (count if mirrored else 0)
            links.append(StateLink(k, end, "disturbed", aside=True))
    return links


def _short_until(graph: PoseControlGraph, state: State) -> str:
    touch = {True: [f"{'foot' if graph.balance.sensor == 'any' else graph.balance.sensor} down".replace("_", " ")],
             False: [], "stance": ["stance foot\ndown"]}[state.contact]  # fmt: skip
    return ",\n".join([f"{state.hold:.3g} s"] * (state.hold > 0) + touch) or "at once"


def _target_poses(graph: PoseControlGraph, count: int) -> Motion:
    """A motion of one frame for each state: the pose that it drives the figure to, standing on the ground."""
    from footfall.methods.simbicon.table import GraphTable
    from footfall.methods.simbicon.target_pose import target_qpos

    figure = Figure.load(graph.figure)
    table = GraphTable(graph, figure)
    soles = [figure.model.site(p.name).id for p in figure.points if p.ground]
    poses = []
    for i in range(count):
        qpos = target_qpos(table, i, figure.default_qpos)
        if figure.root in HEIGHT and soles:
            qpos[HEIGHT[figure.root]] -= posed(figure.model, qpos).site_xpos[soles, 2].min()
        poses.append(qpos)
    return Motion.from_qpos(
        figure, np.arange(len(poses), dtype=np.float64), np.array(poses), source={"controller": graph.name}
    )


FARTHEST_JOINT = math.pi
FARTHEST_TORSO = 2.0 * math.pi
"""Radians: no joint turns farther, and no torso leans by more than a turn."""


def doubts_of(graph: PoseControlGraph, figure: Figure, *, balanced: bool) -> list[str]:
    """Likely mistakes, each beginning with its place behind the file's name.

    Args:
        graph: the controller.
        figure: that it drives.
        balanced: whether its law gives the stance hip what is left to balance the torso.
    """
    return [*(_idle_hips(graph, figure) if balanced else ()), *_far_angles(graph, figure)]


def _idle_hips(graph: PoseControlGraph, figure: Figure) -> list[str]:
    """Targets of the stance hip; a pose that gives both hips by their joints' names means the swing hip, too."""
    hips = {slot.name: slot.side for slot in slots_of(figure, balanced=True, where="") if slot.place == "hip"}
    others = {a: b for pair in figure.sides.joints for a, b in (pair, pair[::-1])}
    found = []
    for label, state in zip(graph.labels, graph.states):
        for role in () if state.flight else state.targets:
            try:
                name = role if role in hips else figure.joint_for(role, state.stance)
            except FootfallError:
                continue
            if role in hips and others.get(role) in state.targets:
                continue
            if hips.get(name) == state.stance:
                found.append(
                    f", state {label}: {role} does nothing: law '{graph.law}' gives the stance hip the torque that "
                    "keeps the torso upright; lean the torso instead (torso = …)"
                )
    return found


def _far_angles(graph: PoseControlGraph, figure: Figure) -> list[str]:
    """Angles that no joint reaches: of targets, of the hips' limits, of one joint at the start."""
    angles = [
        (f", state {label}: {role} is", target.angle, FARTHEST_TORSO if role.startswith("torso") else FARTHEST_JOINT)
        for label, state in zip(graph.labels, graph.states)
        for role, target in state.targets.items()
    ]
    limits = {"hip_range": max(map(abs, graph.balance.hip_range)), "hip_roll_limit": graph.balance.hip_roll_limit}
    angles += [(f", [balance]: {name} holds", value, FARTHEST_JOINT) for name, value in limits.items()]
    if graph.start is not None:
        hinges = [(joint.name, graph.start.qpos[joint.qpos]) for joint in figure.joints if joint.kind == "hinge"]
        far = [
            (f", [start]: {name} is", angle, FARTHEST_TORSO) for name, angle in hinges if abs(angle) > FARTHEST_TORSO
        ]
        angles += far[:1]
    return [
        f"{place} {angle:g} rad, which no joint reaches; if these are degrees, write {math.radians(angle):.4g}"
        for place, angle, most in angles
        if most < abs(angle) < math.inf
    ]
