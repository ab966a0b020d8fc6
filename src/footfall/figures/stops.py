"""How far joints turn: where the body itself stops them, whatever drives them.

A joint's range is the figure's own (MJCF ``range``). A figure whose range is that of a softer limit can say by how much
its hard stops lie beyond it: ``<custom><numeric name="stop_slack" data="0.4"/></custom>``. A joint without a range gets
about that of a person, by its place in the leg or by its name: without one, a knee would bend forward and an elbow
spin. A joint without either turns freely.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from footfall.figures.figure import Figure
from footfall.figures.mjcf import custom_numbers
from footfall.figures.parts import Joint
from footfall.text_files import packaged_table

LEAST_ROOM = 0.3
"""The least room, radians, that a person's range leaves around the default pose."""

ASIDE, CHAINED_KNEE = (-1.0, 1.0), (-1.8, 1.8)
"""Radians of roll and yaw; of one of several knees of a leg."""


@cache
def _people() -> dict[str, list[float]]:
    """A person's joint ranges by a word in the joint's name: radians about -y of a hinge that pitches (a thigh, an arm
    or a forearm forward, toes up, a trunk backward), then low and high of a ball's rotation vector from the default
    pose about x, y and z; where all three are alike, the angle."""
    rows = (row.values() for row in packaged_table("footfall.figures", "joint_ranges.csv"))
    return {word: [float(number) for number in numbers if number] for word, *numbers in rows}


def stop_ranges(figure: Figure) -> NDArray[np.float64]:
    """[nv, 2] how far each degree of freedom of a joint goes, infinite where nothing stops it.

    A ball's three are the components of its rotation from the default pose, as a vector in the joint's axes; where all
    three are alike, they bound the vector's length, the angle.
    """
    slack = float(custom_numbers(figure.model).get("stop_slack", np.zeros(1))[0])
    ranges = np.tile([-np.inf, np.inf], (figure.nv, 1))
    for joint in figure.joints:
        if joint.kind == "free":
            continue
        dofs = slice(joint.dof, joint.dof + joint.ndof)
        if np.isfinite([joint.lower, joint.upper]).any():
            low = -joint.upper if joint.kind == "ball" else joint.lower
            ranges[dofs] = low - slack, joint.upper + slack
        elif figure.legs and joint.actuated:
            ranges[dofs] = _as_a_person(figure, joint)
    return ranges


def gimbals(figure: Figure) -> list[tuple[Joint, Joint, Joint]]:
    """Three hinges of one body whose middle one can turn the last one's axis onto the first one's: a pose from which
    the body cannot turn about a third axis."""
    ranges, found = stop_ranges(figure), []
    for body in figure.bodies:
        joints = [figure.joint(name) for name in body.joints]
        if len(joints) != 3 or any(j.kind != "hinge" for j in joints):
            continue
        low, high = ranges[joints[1].dof]
        square = all(abs(float(a.axis @ b.axis)) < 0.2 for a, b in zip(joints, joints[1:] + joints[:1], strict=True))
        if square and max(abs(low), abs(high)) > 0.4 * math.pi:
            found.append((joints[0], joints[1], joints[2]))
    return found


def _as_a_person(figure: Figure, joint: Joint) -> NDArray[np.float64]:
    """[ndof, 2]."""
    unknown = np.tile([-np.inf, np.inf], (joint.ndof, 1))
    word = _place(figure, joint)
    if joint.kind == "ball":
        ball = _people().get(word, [])[2:]
        return np.reshape(ball, (2, 3)).T if ball else unknown
    if joint.kind != "hinge":
        return unknown
    low, high = _hinge(figure, joint, word)
    rest = float(figure.default_qpos[joint.qpos])
    if not low <= rest <= high:
        low, high = min(low, rest - LEAST_ROOM), max(high, rest + LEAST_ROOM)
    return np.array([[low, high]])


def _hinge(figure: Figure, joint: Joint, word: str) -> tuple[float, float]:
    if not word:
        return -math.inf, math.inf
    if joint.plane != "pitch":
        return ASIDE
    if any(joint.name in leg.knee and len(leg.knee) > 1 for leg in figure.legs.values()):
        return CHAINED_KNEE
    low, high = _people()[word][:2]
    return (low, high) if joint.axis[1] < 0 else (-high, -low)


def _place(figure: Figure, joint: Joint) -> str:
    """The joint's place in the body, a row of the table; empty where neither leg nor name tell."""
    for leg in figure.legs.values():
        for place in ("hip", "knee", "ankle"):
            if joint.name in getattr(leg, place):
                return place
    return next((word for word in _people() if word in joint.name), "")
