"""Marks in a scene besides the body: contact points and the arrow of a push, as tapered capsules."""

from dataclasses import dataclass

import numpy as np

from footfall.motion.quaternion import Array
from footfall.pictures.scene import Scene

_GREEN, _PURPLE = (0.0, 0.62, 0.45), (0.80, 0.47, 0.65)
_GAP = 0.02
"""Between an arrow's tip and where it points, m."""


@dataclass(frozen=True, eq=False)
class Mark:
    """A tapered capsule: start and end (3,) and their radii in metres, colour from 0 to 1; whether it shows through."""

    start: Array
    end: Array
    radii: tuple[float, float]
    colour: tuple[float, float, float]
    above: bool = False


@dataclass(frozen=True, eq=False)
class Arrow:
    """The arrow of a push: tail and tip (3,) and newtons."""

    tail: Array
    tip: Array
    newtons: float


def arrow_at(scene: Scene, f: int) -> Arrow | None:
    """The arrow of the push in frame f, its tip where the push acts; None without one."""
    if scene.push is None or not (size := float(np.linalg.norm(scene.push[f]))):
        return None
    along = scene.push[f] / size
    tip = scene.push_at[f] - _GAP * along
    return Arrow(tip - min(0.25 + size / 600, 1.1) * along, tip, size)


def marks_at(scene: Scene, f: int) -> list[Mark]:
    """The marks of frame f: points that touch the ground, and a push's shaft and head."""
    r = 0.022 * scene.tall / 1.7
    marks = [Mark(p, p, (r, r), _GREEN) for p in scene.contact_points[f][scene.touching[f]]]
    if arrow := arrow_at(scene, f):
        along = (arrow.tip - arrow.tail) / np.linalg.norm(arrow.tip - arrow.tail)
        marks.append(Mark(arrow.tail, arrow.tip - 0.12 * along, (0.018, 0.018), _PURPLE, above=True))
        marks.append(Mark(arrow.tip - 0.13 * along, arrow.tip, (0.05, 0.004), _PURPLE, above=True))
    return marks
