"""The eighteen usual spatio-temporal parameters, by side, with mean and standard deviation over the cycles.

Definitions are those of pyCGM2 and of Visual3D for times and shares, and of Huxham et al. (2006) for lengths and widths
(:mod:`footfall.motion.gait.measures`). A cycle runs from a strike of the foot at t0 to its next at t1; the foot is
off at t_off, the other foot off at o_off and down again at o_on.

Measures beside the curves: margin of stability, foot clearance, mechanical work and cost of transport.

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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.angles import progression
from footfall.motion.gait.feet import carried_path, clearance, facing, sole_positions, soles
from footfall.motion.gait.measures import FootPlace, step_sizes
from footfall.motion.motion import Motion
from footfall.motion.skeleton.landmarks import centre_of_mass
from footfall.study.measures.cycles import Cycle, GaitEvents, low_pass
from footfall.study.measures.people import GRAVITY

if TYPE_CHECKING:
    from footfall.study.gait_lab.kinetics import Kinetics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parameter:
    """What a parameter is: its title, unit and definition in words."""

    title: str
    unit: str
    definition: str


PARAMETERS: Mapping[str, Parameter] = {
    "speed": Parameter("speed", "m/s", "stride length / stride time"),
    "cadence": Parameter("cadence", "steps/min", "120 / stride time"),
    "stride_time": Parameter("stride time", "s", "t1 - t0"),
    "step_time": Parameter("step time", "s", "t1 - o_on: from the other foot's strike to this one's"),
    "stance_time": Parameter("stance time", "s", "t_off - t0"),
    "swing_time": Parameter("swing time", "s", "t1 - t_off"),
    "stride_length": Parameter("stride length", "m", "from a foot's place to its next"),
    "step_length": Parameter("step length", "m", "from the other foot's place to this one's, along its stride"),
    "step_width": Parameter("step width", "m", "from the line of the other foot's stride to this foot's place"),
    "stance": Parameter("stance", "%", "(t_off - t0) / (t1 - t0)"),
    "swing": Parameter("swing", "%", "(t1 - t_off) / (t1 - t0)"),
    "single_support": Parameter("single support", "%", "(o_on - o_off) / (t1 - t0); in a run, the foot's stance"),
    "double_support": Parameter("double support", "%", "both double supports together; 0 in a run"),
    "first_double_support": Parameter("first double support", "%", "(o_off - t0) / (t1 - t0)"),
    "second_double_support": Parameter("second double support", "%", "(t_off - o_on) / (t1 - t0)"),
    "opposite_foot_off": Parameter("opposite foot off", "%", "(o_off - t0) / (t1 - t0)"),
    "opposite_foot_contact": Parameter("opposite foot contact", "%", "(o_on - t0) / (t1 - t0)"),
    "walk_ratio": Parameter("walk ratio", "mm/(steps/min)", "step length / cadence"),
}
"""Name -> what it is. Times and shares of a run count flight as neither double nor single support."""


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


def gait_parameters(motion: Motion, events: GaitEvents, cycles: Sequence[Cycle]) -> dict[str, dict[str, Value]]:
    """Name -> side -> value; "both" has those of all cycles together."""
    sizes = _sizes(motion, events)
    rows: dict[str, dict[str, list[float]]] = {name: {"left": [], "right": [], "both": []} for name in PARAMETERS}
    ends = {(cycle.side, cycle.end) for cycle in cycles}
    for cycle in cycles:
        for name, value in _of_cycle(cycle, sizes, (cycle.side, cycle.start) not in ends).items():
            rows[name][cycle.side].append(value)
            rows[name]["both"].append(value)
    return {name: {side: Value.of(values) for side, values in sides.items()} for name, sides in rows.items()}


def symmetry_index(left: float, right: float) -> float:
    """Robinson's index, per cent: 100 (left - right) / ((left + right) / 2); 0 is even (Robinson et al. 1987)."""
    middle = 0.5 * (left + right)
    return float(100.0 * (left - right) / middle) if abs(middle) > 1e-12 else 0.0


def _sizes(motion: Motion, events: GaitEvents) -> dict[tuple[str, float], tuple[float, float, float]]:
    """(side, time of a strike) -> stride length that ends there, step length and step width of the step to it."""
    forward, carried = facing(motion), carried_path(motion)
    places = []
    for side, sole in soles(motion.skeleton).items():
        path = motion.positions()[:, sole.ankle, :2] - carried
        for time in events.strikes.get(side, ()):
            at = np.array([np.interp(time, motion.times, path[:, k]) for k in (0, 1)])
            faced = np.array([np.interp(time, motion.times, forward[:, k]) for k in (0, 1)])
            places.append(FootPlace(float(time), side, at, faced / max(float(np.hypot(*faced)), 1e-9)))
    steps = {(s.side, s.time): (s.length, s.width) for s in step_sizes(places)}
    found = {}
    for side in ("left", "right"):
        own = sorted((p for p in places if p.side == side), key=lambda p: p.time)
        for a, b in pairwise(own):
            length, width = steps.get((side, b.time), (float("nan"), float("nan")))
            found[side, b.time] = (float(np.hypot(*(b.place - a.place))), length, width)
    for (side, time), (length, width) in steps.items():
        found.setdefault((side, time), (float("nan"), length, width))
    return found


def _of_cycle(
    cycle: Cycle, sizes: Mapping[tuple[str, float], tuple[float, float, float]], own_start: bool
) -> dict[str, float]:
    """Parameters of a cycle. ``own_start``: whether the step to its beginning belongs to no other cycle; it then stands
    in for the last step of a recording, which has no stride of the other foot around it."""
    stride, length, width = sizes.get((cycle.side, cycle.end), (float("nan"),) * 3)
    if own_start and not np.isfinite(length):
        _, length, width = sizes.get((cycle.side, cycle.start), (float("nan"),) * 3)
    t, share = cycle.duration, 100.0 / cycle.duration
    stance = cycle.off - cycle.start
    runs = cycle.runs
    first = 0.0 if runs else share * (cycle.other_off - cycle.start)
    second = 0.0 if runs else share * (cycle.off - cycle.other_strike)
    cadence = 120.0 / t
    return {
        "speed": stride / t,
        "cadence": cadence,
        "stride_time": t,
        "step_time": cycle.end - cycle.other_strike,
        "stance_time": stance,
        "swing_time": cycle.end - cycle.off,
        "stride_length": stride,
        "step_length": length,
        "step_width": width,
        "stance": share * stance,
        "swing": 100.0 - share * stance,
        "single_support": share * stance if runs else share * (cycle.other_strike - cycle.other_off),
        "double_support": first + second,
        "first_double_support": first,
        "second_double_support": second,
        "opposite_foot_off": cycle.percent(cycle.other_off),
        "opposite_foot_contact": cycle.percent(cycle.other_strike),
        "walk_ratio": 1000.0 * length / cadence,
    }


MEASURES = {
    "margin_ahead": ("margin of stability ahead", "m"),
    "margin_aside": ("margin of stability aside", "m"),
    "foot_clearance": ("foot clearance", "m"),
    "com_excursion": ("rise and fall of the centre of mass", "m"),
    "recovery": ("pendular recovery", "%"),
    "positive_work": ("positive joint work a stride", "J/kg"),
    "negative_work": ("negative joint work a stride", "J/kg"),
    "cost_of_transport": ("mechanical cost of transport", ""),
}
"""Name -> title and unit."""


def balance_measures(
    motion: Motion, cycles: Sequence[Cycle], kinetics: "Kinetics", mass: float
) -> dict[str, dict[str, Value]]:
    """Name -> side -> value, as far as each can be had; "both" has those of all cycles."""
    rows: dict[str, dict[str, list[float]]] = {name: {"left": [], "right": [], "both": []} for name in MEASURES}
    carried = np.concatenate([carried_path(motion), np.zeros((len(motion), 1))], axis=1)
    com = low_pass(centre_of_mass(motion), motion.fps, 6.0) - carried
    speed = np.gradient(com, motion.times, axis=0)
    ahead = progression(motion)
    height = float(np.median(clearance(motion, com + carried)))
    reach = com[:, :2] + speed[:, :2] / np.sqrt(GRAVITY / max(height, 0.1))
    feet = {side: sole_positions(motion, sole) for side, sole in soles(motion.skeleton).items()}
    for cycle in cycles:
        found = _balance_of_cycle(motion, cycle, com, speed, reach - com[:, :2], ahead, feet, carried, kinetics, mass)
        for name, value in found.items():
            rows[name][cycle.side].append(value)
            rows[name]["both"].append(value)
    made = {name: {side: Value.of(values) for side, values in sides.items()} for name, sides in rows.items()}
    return {name: sides for name, sides in made.items() if sides["both"].count}


def _balance_of_cycle(
    motion: Motion,
    cycle: Cycle,
    com: Array,
    speed: Array,
    beyond: Array,
    ahead: Array,
    feet: dict[str, Array],
    carried: Array,
    kinetics: "Kinetics",
    mass: float,
) -> dict[str, float]:
    times = motion.times
    k = int(np.argmin(np.abs(times - cycle.start)))
    inside = (times >= cycle.start) & (times <= cycle.end)
    way = ahead[k]
    left = np.array([-way[1], way[0]]) * (1.0 if cycle.side == "left" else -1.0)
    edge = (feet[cycle.side][k] - carried[k])[:, :2] - (com[k, :2] + beyond[k])
    found = {
        "margin_ahead": float((edge @ way).max()),
        "margin_aside": float((edge @ left).max()),
        "com_excursion": float(np.ptp(com[inside, 2])),
        "recovery": _recovery(com[inside, 2], speed[inside]),
    }
    swing = cycle.end - cycle.off
    middle = (times >= cycle.off + 0.3 * swing) & (times <= cycle.off + 0.8 * swing)
    stance = (times >= cycle.start) & (times <= cycle.off)
    toes = clearance(motion, feet[cycle.side][:, soles(motion.skeleton)[cycle.side].toe]).mean(axis=1)
    if middle.any() and stance.any():
        found["foot_clearance"] = float(toes[middle].min() - np.median(toes[stance]))
    if len(kinetics.power) == len(times) and np.isfinite(kinetics.power[inside]).all():
        stride = float(np.linalg.norm(com[inside][-1, :2] - com[inside][0, :2]))
        gained, lost = (float(np.trapezoid(p[inside], times[inside])) for p in (kinetics.power, kinetics.negative))
        if mass > 0:
            found |= {"positive_work": gained / mass, "negative_work": lost / mass}
            if stride > 0.1:
                found["cost_of_transport"] = gained / (mass * GRAVITY * stride)
    return found


def _recovery(height: Array, speed: Array) -> float:
    potential = GRAVITY * height + 0.5 * speed[:, 2] ** 2
    forward = 0.5 * (speed[:, :2] ** 2).sum(axis=1)
    gains = [float(np.maximum(np.diff(e), 0.0).sum()) for e in (potential, forward, potential + forward)]
    return 100.0 * (gains[0] + gains[1] - gains[2]) / max(gains[0] + gains[1], 1e-12)
