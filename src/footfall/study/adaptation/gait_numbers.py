"""What a walk is like, in numbers without units, so that bodies of any size and mass can be held against each other.

Lengths are in hip heights H, times in √(H / g), speeds in √(g H), torques in m g H. Planar and spatial figures alike,
with or without arms, ankles or knees.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.figures.leg_room import LegRoom
from footfall.simulation.trace import Trace
from footfall.study.adaptation.body_facts import GRAVITY, body_mass, hip_height
from footfall.study.adaptation.foot_places import FootPlaces

__all__ = ["GRAVITY", "NUMBERS", "Units", "gait_numbers"]

Array = NDArray[np.float64]

NUMBERS = (
    "speed",
    "drift",
    "turn",
    "step_time",
    "double_support",
    "flight",
    "width",
    "lift",
    "lean",
    "sway",
    "limp",
    "slide",
    "scuff",
    "overlap",
    "shake",
    "effort",
    "steps",
)
"""speed: along the heading at the start. drift: sideways over forward way, or over half a hip height a second where it
stays in place. turn: rad of heading a unit of time. step_time: mean. double_support, flight: shares of the time. width:
between the feet, sideways. lift: of the swing foot's lowest point in the middle of a step. lean: rad, of the root,
forward. sway: rad, standard deviation of the root's lean and roll. limp: by how much left and right steps differ in
time. slide: farthest way of a stance foot's point between a third and two thirds of a step. scuff: share of steps whose
swing foot touches the ground in the middle. overlap: by how far the limbs of one leg are inside the other's while it
swings past, mean over steps. shake: joint accelerations, root mean square, over g / H. effort: mean of
summed squared torques. steps: exchanges of stance a unit of time."""


@dataclass(frozen=True)
class Units:
    """What a body measures its gait in.

    Attributes:
        length: H, metres. mass: kilograms.
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


def gait_numbers(trace: Trace, torque_squared: Array, units: Units, *, settle: float) -> dict[str, Array]:
    """[W] each number of the recorded worlds after ``settle`` seconds; NaN where a world took too few steps.

    Args:
        trace: of qpos and events. torque_squared: [W] mean summed squared torques, newton metres.
        units: of the body. settle: seconds.
    """
    figure, times = trace.figure, trace.times
    dt = float(times[1] - times[0])
    first = min(int(np.searchsorted(times, settle)), len(times) - 3)
    qpos, stance = trace.qpos[first:], trace.stance[first:]
    samples, worlds = qpos.shape[:2]
    span = (samples - 1) * dt
    planar = figure.root == "planar"
    left, right = (_touching(trace, figure, side)[first:] for side in ("left", "right"))
    found = {name: np.full(worlds, np.nan) for name in NUMBERS}
    lean, roll, yaw = _attitude(qpos, planar)
    moved = qpos[-1, :, : 1 if planar else 2] - qpos[0, :, : 1 if planar else 2]
    ahead = moved[:, 0]
    aside = np.zeros(worlds) if planar else moved[:, 1]
    found["speed"] = ahead / span / units.speed
    found["drift"] = np.abs(aside) / np.maximum(np.abs(ahead), 0.5 * units.length * span)
    found["turn"] = np.abs(np.unwrap(yaw, axis=0)[-1] - yaw[0]) / span * units.time
    found["double_support"] = (left & right).mean(axis=0)
    found["flight"] = (~left & ~right).mean(axis=0)
    found["lean"] = lean.mean(axis=0)
    found["sway"] = np.sqrt(lean.std(axis=0) ** 2 + roll.std(axis=0) ** 2)
    found["effort"] = torque_squared[:worlds] / units.torque**2
    joints = qpos[..., 3 if planar else 7 :]
    found["shake"] = np.sqrt((np.diff(joints, 2, axis=0) ** 2).mean(axis=(0, 2))) / dt**2 * units.time**2
    found["steps"] = (np.diff(stance, axis=0) != 0).sum(axis=0) / span * units.time
    _steps(trace, found, first, dt, units, left, right, yaw)
    return found


def _steps(
    trace: Trace,
    found: dict[str, Array],
    first: int,
    dt: float,
    units: Units,
    left: NDArray[np.bool_],
    right: NDArray[np.bool_],
    yaw: Array,
) -> None:
    """What is measured step by step."""
    figure, qpos, stance = trace.figure, trace.qpos[first:], trace.stance[first:]
    places = FootPlaces(figure)
    ground = [p.name for p in figure.points if p.ground]
    order = [ground.index(name) for name in places.names]
    contact = trace.contact[first:][..., order]
    at: list[tuple[int, NDArray[np.int64]]] = []
    for w in range(qpos.shape[1]):
        exchanges = np.flatnonzero(np.diff(stance[:, w])) + 1
        if len(exchanges) < 5:
            continue
        steps = np.diff(exchanges) * dt
        found["step_time"][w] = steps.mean() / units.time
        found["limp"][w] = abs(steps[0::2].mean() - steps[1::2].mean()) / steps.mean()
        at.append((w, np.array([(a + (b - a) // 3, (a + b) // 2, b - (b - a) // 3) for a, b in pairwise(exchanges)])))
    if not at:
        return
    poses = np.concatenate([qpos[m.ravel(), w] for w, m in at])
    feet, inside = places(poses), np.zeros(len(poses)) if figure.root == "planar" else LegRoom(figure)(poses)
    begins = np.cumsum([0] + [m.size for _, m in at])
    on_left = np.arange(len(places.names)) < places.left
    for (w, m), begin in zip(at, begins, strict=False):
        place = feet[begin : begin + m.size].reshape(len(m), 3, -1, 3)
        found["overlap"][w] = inside[begin : begin + m.size].reshape(len(m), 3).max(axis=1).mean() / units.length
        early, middle, late = m.T
        on_stance = np.where(stance[middle, w][:, None] == 0, on_left, ~on_left)
        held = contact[early, w] & contact[late, w] & on_stance
        way = np.linalg.norm(place[:, 2, :, :2] - place[:, 0, :, :2], axis=-1)
        found["slide"][w] = np.max(np.where(held, way, 0.0), axis=1).mean() / units.length
        heights = np.where(on_stance, np.inf, place[:, 1, :, 2])
        found["lift"][w] = heights.min(axis=1).mean() / units.length
        swing = np.where(stance[middle, w] == 0, right[middle, w], left[middle, w])
        found["scuff"][w] = swing.mean()
        standing = np.where(on_stance[..., None], place[:, 1], np.nan)[..., :2]
        centre = np.nanmean(standing, axis=1)
        across = np.stack([-np.sin(yaw[middle, w]), np.cos(yaw[middle, w])], axis=-1)[1:]
        side = np.where(stance[middle[1:], w] == 0, 1.0, -1.0)
        found["width"][w] = np.mean(side * np.einsum("sk,sk->s", np.diff(centre, axis=0), across)) / units.length


def _touching(trace: Trace, figure: Figure, side: str) -> NDArray[np.bool_]:
    names = [p.name for p in figure.points if p.ground]
    sole = np.array([names.index(p.name) for p in figure.points if p.foot == side and p.ground])
    return np.asarray(np.take(trace.contact, sole, axis=-1).any(axis=-1))


def _attitude(qpos: Array, planar: bool) -> tuple[Array, Array, Array]:
    """Lean forward, roll to the right and heading of the root, radians."""
    if planar:
        still = np.zeros(qpos.shape[:-1])
        return -qpos[..., 2], still, still
    w, x, y, z = np.moveaxis(qpos[..., 3:7], -1, 0)
    lean = np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0))
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    return lean, roll, np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
