"""The table of measures: what each is, in which unit, and how it is measured.

One row of ``measures.toml`` each. A row has a function for every kind of recording that it can be measured of; all
functions of a row give the same quantity in the same unit:

    OF_WALKS      recorded walks of many worlds (:class:`Walks`): ``optimize --goal``, ``adapt``, ``imitate``
    OF_RUNS       settled runs of candidates (:class:`Runs`): the terms and bounds of ``optimize``
    OF_OUTCOME    whole runs, from the start to the end or the fall: the results of ``sweep``
    OF_STRIDE     one stride of a motion (:class:`FootStride`): the parameters of ``analyse``, ``what-if``, the studio
    OF_BALANCE    one stride's balance and work (:class:`StrideBalance`): the measures of ``analyse``
    OF_FOLLOWING  how a body follows a clip: the report of ``imitate``
    OF_MOTION     a motion as a file has it (:class:`GaitMeasures`): ``motion info``, ``motion compare``
    OF_CYCLE      the mean cycle of a walk beside people's bands (:class:`MeanCycle`): ``analyse``, ``what-if``, goals

``docs/measures.md`` is printed from it (``python -m tools.measures_page``).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from footfall.errors import unknown_name
from footfall.figures import Side
from footfall.figures.side_names import SIDES
from footfall.motion.gait.measures import GaitMeasures
from footfall.motion.motion import Motion
from footfall.simulation.trace import Trace
from footfall.study.measures import mean_cycles as means
from footfall.study.measures import runs, walks
from footfall.study.measures.body import Units
from footfall.study.measures.cycles import Cycle, GaitEvents
from footfall.study.measures.mean_cycles import CycleReading, MeanCycle, mean_cycles
from footfall.study.measures.people import Band, Norms, second_hump
from footfall.study.measures.runs import Runs
from footfall.study.measures.strides import FootStride, StrideBalance, Value, by_side, measured_strides
from footfall.study.measures.walks import Walks
from footfall.text_files import packaged_toml

Array = NDArray[np.float64]

OWN_UNITS: Mapping[str, tuple[str, Callable[[Array, Units], Array]]] = {
    "m": ("H", lambda value, units: value / units.length),
    "s": ("√(H / g)", lambda value, units: value / units.time),
    "per s": ("√(g / H)", lambda value, units: value * units.time),
    "rad/s": ("rad √(g / H)", lambda value, units: value * units.time),
    "m/s": ("√(g H)", lambda value, units: value / units.speed),
    "rad/s²": ("rad g / H", lambda value, units: value * units.time**2),
    "N² m²": ("(m g H)²", lambda value, units: value / units.torque**2),
}
"""Unit -> the one that a body of hip height H and mass m has in its place, and the conversion to it."""


@dataclass(frozen=True)
class Measure:
    """A row of the table.

    Attributes:
        name: by which goals, terms, bounds and files ask for it.
        unit: of its numbers; "" for a plain number.
        definition: what it is, in a sentence.
        title: as reports show it; by default its name.
        adapted: whether gaits of bodies of any size are held against each other by it.
        needs: "people" whose tables it is compared with, "forces" that acted, a "clip", or "" for the motion alone.
    """

    name: str
    unit: str
    definition: str
    title: str = ""
    needs: str = ""
    adapted: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name.replace("_", " "))

    @property
    def heading(self) -> str:
        """Its title with its unit, for tables."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    def in_own_units(self, value: Array, units: Units) -> Array:
        """Numbers of it in a body's own units (:data:`OWN_UNITS`); as they are where these have no other."""
        return OWN_UNITS[self.unit][1](value, units) if self.unit in OWN_UNITS else value


OF_WALKS: Mapping[str, Callable[[Walks], Array]] = {
    "speed": walks.speed,
    "progress": lambda w: (w.qpos[-1, :, 0] - w.qpos[0, :, 0]) / w.span,
    "side_speed": walks.side_speed,
    "drift": lambda w: np.abs(walks.side_speed(w)),
    "veer": walks.veer,
    "turn": walks.turn,
    "step_time": lambda w: w.step_by_step(lambda _, frames: (np.diff(frames) * w.dt).mean()),
    "step_rate": lambda w: (np.diff(w.stance, axis=0) != 0).sum(axis=0) / w.span,
    "double_support_share": walks.double_support_share,
    "flight": walks.flight_share,
    "hop_rate": walks.hop_rate,
    "skips": walks.skips,
    "scuff": walks.scuff,
    "limp": walks.limp,
    "step_width": walks.step_width,
    "spread": walks.ankle_spread,
    "sole_spread": walks.sole_spread,
    "lift": walks.lift,
    "sole_lift": walks.sole_lift,
    "slide": walks.slide,
    "leg_clearance": lambda w: w.step_by_step(lambda _, gaps: walks.median_gap(gaps), w.leg_gaps),
    "height": lambda w: w.qpos[..., 2].mean(axis=0),
    "heave": walks.heave,
    "bounce": walks.bounce,
    "lean": walks.lean,
    "pitch": lambda w: w.pitch.mean(axis=0),
    "rocking": lambda w: np.sqrt(w.pitch.std(axis=0) ** 2 + w.roll.std(axis=0) ** 2),
    "pelvis_speed": walks.pelvis_speed,
    "knee_at_strike": walks.knee_at_strike,
    "apart": walks.apart,
    "joint_acceleration": walks.joint_acceleration,
    "torque": lambda w: w.torque_squared[: w.worlds],
    **{f"{joint}_error": partial(walks.joint_error, joint=joint) for joint in walks.JOINTS},
    "likeness": walks.likeness,
    "clip_cycle_error": walks.clip_cycle_error,
    "clip_velocity_error": walks.clip_velocity_error,
    "clip_step_error": walks.clip_step_error,
}
OF_RUNS: Mapping[str, Callable[[Runs], Array]] = {
    "survival": runs.survival,
    "speed": lambda r: r.speed,
    "step_length": lambda r: np.abs(r.speed) * r.stride / 2.0,
    "step_time": lambda r: r.stride / 2.0,
    "step_rate": lambda r: r.since_settled("footsteps"),
    "flight": runs.flight_of_stride,
    "torque": lambda r: r.mean("torque_squared"),
    "power": lambda r: r.mean("power"),
    "transport": runs.transport,
    "peak_torque": lambda r: r.outcome.peak_torque,
    "smoothness": lambda r: r.mean("acceleration_squared"),
    "torso_sway": lambda r: r.outcome.torso_high - r.outcome.torso_low,
    "push_forward": partial(runs.candidate_push_limit, angle=0.0),
    "push_backward": partial(runs.candidate_push_limit, angle=180.0),
    "clip_difference": runs.clip_difference,
}
_OUTCOMES = (
    "survived fell diverged time end_time distance speed footsteps step_time torque smoothness power peak_torque "
    "torso_low torso_high push_time"
)
OF_OUTCOME: Mapping[str, str] = {name: name for name in _OUTCOMES.split()} | {
    "torque": "torque_squared",
    "smoothness": "acceleration_squared",
}
"""Measure -> what results of sweeps call it."""
OF_FOLLOWING: Mapping[str, tuple[str, float]] = {
    "distance_ratio": ("distance_ratio", 1.0),
    "duration": ("duration", 1.0),
    "off_path": ("off_path", 1.0),
    "heading_error": ("heading_error_deg", 1.0),
    "root_error": ("root_error_m", 1.0),
    "mpjpe_root": ("mpjpe_root_mm", 1.0),
    "mpjpe_global": ("mpjpe_global_mm", 1.0),
    "stance_slide": ("stance_slide_cm", 100.0),
    "sink": ("sink_mm", 1000.0),
    "vibration": ("vibration", 1.0),
    "hip_torque": ("hip_torque_per_kg", 1.0),
    "swing_height": ("swing_height_cm", 100.0),
    "flight": ("flight", 1.0),
}
"""Measure -> what the report of ``imitate`` calls it, and how many of the report's units one of its own is."""
OF_STRIDE: Mapping[str, Callable[[FootStride], float]] = {
    "speed": lambda s: s.length / s.time,
    "cadence": lambda s: s.cadence,
    "stride_time": lambda s: s.time,
    "step_time": lambda s: s.cycle.end - s.cycle.other_strike,
    "stance_time": lambda s: s.stance,
    "swing_time": lambda s: s.cycle.end - s.cycle.off,
    "stride_length": lambda s: s.length,
    "step_length": lambda s: s.step_length,
    "step_width": lambda s: s.step_width,
    "stance": lambda s: s.share * s.stance,
    "swing": lambda s: 100.0 - s.share * s.stance,
    "single_support": lambda s: s.single_support,
    "double_support": lambda s: s.first_double_support + s.second_double_support,
    "first_double_support": lambda s: s.first_double_support,
    "second_double_support": lambda s: s.second_double_support,
    "opposite_foot_contact": lambda s: s.cycle.percent(s.cycle.other_strike),
    "walk_ratio": lambda s: 1000.0 * s.step_length / s.cadence,
}
OF_BALANCE: Mapping[str, Callable[[StrideBalance], float]] = {
    name: attrgetter(name)
    for name in (
        *("margin_ahead", "margin_aside", "foot_clearance", "com_excursion", "recovery"),
        *("positive_work", "negative_work", "cost_of_transport"),
    )
}
OF_MOTION: Mapping[str, Callable[[GaitMeasures], float | None]] = {
    "step_rate": attrgetter("steps_per_second"),
    **{
        name: attrgetter(name)
        for name in ("step_time", "step_length", "step_width", "stance", "double_support_share", "flight")
    },
}
OF_CYCLE: Mapping[str, CycleReading] = {
    **{name: means.one_match(angle) for name, angle in means.MATCHES.items()},
    "match": means.mean_match,
    "profile_score": means.overall_profile,
    "stance": lambda c, _: c.off,
    "first_peak": means.hump("first", 1),
    "first_peak_at": means.hump("first", 0),
    "dip": means.hump("dip", 1),
    "second_peak": means.hump("second", 1),
    "second_peak_at": means.hump("second", 0),
    "second_hump": means.of_curve("grf_vertical", second_hump),
    "braking": means.read_peak("Peak Braking Force [BW]", -1.0),
    "propulsion": means.read_peak("Peak Propuls Force [BW]"),
    "knee_loading": means.of_curve("knee_flexion", lambda knee, off: knee[: off // 2 + 1].max()),
    "knee_swing": means.read_peak("Max Knee Flex (swing) [deg]"),
    "dorsiflexion": means.read_peak("Max Dorsiflex (stance) [deg]"),
    "plantarflexion": means.read_peak("Max Plantarfelx (swing) [deg]", -1.0),
    "hip_moment": means.read_peak("Max Hip Ext Mom (stance) [N-m/kg]"),
    "knee_moment": means.of_curve("knee_extension_moment", lambda moment, _: np.abs(moment).max()),
    "ankle_moment": means.read_peak("Max Plantarflex Mom [N-m/kg]"),
    "ankle_power": means.read_peak("Max Ankle Power Gen (stance) [W/kg]"),
    "knee_roughness": means.of_curve("knee_extension_moment", lambda moment, _: means.roughness(moment)),
    "cost_of_transport": lambda c, _: c.transport,
    "head_acceleration": means.head_acceleration,
}


MEASURES: Mapping[str, Measure] = {
    name: Measure(name, **row) for name, row in packaged_toml("footfall.study.measures", "measures.toml").items()
}
"""Name -> row, in the order of reports."""

PARAMETERS = {name: m for name, m in MEASURES.items() if name in OF_STRIDE}
"""The spatio-temporal parameters of a stride."""
BALANCE_MEASURES = {name: m for name, m in MEASURES.items() if name in OF_BALANCE}
"""Balance and work of a stride."""
CYCLE_MEASURES = {name: m for name, m in MEASURES.items() if name in OF_CYCLE}
"""What is read from the mean cycle."""
WALK_MEASURES = {name: m for name, m in MEASURES.items() if name in OF_WALKS}
"""What is measured of recorded walks."""
RUN_MEASURES = {name: m for name, m in MEASURES.items() if name in OF_RUNS}
"""What an optimiser may ask for."""
GOAL_MEASURES = {name: m for name, m in (WALK_MEASURES | CYCLE_MEASURES).items() if m.needs != "clip"}
"""What goals may ask for."""
ADAPTED = tuple(name for name, m in MEASURES.items() if m.adapted)
"""What gaits of bodies of any size are held against each other by, in their own units."""

OLD_NAMES = {
    "width": "spread",
    "sway": "pelvis_speed",
    "double_support": "double_support_share",
    "likeness": "clip_difference",
}
"""Names that measures of goal files, terms and bounds had -> those of the table."""


OLD_UNITS: Mapping[str, tuple[str, float]] = {"shake": ("joint_acceleration", 100.0), "effort": ("torque", 1e4)}
"""Names that measures of goal files had in another unit -> those of the table, and how many of its unit one is."""


def find_measure(name: str, among: Mapping[str, Measure]) -> str:
    """The name of a measure among some of the table, by that or by an old name of it."""
    found = name if name in among else OLD_NAMES.get(name, name)
    if found not in among:
        raise unknown_name("measure", name, among)
    return found


def measure_walks(walks: Walks, names: Iterable[str], *, own_units: bool = False) -> dict[str, Array]:
    """[W] the measures that are named, in SI or in the body's own units; NaN where a world took too few steps."""
    found = {}
    for name in names:
        values = np.asarray(OF_WALKS[name](walks))
        found[name] = MEASURES[name].in_own_units(values, walks.units) if own_units else values
    return found


def measure_cycle(cycle: MeanCycle, bands: Mapping[str, Band] | None = None) -> dict[str, float]:
    """The measures of a mean cycle, those of likeness with people's bands; not a number where it has no such curve."""
    if not math.isfinite(cycle.off):
        return dict.fromkeys(CYCLE_MEASURES, math.nan)
    return {name: of_cycle(cycle, bands or {}) for name, of_cycle in OF_CYCLE.items()}


def measure_cycles(
    trace: Trace,
    speed: Array,
    norms: Norms | None = None,
    *,
    worlds: Sequence[int] | NDArray[np.int64] | None = None,
    settle: float = 0.0,
    sides: Sequence[Side] = SIDES,
) -> dict[str, Array]:
    """[W] the measures of the mean cycles of a trace's worlds; NaN where one took too few steps or is not asked for.

    Args:
        trace: of qpos and events; of ``grf`` for measures of forces.
        speed: [W] m/s, at which people are compared.
        norms: people's tables, for measures of likeness.
        worlds: that are asked for; by default all.
        settle: seconds that are left out.
        sides: whose cycles are taken.
    """
    asked = range(trace.qpos.shape[1]) if worlds is None else worlds
    found = {name: np.full(trace.qpos.shape[1], np.nan) for name in CYCLE_MEASURES}
    for w, cycle in mean_cycles(trace, asked, settle=settle, sides=sides).items():
        bands = norms.at(float(speed[w])).beside() if norms is not None and np.isfinite(speed[w]) else None
        for name, value in measure_cycle(cycle, bands).items():
            found[name][w] = value
    return found


def gait_parameters(motion: Motion, events: GaitEvents, cycles: Sequence[Cycle]) -> dict[str, dict[str, Value]]:
    """Parameter -> side -> value over the cycles of a motion; "both" has that of all."""
    strides = measured_strides(motion, events, cycles)
    return {name: by_side(strides, of_stride) for name, of_stride in OF_STRIDE.items()}


def measure_balance(strides: Sequence[StrideBalance]) -> dict[str, dict[str, Value]]:
    """Measure -> side -> value over the strides, as far as each is known; "both" has those of all."""
    made = {name: by_side(strides, of_balance) for name, of_balance in OF_BALANCE.items()}
    return {name: sides for name, sides in made.items() if sides["both"].count}
