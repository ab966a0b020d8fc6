"""Pose control graphs: finite state machines whose states hold target poses (SIMBICON, section 3.1; Laszlo 1996,
section 2.3).

A graph is a value: small, immutable, equal to any graph that says the same. :mod:`footfall.methods.simbicon.files`
reads and writes it. Poses are written by role, ``swing_knee`` or ``stance_ankle``, or by the figure's own joint names.
A symmetric graph is written once, for left stance; its mirror image follows.

Under one law several graphs need some things in common: the law has them once, and they come from the first.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from footfall.control.kind import Integration, Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.methods.simbicon.feedforward import FeedForward

MOST_HARMONICS = 50


def _check_number(
    where: str, value: float, *, least: float = -math.inf, infinite: bool = False, unit: str = ""
) -> None:
    """Refuse a number below ``least``, and one that is not finite where it must be."""
    if math.isnan(value) or value < least or (math.isinf(value) and not infinite):
        rule = "finite" if least == -math.inf else f"{'' if infinite else 'finite and '}at least {least:g}{unit}"
        raise FootfallError(f"{where} is {value}; it must be {rule}")


@dataclass(frozen=True)
class TargetCycle:
    """Targets that move through a walk cycle, in place of poses that stay (SIMBICON, section 5).

        target(φ) = angle + Σ_k a_k cos 2πkφ + b_k sin 2πkφ

    The phase φ goes from 0 to 1/2 during left stance and from 1/2 to 1 during right stance. It is reset to 0 or 1/2
    when stance changes, and waits at the end of a half that lasts longer than expected. Feedback acts on what d and v
    differ from their reference trajectory, so that an undisturbed walk is the cycle itself.

    Attributes:
        left, right: seconds that left and right stance are expected to last.
        left_d, left_d_side, left_v, left_v_side: reference d and v (beyond the desired speed) at the start and the end
            of left stance, metres and m/s.
        right_d, right_d_side, right_v, right_v_side: the same for right stance.
        joints: [2 K] a_1, b_1, a_2, b_2 ... by joint or torso slot, radians; of hips and torso against the world.
    """

    left: float
    right: float
    left_d: tuple[float, float] = (0.0, 0.0)
    left_d_side: tuple[float, float] = (0.0, 0.0)
    left_v: tuple[float, float] = (0.0, 0.0)
    left_v_side: tuple[float, float] = (0.0, 0.0)
    right_d: tuple[float, float] = (0.0, 0.0)
    right_d_side: tuple[float, float] = (0.0, 0.0)
    right_v: tuple[float, float] = (0.0, 0.0)
    right_v_side: tuple[float, float] = (0.0, 0.0)
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def harmonics(self) -> int:
        """K, the largest of all joints."""
        return max((len(terms) // 2 for terms in self.joints.values()), default=0)

    @property
    def reference_trajectory(self) -> tuple[float, ...]:
        """[16] reference d and v as rows have them: the left's d, d_side, v, v_side, each start and end, then the
        right's."""
        return tuple(
            x for s in ("left", "right") for q in ("d", "d_side", "v", "v_side") for x in getattr(self, f"{s}_{q}")
        )

    def check(self, where: str) -> None:
        """Refuse bad numbers; ``where`` begins the message."""
        for side in ("left", "right"):
            if not 0 < getattr(self, side) < math.inf:
                raise FootfallError(f"{where}: {side} is {getattr(self, side)}; it must be above 0 seconds")
        if not all(math.isfinite(x) for x in self.reference_trajectory):
            raise FootfallError(f"{where}: the reference d and v must be finite")
        for joint, terms in self.joints.items():
            if len(terms) % 2 or not all(math.isfinite(x) for x in terms):
                raise FootfallError(f"{where}: {joint} needs finite numbers in pairs: a1, b1, a2, b2 ...")
            if len(terms) > 2 * MOST_HARMONICS:
                raise FootfallError(f"{where}: {joint} has {len(terms)} terms; give at most {2 * MOST_HARMONICS}")


@dataclass(frozen=True)
class Recovery:
    """Limits of v, beyond which a walk leaves its usual states (footfall's own addition to SIMBICON).

    A state may name another in ``disturbed``. It is left for that one at once, on the same stance leg, when the body
    moves faster or slower than these limits allow. So a natural walk can take quick, wide steps after a push, and come
    back.

    Attributes:
        slower, faster: metres a second below and above the desired speed.
        sideways: metres a second to either side (spatial figures).
    """

    slower: float = math.inf
    faster: float = math.inf
    sideways: float = math.inf

    def check(self, where: str) -> None:
        """Raise a FootfallError that names ``where`` if a limit is not a number above 0."""
        for name, value in vars(self).items():
            _check_number(f"{where} {name}", value, least=0.0, infinite=True, unit=" m/s")


FEEDBACK = ("c_d", "c_v", "c_h")
"""Gains of a target angle on d, v and h (SIMBICON, equation 1; Improving SIMBICON, equation 2)."""

Side = Literal["left", "right"]


@dataclass(frozen=True)
class Target:
    """A target angle, radians, with balance feedback: angle + c_d d + c_v v + c_h h.

    Attributes:
        angle: radians, in the joint's own sense; of the torso, about its hips' axis.
        c_d, c_v: gains on d and v: to the front for a joint that pitches, to the left for one that rolls or yaws.
        c_h: gain on how far the ground rises ahead.
        c_hip: gain on the flexion of the other side's hip: arms that swing with the opposite leg.
        world: whether the angle is against the world and not against the parent: a foot that stays level.
    """

    angle: float
    c_d: float = 0.0
    c_v: float = 0.0
    c_h: float = 0.0
    c_hip: float = 0.0
    world: bool = False


@dataclass(frozen=True)
class State:
    """A state: a target pose and the way out of it.

    Attributes:
        targets: target angles by joint or role.
        hold: seconds until the state may be left, with ``contact`` the least time in it.
        contact: whether leaving also waits for a foot to touch the ground: True for the swing foot, "stance" for the
            stance foot (a step that begins when its own foot is down, Laszlo 1996, section 3.4).
        stance: side of the stance leg; in a symmetric graph always left, as written.
        flight: whether the hips, too, track against the torso, which goes as it will (acrobatics in the air).
        next: name of the next state; empty for the one that follows; "end" to stay for ever.
        exchange: whether the next state is the mirror image of the one named, in a symmetric graph; the last state's
            always is.
        disturbed: name of the state to enter at once when v is beyond the limits of ``recovery``; empty for none.
        handover: whether another controller may take over where the state ends; if not, it waits for the next state.
        name: what ``next`` refers to; by default the state's number.
    """

    targets: Mapping[str, Target]
    hold: float = 0.0
    contact: bool | Literal["stance"] = False
    stance: Side = "left"
    flight: bool = False
    next: str = ""
    exchange: bool = False
    disturbed: str = ""
    handover: bool = True
    name: str = ""


@dataclass(frozen=True)
class Balance:
    """How balance is sensed and kept.

    Attributes:
        reference: the point of the stance foot from which d is measured ("heel", "ankle" or "toe").
        sensor: the points of the swing foot whose contact ends a state: "heel", "toe" or "any".
        speed: desired speed, subtracted from v, metres a second.
        hip_range: the range to which a hip's target is clamped after feedback, radians.
        side_speed: desired speed to the left, metres a second (spatial figures, as the rest).
        heading: the direction to face, radians from x to the left.
        heading_rate: how fast it turns, rad/s.
        turn_limit: how fast the controller turns at most to another heading that it is asked for, rad/s.
        hip_roll_limit: how far to either side a hip's target may be after feedback, radians.
        page_speed: what live pages and the studio ask for at first in place of a desired speed of 0, of a gait that
            stays on the spot without one.
    """

    reference: str = "heel"
    sensor: str = "heel"
    speed: float = 0.0
    hip_range: tuple[float, float] = (-0.4, 1.6)
    side_speed: float = 0.0
    heading: float = 0.0
    heading_rate: float = 0.0
    turn_limit: float = math.inf
    hip_roll_limit: float = 0.6
    page_speed: float = 0.0


@dataclass(frozen=True)
class ServoGains:
    """A servo's gains and torque limit (newton metres); what is None comes from the servos in common, or from the
    figure."""

    kp: float | None = None
    kd: float | None = None
    torque_limit: float | None = None


@dataclass(frozen=True)
class Servo(ServoGains):
    """Joint servos: the gains of every joint, what is None comes from the figure, and those of some.

    Attributes:
        joint_limits: whether joint limits push back (800 N m/rad, 80 N m s/rad).
        stable: stable PD (Improving SIMBICON, section III.D). "" for the integrator's own way: plain PD, or, implicit,
            knees and ankles one step ahead. "previous": every servo and joint limit one step ahead by the previous
            step's acceleration, the paper's way. "exact": the same by the acceleration of this very step (implicit
            integrator only).
        torso: kp and kd with which the law "torso-servo" holds the torso against the world.
        joints: gains of some, by joint or by group: "torso", "hip" and "ankle" (what pitches and rolls there),
            "hip_roll", "hip_yaw", "torso_yaw", "knee", "left_elbow". Of two that apply to a joint, the one that names
            fewer counts.
    """

    joint_limits: bool = False
    stable: Literal["", "previous", "exact"] = ""
    torso: tuple[float, float] = (1000.0, 50.0)
    joints: Mapping[str, ServoGains] = field(default_factory=dict)


@dataclass(frozen=True)
class Reaction:
    """A rise of the servos' gains some time after an impact (SIMBICON, section 6).

    Attributes:
        gain: by which every kp and kd is multiplied.
        delay: seconds from the impact to the rise.
        duration: seconds that it lasts.
        threshold: the torso's error that shows an impact, radians.
    """

    gain: float = 2.0
    delay: float = 0.15
    duration: float = 0.5
    threshold: float = 0.15


@dataclass(frozen=True)
class Sight:
    """How far and how a controller sees the ground (Improving SIMBICON, section III.B).

    Attributes:
        ahead: metres looked ahead of the stance heel.
        per_speed: metres more for each metre a second.
        threshold: the rise above which feedback on it is multiplied by ``boost`` (the paper's f(h)).
        drop: factor on ground that falls away without rising before; 0 to see rises alone, as the paper does.
        margin: how far heel and toe keep off an edge, metres; 0 to land wherever the leg swings.
        step: expected step length, metres.
        reach: the farthest a landing is moved.
        gain: on the leg's correction.
    """

    ahead: float = 0.55
    per_speed: float = 0.0
    threshold: float = 0.15
    boost: float = 1.0
    drop: float = 0.0
    margin: float = 0.0
    step: float = 0.36
    reach: float = 0.12
    gain: float = 1.0


@dataclass(frozen=True)
class PoseControlGraph:
    """A controller: a pose control graph for a figure, under a law that tracks and balances it.

    Attributes:
        name: short, lower case, with hyphens.
        figure: name of the figure it was made for.
        states: the states, in order.
        law: "simbicon" (torso, swing hip and stance hip as in SIMBICON, section 3.2), "servo" (every joint tracks its
            target) or "torso-servo".
        symmetric: whether the mirror image of all states follows them.
        about: what it is, where its numbers come from.
        feedforward: torques learned by phase; None for none.
        recovery: how far v may be off before states are left for their ``disturbed`` ones; None for as far as it goes.
        cycle: how its targets move with the phase; None for poses that stay.
        ground: the ground it was made for; None for the usual one.
        integration: the step and integrator it was made for; None for the usual ones.
        basin: what is known of its basin of attraction, by name.
    """

    name: str
    figure: str
    states: tuple[State, ...]
    law: str = "simbicon"
    symmetric: bool = True
    about: str = ""
    balance: Balance = field(default_factory=Balance)
    servo: Servo = field(default_factory=Servo)
    reaction: Reaction | None = None
    feedforward: FeedForward | None = None
    sight: Sight | None = None
    recovery: Recovery | None = None
    cycle: TargetCycle | None = None
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None
    basin: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = f"controller '{self.name}'"
        self._check_graph(where)
        self._check_numbers(where)
        if self.start is not None:
            written = len(self.states)
            self.start.check(f"{where}, [start]", written, written * (2 if self.symmetric else 1))
        if self.cycle is not None:
            self._check_cycle(self.cycle)
        if self.recovery is not None:
            self.recovery.check(f"{where}: recovery")
        if self.feedforward is not None:
            self.feedforward.check(f"{where}, feedforward")

    def __repr__(self) -> str:
        count = len(self.states)
        states = f"{count} state{'s' if count > 1 else ''}"
        mirrored = " and mirror images" if self.symmetric else ""
        shown = ", ".join(self.labels[:4]) + (f" and {count - 4} more" if count > 4 else "")
        speed = f"; {self.balance.speed:g} m/s" if self.balance.speed else ""
        return (
            f"<PoseControlGraph '{self.name}' for {self.figure}, law '{self.law}'>\n"
            f"  {states}{mirrored}: {shown}{speed}\n"
            "  next: footfall.Simulation(graph).run(10.0); graph.states[0].targets; graph.changed(name=…)\n"
            "  its file: footfall.control.print_controller(graph); its tables: footfall show NAME"
        )

    @property
    def turns_over(self) -> bool:
        """Whether the torso may turn over: some state flies."""
        return any(state.flight for state in self.states)

    @property
    def labels(self) -> tuple[str, ...]:
        """The states' names: given, or their numbers."""
        return tuple(s.name or str(i) for i, s in enumerate(self.states))

    def successor(self, index: int) -> int | None:
        """The state after this one as written (from ``len(states)`` on the mirrored ones); None for the end."""
        state, count = self.states[index], len(self.states)
        if state.next == "end":
            return None
        last = index == count - 1 and not state.next
        after = self.labels.index(state.next) if state.next else (index + 1) % count
        return after + count if self.symmetric and (last or state.exchange) else after

    def _check_graph(self, where: str) -> None:
        if not self.states:
            raise FootfallError(f"{where}: it has no states; give at least one [[states]]")
        labels = self.labels
        if len(set(labels)) < len(labels):
            twice = next(label for label in labels if labels.count(label) > 1)
            raise FootfallError(f"{where}: two states are named '{twice}'; names must differ")
        for label, state in zip(labels, self.states):
            wrong: str | FootfallError = ""
            if state.next and state.next != "end" and state.next not in labels:
                wrong = unknown_name("next state", state.next, [*labels, "end"])
            elif state.disturbed and state.disturbed not in labels:
                wrong = unknown_name("state after a disturbance", state.disturbed, labels)
            elif state.exchange and not self.symmetric:
                wrong = "exchange is for symmetric controllers; name the next state instead"
            elif math.isinf(state.hold) and state.next != "end":
                wrong = 'it is held for ever but leads on, a dead end; say next = "end" or a finite hold'
            if wrong:
                raise FootfallError(f"{where}, state {label}: {wrong}")
        reached, queue = set(), [0]
        while queue:
            i = queue.pop()
            if i in reached:
                continue
            reached.add(i)
            after = self.successor(i)
            if after is not None:
                queue.append(after % len(self.states))
            if self.states[i].disturbed:
                queue.append(labels.index(self.states[i].disturbed))
        for i, label in enumerate(labels):
            if i not in reached:
                raise FootfallError(f"{where}, state {label}: no other state leads to it; name it as some state's next")

    def _check_numbers(self, where: str) -> None:
        for label, state in zip(self.labels, self.states, strict=True):
            own = f"{where}, state {label}:"
            _check_number(f"{own} hold", state.hold, least=0.0, infinite=True, unit=" seconds")
            for joint, target in state.targets.items():
                for name, value in vars(target).items():
                    _check_number(f"{own} {joint}.{name}", value)
        servo, balance = self.servo, self.balance
        for place, gains in [("", servo), *((f"joints {joint} ", own) for joint, own in servo.joints.items())]:
            for name in ("kp", "kd", "torque_limit"):
                value = getattr(gains, name)
                if value is not None:
                    _check_number(f"{where}: servo {place}{name}", value, least=0.0, infinite=name == "torque_limit")
        for gain in servo.torso:
            _check_number(f"{where}: a gain of servo torso", gain, least=0.0)
        if servo.stable not in ("", "previous", "exact"):
            raise FootfallError(f"{where}: servo stable is '{servo.stable}'; choose 'previous', 'exact' or nothing")
        low, high = balance.hip_range
        if not low <= high:
            raise FootfallError(f"{where}: balance hip_range is [{low}, {high}]; the first must not exceed the second")
        for what, extra in (("reaction", self.reaction), ("sight", self.sight)):
            for name, value in vars(extra).items() if extra is not None else ():
                _check_number(f"{where}: {what} {name}", value, least=-math.inf if name == "drop" else 0.0)
        for name in ("speed", "page_speed", "side_speed", "heading", "heading_rate", "hip_roll_limit"):
            _check_number(f"{where}: balance {name}", getattr(balance, name))
        _check_number(f"{where}: balance turn_limit", balance.turn_limit, least=0.0, infinite=True)

    def _check_cycle(self, cycle: TargetCycle) -> None:
        where = f"controller '{self.name}', cycle"
        if self.law != "simbicon":
            raise FootfallError(f"{where}: it is for law 'simbicon'; this controller's is '{self.law}'")
        sides = [state.stance for state in self.states]
        if len(sides) > 1 if self.symmetric else sorted(sides) != ["left", "right"]:
            raise FootfallError(f"{where}: it needs one state for each stance side, or one in all if symmetric")
        cycle.check(where)

    def changed(self, **parts: Any) -> "PoseControlGraph":
        """A copy with some attributes replaced."""
        return replace(self, **parts)


_USUAL_SENSORS = dict.fromkeys(("heel", "toe", "any"), "heel, toe or any")
"""Which of heels and toes count is in the table, by graph."""
LAW: dict[str, Callable[[PoseControlGraph], Any]] = {
    "law": lambda graph: graph.law,
    "servo stable": lambda graph: graph.servo.stable,
    "balance sensor": lambda graph: _USUAL_SENSORS.get(graph.balance.sensor, graph.balance.sensor),
}
"""What a kernel is built for."""
WORLD: dict[str, Callable[[PoseControlGraph], Any]] = {
    "ground": lambda graph: graph.ground or Ground(),
    "integration": lambda graph: graph.integration or Integration(),
}
"""What a simulation has once, unless it is given."""


def law_difference(
    first: PoseControlGraph, other: PoseControlGraph, parts: dict[str, Callable[[PoseControlGraph], Any]]
) -> str:
    """What two controllers differ in; empty where they have all parts in common."""
    for what, part in parts.items():
        own, theirs = part(first), part(other)
        if own != theirs:
            return f"{what} of '{first.name}' is {own!r}, of '{other.name}' it is {theirs!r}"
    return ""


def check_alike(graphs: Sequence[PoseControlGraph], parts: dict[str, Callable[[PoseControlGraph], Any]]) -> None:
    """Refuse controllers that differ in one of the parts."""
    for graph in graphs[1:]:
        wrong = law_difference(graphs[0], graph, parts)
        if wrong:
            raise FootfallError(f"repertoire: {wrong}; controllers that follow each other need the same")
