"""Joint moments and powers by name, whatever they come from: a simulation's record, or captured legs over platforms.

Moments are internal: what muscles or motors give. Extension of hip and knee, plantarflexion and abduction of the hip
are positive, as in Schwartz's tables. Powers are positive where a joint gives energy. Both are divided by body mass.

Everything goes through the same low-pass filter, a fourth-order Butterworth without lag at 10 Hz
(:func:`~footfall.study.measures.cycles.low_pass`): forces and moments, of simulations as of captured motion, paths and
turns, so that forces and accelerations are smoothed alike (Kristianslund et al. 2012).

Inverse dynamics of captured legs: Newton and Euler from the foot up, with the forces of force platforms.

For a segment of mass m with its centre c, angular momentum H, force F_d at its far end r_d (the ground's at the centre
of pressure, or minus that of the joint below) and moment M_d there, the joint at its near end r_p gives it

    F_p = m (a - g) - F_d        M_p = Ḣ - M_d - (r_p - c) × F_p - (r_d - c) × F_d

(Winter, Biomechanics and Motor Control of Human Movement, chapters 4, 5 and 7). Masses, centres and radii of gyration
are Winter's shares (table 4.1); about its length a segment has a smaller radius, by de Leva's ratios (1996): 0.48 of it
(foot), 0.40 (shank) and 0.45 (thigh).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.mjcf import body_points
from footfall.motion.gait.angles import anatomical_offset
from footfall.motion.motion import Motion
from footfall.motion.quaternion import conjugate, continuous, multiply, normalised, rotate
from footfall.motion.skeleton.roles import find_roles
from footfall.study.gait_lab.ground_forces import DOWNWARD, SIMULATED, FootForce
from footfall.study.measures.cycles import centred, low_pass
from footfall.study.measures.mean_cycles import MOMENTS, leg_signals

Array = NDArray[np.float64]


def motion_rates(figure: Figure, motion: Motion) -> Array:
    """qvel [T, nv] of a motion's coordinates: as recorded, else by differences."""
    if "qvel" in motion.channels:
        return np.asarray(motion.channels["qvel"], dtype=float)
    qpos, times = np.asarray(motion.channels["qpos"], dtype=float), motion.times
    qvel = np.empty((len(qpos), figure.nv))
    for t in range(len(qpos)):
        a, b = max(t - 1, 0), min(t + 1, len(qpos) - 1)
        mujoco.mj_differentiatePos(figure.model, qvel[t], times[b] - times[a], qpos[a], qpos[b])
    return qvel


SEGMENTS = {
    "ankle": ("toe", 0.0145, 0.5, 0.475, 0.48),
    "knee": ("ankle", 0.0465, 0.433, 0.302, 0.40),
    "hip": ("knee", 0.1, 0.433, 0.323, 0.45),
}
"""Joint -> far end of the segment below it, its mass in body masses, its centre from the joint and radius of gyration
about it in lengths (Winter, table 4.1), and the radius about its length as a share of that (after de Leva)."""


def leg_loads(motion: Motion, forces: Mapping[str, FootForce], mass: float) -> dict[str, tuple[Array, Array]]:
    """What joints, ``left_ankle`` …, give the segments below them, for legs with known ground forces: the moment [T, 3]
    in the segment's axes, forward, left and up along it, N m; and its power [T], W, by the segment's turn against the
    one above.

    Args:
        motion: a solved or captured skeleton.
        forces: of the ground, by side.
        mass: of the body, kilograms.
    """
    roles = find_roles(motion.skeleton)
    rate = motion.fps
    positions = low_pass(motion.positions(), rate)
    turns = normalised(low_pass(continuous(motion.orientations()), rate))
    spins = _spins(turns, motion.times)
    found: dict[str, tuple[Array, Array]] = {}
    for side, ground in forces.items():
        names = [f"{side}_{joint}" for joint in SEGMENTS]
        if any(name not in roles for name in names):
            continue
        force_below, moment_below, position_below = _ground(ground, positions[:, roles[f"{side}_ankle"]], rate)
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
            force = m * (acceleration - DOWNWARD) - force_below
            moment = np.gradient(momentum, motion.times, axis=0) - moment_below
            moment = moment - np.cross(near - middle, force) - np.cross(position_below - middle, force_below)
            local = rotate(conjugate(multiply(turns[:, at], anatomical_offset(motion, at))), moment)
            parent = int(motion.skeleton.parents[at])
            power = np.einsum("tk,tk->t", moment, spin - spins[:, parent])
            found[f"{side}_{joint}"] = (local, power)
            force_below, moment_below, position_below = -force, -moment, near
    return found


def _ground(ground: FootForce, ankle: Array, rate: float) -> tuple[Array, Array, Array]:
    """Force, moment and position of the ground's push on a foot; the moment at the ankle is smoothed, not the centre of
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


def _spins(turns: Array, times: Array) -> Array:
    """[T, J, 3] angular velocities in world axes of orientations [T, J, 4]."""
    rates = np.gradient(turns, times, axis=0)
    return np.asarray(2.0 * multiply(rates, conjugate(turns))[..., 1:])


@dataclass(frozen=True, eq=False)
class Kinetics:
    """Moments and powers.

    Attributes:
        signals: ``left_knee_extension_moment`` [T] N m/kg, ``left_knee_power`` [T] W/kg …
        power: [T] W, by every joint that is known, as positive power; of captured legs hips, knees and ankles.
        negative: [T] the same of those that take energy.
        source: where they are from.
    """

    signals: Mapping[str, Array] = field(default_factory=dict)
    power: Array = field(default_factory=lambda: np.zeros(0))
    negative: Array = field(default_factory=lambda: np.zeros(0))
    source: str = ""


def figure_kinetics(figure: Figure, motion: Motion, angles: Mapping[str, Array], mass: float) -> Kinetics:
    """Of a simulation: its recorded ``moment``, else the ``torque`` that its law asked for."""
    name = next((n for n in ("mean_moment", "moment") if n in motion.channels), "torque")
    if name not in motion.channels or "qpos" not in motion.channels or not figure.legs:
        return Kinetics()
    torque = np.asarray(motion.channels[name], dtype=float)
    torque = low_pass(np.nan_to_num(centred(torque) if name == "mean_moment" else torque), motion.fps)
    qvel = low_pass(motion_rates(figure, motion), motion.fps)
    rates = {angle: np.gradient(values, motion.times) for angle, values in angles.items()}
    signals = leg_signals(figure, torque, qvel, mass, qvel, rates)
    root = 6 if figure.root == "free" else 3
    every = torque[:, root:] * qvel[:, root:]
    said = "what acted at the joints" if name != "torque" else "the torques that the law asked for"
    return Kinetics(
        signals,
        np.maximum(every, 0.0).sum(axis=1),
        np.minimum(every, 0.0).sum(axis=1),
        f"simulation: {said}",
    )


@dataclass(frozen=True)
class EnergyBalance:
    """Where a simulated body's energy came from and went to, joules, summed from sample to sample without a filter.

    Attributes:
        given, taken: work of the joints above and below 0; motors, servos and stops.
        ground: work of the ground.
        change: of the body's kinetic and potential energy.
    """

    given: float
    taken: float
    ground: float
    change: float

    @property
    def unexplained(self) -> float:
        """What is left: the work of pushes and of limbs that touch, and what the time step loses."""
        return self.given + self.taken + self.ground - self.change

    @property
    def line(self) -> str:
        """In a sentence."""
        share = abs(self.unexplained) / max(self.given, 1e-9)
        return (
            f"energy: the joints gave {self.given:.0f} J and took {-self.taken:.0f} J, the ground took "
            f"{-self.ground:.0f} J, and the body's own changed by {self.change:+.0f} J; "
            f"{share:.1%} of what the joints gave is unexplained"
        )


def energy_balance(motion: Motion) -> EnergyBalance | None:
    """Of a simulation that recorded the means of what acted; None of other motions."""
    if not motion.figure_xml or not {"mean_moment", "mean_grf", "qvel", "qpos"} <= set(motion.channels):
        return None
    figure = Figure.load(motion.figure_xml)
    moment, grf = motion.channels["mean_moment"], motion.channels["mean_grf"]
    last = int(np.argmin(np.append(np.isfinite(moment).all(axis=1), False)))
    points = [(p.body, np.array(p.position)) for p in figure.points if p.ground]
    if last < 2 or len(points) != grf.shape[1]:
        return None
    qpos, qvel = (np.asarray(motion.channels[name][:last], dtype=float) for name in ("qpos", "qvel"))
    data, energy = mujoco.MjData(figure.model), []
    for q, v in zip(qpos[[0, -1]], qvel[[0, -1]], strict=True):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(figure.model, data)
        mujoco.mj_energyPos(figure.model, data)
        mujoco.mj_energyVel(figure.model, data)
        energy.append(float(data.energy.sum()))
    root = figure.root_freedoms
    step = np.diff(motion.times[:last])[:, None]
    work = (step * moment[: last - 1] * 0.5 * (qvel[1:] + qvel[:-1]))[:, root:]
    moved = np.diff(body_points(figure.model, qpos, points), axis=0)
    ground = float((grf[: last - 1] * moved).sum())
    return EnergyBalance(float(work[work > 0].sum()), float(work[work < 0].sum()), ground, energy[1] - energy[0])


def captured_kinetics(motion: Motion, forces: Mapping[str, FootForce], mass: float) -> Kinetics:
    """Of captured legs over force platforms; not a number where a foot's force is not known."""
    signals: dict[str, Array] = {}
    positive, negative = np.zeros(len(motion)), np.zeros(len(motion))
    for name, (moment, power) in leg_loads(motion, forces, mass).items():
        side, joint = name.split("_")
        known = forces[side].known
        sign = 1.0 if side == "left" else -1.0
        towards = {"hip": 1.0, "knee": -1.0, "ankle": 1.0}[joint]
        signals[f"{side}_{MOMENTS[joint]}"] = np.where(known, towards * moment[:, 1] / mass, np.nan)
        if joint == "hip":
            signals[f"{side}_hip_abduction_moment"] = np.where(known, sign * moment[:, 0] / mass, np.nan)
        signals[f"{side}_{joint}_power"] = np.where(known, power / mass, np.nan)
        positive += np.where(known, np.maximum(power, 0.0), np.nan)
        negative += np.where(known, np.minimum(power, 0.0), np.nan)
    if not signals:
        return Kinetics()
    source = "ground forces from motion alone" if SIMULATED[0] in motion.channels else "force platforms"
    return Kinetics(signals, positive, negative, f"inverse dynamics over {source}")
