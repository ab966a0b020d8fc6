"""Marks in the scene: centre of mass, contact forces, the push, footprints, the trail of the root."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Marks"]

Array = NDArray[np.float64]

METRES_PER_NEWTON = 1.0 / 1200.0
FOOTPRINTS, TRAIL = 24, 120
LEFT, RIGHT = (0, 43, 115), (171, 28, 0)
"""Footprints; lines are drawn brighter than their numbers say."""
FORCE, PUSH, COM, TRAIL_COLOUR = (0, 158, 115), (204, 121, 167), (230, 159, 0), (140, 150, 162)


class Marks:
    """Marks under the node ``/world``; each kind may be hidden."""

    KINDS = ("contact forces", "centre of mass", "footprints", "trail")

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self.shown = dict.fromkeys(self.KINDS, True)
        self._com = scene.add_icosphere("/world/com", 0.03, color=COM)
        self._under = scene.add_cylinder("/world/com-under", 0.05, 0.004, color=COM, opacity=0.5)
        self._forces = scene.add_arrows(
            "/world/forces", _nowhere(1), FORCE, shaft_radius=0.008, head_radius=0.022, head_length=0.05
        )
        self._push = scene.add_arrows(
            "/world/push", _nowhere(1), PUSH, shaft_radius=0.016, head_radius=0.045, head_length=0.1
        )
        self._prints = scene.add_line_segments(
            "/world/footprints", _nowhere(1), (0, 0, 0), thickness=4.0, thickness_units="screen"
        )
        self._trail = scene.add_line_segments(
            "/world/trail", _nowhere(1), TRAIL_COLOUR, thickness=2.0, thickness_units="screen"
        )
        self._steps: list[tuple[Array, Array, bool]] = []
        self._way: list[Array] = []
        self._pushed = False
        self._forced = False

    def clear(self) -> None:
        """Forget footprints and trail."""
        self._steps, self._way = [], []
        self._prints.points, self._trail.points = _nowhere(1), _nowhere(1)
        self._prints.colors = np.zeros((3,), np.uint8)

    def centre(self, com: Array, ground: float) -> None:
        """The centre of mass [3] and the ground below it."""
        on = self.shown["centre of mass"]
        for node in (self._com, self._under):
            if node.visible != on:
                node.visible = on
        if on:
            self._com.position = com
            self._under.position = (com[0], com[1], ground + 0.003)

    def forces(self, points: Array, forces: Array) -> None:
        """Ground forces [P, 3], newtons, at points [P, 3]."""
        act = np.linalg.norm(forces, axis=1) > 1.0 if self.shown["contact forces"] else np.zeros(len(forces), bool)
        if act.any():
            self._forces.points = np.stack([points[act], points[act] + METRES_PER_NEWTON * forces[act]], axis=1).astype(
                np.float32
            )
        elif self._forced:
            self._forces.points = _nowhere(1)
        self._forced = bool(act.any())

    def push(self, at: Array, force: Array) -> None:
        """The push [3] that acts, its arrow's head at a point [3]."""
        acts = float(np.linalg.norm(force)) > 1.0
        if acts:
            self._push.points = np.stack([at - METRES_PER_NEWTON * force, at])[None].astype(np.float32)
        elif self._pushed:
            self._push.points = _nowhere(1)
        self._pushed = acts

    def footprint(self, heel: Array, toe: Array, right: bool) -> None:
        """A foot that came down, from heel [3] to toe [3]."""
        if np.linalg.norm(toe - heel) < 1e-3:
            return
        self._steps = [*self._steps, (heel, toe, right)][-FOOTPRINTS:]
        if self.shown["footprints"]:
            points = np.array([[h, t] for h, t, _ in self._steps], dtype=np.float32)
            points[:, :, 2] += 0.006
            self._prints.points = points
            self._prints.colors = np.array([[RIGHT if r else LEFT] * 2 for *_, r in self._steps], dtype=np.uint8)

    def trail(self, place: Array) -> None:
        """The root is at a place [3]."""
        if self._way and np.linalg.norm(place - self._way[-1]) < 0.03:
            return
        if self._way and np.linalg.norm(place - self._way[-1]) > 1.0:
            self._way = []
        self._way = [*self._way, place][-TRAIL:]
        if self.shown["trail"] and len(self._way) > 1:
            way = np.array(self._way, dtype=np.float32)
            self._trail.points = np.stack([way[:-1], way[1:]], axis=1)

    def refresh(self) -> None:
        """Show and hide what was chosen."""
        self._prints.visible, self._trail.visible = self.shown["footprints"], self.shown["trail"]


def _nowhere(count: int) -> NDArray[np.float32]:
    """Lines that nobody sees."""
    points = np.zeros((count, 2, 3), dtype=np.float32)
    points[:, :, 2] = -100.0
    points[:, 1, 2] = -100.01
    return points
