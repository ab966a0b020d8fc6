"""Movable boxes in a MuJoCo scene: a character walks through them and pushes them about.

Their states are MuJoCo's, in the scene's own data, behind the figure's: the rollout does not know them. After each
``mj_forward`` they are moved on by a semi-implicit Euler step, inside the kernel.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError

OWN, FIGURE, GROUND = 4, 3, 1
"""Bits of MuJoCo's contact masks: boxes among themselves, the figure's bones and soles, the ground."""


@dataclass(frozen=True)
class Box:
    """A box that may be pushed.

    Attributes:
        size: its edges, metres. position: of its centre. mass: kilograms. heading: turn about the vertical, radians.
        friction: with whatever it touches.
    """

    size: tuple[float, float, float]
    position: tuple[float, float, float]
    mass: float = 1.0
    heading: float = 0.0
    friction: float = 0.8

    def __post_init__(self) -> None:
        numbers = (*self.size, self.mass)
        if not all(math.isfinite(x) and x > 0.0 for x in numbers):
            raise FootfallError(f"box: size {self.size} and mass {self.mass} must be above 0")


def add_boxes(spec: Any, boxes: Sequence[Box]) -> None:
    """Put boxes into a MuJoCo specification, behind the figure's bodies."""
    for k, box in enumerate(boxes):
        half = 0.5 * box.heading
        body = spec.worldbody.add_body(
            name=f"box{k}", pos=list(box.position), quat=[math.cos(half), 0.0, 0.0, math.sin(half)]
        )
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * x for x in box.size],
            mass=box.mass,
            friction=[box.friction, 0.005, 0.0001],
            contype=OWN | GROUND,
            conaffinity=OWN | FIGURE,
        )


def stacked_boxes(
    at: Sequence[tuple[float, float]], *, high: int = 3, edge: float = 0.25, mass: float = 0.4, seed: int = 1
) -> list[Box]:
    """Stacks of boxes at places on the ground, each box turned a little."""
    random = np.random.default_rng(seed)
    return [
        Box((edge, edge, edge), (x, y, edge * (level + 0.5) + 1e-3), mass, float(random.uniform(-0.2, 0.2)))
        for x, y in at
        for level in range(high)
    ]


def box_states(data: Any, nq: int, count: int) -> NDArray[np.float64]:
    """[count, 7] places and quaternions of the boxes."""
    return np.array(data.qpos[nq : nq + 7 * count]).reshape(count, 7)
