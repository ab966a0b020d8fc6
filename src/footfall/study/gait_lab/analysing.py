"""From a walk to its analysis: a controller is simulated with all that acts, a file is read, a trace is taken."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.editing.cutting import without_rest_frame
from footfall.motion.formats.files import load_motion, readable_suffixes
from footfall.motion.gait.animals import animal_warning
from footfall.motion.gait.body_angles import body_angles, progression
from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.gait.treadmill import belt_velocity
from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import leg_length
from footfall.simulation import MujocoSimulation, Record, Simulation, Trace
from footfall.simulation.trace import FIELDS, FORCES
from footfall.study.gait_lab.analysis import Analysis
from footfall.study.gait_lab.balance import balance_measures
from footfall.study.gait_lab.closure import closure_notes, single_support_closures
from footfall.study.gait_lab.cycles import Cycle, find_cycles, over_cycle, settled
from footfall.study.gait_lab.event_sources import best_events
from footfall.study.gait_lab.ground_forces import FootForce, beyond_plates, foot_forces, weighed_mass
from footfall.study.gait_lab.kinetics import Kinetics, captured_kinetics, figure_kinetics
from footfall.study.gait_lab.norms import GRAVITY, Norms
from footfall.study.gait_lab.panels import PANELS
from footfall.study.gait_lab.parameters import gait_parameters

Array = NDArray[np.float64]

RATE = 200.0
OUT_OF_PLANE = ("obliquity", "rotation", "adduction", "abduction_moment", "foot_progression", "aside")
"""Endings of the curves that a planar figure does not have."""
IN_PLACE = 0.2
"""m/s below which a walk is in place."""


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
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Analysis:
    """Analyse a walk: gait events, parameters, angles, moments, powers, ground forces, and how like people's they are.

    Args:
        walk: a controller (its name, its file or itself), which is simulated; a motion file; a motion; or a recorded
            trace, of its first world (record ``grf`` and ``moment`` for forces).
        norms: a folder with people's tables (see ``norms``); None for no comparison.
        name: of the walk in the report; by default its own.
        seconds: for which a controller is simulated.
        engine: that simulates it, "native" or "mujoco".
        mass: of a captured person, kilograms; by default what the file says, else unknown.
        age, sex: of the people to compare parameters with; "" for both sexes.
        progress: called with the simulated time.
        options: of the simulation (``terrain``, ``set``, ``pushes``, ``dt`` …), or of the file's reader (``unit``,
            ``up``).
    """
    motion, own = _motion_of(walk, seconds, engine, progress, options)
    return analyse_motion(without_rest_frame(motion), name=name or own, norms=norms, mass=mass, age=age, sex=sex)


def _motion_of(
    walk: Any, seconds: float, engine: str, progress: Callable[[float], None] | None, options: Mapping[str, Any]
) -> tuple[Motion, str]:
    if isinstance(walk, Motion):
        return walk, walk.figure or str(walk.source.get("file", "")) or "motion"
    if isinstance(walk, Trace):
        return walk.motion(), str(walk.source.get("controller", "trace"))
    if isinstance(walk, str | Path) and Path(walk).suffix.lower() in readable_suffixes():
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
    forces = foot_forces(motion, events)
    notes += beyond_plates(motion) if "plate_force" in motion.channels else []
    kilograms = _mass(motion, mass)
    if not kilograms and forces:
        kilograms = weighed_mass(motion, forces, events)
        notes += [f"its mass, {kilograms:.1f} kg, is what the platforms carried over a step"] if kilograms else []
    angles = body_angles(motion)
    kinetics = _kinetics(motion, angles, forces, kilograms, notes)
    parameters = gait_parameters(motion, events, cycles)
    leg = leg_length(motion.skeleton)
    captured = len(forces) == 2 and "plate_force" in motion.channels and kilograms > 0
    closures = single_support_closures(motion, forces, events, kilograms, leg) if captured else []
    notes += closure_notes(closures, kilograms)
    signals = _signals(motion, angles, forces, kinetics, kilograms)
    if _is_planar(motion):
        notes.append("it moves in a plane: what lies out of the plane, its step width too, means nothing")
        signals = {name: values for name, values in signals.items() if not name.endswith(OUT_OF_PLANE)}
    analysis_notes, fits = _what_kind(motion, cycles, parameters["speed"]["both"].mean)
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
        parameters=parameters,
        measures=balance_measures(motion, cycles, kinetics, kilograms),
        curves=_curves(signals, motion.times, cycles),
        signals=signals,
        pressure=_pressure(motion, forces, cycles),
        closures=tuple(closures),
        kinetics=kinetics.source,
        norms=people,
        markers=motion.source.get("solved") == "Plug-in Gait",
        notes=(*analysis_notes, *notes, *(str(n) for n in motion.source.get("notes", ()))),
    )


def _is_planar(motion: Motion) -> bool:
    """Whether all ankles stay in one vertical plane along x."""
    ankles = [sole.ankle for sole in soles(motion.skeleton).values()]
    return bool(np.ptp(motion.positions()[:, ankles, 1]) < 1e-9)


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
        notes.append(f"it steps in place ({speed:.2f} m/s): lengths along the way mean little")
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
    motion: Motion, angles: Mapping[str, Array], forces: Mapping[str, FootForce], kinetics: Kinetics, mass: float
) -> dict[str, Array]:
    """``left_knee_flexion`` [T] … in the units of the panels."""
    signals = {name: np.degrees(_unwrapped(values)) for name, values in angles.items()}
    signals |= dict(kinetics.signals)
    ahead = progression(motion)
    for side, foot in forces.items():
        weight = mass * GRAVITY if mass else 1.0
        force = np.where(foot.known[:, None], foot.force, np.nan) / weight
        inwards = np.stack([ahead[:, 1], -ahead[:, 0]], axis=-1) * (1.0 if side == "left" else -1.0)
        signals[f"{side}_grf_vertical"] = force[:, 2]
        signals[f"{side}_grf_ahead"] = np.einsum("tk,tk->t", force[:, :2], ahead)
        signals[f"{side}_grf_aside"] = np.einsum("tk,tk->t", force[:, :2], inwards)
    return signals


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


def _pressure(motion: Motion, forces: Mapping[str, FootForce], cycles: list[Cycle]) -> dict[str, Array]:
    found = {}
    for side, foot in forces.items():
        sole = soles(motion.skeleton)[side]
        points = sole_positions(motion, sole)
        ankle = motion.positions()[:, sole.ankle]
        along = (points[:, sole.toe].mean(axis=1) - points[:, sole.heel].mean(axis=1))[:, :2]
        along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
        out = np.stack([-along[:, 1], along[:, 0]], axis=-1) * (1.0 if side == "left" else -1.0)
        away = (foot.centre - ankle)[:, :2]
        path = np.stack([np.einsum("tk,tk->t", away, axis) for axis in (along, out)], axis=-1)
        rows = []
        for cycle in cycles:
            inside = (motion.times >= cycle.start) & (motion.times <= cycle.end)
            if cycle.side == side and foot.known[inside].all():
                row = over_cycle(path, motion.times, cycle)
                row[np.linspace(cycle.start, cycle.end, len(row)) > cycle.off] = np.nan
                rows.append(row)
        if rows:
            found[side] = np.array(rows)
    return found
