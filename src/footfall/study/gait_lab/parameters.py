"""The eighteen usual spatio-temporal parameters, by side, with mean and standard deviation over the cycles.

Definitions are those of pyCGM2 and of Visual3D for times and shares, and of Huxham et al. (2006) for lengths and widths
(:mod:`footfall.motion.gait.step_sizes`). A cycle runs from a strike of the foot at t0 to its next at t1; the foot is
off at t_off, the other foot off at o_off and down again at o_on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.feet import soles
from footfall.motion.gait.heading import facing
from footfall.motion.gait.step_sizes import FootPlace, step_sizes
from footfall.motion.gait.treadmill import carried_path
from footfall.motion.motion import Motion
from footfall.study.gait_lab.cycles import Cycle
from footfall.study.gait_lab.events import GaitEvents

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
