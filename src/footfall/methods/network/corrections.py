"""What actions change of a controller: each number of an action fills places of the row that the controller's law
reads.

    row[column] = max(own + gain · action, least)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.offset_law import OffsetLaw
from footfall.control.slots import TORSOS
from footfall.errors import FootfallError
from footfall.figures import Figure

Array = NDArray[np.float64]
TARGETS, GAINS = "targets", "gains"
ROOT = {"planar": 3, "free": 6, "fixed": 0}
"""How many degrees of freedom hold a figure in the world."""


@dataclass(frozen=True)
class Action:
    """A number of an action: its name, what -1 and 1 stand for, their unit and meaning."""

    name: str
    low: float
    high: float
    unit: str
    about: str


@dataclass(frozen=True)
class Place:
    """A place in the row that an action fills."""

    action: int
    column: int
    offset: float
    gain: float
    least: float = -math.inf
    most: float = math.inf


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
        for joint in (j for j in figure.joints if j.dof >= ROOT[figure.root]):  # the law moves joints without motors
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
