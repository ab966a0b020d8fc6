"""What actions change of a controller: each number of an action fills places of the row that the controller's law
reads.

    row[column] = max(own + gain · action, least)

The moment that a law decides in (:mod:`footfall.control.parts`), with a world's parameters as an action corrects
them: every number that a part reads is the row's own plus what the action adds to it.

    value = max(own + gain · action[which], least)

Which number of the action, the gain and the least value of each column of the row are in the law's library.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Law, Types
from footfall.control.parts import NowParts, now_functions
from footfall.control.rows import RowLayout, ServoField, TargetField
from footfall.control.slots import TORSOS
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.terms import Observation
from footfall.methods.tracking.law import OffsetLaw

Array = NDArray[np.float64]
TARGETS, GAINS = "targets", "gains"


Action = Observation
"""A number of an action, described as one that is observed is: its name, what -1 and 1 stand for, unit and meaning."""


@dataclass(frozen=True)
class Place:
    """A place in the row that an action fills.

    Attributes:
        action: which of its numbers.
        column: of the row.
        offset, gain: the place becomes offset + gain · action,
        least, most: within these.
        joint: the place in qpos of a clip's number that is added, -1 for none.
    """

    action: int
    column: int
    offset: float
    gain: float
    least: float = -math.inf
    most: float = math.inf
    joint: int = -1


def corrections(law: Law, figure: Figure, correct: Mapping[str, float]) -> tuple[list[Action], list[Place]]:
    """The numbers of an action, and the places that they fill.

    Args:
        law: the controller's; an :class:`OffsetLaw` where it prescribes accelerations and targets are corrected.
        figure: what it drives.
        correct: what is changed and how far by an action of 1: "targets" (rad), "gains" (share of kp and kd), or the
            path of any parameter (its own unit).
    """
    table: list[Action] = []
    places: list[Place] = []
    row = law.parameters
    for what, amount in correct.items():
        if what == TARGETS:
            _correct_targets(law, row, figure, amount, table, places)
        elif what == GAINS:
            _correct_gains(law, row, figure, amount, table, places)
        else:
            _correct_cells(law, row, what, amount, table, places)
    return table, places


def _slots(law: Law, figure: Figure, field: str) -> list[tuple[str, list[tuple[int, float]]]]:
    """Joints and planes of the torso whose numbers a law has, with the cells of each."""
    found = []
    for name in (*TORSOS, *(j.name for j in figure.joints if j.actuated)):
        try:
            found.append((name, law.cells(f"{name}.{field}")))
        except FootfallError:  # a law need not have a number for every joint
            continue
    return found


def _correct_targets(
    law: Law, row: Array, figure: Figure, amount: float, table: list[Action], places: list[Place]
) -> None:
    if isinstance(law, OffsetLaw):
        kt = float(row[law.cells("kt")[0][0]]) if "kt" in law.parameter_names else 1.0
        for joint in (j for j in figure.joints if j.dof >= figure.root_freedoms):  # the law moves joints without motors
            for k in range(joint.ndof):
                name = f"{joint.name}_{'xyz'[k]}" if joint.ndof > 1 else joint.name
                places.append(Place(len(table), law.offset(joint.dof + k), 0.0, amount * kt))
                table.append(Action(f"{name} target", -amount, amount, "rad", "added to what the clip has"))
        return
    found = _slots(law, figure, "angle")
    if not found:
        raise FootfallError(f"correct: the law of '{law.label}' has no target angles; {_choices(law)}")
    for name, cells in found:
        places += [Place(len(table), at, float(row[at]), sign * amount) for at, sign in cells]
        table.append(Action(f"{name} target", -amount, amount, "rad", "added in every state"))


def _correct_gains(
    law: Law, row: Array, figure: Figure, amount: float, table: list[Action], places: list[Place]
) -> None:
    stiff = dict(_slots(law, figure, "kp"))
    if not stiff:
        raise FootfallError(f"correct: the law of '{law.label}' has no gains of joints; {_choices(law)}")
    for name, cells in stiff.items():
        for at, _ in (*cells, *law.cells(f"{name}.kd")):
            places.append(Place(len(table), at, float(row[at]), amount * float(row[at]), 0.0))
        table.append(Action(f"{name} gains", 1.0 - amount, 1.0 + amount, "", "kp and kd are multiplied by it"))


def _correct_cells(law: Law, row: Array, path: str, amount: float, table: list[Action], places: list[Place]) -> None:
    try:
        cells: Sequence[tuple[int, float]] = law.cells(path)
    except FootfallError as error:
        raise FootfallError(f"correct: {error}; or use '{TARGETS}' or '{GAINS}'") from None
    places += [Place(len(table), at, float(row[at]), sign * amount) for at, sign in cells]
    table.append(Action(path, -amount, amount, "", "added to the controller's own"))


def _choices(law: Law) -> str:
    names = law.parameter_names
    return f"choose of its parameters: {', '.join(names[:12])}" if names else "it has no parameters by name"


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
    types: Types, layout: RowLayout, first: int, actions: int, action_at: int, limit: float
) -> tuple[NowParts, wp.Function]:
    """The structure and functions of :mod:`footfall.control.parts`, and a part that takes up the action, which
    comes before all others.

    Args:
        types: of the law.
        layout: of the base controller's row: one graph.
        first: where in the library the columns begin.
        actions: how many numbers an action has.
        action_at: where in memory they are.
        limit: how large they count at most.
    """
    real, layout = types.real, layout.compiled
    plain = now_functions(
        types, layout, {"library": wp.array2d[real], "action": wp.types.vector(length=actions, dtype=real)}
    )
    Now, own_graph, own_state, own_cycle = plain.Now, plain.of_graph, plain.of_state, plain.of_cycle
    own_servo, own_target = plain.read_servo, plain.read_target
    first_servo, servo_width = layout.servo(0, 0), layout.servo(0, 1) - layout.servo(0, 0)
    first_target, target_width = layout.target(0, 0) - layout.state(0), layout.target(0, 1) - layout.target(0, 0)
    first_cycle, width, most = layout.cycle(0), len(COLUMN), real(limit)

    @wp.func
    def corrected(now: wp.ref[Now], column: int, own: real):
        value = own
        at = first + width * column
        which = int(now.library[0, at])
        if which > 0:
            value = wp.max(value + now.library[0, at + 1] * now.action[which - 1], now.library[0, at + 2])
        return value

    @wp.func
    def of_graph(now: wp.ref[Now], field: int):
        return corrected(now, field, own_graph(now, field))

    @wp.func
    def of_state(now: wp.ref[Now], field: int):
        return corrected(now, now.state_row + field, own_state(now, field))

    @wp.func
    def of_cycle(now: wp.ref[Now], field: int):
        return corrected(now, first_cycle + field, own_cycle(now, field))

    @wp.func
    def read_servo(now: wp.ref[Now], slot: int):
        at = first_servo + servo_width * slot
        servo = own_servo(now, slot)
        servo.kp = corrected(now, at + ServoField.KP, servo.kp)
        servo.kd = corrected(now, at + ServoField.KD, servo.kd)
        servo.torque_limit = corrected(now, at + ServoField.TORQUE_LIMIT, servo.torque_limit)
        return servo

    @wp.func
    def read_target(now: wp.ref[Now], slot: int):
        at = now.state_row + first_target + target_width * slot
        target = own_target(now, slot)
        target.angle = corrected(now, at + TargetField.ANGLE, target.angle)
        target.c_d = corrected(now, at + TargetField.C_D, target.c_d)
        target.c_v = corrected(now, at + TargetField.C_V, target.c_v)
        target.c_h = corrected(now, at + TargetField.C_H, target.c_h)
        target.c_hip = corrected(now, at + TargetField.C_HIP, target.c_hip)
        return target

    @plain.part
    def take_action(now, sense, memory, command):
        now.library = sense.library
        i = int(0)
        while i < wp.static(actions):
            now.action[i] = wp.clamp(memory[action_at + i], -most, most)
            i += 1

    parts = plain._replace(
        of_graph=of_graph, of_state=of_state, of_cycle=of_cycle, read_servo=read_servo, read_target=read_target
    )
    return parts, take_action
