"""Measures of 3D gaits, for many candidates at once: speed, steps, support, width, posture, likeness to people.

Joint angles of the left leg over its stride, from foot strike to foot strike, are compared with people's (hip, knee and
ankle in degrees, 51 samples a cycle), the hip's without its mean, since a pelvis has no agreed zero.
"""

import csv
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure, Side
from footfall.figures.places import LegRoom
from footfall.methods.limit_cycle.regulation import Posture
from footfall.motion.gait.measures import FootPlace, mean_step_width
from footfall.simulation.trace import Trace
from footfall.study.measures.cycle_measures import WALK_MEASURES, walk_measures
from footfall.study.measures.mean_cycles import mean_cycles
from footfall.study.measures.people import Norms

Array = NDArray[np.float64]

OWN_MEASURES = (
    "speed",
    "side_speed",
    "step_time",
    "double_support",
    "flight",
    "step_width",
    "spread",
    "lean",
    "knee_at_strike",
    "drift",
    "limp",
    "shake",
    "likeness",
    "hip_error",
    "knee_error",
    "ankle_error",
    "effort",
    "height",
    "turn",
    "lift",
    "apart",
    "overlap",
    "sway",
    "hop_rate",
    "skips",
    "bounce",
    "heave",
)
"""speed: m/s along the heading. side_speed: m/s to its left. step_time: s. double_support, flight: shares of the time.
step_width: m, of the ankles across the line of progression at foot strikes (footfall.motion.gait.measures). spread: m
between the middles of the standing feet in turn, across the pelvis's heading; goals were found with it (docs:
gait-analysis.md). lean: rad, of the pelvis, forward. knee_at_strike: rad of flexion. drift: m/s to
the side that nobody asked for. limp: by how much left and right steps differ in time. shake: joint accelerations, root
mean square, 100 rad/s². likeness: degrees, the mean of the three errors. effort: mean summed squared torque, 1e4 N² m².
height: m, of the pelvis. turn: rad/s of heading. lift: m, of the other foot in the middle of a step. apart: rad, by
which left and right leg differ, root mean square. overlap: m, by which the limbs of one leg are inside the other's
while it swings past, mean over steps. sway: m/s of the pelvis, root mean square. hop_rate: flights a
second. skips: the share of steps in which the stance foot leaves the ground and comes down again. bounce: m, by which
the pelvis is higher when a foot lands than in the middle of a step: above 0 in runs, below in walks. heave: m, by which
the pelvis goes up and down in a step."""

MEASURES = (*OWN_MEASURES, *WALK_MEASURES)
"""All that goals may name: these, and those by which gait people judge a walk."""

JOINTS = {"hip": ("hip_flexion", 1.0), "knee": ("knee_flexion", -1.0), "ankle": ("ankle_dorsiflexion", 1.0)}
"""Role -> the people's column and the sign of the figure's angle."""

LIKENESS = ("likeness", *(f"{joint}_error" for joint in JOINTS))
"""Measures that compare with people's joint angles at the goal's ``people_speed``."""

PEOPLE_SPEEDS = {"very_slow": 0.51, "slow": 0.86, "free": 1.28, "fast": 1.66, "very_fast": 2.06}
"""The groups' mean speeds, m/s: 0.172, 0.290, 0.429, 0.560 and 0.694 sqrt(g L) for a leg of L = 0.9 m."""

SAMPLES = 51
SIDES: tuple[Side, ...] = ("left", "right")


def read_people(folder: str | Path, speed: float = 1.28) -> dict[str, Array]:
    """[51] mean joint angles over the gait cycle of people who walk at ``speed``, degrees, from a folder's
    schwartz2008_joint_angles.csv: between the two groups whose speeds are next to it."""
    path = Path(folder) / "schwartz2008_joint_angles.csv"
    try:
        rows = list(csv.DictReader(path.open(encoding="utf-8")))
    except OSError as error:
        raise FootfallError(f"people's joint angles: {path} cannot be read: {error}") from error
    slowest, fastest = min(PEOPLE_SPEEDS.values()), max(PEOPLE_SPEEDS.values())
    if not slowest <= speed <= fastest:
        raise FootfallError(f"people's joint angles: speed is {speed:g}; they walk at {slowest:g} to {fastest:g} m/s")

    def angles(group: str, column: str) -> Array:
        return np.array([float(r["mean_deg"]) for r in rows if r["speed_group"] == group and r["joint"] == column])

    shares = [np.interp(speed, list(PEOPLE_SPEEDS.values()), row) for row in np.eye(len(PEOPLE_SPEEDS))]
    mixed = list(zip(PEOPLE_SPEEDS, shares, strict=True))
    return {
        name: np.asarray(np.sum([share * angles(group, column) for group, share in mixed], axis=0))
        for name, (column, _) in JOINTS.items()
    }


def gait_measures(
    trace: Trace,
    torque_squared: Array,
    people: Mapping[str, Array] | None = None,
    *,
    settle: float = 4.0,
    room: LegRoom | None = None,
) -> dict[str, Array]:
    """[W] each measure of the recorded worlds after ``settle`` seconds; NaN where a world took too few steps.

    ``likeness`` needs ``people``, ``overlap`` the ``room`` between the figure's legs.
    """
    figure, times = trace.figure, trace.times
    first = int(np.searchsorted(times, settle))
    dt = float(times[1] - times[0])
    qpos, stance = trace.qpos[first:], trace.stance[first:]
    samples, worlds = qpos.shape[:2]
    left, right = (_touches(trace, figure, side)[first:] for side in ("left", "right"))
    span = samples * dt
    heading = _yaw(qpos)
    forward = np.stack([np.cos(heading), np.sin(heading)], axis=-1)[:-1]
    sideways = np.stack([-forward[..., 1], forward[..., 0]], axis=-1)
    velocity = np.diff(qpos[..., :2], axis=0) / dt
    found = {name: np.full(worlds, np.nan) for name in OWN_MEASURES}
    found["speed"] = np.einsum("swk,swk->w", velocity, forward) / (samples - 1)
    found["side_speed"] = np.einsum("swk,swk->w", velocity, sideways) / (samples - 1)
    found["drift"] = np.abs(found["side_speed"])
    found["turn"] = np.abs(np.unwrap(heading, axis=0)[-1] - heading[0]) / span
    found["double_support"] = (left & right).mean(axis=0)
    found["flight"] = (~left & ~right).mean(axis=0)
    found["hop_rate"] = (np.diff((~left & ~right).astype(int), axis=0) > 0).sum(axis=0) / span
    found["sway"] = np.sqrt((np.diff(qpos[..., :3], axis=0) ** 2).sum(axis=-1).mean(axis=0)) / dt
    legs = [[figure.joint(figure.roles[name][i]).qpos for name in JOINTS] for i in (0, 1)]
    found["apart"] = np.sqrt(((qpos[..., legs[0]] - qpos[..., legs[1]]) ** 2).mean(axis=(0, 2)))
    found["lean"] = _lean(qpos).mean(axis=0)
    found["height"] = qpos[..., 2].mean(axis=0)
    found["effort"] = torque_squared[:worlds] / 1e4
    rates = np.diff(qpos[..., 7:], axis=0) / dt
    found["shake"] = np.sqrt((np.diff(rates, axis=0) ** 2).mean(axis=(0, 2))) / dt / 100
    knees = [figure.joint(figure.legs[side].knee[0]).qpos for side in ("left", "right")]
    middles: list[tuple[int, NDArray[np.int64]]] = []
    strikes: list[tuple[int, NDArray[np.int64]]] = []
    for w in range(worlds):
        exchanges = np.flatnonzero(np.diff(stance[:, w])) + 1
        if len(exchanges) < 5 or not qpos[-1, w, 3:7].any():  # samples after a fall are zero
            continue
        steps = np.diff(exchanges) * dt
        found["step_time"][w] = steps.mean()
        found["limp"][w] = abs(steps[0::2].mean() - steps[1::2].mean()) / steps.mean()
        found["knee_at_strike"][w] = np.mean([-qpos[e, w, knees[stance[e, w]]] for e in exchanges])
        standing_foot = np.where(stance[:, w] == 0, left[:, w], right[:, w])
        found["skips"][w] = np.mean([_returns(standing_foot[a:b]) for a, b in pairwise(exchanges)])
        found["heave"][w] = np.mean([np.ptp(qpos[a:b, w, 2]) for a, b in pairwise(exchanges)])
        halfway = (exchanges[:-1] + exchanges[1:]) // 2
        found["bounce"][w] = qpos[exchanges, w, 2].mean() - qpos[halfway, w, 2].mean()
        middles.append((w, halfway))
        strikes.append((w, exchanges))
    if middles:
        feet = _feet(figure, np.concatenate([qpos[m, w] for w, m in middles]))
        places = np.split(feet, np.cumsum([len(m) for _, m in middles])[:-1])
        for (w, m), place in zip(middles, places, strict=True):
            found["lift"][w] = np.mean(place[np.arange(len(m)), 1 - stance[m, w], 2])
            standing = place[np.arange(len(m)), stance[m, w], :2]
            across = np.stack([-np.sin(heading[m, w]), np.cos(heading[m, w])], axis=-1)[1:]
            side = np.where(stance[m[1:], w] == 0, 1.0, -1.0)
            found["spread"][w] = np.mean(side * np.einsum("sk,sk->s", np.diff(standing, axis=0), across))
        _measure_step_width(found["step_width"], figure, qpos, stance, heading, strikes)
    if room is not None:
        for w, exchanges in strikes:
            passing = np.array([(a + (b - a) // 3, (a + b) // 2, b - (b - a) // 3) for a, b in pairwise(exchanges)])
            found["overlap"][w] = room(qpos[passing.ravel(), w]).reshape(passing.shape).max(axis=1).mean()
    if people is not None:
        profiles = stride_profiles(trace, settle=settle)
        for name in JOINTS:
            miss = profiles[name] - people[name]
            if name == "hip":
                miss = miss - miss.mean(axis=1, keepdims=True)
            found[f"{name}_error"] = np.sqrt((miss**2).mean(axis=1))
        found["likeness"] = np.mean([found[f"{name}_error"] for name in JOINTS], axis=0)
    return found


def lab_measures(
    trace: Trace,
    speed: Array,
    norms: Norms | None = None,
    *,
    worlds: Sequence[int] | NDArray[np.int64] | None = None,
    settle: float = 0.0,
    sides: Sequence[Side] = SIDES,
) -> dict[str, Array]:
    """[W] each of the gait laboratory's measures of the recorded worlds, or of some of these, after ``settle`` seconds.
    They walk at ``speed`` [W]. NaN where a world took too few steps or is not asked for.

    Those of likeness need people's tables (``norms``), those of forces a trace with ``grf``.
    """
    asked = range(trace.qpos.shape[1]) if worlds is None else worlds
    found = {name: np.full(trace.qpos.shape[1], np.nan) for name in WALK_MEASURES}
    for w, cycle in mean_cycles(trace, asked, settle=settle, sides=sides).items():
        bands = norms.at(float(speed[w])).beside() if norms is not None and np.isfinite(speed[w]) else None
        for name, value in walk_measures(cycle, bands).items():
            found[name][w] = value
    return found


def _measure_step_width(
    found: Array,
    figure: Figure,
    qpos: Array,
    stance: NDArray[np.int32],
    heading: Array,
    strikes: list[tuple[int, NDArray[np.int64]]],
) -> None:
    """Fill in [W] mean step widths: a foot strikes where stance changes to it."""
    poses = np.concatenate([qpos[frames, w] for w, frames in strikes])
    ankles = Posture(figure, poses, np.zeros(len(poses), dtype=int)).ankles[..., :2]
    for (w, frames), places in zip(
        strikes, np.split(ankles, np.cumsum([len(f) for _, f in strikes])[:-1]), strict=True
    ):
        faced = np.stack([np.cos(heading[frames, w]), np.sin(heading[frames, w])], axis=-1)
        sides = stance[frames, w]
        found[w] = mean_step_width(
            [
                FootPlace(float(f), ("left", "right")[side], places[k, side], faced[k])
                for k, (f, side) in enumerate(zip(frames, sides, strict=True))
            ]
        )


def stride_profiles(trace: Trace, *, settle: float = 4.0) -> dict[str, Array]:
    """[W, 51] hip, knee and ankle of the left leg over its stride, degrees of flexion; NaN without a stride."""
    figure = trace.figure
    first = int(np.searchsorted(trace.times, settle))
    qpos, stance = trace.qpos[first:], trace.stance[first:]
    grid = np.linspace(0.0, 1.0, SAMPLES)
    profiles = {name: np.full((qpos.shape[1], SAMPLES), np.nan) for name in JOINTS}
    columns = {name: figure.joint(figure.roles[name][0]).qpos for name in JOINTS}
    for w in range(qpos.shape[1]):
        exchanges = np.flatnonzero(np.diff(stance[:, w])) + 1
        strikes = exchanges[stance[exchanges, w] == 0]
        if len(strikes) < 2:
            continue
        moments = [a + grid * (b - a) for a, b in pairwise(strikes)]
        for name, (_, sign) in JOINTS.items():
            angle = np.degrees(sign * qpos[:, w, columns[name]])
            profiles[name][w] = np.mean([np.interp(m, np.arange(len(angle)), angle) for m in moments], axis=0)
    return profiles


def _returns(touches: NDArray[np.bool_]) -> bool:
    """Whether a foot leaves the ground and comes down again."""
    change = np.diff(touches.astype(int))
    left, back = np.flatnonzero(change < 0), np.flatnonzero(change > 0)
    return bool(len(left) and len(back) and back[-1] > left[0] + 3)


def _touches(trace: Trace, figure: Figure, side: Side) -> NDArray[np.bool_]:
    names = [p.name for p in figure.points if p.ground]
    sole = np.array([names.index(name) for name in figure.legs[side].sole])
    return np.asarray(np.take(trace.contact, sole, axis=-1).any(axis=-1))


def _feet(figure: Figure, qpos: Array) -> Array:
    """[N, 2, 3] where the left and the right foot are."""
    return Posture(figure, qpos, np.zeros(len(qpos), dtype=int)).feet


def _yaw(qpos: Array) -> Array:
    w, x, y, z = np.moveaxis(qpos[..., 3:7], -1, 0)
    return np.asarray(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def _lean(qpos: Array) -> Array:
    w, x, y, z = np.moveaxis(qpos[..., 3:7], -1, 0)
    return np.asarray(np.arctan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)))
