"""What a graph, its servos, its cycle and its states are as numbers of a row (:mod:`footfall.control.rows`), each by
the name of its field."""

import math
from collections.abc import Sequence
from dataclasses import replace

from footfall.control.rows import CycleField, GraphField, RowLayout, ServoField, StateField
from footfall.control.slots import TRANSVERSE, Slot
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.both_sides import WrittenState
from footfall.methods.simbicon.cycle import Cycle
from footfall.methods.simbicon.graph import Gains, PoseControlGraph, Reaction, Sight, Target
from footfall.methods.simbicon.recovery import Recovery

STOP_GAINS = (800.0, 80.0)
"""kp and kd of a joint's stops."""
NO_REACTION = Reaction(gain=1.0, delay=0.0, duration=0.0, threshold=0.0)

Groups = list[tuple[str, list[Slot]]]


def graph_numbers(graph: PoseControlGraph, figure: Figure, *, balanced: bool, alone: bool) -> list[float]:
    """What a graph says as a whole; ``alone`` is False among other graphs of a repertoire."""
    balance, reaction, learned = graph.balance, graph.reaction or NO_REACTION, graph.feedforward
    recovery, sight = graph.recovery or Recovery(), graph.sight or Sight()
    if not alone and sight.margin == 0:
        sight = replace(sight, reach=0.0)  # beside others that place their feet, it leaves its own alone
    limit_kp, limit_kd = STOP_GAINS if graph.servo.joint_limits else (0.0, 0.0)
    if balanced and balance.sensor not in ("heel", "toe", "any"):
        raise FootfallError(
            f"controller '{graph.name}': balance sensor is '{balance.sensor}'; choose 'heel', 'toe' or 'any'"
        )
    return GraphField.numbers(
        speed=balance.speed,
        side_speed=balance.side_speed,
        heading=balance.heading,
        heading_rate=balance.heading_rate,
        hip_low=balance.hip_range[0],
        hip_high=balance.hip_range[1],
        hip_roll_limit=balance.hip_roll_limit,
        limit_kp=limit_kp,
        limit_kd=limit_kd,
        reference=_reference(graph, figure),
        sensor_heel=balance.sensor != "toe",
        sensor_toe=balance.sensor in ("toe", "any"),
        reaction_threshold=reaction.threshold,
        reaction_delay=reaction.delay,
        reaction_duration=reaction.duration,
        reaction_gain=reaction.gain,
        learning_rate=learned.rate if learned else 0.0,
        feedforward_limit=min(learned.limit, 1e9) if learned else 0.0,
        feedforward_angle=min(learned.limit_angle, 1e9) if learned else 0.0,
        sight_ahead=sight.ahead,
        sight_per_speed=sight.per_speed,
        sight_threshold=sight.threshold,
        sight_boost=sight.boost,
        sight_drop=sight.drop,
        edge_margin=sight.margin,
        edge_step=sight.step,
        edge_reach=sight.reach,
        edge_gain=sight.gain,
        slower=min(recovery.slower, 1e9),
        faster=min(recovery.faster, 1e9),
        sideways=min(recovery.sideways, 1e9),
    )


def _reference(graph: PoseControlGraph, figure: Figure) -> float:
    """Where d is measured from, as a fraction of the way from heel to toe on a flat foot."""
    reference = graph.balance.reference
    places = {"heel": 0.0, "toe": 1.0}
    if reference == "ankle" and figure.legs:
        leg = figure.legs["left"]
        points = {p.name: float(p.position[0]) for p in figure.points}
        ankle = float(figure.joint(leg.ankle[0]).anchor[0])
        heel, toe = points[leg.heel[0]], points[leg.toe[0]]
        places["ankle"] = (ankle - heel) / (toe - heel)
    if reference not in places:
        raise FootfallError(
            f"controller '{graph.name}': balance reference is '{reference}'; choose 'heel', 'ankle' or 'toe'"
        )
    return places[reference]


def state_numbers(written: WrittenState, graph: PoseControlGraph, begins: int) -> list[float]:
    """A state's way out; its graph's numbers begin at ``begins``."""
    state = written.state
    return StateField.numbers(
        hold=0.0 if state.hold == math.inf else state.hold,
        contact=2.0 if state.contact == "stance" else float(state.contact),
        next=written.after,
        stance=state.stance == "right",
        flight=state.flight,
        graph=begins,
        turns_over=graph.turns_over,
        disturbed=written.disturbed,
    )


def rest_target(slot: Slot, figure: Figure) -> Target:
    """The target of a slot that a state does not mention."""
    return Target(0.0 if slot.place == "torso" else float(figure.default_qpos[slot.qpos]))


def in_group(group: str, slot: Slot, figure: Figure) -> bool:
    """Whether a slot is of a group: by its name, without its side, by its role, or by its place.

    A place ("torso", "hip", "ankle") means what pitches and rolls there; what yaws is named by itself.
    """
    if group in ("", slot.name) or slot.name in (f"left_{group}", f"right_{group}"):
        return True
    if group == slot.place:
        return slot.plane != TRANSVERSE
    return slot.name in figure.roles.get(group, ())


def servo_groups(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot]) -> Groups:
    """The slots that each of a graph's servos stands for, most slots first."""
    groups = {name: [s for s in slots if in_group(name, s, figure)] for name in graph.servo.joints}
    for name, found in groups.items():
        if not found:
            choices = sorted({*(slot.name for slot in slots), *figure.roles})
            raise FootfallError(f"controller '{graph.name}', servo: {unknown_name('joint', name, choices)}")
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def servo_numbers(
    graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot], slot: Slot, groups: Groups
) -> list[float]:
    """A slot's servo: the figure's gains, unless the graph has some for all joints, for a group or for this one."""
    servo, dof = graph.servo, slot.dof
    found = Gains(figure.kp[dof], figure.kd[dof], figure.torque_limit[dof])
    if slot.place == "torso":
        hips = [s for s in slots if s.place == "hip" and s.side == "left"]
        hip = next((s.dof for s in hips if s.plane == slot.plane), hips[0].dof)
        found = Gains(figure.kp[hip], figure.kd[hip], math.inf)
    own = Gains(servo.kp, servo.kd, servo.torque_limit)
    if graph.law == "torso-servo" and slot.name in figure.body(figure.torso).joints:
        own = Gains(*servo.torso, servo.torque_limit)
    for gains in (own, *(servo.joints[name] for name, group in groups if slot in group)):
        found = replace(found, **{name: value for name, value in vars(gains).items() if value is not None})
    numbers = vars(found) | {"torque_limit": min(vars(found)["torque_limit"], 1e9)}
    return ServoField.numbers(**numbers, lower=max(figure.lower[dof], -1e9), upper=min(figure.upper[dof], 1e9))


def cycle_numbers(graph: PoseControlGraph, layout: RowLayout) -> list[float]:
    """A graph's cycle, then the terms of each slot; of a graph without one, a cycle that moves nothing."""
    cycle = graph.cycle or Cycle(1.0, 1.0)
    for name in cycle.joints:
        if name not in layout.slots:
            error = unknown_name("joint", name, layout.slots)
            raise FootfallError(f"controller '{graph.name}', cycle: {error}")
    trajectory = {}
    for name in (f"{side}_{what}" for side in ("left", "right") for what in ("d", "d_side", "v", "v_side")):
        trajectory[name], trajectory[f"{name}_end"] = getattr(cycle, name)
    numbers = CycleField.numbers(left=cycle.left, right=cycle.right, **trajectory)
    width = 2 * layout.harmonics
    terms = (cycle.joints.get(name, ()) for name in layout.slots)
    return [*numbers, *(x for t in terms for x in (*t, *([0.0] * (width - len(t)))))]
