"""Marks in the scene: centre of mass, contact forces, the push, footprints, the trail of the root."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.studio.core.history.tracks import Tracks
from footfall.studio.scene.nodes import Colour, Scene

Array = NDArray[np.float64]

PUSH_GAP, PUSH_LENGTH, PUSH_MOST = 0.16, 0.25, 1.1
"""Metres of a push's arrow: from its head to the point it acts on, its length for a light push, and at most."""
METRES_PER_NEWTON = 1.0 / 1200.0
FOOTPRINTS, TRAIL = 24, 120
MOST_LENGTH = 2.5
"""Metres: longer arrows are drawn so long, so that an impact does not fill the view."""


def rgb(red: int, green: int, blue: int) -> Colour:
    """A colour of numbers to 255."""
    return round(red / 255, 3), round(green / 255, 3), round(blue / 255, 3)


LEFT, RIGHT = rgb(0, 114, 178), rgb(213, 94, 0)
FORCE, PUSH, COM, TRAIL_COLOUR = rgb(0, 158, 115), rgb(204, 121, 167), rgb(230, 159, 0), rgb(184, 194, 204)


class Marks:
    """Marks of the walker; each kind may be hidden."""

    KINDS = ("contact forces", "centre of mass", "footprints", "trail")

    def __init__(self, scene: Scene) -> None:
        self.shown = dict.fromkeys(self.KINDS, True)
        self._com = scene.add("com", "balls", radius=0.03, colour=COM, alpha=1.0)
        self._under = scene.add("under", "balls", radius=0.016, colour=COM, alpha=1.0)
        self._forces = scene.add("forces", "arrows", colour=FORCE, radius=0.009)
        self._push = scene.add("push", "arrows", colour=PUSH, radius=0.018)
        self._prints = scene.add("prints", "lines", colours=[], radius=0.013, alpha=1.0)
        self._trail = scene.add("trail", "lines", colour=TRAIL_COLOUR, radius=0.004, alpha=1.0)
        self._drawn: tuple[Any, ...] = ()

    def centre(self, com: Array, ground: float) -> None:
        """The centre of mass [3] and the ground below it."""
        self._com.visible = self._under.visible = self.shown["centre of mass"]
        self._com.put(com[None])
        self._under.put([[com[0], com[1], ground + 0.003]])

    def forces(self, points: Array, forces: Array) -> None:
        """Ground forces [P, 3], newtons, at points [P, 3]."""
        act = np.linalg.norm(forces, axis=1) > 1.0 if self.shown["contact forces"] else np.zeros(len(forces), bool)
        self._forces.put(np.concatenate([points[act], points[act] + _arrow(forces[act])], axis=1))

    def push(self, at: Array, force: Array) -> None:
        """The push [3] that acts on a point [3] inside the body: an arrow from outside, its head before the skin."""
        size = float(np.linalg.norm(force))
        if size <= 1.0:
            self._push.put(np.zeros((0, 6)))
            return
        along = np.asarray(force) / size
        head = at - PUSH_GAP * along
        tail = head - min(PUSH_LENGTH + size / 600.0, PUSH_MOST) * along
        self._push.put(np.concatenate([tail, head])[None])

    def tracks(self, tracks: Tracks, until: float) -> None:
        """Footprints and trail up to a time."""
        prints = tracks.last(FOOTPRINTS, until) if self.shown["footprints"] else []
        trail = tracks.trail(TRAIL, until) if self.shown["trail"] else np.zeros((0, 3))
        drawn = (len(prints), prints[-1] if prints else None, len(trail), tuple(trail[-1]) if len(trail) else None)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        lines = np.array([(*p.heel, *p.toe) for p in prints]).reshape(-1, 6) + [0.0, 0.0, 0.006] * 2
        self._prints.set(colours=[list(RIGHT if p.right else LEFT) for p in prints])
        self._prints.put(lines)
        self._trail.put(np.concatenate([trail[:-1], trail[1:]], axis=1))


def _arrow(force: Array) -> Array:
    """[..., 3] metres that an arrow for newtons is long."""
    size = np.linalg.norm(force, axis=-1, keepdims=True)
    return np.asarray(METRES_PER_NEWTON * force * np.minimum(1.0, MOST_LENGTH / METRES_PER_NEWTON / (size + 1e-9)))
