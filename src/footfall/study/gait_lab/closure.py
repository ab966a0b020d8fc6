"""How well motion, masses and ground forces fit together: what the whole body's laws of motion leave unexplained.

    force residual = Σ F + m g - m c̈        moment residual = Σ (r - c) × F + T - L̇

with c the centre of mass and L the angular momentum of the segments' centres about it (segments' own spins are left
out). In per cent of the body's weight, and of its weight times the leg's length; root mean squares over the times at
which the forces on both feet are known and at least one acts. A figure's simulation has no residual but rounding.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.body_angles import progression
from footfall.motion.motion import Motion
from footfall.motion.skeleton.mass_centre import mass_points
from footfall.study.gait_lab.events import GaitEvents
from footfall.study.gait_lab.ground_forces import FootForce
from footfall.study.gait_lab.limb_dynamics import GRAVITY, low_pass

Array = NDArray[np.float64]

EDGE = 0.05
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
        carried: share of the weight that the platforms carried on average, per cent: 100 in steady walking.
        mass: kilograms of the body that the vertical forces fit best: their impulse over that of g and the centre of
            mass's acceleration.
        times: [n] of the frames that count.
    """

    force: Array
    moment: Array
    seconds: float
    carried: float
    mass: float
    times: Array


def captured_closure(
    motion: Motion,
    forces: Mapping[str, FootForce],
    mass: float,
    leg: float,
    between: tuple[float, float] = (-np.inf, np.inf),
) -> Closure | None:
    """Residuals; None where the forces on both feet are never known together.

    Args:
        motion: captured. forces: on both feet. mass: kilograms. leg: metres.
        between: seconds to look at.
    """
    times, rate = motion.times, motion.fps
    known = np.all([f.known for f in forces.values()], axis=0) & (sum(f.force[:, 2] for f in forces.values()) > 20.0)
    known &= (times > max(EDGE, between[0])) & (times < min(times[-1] - EDGE, between[1]))
    if len(forces) < 2 or not known.any():
        return None
    centres, shares = mass_points(motion)
    centres = low_pass(centres, rate, 6.0)
    shares = shares / shares.sum() * mass
    com = np.einsum("tjk,j->tk", centres, shares) / mass
    acceleration = np.gradient(np.gradient(com, times, axis=0), times, axis=0)
    away = centres - com[:, None]
    momentum = np.einsum("tjk,j->tk", np.cross(away, np.gradient(away, times, axis=0)), shares)
    total, about = np.zeros((len(times), 3)), np.zeros((len(times), 3))
    for foot in forces.values():
        on = np.asarray(np.isfinite(foot.centre).all(axis=-1))
        arm = np.where(on[:, None], foot.centre - com, 0.0)
        total += foot.force
        about += np.cross(arm, foot.force)
        about[:, 2] += np.where(on, foot.twist, 0.0)
    smooth = low_pass(total, rate, 6.0)
    ahead = progression(motion)
    force = _along(smooth + mass * GRAVITY - mass * acceleration, ahead)
    moment = _along(low_pass(about, rate, 6.0) - np.gradient(momentum, times, axis=0), ahead)
    weight = 9.81 * mass
    return Closure(
        100.0 * np.sqrt((force[known] ** 2).mean(axis=0)) / weight,
        100.0 * np.sqrt((moment[known] ** 2).mean(axis=0)) / (weight * leg),
        float(known.sum() / rate),
        float(100.0 * total[known, 2].mean() / weight),
        float(smooth[known, 2].sum() / (acceleration[known, 2] + 9.81).sum()),
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
    """The residuals of single supports in words, and the mass that their forces fit where it is not ``mass``."""
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
