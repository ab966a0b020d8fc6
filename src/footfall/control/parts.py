"""The moment that a law decides in: where in its graph a world is, and what balance has observed.

One structure, :class:`NowParts` ``.Now``, is made at the start of a step and passed to every part of a law. All parts
have one signature,

    part(now, sense, memory, command)

each by reference, so that :func:`in_order` can put any of them one after the other. A part reads the world's parameters
by the name of a field: ``of_graph(now, GraphField.SPEED)``, ``read_servo(now, i).kp``, ``read_target(now, i).c_d``.

The frame that balance is kept in: the torso against the world, and the body against its stance foot, plane by plane.

In the plane the torso's lean is a coordinate. In space the frame turns with the heading, the yaw of the root:

    heading = atan2(forward_y, forward_x)
    lean    = atan2 of the vertical as the root feels it, forward (pitch) and sideways (roll)

and d and v are taken along the heading (sagittal) and to its left (coronal). Leans and their rates are about the hips'
axes (about -y, x and z), so that a thigh's angle against the world is its hip's angle plus the lean of the same plane.

Balance feedback: target angles that follow where the body is and how fast it moves (SIMBICON, equation 1).

    target = angle + c_d d + c_v v + c_h h

d and v belong to the plane that a joint moves in: sagittal for joints that pitch, coronal for those that roll or yaw.
h is how far the ground rises ahead (Improving SIMBICON, equation 2).

Servos: PD control of a joint, one step ahead where that keeps it stable, within its stops and its torque limit.

    τ = kp (error - h q') - kd q',     stiffness = h (kd + h kp)

With h = 0 this is plain PD. With h the step it is the servo at the end of the step, which the dynamics solve for by
adding the stiffness to the joint's inertia: stable PD, exactly (Tan, Liu and Turk 2011). Improving SIMBICON
(section III.D) takes the previous step's acceleration instead, and needs no stiffness:

    error' = error - h q',     q'' = q' + h q̈_previous

The state machine of a pose control graph: when a state ends, and which one follows (SIMBICON, section 3.1).

A state may be left when its time is over; one that waits for contact, when a foot touches the ground besides. Where a
law holds several graphs, a request replaces the state that would follow by its match in the graph requested.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import MACHINE, GraphField, MemoryLayout, RowLayout, ServoField, StateField, TargetField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE
from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = [
    "NowParts",
    "advance_function",
    "beyond_stop",
    "corrected_target",
    "in_order",
    "limited",
    "limited_stiffness",
    "now_functions",
    "observe_function",
    "predicted_error",
    "predicted_rate",
    "raised_target",
    "root_heading",
    "root_pitch",
    "root_roll",
    "root_up",
    "root_yaw",
    "sensor_masks",
    "servo_stiffness",
    "servo_torque",
    "wrap_angle",
]


class NowParts(NamedTuple):
    """The structure, and the functions that read a world's parameters through it.

    Attributes:
        Now: parameters and row; state, and where its numbers (state_row) and its graph's (graph_row) begin;
            right_stance; flies; gain on every kp and kd; lean and rate of the torso by plane, d and v by plane
            (sagittal, coronal); waves of a cycle and their rates; torso_torque and torso_error by plane; bin of learned
            torques; exchanged: whether stance was exchanged at the end of this step.
        enter: (state, parameters, row, now) fills in the state, its stance and where its numbers are.
        of_graph, of_state, of_cycle: (now, field) -> a number of the present graph, state and cycle.
        of_other_state: (now, state, field) -> a number of any state.
        entry: (now, state, graph) -> the state entered instead of ``state`` if ``graph`` is requested; -1 for none.
        read_servo: (now, slot) -> kp, kd, torque_limit, lower, upper; without the gain.
        read_target: (now, slot) -> angle, c_d, c_v, c_h, c_hip, world.
        part: a decorator: the Warp function of a part, whose arguments have the names, and so the types, of all parts'.
    """

    Now: Any
    enter: wp.Function
    of_graph: wp.Function
    of_state: wp.Function
    of_cycle: wp.Function
    of_other_state: wp.Function
    entry: wp.Function
    read_servo: wp.Function
    read_target: wp.Function
    part: Callable[[Callable[..., Any]], wp.Function]


def now_functions(types: Types, layout: RowLayout, more: Mapping[str, Any] | None = None) -> NowParts:
    """The structure and functions for a figure and a layout of its parameters.

    Args:
        types, layout: of the law.
        more: fields that the structure has besides, by name.
    """
    planar = types.compiled.figure.root == "planar"
    Now, *functions = _functions(types.real, planar, layout.compiled, tuple((more or {}).items()))
    return NowParts(Now, *functions, part=types.typed(now=wp.ref[Now]))


def _with(more: Sequence[tuple[str, Any]]) -> Callable[[type], type]:
    """A decorator that adds fields to a structure."""

    def extended(structure: type) -> type:
        structure.__annotations__.update(more)
        return structure

    return extended


@cache
def _functions(real: Any, planar: bool, layout: RowLayout, more: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """Made once for a layout: a law and its sight share one structure."""
    Leans = wp.types.vector(length=1 if planar else 3, dtype=real)
    Pair = wp.types.vector(length=1 if planar else 2, dtype=real)
    Waves = wp.types.vector(length=max(2 * layout.harmonics, 1), dtype=real)
    many = layout.graphs > 1
    first_state, state_width = layout.state(0), layout.state_width
    first_entry, entry_width = layout.entry(0), layout.entry(1) - layout.entry(0)
    first_cycle = layout.cycle(0)
    zero, one = real(0.0), real(1.0)

    @wp.struct
    @_with(more)
    class Now:
        parameters: wp.array2d[real]
        row: wp.int32
        state: wp.int32
        state_row: wp.int32
        graph_row: wp.int32
        right_stance: wp.bool
        flies: wp.bool
        gain: real
        lean: Leans
        rate: Leans
        d: Pair
        v: Pair
        waves: Waves
        wave_rates: Waves
        torso_torque: Leans
        torso_error: Leans
        bin: wp.int32
        exchanged: wp.bool

    @wp.func
    def of_graph(now: wp.ref[Now], field: int):
        return now.parameters[now.row, now.graph_row + field]

    @wp.func
    def of_state(now: wp.ref[Now], field: int):
        return now.parameters[now.row, now.state_row + field]

    @wp.func
    def of_cycle(now: wp.ref[Now], field: int):
        return now.parameters[now.row, now.graph_row + first_cycle + field]

    @wp.func
    def of_other_state(now: wp.ref[Now], state: int, field: int):
        return now.parameters[now.row, first_state + state_width * state + field]

    @wp.func
    def entry(now: wp.ref[Now], state: int, graph: int):
        return int(now.parameters[now.row, first_entry + entry_width * state + graph])

    @wp.func
    def enter(state: int, parameters: wp.array2d[real], row: int, now: wp.ref[Now]):
        now.parameters = parameters
        now.row = row
        now.state = state
        now.state_row = first_state + state_width * state
        now.graph_row = 0
        if wp.static(many):
            now.graph_row = int(of_state(now, StateField.GRAPH))
        now.right_stance = of_state(now, StateField.STANCE) > zero
        now.flies = of_state(now, StateField.FLIGHT) > zero
        now.gain = one

    read_servo, read_target = _readers(real, layout, Now)
    return Now, enter, of_graph, of_state, of_cycle, of_other_state, entry, read_servo, read_target


def _readers(real: Any, layout: RowLayout, Now: Any) -> tuple[wp.Function, wp.Function]:
    """``read_servo`` and ``read_target``."""
    first_servo, servo_width = layout.servo(0, 0), layout.servo(0, 1) - layout.servo(0, 0)
    first_target, target_width = layout.target(0, 0) - layout.state(0), layout.target(0, 1) - layout.target(0, 0)
    zero = real(0.0)

    @wp.struct
    class Servo:
        kp: real
        kd: real
        torque_limit: real
        lower: real
        upper: real

    @wp.struct
    class Target:
        angle: real
        c_d: real
        c_v: real
        c_h: real
        c_hip: real
        world: wp.bool

    @wp.func
    def read_servo(now: wp.ref[Now], slot: int):
        at = now.graph_row + first_servo + servo_width * slot
        servo = Servo()
        servo.kp = now.parameters[now.row, at + ServoField.KP]
        servo.kd = now.parameters[now.row, at + ServoField.KD]
        servo.torque_limit = now.parameters[now.row, at + ServoField.TORQUE_LIMIT]
        servo.lower = now.parameters[now.row, at + ServoField.LOWER]
        servo.upper = now.parameters[now.row, at + ServoField.UPPER]
        return servo

    @wp.func
    def read_target(now: wp.ref[Now], slot: int):
        at = now.state_row + first_target + target_width * slot
        target = Target()
        target.angle = now.parameters[now.row, at + TargetField.ANGLE]
        target.c_d = now.parameters[now.row, at + TargetField.C_D]
        target.c_v = now.parameters[now.row, at + TargetField.C_V]
        target.c_h = now.parameters[now.row, at + TargetField.C_H]
        target.c_hip = now.parameters[now.row, at + TargetField.C_HIP]
        target.world = now.parameters[now.row, at + TargetField.WORLD] > zero
        return target

    return read_servo, read_target


def in_order(types: Types, now: Any, parts: Sequence[wp.Function]) -> wp.Function:
    """One part that does what all of them do, one after the other; of none, a part that does nothing.
    ``now.Now`` is the structure that they share.

    Parts are put in order by functions that call two of them, since Warp does not see a function that a loop picks when
    it decides whether a compiled kernel is up to date.
    """
    part = types.typed(now=wp.ref[now.Now])

    @part
    def nothing(now, sense, memory, command):
        pass

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @part
        def in_turn(now, sense, memory, command):
            first(now, sense, memory, command)
            second(now, sense, memory, command)

        return in_turn

    return reduce(both, parts) if parts else nothing


@wp.func
def root_pitch(w: Any, x: Any, y: Any, z: Any):
    """The lean about -y of a root with this quaternion, backward positive, whatever its heading."""
    two = type(w)(2.0)
    return wp.atan2(two * (x * z - w * y), type(w)(1.0) - two * (x * x + y * y))


@wp.func
def root_roll(w: Any, x: Any, y: Any, z: Any):
    """The lean about x of a root with this quaternion, to the right positive, whatever its heading."""
    two = type(w)(2.0)
    return wp.atan2(two * (y * z + w * x), type(w)(1.0) - two * (x * x + y * y))


@wp.func
def root_yaw(w: Any, x: Any, y: Any, z: Any):
    """The heading of a root with this quaternion: the yaw of its forward axis, to the left positive."""
    two = type(w)(2.0)
    return wp.atan2(two * (x * y + w * z), type(w)(1.0) - two * (y * y + z * z))


@wp.func
def root_heading(w: Any, x: Any, y: Any, z: Any):
    """Cosine and sine of the heading of a root with this quaternion; 1 and 0 where its forward axis is vertical."""
    two = type(w)(2.0)
    c = type(w)(1.0) - two * (y * y + z * z)
    s = two * (x * y + w * z)
    size = wp.sqrt(c * c + s * s)
    if size > type(w)(0.0):
        c = c / size
        s = s / size
    else:
        c = type(w)(1.0)
        s = type(w)(0.0)
    return wp.vector(c, s, length=2)


@wp.func
def lying_heading(w: Any, x: Any, y: Any, z: Any):
    """Cosine and sine of the turn about the vertical that is in this quaternion (swing and twist): the heading of one
    who may lie on the back, front or side; 1 and 0 where it is upside down."""
    two = type(w)(2.0)
    size = w * w + z * z
    c = type(w)(1.0)
    s = type(w)(0.0)
    if size > type(w)(1e-12):
        c = (w * w - z * z) / size
        s = two * w * z / size
    return wp.vector(c, s, length=2)


@wp.func
def root_up(w: Any, x: Any, y: Any, z: Any):
    """The world's up in the axes of a root with this quaternion."""
    two = type(w)(2.0)
    return wp.vector(two * (x * z - w * y), two * (y * z + w * x), type(w)(1.0) - two * (x * x + y * y), length=3)


def observe_function(types: Types, now: NowParts) -> wp.Function:
    """A part that observes the torso's lean and its rate, d and v, as balance sees them: late where sensors are."""
    figure, real, Sense, of_graph = types.compiled.figure, types.real, types.Sense, now.of_graph
    planar = figure.root == "planar"
    names = [p.name for p in types.compiled.points]
    heels, toes = (
        [tuple(3 * names.index(name) for name in getattr(figure.legs[side], part)) for side in ("left", "right")]
        for part in ("heel", "toe")
    )
    left_heel, right_heel, left_toe, right_toe = heels[0][0], heels[1][0], toes[0][0], toes[1][0]

    @now.part
    def observe_in_the_plane(now, sense, memory, command):
        heel = sense.seen_position[left_heel]
        toe = sense.seen_position[left_toe]
        if now.right_stance:
            heel = sense.seen_position[right_heel]
            toe = sense.seen_position[right_toe]
        reference = of_graph(now, GraphField.REFERENCE)
        now.d[SAGITTAL] = sense.seen_qpos[0] - heel - reference * (toe - heel)
        now.v[SAGITTAL] = sense.seen_qvel[0] - of_graph(now, GraphField.SPEED)
        now.lean[SAGITTAL] = sense.seen_qpos[2]
        now.rate[SAGITTAL] = sense.seen_qvel[2]

    @wp.func
    def middle(sense: wp.ref[Sense], right: bool, axis: int, reference: real):
        """The reference point of a foot: between the middles of its heel and its toe."""
        heel = real(0.0)
        toe = real(0.0)
        for i in range(wp.static(len(heels[0]))):
            if right:
                heel += sense.seen_position[wp.static(heels[1][i]) + axis]
            else:
                heel += sense.seen_position[wp.static(heels[0][i]) + axis]
        for i in range(wp.static(len(toes[0]))):
            if right:
                toe += sense.seen_position[wp.static(toes[1][i]) + axis]
            else:
                toe += sense.seen_position[wp.static(toes[0][i]) + axis]
        heel /= real(wp.static(float(len(heels[0]))))
        toe /= real(wp.static(float(len(toes[0]))))
        return heel + reference * (toe - heel)

    @now.part
    def observe_in_space(now, sense, memory, command):
        w = sense.seen_qpos[3]
        x = sense.seen_qpos[4]
        y = sense.seen_qpos[5]
        z = sense.seen_qpos[6]
        heading = root_yaw(w, x, y, z)
        now.lean[SAGITTAL] = root_pitch(w, x, y, z)
        now.lean[CORONAL] = root_roll(w, x, y, z)
        now.lean[TRANSVERSE] = heading
        now.rate[SAGITTAL] = -sense.seen_qvel[4]
        now.rate[CORONAL] = sense.seen_qvel[3]
        now.rate[TRANSVERSE] = sense.seen_qvel[5]
        reference = of_graph(now, GraphField.REFERENCE)
        dx = sense.seen_qpos[0] - middle(sense, now.right_stance, 0, reference)
        dy = sense.seen_qpos[1] - middle(sense, now.right_stance, 1, reference)
        c = wp.cos(heading)
        s = wp.sin(heading)
        now.d[SAGITTAL] = c * dx + s * dy
        now.d[CORONAL] = c * dy - s * dx
        vx = sense.seen_qvel[0]
        vy = sense.seen_qvel[1]
        now.v[SAGITTAL] = c * vx + s * vy - of_graph(now, GraphField.SPEED)
        now.v[CORONAL] = c * vy - s * vx - of_graph(now, GraphField.SIDE_SPEED)

    return observe_in_the_plane if planar else observe_in_space


TURN = 2.0 * math.pi


@wp.func
def corrected_target(angle: Any, c_d: Any, d: Any, c_v: Any, v: Any):
    """A target with feedback on d and v."""
    return angle + c_d * d + c_v * v


@wp.func
def raised_target(target: Any, c_h: Any, rise: Any):
    """A target with feedback on the ground's rise."""
    return target + c_h * rise


@wp.func
def wrap_angle(error: Any):
    """The same angle from -π to π: an error taken the short way round."""
    turn = type(error)(TURN)
    return error - turn * wp.floor(error / turn + type(error)(0.5))


@wp.func
def servo_torque(kp: Any, kd: Any, error: Any, rate: Any, ahead: Any):
    """The torque of a servo ``ahead`` seconds from now."""
    return kp * (error - ahead * rate) - kd * rate


@wp.func
def servo_stiffness(kp: Any, kd: Any, ahead: Any):
    """What a servo taken ``ahead`` adds to its joint's inertia."""
    return ahead * (kd + kp * ahead)


@wp.func
def predicted_error(error: Any, rate: Any, dt: Any):
    """A servo's error one step from now, by its rate."""
    return error - dt * rate


@wp.func
def predicted_rate(rate: Any, acceleration: Any, dt: Any):
    """A servo's rate one step from now, by an acceleration that is known."""
    return rate + dt * acceleration


@wp.func
def beyond_stop(angle: Any, lower: Any, upper: Any):
    """How far a joint must turn back to be within its stops; 0 inside."""
    zero = type(angle)(0.0)
    back = wp.min(upper - angle, zero)
    back += wp.max(lower - angle, zero)
    return back


@wp.func
def limited(torque: Any, limit: Any):
    """A torque within its limit."""
    return wp.clamp(torque, -limit, limit)


@wp.func
def limited_stiffness(stiffness: Any, torque: Any, limit: Any):
    """A servo's stiffness: none where its torque is beyond the limit, since it then no longer depends on the joint."""
    return wp.where(wp.abs(torque) > limit, type(stiffness)(0.0), stiffness)


def sensor_masks(types: Types, sensor: str) -> tuple[int, int, int, int]:
    """Bit masks of the points that sense contact: the left and the right foot's heel, then the rest of their soles.

    A sensor other than "heel", "toe" and "any" is the rest of a point's name, such as "under_ankle" for
    left_under_ankle and right_under_ankle; these points then take the heels' place.
    """
    figure: Figure = types.compiled.figure
    names = [p.name for p in types.compiled.points]
    first, rest = [], []
    for side in ("left", "right") if figure.legs else ():
        leg = figure.legs[side]
        chosen = leg.heel
        if sensor not in ("heel", "toe", "any"):
            chosen = tuple(name for name in leg.sole if name == f"{side}_{sensor}")
        if not chosen:
            points = [name.removeprefix(f"{side}_") for name in leg.sole]
            raise FootfallError(f"balance sensor is '{sensor}'; choose one of: heel, toe, any, {', '.join(points)}")
        first.append(sum(1 << names.index(name) for name in chosen))
        rest.append(sum(1 << names.index(name) for name in leg.sole if name not in chosen))
    left, right = first or (0, 0)
    return left, right, *(rest or (0, 0))


def advance_function(
    types: Types, now: NowParts, layout: RowLayout, memory: MemoryLayout, masks: tuple[int, int, int, int]
) -> wp.Function:
    """A part that goes on by one step: into the next state if this one ends. ``now.exchanged`` then says whether the
    stance leg is another."""
    Now, real = now.Now, types.real
    of_graph, of_state, of_other_state, entry = now.of_graph, now.of_state, now.of_other_state, now.entry
    state_, clock_, request_, request_time_ = (memory[name] for name in MACHINE)
    left_heels, right_heels, left_toes, right_toes = masks
    many = layout.graphs > 1
    zero, half, one = real(0.0), real(0.5), real(1.0)

    @wp.func
    def touches(now: wp.ref[Now], contact: int, right: bool):
        heels = left_heels
        toes = left_toes
        if right:
            heels = right_heels
            toes = right_toes
        found = bool(False)
        if of_graph(now, GraphField.SENSOR_HEEL) > zero:
            found = (contact & heels) != 0
        if of_graph(now, GraphField.SENSOR_TOE) > zero:
            found = found or (contact & toes) != 0
        return found

    @now.part
    def advance(now, sense, memory, command):
        clock = memory[clock_] + sense.dt
        memory[clock_] = clock
        leave = clock > of_state(now, StateField.HOLD) - half * sense.dt
        contact = of_state(now, StateField.CONTACT)
        if leave and contact > zero:
            right_foot = now.right_stance == (contact > one)
            leave = touches(now, sense.seen_contact, right_foot)
        if leave:
            after = int(of_state(now, StateField.NEXT))
            stays = after == now.state
            if wp.static(many):
                if memory[request_] >= zero and sense.time >= memory[request_time_] - half * sense.dt:
                    instead = entry(now, after, int(memory[request_]))
                    if instead >= 0:
                        after = instead
                        stays = False
                        memory[request_] = -one
            if not stays:
                memory[state_] = real(after)
                memory[clock_] = zero
                now.exchanged = (of_other_state(now, after, StateField.STANCE) > zero) != now.right_stance

    return advance
