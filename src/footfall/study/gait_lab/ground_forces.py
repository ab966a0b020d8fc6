"""The ground's force on each foot, its centre of pressure and its free moment.

With F the sum of the forces on a foot and M their moment about the world's origin, the centre of pressure at the height
h is where the moment has no horizontal part:

    x = (h F_x - M_y) / F_z        y = (M_x + h F_y) / F_z        free moment = M_z - (x F_y - y F_x)

How well motion, masses and ground forces fit together: what the whole body's laws of motion leave unexplained.

    force residual = Σ F + m g - m c̈        moment residual = Σ (r - c) × F + T - L̇

with c the centre of mass and L the angular momentum about it (turns of a segment about its own length are left out). In
per cent of the body's weight, and of its weight times the leg's length; root mean squares over the times at
which the forces on both feet are known and at least one acts. A figure's simulation has no residual but rounding.

Which of a walk's gait events count: those of its contacts, of platforms, of its file, or of its feet's speed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.figures.inertia import GRAVITY
from footfall.motion.gait.angles import progression
from footfall.motion.gait.contact import LOADED, least_load, load_changes, motion_weight, recorded_loads
from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.motion import Motion
from footfall.motion.skeleton.landmarks import mass_points
from footfall.study.measures import cycles
from footfall.study.measures.cycles import Cycle, EventDifference, GaitEvents, centred, low_pass

Array = NDArray[np.float64]

DOWNWARD = np.array([0.0, 0.0, -GRAVITY])
"""The acceleration of gravity, m/s²."""

FARTHEST = 0.25
"""Metres from the middle of a sole to a centre of pressure that is its own."""
SLACK = 0.08
"""Seconds by which a stance may be longer than its time on a platform."""


SIDES = ("left", "right")
SIMULATED = ("foot_force", "foot_centre", "foot_twist", "foot_known")
"""Channels [T, 2, …] of a motion with the attributes of :class:`FootForce`, left and right."""


@dataclass(frozen=True, eq=False)
class FootForce:
    """What the ground does to a foot over time.

    Attributes:
        force: [T, 3] newtons, world axes.
        centre: [T, 3] of pressure; not a number where less than 20 N act.
        twist: [T] free moment about the vertical, newton metres.
        known: [T] whether the force is known then: a foot that stands beside a platform has an unknown one.
    """

    force: Array
    centre: Array
    twist: Array
    known: NDArray[np.bool_]


def foot_forces(motion: Motion, events: GaitEvents) -> dict[str, FootForce]:
    """Forces by side: found from motion alone (:mod:`.simulated_forces`), recorded by a simulation, or measured by
    force platforms; empty without any."""
    if SIMULATED[0] in motion.channels:
        force, centre, twist, known = (motion.channels[name] for name in SIMULATED)
        return {s: FootForce(force[:, k], centre[:, k], twist[:, k], known[:, k]) for k, s in enumerate(SIDES)}
    if "grf" in motion.channels and motion.channels["grf"].ndim == 3:
        return _recorded(motion)
    if "plate_force" in motion.channels:
        return _measured(motion, events)
    return {}


def pressure_centre(force: Array, moment: Array, height: Array | float) -> tuple[Array, Array]:
    """Centre of pressure [T, 3] at a height and free moment [T] of forces [T, 3] with moments [T, 3] about the
    origin."""
    loaded = force[:, 2] > LOADED
    fz = np.where(loaded, force[:, 2], np.nan)
    x = (height * force[:, 0] - moment[:, 1]) / fz
    y = (moment[:, 0] + height * force[:, 1]) / fz
    twist = moment[:, 2] - (x * force[:, 1] - y * force[:, 0])
    z = np.where(loaded, height, np.nan)
    return np.stack([x, y, z], axis=-1), np.where(loaded, twist, 0.0)


def _recorded(motion: Motion) -> dict[str, FootForce]:
    channel = motion.channels["grf"] if "mean_grf" not in motion.channels else centred(motion.channels["mean_grf"])
    grf, known = np.nan_to_num(channel), np.asarray(np.isfinite(channel).all(axis=(1, 2)))
    ends = [k for k, end in enumerate(motion.skeleton.ends) if end.contact]
    places = motion.end_positions()[:, ends]
    if grf.shape[1] != len(ends):
        return {}
    found = {}
    for side, sole in soles(motion.skeleton).items():
        own = [k for k, e in enumerate(ends) if motion.skeleton.ends[e].joint in sole.joints]
        force, moment = grf[:, own].sum(axis=1), np.cross(places[:, own], grf[:, own]).sum(axis=1)
        weight = np.abs(grf[:, own, 2]) + 1e-9
        height = (weight * places[:, own, 2]).sum(axis=1) / weight.sum(axis=1)
        centre, twist = pressure_centre(force, moment, height)
        found[side] = FootForce(force, centre, twist, known)
    return found


def load_events(motion: Motion) -> GaitEvents | None:
    """Events by the vertical forces on the feet that a simulation recorded; None without any."""
    means, least = "mean_grf" in motion.channels, least_load(motion_weight(motion))
    loads = recorded_loads(motion, "mean_grf" if means else "grf")
    if not loads:
        return None
    changes = {side: load_changes(force, motion.times, least, means=means) for side, force in loads.items()}
    strikes, offs = ({side: found[k] for side, found in changes.items()} for k in (0, 1))
    return GaitEvents(strikes, offs, f"forces of the ground above {least:.3g} N")


def feet_on_plates(motion: Motion) -> dict[int, str]:
    """Number of a contact with a platform -> the side whose foot made it, where one foot is near enough."""
    rows = motion.source.get("plate_contacts") or []
    force, moment = motion.channels["plate_force"], motion.channels["plate_moment"]
    middles = {side: sole_positions(motion, sole).mean(axis=1) for side, sole in soles(motion.skeleton).items()}
    found = {}
    for number, (plate, on, off) in enumerate(rows):
        within = (motion.times >= on) & (motion.times <= off) & (force[:, int(plate), 2] > 5 * LOADED)
        if not within.any():
            continue
        centre, _ = pressure_centre(force[within, int(plate)], moment[within, int(plate)], 0.0)
        away = {
            side: float(np.median(np.hypot(*(centre - middle[within])[:, :2].T))) for side, middle in middles.items()
        }
        nearest = min(away, key=lambda side: away[side])
        if away[nearest] < FARTHEST:
            found[number] = nearest
    return found


def _measured(motion: Motion, events: GaitEvents) -> dict[str, FootForce]:
    rows = motion.source.get("plate_contacts") or []
    times = motion.times
    owners = feet_on_plates(motion)
    found = {}
    for side in soles(motion.skeleton):
        force, moment = np.zeros((len(times), 3)), np.zeros((len(times), 3))
        covered = np.zeros(len(times), dtype=bool)
        for number, owner in owners.items():
            if owner != side:
                continue
            plate, on, off = int(rows[number][0]), rows[number][1], rows[number][2]
            within = (times >= on) & (times <= off)
            force[within] += motion.channels["plate_force"][within, plate]
            moment[within] += motion.channels["plate_moment"][within, plate]
            covered |= (times >= on - SLACK) & (times <= off + SLACK)
        centre, twist = pressure_centre(force, moment, 0.0)
        found[side] = FootForce(force, centre, twist, covered | ~foot_stands(events, side, times))
    return found if any(f.force.any() for f in found.values()) else {}


def weighed_mass(motion: Motion, forces: Mapping[str, FootForce], events: GaitEvents) -> float:
    """Kilograms of a walker over platforms: the mean vertical force of a step, from one foot's strike to the other's,
    during which both feet's forces are known, over gravity; 0 where there is none. (Over a step of steady walking the
    centre of mass gains no height.)"""
    strikes = sorted((t, side) for side, times in events.strikes.items() for t in times)
    found = []
    for (a, first), (b, second) in pairwise(strikes):
        inside = (motion.times >= a) & (motion.times <= b)
        if first != second and inside.any() and all(f.known[inside].all() for f in forces.values()):
            found.append(float(sum(f.force[inside, 2].mean() for f in forces.values())))
    return float(np.mean(found)) / GRAVITY if found and len(forces) == 2 else 0.0


def foot_stands(events: GaitEvents, side: str, times: Array, late: float = 0.02) -> NDArray[np.bool_]:
    """[T] whether a foot stands, by its events; 20 ms after a strike, so that a cycle's end belongs to its swing."""
    strikes: Mapping[str, Array] = events.strikes
    rows = [(t + late, True) for t in strikes.get(side, ())] + [(t, False) for t in events.offs.get(side, ())]
    rows.sort()
    stands = np.zeros(len(times), dtype=bool)
    if not rows:
        return ~stands
    stands[times < rows[0][0]] = not rows[0][1]
    for k, (time, down) in enumerate(rows):
        later = rows[k + 1][0] if k + 1 < len(rows) else np.inf
        stands[(times >= time) & (times < later)] = down
    return stands


WHOLE_BODY = 6.0
"""Hz, of the filter that a whole body's path goes through before it is differentiated twice."""
SUPPORT_EDGE = 0.05
"""Seconds at the ends of a recording in which no second derivative is trusted."""
OTHER_MASS = 0.05
"""Share by which the mass that the forces fit may differ from the person's without a word."""
BESIDE, SHORTEST = 0.03, 0.1
"""Seconds next to the other foot's events that are left out of a single support, and the shortest that counts."""


@dataclass(frozen=True, eq=False)
class Closure:
    """Residuals of captured motion over platforms.

    Attributes:
        force: [3] per cent of the weight, root mean square: ahead, aside and up.
        moment: [3] per cent of weight times leg length, about the same axes.
        seconds: over which they were taken.
        mass: kilograms of the body that the vertical forces fit best: their impulse over that of g and the centre of
            mass's acceleration.
        times: [n] of the frames that count.
    """

    force: Array
    moment: Array
    seconds: float
    mass: float
    times: Array


def whole_body_loads(motion: Motion, mass: float) -> tuple[Array, Array, Array]:
    """What the laws of motion of a whole body of some kilograms ask of the ground: its centre of mass c, the force
    m (c̈ - g) and the moment L̇ about c, all [T, 3]. Paths go through a low-pass filter at 6 Hz before."""
    centres, shares = mass_points(motion)
    centres = low_pass(centres, motion.fps, WHOLE_BODY)
    shares = shares / shares.sum() * mass
    com = np.einsum("tjk,j->tk", centres, shares) / mass
    velocity = np.gradient(com, motion.times, axis=0)
    acceleration = np.gradient(velocity, motion.times, axis=0)
    away = centres - com[:, None]
    momentum = np.einsum("tjk,j->tk", np.cross(away, np.gradient(away, motion.times, axis=0)), shares)
    return com, mass * (acceleration - DOWNWARD), np.gradient(momentum, motion.times, axis=0)


def captured_closure(
    motion: Motion,
    forces: Mapping[str, FootForce],
    mass: float,
    leg: float,
    between: tuple[float, float] = (-np.inf, np.inf),
) -> Closure | None:
    """Residuals; None where the forces on both feet are never known together.

    Args:
        motion: captured.
        forces: on both feet.
        mass: kilograms.
        leg: metres.
        between: seconds to look at.
    """
    times, rate = motion.times, motion.fps
    known = np.all([f.known for f in forces.values()], axis=0) & (sum(f.force[:, 2] for f in forces.values()) > 20.0)
    known &= (times > max(SUPPORT_EDGE, between[0])) & (times < min(times[-1] - SUPPORT_EDGE, between[1]))
    if len(forces) < 2 or not known.any():
        return None
    com, pushed, spun = whole_body_loads(motion, mass)
    total, about = np.zeros((len(times), 3)), np.zeros((len(times), 3))
    for foot in forces.values():
        on = np.asarray(np.isfinite(foot.centre).all(axis=-1))
        arm = np.where(on[:, None], foot.centre - com, 0.0)
        total += foot.force
        about += np.cross(arm, foot.force)
        about[:, 2] += np.where(on, foot.twist, 0.0)
    smooth = low_pass(total, rate, WHOLE_BODY)
    ahead = progression(motion)
    force = _along(smooth - pushed, ahead)
    moment = _along(low_pass(about, rate, WHOLE_BODY) - spun, ahead)
    weight = GRAVITY * mass
    return Closure(
        100.0 * np.sqrt((force[known] ** 2).mean(axis=0)) / weight,
        100.0 * np.sqrt((moment[known] ** 2).mean(axis=0)) / (weight * leg),
        float(known.sum() / rate),
        float(smooth[known, 2].sum() / pushed[known, 2].sum()) * mass,
        times[known],
    )


def single_support_closures(
    motion: Motion, forces: Mapping[str, FootForce], events: GaitEvents, mass: float, leg: float
) -> list[tuple[str, Closure]]:
    """The side of the foot that stands alone, and the residuals meanwhile, for every single support with known forces;
    arguments as :func:`captured_closure` takes them."""
    found = []
    for side, other in (("left", "right"), ("right", "left")):
        for off in events.offs.get(other, ()):
            later = [t for t in events.strikes.get(other, ()) if t > off]
            if not later:
                continue
            closure = captured_closure(motion, forces, mass, leg, (off + BESIDE, min(later) - BESIDE))
            if closure is not None and closure.seconds >= SHORTEST and forces[side].force[:, 2].any():
                found.append((side, closure))
    return sorted(found, key=lambda row: float(row[1].times[0]))


def closure_notes(closures: Sequence[tuple[str, Closure]], mass: float) -> list[str]:
    """The residuals of single supports as text, and the mass that their forces fit where it is not ``mass``."""
    notes = []
    for side, closure in closures:
        ahead, aside, up = closure.force
        text = (
            f"closure, {side} foot alone, {closure.times[0]:.2f} to {closure.times[-1]:.2f} s: motion and platforms "
            f"differ by {ahead:.1f} % of the weight ahead, {aside:.1f} % aside, {up:.1f} % up, and in moments by "
            f"{closure.moment.max():.1f} % of weight times leg length"
        )
        if abs(closure.mass / mass - 1.0) > OTHER_MASS:
            text += f"; the vertical forces fit {closure.mass:.1f} kg, not {mass:.1f} kg"
        notes.append(text)
    return notes


def _along(vectors: Array, ahead: Array) -> Array:
    """[T, 3] vectors of the world's axes as ahead, aside (left) and up, with the direction of progression [T, 2]."""
    left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=-1)
    level = [np.einsum("tk,tk->t", vectors[:, :2], axis) for axis in (ahead, left)]
    return np.stack([*level, vectors[:, 2]], axis=-1)


def best_events(motion: Motion) -> tuple[GaitEvents, tuple[EventDifference, ...]]:
    """The events that count, and how other sources differ from the best one."""
    kinematic, contacts = cycles.kinematic_events(motion), load_events(motion) or cycles.contact_events(motion)
    if contacts is not None:
        return contacts, (cycles.compare_events(contacts, kinematic),)
    marked = cycles.file_events(motion)
    plates = cycles.plate_events(motion, feet_on_plates(motion)) if "plate_force" in motion.channels else None
    base = marked if marked is not None and cycles.find_cycles(marked) else kinematic
    found = [
        cycles.compare_events(plates, other)
        for other in (kinematic, marked)
        if plates is not None and other is not None
    ]
    if marked is not None:
        found.append(cycles.compare_events(marked, kinematic))
    return cycles.merged(base, plates), tuple(found)


def pressure_paths(motion: Motion, forces: Mapping[str, FootForce], rows: Sequence[Cycle]) -> dict[str, Array]:
    """Side -> [cycles, 101, 2] path of the centre of pressure from the ankle, metres along the foot and to its outer
    side; not a number in swing. Of the cycles in which the force is known throughout."""
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
        paths = []
        for cycle in rows:
            inside = (motion.times >= cycle.start) & (motion.times <= cycle.end)
            if cycle.side == side and foot.known[inside].all():
                row = cycles.over_cycle(path, motion.times, cycle)
                row[np.linspace(cycle.start, cycle.end, len(row)) > cycle.off] = np.nan
                paths.append(row)
        if paths:
            found[side] = np.array(paths)
    return found
