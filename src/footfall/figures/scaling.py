"""A figure of another size: a child, a giant.

Lengths grow with the height, L times. Without a mass of its own the body keeps its density, so that its mass grows by
M = L³ and its inertias by M L² = L⁵. Under the same gravity, times then grow with √L: a pendulum of another size
swings alike, only slower. What holds or damps a joint keeps to that time:

    angles                          as they are
    stiffness (kp, springs), dry friction of a joint        M L         (with gravity's torques)
    damping (kd)                    M L √L
    armature                        M L²

Strength is another matter. A muscle pulls with its cross-section, L², at an arm of L: torques grow with L³, that is
with the mass, which measurements of people support (S. Jaric, Muscle strength testing: use of normalisation for body
size, Sports Medicine 32(10), 2002, 615-631: torques scale with mass to the power 1). Gravity's torques grow with L⁴: a
child is strong for its weight, and a giant is weak. ``strength="similar"`` lets limits grow with M L instead, as a
machine that is built stronger.
"""

import math
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.mjcf import DOFS, is_solid, joint_kind, mjcf_text, point_position, posed
from footfall.figures.standing import standing_figure

Strength = Literal["muscle", "similar"]

_ALIKE_LENGTH, _ALIKE_MASS = 0.1, 0.2


@dataclass(frozen=True)
class SizeFactors:
    """How much larger a body is: ``length`` L and ``mass`` M, and how its torque limits follow."""

    length: float
    mass: float
    strength: Strength = "muscle"

    @property
    def stiffness(self) -> float:
        """Of torques per angle."""
        return self.mass * self.length

    @property
    def damping(self) -> float:
        """Of torques per angular velocity."""
        return self.mass * self.length * math.sqrt(self.length)

    @property
    def torque(self) -> float:
        """Of torque limits."""
        return self.mass if self.strength == "muscle" else self.mass * self.length


def scaled_figure(
    figure: Figure,
    *,
    height: float | None = None,
    mass: float | None = None,
    name: str = "",
    strength: Strength = "muscle",
) -> Figure:
    """The figure in another size, mirror-symmetric as it was.

    Args:
        figure: any figure.
        height: m, from the soles to the top; as it is if None.
        mass: kg, of the whole body; if None the density stays.
        name: of the new figure; by default the old one's with the height.
        strength: whether torque limits grow as muscles do, or with the weight and the size ("similar").
    """
    for what, value in (("height", height), ("mass", mass)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise FootfallError(f"{what} {value:g}: it should be positive and finite")
    if height is None and mass is None:
        raise FootfallError("scale: give a height or a mass")
    length = 1.0 if height is None else height / figure_height(figure)
    total = float(figure.model.body_mass.sum())
    factors = SizeFactors(length, length**3 if mass is None else mass / total, strength)
    new = copy(figure.model)
    _scale_bodies(new, factors)
    scale_servos(new, factors)
    new_name = name or f"{figure.name}-{height:g}m" if height is not None else name or f"{figure.name}-{mass:g}kg"
    comment = (
        f"{figure.name} in another size: lengths x {factors.length:.6g}, masses x {factors.mass:.6g}, torque limits x "
        f"{factors.torque:.6g}, stiffness x {factors.stiffness:.6g}, damping x {factors.damping:.6g}."
    )
    return Figure.load(mjcf_text(new, new_name, comment))


def size_of(figure: Figure, pattern: str = "human-28") -> SizeFactors:
    """How much larger a figure with legs is than another one, by its hips' height and its mass; one where the
    difference is small, within a tenth of the length and a fifth of the mass."""
    if figure.name == pattern:
        return SizeFactors(1.0, 1.0)
    other = Figure.load(pattern)
    length = standing_figure(figure).hip_height / standing_figure(other).hip_height
    mass = float(figure.model.body_mass.sum() / other.model.body_mass.sum())
    alike = abs(math.log(length)) < _ALIKE_LENGTH and abs(math.log(mass)) < _ALIKE_MASS
    return SizeFactors(1.0, 1.0) if alike else SizeFactors(length, mass)


def figure_height(figure: Figure) -> float:
    """Metres from the lowest point of the feet to the top of the highest geom or site, in the default pose."""
    model, data = figure.model, posed(figure.model, figure.default_qpos)
    soles = [p for p in figure.points if p.foot and p.ground]
    low = [point_position(data, p.body, p.position)[2] for p in soles]
    tops = [*data.xpos[1:, 2], *data.site_xpos[:, 2]]
    tops += [_top(model, data, g) for g in range(model.ngeom) if model.geom_bodyid[g] > 0]
    height = float(max(tops) - min(low, default=float(min(data.xpos[1:, 2]))))
    if height <= 0.0:
        raise FootfallError(f"figure '{figure.name}' has no height")
    return height


def scale_servos(model: Any, factors: SizeFactors) -> None:
    """Change gains, torque limits, springs, damping and armature of a model in place."""
    for j in range(model.njnt):
        kind, first = joint_kind(model, j), int(model.jnt_dofadr[j])
        if kind == "free":
            continue
        slide, dofs = kind == "slide", slice(first, first + DOFS[kind])
        arm = 1.0 / factors.length**2 if slide else 1.0  # force per length instead of torque per angle
        model.jnt_stiffness[j] *= factors.stiffness * arm
        model.dof_damping[dofs] *= factors.damping * arm
        model.dof_armature[dofs] *= factors.mass * factors.length**2 * arm
        model.dof_frictionloss[dofs] *= factors.stiffness / (factors.length if slide else 1.0)
        model.jnt_actfrcrange[j] *= factors.torque / (factors.length if slide else 1.0)
    for a in range(model.nu):
        slide = joint_kind(model, int(model.actuator_trnid[a, 0])) == "slide"
        arm = 1.0 / factors.length**2 if slide else 1.0
        servo = bool(np.any(model.actuator_biasprm[a, 1:3]))
        model.actuator_gainprm[a, 0] *= factors.stiffness * arm if servo else factors.torque
        model.actuator_biasprm[a, 1] *= factors.stiffness * arm
        model.actuator_biasprm[a, 2] *= factors.damping * arm
        model.actuator_forcerange[a] *= factors.torque / (factors.length if slide else 1.0)


def _scale_bodies(model: Any, factors: SizeFactors) -> None:
    """Change lengths, masses and inertias of a model in place."""
    size = factors.length
    for array in (model.body_pos, model.body_ipos, model.jnt_pos, model.geom_pos, model.geom_size, model.geom_aabb):
        array *= size
    for array in (model.site_pos, model.site_size):
        array *= size
    model.body_mass *= factors.mass
    model.body_inertia *= factors.mass * size**2
    for j in range(model.njnt):
        kind, at = joint_kind(model, j), int(model.jnt_qposadr[j])
        lengths = {"free": 3, "slide": 1}.get(kind, 0)
        for row in (model.qpos0, model.qpos_spring, *model.key_qpos):
            row[at : at + lengths] *= size
        if kind == "slide":
            model.jnt_range[j] *= size


def _top(model: Any, data: Any, g: int) -> float:
    """The highest point of a geom, at most: exact for balls, capsules and boxes."""
    turn, size, kind = data.geom_xmat[g].reshape(3, 3), model.geom_size[g], mujoco.mjtGeom(int(model.geom_type[g]))
    if not is_solid(model, g):
        return -np.inf
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return float(data.geom_xpos[g, 2] + size[0])
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return float(data.geom_xpos[g, 2] + size[0] + size[1] * abs(turn[2, 2]))
    box = model.geom_aabb[g]
    return float(data.geom_xpos[g, 2] + turn[2] @ box[:3] + np.abs(turn[2]) @ box[3:])


def figure_facts(figure: Figure) -> dict[str, float]:
    """Height and mass, where the centre of mass is in the default pose (as a share of the height), how many joints are
    driven, and the torque of the strongest one."""
    heights, masses = posed(figure.model, figure.default_qpos).xipos[:, 2], figure.model.body_mass
    height = figure_height(figure)
    return {
        "height_m": height,
        "mass_kg": float(masses.sum()),
        "centre_of_mass_height": float(masses @ heights / masses.sum()) / height,
        "joints": sum(joint.actuated for joint in figure.joints),
        "strongest_joint_Nm": float(np.max(figure.torque_limit, where=np.isfinite(figure.torque_limit), initial=0.0)),
    }
