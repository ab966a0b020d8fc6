"""What a body is like where controllers care: how high, heavy and wide it stands, where its trunk's weight is, what its
joints move, where its soles are; and the units in which it measures its gait: lengths in hip heights H, times in
√(H / g), speeds in √(g H), torques in m g H.

All in the pose in which it stands: straight, or bent as a bird's. Planar and spatial figures alike.
"""

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.figures.standing import hip_height, joint_anchor, standing_data, standing_soles

Array = NDArray[np.float64]
MOST_LEAN = 0.25
"""Radians of a trunk."""


def body_mass(figure: Figure) -> float:
    """Kilograms in all."""
    return float(np.sum(figure.model.body_mass))


def thigh_and_shank(figure: Figure) -> tuple[float, float]:
    """Metres from hip to knee and from knee to ankle (without an ankle, to the sole)."""
    hip, knee, ankle = (joint_anchor(figure, role) for role in ("hip", "knee", "ankle"))
    if hip is None or knee is None:
        return 1.0, 1.0
    end = standing_soles(figure, "left").mean(axis=0) if ankle is None else ankle
    return float(np.linalg.norm((hip - knee)[[0, 2]])), float(np.linalg.norm((knee - end)[[0, 2]]))


def foot_spacing(figure: Figure) -> tuple[float, float]:
    """Metres between the middles of the feet, and the width of one."""
    left, right = standing_soles(figure, "left"), standing_soles(figure, "right")
    return float(abs(left[:, 1].mean() - right[:, 1].mean())), float(np.ptp(left[:, 1]))


def standing_trunk_lean(figure: Figure) -> float:
    """Radians by which the centre of mass of all but the legs is ahead of the hips, as seen from them."""
    hip = joint_anchor(figure, "hip")
    legs = {figure.body(name).index for leg in figure.legs.values() for name in leg.links}
    trunk = np.array([b.index + 1 for b in figure.bodies if b.index not in legs])
    mass = figure.model.body_mass[trunk]
    if hip is None or not mass.sum() > 0.0:
        return 0.0
    centre = mass @ standing_data(figure).xipos[trunk] / mass.sum() - hip
    return float(np.arctan2(centre[0], centre[2])) if centre[2] > 0.0 else 0.0


def lean_change(source: Figure, target: Figure) -> float:
    """Radians by which ``target`` must lean forward for its trunk's weight to be where that of ``source`` is; 0 where
    it would be more than a trunk can lean: legs of another build carry it differently, as a bird's do."""
    change = standing_trunk_lean(source) - standing_trunk_lean(target)
    return change if abs(change) <= MOST_LEAN else 0.0


def joint_inertia(figure: Figure, dof: int) -> float:
    """Kilogram square metres that a joint turns, its motor's included."""
    full = np.zeros((figure.nv, figure.nv))
    mujoco.mj_fullM(figure.model, standing_data(figure), full)
    return float(full[dof, dof])


def weight_moment(figure: Figure, name: str) -> float:
    """Newton metres with which the body's weight, balanced on one leg, turns a pitching joint of that leg between
    trunk and ankle; 0 for other joints."""
    joint = figure.joint(name)
    links = {figure.body(link).index for leg in figure.legs.values() for link in leg.links}
    ankles = {*figure.roles.get("ankle", ()), *figure.roles.get("ankle_pitch", ())}
    if joint.plane != "pitch" or joint.body not in links or name in ankles:
        return 0.0
    model, data = figure.model, standing_data(figure)
    at = next(data.xanchor[j] for j in range(model.njnt) if int(model.jnt_dofadr[j]) == joint.dof)
    return float(body_mass(figure) * GRAVITY * abs(at[0] - data.subtree_com[0, 0]))


@dataclass(frozen=True)
class Units:
    """What a body measures its gait in.

    Attributes:
        length: H, metres.
        mass: kilograms.
    """

    length: float
    mass: float

    @classmethod
    def of(cls, figure: Figure) -> "Units":
        """The units of a figure."""
        return cls(hip_height(figure), body_mass(figure))

    @property
    def time(self) -> float:
        """Seconds."""
        return math.sqrt(self.length / GRAVITY)

    @property
    def speed(self) -> float:
        """Metres a second."""
        return math.sqrt(self.length * GRAVITY)

    @property
    def weight(self) -> float:
        """Newtons."""
        return self.mass * GRAVITY

    @property
    def torque(self) -> float:
        """Newton metres."""
        return self.weight * self.length
