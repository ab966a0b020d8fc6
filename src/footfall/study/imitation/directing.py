"""Where a character on a motion graph is sent: by a sequence of directions, or along a path."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion.quaternion import wrap_angle

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Leg:
    """A stretch of a sequence: for how long, in what direction (degrees from the first heading, left is positive), how
    fast (metres a second) and in what style."""

    seconds: float
    direction: float
    speed: float = 1.0
    style: str = "normal"


class Directed(Protocol):
    """A character that is told where to go."""

    @property
    def time(self) -> float:
        """Seconds so far."""

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""

    @property
    def facing(self) -> float:
        """Heading of the pelvis, radians."""

    def direct(self, direction: float | None = None, speed: float | None = None, style: str | None = None) -> None:
        """Say where to go."""

    def advance(self) -> bool:
        """Go on a little; False when it has fallen."""


def by_sequence(walker: Directed, sequence: Sequence[Leg]) -> list[float]:
    """Send it stretch after stretch; how far its heading was off, radians, in the last part of each."""
    errors: list[float] = []
    for leg in sequence:
        direction = math.radians(leg.direction)
        walker.direct(direction, leg.speed, leg.style)
        until = walker.time + leg.seconds
        settled = walker.time + 0.6 * leg.seconds
        while walker.time < until - 1e-9:
            if not walker.advance():
                return errors
            if walker.time > settled:
                errors.append(abs(float(wrap_angle(walker.facing - direction))))
    return errors


def _points(path: Sequence[Sequence[float]]) -> Array:
    """[N, 2] the origin and the points of a path."""
    points = np.array([[0.0, 0.0], *path], dtype=float)
    if points.shape[1] != 2 or not np.isfinite(points).all():
        raise FootfallError("path: give points as X,Y in metres")
    return points


def along_path(
    walker: Directed, path: Sequence[Sequence[float]], *, near: float = 0.5, look: float = 0.8, most: float = 300.0
) -> tuple[list[float], bool]:
    """Send it along points [(x, y), …] of the ground; how far it was from the path, metres, and whether it came to the
    last point.

    Args:
        walker: the character, which starts at the origin facing x.
        path: where to go. near: how close to the last point is there. look: metres that it looks ahead on the path.
        most: seconds after which it gives up.
    """
    points = _points(path)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    marks = np.concatenate([[0.0], np.cumsum(lengths)])
    done = 0.0
    errors: list[float] = []
    while walker.time < most:
        place = walker.place
        done = max(done, _along(points, marks, place, done))
        if marks[-1] - done < near and np.linalg.norm(place - points[-1]) < max(near, 0.5):
            return errors, True
        goal = _at(points, marks, min(done + look, marks[-1]))
        to = goal - place
        walker.direct(math.atan2(to[1], to[0]))
        if not walker.advance():
            break
        errors.append(float(np.linalg.norm(place - _at(points, marks, done))))
    return errors, False


def _at(points: Array, marks: Array, distance: float) -> Array:
    return np.array([np.interp(distance, marks, points[:, k]) for k in range(2)])


def _along(points: Array, marks: Array, place: Array, done: float) -> float:
    """How far along the path the nearest place is, at most two metres further than before."""
    far = np.linspace(done, min(done + 2.0, marks[-1]), 81)
    places = np.stack([np.interp(far, marks, points[:, k]) for k in range(2)], axis=1)
    return float(far[np.argmin(np.linalg.norm(places - place, axis=1))])


def distances(path: Sequence[Sequence[float]], places: Array) -> Array:
    """[T] how far places [T, 2] are from a path that begins at the origin."""
    points = _points(path)
    first, along = points[:-1], np.diff(points, axis=0)
    squared = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((places[:, None] - first) * along).sum(axis=-1) / squared, 0.0, 1.0)
    return np.asarray(np.linalg.norm(first + share[..., None] * along - places[:, None], axis=-1).min(axis=1))
