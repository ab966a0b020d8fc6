"""Measures of gait: steps, support, profiles of the joint angles over the cycle, sliding and smoothness."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.gait.contact import Contacts, annotate_contacts
from footfall.motion.gait.feet import clearance, sole_positions, soles
from footfall.motion.gait.heading import facing, peak_speed
from footfall.motion.gait.joint_angles import leg_angles
from footfall.motion.gait.step_sizes import FootPlace, step_sizes
from footfall.motion.gait.steps import find_steps, step_rate
from footfall.motion.gait.treadmill import belt_velocity, carried_path
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, norm

PROFILE_POINTS = 101


@dataclass(frozen=True)
class GaitMeasures:
    """Numbers of a walk; None where there are too few steps to tell.

    Attributes:
        steps: landings, those of both feet together counted once.
        jumps: how many of them are landings of both feet together.
        steps_per_second: while stepping; pauses are left out (see ``steps.step_rate``).
        step_time: the mean time of a step, seconds.
        step_length, step_width: means along and across the line of progression, metres (see ``step_sizes``).
        stance: mean share of its stride that a foot stands.
        double_support: share of time with both feet down, within the strides.
        flight: share of time with none down, within the strides.
    """

    steps: int
    jumps: int
    steps_per_second: float | None
    step_time: float | None
    step_length: float | None
    step_width: float | None
    stance: float | None
    double_support: float | None
    flight: float | None


def gait_contacts(motion: Motion) -> Contacts:
    """Contacts for measuring gait: toes count, and a fast walker's feet may be faster (0.4 of the peak speed, at least
    0.4 m/s), so that landing and lift fall where gait laboratories put them. On a treadmill, or where the travel was
    taken out, feet are measured against the ground that moves."""
    belt = belt_velocity(motion)
    fast = max(peak_speed(motion), float(norm(belt).max()))
    return annotate_contacts(motion, toes=True, speed=max(0.4, 0.4 * fast), belt=belt)


def gait_measures(motion: Motion, contacts: Contacts | None = None) -> GaitMeasures:
    """Steps and support of a motion; contacts are annotated (toes included) where none are given."""
    touch = contacts or gait_contacts(motion)
    landed = find_steps(touch)
    rate = step_rate(landed)
    sizes = step_sizes(foot_places(motion, touch))
    strides = [pair for side in ("left", "right") for pair in _strides(touch, side)]
    stance = [float(touch.foot(side)[a:b].mean()) for side in ("left", "right") for a, b in _strides(touch, side)]
    inside = np.zeros(len(motion), dtype=bool)
    for a, b in strides:
        inside[a:b] = True
    both, none = touch.left & touch.right, ~touch.left & ~touch.right
    return GaitMeasures(
        steps=len(landed),
        jumps=sum(step.side == "both" for step in landed),
        steps_per_second=rate,
        step_time=None if not rate else 1.0 / rate,
        step_length=float(np.mean([size.length for size in sizes])) if sizes else None,
        step_width=float(np.mean([size.width for size in sizes])) if sizes else None,
        stance=float(np.mean(stance)) if stance else None,
        double_support=float(both[inside].mean()) if inside.any() else None,
        flight=float(none[inside].mean()) if inside.any() else None,
    )


def _strides(touch: Contacts, side: str) -> list[tuple[int, int]]:
    """Frames from one landing of a foot to its next, without pauses."""
    frames = touch.landings(side)
    return [(int(a), int(b)) for a, b in pairwise(frames) if touch.times[b] - touch.times[a] < 2.5]


def foot_places(motion: Motion, touch: Contacts) -> list[FootPlace]:
    """Where the ankles were at each landing; on a treadmill, on the belt."""
    feet, forward = soles(motion.skeleton), facing(motion)
    carried = carried_path(motion)
    places = []
    for side, sole in feet.items():
        ankle = motion.positions()[:, sole.ankle, :2] - carried
        places += [FootPlace(float(motion.times[k]), side, ankle[k], forward[k]) for k in touch.landings(side)]
    return places


def joint_profiles(motion: Motion, contacts: Contacts | None = None) -> dict[str, Array]:
    """Leg angles over the gait cycle: for ``hip``, ``knee`` and ``ankle`` an array [cycles, 101] in radians.

    A cycle runs from a landing of a foot to its next; left and right cycles are pooled.
    """
    touch = contacts or gait_contacts(motion)
    angles = leg_angles(motion)
    profiles: dict[str, list[Array]] = {}
    for side in ("left", "right"):
        for a, b in _strides(touch, side):
            places = np.linspace(motion.times[a], motion.times[b], PROFILE_POINTS)
            for joint in ("hip", "knee", "ankle"):
                if f"{side}_{joint}" in angles:
                    profiles.setdefault(joint, []).append(np.interp(places, motion.times, angles[f"{side}_{joint}"]))
    if not profiles:
        raise FootfallError("gait: there is no whole stride (landing to landing of one foot) in this motion")
    return {joint: np.array(rows) for joint, rows in profiles.items()}


def profile_correlation(first: dict[str, Array], second: dict[str, Array]) -> dict[str, float]:
    """Pearson's correlation of the mean profiles [cycles, 101] of two motions, for the joints that both have."""
    both = [joint for joint in first if joint in second]
    pairs = {joint: (first[joint].mean(axis=0), second[joint].mean(axis=0)) for joint in both}
    return {joint: float(np.corrcoef(a, b)[0, 1]) for joint, (a, b) in pairs.items() if np.ptp(a) > 0 and np.ptp(b) > 0}


@dataclass(frozen=True)
class FootQuality:
    """How well feet keep to the ground.

    Attributes:
        penetration: metres that the lowest point of a sole sinks below the ground at worst.
        slide: metres that the standing points of a foot travel during one contact: the mean over contacts.
        slide_worst: the largest of them.
        stances: contacts counted.
    """

    penetration: float
    slide: float
    slide_worst: float
    stances: int


def foot_quality(motion: Motion, contacts: Contacts | None = None) -> FootQuality:
    """Penetration and sliding of the soles.

    Between two frames of a contact the foot stands on the point of its sole that is lowest over both; the way that
    point moves on the ground is sliding.
    """
    touch = contacts or annotate_contacts(motion)
    depth, slides = 0.0, []
    for side, sole in soles(motion.skeleton).items():
        points = sole_positions(motion, sole)
        above = clearance(motion, points)
        depth = max(depth, float(-above.min()))
        moved = np.linalg.norm(np.diff(points[..., :2], axis=0), axis=-1)
        lowest = np.argmin(above[:-1] + above[1:], axis=1)
        way = moved[np.arange(len(moved)), lowest]
        slides += [float(way[a : b - 1].sum()) for a, b in touch.spans(side) if b - a > 1]
    return FootQuality(
        penetration=max(depth, 0.0),
        slide=float(np.mean(slides)) if slides else 0.0,
        slide_worst=float(np.max(slides)) if slides else 0.0,
        stances=len(slides),
    )


def rms_jerk(motion: Motion) -> float:
    """Root mean square of the third derivative of all joints' positions relative to the root, m/s³: less is
    smoother."""
    if len(motion) < 4:
        return 0.0
    places = motion.positions() - motion.positions()[:, :1]
    for _ in range(3):
        places = np.gradient(places, motion.times, axis=0)
    return float(np.sqrt((places**2).sum(axis=-1).mean()))
