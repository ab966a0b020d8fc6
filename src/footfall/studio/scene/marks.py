"""Marks in the scene: centre of mass, contact forces, the push, footprints, the trail of the root."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.history.tracks import Tracks

__all__ = ["Marks"]

Array = NDArray[np.float64]

PUSH_GAP, PUSH_LENGTH, PUSH_MOST = 0.16, 0.25, 1.1
"""Metres of a push's arrow: from its head to the point it acts on, its length for a light push, and at most."""
METRES_PER_NEWTON = 1.0 / 1200.0
FOOTPRINTS, TRAIL = 24, 120
MOST_LENGTH = 2.5
"""Metres: longer arrows are drawn so long, so that an impact does not fill the view."""
LEFT, RIGHT = (0, 43, 115), (171, 28, 0)
"""Footprints; lines are drawn brighter than their numbers say."""
FORCE, PUSH, COM, TRAIL_COLOUR = (0, 158, 115), (204, 121, 167), (230, 159, 0), (140, 150, 162)


class Marks:
    """Marks under the node ``/world``, forces under ``/world/near``; each kind may be hidden."""

    KINDS = ("contact forces", "centre of mass", "footprints", "trail")

    def __init__(self, scene: Any) -> None:
        self._scene = scene
        self.shown = dict.fromkeys(self.KINDS, True)
        self._com = scene.add_icosphere("/world/com", 0.03, color=COM)
        self._under = scene.add_cylinder("/world/com-under", 0.05, 0.004, color=COM, opacity=0.5)
        self._forces = scene.add_arrows(
            "/world/near/forces", _nowhere(1), FORCE, shaft_radius=0.008, head_radius=0.022, head_length=0.05
        )
        self._push = scene.add_arrows(
            "/world/near/push", _nowhere(1), PUSH, shaft_radius=0.016, head_radius=0.045, head_length=0.1
        )
        self._prints = scene.add_line_segments(
            "/world/footprints", _nowhere(1), (0, 0, 0), thickness=4.0, thickness_units="screen"
        )
        self._trail = scene.add_line_segments(
            "/world/trail", _nowhere(1), TRAIL_COLOUR, thickness=2.0, thickness_units="screen"
        )
        self._pushed = self._forced = False
        self._drawn: tuple[Any, ...] = ()

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
            self._forces.points = np.stack([points[act], points[act] + _arrow(forces[act])], axis=1).astype(np.float32)
        elif self._forced:
            self._forces.points = _nowhere(1)
        self._forced = bool(act.any())

    def push(self, at: Array, force: Array) -> None:
        """The push [3] that acts on a point [3] inside the body: an arrow from outside, its head before the skin."""
        size = float(np.linalg.norm(force))
        acts = size > 1.0
        if acts:
            along = np.asarray(force) / size
            head = at - PUSH_GAP * along
            tail = head - min(PUSH_LENGTH + size / 600.0, PUSH_MOST) * along
            self._push.points = np.stack([tail, head])[None].astype(np.float32)
        elif self._pushed:
            self._push.points = _nowhere(1)
        self._pushed = acts

    def tracks(self, tracks: Tracks, until: float) -> None:
        """Footprints and trail up to a time."""
        prints = tracks.last(FOOTPRINTS, until) if self.shown["footprints"] else []
        trail = tracks.trail(TRAIL, until) if self.shown["trail"] else np.zeros((0, 3))
        drawn = (len(prints), prints[-1] if prints else None, len(trail), tuple(trail[-1]) if len(trail) else None)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        if prints:
            points = np.array([[p.heel, p.toe] for p in prints], dtype=np.float32)
            points[:, :, 2] += 0.006
            self._prints.points = points
            self._prints.colors = np.array([[RIGHT if p.right else LEFT] * 2 for p in prints], dtype=np.uint8)
        else:
            self._prints.points, self._prints.colors = _nowhere(1), np.zeros((3,), np.uint8)
        way = trail.astype(np.float32)
        self._trail.points = np.stack([way[:-1], way[1:]], axis=1) if len(way) > 1 else _nowhere(1)


def _arrow(force: Array) -> Array:
    """[..., 3] metres that an arrow for newtons is long."""
    size = np.linalg.norm(force, axis=-1, keepdims=True)
    return np.asarray(METRES_PER_NEWTON * force * np.minimum(1.0, MOST_LENGTH / METRES_PER_NEWTON / (size + 1e-9)))


def _nowhere(count: int) -> NDArray[np.float32]:
    """Lines of no length that nobody sees."""
    points = np.zeros((count, 2, 3), dtype=np.float32)
    points[:, :, 2] = -100.0
    points[:, 1, 2] = -100.0001
    return points
