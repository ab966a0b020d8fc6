"""Inverse dynamics of captured legs: Newton and Euler from the foot up, with the forces of force platforms.

For a segment of mass m with its centre c, angular momentum H, force F_d at its far end r_d (the ground's at the centre
of pressure, or minus that of the joint below) and moment M_d there, the joint at its near end r_p gives it

    F_p = m (a - g) - F_d        M_p = Ḣ - M_d - (r_p - c) × F_p - (r_d - c) × F_d

(Winter, Biomechanics and Motor Control of Human Movement, chapters 4, 5 and 7). Masses, centres and radii of gyration
are Winter's shares (table 4.1); about its length a segment has a smaller radius, by de Leva's ratios (1996): 0.48 of it
(foot), 0.40 (shank) and 0.45 (thigh). Paths, turns and forces go through a Butterworth low-pass filter of the fourth
order without lag, at the same 10 Hz for all, so that forces and accelerations are smoothed alike (Kristianslund et al.
2012).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.joint_angles import anatomical_offset
from footfall.motion.motion import Motion
from footfall.motion.quaternion import conjugate, continuous, multiply, normalised, rotate
from footfall.motion.skeleton.roles import find_roles
from footfall.study.gait_lab.ground_forces import FootForce

Array = NDArray[np.float64]

CUTOFF = 10.0
GRAVITY = np.array([0.0, 0.0, -9.81])
SEGMENTS = {
    "ankle": ("toe", 0.0145, 0.5, 0.475, 0.48),
    "knee": ("ankle", 0.0465, 0.433, 0.302, 0.40),
    "hip": ("knee", 0.1, 0.433, 0.323, 0.45),
}
"""Joint -> far end of the segment below it, its mass in body masses, its centre from the joint and radius of gyration
about it in lengths (Winter, table 4.1), and the radius about its length as a share of that (after de Leva)."""


@dataclass(frozen=True, eq=False)
class JointLoad:
    """What a joint gives the segment below it.

    Attributes:
        force, moment: [T, 3] newtons and newton metres, world axes.
        local: [T, 3] the moment in the segment's axes, forward, left and up along it.
        power: [T] watts: the moment times the segment's turn against the one above.
    """

    force: Array
    moment: Array
    local: Array
    power: Array


def low_pass(values: Array, rate: float, cutoff: float = CUTOFF) -> Array:
    """Values [T, …] through a zero-lag Butterworth filter (second order, both ways); as they are where too short or
    too slowly sampled for it."""
    if len(values) < 16 or rate < 2.5 * cutoff:
        return np.asarray(values, dtype=float)
    from scipy.signal import butter, filtfilt

    b, a = butter(2, cutoff / 0.802 / (0.5 * rate))
    return np.asarray(filtfilt(b, a, values, axis=0, padlen=min(3 * max(len(a), len(b)), len(values) - 1)))


def leg_loads(motion: Motion, forces: Mapping[str, FootForce], mass: float) -> dict[str, JointLoad]:
    """Loads by joint, ``left_ankle`` …, for legs with known ground forces.

    Args:
        motion: a solved or captured skeleton.
        forces: of the ground, by side. mass: of the body, kilograms.
    """
    roles = find_roles(motion.skeleton)
    rate = motion.fps
    positions = low_pass(motion.positions(), rate)
    turns = normalised(low_pass(continuous(motion.orientations()), rate))
    spins = _spins(turns, motion.times)
    found: dict[str, JointLoad] = {}
    for side, ground in forces.items():
        names = [f"{side}_{joint}" for joint in SEGMENTS]
        if any(name not in roles for name in names):
            continue
        force_below, moment_below, place_below = _ground(ground, positions[:, roles[f"{side}_ankle"]], rate)
        for joint, (far, share, centre, radius, slim) in SEGMENTS.items():
            at = roles[f"{side}_{joint}"]
            near = positions[:, at]
            end = (
                positions[:, roles[f"{side}_{far}"]] if f"{side}_{far}" in roles else _tip(motion, at, positions, turns)
            )
            m = share * mass
            middle = near + centre * (end - near)
            length = float(np.median(np.linalg.norm(end - near, axis=-1)))
            along = (end - near) / np.maximum(np.linalg.norm(end - near, axis=-1, keepdims=True), 1e-9)
            spin = spins[:, at]
            inertia = m * (radius * length) ** 2
            about = np.einsum("tk,tk->t", spin, along)[:, None] * along
            momentum = inertia * (spin - about) + slim**2 * inertia * about
            acceleration = np.gradient(np.gradient(middle, motion.times, axis=0), motion.times, axis=0)
            force = m * (acceleration - GRAVITY) - force_below
            moment = np.gradient(momentum, motion.times, axis=0) - moment_below
            moment = moment - np.cross(near - middle, force) - np.cross(place_below - middle, force_below)
            local = rotate(conjugate(_anatomical(motion, at, turns)), moment)
            parent = int(motion.skeleton.parents[at])
            power = np.einsum("tk,tk->t", moment, spin - spins[:, parent])
            found[f"{side}_{joint}"] = JointLoad(force, moment, local, power)
            force_below, moment_below, place_below = -force, -moment, near
    return found


def _ground(ground: FootForce, ankle: Array, rate: float) -> tuple[Array, Array, Array]:
    """Force, moment and place of the ground's push on a foot; the moment at the ankle is smoothed, not the centre of
    pressure, which jumps."""
    loaded = np.asarray(np.isfinite(ground.centre).all(axis=-1))
    centre = np.where(loaded[:, None], ground.centre, ankle)
    force = np.where(loaded[:, None], ground.force, 0.0)
    moment = np.cross(centre - ankle, force) + np.where(loaded, ground.twist, 0.0)[:, None] * np.array([0.0, 0.0, 1.0])
    return low_pass(force, rate), low_pass(moment, rate), ankle


def _tip(motion: Motion, joint: int, positions: Array, turns: Array) -> Array:
    """[T, 3] the end site of a joint, or the joint itself."""
    for end in motion.skeleton.ends:
        if end.joint == joint:
            return np.asarray(positions[:, joint] + rotate(turns[:, joint], np.array(end.offset)))
    return positions[:, joint]


def _anatomical(motion: Motion, joint: int, turns: Array) -> Array:
    """[T, 4] the axes of a joint's segment: forward, left and up in the rest pose."""
    return multiply(turns[:, joint], anatomical_offset(motion, joint))


def _spins(turns: Array, times: Array) -> Array:
    """[T, J, 3] angular velocities in world axes of orientations [T, J, 4]."""
    rates = np.gradient(turns, times, axis=0)
    return np.asarray(2.0 * multiply(rates, conjugate(turns))[..., 1:])
