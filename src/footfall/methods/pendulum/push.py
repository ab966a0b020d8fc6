"""Timed pushes on the pelvis of a 3LP walker."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.push import Push


@dataclass(frozen=True)
class PelvisForce:
    """A constant force (``x`` forward, ``y`` left, newtons) on the pelvis from ``start`` to ``end``, seconds."""

    x: float
    y: float
    start: float
    end: float


def pelvis_forces(pushes: Sequence[Push]) -> list[PelvisForce]:
    """What pushes do to a 3LP walker, which keeps its heights and has one body to push: its pelvis."""
    return [_pelvis_force(push) for push in pushes]


def _pelvis_force(push: Push) -> PelvisForce:
    if any(np.ndim(value) > limit for value, limit in ((push.force, 1), (push.start, 0), (push.duration, 0))):
        raise FootfallError("a push on a 3LP walker is the same for all walkers: give one force, start and duration")
    if push.body or push.place is not None:
        raise FootfallError("a push on a 3LP walker acts on its pelvis; leave out body and place")
    ((start, end),), ((x, y, z),) = push.rows(1)
    if z:
        raise FootfallError(f"a push of {z:g} N upward: 3LP keeps its heights, so the third number must be 0")
    if start < 0 or end <= start or not math.isfinite(end):
        raise FootfallError(
            f"a push starts at {start:g} s and lasts {end - start:g} s: "
            "it must start at 0 s or later and last longer than 0 s"
        )
    return PelvisForce(float(x), float(y), float(start), float(end))


def push_edges(forces: Iterable[PelvisForce]) -> list[float]:
    """Times at which the force changes."""
    return sorted({edge for force in forces for edge in (force.start, force.end)})


def force_at(forces: Iterable[PelvisForce], time: float) -> tuple[float, float]:
    """The sum of the forces in the interval that starts at ``time``, (x, y) in newtons."""
    active = [f for f in forces if f.start <= time + 1e-12 and time < f.end - 1e-12]
    return sum(f.x for f in active), sum(f.y for f in active)
