"""The parts of a figure that controllers, grounds and pictures name: bodies, joints, contact points and legs, and the
roles that joints play: ``knee``, ``hip_roll``, ``shoulder`` on either side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.figures.side_names import Side, without_left

Plane = Literal["roll", "pitch", "yaw"]
_PLANES: tuple[Plane, ...] = ("roll", "pitch", "yaw")


def plane_about(axis: NDArray[np.float64]) -> Plane:
    """What a hinge about an axis [3] does to a figure that looks along x: roll about x, pitch about y, yaw about z."""
    return _PLANES[int(np.argmax(np.abs(axis)))]


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid link. ``index`` is MuJoCo's body id less one; ``parent`` is an index, -1 for the world."""

    name: str
    index: int
    parent: int
    mass: float
    position: NDArray[np.float64]
    """[3], origin of the frame in the parent's frame."""
    com: NDArray[np.float64]
    """[3], centre of mass in the body's frame."""
    joints: tuple[str, ...]
    """Names of the joints that move this body against its parent, in their order of action."""


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint with its servo. Units are rad, N m (hinge, ball) or m, N (slide)."""

    name: str
    kind: Literal["hinge", "slide", "ball", "free"]
    body: int
    """Index of the body that it moves."""
    qpos: int
    """Address in qpos."""
    dof: int
    """Address in qvel."""
    ndof: int
    axis: NDArray[np.float64]
    """[3], in the body's frame."""
    anchor: NDArray[np.float64]
    """[3], in the body's frame; zero where the joint is at the frame's origin."""
    kp: float
    kd: float
    torque_limit: float
    """Infinite without a limit."""
    lower: float
    upper: float
    """Range of the coordinate, infinite without one; a ball's ``upper`` bounds its angle."""
    actuated: bool

    @property
    def plane(self) -> Plane | None:
        """What a hinge does to a figure that looks along x."""
        return plane_about(self.axis) if self.kind == "hinge" else None


@dataclass(frozen=True, eq=False)
class Point:
    """A contact ("monitor") point, fixed in a body."""

    name: str
    body: int
    position: NDArray[np.float64]
    """[3], in the body's frame."""
    foot: Side | None
    """The foot that it belongs to. A point off the feet that touches the ground means a fall."""
    ground: bool
    """Whether the ground pushes on it; a point without is a marker."""


@dataclass(frozen=True)
class Leg:
    """The names along one leg, from the hip down."""

    side: Side
    hip: tuple[str, ...]
    """Joints between the trunk and the first link of the leg."""
    knee: tuple[str, ...]
    """Joints between the first link and the foot, without the ankle."""
    ankle: tuple[str, ...]
    """Joints that move the foot."""
    links: tuple[str, ...]
    """Bodies from thigh to foot."""
    foot: str
    """The body called foot: the last of ``links``."""
    heel: tuple[str, ...]
    """Points at the rear end of the sole."""
    toe: tuple[str, ...]
    """Points at the front end of the sole."""
    sole: tuple[str, ...]
    """Every point of the foot that feels ground."""


PITCH = "_pitch"
"""A place of several hinges, named without its plane, means its joint of this ending."""


def joint_roles(
    joints: Sequence[Joint], pairs: Sequence[tuple[str, str]], legs: Mapping[Side, Leg]
) -> dict[str, tuple[str, str]]:
    """Role -> (left joint, right joint).

    Every left-right pair has its name without the side, and ``shoulder_pitch`` is also the ``shoulder``. Joints of the
    legs have also their place with the plane in which they move (``hip_pitch``) and without it, which then means the
    only one there, or the first that pitches.
    """
    roles = {without_left(left): (left, right) for left, right in pairs}
    for role, pair in list(roles.items()):
        if role.endswith(PITCH):
            roles.setdefault(role.removesuffix(PITCH), pair)
    if not legs:
        return roles
    planes = {joint.name: joint.plane for joint in joints}
    for place in ("hip", "knee", "ankle"):
        there = list(zip(getattr(legs["left"], place), getattr(legs["right"], place)))
        for left, right in there:
            roles.setdefault(f"{place}_{planes[left]}", (left, right))
        pitching = [pair for pair in there if planes[pair[0]] == "pitch"]
        if pitching or len(there) == 1:
            roles.setdefault(place, pitching[0] if pitching else there[0])
    return roles
