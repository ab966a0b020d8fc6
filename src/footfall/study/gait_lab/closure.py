"""How well motion, masses and ground forces fit together: what the whole body's laws of motion leave unexplained.

    force residual = Σ F + m g - m c̈        moment residual = Σ (r - c) × F + T - L̇

with c the centre of mass and L the angular momentum of the segments' centres about it (segments' own spins are left
out). In per cent of the body's weight, and of its weight times the leg's length; root mean squares over the times at
which the forces on both feet are known and at least one acts. A figure's simulation has no residual but rounding.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.motion.motion import Motion
from footfall.motion.skeleton.mass_centre import mass_points
from footfall.study.gait_lab.ground_forces import FootForce
from footfall.study.gait_lab.limb_dynamics import GRAVITY, low_pass

__all__ = ["Closure", "captured_closure"]

Array = NDArray[np.float64]

EDGE = 0.05
"""Seconds at the ends of a recording in which no second derivative is trusted."""


@dataclass(frozen=True, eq=False)
class Closure:
    """Residuals of captured motion over platforms.

    Attributes:
        force: [3] per cent of the weight, root mean square, along the world's axes.
        moment: [3] per cent of weight times leg length.
        seconds: over which they were taken.
        carried: share of the weight that the platforms carried on average, per cent: 100 in steady walking.
        times: [n] of the frames that count.
    """

    force: Array
    moment: Array
    seconds: float
    carried: float
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
    force = low_pass(total, rate, 6.0) + mass * GRAVITY - mass * acceleration
    moment = low_pass(about, rate, 6.0) - np.gradient(momentum, times, axis=0)
    weight = 9.81 * mass
    return Closure(
        100.0 * np.sqrt((force[known] ** 2).mean(axis=0)) / weight,
        100.0 * np.sqrt((moment[known] ** 2).mean(axis=0)) / (weight * leg),
        float(known.sum() / rate),
        float(100.0 * total[known, 2].mean() / weight),
        times[known],
    )
