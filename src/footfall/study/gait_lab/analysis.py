"""The analysis of a walk: a controller is simulated with all that acts, a file is read, or a trace is taken.

People's bands of pelvic tilt and hip flexion belong to a pelvis whose axes run through the markers at its front and
back, which lean forward by some 12 degrees when people stand. A figure's pelvis, or a clip's, has no such markers: its
zero is its standing pose. Beside such a walk the people's mean tilt is taken off both bands.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.motion.formats.files import load_motion, readable_suffixes
from footfall.motion.gait.angles import body_angles, progression
from footfall.motion.gait.feet import belt_velocity, soles
from footfall.motion.gait.measures import animal_warning
from footfall.motion.motion import Motion
from footfall.motion.retargeting.standing import with_rest
from footfall.motion.skeleton.roles import find_roles, leg_length
from footfall.simulation import MujocoSimulation, Record, Simulation, Trace
from footfall.simulation.trace import FIELDS, FORCES
from footfall.study.gait_lab.ground_forces import (
    Closure,
    FootForce,
    best_events,
    closure_notes,
    foot_forces,
    pressure_paths,
    single_support_closures,
    weighed_mass,
)
from footfall.study.gait_lab.joint_limits import limit_notes
from footfall.study.gait_lab.kinetics import EnergyBalance, Kinetics, captured_kinetics, energy_balance, figure_kinetics
from footfall.study.gait_lab.plate_contacts import PlateContact, contact_notes, plate_contacts, without_parts
from footfall.study.gait_lab.simulated_forces import ForceError, check_forces, force_errors, with_simulated_forces
from footfall.study.gait_lab.steadiness import IN_PLACE, Steadiness, measure_steadiness, steady_cycles
from footfall.study.measures.cycles import (
    Cycle,
    EventDifference,
    GaitEvents,
    find_cycles,
    low_pass,
    over_cycle,
    settled,
)
from footfall.study.measures.mean_cycles import MeanCycle, variable_scores
from footfall.study.measures.people import (
    PANELS,
    Band,
    Norms,
    double_hump,
    match,
    profile_score,
    read_peaks,
    second_hump,
    whole_percent,
)
from footfall.study.measures.strides import Value, balanced_strides, leg_clearance, symmetry_index
from footfall.study.measures.table import PARAMETERS, gait_parameters, measure_balance, measure_cycle

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from footfall.motion.motion import Motion

Array = NDArray[np.float64]
Plain = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """A walk as gait people see it.

    Attributes:
        name: of the walk.
        motion: that was analysed.
        mass: kilograms, 0 where unknown.
        leg: metres of the leg.
        events: of the feet.
        differences: how sources of events differ.
        cycles: that count.
        left_out: whether first and last cycles were left out.
        steadiness: of the cycles before those that are not steady were left out.
        parameters, measures: name -> side ("left", "right", "both") -> value.
        curves: name -> side -> [cycles, 101], in the units of their panels.
        signals: ``left_knee_flexion`` [T] …, what the curves are cut from.
        pressure: side -> [cycles, 101, 2] path of the centre of pressure from the ankle, metres along the foot and to
            its outer side; not a number in swing.
        closures: for each single support of a captured walk over platforms, the side of the foot that stands and what
            motion, masses and forces leave unexplained.
        contacts: with force platforms; those that were measured in part say so, and do not count.
        force_errors: panel -> how far simulated forces are from measured ones, where it has both.
        leg_clearance: metres between the legs of a simulated spatial walk, the row ``leg_clearance`` of the
            table of measures; not a number for other walks.
        kinetics: where moments and powers are from; empty without any.
        energy: of a simulated walk whose forces were recorded.
        norms: people's tables; None where none were asked for or they do not fit.
        markers: whether the pelvis's axes are those of markers.
        notes: what a reader should know.
    """

    name: str
    motion: "Motion"
    mass: float
    leg: float
    events: GaitEvents
    differences: tuple[EventDifference, ...]
    cycles: tuple[Cycle, ...]
    left_out: bool
    steadiness: Steadiness
    parameters: Mapping[str, Mapping[str, Value]]
    measures: Mapping[str, Mapping[str, Value]]
    curves: Mapping[str, Mapping[str, Array]]
    signals: Mapping[str, Array] = field(default_factory=dict)
    pressure: Mapping[str, Array] = field(default_factory=dict)
    closures: tuple[tuple[str, Closure], ...] = ()
    contacts: tuple[PlateContact, ...] = ()
    force_errors: Mapping[str, ForceError] = field(default_factory=dict)
    leg_clearance: float = float("nan")
    kinetics: str = ""
    energy: EnergyBalance | None = None
    norms: Norms | None = None
    markers: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sides = self.cycle_counts
        return (
            f"<Analysis {self.name}: {sides['left']} left and {sides['right']} right cycles, "
            f"{self.parameters['speed']['both'].mean:.2f} m/s>"
        )

    def _repr_html_(self) -> str:
        """Tables and plots, for notebooks."""
        from footfall.study.gait_lab.page import notebook_html

        return notebook_html(self)

    @property
    def cycle_counts(self) -> dict[str, int]:
        """Side -> how many cycles it has."""
        return {side: sum(c.side == side for c in self.cycles) for side in ("left", "right")}

    @property
    def speed(self) -> float:
        """Mean walking speed, m/s."""
        return self.parameters["speed"]["both"].mean

    @cached_property
    def foot_off(self) -> dict[str, float]:
        """Side -> mean foot off, per cent of the cycle."""
        return {side: self.parameters["stance"][side].mean for side in ("left", "right")}

    @cached_property
    def means(self) -> dict[str, dict[str, Array]]:
        """Name -> side ("left", "right", "both") -> mean curve [101]."""
        found: dict[str, dict[str, Array]] = {}
        for name, sides in self.curves.items():
            own = {side: rows.mean(axis=0) for side, rows in sides.items() if len(rows)}
            if own:
                every = np.concatenate([rows for rows in sides.values() if len(rows)])
                found[name] = own | {"both": every.mean(axis=0)}
        return found

    @cached_property
    def bands(self) -> dict[str, Band]:
        """Name -> people's band, as this walk is compared with it."""
        return {} if self.norms is None else self.norms.beside(self.markers)

    @cached_property
    def matches(self) -> dict[str, dict[str, float]]:
        """Name -> side -> match with people, per cent."""
        return {
            name: {side: match(curve, self.bands[name]) for side, curve in sides.items()}
            for name, sides in self.means.items()
            if name in self.bands
        }

    @cached_property
    def mean_cycle(self) -> MeanCycle:
        """The mean of all cycles, left and right."""
        off, duration = (self.parameters[name]["both"].mean for name in ("stance", "stride_time"))
        known = "cost_of_transport" in self.measures
        transport = self.measures["cost_of_transport"]["both"].mean if known else float("nan")
        curves = {name: sides["both"] for name, sides in self.means.items()}
        sides = {
            side: {name: own[side] for name, own in self.means.items() if side in own}
            for side, count in self.cycle_counts.items()
            if count
        }
        roles = find_roles(self.motion.skeleton)
        head = np.zeros((0, 3))
        if "head" in roles:
            path = self.motion.positions()[:, roles["head"]]
            rows = [over_cycle(path, self.motion.times, c) for c in self.cycles if c.side == self.cycles[0].side]
            head = np.mean([row - row[0] for row in rows], axis=0)
        return MeanCycle(curves, off, duration, transport, head, sides)

    @cached_property
    def walk_measures(self) -> dict[str, float]:
        """Measure -> number, by :data:`footfall.study.measures.table.CYCLE_MEASURES`, as far as known."""
        found = measure_cycle(self.mean_cycle, self.bands)
        return {name: value for name, value in found.items() if np.isfinite(value)}

    @cached_property
    def variable_scores(self) -> dict[str, dict[str, float]]:
        """Name -> side -> Gait Variable Score, degrees."""
        return variable_scores(self.mean_cycle, self.bands)

    @cached_property
    def profile(self) -> dict[str, float]:
        """Gait Profile Score, degrees: "left", "right", "overall"."""
        return profile_score(self.variable_scores)

    @cached_property
    def peaks(self) -> dict[str, dict[str, float]]:
        """Schwartz's numbers: name -> side -> number."""
        sides = {name: {s: c for s, c in own.items() if s != "both"} for name, own in self.means.items()}
        return read_peaks(sides, self.foot_off)

    @cached_property
    def humps(self) -> dict[str, tuple[tuple[int, float], tuple[int, float], tuple[int, float]]]:
        """Side -> first peak, second peak and dip of the vertical force: per cent of the cycle and body weights."""
        return {
            side: double_hump(curve, whole_percent(self.foot_off[side]))
            for side, curve in self.means.get("grf_vertical", {}).items()
            if side != "both" and np.isfinite(self.foot_off[side])
        }

    def two_humps(self, side: str) -> bool:
        """Whether the vertical force of a side has a second hump."""
        return second_hump(self.means["grf_vertical"][side], whole_percent(self.foot_off[side])) > 0.0

    def symmetry(self, name: str) -> float:
        """Robinson's symmetry index of a parameter, per cent."""
        own = self.parameters[name]
        return symmetry_index(own["left"].mean, own["right"].mean)

    def to_dict(self) -> Plain:
        """Everything as plain numbers and texts, for JSON."""
        from footfall.study.gait_lab.tables import plain_analysis

        return plain_analysis(self)

    def to_xarray(self) -> "xr.Dataset":
        """Curves over side and per cent of the cycle, parameters over side, with units and definitions."""
        import xarray as xr

        sides = ["left", "right"]
        data: dict[str, Any] = {}
        for name, own in self.curves.items():
            none = np.full((0, 101), np.nan)
            rows = [own.get(side, none) for side in sides]
            panel = PANELS[name]
            for word, of in (("", np.mean), ("_sd", np.std)):
                values = [of(r, axis=0) if len(r) else np.full(101, np.nan) for r in rows]
                described = {"units": panel.unit, "long_name": panel.title, "positive": panel.up}
                data[f"{name}{word}"] = (("side", "percent"), np.array(values), described)
        for name, found in self.parameters.items():
            about = {"units": PARAMETERS[name].unit, "definition": PARAMETERS[name].definition}
            data[name] = ("side", [found[side].mean for side in sides], about)
            data[f"{name}_sd"] = ("side", [found[side].deviation for side in sides], about)
        coordinates = {"side": sides, "percent": np.arange(101)}
        return xr.Dataset(data, coordinates, {"name": self.name, "mass_kg": self.mass, "leg_m": self.leg})

    def to_pandas(self) -> "pd.DataFrame":
        """Parameters as a table: a row for each parameter and side, with mean, sd, n, unit and definition."""
        import pandas as pd

        rows = [
            {"parameter": name, "side": side, "mean": v.mean, "sd": v.deviation, "n": v.count}
            | {"unit": PARAMETERS[name].unit, "definition": PARAMETERS[name].definition}
            for name, sides in self.parameters.items()
            for side, v in sides.items()
        ]
        return pd.DataFrame(rows).set_index(["parameter", "side"])

    def save(self, path: str | Path) -> Path:
        """Write the analysis: .html, .png, .svg, .pdf, .csv, .xlsx, .json, .nc (xarray), or a motion file for other
        programs (.c3d, .mot, .sto, .trc)."""
        from footfall.study.gait_lab.tables import save_analyses

        return save_analyses([self], path)


RATE = 200.0
NOTHING_WHOLE = (
    "no gait cycle is left whose contact with the platforms was measured whole: means and peaks of forces, moments and "
    "powers are absent"
)
OUT_OF_PLANE = ("obliquity", "rotation", "adduction", "abduction_moment", "foot_progression", "aside")
"""Endings of the curves that a planar figure does not have."""


def analyse(
    walk: str | Path | Motion | Trace | Controller,
    *,
    norms: str | Path | None = None,
    name: str = "",
    seconds: float = 15.0,
    engine: str = "native",
    mass: float | None = None,
    age: float = 30.0,
    sex: str = "",
    forces: str = "measured",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Analysis:
    """Analyse a walk: gait events, parameters, angles, moments, powers, ground forces, and how like people's they are.

    Args:
        walk: a controller (its name, its file or itself), which is simulated; a motion file; a motion; or a recorded
            trace, of its first world (record ``grf`` and ``moment`` for forces).
        norms: a folder with people's tables (see :mod:`footfall.study.measures.people`); None for no comparison.
        name: of the walk in the report; by default its own.
        seconds: for which a controller is simulated.
        engine: that simulates it, "native" or "mujoco".
        mass: of a captured person, kilograms; by default what the file says, else unknown.
        age, sex: of the people to compare parameters with; "" for both sexes.
        forces: of the ground: "measured", or "simulated": from motion alone (:mod:`.simulated_forces`).
        progress: called with the simulated time.
        options: of the simulation (``terrain``, ``set``, ``pushes``, ``dt`` …), or of the file's reader (``unit``,
            ``up``).
    """
    check_forces(walk, forces, captured=isinstance(walk, Motion) or _is_file(walk))
    motion, own = _motion_of(walk, seconds, engine, progress, options)
    motion = with_rest(motion)
    asked: dict[str, Any] = {"name": name or own, "norms": norms, "age": age, "sex": sex}
    if forces == "measured":
        return analyse_motion(motion, mass=mass, **asked)
    measured = analyse_motion(motion, mass=mass, **asked) if {"plate_force", "grf"} & motion.channels.keys() else None
    motion, kilograms = with_simulated_forces(motion, _mass(motion, mass) if measured is None else measured.mass)
    found = analyse_motion(motion, mass=kilograms, **asked)
    return found if measured is None else replace(found, force_errors=force_errors(found, measured))


def _is_file(walk: Any) -> bool:
    return isinstance(walk, str | Path) and Path(walk).suffix.lower() in readable_suffixes()


def _motion_of(
    walk: Any, seconds: float, engine: str, progress: Callable[[float], None] | None, options: Mapping[str, Any]
) -> tuple[Motion, str]:
    if isinstance(walk, Motion):
        return walk, walk.figure or str(walk.source.get("file", "")) or "motion"
    if isinstance(walk, Trace):
        return walk.motion(), str(walk.source.get("controller", "trace"))
    if _is_file(walk):
        return load_motion(walk, **options), Path(walk).stem
    trace = simulated_walk(walk, seconds, engine=engine, progress=progress, **options)
    return trace.motion(), str(trace.source.get("controller", walk))


def simulated_walk(
    controller: str | Path | Controller,
    seconds: float,
    *,
    engine: str = "native",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Trace:
    """One world of a controller with everything recorded, 200 times a second, until it falls."""
    kinds: dict[str, type[Simulation]] = {"native": Simulation, "mujoco": MujocoSimulation}
    if engine not in kinds:
        raise FootfallError(f"engine is '{engine}'; choose 'native' or 'mujoco'")
    record = Record(rate=RATE, fields=(*FIELDS, *FORCES), worlds=1)
    simulation = kinds[engine](controller, record=record, **options)
    outcome = simulation.run(seconds, progress)
    trace = simulation.trace()
    if not outcome.survived[0]:
        note = f"it fell after {float(outcome.end_time[0]):.1f} s; the analysis is of the time before"
        return replace(trace, source={**trace.source, "notes": [note]})
    return trace


def analyse_motion(
    motion: Motion,
    *,
    name: str,
    norms: str | Path | None = None,
    mass: float | None = None,
    age: float = 30.0,
    sex: str = "",
) -> Analysis:
    """Analyse a motion; arguments as :func:`analyse` takes them."""
    feet = soles(motion.skeleton)
    if len(feet) < 2:
        missing = "right" if "left" in feet else "left"
        raise FootfallError(
            f"{name}: it has no {missing} foot, and a gait cycle needs two; name the joint of its ankle in a map file"
        )
    notes: list[str] = []
    events, differences = best_events(motion)
    every = find_cycles(events)
    if not every:
        counts = ", ".join(f"{len(events.strikes.get(side, ()))} of the {side}" for side in ("left", "right"))
        raise FootfallError(
            f"{name}: there is no whole gait cycle (a foot's strike, its off and its next strike) in its "
            f"{motion.seconds:.2f} s; foot strikes found: {counts}"
        )
    cycles, cut = settled(every)
    if not cut:
        count = "one cycle is" if len(cycles) == 1 else f"{len(cycles)} cycles are"
        notes.append(f"{count} too few to leave out the first and the last")
    notes += [f"there is no whole cycle of the {s} foot" for s in feet if not any(c.side == s for c in cycles)]
    steadiness = measure_steadiness(motion, cycles)
    cycles, unsteady = steady_cycles(cycles, steadiness)
    notes += unsteady
    forces, contacts = foot_forces(motion, events), plate_contacts(motion, events)
    whole = without_parts(forces, contacts, motion.times)
    notes += contact_notes(contacts)
    kilograms = _mass(motion, mass)
    if not kilograms and forces:
        kilograms, said = _weighed(motion, forces, whole, events)
        notes += said
    gravity = Figure.load(motion.figure_xml).gravity if motion.figure_xml else GRAVITY
    angles = body_angles(motion)
    kinetics = _kinetics(motion, angles, forces, kilograms, notes)
    parameters = gait_parameters(motion, events, cycles)
    leg = leg_length(motion.skeleton)
    captured = len(forces) == 2 and "plate_force" in motion.channels and kilograms > 0
    closures = single_support_closures(motion, forces, events, kilograms, leg) if captured else []
    notes += closure_notes(closures, kilograms)
    signals = _signals(motion, angles, forces, kinetics, kilograms * gravity)
    if _is_planar(motion):
        notes.append("it moves in a plane: measures across the plane, such as step width, have no meaning")
        signals = {name: values for name, values in signals.items() if not name.endswith(OUT_OF_PLANE)}
    analysis_notes, fits = _what_kind(motion, cycles, parameters["speed"]["both"].mean)
    curves = _curves(_counted(signals, whole), motion.times, cycles)
    if any(contact.fault for contact in contacts) and "grf_vertical" not in curves:
        notes.append(NOTHING_WHOLE)
    notes += [] if animal_warning(motion) else limit_notes(curves, simulated=bool(motion.figure_xml))
    people = Norms(norms, parameters["speed"]["both"].mean, leg, age=age, sex=sex) if norms is not None else None
    if people is not None and not fits:
        notes.append("people's tables are of walking, so they are not set beside it")
        people = None
    return Analysis(
        name=name,
        motion=motion,
        mass=kilograms,
        leg=leg,
        events=events,
        differences=differences,
        cycles=tuple(cycles),
        left_out=cut,
        steadiness=steadiness,
        parameters=parameters,
        measures=measure_balance(
            balanced_strides(motion, cycles, *_counted_power(kinetics, whole), kilograms, gravity)
        ),
        curves=curves,
        signals=signals,
        pressure=pressure_paths(motion, whole, cycles),
        closures=tuple(closures),
        contacts=contacts,
        leg_clearance=leg_clearance(motion, events, cycles),
        kinetics=kinetics.source,
        energy=energy_balance(motion),
        norms=people,
        markers=motion.source.get("solved") == "Plug-in Gait",
        notes=(*analysis_notes, *notes, *(str(n) for n in motion.source.get("notes", ()))),
    )


def _is_planar(motion: Motion) -> bool:
    """Whether all ankles stay in one vertical plane along x."""
    ankles = [sole.ankle for sole in soles(motion.skeleton).values()]
    return bool(np.ptp(motion.positions()[:, ankles, 1]) < 1e-9)


def _weighed(
    motion: Motion, forces: Mapping[str, FootForce], whole: Mapping[str, FootForce], events: GaitEvents
) -> tuple[float, list[str]]:
    """Kilograms by the platforms, of contacts that were measured whole where there are any, and a note; 0 without."""
    sure = weighed_mass(motion, whole, events)
    kilograms = sure or weighed_mass(motion, forces, events)
    step = "a step" if sure else "a step, with contacts that were measured only in part"
    return kilograms, [f"its mass, {kilograms:.1f} kg, is what the platforms carried over {step}"] if kilograms else []


def _mass(motion: Motion, given: float | None) -> float:
    if given is not None:
        if not given > 0:
            raise FootfallError(f"mass is {given:g}; it must be above 0 kg")
        return given
    if motion.skeleton.mass is not None and motion.skeleton.mass.sum() > 0:
        return float(motion.skeleton.mass.sum())
    return float(motion.source.get("mass", 0.0))


def _kinetics(
    motion: Motion, angles: Mapping[str, Array], forces: Mapping[str, FootForce], mass: float, notes: list[str]
) -> Kinetics:
    if motion.figure_xml and ("moment" in motion.channels or "torque" in motion.channels):
        found = figure_kinetics(Figure.load(motion.figure_xml), motion, angles, mass)
        if "moment" not in motion.channels:
            notes.append(
                "its joint moments are the torques that the law asked for: record 'moment' for those that acted"
            )
        if not forces:
            notes.append("it has no ground forces: record 'grf'")
        return found
    if not forces:
        notes.append("there are no ground forces in it, so no joint moments and powers")
        return Kinetics()
    if not mass:
        notes.append(
            "the person's mass is not known, so forces are in newtons and moments are left out: give it (mass)"
        )
        return Kinetics()
    return captured_kinetics(motion, forces, mass)


def _what_kind(motion: Motion, cycles: list[Cycle], speed: float) -> tuple[list[str], bool]:
    """Notes on what kind of gait it is, and whether people's tables of walking fit it."""
    notes, fits = [], True
    belt = np.linalg.norm(belt_velocity(motion), axis=-1)
    if belt.any():
        notes.append(
            f"it walks on the spot over ground that moves at {np.median(belt[belt > 0]):.2f} m/s (a treadmill, or its "
            "travel was taken out): lengths and speed are measured on the belt"
        )
    elif speed < IN_PLACE:
        notes.append(f"it steps in place ({speed:.2f} m/s): lengths along the walking direction mean little")
        fits = False
    if np.mean([cycle.runs for cycle in cycles]) > 0.5:
        notes.append("it runs (both feet are off the ground between steps): it has no double support")
        fits = False
    warning = animal_warning(motion)
    if warning:
        notes.append(warning)
        fits = False
    return notes, fits


def _signals(
    motion: Motion, angles: Mapping[str, Array], forces: Mapping[str, FootForce], kinetics: Kinetics, weight: float
) -> dict[str, Array]:
    """``left_knee_flexion`` [T] … in the units of the panels; forces in newtons where the weight is not known (0)."""
    signals = {name: np.degrees(_unwrapped(values)) for name, values in angles.items()}
    signals |= dict(kinetics.signals)
    ahead = progression(motion)
    for side, foot in forces.items():
        force = np.where(foot.known[:, None], low_pass(foot.force, motion.fps), np.nan) / (weight or 1.0)
        inwards = np.stack([ahead[:, 1], -ahead[:, 0]], axis=-1) * (1.0 if side == "left" else -1.0)
        signals[f"{side}_grf_vertical"] = force[:, 2]
        signals[f"{side}_grf_ahead"] = np.einsum("tk,tk->t", force[:, :2], ahead)
        signals[f"{side}_grf_aside"] = np.einsum("tk,tk->t", force[:, :2], inwards)
    return signals


def _counted(signals: Mapping[str, Array], whole: Mapping[str, FootForce]) -> dict[str, Array]:
    """Signals whose forces, moments and powers are not a number where a foot's force was not measured whole."""
    known = {f"{s}_{n}": whole[s].known for n, p in PANELS.items() if p.group != "angles" for s in whole}
    return {
        name: np.where(known[name], values, np.nan) if name in known else values for name, values in signals.items()
    }


def _counted_power(kinetics: Kinetics, whole: Mapping[str, FootForce]) -> tuple[Array, Array]:
    """[T] the powers that joints give and take, not a number where a foot's force was not measured whole."""
    if not len(kinetics.power) or not whole:
        return kinetics.power, kinetics.negative
    known = np.all([foot.known for foot in whole.values()], axis=0)
    return np.where(known, kinetics.power, np.nan), np.where(known, kinetics.negative, np.nan)


def _unwrapped(angle: Array) -> Array:
    """An angle [T] without jumps of whole turns, in the turn around zero."""
    smooth = np.unwrap(angle)
    return np.asarray(smooth - 2 * np.pi * np.round(np.median(smooth) / (2 * np.pi)))


def _curves(signals: Mapping[str, Array], times: Array, cycles: list[Cycle]) -> dict[str, dict[str, Array]]:
    """Panel -> side -> [cycles, 101], cycles in which it is known throughout."""
    found: dict[str, dict[str, Array]] = {}
    for name in PANELS:
        for side in ("left", "right"):
            signal = signals.get(f"{side}_{name}")
            if signal is None:
                continue
            rows = [over_cycle(signal, times, cycle) for cycle in cycles if cycle.side == side]
            kept = [row for row in rows if np.isfinite(row).all()]
            if kept:
                found.setdefault(name, {})[side] = np.array(kept)
    return found
