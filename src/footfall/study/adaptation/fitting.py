"""A controller fitted to another body, before any search: scaled, with the servos, limits and joints that the body has.

What the body lacks is left out and noted; what it has and the controller knows nothing of is held at rest.

The start of a controller on another body: its pose joint by joint, its feet on the ground, its velocities scaled.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.slots import slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.body_parameters import standing_heights
from footfall.figures.reading import HEIGHT
from footfall.figures.standing import standing_bends
from footfall.methods.simbicon.graph import PoseControlGraph, Servo, ServoGains, State, Target
from footfall.methods.simbicon.table import GraphTable
from footfall.study.adaptation import scaling
from footfall.study.measures.body import joint_inertia, lean_change, thigh_and_shank, weight_moment
from footfall.study.search.free_numbers import Scales
from footfall.study.trials.starts import load_any_graph

Array = NDArray[np.float64]
DIGITS = 6


def carried_start(start: Start, source: Figure, target: Figure, scales: Scales) -> Start:
    """``start`` of ``source`` as a start of ``target``; joints that only ``target`` has are at rest in their default
    pose, and all stay within their ranges."""
    root = 3 if target.root == "planar" else 7
    old_qpos, old_qvel = np.array(start.qpos), np.array(start.qvel)
    qpos, qvel = np.array(target.default_qpos), np.zeros(target.nv)
    places = 2 if target.root == "planar" else 3
    qpos[:places] = scales.length * old_qpos[:places]
    qpos[places:root] = _leant(old_qpos[places:root], lean_change(source, target))
    qvel[:places] = scales.time * old_qvel[:places]
    qvel[places : root - 1 if root == 7 else root] = scales.rate * old_qvel[places : root - 1 if root == 7 else root]
    bends = standing_bends(target)
    for joint in target.joints:
        twin = scaling.counterpart(source, target, joint.name)
        if twin is not None and joint.dof >= places and joint.ndof == 1 and joint.qpos >= root:
            own = source.joint(twin)
            sign = float(np.sign(joint.axis @ own.axis)) or 1.0
            qpos[joint.qpos] = sign * old_qpos[own.qpos] + bends.get(joint.name, 0.0)
            qvel[joint.dof] = sign * scales.rate * old_qvel[own.dof]
    if not bends and scaling.knee_sense(source) != scaling.knee_sense(target):
        _mirror_knees(qpos, qvel, target)
    for joint in target.joints:
        if joint.ndof == 1 and joint.qpos >= root:
            qpos[joint.qpos] = np.clip(qpos[joint.qpos], joint.lower, joint.upper)
    height = HEIGHT[target.root]
    qpos[height] += scales.length * lowest_sole(source, old_qpos) - lowest_sole(target, qpos)
    return Start(
        tuple((np.round(qpos, DIGITS) + 0.0).tolist()), tuple((np.round(qvel, DIGITS) + 0.0).tolist()), start.state
    )


def _leant(attitude: Array, forward: float) -> Array:
    """A root's pitch [1] or quaternion [4], turned forward by an angle about its own y axis."""
    if len(attitude) == 1:
        return attitude - forward
    turned = np.zeros(4)
    mujoco.mju_mulQuat(turned, attitude, np.array([np.cos(0.5 * forward), 0.0, np.sin(0.5 * forward), 0.0]))
    return turned


def lowest_sole(figure: Figure, qpos: Array) -> float:
    """Height of the lowest point of the feet at ``qpos`` [nq]."""
    return float(standing_heights(figure.model, figure.points, qpos, figure.body_parameters())[0])


def _mirror_knees(qpos: Array, qvel: Array, figure: Figure) -> None:
    thigh, shank = thigh_and_shank(figure)
    for side in (0, 1):
        joints = [figure.joint(figure.roles[role][side]) for role in ("hip", "knee") if role in figure.roles]
        if len(joints) < 2:
            return
        hip, knee = joints
        hip_shift, ankle_shift = scaling.mirrored_leg(-qpos[knee.qpos], thigh, shank)
        qpos[hip.qpos] += hip_shift
        qpos[knee.qpos] *= -1.0
        qvel[knee.dof] *= -1.0
        if "ankle" in figure.roles:
            qpos[figure.joint(figure.roles["ankle"][side]).qpos] += ankle_shift


HOLD_RATE = 20.0
"""rad/s, times 1 / √L: how fast the servo of a joint that the controller does not know brings it back."""
HOLD_DAMPING = 0.7
QUICK = 12.0
"""rad/s, times 1 / √L: as quickly as a person's joints must follow."""
ROTOR = 0.5
"""The share of a joint's inertia from which on its motor's rotor counts."""
SAG, SPARE_STRENGTH = 0.15, 3.0
"""Radians by which the weight may turn a leg's joint, and how many times it a motor without a limit in the file can
hold: legs that stand bent, as a bird's do, need more than scaled ones."""
NOTED_LEAN = 0.02
"""Radians."""
SPARE = 4
"""Decimals beyond the leading digit that numbers of a file keep."""


@dataclass(frozen=True)
class Fitted:
    """A controller for another body.

    Attributes:
        controller: the controller, scaled.
        figure: the body.
        source: the body it was made for.
        scales: ratios of the bodies.
        notes: what was left out or supposed, a sentence each.
    """

    controller: PoseControlGraph
    figure: Figure
    source: Figure
    scales: Scales
    notes: tuple[str, ...]


def fit_controller(
    controller: str | Path | PoseControlGraph,
    figure: str | Path | Figure,
    *,
    name: str = "",
    figure_name: str = "",
) -> Fitted:
    """Scale a controller to a body.

    Args:
        controller: a SIMBICON controller.
        figure: the body.
        name: of the new controller; by default the body's and the controller's.
        figure_name: what the new controller's file calls the body; by default ``figure`` where that is a name or path.
    """
    graph = load_any_graph(controller)
    target = figure if isinstance(figure, Figure) else Figure.load(figure)
    source = _own_figure(graph, figure, target)
    _check(graph, source, target)
    scales = Scales.between(source, target)
    notes: list[str] = []
    fitted = _rounded_graph(scaling.scaled_graph(graph, scales))
    states = tuple(_kept(state, source, target, notes) for state in fitted.states)
    bends = standing_bends(target)
    if bends:
        notes.append("its legs stand bent: its standing pose replaces the controller's straight leg")
        states = tuple(_bent(state, target, bends) for state in states)
    elif scaling.knee_sense(source) != scaling.knee_sense(target) and "knee" in target.roles:
        notes.append("its knees bend the other way: knee targets are mirrored, hips and ankles moved to match")
        states = tuple(scaling.mirrored_knees(state, *thigh_and_shank(target)) for state in states)
    more = lean_change(source, target)
    if abs(more) > NOTED_LEAN:
        where = "behind" if more > 0.0 else "ahead of"
        lean = f"{math.degrees(more):+.0f} degrees forward"
        notes.append(f"its trunk's weight is {where} that of {source.name}: the torso leans {lean}")
    states = tuple(_leaning(_within_ranges(state, target), more) for state in states)
    start = None if graph.start is None else carried_start(graph.start, source, target, scales)
    called = figure_name or (target.name if isinstance(figure, Figure) else str(figure))
    result = fitted.changed(
        name=name or f"{_plain_name(target.name)}-{graph.name.removesuffix('-sketch')}",
        figure=called,
        about=f"'{graph.name}' of {graph.figure}, scaled to {target.name} by `footfall adapt`.",
        states=states,
        servo=_servo(graph, source, target, scales, notes),
        balance=replace(fitted.balance, **_balance(graph, target, notes)),
        start=start,
        feedforward=None,
        cycle=None if fitted.cycle is None else _cycle(fitted, target),
    )
    if graph.feedforward is not None:
        found = "`footfall train --method feedback-error` finds new ones"
        notes.append(f"torques learned by phase belong to the other body and are left out; {found}")
    return Fitted(result, target, source, scales, tuple(dict.fromkeys(notes)))


def _own_figure(graph: PoseControlGraph, figure: str | Path | Figure, target: Figure) -> Figure:
    """The controller's own figure; ``target`` where that is the same file and the controller has none beside it."""
    own = Path(graph.figure)
    if own.suffix and not own.exists() and not isinstance(figure, Figure) and Path(figure).name == own.name:
        return target
    return Figure.load(graph.figure)


def _check(graph: PoseControlGraph, source: Figure, target: Figure) -> None:
    """Refuse pairs that cannot be: another law, no legs, a plane and a space."""
    if graph.law != "simbicon":
        raise FootfallError(f"adapt: controller '{graph.name}' has law '{graph.law}'; adapt carries law 'simbicon'")
    if not target.legs or target.root == "fixed":
        raise FootfallError(f"adapt: figure '{target.name}' does not have two legs to stand on")
    if source.root != target.root:
        kinds = {"planar": "planar", "free": "spatial"}
        fits = {"planar": "walk or run", "free": "plain-walk-sketch or walk-3d"}[target.root]
        raise FootfallError(
            f"adapt: controller '{graph.name}' is for {kinds[source.root]} figures and '{target.name}' is "
            f"{kinds[target.root]}; use a controller for {kinds[target.root]} figures, such as {fits}"
        )
    slots_of(target, balanced=True, where=f"adapt: figure '{target.name}'")
    hip = target.joint(target.roles["hip"][0]) if "hip" in target.roles else None
    if hip is None or hip.plane != "pitch" or not hip.actuated:
        raise FootfallError(
            f"adapt: figure '{target.name}' has no hips that pitch by motors of their own; SIMBICON balances with them"
        )
    _ = target.mirror  # a figure that is not its own mirror image is refused here


def _plain_name(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-") or "figure"


def _resolves(figure: Figure, role: str, stance: Any) -> bool:
    names = [slot.name for slot in slots_of(figure, balanced=True, where="")]
    if role in names:
        return True
    try:
        return figure.joint_for(role, stance) in names
    except FootfallError:
        return False


def _kept(state: State, source: Figure, target: Figure, notes: list[str]) -> State:
    """A state without the targets of joints that the body lacks; joints of one's own name by their part."""
    targets: dict[str, Target] = {}
    for role, value in state.targets.items():
        if _resolves(target, role, state.stance):
            targets[role] = value
            continue
        other = next(
            (j.name for j in target.joints if j.actuated and scaling.counterpart(source, target, j.name) == role), ""
        )
        if other:
            targets[other] = value
        else:
            part = role.removeprefix("swing_").removeprefix("stance_").removeprefix("left_").removeprefix("right_")
            notes.append(f"it has no {part.replace('_', ' ')}: the controller's targets for it are left out")
    return replace(state, targets=targets)


def _bent(state: State, figure: Figure, bends: Mapping[str, float]) -> State:
    """A state of legs that stand bent: targets of their joints from that pose on."""
    targets = dict(state.targets)
    for role, target in state.targets.items():
        if role.startswith(("swing_", "stance_")) and not (target.world and "hip" not in role):
            more = bends.get(figure.joint_for(role, state.stance), 0.0)
            targets[role] = replace(target, angle=_short(target.angle + more))
    return replace(state, targets=targets)


def _within_ranges(state: State, figure: Figure) -> State:
    """Targets of joints against their parents, within the joints' ranges."""
    targets = dict(state.targets)
    for role, target in state.targets.items():
        if target.world or role.startswith(("torso", "swing_hip", "stance_hip")):
            continue
        joint = figure.joint(figure.joint_for(role, state.stance))
        angle = float(np.clip(target.angle, joint.lower, joint.upper))
        if angle != target.angle:
            targets[role] = replace(target, angle=angle)
    return replace(state, targets=targets)


def _leaning(state: State, forward: float) -> State:
    """A state whose torso leans by so much more: its trunk's weight is then where the other body's was."""
    torso = state.targets.get("torso", Target(0.0))
    return replace(state, targets={**state.targets, "torso": replace(torso, angle=_short(torso.angle - forward))})


def _balance(graph: PoseControlGraph, target: Figure, notes: list[str]) -> dict[str, Any]:
    leg = target.leg("left")
    places = {p.name: float(p.position[0]) for p in target.points}
    long = max(places[n] for n in leg.toe) - min(places[n] for n in leg.heel) > 1e-3
    if graph.balance.reference == "ankle" and not (leg.ankle and long):
        notes.append("it has no ankle over a sole: balance is measured from the foot's rear end")
        return {"reference": "heel", "sensor": "any"}
    return {}


def _cycle(graph: PoseControlGraph, target: Figure) -> Any:
    assert graph.cycle is not None
    names = {slot.name for slot in slots_of(target, balanced=True, where="")}
    kept = {name: terms for name, terms in graph.cycle.joints.items() if name in names}
    return replace(graph.cycle, joints=kept)


def _servo(graph: PoseControlGraph, source: Figure, target: Figure, scales: Scales, notes: list[str]) -> Servo:
    """Gains and limits of every servo, each in the file: scaled where the controller's body has such a joint."""
    table = GraphTable(graph, source)
    joints: dict[str, ServoGains] = {}

    def gains(name: str) -> ServoGains:
        return ServoGains(table.value(f"{name}.kp") * scales.torque, table.value(f"{name}.kd") * scales.damping)

    for slot in table.slots:
        if slot.place == "torso" and not (target.root == "planar" and slot.name != "torso"):
            joints[slot.name] = _rounded(gains(slot.name))
    unlimited, unknown, slow, carrying = [], [], [], []
    for group, members in scaling.joint_groups(target):
        twin = scaling.counterpart(source, target, members[0].name)
        found = _holding(target, members[0].dof, scales) if twin is None else gains(twin)
        if twin is None:
            unknown.append(group)
        else:
            found, heavier = _quick(found, source, source.joint(twin).dof, target, members[0].dof, scales)
            slow += [group] if heavier else []
        weight = weight_moment(target, members[0].name)
        assert found.kp is not None
        assert found.kd is not None
        if weight > SAG * found.kp:
            share = weight / (SAG * found.kp) if found.kp > 0.0 else 1.0
            found = replace(found, kp=share * found.kp, kd=share * found.kd)
            carrying.append(group)
        limit = None
        if not math.isfinite(members[0].torque_limit):
            own = math.inf if twin is None else table.value(f"{twin}.torque_limit") * scales.torque
            limit = max(own, SPARE_STRENGTH * weight) if own < 1e8 else None
            if limit is not None:
                unlimited.append(group)
        joints[group] = _rounded(replace(found, torque_limit=limit))
    if unlimited:
        notes.append(
            f"the file has no torque limits for {', '.join(unlimited)}: those of {source.name} are scaled instead"
        )
    if slow:
        notes.append(f"{', '.join(slow)}: motors with much inertia; their servos are stiffer than scaled")
    if carrying:
        notes.append(f"{', '.join(carrying)}: the legs stand bent; servos are stiff enough to carry the weight")
    if unknown:
        notes.append(f"{', '.join(unknown)}: the controller knows no such joints; servos hold them at rest")
    if graph.servo.joint_limits:
        notes.append("joint limits are the body's own stops, not the controller's")
    return Servo(stable=graph.servo.stable, joints=joints)


def _holding(figure: Figure, dof: int, scales: Scales) -> ServoGains:
    """Gains that hold a joint: by the inertia that it moves in the zero pose, within its motor's limit at half a
    radian."""
    rate, inertia = HOLD_RATE * scales.rate, joint_inertia(figure, dof)
    kp = min(inertia * rate * rate, 2.0 * float(figure.torque_limit[dof]))
    return ServoGains(kp, 2.0 * HOLD_DAMPING * math.sqrt(kp * inertia))


def _quick(
    gains: ServoGains, source: Figure, own: int, target: Figure, dof: int, scales: Scales
) -> tuple[ServoGains, bool]:
    """Gains under which a joint follows as quickly as the scaled one would, and whether they are stiffer than scaled:
    motors of small robots have rotor inertias larger than those of their limbs."""
    assert gains.kp is not None
    assert gains.kd is not None
    if float(target.model.dof_armature[dof]) < ROTOR * joint_inertia(target, dof):
        return gains, False
    kp = gains.kp / scales.torque
    rate = min(math.sqrt(kp / max(joint_inertia(source, own), 1e-9)), QUICK) * scales.rate
    factor = joint_inertia(target, dof) * rate * rate / gains.kp if gains.kp > 0.0 else 1.0
    if factor <= 1.0:
        return gains, False
    return replace(gains, kp=factor * gains.kp, kd=factor * gains.kd), True


def _rounded(gains: ServoGains) -> ServoGains:
    def of(value: float | None) -> float | None:
        return None if value is None else _short(value)

    return ServoGains(of(gains.kp), of(gains.kd), of(gains.torque_limit))


def _short(value: float) -> float:
    """A number with as many digits as a file should have."""
    if value == 0.0 or not math.isfinite(value):
        return value
    return round(value, SPARE - math.floor(math.log10(abs(value))))


def _rounded_graph(graph: PoseControlGraph) -> PoseControlGraph:
    """Times, feedback and speeds as a file has them."""

    def target(own: Target) -> Target:
        return replace(own, c_d=_short(own.c_d), c_v=_short(own.c_v), c_h=_short(own.c_h))

    states = tuple(
        replace(s, hold=_short(s.hold), targets={name: target(own) for name, own in s.targets.items()})
        for s in graph.states
    )
    balance = replace(graph.balance, speed=_short(graph.balance.speed), side_speed=_short(graph.balance.side_speed))
    recovery = graph.recovery
    if recovery is not None:
        recovery = replace(recovery, **{name: _short(value) for name, value in vars(recovery).items()})
    return graph.changed(states=states, balance=balance, recovery=recovery)
