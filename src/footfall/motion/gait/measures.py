"""Measures of gait: steps, support, profiles of the joint angles over the cycle, sliding and smoothness.

How long and how wide steps are: one definition for captured motion, simulations, tables and searches.

A foot's position is where its ankle is at foot strike. A foot strikes at A and again at C; the other foot strikes at B
in between. The line of progression of that stride is AC, with the unit vector u. Then

    stride length = |C - A|        step length = (B - A) · u        step width = ± |(B - A) - ((B - A) · u) u|

The width is positive where the foot is on its own side of the line that the other foot makes, negative where it crosses
over. So defined by Huxham, Gong, Baker, Morris and Iansek ("Defining spatial parameters for non-linear walking", Gait &
Posture 23, 2006), and by Visual3D, whose feet are placed by their proximal ends, the ankles. It holds on curves, and
needs no direction that somebody faces. Where feet stay in place (strides under 0.1 m), u is the direction faced.

Whether a motion is that of an animal: measures of human gait, and figures of people, do not fit it.

What there is to say about a motion, as plain numbers.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing import has_rest_frame, without_rest_frame
from footfall.motion.gait.angles import leg_angles
from footfall.motion.gait.contact import Contacts, annotate_contacts, find_steps, step_rate, support_shares
from footfall.motion.gait.feet import (
    belt_velocity,
    carried_path,
    clearance,
    facing,
    net_turn,
    path_length,
    peak_speed,
    sole_positions,
    soles,
)
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, norm
from footfall.motion.skeleton.landmarks import centre_of_mass
from footfall.motion.skeleton.roles import find_roles, has_legs, leg_length, name_tokens

IN_PLACE = 0.1
"""Metres: a shorter stride has no line of progression."""


@dataclass(frozen=True, eq=False)
class FootPosition:
    """Where a foot struck.

    Attributes:
        time: seconds.
        side: "left" or "right".
        position: [2] of the ankle on the ground, metres.
        facing: [2] unit vector of the direction faced.
    """

    time: float
    side: str
    position: Array
    facing: Array


@dataclass(frozen=True)
class StepSize:
    """A step, from the strike of the other foot to the strike of this one, within the other foot's stride.

    Attributes:
        time: of the strike that ends it.
        side: of the foot that makes it.
        length, width, stride: metres; the stride is the other foot's.
    """

    time: float
    side: str
    length: float
    width: float
    stride: float


def step_sizes(positions: Sequence[FootPosition]) -> list[StepSize]:
    """The sizes of all steps between strikes of the other foot, in order of time."""
    ordered = sorted(positions, key=lambda p: p.time)
    sizes = []
    for a, b, c in zip(ordered, ordered[1:], ordered[2:], strict=False):
        if not a.side == c.side != b.side:
            continue
        way, step = c.position - a.position, b.position - a.position
        stride = float(np.hypot(*way))
        u = way / stride if stride > IN_PLACE else b.facing
        across = float(u[0] * step[1] - u[1] * step[0])
        sizes.append(StepSize(b.time, b.side, float(step @ u), across if b.side == "left" else -across, stride))
    return sizes


def mean_step_width(positions: Sequence[FootPosition]) -> float:
    """Metres; not a number without a step."""
    sizes = step_sizes(positions)
    return float(np.mean([size.width for size in sizes])) if sizes else float("nan")


PROFILE_POINTS = 101


@dataclass(frozen=True)
class GaitMeasures:
    """Numbers of a walk, by the words and in the units of docs/measures.md; None where there are too few steps to tell.

    Attributes:
        steps: landings, those of both feet together counted once.
        jumps: how many of them are landings of both feet together.
        steps_per_second: while stepping; pauses are left out (see ``steps.step_rate``).
        step_time: the mean time of a step, seconds.
        step_length, step_width: means along and across the line of progression, metres (see ``step_sizes``).
        stance: how much of its stride a foot stands, per cent, mean.
        double_support_share: share of time with both feet down, within the strides.
        flight: share of time with none down, within the strides.
    """

    steps: int
    jumps: int
    steps_per_second: float | None
    step_time: float | None
    step_length: float | None
    step_width: float | None
    stance: float | None
    double_support_share: float | None
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
    sizes = step_sizes(foot_positions(motion, touch))
    strides = [pair for side in ("left", "right") for pair in _strides(touch, side)]
    stance = [
        100.0 * float(touch.foot(side)[a:b].mean()) for side in ("left", "right") for a, b in _strides(touch, side)
    ]
    inside = np.zeros(len(motion), dtype=bool)
    for a, b in strides:
        inside[a:b] = True
    both, none = support_shares(touch.left[inside], touch.right[inside]) if inside.any() else (None, None)
    return GaitMeasures(
        steps=len(landed),
        jumps=sum(step.side == "both" for step in landed),
        steps_per_second=rate,
        step_time=None if not rate else 1.0 / rate,
        step_length=float(np.mean([size.length for size in sizes])) if sizes else None,
        step_width=float(np.mean([size.width for size in sizes])) if sizes else None,
        stance=float(np.mean(stance)) if stance else None,
        double_support_share=None if both is None else float(both),
        flight=None if none is None else float(none),
    )


def _strides(touch: Contacts, side: str) -> list[tuple[int, int]]:
    """Frames from one landing of a foot to its next, without pauses."""
    frames = touch.landings(side)
    return [(int(a), int(b)) for a, b in pairwise(frames) if touch.times[b] - touch.times[a] < 2.5]


def foot_positions(motion: Motion, touch: Contacts) -> list[FootPosition]:
    """Where the ankles were at each landing; on a treadmill, on the belt."""
    feet, forward = soles(motion.skeleton), facing(motion)
    carried = carried_path(motion)
    positions = []
    for side, sole in feet.items():
        ankle = motion.positions()[:, sole.ankle, :2] - carried
        positions += [FootPosition(float(motion.times[k]), side, ankle[k], forward[k]) for k in touch.landings(side)]
    return positions


def joint_profiles(motion: Motion, contacts: Contacts | None = None) -> dict[str, Array]:
    """Leg angles over the gait cycle: for ``hip``, ``knee`` and ``ankle`` an array [cycles, 101] in radians.

    A cycle runs from a landing of a foot to its next; left and right cycles are pooled.
    """
    touch = contacts or gait_contacts(motion)
    angles = leg_angles(motion)
    profiles: dict[str, list[Array]] = {}
    for side in ("left", "right"):
        for a, b in _strides(touch, side):
            moments = np.linspace(motion.times[a], motion.times[b], PROFILE_POINTS)
            for joint in ("hip", "knee", "ankle"):
                if f"{side}_{joint}" in angles:
                    profiles.setdefault(joint, []).append(np.interp(moments, motion.times, angles[f"{side}_{joint}"]))
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
    positions = motion.positions() - motion.positions()[:, :1]
    for _ in range(3):
        positions = np.gradient(positions, motion.times, axis=0)
    return float(np.sqrt((positions**2).sum(axis=-1).mean()))


_PARTS = {
    "tail": "a tail",
    "wing": "wings",
    "wings": "wings",
    "beak": "a beak",
    "paw": "paws",
    "hoof": "hooves",
    "hock": "hocks",
    "horselink": "hocks",
    "snout": "a snout",
    "muzzle": "a muzzle",
    "trunkbase": "a trunk",
    "claw": "claws",
    "fetlock": "fetlocks",
    "pastern": "pasterns",
}


_STRAIGHT = 0.95
"""The cosine above which two bones in a row are one shank with a twist bone, as MakeHuman's skeletons have.
Set after looking at one."""


def animal_warning(motion: Motion) -> str:
    """One line where a captured motion looks like an animal's, empty otherwise.

    Signs are names (a tail, wings, hocks …), a bone between shank and foot, and hands that stand on the ground under a
    level trunk. Figures that footfall knows are what they are.
    """
    if motion.figure:
        return ""
    signs = [*dict.fromkeys(_named(motion)), *_shaped(motion)]
    if not signs:
        return ""
    return f"this looks like an animal ({', '.join(signs)}): gait measures and figures of people do not fit it"


def _named(motion: Motion) -> list[str]:
    words = [word.rstrip("0123456789") for name in motion.skeleton.names for word in _words(name)]
    return [_PARTS[word] for word in words if word in _PARTS]


def _words(name: str) -> list[str]:
    tokens = name_tokens(name[-200:])
    return [*tokens, *("".join(pair) for pair in pairwise(tokens))]


def _shaped(motion: Motion) -> list[str]:
    skeleton, roles = motion.skeleton, find_roles(motion.skeleton)
    leg, signs = leg_length(skeleton), []
    for side in ("left", "right"):
        if f"{side}_knee" in roles and f"{side}_ankle" in roles:
            between = [j for j in skeleton.chain(roles[f"{side}_ankle"]) if roles[f"{side}_knee"] in skeleton.chain(j)]
            bones = np.diff(skeleton.rest_positions()[between], axis=0)
            bones = bones[np.linalg.norm(bones, axis=1) > 0.12 * leg]
            bones = bones / np.linalg.norm(bones, axis=1, keepdims=True)
            if len(bones) > 1 and np.einsum("bk,bk->b", bones[:-1], bones[1:]).min() < _STRAIGHT:
                signs = ["a bone between shank and foot"]
    top = roles.get("neck", roles.get("chest", roles.get("head")))
    hands = [roles[role] for role in ("left_wrist", "right_wrist") if role in roles]
    feet = [roles[role] for role in ("left_ankle", "right_ankle") if role in roles]
    if top is not None and len(hands) == 2 and len(feet) == 2:
        positions = motion.positions()
        trunk = positions[:, top] - positions[:, roles["pelvis"]]
        level = np.median(trunk[:, 2] / np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)) < 0.5
        low = np.median(positions[:, hands, 2].mean(axis=1) - positions[:, feet, 2].mean(axis=1)) < 0.15 * leg
        if level and low:
            signs.append("it walks on four feet")
    return signs


Value = str | float | int | bool | None | list[str]


def summary(motion: Motion) -> dict[str, Value]:
    """Frames, speed, turn and steps of a motion. A rest pose in frame 0 is counted in ``frames`` and skipped
    elsewhere."""
    moving = without_rest_frame(motion)
    path = path_length(moving)
    rows: dict[str, Value] = {
        "file": str(motion.source.get("file", "")),
        "figure": motion.figure,
        "frames": len(motion),
        "fps": round(motion.fps, 4),
        "seconds": round(moving.seconds, 4),
        "rest_frame": has_rest_frame(motion),
        "unit": str(motion.source.get("unit", "m")),
        "unit_from": str(motion.source.get("unit_from", "")),
        "up": str(motion.source.get("up", "")),
        "up_from": str(motion.source.get("up_from", "")),
        "leg_length_m": round(leg_length(motion.skeleton), 4) if has_legs(motion.skeleton) else None,
        "path_m": round(path, 4),
        "mean_speed_mps": round(path / moving.seconds, 4) if moving.seconds > 0 else 0.0,
        "peak_speed_mps": round(peak_speed(moving), 4),
        "net_turn_deg": round(float(np.rad2deg(net_turn(moving))), 2),
    }
    rows |= _steps(moving)
    height = centre_of_mass(moving)[:, 2]
    rows |= {
        "com_height_m": round(float(height.mean()), 4),
        "com_excursion_m": round(float(np.ptp(height)), 4),
        "rms_jerk": round(rms_jerk(moving), 2),
        "joint_count": len(motion.skeleton),
        "joints": list(motion.skeleton.names),
        "channels": sorted(motion.channels),
    }
    warning = animal_warning(motion)
    rows["warnings"] = [warning] if warning else []
    if motion.source.get("animations"):
        rows["animations"] = [str(name) for name in motion.source["animations"]]
    if motion.source.get("notes"):
        rows["notes"] = [str(note) for note in motion.source["notes"]]
    return rows


_UNITS = {"step_time": "_s", "step_length": "_m", "step_width": "_m", "stance": "_share", "flight": "_share"}
"""What the names of a walk's measures end in, in a summary."""


def _steps(motion: Motion) -> dict[str, Value]:
    try:
        gait = gait_measures(motion)
    except FootfallError:
        return {"steps": None, "jumps": None, "steps_per_second": None}
    in_shares = replace(gait, stance=None if gait.stance is None else gait.stance / 100.0)
    rows = {f"{name}{_UNITS.get(name, '')}": value for name, value in asdict(in_shares).items()}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in rows.items()}
