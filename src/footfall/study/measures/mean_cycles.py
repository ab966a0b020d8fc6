"""Mean cycles of walks, and the numbers by which gait people judge a walk.

The mean cycle of an analysed walk, and those of a thousand candidates of a search, are read by the same functions.
Curves have the names, units and signs of :data:`PANELS`. The angles of simulated walks are those of
:func:`body_angles`, of each world's mean pose over its cycle, which for a steady walk are the means of the angles;
forces and moments are there where the trace recorded ``grf``.

Roughness of a curve is what a stride's first ten harmonics leave of it, root mean square: people's moments have next to
nothing there (Winter's moments are filtered at 6 Hz, six harmonics of a stride of a second).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure, Side
from footfall.figures.side_names import SIDES
from footfall.motion import Motion
from footfall.motion.gait.angles import body_angles
from footfall.motion.gait.contact import least_load, load_changes
from footfall.motion.quaternion import multiply
from footfall.motion.skeleton.roles import find_roles
from footfall.simulation.trace import Trace
from footfall.study.measures.cycles import POINTS, Cycle, GaitEvents, centred, find_cycles, low_pass, settled
from footfall.study.measures.people import (
    PANELS,
    PEAKS,
    PROFILE,
    Band,
    double_hump,
    match,
    profile_score,
    variable_score,
    whole_percent,
)
from footfall.study.measures.strides import cost_of_transport

Array = NDArray[np.float64]

HARMONICS = 10


MATCHES: Mapping[str, str] = {
    f"match_{name}": name for name in PROFILE if name not in ("hip_rotation", "foot_progression")
}
"""Measure -> the angle whose match with people it is."""


@dataclass(frozen=True, eq=False)
class MeanCycle:
    """The mean cycle of a walk.

    Attributes:
        curves: panel -> [101] mean curve of all cycles.
        off: foot off, per cent of the cycle.
        duration: of a stride, seconds.
        transport: mechanical cost of transport.
        head: [101, 3] path of the head over the cycle, metres; empty where there is none.
        sides: side -> its own mean curves; empty where one cycle stands for both sides.
    """

    curves: Mapping[str, Array]
    off: float
    duration: float
    transport: float = float("nan")
    head: Array = field(default_factory=lambda: np.zeros((0, 3)))
    sides: Mapping[str, Mapping[str, Array]] = field(default_factory=dict)

    @property
    def foot_off(self) -> int:
        """The whole per cent at which the foot is off."""
        return whole_percent(self.off)


CycleReading = Callable[[MeanCycle, Mapping[str, Band]], float]
"""What is read from a mean cycle beside people's bands; not a number where the walk has no such curve."""


def of_curve(name: str, reading: Callable[[Array, int], float], sign: float = 1.0) -> CycleReading:
    """What a function reads from a curve and the whole per cent of its foot off, with a sign."""
    return lambda cycle, _: (
        sign * float(reading(cycle.curves[name], cycle.foot_off)) if name in cycle.curves else math.nan
    )


def read_peak(name: str, sign: float = 1.0) -> CycleReading:
    """One of Schwartz's numbers (:data:`PEAKS`), with its sign."""
    return of_curve(*PEAKS[name], sign)


def hump(which: Literal["first", "second", "dip"], part: int) -> CycleReading:
    """Of the vertical force: where a peak or the dip is, per cent (part 0), or how high (part 1)."""
    place = ("first", "second", "dip").index(which)
    return of_curve("grf_vertical", lambda force, off: double_hump(force, off)[place][part])


def head_acceleration(cycle: MeanCycle, _: Mapping[str, Band]) -> float:
    """m/s², root mean square of :func:`periodic_acceleration`."""
    if not len(cycle.head):
        return math.nan
    acceleration = periodic_acceleration(cycle.head, cycle.duration)
    return float(np.sqrt((acceleration**2).sum(axis=-1).mean()))


def one_match(angle: str) -> CycleReading:
    """Per cent, of an angle with people's band."""

    def read(cycle: MeanCycle, bands: Mapping[str, Band]) -> float:
        return match(cycle.curves[angle], bands[angle]) if angle in bands and angle in cycle.curves else math.nan

    return read


def mean_match(cycle: MeanCycle, bands: Mapping[str, Band]) -> float:
    """Per cent, of all angles that people have a band of."""
    known = [match(cycle.curves[c], bands[c]) for c in MATCHES.values() if c in bands and c in cycle.curves]
    return float(np.mean(known)) if known else math.nan


def variable_scores(cycle: MeanCycle, bands: Mapping[str, Band]) -> dict[str, dict[str, float]]:
    """Baker's variable -> side -> its Gait Variable Score, degrees, as far as there are bands."""
    sides = cycle.sides or dict.fromkeys(SIDES, cycle.curves)
    scores = {
        name: {side: variable_score(curves[name], bands[name]) for side, curves in sides.items() if name in curves}
        for name in PROFILE
        if name in bands
    }
    return {name: own for name, own in scores.items() if own}


def overall_profile(cycle: MeanCycle, bands: Mapping[str, Band]) -> float:
    """Gait Profile Score, degrees, of both sides."""
    return profile_score(variable_scores(cycle, bands)).get("overall", math.nan)


def roughness(curve: Array) -> float:
    """What the first ten harmonics of the stride leave of a curve [101], root mean square, in its unit."""
    waves = np.fft.rfft(curve[:-1])
    waves[: HARMONICS + 1] = 0.0
    return float(np.sqrt((np.fft.irfft(waves, len(curve) - 1) ** 2).mean()))


def periodic_acceleration(path: Array, duration: float) -> Array:
    """[100, 3] accelerations along a path [101, 3] over a stride, of its first ten harmonics."""
    steps = len(path) - 1
    periodic = path[:-1] - np.outer(np.arange(steps) / steps, path[-1] - path[0])
    waves = np.fft.rfft(periodic, axis=0)
    number = np.arange(len(waves))[:, None]
    waves = np.where(number <= HARMONICS, -((2.0 * np.pi * number / duration) ** 2) * waves, 0.0)
    return np.asarray(np.fft.irfft(waves, steps, axis=0))


ANGLE_OF = {"hip": "hip_flexion", "knee": "knee_flexion", "ankle": "ankle_dorsiflexion"}
MOMENTS = {"hip": "hip_extension_moment", "knee": "knee_extension_moment", "ankle": "ankle_plantarflexion_moment"}

LOOKED_AT = 8
"""Mean cycles by which it is found which degree of freedom turns which angle."""


@dataclass(frozen=True, eq=False)
class _Place:
    """The samples that one side's mean cycle in one world is made of."""

    world: int
    side: Side
    cycles: Sequence[Cycle]
    at: Array

    def mean(self, values: Array) -> Array:
        """[101, …] the mean over the cycles of a world's samples [S, …]."""
        low = np.clip(self.at.astype(int), 0, len(values) - 2)
        part = (self.at - low).reshape(*self.at.shape, *[1] * (values.ndim - 1))
        return np.asarray(((1.0 - part) * values[low] + part * values[low + 1]).mean(axis=0))


def mean_cycles(
    trace: Trace, worlds: Iterable[int], *, settle: float = 0.0, sides: Sequence[Side] = SIDES
) -> dict[int, MeanCycle]:
    """World -> its mean cycle after ``settle`` seconds, over these sides, where it has a whole cycle."""
    figure = trace.figure
    if figure.root != "free" or not figure.legs:
        return {}
    first = int(np.searchsorted(trace.times, settle))
    times, qpos = trace.times[first:], trace.qpos[first:]
    places = [place for w in worlds for place in _places(trace, first, int(w), sides)]
    if not places:
        return {}
    poses, ways = _mean_poses(qpos, times, places)
    motion = Motion.from_qpos(figure, np.arange(poses.shape[0] * POINTS) / 100.0, poses.reshape(-1, poses.shape[-1]))
    ahead = np.tile([1.0, 0.0], (len(motion), 1))
    angles = {name: values.reshape(-1, POINTS) for name, values in body_angles(motion, ahead).items()}
    roles = find_roles(motion.skeleton)
    head = motion.positions()[:, roles["head"]].reshape(-1, POINTS, 3) if "head" in roles else None
    forces = _Forces.of(trace, first, places, angles) if trace.grf.size else None
    found: dict[int, dict[str, MeanCycle]] = {}
    for k, place in enumerate(places):
        curves = {}
        for name in PANELS:
            if f"{place.side}_{name}" in angles:
                curves[name] = np.degrees(angles[f"{place.side}_{name}"][k])
        if forces is not None:
            curves |= forces.curves(place, ways[k])
        cycles, stride = place.cycles, poses[k, -1, 0] - poses[k, 0, 0]
        found.setdefault(place.world, {})[place.side] = MeanCycle(
            curves,
            float(np.mean([c.percent(c.off) for c in cycles])),
            float(np.mean([c.duration for c in cycles])),
            cost_of_transport(forces.work(place) if forces is not None else math.nan, stride, figure.gravity),
            head[k] if head is not None else np.zeros((0, 3)),
        )
    return {world: _both(cycles) for world, cycles in found.items()}


def _both(found: Mapping[str, MeanCycle]) -> MeanCycle:
    """The mean of a world's sides."""
    cycles = list(found.values())
    if len(cycles) == 1:
        return cycles[0]
    sides = {side: cycle.curves for side, cycle in found.items()}
    curves = {name: np.mean([c.curves[name] for c in cycles], axis=0) for name in cycles[0].curves}
    off, duration, transport = np.mean([[c.off, c.duration, c.transport] for c in cycles], axis=0)
    return MeanCycle(curves, float(off), float(duration), float(transport), cycles[0].head, sides)


def _places(trace: Trace, first: int, world: int, sides: Sequence[Side]) -> list[_Place]:
    last = int(trace.last[world])
    times = trace.times[first:last]
    if len(times) < 3:
        return []
    names = [p.name for p in trace.figure.points if p.ground]
    loads = trace.mean_grf if trace.mean_grf.size else trace.grf
    least = least_load(trace.figure.gravity * float(trace.figure.model.body_mass.sum()))
    strikes: dict[str, Array] = {}
    offs: dict[str, Array] = {}
    for side in SIDES:
        sole = [names.index(name) for name in trace.figure.legs[side].sole]
        if loads.size:
            vertical = np.nan_to_num(loads[first:last, world][:, sole, 2].sum(axis=-1))
            strikes[side], offs[side] = load_changes(vertical, times, least, means=loads is trace.mean_grf)
            continue
        touches = np.asarray(trace.contact[first:last, world][:, sole].any(axis=-1))
        strikes[side], offs[side] = load_changes(touches.astype(float), times, 0.5, means=False)
    kept, _ = settled(find_cycles(GaitEvents(strikes, offs)))
    step = float(times[1] - times[0])
    found = []
    for side in sides:
        own = [c for c in kept if c.side == side]
        if own:
            at = np.array([(np.linspace(c.start, c.end, POINTS) - times[0]) / step for c in own])
            found.append(_Place(world, side, own, at))
    return found


def _mean_poses(qpos: Array, times: Array, places: Sequence[_Place]) -> tuple[Array, Array]:
    """[N, 101, nq] mean poses, travelling along x from the origin, and [N, 2] the ways that they travelled."""
    poses, ways = [], []
    for place in places:
        own = qpos[:, place.world]
        way = np.zeros(2)
        for cycle in place.cycles:
            way += [np.diff(np.interp([cycle.start, cycle.end], times, own[:, k]))[0] for k in (0, 1)]
        length = float(np.hypot(*way))
        unit = way / length if length > 1e-6 else np.array([1.0, 0.0])
        pose = place.mean(own)
        turned = np.array([[unit[0], unit[1]], [-unit[1], unit[0]]])
        pose[:, :2] = (pose[:, :2] - pose[0, :2]) @ turned.T
        half = -0.5 * np.arctan2(unit[1], unit[0])
        pose[:, 3:7] = multiply(np.array([np.cos(half), 0.0, 0.0, np.sin(half)]), pose[:, 3:7])
        pose[:, 3:7] /= np.linalg.norm(pose[:, 3:7], axis=-1, keepdims=True)
        poses.append(pose)
        ways.append(unit)
    return np.array(poses), np.array(ways)


@dataclass(frozen=True, eq=False)
class _Forces:
    """What acted in a trace.

    Attributes:
        feet: side -> [S, W, 3] the ground's force, body weights.
        moments: curve -> ([S, W] N m/kg), by side and name. powers: the same in W/kg.
        gained: [S, W] J/kg that joints gave since the first sample, summed joint by joint.
        period: seconds between samples.
    """

    feet: Mapping[str, Array]
    signals: Mapping[str, Array]
    gained: Array
    period: float

    @staticmethod
    def of(trace: Trace, first: int, places: Sequence[_Place], angles: Mapping[str, Array]) -> "_Forces":
        figure, mass = trace.figure, float(trace.figure.model.body_mass.sum())
        names = [p.name for p in figure.points if p.ground]
        period = float(trace.times[1] - trace.times[0])
        grf, moment = (_smooth(trace, name, first, 1.0 / period) for name in ("grf", "moment"))
        qvel = low_pass(np.nan_to_num(trace.qvel[first:]), 1.0 / period)
        feet: dict[str, Array] = {}
        for side in SIDES:
            sole = [names.index(name) for name in figure.legs[side].sole]
            feet[side] = grf[:, :, sole].sum(axis=2) / (mass * figure.gravity)
        power = moment[..., 6:] * qvel[..., 6:] / mass
        given = np.maximum(power, 0.0).sum(axis=-1)
        gained = (
            np.concatenate([np.zeros((1, given.shape[1])), np.cumsum(0.5 * (given[1:] + given[:-1]), axis=0)]) * period
        )
        some = places[:LOOKED_AT]
        turning = {
            name: np.concatenate([np.gradient(turns[k]) for k in range(len(some))]) for name, turns in angles.items()
        }
        rates = np.concatenate([place.mean(qvel[:, place.world]) for place in some])
        signals = leg_signals(figure, moment, qvel, mass, rates, turning)
        return _Forces(feet, signals, gained, period)

    def curves(self, place: _Place, way: Array) -> dict[str, Array]:
        """Panel -> [101] of a place, which travels along ``way`` [2]."""
        force = place.mean(self.feet[place.side][:, place.world])
        inwards = np.array([way[1], -way[0]]) * (1.0 if place.side == "left" else -1.0)
        found = {"grf_vertical": force[:, 2], "grf_ahead": force[:, :2] @ way, "grf_aside": force[:, :2] @ inwards}
        for name in PANELS:
            if f"{place.side}_{name}" in self.signals:
                found[name] = place.mean(self.signals[f"{place.side}_{name}"][:, place.world])
        return found

    def work(self, place: _Place) -> float:
        """J/kg of positive work a stride."""
        gained = self.gained[:, place.world]
        at = np.arange(len(gained))
        return float(np.mean(np.interp(place.at[:, -1], at, gained) - np.interp(place.at[:, 0], at, gained)))


def _smooth(trace: Trace, name: str, first: int, rate: float) -> Array:
    """[S, W, …] what acted from a sample on, through the filter; its means between samples where they were recorded."""
    means = getattr(trace, f"mean_{name}")
    values = centred(means) if means.size else getattr(trace, name)
    return low_pass(np.nan_to_num(values[first:]), rate)


def leg_signals(
    figure: Figure, moment: Array, qvel: Array, mass: float, rates: Array, turning: Mapping[str, Array]
) -> dict[str, Array]:
    """``left_knee_power`` [...] W/kg, ``left_knee_extension_moment`` [...] N m/kg … of hips, knees and ankles.

    Args:
        figure: that moves.
        moment, qvel: [..., nv] newton metres and rad/s.
        mass: kilograms.
        rates: [T, nv] of some of its motion, and turning: ``left_knee_flexion`` … -> the rate [T] of an angle then, by
            which it is found which degree of freedom turns which angle.
    """
    found: dict[str, Array] = {}
    for side in SIDES:
        leg = figure.legs[side]
        for joint, names in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle)):
            dofs = [d for j in map(figure.joint, names) for d in range(j.dof, j.dof + j.ndof)]
            if not dofs:
                continue
            found[f"{side}_{joint}_power"] = (moment[..., dofs] * qvel[..., dofs] / mass).sum(axis=-1)
            for name, dof, sign in leading_dofs(side, joint, dofs, rates[:, dofs], turning):
                found[f"{side}_{name}"] = -sign * moment[..., dof] / mass
    return found


def leading_dofs(
    side: str, joint: str, dofs: Sequence[int], rates: Array, turning: Mapping[str, Array]
) -> list[tuple[str, int, float]]:
    """Moment, degree of freedom and sign of each angle that some degree of freedom of a joint follows, so that hinges
    may be in any order and of any sign.

    Args:
        side, joint: "left" or "right"; "hip", "knee" or "ankle".
        dofs: [K] its degrees of freedom.
        rates: [T, K] their rates.
        turning: ``left_knee_flexion`` … -> the rate [T] of an angle.
    """
    wanted = [(ANGLE_OF[joint], MOMENTS[joint])]
    if joint == "hip":
        wanted.append(("hip_adduction", "hip_abduction_moment"))
    found, left = [], list(range(len(dofs)))
    for angle, name in wanted:
        best = following(rates[:, left], turning.get(f"{side}_{angle}"))
        if best is not None:
            found.append((name, dofs[left[best[0]]], best[1]))
            left.pop(best[0])
    return found


def following(rates: Array, wanted: Array | None) -> tuple[int, float] | None:
    """The column of ``rates`` [T, K] that follows a rate [T] best, and its sign; None where none does."""
    if wanted is None or not rates.shape[1] or np.ptp(wanted) < 1e-6:
        return None
    scores = []
    for column in rates.T:
        size = float(np.linalg.norm(column) * np.linalg.norm(wanted))
        scores.append(float(column @ wanted) / size if size > 1e-9 else 0.0)
    best = int(np.argmax(np.abs(scores)))
    return (best, float(np.sign(scores[best]))) if abs(scores[best]) > 0.3 else None
