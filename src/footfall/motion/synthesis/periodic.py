"""Periodic motion from a clip: an averaged walk cycle as a few Fourier coefficients (SIMBICON, section 5).

The period T is that of the primary frequency of a representative joint. Every coordinate becomes

    θ(φ) = Σ_k  a_k cos 2πkφ + b_k sin 2πkφ

with the largest coefficients, taken one after the other until the error is small enough. Phase φ = 0.25 is the largest
flexion of the right hip, so that feet land near φ = 0.5 and φ = 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.editing.cutting import trimmed, without_rest_frame
from footfall.motion.gait.contact import annotate_contacts
from footfall.motion.gait.heading import facing, facing_angle
from footfall.motion.gait.joint_angles import leg_angles, trunk_lean
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
        if coordinate not in self.series:
            raise unknown_name("coordinate", coordinate, self.series)
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
    sideways place of the root join them.
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
    if anchor not in found:
        raise unknown_name("coordinate", anchor, found)
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
