"""Gait events: when a foot strikes the ground and when it leaves.

Where contacts are known (simulations, force platforms) they count. By kinematics a foot strikes when the slower of
heel and toe falls below 0.3 of the walking speed after a swing, and leaves when it rises above 0.75 of it before one
(a foot velocity algorithm, after O'Connor et al., "Automatic detection of gait events using kinematic data", Gait &
Posture 25, 2007). The two shares were set on the two force-platform clips that the documentation names. Paths
are cubic splines between frames: differences of few frames a second would spread a swing's end, and strikes come late.

Gait cycles: from a foot's strike to its next, with the events of the other foot in between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.contact import Contacts, annotate_contacts, point_speed, spans_of
from footfall.motion.gait.feet import belt_velocity, peak_speed, sole_positions, soles, speeds
from footfall.motion.gait.measures import gait_contacts
from footfall.motion.markers import events_within
from footfall.motion.motion import Motion

Array = NDArray[np.float64]

CUTOFF = 10.0
"""Hz, of the filter that paths and forces go through."""

STRIKE, OFF = 0.3, 0.75
"""Shares of the walking speed."""
SLOWEST = 0.3
"""m/s of walking below which feet are not judged by their speed."""
RATE = 200.0
"""Samples a second at least of the paths whose speed is judged."""
NEAR = 0.1
"""Seconds within which two events are the same."""


@dataclass(frozen=True, eq=False)
class GaitEvents:
    """Times of events in seconds, by side.

    Attributes:
        strikes, offs: side -> [n] ascending times.
        source: where they are from.
    """

    strikes: Mapping[str, Array]
    offs: Mapping[str, Array]
    source: str = ""

    def rows(self) -> list[tuple[float, str, str]]:
        """(time, side, "strike" or "off") in order of time."""
        found = [(float(t), side, "strike") for side, times in self.strikes.items() for t in times]
        found += [(float(t), side, "off") for side, times in self.offs.items() for t in times]
        return sorted(found)


def contact_events(motion: Motion) -> GaitEvents | None:
    """Events of the contacts that a simulation recorded; None without any. Contacts and gaps of less than 0.06 s are
    no steps."""
    if "contact" not in motion.channels or "contact" not in motion.labels:
        return None
    return _of_contacts(motion, annotate_contacts(motion), "contacts")


def _of_contacts(motion: Motion, touch: Contacts, source: str) -> GaitEvents:
    sides = tuple(soles(motion.skeleton))
    return GaitEvents(
        {side: motion.times[touch.landings(side)] for side in sides},
        {side: motion.times[touch.lifts(side)] for side in sides},
        source,
    )


def kinematic_events(motion: Motion) -> GaitEvents:
    """Events by the speed of heel and toe over ground."""
    belt = belt_velocity(motion)
    pace = max(float(np.median(speeds(motion))), float(np.median(np.linalg.norm(belt, axis=-1))))
    if pace < SLOWEST:
        pace = max(peak_speed(motion), float(np.linalg.norm(belt, axis=-1).max()))
    if pace < SLOWEST:
        return _of_contacts(motion, gait_contacts(motion), "kinematics (height and speed of the feet)")
    strikes, offs = {}, {}
    for side, sole in soles(motion.skeleton).items():
        points = sole_positions(motion, sole)
        ends = [points[:, own].mean(axis=1) for own in (sole.heel, sole.toe)]
        times, ground, *ends = _finer(motion.times, belt, *ends)
        slower = np.min([point_speed(end, times, ground) for end in ends], axis=0)
        strikes[side], offs[side] = _crossings(slower / pace, times)
    return GaitEvents(strikes, offs, "kinematics (speed of heel and toe)")


def _finer(times: Array, *paths: Array) -> list[Array]:
    """Times [T] and paths [T, …], with as many moments between frames as make :data:`RATE` a second: cubic splines."""
    from scipy.interpolate import CubicSpline

    parts = int(np.ceil(RATE * (times[-1] - times[0]) / (len(times) - 1) - 1e-3))
    moments = np.interp(np.arange(parts * (len(times) - 1) + 1) / parts, np.arange(len(times)), times)
    return [moments, *(CubicSpline(times, path)(moments) for path in paths)] if parts > 1 else [times, *paths]


def _crossings(share: Array, times: Array) -> tuple[Array, Array]:
    """Strikes and offs around the swings of a foot whose speed is ``share`` [T] of the walking speed."""
    swings = spans_of(share > 1.2)
    strikes, offs = [], []
    for a, b in swings:
        after = np.flatnonzero(share[b:] < STRIKE)
        if len(after):
            strikes.append(_between(share, times, b + int(after[0]), STRIKE))
        before = np.flatnonzero(share[:a] < OFF)
        if len(before):
            offs.append(_between(share, times, int(before[-1]) + 1, OFF))
    return np.unique(strikes), np.unique(offs)


def _between(share: Array, times: Array, k: int, level: float) -> float:
    """The time at which a signal crosses a level between samples k - 1 and k."""
    if k < 1 or share[k] == share[k - 1]:
        return float(times[max(k, 0)])
    part = (level - share[k - 1]) / (share[k] - share[k - 1])
    return float(times[k - 1] + np.clip(part, 0.0, 1.0) * (times[k] - times[k - 1]))


def file_events(motion: Motion) -> GaitEvents | None:
    """Events within the frames that the file has, as somebody marked them; None without any."""
    rows = events_within(motion.source.get("events") or (), motion.times)
    if not rows:
        return None

    def times(side: str, kind: str) -> Array:
        return np.array([row[0] for row in rows if row[1] == side and row[2] == kind], dtype=float)

    sides = ("left", "right")
    return GaitEvents({s: times(s, "strike") for s in sides}, {s: times(s, "off") for s in sides}, "the file's events")


def plate_events(motion: Motion, feet: Mapping[int, str]) -> GaitEvents | None:
    """Events of the force platforms; None without any.

    Args:
        motion: with ``plate_contacts`` in its source.
        feet: number of the contact -> the side whose foot made it (``ground_forces.feet_on_plates``).
    """
    rows = motion.source.get("plate_contacts") or []
    strikes: dict[str, list[float]] = {"left": [], "right": []}
    offs: dict[str, list[float]] = {"left": [], "right": []}
    end = motion.seconds
    for number, side in feet.items():
        _, on, off = rows[number]
        if 0.0 < on < end:
            strikes[side].append(on)
        if 0.0 < off < end:
            offs[side].append(off)
    if not any(strikes.values()) and not any(offs.values()):
        return None
    return GaitEvents(
        {side: np.sort(t) for side, t in strikes.items()},
        {side: np.sort(t) for side, t in offs.items()},
        "force platforms",
    )


def merged(base: GaitEvents, better: GaitEvents | None) -> GaitEvents:
    """The events of ``base``, each replaced by one of ``better`` that is less than 0.1 s away. One that ``base`` does
    not have is a foot that came onto a platform, or left it, while it stood."""
    if better is None:
        return base

    def replaced(times: Array, others: Array) -> Array:
        out = times.copy()
        for other in others:
            if len(out) and np.abs(out - other).min() < NEAR:
                out[np.argmin(np.abs(out - other))] = other
        return np.unique(out)

    return GaitEvents(
        {side: replaced(t, better.strikes.get(side, np.zeros(0))) for side, t in base.strikes.items()},
        {side: replaced(t, better.offs.get(side, np.zeros(0))) for side, t in base.offs.items()},
        f"{better.source}, else {base.source}",
    )


@dataclass(frozen=True)
class EventDifference:
    """How two sources of events differ.

    Attributes:
        first, second: the sources.
        pairs: events that both have.
        missed: events of the first that the second does not have.
        mean, worst: seconds, second less first; the worst by size.
    """

    first: str
    second: str
    pairs: int
    missed: int
    mean: float
    worst: float


def compare_events(first: GaitEvents, second: GaitEvents) -> EventDifference:
    """By how much the second differs from the first, event by event, over the time that the second covers."""
    covered = [t for t, _, _ in second.rows()]
    found, missed = [], 0
    for time, side, kind in first.rows():
        others = (second.strikes if kind == "strike" else second.offs).get(side, np.zeros(0))
        if len(others) and np.abs(others - time).min() < NEAR:
            found.append(float(others[np.argmin(np.abs(others - time))] - time))
        elif covered and min(covered) < time < max(covered):
            missed += 1
    shifts = np.array(found)
    worst = float(shifts[np.argmax(np.abs(shifts))]) if len(shifts) else float("nan")
    mean = float(shifts.mean()) if len(shifts) else float("nan")
    return EventDifference(first.source, second.source, len(found), missed, mean, worst)


POINTS = 101
"""Samples over a cycle, 0 to 100 %."""
LONGEST = 3.0
"""Seconds: a longer time between two strikes is a pause."""
ENOUGH = 4
"""Cycles of a side from which on the first and the last are left out."""


@dataclass(frozen=True)
class Cycle:
    """A cycle of one foot, times in seconds.

    Attributes:
        side: of the foot.
        start, end: its strikes.
        off: where it leaves the ground.
        other_off, other_strike: of the other foot, in between; not a number where it does neither.
    """

    side: str
    start: float
    end: float
    off: float
    other_off: float
    other_strike: float

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start

    def percent(self, time: float) -> float:
        """A time as per cent of the cycle."""
        return 100.0 * (time - self.start) / self.duration

    @property
    def runs(self) -> bool:
        """Whether both feet are off the ground at once: the foot leaves before the other strikes."""
        return bool(self.off < self.other_strike)


def find_cycles(events: GaitEvents) -> list[Cycle]:
    """All whole cycles of both feet, in order of time: with the foot's own off, and the other's events if there."""
    found = []
    for side, strikes in events.strikes.items():
        other = "right" if side == "left" else "left"
        for a, b in pairwise(strikes):
            off = _within(events.offs.get(side), a, b)
            if b - a > LONGEST or not np.isfinite(off):
                continue
            others = [_within(times.get(other), a, b) for times in (events.offs, events.strikes)]
            found.append(Cycle(side, float(a), float(b), off, others[0], others[1]))
    return sorted(found, key=lambda cycle: cycle.start)


def _within(times: Array | None, a: float, b: float) -> float:
    inside = [] if times is None else [float(t) for t in times if a < t < b]
    return inside[0] if inside else float("nan")


def settled(cycles: Sequence[Cycle]) -> tuple[list[Cycle], bool]:
    """The cycles that count, and whether the first and last of each side were left out: they are where a side has four
    or more."""
    kept, cut = [], False
    for side in ("left", "right"):
        own = [cycle for cycle in cycles if cycle.side == side]
        if len(own) >= ENOUGH:
            own, cut = own[1:-1], True
        kept += own
    return sorted(kept, key=lambda cycle: cycle.start), cut


def over_cycle(signal: Array, times: Array, cycle: Cycle) -> Array:
    """[101, …] a signal [T, …] over a cycle; not a number where the signal is."""
    at = np.linspace(cycle.start, cycle.end, POINTS)
    flat = signal.reshape(len(signal), -1)
    rows = np.stack([np.interp(at, times, column) for column in flat.T], axis=-1)
    return np.asarray(rows.reshape(POINTS, *signal.shape[1:]))


def centred(means: Array) -> Array:
    """Means [T, …] from each sample to the next as values at the samples, half of the one before and half of the one
    after: impulses stay."""
    values = np.array(means, dtype=float)
    values[1:] = 0.5 * (values[1:] + values[:-1])
    return values


def low_pass(values: Array, rate: float, cutoff: float = CUTOFF) -> Array:
    """Values [T, …] through a zero-lag Butterworth filter (second order, both ways); as they are where too short or
    too slowly sampled for it."""
    if len(values) < 16 or rate < 2.5 * cutoff:
        return np.asarray(values, dtype=float)
    from scipy.signal import butter, filtfilt

    b, a = butter(2, cutoff / 0.802 / (0.5 * rate))
    return np.asarray(filtfilt(b, a, values, axis=0, padlen=min(3 * max(len(a), len(b)), len(values) - 1)))
