"""The moment that a law decides in (:mod:`footfall.control.parts.now`), with a world's parameters as an action corrects
them: every number that a part reads is the row's own plus what the action adds to it.

    value = max(own + gain · action[which], least)

Which number of the action, the gain and the least value of each column of the row are in the law's library.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.control.parts.now import NowParts
from footfall.control.rows import RowLayout, ServoField, StateField, TargetField
from footfall.methods.network.corrections import Place

__all__ = ["corrected_now", "corrected_numbers"]

COLUMN = ("which", "gain", "least")
"""Numbers that the library holds for each column of the row; which: a number of the action from 1 on, 0 for none."""
NO_LEAST = -1e30


def corrected_numbers(places: Sequence[Place], columns: int) -> NDArray[np.float64]:
    """[columns, 3] ``COLUMN`` of every column of a row."""
    numbers = np.zeros((columns, len(COLUMN)))
    for place in places:
        least = place.least if math.isfinite(place.least) else NO_LEAST
        numbers[place.column] = place.action + 1, place.gain, least
    return numbers


def corrected_now(
    types: Types, layout: RowLayout, first: int, actions: int, action_at: int, clip: float
) -> tuple[NowParts, wp.Function]:
    """The structure and functions of :mod:`footfall.control.parts.now`, and a part that takes up the action, which
    comes before all others.

    Args:
        types: of the law. layout: of the base controller's row: one graph.
        first: where in the library the columns begin. actions: how many numbers an action has.
        action_at: where in memory they are. clip: how large they count at most.
    """
    real, planar, layout = types.real, types.compiled.figure.root == "planar", layout.compiled
    Sense, Memory, Command = types.Sense, types.Memory, types.Command
    Leans = wp.types.vector(length=1 if planar else 3, dtype=real)
    Pair = wp.types.vector(length=1 if planar else 2, dtype=real)
    Waves = wp.types.vector(length=max(2 * layout.harmonics, 1), dtype=real)
    Action: Any = wp.types.vector(length=actions, dtype=real)
    first_state, state_width = layout.state(0), layout.state_width
    first_servo, servo_width = layout.servo(0, 0), layout.servo(0, 1) - layout.servo(0, 0)
    first_target, target_width = layout.target(0, 0) - layout.state(0), layout.target(0, 1) - layout.target(0, 0)
    first_entry, first_cycle, width = layout.entry(0), layout.cycle(0), len(COLUMN)
    zero, one, most = real(0.0), real(1.0), real(clip)

    @wp.struct
    class Now:
        parameters: wp.array2d[real]
        library: wp.array2d[real]
        action: Action
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
    def read(now: wp.ref[Now], column: int):
        value = now.parameters[now.row, column]
        at = first + width * column
        which = int(now.library[0, at])
        if which > 0:
            value = wp.max(value + now.library[0, at + 1] * now.action[which - 1], now.library[0, at + 2])
        return value

    @wp.func
    def of_graph(now: wp.ref[Now], field: int):
        return read(now, field)

    @wp.func
    def of_state(now: wp.ref[Now], field: int):
        return read(now, now.state_row + field)

    @wp.func
    def of_cycle(now: wp.ref[Now], field: int):
        return read(now, first_cycle + field)

    @wp.func
    def of_other_state(now: wp.ref[Now], state: int, field: int):
        return now.parameters[now.row, first_state + state_width * state + field]

    @wp.func
    def entry(now: wp.ref[Now], state: int, graph: int):
        return int(now.parameters[now.row, first_entry + state + graph])

    @wp.func
    def enter(state: int, parameters: wp.array2d[real], row: int, now: wp.ref[Now]):
        now.parameters = parameters
        now.row = row
        now.state = state
        now.state_row = first_state + state_width * state
        now.graph_row = 0
        now.right_stance = parameters[row, now.state_row + wp.static(int(StateField.STANCE))] > zero
        now.flies = parameters[row, now.state_row + wp.static(int(StateField.FLIGHT))] > zero
        now.gain = one

    @wp.func
    def read_servo(now: wp.ref[Now], slot: int):
        at = first_servo + servo_width * slot
        servo = Servo()
        servo.kp = read(now, at + ServoField.KP)
        servo.kd = read(now, at + ServoField.KD)
        servo.torque_limit = read(now, at + ServoField.TORQUE_LIMIT)
        servo.lower = now.parameters[now.row, at + ServoField.LOWER]
        servo.upper = now.parameters[now.row, at + ServoField.UPPER]
        return servo

    @wp.func
    def read_target(now: wp.ref[Now], slot: int):
        at = now.state_row + first_target + target_width * slot
        target = Target()
        target.angle = read(now, at + TargetField.ANGLE)
        target.c_d = read(now, at + TargetField.C_D)
        target.c_v = read(now, at + TargetField.C_V)
        target.c_h = read(now, at + TargetField.C_H)
        target.c_hip = read(now, at + TargetField.C_HIP)
        target.world = now.parameters[now.row, at + TargetField.WORLD] > zero
        return target

    @wp.func
    def take_action(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        now.library = sense.library
        i = int(0)
        while i < wp.static(actions):
            now.action[i] = wp.clamp(memory[action_at + i], -most, most)
            i += 1

    parts = NowParts(Now, enter, of_graph, of_state, of_cycle, of_other_state, entry, read_servo, read_target)
    return parts, take_action
