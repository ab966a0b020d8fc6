"""Periodic motion from a clip: an averaged walk cycle as a few Fourier coefficients (SIMBICON, section 5).

The period T is that of the primary frequency of a representative joint. Every coordinate becomes

    θ(φ) = Σ_k  a_k cos 2πkφ + b_k sin 2πkφ

with the largest coefficients, taken one after the other until the error is small enough. Phase φ = 0.25 is the largest
flexion of the right hip, so that feet land near φ = 0.5 and φ = 1.

The averaged walk cycle of a clip on a figure, from the left foot's landing to its next one (SIMBICON, section 5).

A clip is cut where feet land. Steps that are steady and alike are resampled by phase and averaged, each half of the
cycle by itself:

    φ from 0 to 1/2: left stance, from the left foot's landing to the right one's;     1/2 to 1: right stance

In a symmetric cycle every step counts for both halves, in one of them as its mirror image. Directions are those of the
heading, the facing averaged over a cycle, so that walking backwards and sideways is walking like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.errors import FootfallError, check_name
from footfall.motion.editing import trimmed, without_rest_frame
from footfall.motion.gait.angles import leg_angles, trunk_lean
from footfall.motion.gait.contact import annotate_contacts, find_steps
from footfall.motion.gait.feet import facing, facing_angle, smoothed
from footfall.motion.gait.measures import gait_contacts
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array
from footfall.motion.skeleton.roles import find_roles

_MOST_HARMONICS = 16
_ANCHOR_PHASE = 0.25
_REPEATS = 0.35
_LEAST_CYCLES = 1.9


@dataclass(frozen=True, eq=False)
class PeriodicMotion:
    """A walk cycle.

    Attributes:
        name: what it was made from.
        figure: name of the figure that the coordinates belong to, or empty.
        period: seconds.
        speed: mean velocity in the direction faced, m/s.
        anchor: the coordinate whose largest value is at phase 0.25.
        series: coordinate -> [H, 3] rows of harmonic k, a_k, b_k.
        error: coordinate -> root mean square of what the kept harmonics leave of the averaged cycle.
        cycles: how many cycles were averaged.
        warnings: why not to trust it, if there is a reason: too few cycles, or cycles that differ.
    """

    name: str
    figure: str
    period: float
    speed: float
    anchor: str
    series: dict[str, Array]
    error: dict[str, float]
    cycles: float
    warnings: tuple[str, ...] = ()

    def __call__(self, coordinate: str, phase: Array | float) -> Array:
        """Values [...] of a coordinate at phases [...] (one cycle is 0 to 1)."""
        k, a, b = self._terms(coordinate)
        turn = 2 * np.pi * np.asarray(phase, dtype=float)[..., None] * k
        return np.asarray((a * np.cos(turn) + b * np.sin(turn)).sum(axis=-1))

    def rate(self, coordinate: str, phase: Array | float) -> Array:
        """Time derivatives [...] of a coordinate at phases [...]."""
        k, a, b = self._terms(coordinate)
        turn = 2 * np.pi * np.asarray(phase, dtype=float)[..., None] * k
        slope = 2 * np.pi * k / self.period * (b * np.cos(turn) - a * np.sin(turn))
        return np.asarray(slope.sum(axis=-1))

    def _terms(self, coordinate: str) -> tuple[Array, Array, Array]:
        check_name("coordinate", coordinate, self.series)
        rows = self.series[coordinate]
        return rows[:, 0], rows[:, 1], rows[:, 2]


def steady_part(motion: Motion) -> Motion:
    """The walk without starting and stopping: from the second landing to the last but one, whole cycles where it
    can."""
    moving = without_rest_frame(motion)
    contacts = annotate_contacts(moving, toes=True)
    right = contacts.landings("right")
    landed = np.sort(np.concatenate([contacts.landings("left"), right]))
    inner = landed[1:-1] if len(landed) > 5 else landed
    if len(inner) < 3:
        return moving
    start = moving.times[inner[0]] - moving.times[0]
    return trimmed(moving, float(start), float(moving.times[inner[-1]] - moving.times[0]))


def find_period(values: Array, times: Array) -> float:
    """The period in seconds of values [T]: the primary frequency of their Fourier transform, then refined so that a
    series of harmonics fits best."""
    span = float(times[-1] - times[0])
    if len(values) < 8 or span <= 0:
        raise FootfallError("period: the motion is too short")
    even = np.interp(np.linspace(times[0], times[-1], len(times)), times, values)
    window = np.hanning(len(even))
    spectrum = np.abs(np.fft.rfft((even - even.mean()) * window, 16 * len(even)))
    frequency = np.fft.rfftfreq(16 * len(even), span / (len(even) - 1))
    allowed = frequency > 0.9 / span
    if not allowed.any() or spectrum[allowed].max() < 1e-9:
        raise FootfallError("period: nothing in it repeats")
    first = 1.0 / float(frequency[allowed][np.argmax(spectrum[allowed])])

    def left(period: float) -> float:
        basis = _basis((times - times[0]) / period, 4)
        normal = basis.T @ basis + 1e-9 * len(values) * np.eye(basis.shape[1])
        return float(np.linalg.norm(values - basis @ np.linalg.solve(normal, basis.T @ values)))

    tries = first * np.linspace(0.85, 1.15, 121)
    best = float(min(tries, key=left))
    fine = best * np.linspace(0.995, 1.005, 41)
    return float(min(fine, key=left))


def _basis(phase: Array, most: int) -> Array:
    """[T, 1 + 2 most] ones, then cosine and sine of each harmonic."""
    turn = 2 * np.pi * phase[:, None] * np.arange(1, most + 1)
    return np.concatenate([np.ones((len(phase), 1)), np.cos(turn), np.sin(turn)], axis=1)


def coordinates(motion: Motion) -> tuple[dict[str, Array], str]:
    """Coordinates [T] to make periodic, and the one to anchor the phase on.

    On a figure these are its own hinge angles; otherwise the sagittal leg angles. The trunk's lean and the height and
    sideways position of the root join them.
    """
    found: dict[str, Array] = {}
    labels, flexion = motion.labels.get("qpos", ()), leg_angles(motion)
    if labels:
        turning = [k for k, label in enumerate(labels) if "." not in label and "root" not in label]
        found = {labels[k]: np.asarray(motion.channels["qpos"][:, k], dtype=float) for k in turning}
    else:
        found = dict(flexion)
    across = np.stack([-facing(motion)[:, 1], facing(motion)[:, 0]], axis=-1).mean(axis=0)
    across /= max(float(np.linalg.norm(across)), 1e-9)
    found["trunk_lean"] = trunk_lean(motion, find_roles(motion.skeleton)["pelvis"])
    found["heading"] = facing_angle(motion) - _trend(facing_angle(motion), motion.times)
    found["root_height"] = motion.root_position[:, 2]
    sway = motion.root_position[:, :2] @ across
    found["root_sway"] = sway - _trend(sway, motion.times)
    anchor = next((name for name in found if "right" in name and "hip" in name and "roll" not in name), "")
    return found, next((n for n in found if n.startswith("right_hip") and n.endswith("pitch")), anchor)


def _trend(values: Array, times: Array) -> Array:
    return np.asarray(np.polyval(np.polyfit(times, values, 1), times)) if len(times) > 2 else values


def periodic_motion(
    motion: Motion, *, joint: str | None = None, accuracy: float = 0.01, name: str | None = None, steady: bool = True
) -> PeriodicMotion:
    """The averaged cycle of a walk.

    Args:
        motion: 3 to 7 cycles of walking, captured or simulated.
        joint: the coordinate that tells the period and the phase; by default the right hip's flexion.
        accuracy: harmonics are added to a coordinate, largest first, until the root mean square of the rest of the
            averaged cycle is below this (radians, metres).
        name: what to call it; by default the motion's file or controller.
        steady: leave out starting and stopping.
    """
    if not (np.isfinite(accuracy) and accuracy > 0):
        raise FootfallError(f"periodic motion: accuracy is {accuracy}; it must be above 0")
    part = steady_part(motion) if steady else motion
    found, anchor = coordinates(part)
    anchor = joint or anchor
    check_name("coordinate", anchor, found)
    period = find_period(found[anchor], part.times)
    if part.seconds < 0.95 * period:
        raise FootfallError(f"periodic motion: {part.seconds:.2f} s of steady walking hold no cycle of {period:.2f} s")
    clock = (part.times - part.times[0]) / period
    most = int(np.clip(0.4 * period / part.frame_time, 1, _MOST_HARMONICS))
    basis = _basis(clock, min(most, max((len(part) - 1) // 3, 1)))
    full = {key: np.linalg.lstsq(basis, values, rcond=None)[0].astype(float) for key, values in found.items()}
    kept = {key: _largest(_rows(terms), accuracy) for key, terms in full.items()}
    shift = _peak_phase(kept[anchor][0]) - _ANCHOR_PHASE
    series = {key: _shifted(rows, shift) for key, (rows, _) in kept.items()}
    error = {key: left for key, (_, left) in kept.items()}
    forward = np.einsum("tk,tk->t", np.gradient(part.root_position[:, :2], part.times, axis=0), facing(part))
    source: Any = part.source
    return PeriodicMotion(
        name=name or str(source.get("file") or source.get("retargeted") or source.get("controller") or "motion"),
        figure=part.figure,
        period=period,
        speed=float(forward.mean()),
        anchor=anchor,
        series=series,
        error=error,
        cycles=part.seconds / period,
        warnings=tuple(_doubts(found[anchor], basis, full[anchor], part.seconds / period, anchor)),
    )


def _doubts(values: Array, basis: Array, terms: Array, cycles: float, anchor: str) -> list[str]:
    """What speaks against a cycle: fewer than two of it, or an anchor [T] that the averaged cycle does not explain."""
    doubts = []
    if cycles < _LEAST_CYCLES:
        doubts.append(f"the period was read from {cycles:.2f} cycles; two at least are needed to see that it repeats")
    left = float(np.std(values - basis @ terms) / max(float(np.std(values)), 1e-12))
    if left > _REPEATS:
        doubts.append(f"{anchor} does not repeat: the averaged cycle leaves {100 * left:.0f} % of its movement")
    return doubts


def _rows(terms: Array) -> Array:
    """[H, 3] harmonics k, a, b from the coefficients of ``_basis``."""
    most = (len(terms) - 1) // 2
    return np.stack([np.arange(most + 1.0), terms[: most + 1], np.concatenate([[0.0], terms[most + 1 :]])], axis=-1)


def _peak_phase(rows: Array) -> float:
    """The phase at which a series is largest."""
    phase = np.arange(8192) / 8192
    turn = 2 * np.pi * phase[:, None] * rows[:, 0]
    return float(phase[np.argmax((rows[:, 1] * np.cos(turn) + rows[:, 2] * np.sin(turn)).sum(axis=-1))])


def _shifted(rows: Array, shift: float) -> Array:
    """The series seen from a phase ``shift`` later."""
    k, a, b = rows.T
    cosine, sine = np.cos(2 * np.pi * k * shift), np.sin(2 * np.pi * k * shift)
    return np.stack([k, a * cosine + b * sine, b * cosine - a * sine], axis=-1)


def _largest(rows: Array, accuracy: float) -> tuple[Array, float]:
    """The mean and the largest harmonics, until what they leave is below ``accuracy``."""
    power = 0.5 * (rows[1:, 1] ** 2 + rows[1:, 2] ** 2)
    order = np.argsort(power)[::-1]
    rest = np.sqrt(np.maximum(power.sum() - np.concatenate([[0.0], np.cumsum(power[order])]), 0.0))
    enough = rest <= accuracy
    count = int(np.argmax(enough)) if enough.any() else len(order)
    kept = np.sort(order[:count]) + 1
    return rows[[0, *kept]], float(rest[count])


SAMPLES = 128
"""Of a cycle."""
ROOT = ("pitch", "roll", "yaw", "forward", "left", "up", "height")
"""What a cycle tells of the root: lean backward, to the right and turn to the left against the heading, radians; its
velocity along the heading, to its left and up, metres a second; its height, metres."""

_MIRRORED_ROOT = np.array([1.0, -1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
_SHORTEST, _LONGEST = 0.2, 1.6
_LARGEST_TURN = np.radians(20.0)
_STEADY, _MOVES = 0.75, 0.25
_ALIKE, _PER_SPEED = 0.16, 0.3
_MOST_STRIDES = 14
_LONGEST_FLIGHT = 0.2
_RAISED = 0.7
_ONE_SIDED, _SIDEWAYS = 0.16, 0.15


@dataclass(frozen=True, eq=False)
class CycleStep:
    """From one foot's landing to the other's.

    Attributes:
        side: of the foot that landed first, "left" or "right": the stance side.
        start, end: seconds.
        curves: [SAMPLES / 2, joints + ROOT] by phase.
        turn: by how much the heading changes, radians to the left.
    """

    side: str
    start: float
    end: float
    curves: Array
    turn: float

    @property
    def seconds(self) -> float:
        """How long it takes."""
        return self.end - self.start

    @property
    def velocity(self) -> Array:
        """[2] mean, along the heading and to its left, m/s."""
        return np.asarray(self.curves[:, [-4, -3]].mean(axis=0))


@dataclass(frozen=True, eq=False)
class WalkCycle:
    """An averaged cycle.

    Attributes:
        figure: name of the figure.
        joints: names of its hinges.
        left, right: seconds of the halves.
        curves: [SAMPLES, joints + ROOT] by phase: angles, then what ROOT names.
        symmetric: whether its halves are mirror images.
        steps: those averaged.
    """

    figure: str
    joints: tuple[str, ...]
    left: float
    right: float
    curves: Array
    symmetric: bool
    steps: tuple[CycleStep, ...]

    def curve(self, name: str) -> Array:
        """[SAMPLES] a joint's angle or a number of ROOT by phase."""
        return np.asarray(self.curves[:, (*self.joints, *ROOT).index(name)])

    def angles_at(self, phase: Array) -> Array:
        """[..., joints] the joints' angles at phases [...] of the cycle, 0 to 1 and beyond."""
        turns = np.mod(np.asarray(phase), 1.0) * SAMPLES
        low = np.floor(turns).astype(int)
        share = (turns - low)[..., None]
        curves = self.curves[:, : len(self.joints)]
        return np.asarray((1.0 - share) * curves[low % SAMPLES] + share * curves[(low + 1) % SAMPLES])

    @property
    def velocity(self) -> tuple[float, float]:
        """Mean along the heading and to its left, m/s."""
        share = self.left / (self.left + self.right)
        weights = np.repeat([share, 1.0 - share], SAMPLES // 2) / (SAMPLES // 2)
        return float(weights @ self.curve("forward")), float(weights @ self.curve("left"))


def cycle_of(motion: Motion, figure: Any, symmetric: bool | None = None) -> WalkCycle:
    """The averaged cycle of a motion on a figure with a free root and hinges.

    Args:
        motion: of the figure, with ``qpos`` recorded.
        figure: a ``footfall.figures.Figure``.
        symmetric: whether to make both halves alike; None to decide by the clip: not if it goes sideways or limps.
    """
    names = tuple(joint.name for joint in figure.joints if joint.kind == "hinge")
    strides = _steady(_strides(steps_of(motion, figure)))
    left, right = (np.mean([stride[k].curves for stride in strides], axis=0) for k in (0, 1))
    seconds = [float(np.mean([stride[k].seconds for stride in strides])) for k in (0, 1)]
    mirror = _mirror(figure)
    sideways = abs(float(np.mean([left[:, -3], right[:, -3]])))
    if symmetric is None:
        symmetric = _distance(left, mirror(right)) < _ONE_SIDED and sideways < _SIDEWAYS
    if symmetric:
        left = 0.5 * (left + mirror(right))
        right = mirror(left)
        seconds = [0.5 * sum(seconds)] * 2
    curves = _well_conditioned(np.concatenate([left, right]), figure, names)
    used = tuple(dict.fromkeys(step for stride in strides for step in stride))
    return WalkCycle(figure.name, names, seconds[0], seconds[1], curves, symmetric, used)


def _well_conditioned(curves: Array, figure: Any, names: tuple[str, ...]) -> Array:
    """Curves whose hips roll and yaw evenly while a thigh is raised: an angle about the thigh's own axis says little
    about where the thigh is, and would swing the leg across when the thigh comes down."""
    result = curves.copy()
    phase = np.arange(SAMPLES)
    for leg in figure.legs.values():
        pitch, others = leg.hip[0], leg.hip
        pitch = next((name for name in leg.hip if figure.joint(name).plane == "pitch"), pitch)
        low = np.abs(curves[:, names.index(pitch)]) < _RAISED
        if low.all() or not low.any():
            continue
        for name in others:
            if name != pitch:
                column = names.index(name)
                result[:, column] = np.interp(phase, phase[low], curves[low, column], period=SAMPLES)
    return result


def edited(
    cycle: WalkCycle, figure: Any, *, lift: float = 1.0, pace: float = 1.0, pose: Mapping[str, float] | None = None
) -> WalkCycle:
    """A cycle in another manner.

    Args:
        cycle: the cycle.
        figure: its figure.
        lift: factor on how far the legs' joints move from where they are in the middle of their stance, on how far the
            root leans from its mean, and on its velocity.
        pace: factor on how fast it goes.
        pose: radians to add, by joint of the left side, or without a side; the right side mirrors the left.
    """
    curves = cycle.curves.copy()
    legs = [name for leg in figure.legs.values() for name in (*leg.hip, *leg.knee, *leg.ankle)]
    sides = {name: k for pair in figure.sides.joints for k, name in enumerate(pair)}
    partners = {a: b for left, right in figure.sides.joints for a, b in ((left, right), (right, left))}
    given = dict(pose or {})
    for column, name in enumerate(cycle.joints):
        if name in legs:
            middle = curves[SAMPLES // 4 + SAMPLES // 2 * sides[name], column]
            curves[:, column] = middle + lift * (curves[:, column] - middle)
        other = partners.get(name, "")
        if name in given:
            curves[:, column] += given[name]
        elif other in given:
            curves[:, column] += float(figure.mirror_dofs[1][figure.joint(name).dof]) * given[other]
    leans, velocity = slice(len(cycle.joints), len(cycle.joints) + 3), slice(-4, -1)
    middle = curves[:, leans].mean(axis=0)
    curves[:, leans] = middle + lift * (curves[:, leans] - middle)
    curves[:, velocity] *= lift * pace
    for name in given:
        check_name("joint", name, cycle.joints)
    return replace(cycle, curves=curves, left=cycle.left / pace, right=cycle.right / pace)


def steps_of(motion: Motion, figure: Any) -> list[CycleStep]:
    """Every step of a motion, with its curves."""
    contacts = gait_contacts(motion)
    landed = find_steps(contacts)
    pairs = [
        (a, b)
        for a, b in pairwise(landed)
        if a.side != b.side and "both" not in (a.side, b.side) and _SHORTEST <= b.time - a.time <= _LONGEST
    ]
    if len(pairs) < 2:
        raise FootfallError(
            f"walk cycle: the clip has {len(landed)} landings and {len(pairs)} steps from one foot to the other; "
            "at least 2 are needed"
        )
    flies = np.mean([(~contacts.left & ~contacts.right)[a.frame : b.frame].mean() for a, b in pairs])
    if flies > _LONGEST_FLIGHT:
        raise FootfallError(f"walk cycle: both feet are off the ground {flies:.0%} of the time; it must be a walk")
    curves, heading = _curves(motion, figure, 2.0 * float(np.median([b.time - a.time for a, b in pairs])))
    steps = []
    for a, b in pairs:
        moments = a.time + (b.time - a.time) * np.arange(SAMPLES // 2) / (SAMPLES // 2)
        own = np.stack([np.interp(moments, motion.times, column) for column in curves.T], axis=1)
        turn = float(np.diff(np.interp([a.time, b.time], motion.times, heading))[0])
        steps.append(CycleStep(a.side, a.time, b.time, own, turn))
    return steps


def _curves(motion: Motion, figure: Any, cycle: float) -> tuple[Array, Array]:
    """[T, joints + ROOT] against a heading that is averaged over ``cycle`` seconds, and that heading [T]."""
    qpos = np.asarray(motion.channels["qpos"] if "qpos" in motion.channels else motion.to_qpos(figure), dtype=float)
    angles = np.stack([qpos[:, j.qpos] for j in figure.joints if j.kind == "hinge"], axis=1)
    w, x, y, z = qpos[:, 3:7].T
    pitch = np.arctan2(2 * (x * z - w * y), 1 - 2 * (x * x + y * y))
    roll = np.arctan2(2 * (y * z + w * x), 1 - 2 * (x * x + y * y))
    yaw = np.unwrap(np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z)))
    heading = _averaged(yaw, motion.times, cycle)
    velocity = np.gradient(smoothed(qpos[:, :3], motion.frame_time, 0.2), motion.times, axis=0)
    forward = np.cos(heading) * velocity[:, 0] + np.sin(heading) * velocity[:, 1]
    left = np.cos(heading) * velocity[:, 1] - np.sin(heading) * velocity[:, 0]
    root = np.stack([pitch, roll, yaw - heading, forward, left, velocity[:, 2], qpos[:, 2]], axis=1)
    return np.concatenate([angles, root], axis=1), heading


def _averaged(values: Array, times: Array, span: float) -> Array:
    """[T] values averaged over ``span`` seconds around each moment, over what there is of them."""
    total = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(times))])
    low, high = (np.clip(times + side * 0.5 * span, times[0], times[-1]) for side in (-1.0, 1.0))
    short = np.minimum(times - low, high - times)
    low, high = times - short, times + short
    wide = high - low > 1e-9
    mean = (np.interp(high, times, total) - np.interp(low, times, total)) / np.where(wide, high - low, 1.0)
    return np.where(wide, mean, values)


def _mirror(figure: Any) -> Any:
    """Curves [..., joints + ROOT] -> those of the mirror image."""
    hinges = [j for j in figure.joints if j.kind == "hinge"]
    place = {joint.dof: k for k, joint in enumerate(hinges)}
    perm, sign = figure.mirror_dofs
    order = [place[int(perm[j.dof])] for j in hinges] + list(range(len(hinges), len(hinges) + len(ROOT)))
    signs = np.concatenate([[float(sign[j.dof]) for j in hinges], _MIRRORED_ROOT])
    return lambda curves: signs * curves[..., order]


def _distance(a: Array, b: Array) -> float:
    """How unlike curves [..., joints + ROOT] are: root mean square of the angles, radians, and what their mean
    velocities differ by."""
    angles = np.sqrt(np.mean((a[..., :-4] - b[..., :-4]) ** 2))
    return float(angles + _PER_SPEED * np.linalg.norm((a - b)[..., [-4, -3]].reshape(-1, 2).mean(axis=0)))


def _strides(steps: list[CycleStep]) -> list[tuple[CycleStep, CycleStep]]:
    """Steps that follow each other, in pairs: the left stance first, whichever came first."""
    follow = [(a, b) for a, b in pairwise(steps) if a.side != b.side and abs(a.end - b.start) < 1e-6]
    if not follow:
        raise FootfallError("walk cycle: no two steps follow each other; the clip holds no whole cycle")
    return [(a, b) if a.side == "left" else (b, a) for a, b in follow]


def _steady(strides: list[tuple[CycleStep, CycleStep]]) -> list[tuple[CycleStep, CycleStep]]:
    """Strides that go straight, at the clip's usual pace, and are like one another."""
    straight = [s for s in strides if abs(s[0].turn + s[1].turn) < _LARGEST_TURN] or strides
    speeds = np.array([float(np.linalg.norm(a.velocity + b.velocity)) / 2 for a, b in straight])
    usual = float(np.percentile(speeds, 75))
    paced = [s for s, v in zip(straight, speeds, strict=True) if usual < _MOVES or v >= _STEADY * usual]
    own = [np.stack([a.curves, b.curves]) for a, b in paced]
    apart = np.array([[_distance(a, b) for b in own] for a in own])
    typical = int(np.argmin(np.median(apart, axis=1)))
    limit = max(_ALIKE, 1.5 * float(np.median(apart[typical])))
    nearest = np.argsort(apart[typical], kind="stable")[:_MOST_STRIDES]
    return [paced[i] for i in sorted(nearest) if apart[typical, i] <= limit]
