"""The moment that a law decides in: where in its graph a world is, and what balance has observed.

One structure, :class:`NowParts` ``.Now``, is made at the start of a step and passed to every part of a law. All parts
have one signature,

    part(now, sense, memory, command)

each by reference, so that :func:`in_order` can put any of them one after the other. A part reads the world's parameters
by the name of a field: ``of_graph(now, GraphField.SPEED)``, ``read_servo(now, i).kp``, ``read_target(now, i).c_d``.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce
from typing import Any, NamedTuple

import warp as wp

from footfall.control.law import Types
from footfall.control.rows import RowLayout, ServoField, StateField, TargetField


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


def now_functions(types: Types, layout: RowLayout, more: Mapping[str, Any] | None = None) -> NowParts:
    """The structure and functions for a figure and a layout of its parameters.

    Args:
        types, layout: of the law.
        more: fields that the structure has besides, by name.
    """
    return _functions(types.real, types.compiled.figure.root == "planar", layout.compiled, tuple((more or {}).items()))


def _with(more: Sequence[tuple[str, Any]]) -> Callable[[type], type]:
    """A decorator that adds fields to a structure."""

    def extended(structure: type) -> type:
        structure.__annotations__.update(more)
        return structure

    return extended


@cache
def _functions(real: Any, planar: bool, layout: RowLayout, more: tuple[tuple[str, Any], ...]) -> NowParts:
    """Made once for a layout: a law and its sight share one structure."""
    Leans = wp.types.vector(length=1 if planar else 3, dtype=real)
    Pair = wp.types.vector(length=1 if planar else 2, dtype=real)
    Waves = wp.types.vector(length=max(2 * layout.harmonics, 1), dtype=real)
    many = layout.graphs > 1
    first_state, state_width = layout.state(0), layout.state_width
    first_servo, servo_width = layout.servo(0, 0), layout.servo(0, 1) - layout.servo(0, 0)
    first_target, target_width = layout.target(0, 0) - layout.state(0), layout.target(0, 1) - layout.target(0, 0)
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

    return NowParts(Now, enter, of_graph, of_state, of_cycle, of_other_state, entry, read_servo, read_target)


def in_order(types: Types, now: NowParts, parts: Sequence[wp.Function]) -> wp.Function:
    """One part that does what all of them do, one after the other; of none, a part that does nothing.

    Parts are put in order by functions that call two of them, since Warp does not see a function that a loop picks when
    it decides whether a compiled kernel is up to date.
    """
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command

    @wp.func
    def nothing(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        pass

    def both(first: wp.Function, second: wp.Function) -> wp.Function:
        @wp.func
        def in_turn(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
            first(now, sense, memory, command)
            second(now, sense, memory, command)

        return in_turn

    return reduce(both, parts) if parts else nothing
