"""Joint moments and powers by name, whatever they come from: a simulation's record, or captured legs over platforms.

Moments are internal: what muscles or motors give. Extension of hip and knee, plantarflexion and abduction of the hip
are positive, as in Schwartz's tables. Powers are positive where a joint gives energy. Both are divided by body mass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure, Side
from footfall.motion.motion import Motion
from footfall.study.gait_lab.ground_forces import FootForce
from footfall.study.gait_lab.inverse_dynamics import motion_rates
from footfall.study.gait_lab.limb_dynamics import leg_loads

Array = NDArray[np.float64]

ANGLE_OF = {"hip": "hip_flexion", "knee": "knee_flexion", "ankle": "ankle_dorsiflexion"}
MOMENTS = {"hip": "hip_extension_moment", "knee": "knee_extension_moment", "ankle": "ankle_plantarflexion_moment"}
_SIDES: tuple[Side, ...] = ("left", "right")


@dataclass(frozen=True, eq=False)
class Kinetics:
    """Moments and powers.

    Attributes:
        signals: ``left_knee_extension_moment`` [T] N m/kg, ``left_knee_power`` [T] W/kg …
        power: [T] W, by every joint that is known, as positive and as negative power.
        negative: [T] the same of those that take energy.
        source: where they are from, in words.
        scope: which joints the powers are of, in words.
    """

    signals: Mapping[str, Array] = field(default_factory=dict)
    power: Array = field(default_factory=lambda: np.zeros(0))
    negative: Array = field(default_factory=lambda: np.zeros(0))
    source: str = ""
    scope: str = ""


def figure_kinetics(figure: Figure, motion: Motion, angles: Mapping[str, Array], mass: float) -> Kinetics:
    """Of a simulation: its recorded ``moment``, else the ``torque`` that its law asked for.

    A joint's degree of freedom in a plane is the one whose rate follows that of the angle in this plane; so hinges may
    be in any order and of any sign.
    """
    name = "moment" if "moment" in motion.channels else "torque"
    if name not in motion.channels or "qpos" not in motion.channels or not figure.legs:
        return Kinetics()
    torque = np.nan_to_num(np.asarray(motion.channels[name], dtype=float))
    qvel, _ = motion_rates(figure, motion)
    rates = {angle: np.gradient(values, motion.times) for angle, values in angles.items()}
    signals: dict[str, Array] = {}
    for side in _SIDES:
        leg = figure.legs[side]
        for place, joints in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle)):
            dofs = [d for j in map(figure.joint, joints) for d in range(j.dof, j.dof + j.ndof)]
            if not dofs:
                continue
            signals[f"{side}_{place}_power"] = (torque[:, dofs] * qvel[:, dofs]).sum(axis=1) / mass
            found = following(qvel[:, dofs], rates.get(f"{side}_{ANGLE_OF[place]}"))
            if found is not None:
                k, sign = found
                signals[f"{side}_{MOMENTS[place]}"] = -sign * torque[:, dofs[k]] / mass
                aside = following(
                    np.delete(qvel[:, dofs], k, axis=1), rates.get(f"{side}_hip_adduction") if place == "hip" else None
                )
                if aside is not None:
                    other = [d for d in dofs if d != dofs[k]][aside[0]]
                    signals[f"{side}_hip_abduction_moment"] = -aside[1] * torque[:, other] / mass
    root = 6 if figure.root == "free" else 3
    every = torque[:, root:] * qvel[:, root:]
    said = "what acted at the joints" if name == "moment" else "the torques that the law asked for"
    return Kinetics(
        signals,
        np.maximum(every, 0.0).sum(axis=1),
        np.minimum(every, 0.0).sum(axis=1),
        f"simulation: {said}",
        "all joints",
    )


def following(rates: Array, wanted: Array | None) -> tuple[int, float] | None:
    """The column of ``rates`` [T, K] that follows a rate [T] best, and its sign; None where none does."""
    if wanted is None or not rates.shape[1] or np.ptp(wanted) < 1e-6:
        return None
    scores = []
    for column in rates.T:
        size = float(np.linalg.norm(column) * np.linalg.norm(wanted))
        scores.append(float(column @ wanted) / size if size > 1e-9 else 0.0)
    best = int(np.argmax(np.abs(scores)))
    return (best, float(np.sign(scores[best]))) if abs(scores[best]) > 0.3 else None


def captured_kinetics(motion: Motion, forces: Mapping[str, FootForce], mass: float) -> Kinetics:
    """Of captured legs over force platforms; not a number where a foot's force is not known."""
    signals: dict[str, Array] = {}
    positive, negative = np.zeros(len(motion)), np.zeros(len(motion))
    for name, load in leg_loads(motion, forces, mass).items():
        side, joint = name.split("_")
        known = forces[side].known
        sign = 1.0 if side == "left" else -1.0
        towards = {"hip": 1.0, "knee": -1.0, "ankle": 1.0}[joint]
        signals[f"{side}_{MOMENTS[joint]}"] = np.where(known, towards * load.local[:, 1] / mass, np.nan)
        if joint == "hip":
            signals[f"{side}_hip_abduction_moment"] = np.where(known, sign * load.local[:, 0] / mass, np.nan)
        signals[f"{side}_{joint}_power"] = np.where(known, load.power / mass, np.nan)
        positive += np.where(known, np.maximum(load.power, 0.0), np.nan)
        negative += np.where(known, np.minimum(load.power, 0.0), np.nan)
    if not signals:
        return Kinetics()
    return Kinetics(signals, positive, negative, "inverse dynamics over force platforms", "hips, knees and ankles")
