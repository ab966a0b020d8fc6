"""What a walk is like, in numbers without units, so that bodies of any size and mass can be held against each other.

Lengths are in hip heights H, times in √(H / g), speeds in √(g H), torques in m g H. Planar and spatial figures alike,
with or without arms, ankles or knees.

Where the soles of a figure are, for many states at once.

What a body is like where controllers care: how high, heavy and wide it stands, where its trunk's weight is, and what
its joints move. All in the pose in which it stands: straight, or bent as a bird's.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.places import LegRoom, places_of
from footfall.simulation.trace import Trace

__all__ = ["GRAVITY", "NUMBERS", "Units", "gait_numbers"]

Array = NDArray[np.float64]
GRAVITY = 9.81
MOST_LEAN, BENT = 0.25, 0.2
"""Radians: of a trunk, and of a leg's joint that stands bent."""


@lru_cache(maxsize=8)
def _still(figure: Figure) -> Any:
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


def _anchor(figure: Figure, role: str) -> Array | None:
    """[3] where the left joint of a role is."""
    if role not in figure.roles:
        return None
    dof, model = figure.joint(figure.roles[role][0]).dof, figure.model
    return np.array(next(_still(figure).xanchor[j] for j in range(model.njnt) if int(model.jnt_dofadr[j]) == dof))


def _soles(figure: Figure, side: str) -> Array:
    """[P, 3] the points of a foot."""
    data = _still(figure)
    points = [p for p in figure.points if p.foot == side and p.ground]
    return np.array([data.xpos[p.body + 1] + data.xmat[p.body + 1].reshape(3, 3) @ p.position for p in points])


def hip_height(figure: Figure) -> float:
    """Metres from the sole up to the axis about which the thigh pitches."""
    figure.leg("left")
    hip = _anchor(figure, "hip_pitch")
    hip = _anchor(figure, "hip") if hip is None else hip
    if hip is None:
        raise FootfallError(f"figure '{figure.name}' has no hips that pitch")
    height = float(hip[2] - min(_soles(figure, side)[:, 2].min() for side in ("left", "right")))
    if not height > 0.0:
        raise FootfallError(
            f"figure '{figure.name}': its hips are {height:.3g} m above its soles in the zero pose; they must be above"
        )
    return height


def body_mass(figure: Figure) -> float:
    """Kilograms in all."""
    return float(np.sum(figure.model.body_mass))


def leg_lengths(figure: Figure) -> tuple[float, float]:
    """Metres from hip to knee and from knee to ankle (without an ankle, to the sole)."""
    hip, knee, ankle = (_anchor(figure, role) for role in ("hip", "knee", "ankle"))
    if hip is None or knee is None:
        return 1.0, 1.0
    end = _soles(figure, "left").mean(axis=0) if ankle is None else ankle
    return float(np.linalg.norm((hip - knee)[[0, 2]])), float(np.linalg.norm((knee - end)[[0, 2]]))


def foot_spacing(figure: Figure) -> tuple[float, float]:
    """Metres between the middles of the feet, and the width of one."""
    left, right = _soles(figure, "left"), _soles(figure, "right")
    return float(abs(left[:, 1].mean() - right[:, 1].mean())), float(np.ptp(left[:, 1]))


def trunk_lean(figure: Figure) -> float:
    """Radians by which the centre of mass of all but the legs is ahead of the hips, as seen from them."""
    hip = _anchor(figure, "hip")
    legs = {figure.body(name).index for leg in figure.legs.values() for name in leg.links}
    trunk = np.array([b.index + 1 for b in figure.bodies if b.index not in legs])
    mass = figure.model.body_mass[trunk]
    if hip is None or not mass.sum() > 0.0:
        return 0.0
    centre = mass @ _still(figure).xipos[trunk] / mass.sum() - hip
    return float(np.arctan2(centre[0], centre[2])) if centre[2] > 0.0 else 0.0


def lean_change(source: Figure, target: Figure) -> float:
    """Radians by which ``target`` must lean forward for its trunk's weight to be where that of ``source`` is; 0 where
    it would be more than a trunk can lean: legs of another build carry it differently, as a bird's do."""
    change = trunk_lean(source) - trunk_lean(target)
    return change if abs(change) <= MOST_LEAN else 0.0


def joint_inertia(figure: Figure, dof: int) -> float:
    """Kilogram square metres that a joint turns, its motor's included."""
    full = np.zeros((figure.nv, figure.nv))
    mujoco.mj_fullM(figure.model, _still(figure), full)
    return float(full[dof, dof])


def weight_moment(figure: Figure, name: str) -> float:
    """Newton metres with which the body's weight, balanced on one leg, turns a pitching joint of that leg between
    trunk and ankle; 0 for other joints."""
    joint = figure.joint(name)
    links = {figure.body(link).index for leg in figure.legs.values() for link in leg.links}
    ankles = {*figure.roles.get("ankle", ()), *figure.roles.get("ankle_pitch", ())}
    if joint.plane != "pitch" or joint.body not in links or name in ankles:
        return 0.0
    model, data = figure.model, _still(figure)
    at = next(data.xanchor[j] for j in range(model.njnt) if int(model.jnt_dofadr[j]) == joint.dof)
    return float(body_mass(figure) * GRAVITY * abs(at[0] - data.subtree_com[0, 0]))


class FootPlaces:
    """Places of every ground point of the feet of a planar or spatial figure.

    Attributes:
        names: [P] of the points, the left foot's first.
        left: how many of them are the left foot's.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        soles = [[p for p in figure.points if p.foot == side and p.ground] for side in ("left", "right")]
        self.points = (*soles[0], *soles[1])
        self.names = tuple(p.name for p in self.points)
        self.left = len(soles[0])

    def __call__(self, qpos: Array) -> Array:
        """[N, P, 3] world places for states [N, nq]."""
        return places_of(self.figure, ((point.body, point.position) for point in self.points), qpos)


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
