"""Strides of a motion: their spatio-temporal sizes, balance and work.

Definitions are those of pyCGM2 and of Visual3D for times and shares, and of Huxham et al. (2006) for lengths and widths
(:mod:`footfall.motion.gait.measures`).

Margin of stability (Hof, Gazendam and Sinke, J. Biomechanics 38, 2005): the extrapolated centre of mass is

    x = c + ċ / ω        ω = sqrt(g / l)        l the height of the centre of mass above the ground

and the margin, at a foot's strike, is the distance from x to the edge of that foot: to its outer edge aside, to its
front ahead. It is positive while x is inside.

Foot clearance: the lowest mean height of the toe's end of the sole above its height in stance, between 30 and 80 % of
the swing.

Work: the positive and negative powers of the joints, summed joint by joint over a cycle, per body mass. Mechanical cost
of transport: positive work / (m g × stride length). No muscle is modelled, so no metabolic cost is given.

Recovery (Cavagna, Thys and Zamboni 1976): 100 (W_v + W_f - W_ext) / (W_v + W_f) with W the sums of the positive
increments over a cycle of the centre of mass's potential and vertical kinetic energy, of its kinetic energy along the
ground, and of both together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.motion.gait.angles import progression
from footfall.motion.gait.feet import carried_path, clearance, facing, sole_positions, soles
from footfall.motion.gait.measures import FootPosition, step_sizes
from footfall.motion.motion import Motion
from footfall.motion.skeleton.landmarks import centre_of_mass
from footfall.study.measures.cycles import Cycle, GaitEvents, low_pass
from footfall.study.measures.walks import leg_gaps, median_gap, moments_of

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Value:
    """Mean and standard deviation (n - 1) of n values; the deviation is not a number for one."""

    mean: float
    deviation: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Value":
        """Of the finite ones among some values."""
        finite = np.array([v for v in values if np.isfinite(v)])
        if not len(finite):
            return cls(float("nan"), float("nan"), 0)
        spread = float(finite.std(ddof=1)) if len(finite) > 1 else float("nan")
        return cls(float(finite.mean()), spread, len(finite))


@dataclass(frozen=True)
class FootStride:
    """A cycle of one foot with its sizes.

    Attributes:
        cycle: its events.
        length: metres from the foot's position to its next.
        step_length: metres along the stride, of the step that ends it.
        step_width: metres across, of the same step.
    """

    cycle: Cycle
    length: float
    step_length: float
    step_width: float

    @property
    def time(self) -> float:
        """Seconds."""
        return self.cycle.duration

    @property
    def share(self) -> float:
        """Per cent of the stride that a second is."""
        return 100.0 / self.cycle.duration

    @property
    def cadence(self) -> float:
        """Steps a minute."""
        return 120.0 / self.cycle.duration

    @property
    def stance(self) -> float:
        """Seconds."""
        return self.cycle.off - self.cycle.start

    @property
    def single_support(self) -> float:
        """Per cent; in a run, the foot's stance."""
        other = self.cycle.other_strike - self.cycle.other_off
        return self.share * (self.stance if self.cycle.runs else other)

    @property
    def first_double_support(self) -> float:
        """Per cent; 0 in a run."""
        return 0.0 if self.cycle.runs else self.share * (self.cycle.other_off - self.cycle.start)

    @property
    def second_double_support(self) -> float:
        """Per cent; 0 in a run."""
        return 0.0 if self.cycle.runs else self.share * (self.cycle.off - self.cycle.other_strike)


AnyStride = TypeVar("AnyStride", FootStride, "StrideBalance")


def measured_strides(motion: Motion, events: GaitEvents, cycles: Sequence[Cycle]) -> list[FootStride]:
    """The cycles of a motion with their sizes. Where the step to a cycle's beginning belongs to no other cycle, it
    stands in for the last step of a recording, which has no stride of the other foot around it."""
    sizes, unknown = _sizes(motion, events), (float("nan"),) * 3
    ends = {(cycle.side, cycle.end) for cycle in cycles}
    strides = []
    for cycle in cycles:
        stride, length, width = sizes.get((cycle.side, cycle.end), unknown)
        if (cycle.side, cycle.start) not in ends and not np.isfinite(length):
            _, length, width = sizes.get((cycle.side, cycle.start), unknown)
        strides.append(FootStride(cycle, stride, length, width))
    return strides


def by_side(strides: Sequence[AnyStride], measure: Callable[[AnyStride], float]) -> dict[str, Value]:
    """Side -> the value of a measure over its strides; "both" has that of all."""
    found: dict[str, list[float]] = {"left": [], "right": [], "both": []}
    for stride in strides:
        value = measure(stride)
        found[stride.cycle.side].append(value)
        found["both"].append(value)
    return {side: Value.of(values) for side, values in found.items()}


def symmetry_index(left: float, right: float) -> float:
    """Robinson's index, per cent: 100 (left - right) / ((left + right) / 2); 0 is even (Robinson et al. 1987)."""
    middle = 0.5 * (left + right)
    return float(100.0 * (left - right) / middle) if abs(middle) > 1e-12 else 0.0


def _sizes(motion: Motion, events: GaitEvents) -> dict[tuple[str, float], tuple[float, float, float]]:
    """(side, time of a strike) -> stride length that ends there, step length and step width of the step to it."""
    forward, carried = facing(motion), carried_path(motion)
    strikes = []
    for side, sole in soles(motion.skeleton).items():
        path = motion.positions()[:, sole.ankle, :2] - carried
        for time in events.strikes.get(side, ()):
            at = np.array([np.interp(time, motion.times, path[:, k]) for k in (0, 1)])
            faced = np.array([np.interp(time, motion.times, forward[:, k]) for k in (0, 1)])
            strikes.append(FootPosition(float(time), side, at, faced / max(float(np.hypot(*faced)), 1e-9)))
    steps = {(s.side, s.time): (s.length, s.width) for s in step_sizes(strikes)}
    found = {}
    for side in ("left", "right"):
        own = sorted((p for p in strikes if p.side == side), key=lambda p: p.time)
        for a, b in pairwise(own):
            length, width = steps.get((side, b.time), (float("nan"), float("nan")))
            found[side, b.time] = (float(np.hypot(*(b.position - a.position))), length, width)
    for (side, time), (length, width) in steps.items():
        found.setdefault((side, time), (float("nan"), length, width))
    return found


def leg_clearance(motion: Motion, events: GaitEvents, cycles: Sequence[Cycle]) -> float:
    """Metres between a spatial figure's legs: the least of each step, median over the steps of some cycles. Not a
    number for motions without a figure's states, and for figures in a plane."""
    figure = Figure.load(motion.figure_xml) if motion.figure_xml and "qpos" in motion.channels else None
    if figure is None or figure.root != "free" or not figure.legs or not cycles:
        return float("nan")
    first, last = min(c.start for c in cycles), max(c.end for c in cycles)
    strikes = np.unique([t for times in events.strikes.values() for t in times if first <= t <= last])
    frames = moments_of(np.searchsorted(motion.times, strikes).astype(np.int64))
    gaps = leg_gaps(figure, np.asarray(motion.channels["qpos"], dtype=float)[frames.ravel()])
    return median_gap(gaps.reshape(frames.shape))


@dataclass(frozen=True, eq=False)
class StrideBalance:
    """Balance and work of one stride; not a number where it is not known.

    Attributes:
        cycle: its events.
        margin_ahead: metres from the extrapolated centre of mass to the foot's front at its strike.
        margin_aside: metres to its outer edge.
        com_excursion: metres by which the centre of mass goes up and down.
        recovery: pendular, per cent.
        foot_clearance: metres, in the middle of the swing.
        positive_work, negative_work: J/kg.
        cost_of_transport: over the path of the centre of mass.
    """

    cycle: Cycle
    margin_ahead: float
    margin_aside: float
    com_excursion: float
    recovery: float
    foot_clearance: float
    positive_work: float
    negative_work: float
    cost_of_transport: float


def cost_of_transport(work: float, length: float, gravity: float = GRAVITY) -> float:
    """Positive work / (m g stride length), of work in J/kg; not a number in place."""
    return float(work / (gravity * length)) if length > 0.1 else float("nan")


def balanced_strides(
    motion: Motion, cycles: Sequence[Cycle], power: Array, negative: Array, mass: float, gravity: float = GRAVITY
) -> list[StrideBalance]:
    """The balance of every cycle.

    Args:
        motion: that is measured.
        cycles: of it.
        power, negative: [T] watts that all joints give and take; empty where they are not known.
        mass: kilograms; 0 where it is not known.
        gravity: of the figure that moves; people's by default.
    """
    times, nan = motion.times, float("nan")
    carried = np.concatenate([carried_path(motion), np.zeros((len(motion), 1))], axis=1)
    com = low_pass(centre_of_mass(motion), motion.fps, 6.0) - carried
    speed = np.gradient(com, times, axis=0)
    ahead = progression(motion)
    height = float(np.median(clearance(motion, com + carried)))
    beyond = com[:, :2] + speed[:, :2] / np.sqrt(gravity / max(height, 0.1)) - com[:, :2]
    feet = soles(motion.skeleton)
    points = {side: sole_positions(motion, sole) for side, sole in feet.items()}
    found = []
    for cycle in cycles:
        k, own = int(np.argmin(np.abs(times - cycle.start))), points[cycle.side]
        inside = (times >= cycle.start) & (times <= cycle.end)
        way = ahead[k]
        outwards = np.array([-way[1], way[0]]) * (1.0 if cycle.side == "left" else -1.0)
        edge = (own[k] - carried[k])[:, :2] - (com[k, :2] + beyond[k])
        swing = cycle.end - cycle.off
        middle = (times >= cycle.off + 0.3 * swing) & (times <= cycle.off + 0.8 * swing)
        stance = (times >= cycle.start) & (times <= cycle.off)
        toes = clearance(motion, own[:, feet[cycle.side].toe]).mean(axis=1)
        known = mass > 0 and len(power) == len(times) and np.isfinite(power[inside]).all()
        gained, lost = (
            (float(np.trapezoid(p[inside], times[inside])) / mass for p in (power, negative)) if known else (nan, nan)
        )
        found.append(
            StrideBalance(
                cycle,
                margin_ahead=float((edge @ way).max()),
                margin_aside=float((edge @ outwards).max()),
                com_excursion=float(np.ptp(com[inside, 2])),
                recovery=_recovery(com[inside, 2], speed[inside], gravity),
                foot_clearance=float(toes[middle].min() - np.median(toes[stance]))
                if middle.any() and stance.any()
                else nan,
                positive_work=gained,
                negative_work=lost,
                cost_of_transport=cost_of_transport(
                    gained, float(np.hypot(*(com[inside][-1, :2] - com[inside][0, :2]))), gravity
                ),
            )
        )
    return found


def _recovery(height: Array, speed: Array, gravity: float) -> float:
    potential = gravity * height + 0.5 * speed[:, 2] ** 2
    forward = 0.5 * (speed[:, :2] ** 2).sum(axis=1)
    gains = [float(np.maximum(np.diff(e), 0.0).sum()) for e in (potential, forward, potential + forward)]
    return 100.0 * (gains[0] + gains[1] - gains[2]) / max(gains[0] + gains[1], 1e-12)
