"""The parts of a figure that controllers, grounds and pictures name: bodies, joints, contact points and legs."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Side = Literal["left", "right"]


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
    def plane(self) -> Literal["roll", "pitch", "yaw"] | None:
        """What a hinge does to a figure that looks along x: roll about x, pitch about y, yaw about z."""
        if self.kind != "hinge":
            return None
        planes: tuple[Literal["roll"], Literal["pitch"], Literal["yaw"]] = ("roll", "pitch", "yaw")
        return planes[int(np.argmax(np.abs(self.axis)))]


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
