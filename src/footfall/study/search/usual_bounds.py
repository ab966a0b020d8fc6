"""What a search keeps unless it is told otherwise: the speed and the kind of gait of the controller it began with.

Without it, the walk with the least torque is one that steps on the spot. The kinds are told apart by two measures: a
gait takes steps or stands, and it has a time in flight, as runs do, or always a foot on the ground, as walks do.
"""

import math
from collections.abc import Mapping

from footfall.study.search.objective import Bound, Objective

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
