"""People who walked: joint angles over the gait cycle from captured clips and from published tables, and the same
angles of 3LP walkers of the same size, speed and rhythm (Faraji and Ijspeert 2018, section 5.1 and figure 7).

Foot contacts of captured clips are found by the foot velocity algorithm (O'Connor et al. 2007): a foot lands where the
middle of its sole sinks fastest and leaves where it rises fastest, looked for near the foremost position of the ankle
and the rearmost of the toe relative to the pelvis (Zeni et al. 2008).
"""

import csv
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum.gait import periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.trajectory import sample_gait
from footfall.methods.pendulum.walk import Walk, human_walk
from footfall.motion.editing import trimmed
from footfall.motion.formats.files import load_motion
from footfall.motion.gait.angles import leg_angles
from footfall.motion.gait.feet import facing
from footfall.motion.motion import Motion
from footfall.motion.skeleton.roles import find_roles, leg_length

Array = NDArray[np.float64]

JOINTS = ("hip", "knee", "ankle")
SPEED_GROUPS = ("very_slow", "slow", "free", "fast", "very_fast")
CLIPS = (
    "snu/wd2_WalkForwardSlow01.bvh",
    "snu/wd2_WalkForwardNormal00.bvh",
    "snu/wd2_WalkForwardFast00.bvh",
    "snu/wd2_WalkForwardVFast00.bvh",
    "cmu/16_47.bvh",
    "cmu/16_21.bvh",
)
_STRAIGHT_LEG = 0.2522 + 0.2269


@dataclass(frozen=True)
class Subject:
    """Somebody's walk: leg angles in degrees over the gait cycle from landing to landing, ``[K]`` each, at ``cycle``
    ``[K]`` from 0 to 1, and what 3LP needs to walk alike."""

    name: str
    cycle: Array
    angles: dict[str, Array]
    body: Person
    walk: Walk


def walker_cycle(body: Person, walk: Walk, points: int = 101) -> dict[str, Array]:
    """Hip, knee and ankle angles in degrees of a 3LP walker over one cycle of its right leg, ``[points]`` each."""
    gait = periodic_gait(body, walk)
    duration = float(gait.stride.duration[0])
    places = np.linspace(0.0, 1.0, points)
    walked = sample_gait(gait, places * 2 * duration)
    swings = walked.state["d"][:, 0] < 0
    part = {
        name: np.where(swings, walked.posture[f"swing_{name}"][:, 0], walked.posture[f"stance_{name}"][:, 0])
        for name in ("thigh", "shank", "pitch")
    }
    raw = {"hip": part["thigh"], "knee": part["thigh"] - part["shank"], "ankle": part["pitch"] - part["shank"]}
    return {joint: np.degrees(values) for joint, values in raw.items()}


def correlations(person: Subject, walk: Walk | None = None, late: float = 0.0) -> dict[str, float]:
    """Pearson's correlation of a person's angles with those of a 3LP walker who walks alike, by joint; ``late`` puts
    the person's landing later by that part of the cycle."""
    model = walker_cycle(person.body, walk or person.walk)
    own = np.linspace(0.0, 1.0, len(model["hip"]))
    at = np.mod(person.cycle - late, 1.0) if late else person.cycle
    return {joint: float(np.corrcoef(person.angles[joint], np.interp(at, own, model[joint]))[0, 1]) for joint in JOINTS}


def tabled_people(folder: Path) -> list[Subject]:
    """The five speed groups of Schwartz et al. 2008 (means), their speed, cadence and double support taken to a body of
    1.7 m at equal dimensionless speed."""
    with (folder / "gait" / "schwartz2008_joint_angles.csv").open(encoding="utf-8") as file:
        angles = list(csv.DictReader(file))
    with (folder / "gait" / "schwartz2008_gait_parameters.csv").open(encoding="utf-8") as file:
        mean = {(r["parameter"], r["speed_group"]): float(r["mean"]) for r in csv.DictReader(file)}
    body = Person.of(1.7, 70.0)
    leg = float(body.h1)
    names = {"hip": "hip_flexion", "knee": "knee_flexion", "ankle": "ankle_dorsiflexion"}
    people = []
    for group in SPEED_GROUPS:
        walk = human_walk(
            body,
            mean["Dimensionless Speed", group] * np.sqrt(GRAVITY * leg),
            frequency=mean["Dimensionless Cadence", group] * np.sqrt(GRAVITY / leg),
            double_support=mean["Double Support [fraction of cycle]", group],
        )
        rows = {j: [r for r in angles if r["joint"] == n and r["speed_group"] == group] for j, n in names.items()}
        cycle = np.array([float(r["percent_cycle"]) / 100 for r in rows["hip"]])
        curves = {j: np.array([float(r["mean_deg"]) for r in given]) for j, given in rows.items()}
        people.append(Subject(group, cycle, curves, body, walk))
    return people


def captured_people(folder: Path) -> list[Subject]:
    """Straight walks of captured clips: the mean of their strides at (nearly) full speed."""
    return [_captured(folder / "mocap" / clip) for clip in CLIPS]


def _captured(path: Path) -> Subject:
    motion = load_motion(path)
    motion = trimmed(motion, 2 * motion.frame_time)
    angles = leg_angles(motion)
    landings, lifts = _contacts(motion)
    root = motion.positions()[:, 0, :2]
    strides = []
    for side, frames in landings.items():
        for a, b in pairwise(frames):
            span = float(motion.times[b] - motion.times[a])
            strides.append((side, a, b, span, float(np.linalg.norm(root[b] - root[a])) / span))
    fastest = max(stride[4] for stride in strides)
    strides = [stride for stride in strides if stride[4] > 0.85 * fastest]
    cycle = np.linspace(0.0, 1.0, 101)
    curves = {
        joint: np.degrees(
            np.mean(
                [
                    np.interp(motion.times[a] + cycle * span, motion.times, angles[f"{side}_{joint}"])
                    for side, a, _, span, _ in strides
                ],
                axis=0,
            )
        )
        for joint in JOINTS
    }
    frequency = float(np.mean([2 / stride[3] for stride in strides]))
    both = _double_support(motion, landings, lifts) * frequency
    body = Person.of(leg_length(motion.skeleton) / _STRAIGHT_LEG, 70.0)
    speed = float(np.mean([stride[4] for stride in strides]))
    walk = human_walk(body, speed, frequency=frequency, double_support=float(np.clip(both, 0.0, 0.4)))
    return Subject(path.stem, cycle, curves, body, walk)


def _contacts(motion: Motion) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Frames at which each foot lands and leaves."""
    roles, places, forward = find_roles(motion.skeleton), motion.positions(), facing(motion)
    frame = motion.frame_time

    def ahead(joint: int) -> Array:
        way = (places[:, joint] - places[:, roles["pelvis"]])[:, :2]
        return gaussian_filter1d(np.einsum("tk,tk->t", way, forward), 0.03 / frame)

    landings: dict[str, list[int]] = {}
    lifts: dict[str, list[int]] = {}
    for side in ("left", "right"):
        ankle, toe = roles[f"{side}_ankle"], roles[f"{side}_toe"]
        sole = gaussian_filter1d((places[:, ankle, 2] + places[:, toe, 2]) / 2, 0.02 / frame)
        climb = np.gradient(sole, motion.times)
        near = round(0.12 / frame)
        foremost, _ = find_peaks(ahead(ankle), prominence=0.15)
        rearmost, _ = find_peaks(-ahead(toe), prominence=0.15)
        landings[side] = [_extreme(-climb, int(e) - near // 2, int(e) + near) for e in foremost]
        lifts[side] = [_extreme(climb, int(e) - near, int(e) + near) for e in rearmost]
    return landings, lifts


def _extreme(values: Array, low: int, high: int) -> int:
    first = max(low, 0)
    return first + int(np.argmax(values[first : high + 1]))


def _double_support(motion: Motion, landings: dict[str, list[int]], lifts: dict[str, list[int]]) -> float:
    """Mean seconds from a landing until the other foot leaves."""
    spans = []
    for side, other in (("left", "right"), ("right", "left")):
        for landing in landings[side]:
            later = [lift for lift in lifts[other] if lift > landing]
            if later and motion.times[later[0]] - motion.times[landing] < 0.4:
                spans.append(float(motion.times[later[0]] - motion.times[landing]))
    return float(np.mean(spans))
