"""Slots: what a law drives, the torso in its planes and every actuated joint, with where each is in the figure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.parts import Joint

SAGITTAL, CORONAL, TRANSVERSE = range(3)
"""The planes that pitch, roll and yaw move in."""

TORSO = "torso"
TORSOS = (TORSO, "torso_roll", "torso_yaw")
"""Names of the torso's slots, by plane; a planar figure has the first alone."""

LEG = ("hip", "knee", "ankle")
"""Places of a leg's joints."""
_PLANES = {"pitch": SAGITTAL, "roll": CORONAL, "yaw": TRANSVERSE}
_ROOT_DOFS = (4, 3, 5)
"""A free root's angular velocity by plane."""


@dataclass(frozen=True)
class Slot:
    """The torso in a plane, or a joint.

    Attributes:
        name: of the joint, or of the torso's plane.
        dof, qpos: its addresses.
        plane: SAGITTAL, CORONAL or TRANSVERSE.
        place: "torso", "hip", "knee", "ankle" or nothing.
        side: "left", "right" or nothing.
        turn: 1 or -1, the sign of its axis: about -y, x and z, as a thigh moves forward, to the left and turns left.
        above: joints of the same plane between the root and it, as (qpos address, sign against it).
        other_hip: the other side's hip pitch joint, as (qpos address, its turn); (-1, 0) for none.
    """

    name: str
    dof: int
    qpos: int
    plane: int
    place: Literal["torso", "hip", "knee", "ankle", ""] = ""
    side: Literal["left", "right", ""] = ""
    turn: float = 1.0
    above: tuple[tuple[int, float], ...] = ()
    other_hip: tuple[int, float] = (-1, 0.0)

    @property
    def feels(self) -> int:
        """The plane of d and v that its target follows."""
        return SAGITTAL if self.plane == SAGITTAL else CORONAL


def learning_order(slots: Sequence[Slot], names: Collection[str]) -> tuple[list[str], int]:
    """The slots among ``names`` in the order in which they learn, those of the legs last, and how many those are."""
    chosen = [slot for slot in slots if slot.name in names]
    legs = [slot.name for slot in chosen if slot.place in LEG]
    return [slot.name for slot in chosen if slot.place not in LEG] + legs, len(legs)


def slots_of(figure: Figure, *, balanced: bool, where: str) -> tuple[Slot, ...]:
    """The slots of a figure, those of a balanced torso first; ``where`` begins the message of an error."""
    joints = [j for j in figure.joints if j.actuated]
    for joint in joints:
        if joint.ndof != 1:
            raise FootfallError(f"{where}: joint '{joint.name}' is a {joint.kind}; graphs drive hinges and slides")
    torso: list[Slot] = []
    if balanced:
        if not figure.legs or figure.root == "fixed":
            raise FootfallError(f"{where}: law 'simbicon' needs a figure that stands on legs; '{figure.name}' does not")
        planar = figure.root == "planar"
        torso = [
            Slot(name, 2 if planar else _ROOT_DOFS[plane], 2 if planar else -1, plane, "torso")
            for plane, name in enumerate(TORSOS[: 1 if planar else 3])
        ]
    slots = [_joint_slot(figure, joint) for joint in joints]
    if figure.root == "planar":
        pitch = _turn(next(joint for joint in figure.joints if joint.dof == 2))
        slots = [replace(slot, turn=pitch * slot.turn) for slot in slots]
    return (*torso, *slots)


def _turn(joint: Joint) -> float:
    """The sign of a joint's axis, taken about -y, x and z."""
    axis = np.asarray(joint.axis, dtype=float) * (1.0, -1.0, 1.0)
    return float(np.sign(axis[int(np.argmax(np.abs(axis)))]))


def _plane(joint: Joint) -> int:
    return _PLANES.get(joint.plane or "", SAGITTAL)


def _joint_slot(figure: Figure, joint: Joint) -> Slot:
    place, side, hip = "", "", (-1, 0.0)
    for left, right in figure.sides.joints:
        side = "left" if joint.name == left else "right" if joint.name == right else side
    for leg in figure.legs.values():
        for part in ("hip", "knee", "ankle"):
            if joint.name in getattr(leg, part):
                place, side = part, leg.side
    if side and figure.legs and "hip" in figure.roles:
        other = figure.joint(figure.roles["hip"][0 if side == "right" else 1])
        hip = (other.qpos, _turn(other))
    above: list[tuple[int, float]] = []
    body = joint.body
    while body >= 0:
        for name in reversed(figure.bodies[body].joints):
            other = figure.joint(name)
            if other.actuated and other.dof < joint.dof and _plane(other) == _plane(joint):
                above.append((other.qpos, _turn(other) * _turn(joint)))
        body = figure.bodies[body].parent
    return Slot(
        joint.name, joint.dof, joint.qpos, _plane(joint), place, side, _turn(joint), tuple(above), hip  # type: ignore[arg-type]
    )  # fmt: skip
