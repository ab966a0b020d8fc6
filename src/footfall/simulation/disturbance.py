"""Pushes: timed forces at a point of a body."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = ["Push", "parse_push"]


@dataclass(frozen=True)
class Push:
    """A force on a body for a time.

    Attributes:
        force: newtons in world axes, [3], or forward only (a number); per world [W] or [W, 3].
        start: seconds; a number or [W].
        duration: seconds; a number or [W].
        body: name of the body; empty for the figure's torso.
        place: where on it, in its frame, metres; None for the usual place (see :meth:`place_on`).
    """

    force: ArrayLike
    start: ArrayLike
    duration: ArrayLike
    body: str = ""
    place: tuple[float, float, float] | None = None

    def place_on(self, figure: Figure) -> tuple[int, tuple[float, float, float]]:
        """The body's index and the point pushed: that given, else the body's highest contact point (on SIMBICON's biped
        the top of the back of the torso, the applet's choice), else its centre of mass."""
        body = figure.body(self.body or figure.torso)
        if self.place is not None:
            return body.index, self.place
        points = [p for p in figure.points if p.body == body.index]
        if not points:
            return body.index, tuple(float(x) for x in body.com)  # type: ignore[return-value]
        top = max(points, key=lambda p: (round(float(p.position[2]), 6), -float(p.position[0])))
        return body.index, tuple(float(x) for x in top.position)  # type: ignore[return-value]

    def rows(self, worlds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Windows [1 or worlds, 2] (start, end) and forces [1 or worlds, 3]."""
        force = np.asarray(self.force, dtype=float)
        if force.ndim == 0 or (force.ndim == 1 and force.shape != (3,)) or (force.shape == (3,) == (worlds,)):
            force = force.reshape(-1, 1) * np.array([1.0, 0.0, 0.0])
        force = np.atleast_2d(force)
        start, duration = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (self.start, self.duration))
        for name, array in (("force", force), ("start", start), ("duration", duration)):
            if len(array) not in (1, worlds) or (name == "force" and array.shape[1:] != (3,)):
                raise FootfallError(
                    f"push {name} has shape {array.shape}; give one for all worlds or one for each of {worlds}"
                )
            if not np.all(np.isfinite(array)):
                raise FootfallError(
                    f"push {name} is not finite in world "
                    f"{int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))}"
                )
        if np.any(duration < 0):
            raise FootfallError(f"push duration is {duration.min()}; it must be at least 0 seconds")
        count = max(len(force), len(start), len(duration))
        window = np.stack([np.broadcast_to(start, count), np.broadcast_to(start + duration, count)], axis=1)
        return window, np.broadcast_to(force, (count, 3))


def parse_push(text: str) -> Push:
    """A push from the command line: ``FORCE@START:DURATION[@BODY]``, FORCE newtons forward or ``X,Y,Z``."""
    right = "write FORCE@START:DURATION, as in 600@5:0.1 or 0,340,0@8:0.4@torso"
    force, at, rest = text.partition("@")
    when, _, body = rest.partition("@")
    start, colon, duration = when.partition(":")
    try:
        numbers = [float(x) for x in force.split(",")]
        begin, length = float(start), float(duration)
    except ValueError:
        raise FootfallError(f"push '{text}': {right}") from None
    if not at or not colon or len(numbers) not in (1, 3):
        raise FootfallError(f"push '{text}': {right}")
    if not all(math.isfinite(x) for x in (*numbers, begin, length)) or length < 0:
        raise FootfallError(f"push '{text}': its numbers must be finite and its duration at least 0")
    value: Any = numbers[0] if len(numbers) == 1 else tuple(numbers)
    return Push(value, begin, length, body)
