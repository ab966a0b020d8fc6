"""What an adapted gait should be like: as the controller's own on its own body, in numbers without units.

Which numbers of a controller are free on a body, and within which limits: for any pose control graph.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, check_name
from footfall.figures import Figure
from footfall.figures.standing import hip_height
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Record, Simulation
from footfall.study.measures.body import Units, body_mass, foot_spacing
from footfall.study.measures.table import ADAPTED, CYCLE_MEASURES, measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.measures.wanted import WantedMeasures
from footfall.study.search.free_numbers import FreeChoice, Scales

Array = NDArray[np.float64]

SECONDS, SETTLE = 14.0, 4.0
"""For which a controller is watched on its own body, and from when on."""
PACE_WIDTH = 0.03
"""By how much a speed may miss, as a share; at least of a slow walk."""
SLOW = 0.1
NARROWEST, WIDEST, CLEAR = 0.45, 1.1, 1.05
"""Between the feet, as shares of how far apart they hang; and in widths of a foot."""
CLEARANCE = 0.01
"""Between the legs, hip heights."""
SWUNG = ("hip", "knee")
"""Joints whose speed a walk cannot do without."""
OFTEN = 0.95
"""The share of the time in which joints turn more slowly than the speed that motors must follow."""
RUNS = 0.05
"""Above this share of flight a gait is a run."""


@dataclass(frozen=True)
class Wanted(WantedMeasures):
    """What a gait should be like.

    Attributes:
        want, less: numbers in the body's own units.
        speed: wanted.
        step_time: expected; infinite where it does not step.
    """

    want: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    less: Mapping[str, float] = field(default_factory=dict)
    speed: float = 0.0
    step_time: float = math.inf

    @property
    def steps(self) -> bool:
        """Whether it steps at all."""
        return math.isfinite(self.step_time)


def own_gait(graph: PoseControlGraph, figure: Figure) -> dict[str, float]:
    """The numbers of a controller on the body it was made for, from its own start; a sketch whose limbs touch until it
    falls is measured with limbs that pass, since the search keeps them apart."""
    record = Record(rate=100.0, worlds=1, fields=("qpos", "qvel", "events", "grf"))
    for solid in (None, False):
        simulation = Simulation(graph, figure=figure, dt=0.001, record=record, solid=solid)
        outcome = simulation.run(SECONDS)
        if outcome.survived[0]:
            break
    else:
        raise FootfallError(
            f"adapt: controller '{graph.name}' falls on its own figure '{figure.name}' after "
            f"{outcome.end_time[0]:.1f} s; give one that walks"
        )
    trace = simulation.trace()
    numbers = measure_walks(Walks(trace, outcome.torque_squared, SETTLE), ADAPTED, own_units=True)
    rates = np.quantile(np.abs(trace.qvel[round(100.0 * SETTLE) : int(trace.last[0]), 0]), OFTEN, axis=0)
    dofs = {role: [figure.joint(name).dof for name in figure.roles.get(role, ())] for role in SWUNG}
    fastest = {f"{role}_rate": float(rates[own].max()) * Units.of(figure).time for role, own in dofs.items() if own}
    return {name: float(values[0]) for name, values in numbers.items()} | fastest


def slowed(own: Mapping[str, float], figure: Figure) -> tuple[float, str]:
    """The share of a controller's pace that a body's motors follow, and why it is below 1: against its damping a motor
    turns a joint no faster than its torque limit divided by the damping."""
    units, share, why = Units.of(figure), 1.0, ""
    for role in SWUNG:
        for name in figure.roles.get(role, ()) if f"{role}_rate" in own else ():
            joint, asked = figure.joint(name), own[f"{role}_rate"] / units.time
            damping = float(np.ravel(figure.model.dof_damping[joint.dof])[0])
            if joint.actuated and damping > 0.0 and joint.torque_limit < share * asked * damping:
                turns = joint.torque_limit / damping
                share = turns / asked
                why = (f"its {role}s turn at {turns:.2g} rad/s at most ({joint.torque_limit:g} N m against the damping "
                       f"of its motors) and the walk scaled to its size asks for {asked:.2g}: it is asked for "
                       f"{100 * share:.0f} % of the pace (--speed overrules)")  # fmt: skip
    return share, why


def _widths(figure: Figure) -> tuple[float, float]:
    """Between the feet, sideways: half as far as they hang at least, and far enough not to hit each other."""
    hang, foot = (metres / hip_height(figure) for metres in foot_spacing(figure))
    low = max(NARROWEST * hang, CLEAR * foot)
    return low, max(WIDEST * hang, low + 0.06)


def wanted_gait(own: Mapping[str, float], figure: Figure, *, speed: float | None = None, effort: float = 1.0) -> Wanted:
    """What to ask of an adapted gait.

    Args:
        own: numbers of the controller on its own body.
        figure: the body.
        speed: metres a second; by default the controller's own, in units, or what the motors follow of it.
        effort: weight of the effort, 1 for the usual one.
    """
    units = Units.of(figure)
    pace = slowed(own, figure)[0] * own["progress"] if speed is None else speed / units.speed
    width = PACE_WIDTH * max(abs(pace), SLOW)
    less = {"torque": 100.0 * effort, "joint_acceleration": 1.0, "rocking": 40.0, "veer": 60.0, "turn": 200.0}
    if not own["step_rate"] > 0.0 or math.isnan(own["step_time"]):
        still = {"progress": (-0.005, 0.005, 1000.0), "pitch": (-0.1, 0.15, 60.0), "step_rate": (0.0, 0.0, 100.0)}
        return Wanted(still, less)
    time, runs = own["step_time"], own["flight"] > RUNS
    bands = {
        "progress": (pace - width, pace + width, 600.0),
        "step_time": (0.85 * time, 1.2 * time, 200.0),
        "pitch": (min(-0.06, own["pitch"] - 0.05), max(0.12, own["pitch"] + 0.05), 60.0),
        "limp": (0.0, 0.02, 100.0),
        "sole_lift": (min(0.035, 0.8 * own["sole_lift"]), max(0.12, 1.3 * own["sole_lift"]), 500.0),
        "slide": (0.0, max(0.004, 2.0 * own["slide"]), 1000.0),
        "scuff": (0.0, 0.0, 20.0),
    }
    if runs:
        bands["flight"] = (0.5 * own["flight"], 1.4 * own["flight"], 100.0)
    else:
        bands["flight"] = (0.0, 0.01, 100.0)
        bands["double_support_share"] = (0.05, 0.35, 150.0)
    if figure.root != "planar":
        bands["sole_spread"] = (*_widths(figure), 500.0)
        if figure.solid.leg_pairs:
            bands["leg_clearance"] = (CLEARANCE, math.inf, 1000.0)
    return Wanted(bands, less, pace, time)


def parse_want(text: str) -> tuple[str, tuple[float, float, float]]:
    """A measure of the gait laboratory and its band from MEASURE=LOW,HIGH,WEIGHT, as in
    ``match_knee_flexion=90,100,1``."""
    name, _, rest = text.partition("=")
    check_name("measure", name, CYCLE_MEASURES)
    try:
        low, high, weight = (float(number) for number in rest.split(","))
    except ValueError:
        raise FootfallError(f"want '{text}': write MEASURE=LOW,HIGH,WEIGHT, as in {name}=90,100,1") from None
    if not (low <= high and weight >= 0.0):
        raise FootfallError(
            f"want '{text}': the first number must not exceed the second, and the weight not be below 0"
        )
    return name, (low, high, weight)


PERSON = (0.95, 85.0)
"""Hip height, metres, and mass, kilograms, of the person for whom :mod:`footfall.study.gaits` has steps and limits."""
ANGLES = (
    "torso",
    "torso_roll",
    "swing_hip",
    "swing_hip_roll",
    "swing_knee",
    "swing_ankle",
    "stance_knee",
    "stance_ankle",
)
FEEDBACK = ("swing_hip", "swing_hip_roll")
SHARED = ("torso", "torso_roll", "stance_ankle", "stance_ankle_roll", "swing_knee", "stance_knee")
GAINS = (
    ("hip_pitch", "hip_roll"),
    ("torso", "torso_roll"),
    ("knee",),
    ("ankle_pitch",),
    ("ankle_roll",),
    ("waist_pitch", "waist_roll"),
)
WEAKER, STRONGER = 0.2, 5.0
"""Limits of kp, as shares of what it is at first."""
LEAN = (-0.3, 0.3)
SPEED_STEP = 0.15


def person_scales(figure: Figure) -> Scales:
    """The ratios of a body to a person's."""
    return Scales(hip_height(figure) / PERSON[0], body_mass(figure) / PERSON[1])


def free_choice(graph: PoseControlGraph, figure: Figure) -> FreeChoice:
    """Which numbers are free: times, target angles and feedback of legs and torso, gains, speed.

    Angles stay within the joints' ranges.
    """
    scales = person_scales(figure)
    spoken = {role for state in graph.states for role in state.targets}
    spatial = figure.root != "planar"

    def there(role: str) -> bool:
        if role.startswith("torso"):
            return spatial or role == "torso"
        return role.partition("_")[2] in figure.roles

    known = {*figure.roles, *(joint.name for joint in figure.joints), "torso", *(("torso_roll",) if spatial else ())}
    groups = tuple(tuple(name for name in group if name in known) for group in GAINS)
    table = GraphTable(graph, figure)
    first = {f"{group[0]}.kp": table.value(f"{group[0]}.kp") for group in groups if group}
    limits = {path: (WEAKER * kp, STRONGER * kp) for path, kp in first.items()}
    limits |= {"torso.angle": LEAN, "torso_roll.angle": LEAN}
    for role in (r for r in ANGLES if r.endswith(("_knee", "_ankle")) and there(r)):
        joint = figure.joint(figure.joint_for(role, "left"))
        limits[f"{role}.angle"] = (joint.lower, joint.upper)
    shared = tuple(role for role in SHARED if there(role))
    return FreeChoice(
        groups=_groups(graph, shared),
        angles=tuple(role for role in ANGLES if role in spoken and there(role)),
        feedback=tuple(role for role in FEEDBACK if there(role)),
        shared=shared,
        gains=tuple(group for group in groups if group),
        numbers={"speed": SPEED_STEP * scales.time},
        limits=limits,
    )


def _groups(graph: PoseControlGraph, shared: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The states whose feedback of ``shared`` roles is the same and stays so: those of a step, of a recovery, of a
    stand."""
    groups: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for label, state in zip(graph.labels, graph.states, strict=True):
        targets = [state.targets.get(role) for role in shared]
        feedback = tuple((0.0, 0.0) if target is None else (target.c_d, target.c_v) for target in targets)
        groups.setdefault(feedback, []).append(label)
    return tuple(tuple(labels) for labels in groups.values())
