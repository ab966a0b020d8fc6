"""What an action does: each of its numbers fills places of the row that a world's law reads.

    row[column] = clamp(offset + gain · action, least, most)

Torques and targets fill the row of :class:`footfall.simulation.held_drive.HeldDrive`, corrections that of the
controller's own law.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.law import Law
from footfall.control.offset_law import OffsetLaw
from footfall.control.registry import kind_of, law_of
from footfall.control.slots import TORSOS
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.parts import Joint
from footfall.gym.options import Options
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.simulation.held_drive import DRIVE, ROOT, UNLIMITED, HeldDrive

__all__ = ["Action", "ActionMap", "action_map"]

Array = NDArray[np.float64]
TARGETS, GAINS = "targets", "gains"


@dataclass(frozen=True)
class Action:
    """A number of an action: its name, what -1 and 1 stand for, their unit and meaning."""

    name: str
    low: float
    high: float
    unit: str
    about: str


@dataclass(frozen=True)
class _Place:
    """A place in the row that an action fills."""

    action: int
    column: int
    offset: float
    gain: float
    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True, eq=False)
class ActionMap:
    """All of an action.

    Attributes:
        law: the law whose row is filled. row: [NP] the row under an action of zeros.
        table: the action's numbers.
        source, column: [E] the number and the place of each entry. numbers: [E, 4] offset, gain, least and most.
        heading: where in the row a goal's heading belongs, -1 for nowhere.
        states: how many states the controller has; 0 without a state machine.
    """

    law: Law
    row: Array
    table: list[Action]
    source: NDArray[np.int32]
    column: NDArray[np.int32]
    numbers: Array
    heading: int
    states: int


def action_map(options: Options, figure: Figure, controller: Controller | None) -> ActionMap:
    """The action that options ask for."""
    make: Callable[[Options, Figure, Controller | None], tuple[Law, Array, list[Action], list[_Place]]]
    make = {"torques": _torques, "targets": _targets, "corrections": _corrections}[options.action]
    law, row, table, places = make(options, figure, controller)
    if not table:
        raise FootfallError(f"figure '{figure.name}': no joint has a motor that action '{options.action}' could drive")
    turns = (
        controller is not None and options.action == "corrections" and kind_of(controller).abilities(controller).turn
    )
    return ActionMap(
        law,
        row,
        table,
        np.array([p.action for p in places], dtype=np.int32),
        np.array([p.column for p in places], dtype=np.int32),
        np.array([[p.offset, p.gain, p.least, p.most] for p in places]).reshape(-1, 4),
        law.cells("heading")[0][0] if turns and "heading" in law.parameter_names else -1,
        len(law.table.states) if isinstance(law, GraphLaw) else 0,
    )


def _torques(
    options: Options, figure: Figure, controller: Controller | None
) -> tuple[Law, Array, list[Action], list[_Place]]:
    law = HeldDrive(figure)
    table: list[Action] = []
    places: list[_Place] = []
    for joint in _driven(figure, balls=True):
        limit = options.strength * _strength(joint, figure)
        unit = "N" if joint.kind == "slide" else "N m"
        for k in range(joint.ndof):
            name = f"{joint.name}_{'xyz'[k]}" if joint.ndof > 1 else joint.name
            places.append(_Place(len(table), joint.dof + k, 0.0, limit))
            table.append(Action(name, -limit, limit, unit, "torque, held until the next decision"))
    return law, law.parameters, table, places


def _targets(
    options: Options, figure: Figure, controller: Controller | None
) -> tuple[Law, Array, list[Action], list[_Place]]:
    law, nv = HeldDrive(figure), figure.nv
    row = law.parameters.reshape(len(DRIVE), nv)
    table: list[Action] = []
    places: list[_Place] = []
    for joint in _driven(figure, balls=False):
        kp, kd = float(figure.kp[joint.dof]), float(figure.kd[joint.dof])
        if kp <= 0:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' has no servo gains; use action 'torques'"
            )
        home = float(figure.default_qpos[joint.qpos])
        row[DRIVE.index("kp"), joint.dof], row[DRIVE.index("kd"), joint.dof] = kp, kd
        row[DRIVE.index("target"), joint.dof] = home
        row[DRIVE.index("limit"), joint.dof] = min(float(figure.torque_limit[joint.dof]), UNLIMITED)
        column = DRIVE.index("target") * nv + joint.dof
        place = _Place(len(table), column, home, options.reach, min(joint.lower, home), max(joint.upper, home))
        places.append(place)
        low, high = np.clip([home - options.reach, home + options.reach], place.least, place.most)
        unit = "m" if joint.kind == "slide" else "rad"
        table.append(Action(joint.name, float(low), float(high), unit, "target of the joint's servo"))
    return law, row.ravel(), table, places


def _driven(figure: Figure, *, balls: bool) -> list[Joint]:
    """Joints with motors."""
    joints = [j for j in figure.joints if j.actuated]
    for joint in joints:
        if joint.ndof > 1 and not balls:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' is a ball; targets are for hinges and slides, "
                "use action 'torques' or 'corrections'"
            )
    return joints


def _strength(joint: Joint, figure: Figure) -> float:
    """N m that an action of 1 asks for: the motor's limit; without one, what the servo gives for an error of 1 rad."""
    for strength in (joint.torque_limit, float(figure.kp[joint.dof])):
        if math.isfinite(strength) and strength > 0:
            return strength
    raise FootfallError(f"figure '{figure.name}': joint '{joint.name}' has neither a torque limit nor servo gains")


# -- corrections ---------------------------------------------------------------------------------------------------


def _corrections(
    options: Options, figure: Figure, controller: Controller | None
) -> tuple[Law, Array, list[Action], list[_Place]]:
    assert controller is not None  # the options are checked
    kind_of(controller).check(controller, figure, ())
    law = law_of(controller, figure)
    table: list[Action] = []
    places: list[_Place] = []
    if TARGETS in options.correct and law.prescribes:
        law = OffsetLaw(law, figure)
    row = law.parameters
    for what, amount in options.correct.items():
        if what == TARGETS:
            _correct_targets(law, row, figure, amount, table, places)
        elif what == GAINS:
            _correct_gains(law, row, figure, amount, table, places)
        else:
            _correct_cells(law, row, what, amount, table, places)
    return law, row, table, places


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
    law: Law, row: Array, figure: Figure, amount: float, table: list[Action], places: list[_Place]
) -> None:
    if isinstance(law, OffsetLaw):
        kt = float(row[law.cells("kt")[0][0]]) if "kt" in law.parameter_names else 1.0
        for joint in (j for j in figure.joints if j.dof >= ROOT[figure.root]):  # the law moves joints without motors
            for k in range(joint.ndof):
                name = f"{joint.name}_{'xyz'[k]}" if joint.ndof > 1 else joint.name
                places.append(_Place(len(table), law.offset(joint.dof + k), 0.0, amount * kt))
                table.append(Action(f"{name} target", -amount, amount, "rad", "added to what the clip has"))
        return
    found = _slots(law, figure, "angle")
    if not found:
        raise FootfallError(f"correct: the law of '{law.label}' has no target angles; {_choices(law)}")
    for name, cells in found:
        places += [_Place(len(table), at, float(row[at]), sign * amount) for at, sign in cells]
        table.append(Action(f"{name} target", -amount, amount, "rad", "added in every state"))


def _correct_gains(
    law: Law, row: Array, figure: Figure, amount: float, table: list[Action], places: list[_Place]
) -> None:
    stiff = dict(_slots(law, figure, "kp"))
    if not stiff:
        raise FootfallError(f"correct: the law of '{law.label}' has no gains of joints; {_choices(law)}")
    for name, cells in stiff.items():
        for at, _ in (*cells, *law.cells(f"{name}.kd")):
            places.append(_Place(len(table), at, float(row[at]), amount * float(row[at]), 0.0))
        table.append(Action(f"{name} gains", 1.0 - amount, 1.0 + amount, "", "kp and kd are multiplied by it"))


def _correct_cells(law: Law, row: Array, path: str, amount: float, table: list[Action], places: list[_Place]) -> None:
    try:
        cells: Sequence[tuple[int, float]] = law.cells(path)
    except FootfallError as error:
        raise FootfallError(f"correct: {error}; or use '{TARGETS}' or '{GAINS}'") from None
    places += [_Place(len(table), at, float(row[at]), sign * amount) for at, sign in cells]
    table.append(Action(path, -amount, amount, "", "added to the controller's own"))


def _choices(law: Law) -> str:
    names = law.parameter_names
    return f"choose of its parameters: {', '.join(names[:12])}" if names else "it has no parameters by name"
