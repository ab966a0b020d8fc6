"""How a body rises and sinks where its feet leave the ground: a parabola in the air, and before and after it a bend of
the knees that takes up its speed.

In the air for T seconds a body leaves the ground and comes down at g T / 2. On the ground its height is a cubic with
these speeds at its ends: through one bend between two leaps that are close, else through one after the first and
another before the second.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
GRAVITY = 9.81
BEND = 0.35
"""Seconds of a bend before a leap and after it, at most."""


@dataclass(frozen=True)
class Flight:
    """Seconds at which a body leaves the ground and comes down."""

    leaves: float
    lands: float


def flights_of(lands: Array, leaves: Array) -> list[Flight]:
    """The times at which no foot is on the ground; every foot stands from ``lands`` to ``leaves``, [K] each."""
    order = np.argsort(lands, kind="stable")
    found, until = [], -np.inf
    for k in order:
        if np.isfinite(until) and lands[k] > until + 1e-9:
            found.append(Flight(float(until), float(lands[k])))
        until = max(until, float(leaves[k]))
    return found


def heights_of(flights: list[Flight], times: Array) -> tuple[Array, Array]:
    """Metres [T] by which a body is higher than one that stays on the ground, and its weight [T] on the feet, in shares
    of the usual one."""
    height, weight = np.zeros(len(times)), np.ones(len(times))
    ends = [None, *flights, None]
    for before, after in pairwise(ends):
        if before is not None and after is not None and after.leaves - before.lands < 2.0 * BEND:
            _bend(times, before.lands, after.leaves, -_speed(before), _speed(after), height, weight)
            continue
        if before is not None:
            _bend(times, before.lands, before.lands + BEND, -_speed(before), 0.0, height, weight)
        if after is not None:
            _bend(times, after.leaves - BEND, after.leaves, 0.0, _speed(after), height, weight)
    for flight in flights:
        aloft = (times > flight.leaves) & (times < flight.lands)
        height[aloft] = 0.5 * GRAVITY * (times[aloft] - flight.leaves) * (flight.lands - times[aloft])
        weight[aloft] = 0.0
    return height, np.maximum(weight, 0.0)


def _speed(flight: Flight) -> float:
    return 0.5 * GRAVITY * (flight.lands - flight.leaves)


def _bend(times: Array, first: float, last: float, down: float, up: float, height: Array, weight: Array) -> None:
    """Add a cubic from 0 to 0 with these speeds, m/s, at its ends."""
    inside = (times >= first) & (times <= last)
    span = last - first
    s = (times[inside] - first) / span
    height[inside] = span * (down * s * (1.0 - s) ** 2 - up * s**2 * (1.0 - s))
    weight[inside] = 1.0 + (down * (6.0 * s - 4.0) + up * (6.0 * s - 2.0)) / (span * GRAVITY)
