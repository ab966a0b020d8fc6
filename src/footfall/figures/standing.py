"""Where the parts of a figure are in its default pose, with the length of its legs."""

import itertools
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.mjcf import point_position, posed
from footfall.figures.parts import Joint
from footfall.figures.side_names import SIDES, Side

Array = NDArray[np.float64]


BENT = 0.2
"""Radians of a leg's joint that stands bent."""


@lru_cache(maxsize=8)
def standing_data(figure: Figure) -> Any:
    """MuJoCo's data of the pose in which it stands: the zero pose, unless its legs stand bent."""
    data = mujoco.MjData(figure.model)
    for name, angle in standing_bends(figure).items():
        data.qpos[figure.joint(name).qpos] = angle
    mujoco.mj_forward(figure.model, data)
    return data


def standing_bends(figure: Figure) -> dict[str, float]:
    """Radians by which the pitching joints of legs that stand bent are turned in the figure's own pose; empty where
    legs stand (nearly) straight."""
    links = {figure.body(link).index for leg in figure.legs.values() for link in leg.links}
    joints = [j for j in figure.joints if j.body in links and j.ndof == 1 and j.plane == "pitch"]
    bends = {joint.name: float(figure.default_qpos[joint.qpos]) for joint in joints}
    return bends if any(abs(angle) > BENT for angle in bends.values()) else {}


def joint_anchor(figure: Figure, role: str) -> Array | None:
    """[3] where the left joint of a role is."""
    if role not in figure.roles:
        return None
    dof, data = figure.joint(figure.roles[role][0]).dof, standing_data(figure)
    return np.array(data.xanchor[list(figure.model.jnt_dofadr).index(dof)])


def standing_soles(figure: Figure, side: str) -> Array:
    """[P, 3] the points of a foot."""
    points = [p for p in figure.points if p.foot == side and p.ground]
    return np.array([point_position(standing_data(figure), p.body, p.position) for p in points])


def hip_height(figure: Figure) -> float:
    """Metres from the sole up to the axis about which the thigh pitches."""
    figure.leg("left")
    hip = joint_anchor(figure, "hip_pitch")
    hip = joint_anchor(figure, "hip") if hip is None else hip
    if hip is None:
        raise FootfallError(f"figure '{figure.name}' has no hips that pitch")
    height = float(hip[2] - min(standing_soles(figure, side)[:, 2].min() for side in ("left", "right")))
    if not height > 0.0:
        raise FootfallError(
            f"figure '{figure.name}': its hips are {height:.3g} m above its soles in the zero pose; they must be above"
        )
    return height


_ENDING = re.compile(r"_(roll|pitch|yaw|twist)(_\d+)?$")
_PLACES = ("hip", "knee", "ankle")


@dataclass(frozen=True, eq=False)
class StandingJoint:
    """A joint of the body, in the world.

    Attributes:
        joint: the figure's.
        side: "left", "right" or None in the middle.
        role: the part that it plays, without its side: ``hip_roll``, ``knee``, ``waist_yaw``.
        part: where it is: ``hip``, ``knee``, ``waist``.
        anchor: [3] where it turns, metres.
        axis: [3] about what; of a hinge or slide, else zero.
    """

    joint: Joint
    side: Side | None
    role: str
    part: str
    anchor: Array
    axis: Array

    @property
    def tilt(self) -> float:
        """Degrees between a hinge's axis and the nearest of the world's."""
        return float(np.degrees(np.arccos(np.clip(np.abs(self.axis).max(), 0.0, 1.0)))) if self.axis.any() else 0.0


@dataclass(frozen=True, eq=False)
class Standing:
    """A figure in its default pose, x forward, y to its left, z up from the ground.

    Attributes:
        figure: which one.
        joints: those that move a part of it, without the root's.
        coms: [B, 3] centres of mass of its bodies.
        points: [P, 3] of its points.
        mass: of all, kg.
        com: [3] of all.
        hip_height: see :func:`hip_height`.
        leg_length: from hip to knee to ankle. Metres; NaN without legs.
        soles: by side, its length and width, metres.
    """

    figure: Figure
    joints: tuple[StandingJoint, ...]
    coms: Array
    points: Array
    mass: float
    com: Array
    hip_height: float
    leg_length: float
    soles: dict[Side, tuple[float, float]]


def standing_figure(figure: Figure) -> Standing:
    """A figure as it stands."""
    model = figure.model
    data = posed(model, figure.default_qpos)
    sites = {model.site(s).name or f"point{s}": data.site_xpos[s].copy() for s in range(model.nsite)}
    points = np.array([sites[p.name] for p in figure.points]).reshape(-1, 3)
    masses = np.array([body.mass for body in figure.bodies])
    coms = data.xipos[1:].copy()
    rooted = figure.root != "fixed"
    joints = tuple(_placed(figure, data, k) for k, j in enumerate(figure.joints) if not (rooted and j.body == 0))
    length = _leg_length(figure, joints)
    return Standing(
        figure,
        joints,
        coms,
        points,
        float(masses.sum()),
        masses @ coms / max(float(masses.sum()), 1e-12),
        hip_height(figure) if np.isfinite(length) else np.nan,
        length,
        {side: size for side in figure.legs if (size := _sole(figure, points, side)) is not None},
    )


def _placed(figure: Figure, data: mujoco.MjData, number: int) -> StandingJoint:
    joint = figure.joints[number]
    side, role = _role(figure, joint)
    axis = data.xaxis[number].copy() if joint.kind in ("hinge", "slide") else np.zeros(3)
    return StandingJoint(joint, side, role, _ENDING.sub("", role), data.xanchor[number].copy(), axis)


def _role(figure: Figure, joint: Joint) -> tuple[Side | None, str]:
    """Its side, and the first of its roles that says its part of a leg, or else the first."""
    for side, name in ((side, pair[k]) for pair in figure.sides.joints for k, side in enumerate(SIDES)):
        if name == joint.name:
            own = [role for role, pair in figure.roles.items() if name in pair]
            told = [role for role in own if role.startswith(_PLACES)]
            return side, (told or own)[0]
    return None, joint.name


def _leg_length(figure: Figure, joints: tuple[StandingJoint, ...]) -> float:
    """The way from hip to knee to ankle over the joints that pitch; the mean of both legs."""
    placed = {j.joint.name: j for j in joints if j.joint.plane in ("pitch", None)}
    lengths = []
    for leg in figure.legs.values():
        hips, ankles = ([n for n in part if n in placed][:1] for part in (leg.hip, leg.ankle))
        anchors = [placed[n].anchor for n in (*hips, *(n for n in leg.knee if n in placed), *ankles)]
        lengths += [sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(anchors))] if hips else []
    return float(np.mean(lengths)) if lengths else np.nan


def _sole(figure: Figure, points: Array, side: Side) -> tuple[float, float] | None:
    own = np.array([point for p, point in zip(figure.points, points) if p.foot == side and p.ground]).reshape(-1, 3)
    return None if not len(own) else (float(np.ptp(own[:, 0])), float(np.ptp(own[:, 1])))
