"""Objectives: measures to make small or large, and bounds to keep, as one cost.

    minimize torque, maximize push_forward*2                     NAME or NAME*WEIGHT
    speed=1.0±0.05, push_forward>=430, peak_torque<=200          bounds

The cost of a candidate is the weighted sum of its measures, each divided by that of the controller that the search
began with (maximised ones count negative), plus ten times each bound's violation, taken relative to the bound. A
candidate that falls costs more than any that stays up, and less the longer it stayed up. Where the first controller
itself falls, its measures have no weight and the search is for one that stays up.

What a search keeps unless it is told otherwise: the speed and the kind of gait of the controller it began with.

Without it, the walk with the least torque is one that steps on the spot. The kinds are told apart by two measures: a
gait takes steps or stands, and it has a time in flight, as runs do, or always a foot on the ground, as walks do.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.study.measures.table import RUN_MEASURES, find_measure

Array = NDArray[np.float64]

VIOLATION = 10.0
FALL = 1000.0


@dataclass(frozen=True)
class ObjectiveTerm:
    """A measure to make small (weight above 0) or large (below 0)."""

    measure: str
    weight: float


@dataclass(frozen=True)
class Bound:
    """A measure to keep between ``low`` and ``high``."""

    measure: str
    low: float = -math.inf
    high: float = math.inf

    def violation(self, value: Array) -> Array:
        """[C] how far values [C] lie outside, relative to the bound (or to 1, if that is larger than a small bound)."""
        scale = max(abs(x) for x in (self.low, self.high, 1e-3) if math.isfinite(x))
        return np.asarray((np.maximum(0.0, self.low - value) + np.maximum(0.0, value - self.high)) / scale)


@dataclass(frozen=True)
class Objective:
    """What a search wants."""

    terms: tuple[ObjectiveTerm, ...]
    bounds: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        if not self.terms and not self.bounds:
            raise FootfallError("objective: give something to minimise, to maximise or to keep")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that it needs."""
        names = ["survival", *(t.measure for t in self.terms), *(b.measure for b in self.bounds)]
        return tuple(dict.fromkeys(names))

    def cost(self, found: Mapping[str, Array], base: Mapping[str, float]) -> Array:
        """[C] costs of candidates with measures [C], beside those of the first controller."""
        survival = np.asarray(found["survival"], dtype=float)
        cost = np.zeros(len(survival))
        for term in self.terms:
            scale = abs(base[term.measure])
            if np.isfinite(scale):
                cost += term.weight * found[term.measure] / (scale if scale > 0 else 1.0)
        for bound in self.bounds:
            cost += VIOLATION * bound.violation(found[bound.measure])
        fell = (survival < 1.0) | ~np.isfinite(cost)
        return np.where(fell, FALL * (2.0 - survival), cost)

    def holds(self, found: Mapping[str, float]) -> bool:
        """Whether one candidate keeps every bound."""
        inside = [bool(b.violation(np.array([found[b.measure]]))[0] == 0.0) for b in self.bounds]
        return found["survival"] == 1.0 and all(inside)


def parse_term(text: str, sign: float) -> ObjectiveTerm:
    """``NAME`` or ``NAME*WEIGHT``; ``sign`` is 1 to minimise, -1 to maximise."""
    name, star, weight = text.partition("*")
    try:
        value = float(weight) if star else 1.0
    except ValueError:
        raise FootfallError(f"goal '{text}': write NAME or NAME*WEIGHT") from None
    if not (value > 0 and math.isfinite(value)):
        raise FootfallError(f"goal '{text}': its weight must be above 0")
    return ObjectiveTerm(find_measure(name.strip(), RUN_MEASURES), sign * value)


def parse_bound(text: str) -> Bound:
    """``NAME>=VALUE``, ``NAME<=VALUE`` or ``NAME=VALUE±TOLERANCE`` (also written ``+-``)."""
    match = re.fullmatch(r"\s*(\w+)\s*(>=|<=|=)\s*([-+.\deE]+?)\s*(?:(?:±|\+-)\s*([.\deE+-]+))?\s*", text)
    form = "write NAME>=VALUE, NAME<=VALUE or NAME=VALUE±TOLERANCE"
    if match is None or (match[2] == "=") != (match[4] is not None):
        raise FootfallError(f"bound '{text}': {form}")
    try:
        value, spread = float(match[3]), float(match[4] or 0.0)
    except ValueError:
        raise FootfallError(f"bound '{text}': {form}") from None
    low = value - spread if match[2] != "<=" else -math.inf
    high = value + spread if match[2] != ">=" else math.inf
    return Bound(find_measure(match[1], RUN_MEASURES), low, high)


KEPT_SPEED = 0.1
"""How far the speed may change, as a share of it; at least half of it in m/s."""
LEAST_FLIGHT = 0.02
"""Share of a stride: what is less is the end of one contact before the next."""
STANDING = 0.2
"""Footsteps per second: what takes fewer stands."""
STEPPING = 0.5
"""Footsteps per second that are asked for where the controller falls; half of its own where it steps."""


def usual_bounds(
    objective: Objective, base: Mapping[str, float], *, any_speed: bool = False, any_gait: bool = False
) -> tuple[Bound, ...]:
    """The bounds to add to an objective.

    Args:
        objective: measures that it names are left to it.
        base: measures of the controller that the search begins with: speed, step_rate, flight.
        any_speed, any_gait: whether these may change. Of a controller that falls nothing is known: steps are asked for.
    """
    asked = {*(t.measure for t in objective.terms), *(b.measure for b in objective.bounds)}
    bounds: list[Bound] = []
    speed, rate, flight = (base[name] for name in ("speed", "step_rate", "flight"))
    if not any_speed and math.isfinite(speed) and not asked & {"speed", "step_length"}:
        room = max(KEPT_SPEED * abs(speed), 0.5 * KEPT_SPEED)
        bounds.append(Bound("speed", round(speed - room, 3), round(speed + room, 3)))
    if any_gait:
        return tuple(bounds)
    stands = math.isfinite(rate) and rate < STANDING
    if not asked & {"step_rate", "step_time"}:
        least = round(0.5 * rate, 2) if math.isfinite(rate) else STEPPING
        bounds.append(Bound("step_rate", high=STANDING) if stands else Bound("step_rate", least))
    if math.isfinite(flight) and "flight" not in asked:
        runs = flight >= LEAST_FLIGHT
        bounds.append(Bound("flight", LEAST_FLIGHT) if runs else Bound("flight", high=LEAST_FLIGHT))
    return tuple(bounds)
