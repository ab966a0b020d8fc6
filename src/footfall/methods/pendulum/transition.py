"""Changes of speed, frequency and double support spread over several steps.

Time projection carries a walker from any gait to any other, but a large change at once asks for a step that no leg can
make. Spread over steps, each change is small.
"""

import math
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import FootfallError
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.person import Person
from footfall.methods.pendulum.walk import Walk

_FIXED = ("step_width", "cop_start", "cop_end")


def gradual_change(
    body: Person, before: Walk, after: Walk, start: float, steps: int | None = None
) -> dict[float, Gait]:
    """Gaits between ``before`` and ``after``, by the time at which to ask for them (as ``record_walk`` takes
    ``changes``).

    Args:
        body: of the walkers.
        before: the present walk.
        after: the wanted walk; its step width and centre of pressure hold from the first change on.
        start: when to begin, s.
        steps: over how many steps; by default one for each 0.15 m/s of speed.
    """
    if steps is None:
        change = np.max(np.abs(np.asarray(after.speed, float) - np.asarray(before.speed, float)))
        steps = max(1, math.ceil(float(change) / 0.15))
    if steps < 1 or not math.isfinite(start):
        raise FootfallError(f"a change starts at a finite time and takes at least 1 step, not {steps} from {start:g} s")
    names = [f.name for f in fields(Walk) if f.name not in _FIXED]
    gaits: dict[float, Gait] = {}
    time = start
    for k in range(1, steps + 1):
        part = k / steps

        def mixed(name: str, part: float = part) -> ArrayLike:
            old, new = np.asarray(getattr(before, name), float), np.asarray(getattr(after, name), float)
            return np.asarray((1 - part) * old + part * new)

        walk = after.replace(**{name: mixed(name) for name in names}) if k < steps else after
        gaits[time] = periodic_gait(body, walk)
        time += 1.0 / float(np.min(np.asarray(walk.frequency, float)))
    return gaits
