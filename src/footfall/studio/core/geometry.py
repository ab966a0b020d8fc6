"""Where bodies are: kinematics, headings, rays that meet the ground, forces to draw."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.figures.ball_joints import pad_samples
from footfall.motion.quaternion import rotate
from footfall.terrain import Terrain

Array = NDArray[np.float64]


class Pads:
    """The pads of a figure's feet."""

    def __init__(self, figure: Figure) -> None:
        self._model: Any = figure.model
        feet = [figure.body(leg.foot).index for leg in figure.legs.values()]
        self._feet = [(body, *pad_samples(figure, body)) for body in feet]

    def forces(self, data: Any, terrain: Terrain, ground: Ground) -> tuple[Array, Array]:
        """Lowest points [K, 3] of all pads and newtons [K, 3] on each, in the pose and with the velocities of MuJoCo's
        data."""
        places, totals = [], []
        for body, pads, samples in self._feet:
            turn = data.xmat[body + 1].reshape(3, 3)
            at = data.xpos[body + 1] + samples @ turn.T
            six = np.zeros(6)
            mujoco.mj_objectVelocity(self._model, data, mujoco.mjtObj.mjOBJ_XBODY, body + 1, six, 0)
            velocity = six[3:] + np.cross(six[:3], at - data.xpos[body + 1])
            depth = np.asarray(terrain.height(at[..., 0], at[..., 1])) - at[..., 2]
            normal = np.where(
                depth >= 0, np.maximum(ground.stiffness * depth - ground.damping * velocity[..., 2], 0.0), 0.0
            )
            sliding = np.hypot(velocity[..., 0], velocity[..., 1])
            grip = ground.friction * normal / np.maximum(sliding, max(ground.locking_speed, 1e-9))
            force = np.stack([-grip * velocity[..., 0], -grip * velocity[..., 1], normal], axis=-1)
            centre = data.xpos[body + 1] + pads[:, :3] @ turn.T
            places.append(centre - pads[:, 3:] * [0.0, 0.0, 1.0])
            totals.append(force.sum(axis=1))
        return np.concatenate(places), np.concatenate(totals)


@dataclass(frozen=True, eq=False)
class Placed:
    """A figure in a pose, in the world.

    Attributes:
        position: [B, 3] each body's joint (its frame's origin where it has none).
        wxyz: [B, 4] orientations.
        com: [3] centre of mass of the whole.
        points: [P, 3] contact points.
        velocity: [P, 3] theirs.
    """

    position: Array
    wxyz: Array
    com: Array
    points: Array
    velocity: Array


class Kinematics:
    """Kinematics of one figure."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure
        self._model: Any = figure.model
        self._data = mujoco.MjData(self._model)
        self.anchors = np.zeros((len(figure.bodies), 3))
        for joint in figure.joints:
            if joint.kind in ("hinge", "ball") and not self.anchors[joint.body].any():
                self.anchors[joint.body] = joint.anchor
        self._sites = [mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_SITE, p.name) for p in figure.points]

    def place(self, qpos: Array, qvel: Array | None = None) -> Placed:
        """Everything for coordinates qpos [nq] (and rates qvel [nv])."""
        data = self._data
        data.qpos[:] = qpos
        data.qvel[:] = 0.0 if qvel is None else qvel
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_comPos(self._model, data)
        wxyz = data.xquat[1:].copy()
        velocity = np.zeros((len(self._sites), 3))
        if qvel is not None:
            mujoco.mj_comVel(self._model, data)
            six = np.zeros(6)
            for i, site in enumerate(self._sites):
                mujoco.mj_objectVelocity(self._model, data, mujoco.mjtObj.mjOBJ_SITE, site, six, 0)
                velocity[i] = six[3:]
        return Placed(
            position=data.xpos[1:] + rotate(wxyz, self.anchors),
            wxyz=wxyz,
            com=data.subtree_com[1].copy(),
            points=data.site_xpos[self._sites].copy() if self._sites else np.zeros((0, 3)),
            velocity=velocity,
        )

    def joint_axis(self, joint: str) -> tuple[Array, Array]:
        """World axis [3] and anchor [3] of a joint in the pose placed last."""
        number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        return self._data.xaxis[number].copy(), self._data.xanchor[number].copy()

    def body_pose(self, body: int) -> tuple[Array, Array]:
        """World position [3] and orientation [4] of a body's own frame in the pose placed last."""
        return self._data.xpos[body + 1].copy(), self._data.xquat[body + 1].copy()

    def clearance(self, qpos: Array, terrain: Terrain) -> float:
        """How high the lowest ground point of a pose qpos [nq] is over the ground."""
        placed = self.place(qpos)
        points = np.array([p for p, point in zip(placed.points, self.figure.points) if point.ground])
        if len(points) == 0:
            return 0.0
        return float(np.min(points[:, 2] - terrain.height(points[:, 0], points[:, 1])))

    def ground_forces(
        self, placed: Placed, anchors: Array, contact: NDArray[np.bool_], terrain: Terrain, ground: Ground
    ) -> tuple[Array, Array]:
        """Positions [F, 3] and newtons [F, 3] of the ground's springs and dampers at this very moment
        (:mod:`footfall.dynamics.ground`): at the points that are in contact [P], or at the pads of the feet.

        Call it after the pose was placed with its velocities.
        """
        if ground.law == "sampled":
            return self._pads.forces(self._data, terrain, ground)
        forces = np.zeros((len(self._sites), 3))
        height = terrain.height(placed.points[:, 0], placed.points[:, 1])
        for i, point in enumerate(self.figure.points):
            if not point.ground or not contact[i] or placed.points[i, 2] >= height[i]:
                continue
            force = ground.stiffness * (anchors[i] - placed.points[i]) - ground.damping * placed.velocity[i]
            if force[2] <= 0:
                continue
            slip, most = float(np.hypot(force[0], force[1])), ground.friction * force[2]
            if slip > most:
                force[:2] *= most / slip
            forces[i] = force
        return placed.points, forces

    @cached_property
    def _pads(self) -> Pads:
        return Pads(self.figure)

    @cached_property
    def ends(self) -> list[tuple[str, int, Array]]:
        """Handles of a pose: (joint, body, point in the body's frame) for every actuated hinge, and for the torso of a
        planar figure.

        The point is the far end of the limb that the joint turns: its child's joint, or its farthest contact point.
        """
        handles = [(joint, self._torso.index, self._torso_top()) for joint in self.torso_joints]
        for joint in self.figure.joints:
            if not joint.actuated or joint.kind != "hinge":
                continue
            reach = self._far_end(joint.body)
            across = np.linalg.norm(np.cross(reach - self.anchors[joint.body], joint.axis))
            if across > 0.02:
                handles.append((joint.name, joint.body, reach))
        return handles

    @cached_property
    def _torso(self) -> Any:
        return self.figure.body(self.figure.torso)

    @cached_property
    def torso_joints(self) -> tuple[str, ...]:
        """The root's joint that turns the torso of a planar figure; none for others."""
        if self.figure.root != "planar":
            return ()
        turning = [j.name for j in self.figure.joints if not j.actuated and j.kind == "hinge"]
        return tuple(turning[:1])

    def _torso_top(self) -> Array:
        """The point of the torso that is farthest from its joint."""
        points = [p.position for p in self.figure.points if p.body == self._torso.index]
        options = [*points, 2.0 * np.asarray(self._torso.com) - self.anchors[self._torso.index]]
        return np.asarray(max(options, key=lambda p: float(p[2])), dtype=float)

    def _far_end(self, body: int) -> Array:
        parts = self.figure.bodies
        children = [c.position + self.anchors[c.index] for c in parts if c.parent == body]
        points = [p.position for p in self.figure.points if p.body == body]
        if len(children) == 1 and not points:
            return np.asarray(children[0], dtype=float)
        options = [*points, *children] or [2.0 * np.asarray(parts[body].com) - self.anchors[body]]
        return np.asarray(max(options, key=lambda p: float(np.linalg.norm(p - self.anchors[body]))), dtype=float)


FARTHEST = 80.0
SAMPLES = 1600


def ground_hit(terrain: Terrain, origin: Array, direction: Array) -> Array | None:
    """[3] where a ray first meets the ground; None where it does not within ``FARTHEST`` metres.

    Args:
        terrain: the ground.
        origin, direction: [3] the ray's, in the world's axes.
    """
    way = np.asarray(direction, dtype=float)
    way = way / np.linalg.norm(way)
    along = np.linspace(0.0, FARTHEST, SAMPLES)

    def above(t: Array) -> Array:
        points = origin + t[:, None] * way
        return np.asarray(points[:, 2] - terrain.height(points[:, 0], points[:, 1]))

    under = np.flatnonzero(above(along) <= 0.0)
    if len(under) == 0 or under[0] == 0:
        return None
    low, high = along[under[0] - 1], along[under[0]]
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if above(np.array([middle]))[0] <= 0 else (middle, high)
    return np.asarray(origin + high * way)


def heading_of(qpos: NDArray[np.float64]) -> float:
    """The heading of a free root in coordinates qpos [nq], radians from the world's x to its y."""
    w, x, y, z = (float(v) for v in qpos[3:7])
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def place_beside(root: str, qpos: Array, aside: ArrayLike, terrain: Terrain) -> Array:
    """[3] on the ground, so far ahead and to the left of coordinates qpos [nq] of a ``root``, as it faces."""
    turn, (ahead, left) = heading_of(qpos) if root == "free" else 0.0, np.asarray(aside, dtype=float)
    x = qpos[0] + math.cos(turn) * ahead - math.sin(turn) * left
    y = (0.0 if root == "planar" else qpos[1]) + math.sin(turn) * ahead + math.cos(turn) * left
    return np.array([x, y, float(terrain.height(x, y))])
