"""Timed pushes on the pelvis."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from footfall.errors import FootfallError

__all__ = ["Push", "force_at", "parse_push", "push_edges"]


@dataclass(frozen=True)
class Push:
    """A constant force (``x`` forward, ``y`` left, newtons) on the pelvis from ``start`` for ``duration`` seconds."""

    x: float
    y: float
    start: float
    duration: float

    def __post_init__(self) -> None:
        if not all(math.isfinite(v) for v in (self.x, self.y, self.start, self.duration)):
            raise FootfallError("a push needs finite numbers: force, start and duration")
        if self.start < 0 or self.duration <= 0:
            raise FootfallError(
                f"a push starts at {self.start:g} s and lasts {self.duration:g} s: "
                "it must start at 0 s or later and last longer than 0 s"
            )


def parse_push(text: str) -> Push:
    """A push from ``FORCE@START:DURATION``; FORCE is newtons forward, or X,Y (or X,Y,0)."""
    match = re.fullmatch(r"\s*([^@]+)@([^:]+):(.+?)\s*", text)
    hint = "write FORCE@START:DURATION, such as 50@2:0.6 or 0,40@2:0.6"
    if not match:
        raise FootfallError(f"push '{text}': {hint}")
    try:
        force = [float(part) for part in match[1].split(",")]
        start, duration = float(match[2]), float(match[3])
    except ValueError:
        raise FootfallError(f"push '{text}': {hint}") from None
    if len(force) > 3 or (len(force) == 3 and force[2] != 0):
        raise FootfallError(f"push '{text}': 3LP keeps its heights, so a push has X and Y only (Z must be 0)")
    return Push(force[0], force[1] if len(force) > 1 else 0.0, start, duration)


def push_edges(pushes: Iterable[Push]) -> list[float]:
    """Times at which the force changes."""
    return sorted({edge for push in pushes for edge in (push.start, push.start + push.duration)})


def force_at(pushes: Iterable[Push], time: float) -> tuple[float, float]:
    """The sum of the pushes in the interval that starts at ``time``, (x, y) in newtons."""
    active = [p for p in pushes if p.start <= time + 1e-12 and time < p.start + p.duration - 1e-12]
    return sum(p.x for p in active), sum(p.y for p in active)
