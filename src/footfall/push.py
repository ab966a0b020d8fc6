"""Pushes: timed forces at a point of a body."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.figures.parts import Body

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Push:
    """A force on a body for a time.

    Attributes:
        force: newtons. A number pushes forward, (X, Y, Z) along the world's axes, in all worlds alike; [W, 1] and
            [W, 3] are a row of that for each world.
        start: seconds; a number or [W].
        duration: seconds; a number or [W].
        body: name of the body, or of the joint that moves it; empty for the figure's torso. A body of an adopted figure
            may also be named as in the original file.
        place: position on it, in its frame, metres; None for the usual point (see :meth:`place_on`).
    """

    force: ArrayLike
    start: ArrayLike
    duration: ArrayLike
    body: str = ""
    place: tuple[float, float, float] | None = None

    def place_on(self, figure: "Figure") -> tuple[int, tuple[float, float, float]]:
        """The body's index and the point pushed: ``place``, else the torso's highest contact point (on SIMBICON's biped
        the top of its back, as in the authors' applet), else the body's centre of mass; always that of an adopted
        body, whose points are where its file happens to reach."""
        body = _named_body(figure, self.body or figure.torso)
        if self.place is not None:
            return body.index, self.place
        points = [p for p in figure.points if p.body == body.index and body.name == figure.torso]
        if not points or figure.adoption is not None:
            return body.index, tuple(float(x) for x in body.com)  # type: ignore[return-value]
        top = max(points, key=lambda p: (round(float(p.position[2]), 6), -float(p.position[0])))
        return body.index, tuple(float(x) for x in top.position)  # type: ignore[return-value]

    def rows(self, worlds: int) -> tuple[Array, Array]:
        """Windows [1 or worlds, 2] (start, end) and forces [1 or worlds, 3]."""
        force = self._forces()
        start, duration = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (self.start, self.duration))
        for name, array in (("force", force), ("start", start), ("duration", duration)):
            if len(array) not in (1, worlds):
                raise FootfallError(
                    f"push {name} is given for {len(array)} worlds; give one for all or one for each of {worlds}"
                )
            if not np.all(np.isfinite(array)):
                world = int(np.argmin(np.isfinite(array).reshape(len(array), -1).all(axis=1)))
                raise FootfallError(f"push {name} is not finite in world {world}")
        if np.any(duration < 0):
            raise FootfallError(f"push duration is {duration.min()}; it must be at least 0 seconds")
        count = max(len(force), len(start), len(duration))
        window = np.stack([np.broadcast_to(start, count), np.broadcast_to(start + duration, count)], axis=1)
        return window, np.broadcast_to(force, (count, 3))

    def _forces(self) -> Array:
        """[1 or W, 3]"""
        force = np.asarray(self.force, dtype=float)
        if force.ndim == 0 or (force.ndim == 2 and force.shape[1] == 1):
            return np.asarray(force.reshape(-1, 1) * np.array([1.0, 0.0, 0.0]))
        if force.shape[-1:] != (3,) or force.ndim > 2:
            raise FootfallError(
                f"push force has shape {force.shape}; give a number (forward) or X, Y, Z for all worlds, "
                "or [W, 1] or [W, 3] with a row for each"
            )
        return np.atleast_2d(force)


def _named_body(figure: "Figure", name: str) -> "Body":
    """The body of that name, or the one that the joint of that name moves."""
    names = [body.name for body in figure.bodies]
    moved = {joint.name: joint.body for joint in figure.joints}
    return figure.bodies[moved[name]] if name in moved and name not in names else figure.body(name)


def pushes_on_segments(figure: "Figure", force: Array, start: Array, duration: float) -> list[Push]:
    """A push at the centre of mass of every segment, which is a body with a mass.

    Args:
        figure: that is pushed.
        force: [W, S or 1, 3] newtons.
        start: [W, S or 1] seconds.
        duration: of each, seconds.
    """
    segments = [body for body in figure.bodies if body.mass > 0.0]
    forces, starts = (np.broadcast_to(a, (len(a), len(segments), *a.shape[2:])) for a in (force, start))
    return [
        Push(forces[:, k], starts[:, k], duration, body.name, place=tuple(map(float, body.com)))  # type: ignore[arg-type]
        for k, body in enumerate(segments)
    ]


def parse_push(text: str) -> Push:
    """A push from the command line: ``FORCE@START:DURATION[@BODY]``, FORCE newtons forward, ``X,Y`` or ``X,Y,Z``."""
    right = "write FORCE@START:DURATION[@BODY], as in 600@5:0.1 or 0,340,0@8:0.4@left_thigh"
    force, at, rest = text.partition("@")
    when, _, body = rest.partition("@")
    start, colon, duration = when.partition(":")
    try:
        numbers = [float(x) for x in force.split(",")]
        begin, length = float(start), float(duration)
    except ValueError:
        raise FootfallError(f"push '{text}': {right}") from None
    if not at or not colon or len(numbers) > 3:
        raise FootfallError(f"push '{text}': {right}")
    if not all(math.isfinite(x) for x in (*numbers, begin, length)) or length < 0:
        raise FootfallError(f"push '{text}': its numbers must be finite and its duration at least 0")
    value = numbers[0] if len(numbers) == 1 else tuple([*numbers, 0.0][:3])
    return Push(value, begin, length, body)


def pushes_of(given: Any) -> "tuple[Push, ...]":
    """Pushes from a sequence of pushes or of texts as :func:`parse_push` takes them."""
    if isinstance(given, str | Push):
        raise FootfallError(f"pushes is {given!r}; give a list, as in pushes=[{given!r}]")
    for push in given:
        if not isinstance(push, str | Push):
            raise FootfallError(
                f"pushes holds {push!r}; give footfall.Push(force, start, duration), or text as in '600@5:0.1'"
            )
    return tuple(parse_push(push) if isinstance(push, str) else push for push in given)
