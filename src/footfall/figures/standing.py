"""A figure as it stands in its default pose: where joints, masses and contact points are, and how long its legs are."""

import itertools
import re
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.figure import Figure
from footfall.figures.parts import Joint, Side

Array = NDArray[np.float64]

_ENDING = re.compile(r"_(roll|pitch|yaw|twist)(_\d+)?$")
_PLACES = ("hip", "knee", "ankle")


@dataclass(frozen=True, eq=False)
class StandingJoint:
    """A joint of the body, in the world.

    Attributes:
        joint: the figure's. side: "left", "right" or None in the middle.
        role: the part that it plays, without its side: ``hip_roll``, ``knee``, ``waist_yaw``.
        place: where it is: ``hip``, ``knee``, ``waist``.
        anchor: [3] where it turns, metres. axis: [3] about what; of a hinge or slide, else zero.
    """

    joint: Joint
    side: Side | None
    role: str
    place: str
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
        figure: which one. joints: those that move a part of it, without the root's.
        coms: [B, 3] centres of mass of its bodies. points: [P, 3] of its points.
        mass: of all, kg. com: [3] of all.
        hip_height: of the hips above the soles. leg_length: from hip to knee to ankle. Metres; NaN without legs.
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


def standing(figure: Figure) -> Standing:
    """A figure as it stands."""
    model = figure.model
    data = mujoco.MjData(model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_kinematics(model, data)
    sites = {model.site(s).name or f"point{s}": data.site_xpos[s].copy() for s in range(model.nsite)}
    points = np.array([sites[p.name] for p in figure.points]).reshape(-1, 3)
    masses = np.array([body.mass for body in figure.bodies])
    coms = data.xipos[1:].copy()
    rooted = figure.root != "fixed"
    joints = tuple(_placed(figure, data, k) for k, j in enumerate(figure.joints) if not (rooted and j.body == 0))
    height, length = _leg(figure, joints, points)
    return Standing(
        figure,
        joints,
        coms,
        points,
        float(masses.sum()),
        masses @ coms / max(float(masses.sum()), 1e-12),
        height,
        length,
        {side: size for side in figure.legs if (size := _sole(figure, points, side)) is not None},
    )


def _placed(figure: Figure, data: mujoco.MjData, number: int) -> StandingJoint:
    joint = figure.joints[number]
    side, role = _role(figure, joint)
    axis = data.xaxis[number].copy() if joint.kind in ("hinge", "slide") else np.zeros(3)
    return StandingJoint(joint, side, role, _ENDING.sub("", role), data.xanchor[number].copy(), axis)


def _role(figure: Figure, joint: Joint) -> tuple[Side | None, str]:
    """Its side, and the first of its roles that says its place in a leg, or else the first."""
    sides: tuple[Side, Side] = ("left", "right")
    for side, name in ((side, pair[k]) for pair in figure.sides.joints for k, side in enumerate(sides)):
        if name == joint.name:
            own = [role for role, pair in figure.roles.items() if name in pair]
            told = [role for role in own if role.startswith(_PLACES)]
            return side, (told or own)[0]
    return None, joint.name


def _leg(figure: Figure, joints: tuple[StandingJoint, ...], points: Array) -> tuple[float, float]:
    """Height of the hips above the soles, and the way from hip to knee to ankle; means of both legs."""
    placed = {j.joint.name: j for j in joints}
    heights, lengths = [], []
    for side, leg in figure.legs.items():
        chain = [
            next((n for n in part if placed[n].joint.plane in ("pitch", None)), "") for part in (leg.hip, leg.ankle)
        ]
        feet = [point[2] for p, point in zip(figure.points, points) if p.foot == side and p.ground]
        if not chain[0] or not feet:
            continue
        heights.append(placed[chain[0]].anchor[2] - min(feet))
        bends = [n for n in leg.knee if placed[n].joint.plane in ("pitch", None)]
        places = [placed[n].anchor for n in (chain[0], *bends, chain[1]) if n]
        lengths.append(sum(float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(places)))
    return (float(np.mean(heights)), float(np.mean(lengths))) if heights else (np.nan, np.nan)


def _sole(figure: Figure, points: Array, side: Side) -> tuple[float, float] | None:
    own = np.array([point for p, point in zip(figure.points, points) if p.foot == side and p.ground]).reshape(-1, 3)
    return None if not len(own) else (float(np.ptp(own[:, 0])), float(np.ptp(own[:, 1])))
