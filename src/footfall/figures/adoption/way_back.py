"""The way back: states, torques and names of an adopted body in those of the file that it came from.

A joint's coordinate in the file is its sign times footfall's plus an offset. The root may be another link there: its
pose follows from the pose of the link that carries the legs, by the file's own kinematics; its velocity from

    v_root = J_root⁻¹ (v_link - J_joints v_joints),

J the Jacobian of that link in the original model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.figures.adoption.loops import closed, followed
from footfall.figures.mjcf import matrix_quaternion, posed, rotation_matrix

Array = NDArray[np.float64]


def _each(one: Callable[..., Array]) -> Callable[..., Array]:
    """A method of one world's rows, made one of rows [..., n] of many; its answer is shaped as the last of them."""

    @wraps(one)
    def of_many(self: Adoption, *states: Array) -> Array:
        rows = (np.atleast_2d(np.asarray(state, dtype=np.float64)) for state in states)
        return np.array([one(self, *row) for row in zip(*rows, strict=True)]).reshape(*np.shape(states[-1])[:-1], -1)

    return of_many


@dataclass(frozen=True)
class Finding:
    """What was found: the question, the answer, how it was found; ``warns`` where a person should look."""

    what: str
    found: str
    how: str = ""
    warns: bool = False


@dataclass(frozen=True)
class OriginalJoint:
    """A joint in its file: original = sign * footfall's + offset (balls: left * q * right, as quaternions)."""

    name: str
    sign: float
    offset: float
    qpos: int
    dof: int
    left: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    right: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Adoption:
    """Where an adopted body comes from, and the way back.

    Attributes:
        source: path of the file.
        original: its compiled model, as read (meshes that are missing left out, a free joint added where the file has
            none).
        joints: footfall's joint name -> that of the file, with sign and offset.
        body_names: footfall's body name -> names of the file's bodies that it is made of.
        findings: what was found and how.
    """

    source: Path
    original: Any = field(repr=False)
    joints: Mapping[str, OriginalJoint]
    body_names: Mapping[str, tuple[str, ...]]
    findings: tuple[Finding, ...]
    planar: bool
    base: Array = field(repr=False)
    """[nq] of the original in the zero pose: joints that were welded stay as there."""
    hub: int
    """Body of the original that carries the legs."""
    hub_turn: Array = field(repr=False)
    """[3, 3] from the axes of that body to those of footfall's root."""
    hub_position: Array = field(repr=False)
    """[3] footfall's root in that body's frame."""
    turn: Array = field(repr=False)
    """[3, 3] from the file's world to footfall's."""
    layout: Mapping[str, tuple[int, int, int]] = field(repr=False)
    """footfall's joint name -> qpos address, dof address, width in qpos."""
    follow: tuple[int, ...] = field(default=(), repr=False)
    """Velocities of the original that others ask for: gear wheels, rods of closed loops."""

    def body_of(self, original: str) -> str | None:
        """footfall's name of the body that a body of the file is part of; None for no such body."""
        return next((name for name, bodies in self.body_names.items() if original in bodies), None)

    def joint_of(self, original: str) -> str | None:
        """footfall's name of a joint of the file; None for no such joint."""
        return next((name for name, joint in self.joints.items() if joint.name == original), None)

    def _joints_out(self, qpos: Array) -> Array:
        out = np.array(self.base)
        for name, joint in self.joints.items():
            at, _, width = self.layout[name]
            if width == 4:
                out[joint.qpos : joint.qpos + 4] = product(joint.left, qpos[at : at + 4], joint.right)
            else:
                out[joint.qpos] = joint.sign * qpos[at] + joint.offset
        return closed(self.original, out, self.follow) if self.follow else out

    @_each
    def to_original_torque(self, torque: Array) -> Array:
        """[..., nv] joint torques of the figure as [..., nv] of the original model; the root's are zero."""
        out = np.zeros(self.original.nv)
        for name, joint in self.joints.items():
            _, dof, width = self.layout[name]
            if width == 4:
                out[joint.dof : joint.dof + 3] = rotation_matrix(joint.right).T @ torque[dof : dof + 3]
            else:
                out[joint.dof] = joint.sign * torque[dof]
        return out

    def _root_pose(self, qpos: Array) -> tuple[Array, Array]:
        """Rotation and position of footfall's root in its world."""
        if self.planar:
            s, c = np.sin(-qpos[2]), np.cos(qpos[2])
            return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]), np.array([qpos[0], 0.0, qpos[1]])
        return rotation_matrix(qpos[3:7]), np.array(qpos[:3])

    @_each
    def to_original_qpos(self, qpos: Array) -> Array:
        """[..., nq] states of the figure as [..., nq] of the original model."""
        out = self._joints_out(qpos)
        data = posed(self.original, out)
        turn, place = self._root_pose(qpos)
        wanted = self.turn.T @ turn @ self.hub_turn  # axes of the hub's body in the file's world
        spot = self.turn.T @ place - wanted @ self.hub_position
        have, there = data.xmat[self.hub].reshape(3, 3), data.xpos[self.hub]
        move = wanted @ have.T
        if not self.planar:
            out[:3] = spot + move @ (out[:3] - there)
            out[3:7] = matrix_quaternion(move @ rotation_matrix(out[3:7]))
            return out
        for _ in range(2):  # the slides act along the file's fixed axes: turn first, then place
            data = posed(self.original, out)
            have = data.xmat[self.hub].reshape(3, 3)
            angle = np.arctan2(*(wanted @ have.T)[[0, 0], [2, 0]])
            x, z, hinge = self._planar_root()
            out[hinge] += angle * float(np.sign(data.xaxis[hinge][1]))
            data = posed(self.original, out)
            away = spot - data.xpos[self.hub]
            out[x] += away @ data.xaxis[x]
            out[z] += away @ data.xaxis[z]
        return out

    def _planar_root(self) -> tuple[int, int, int]:
        """Joints of the original that slide along x and z, and turn."""
        axes = [np.abs(self.original.jnt_axis[j]) for j in range(3)]
        hinge = next(j for j in range(3) if int(self.original.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_HINGE))
        x, z = sorted((j for j in range(3) if j != hinge), key=lambda j: axes[j][2])
        return x, z, hinge

    @_each
    def from_original_qpos(self, qpos: Array) -> Array:
        """[..., nq] states of the original model as those of the figure."""
        data = posed(self.original, qpos)
        have = data.xmat[self.hub].reshape(3, 3)
        turn = self.turn @ have @ self.hub_turn.T
        place = self.turn @ (data.xpos[self.hub] + have @ self.hub_position)
        out = np.zeros(max(at + width for at, _, width in self.layout.values()))
        if self.planar:
            out[:3] = place[0], place[2], -np.arctan2(turn[0, 2], turn[0, 0])
        else:
            out[:3], out[3:7] = place, matrix_quaternion(turn)
        for name, joint in self.joints.items():
            at, _, width = self.layout[name]
            if width == 4:
                left, right = inverse(joint.left), inverse(joint.right)
                out[at : at + 4] = product(left, qpos[joint.qpos : joint.qpos + 4], right)
            else:
                out[at] = joint.sign * (qpos[joint.qpos] - joint.offset)
        return out

    @_each
    def to_original_qvel(self, qpos: Array, qvel: Array) -> Array:
        """[..., nv] velocities at these states, of the original model."""
        jacobian = self._hub_jacobian(posed(self.original, self.to_original_qpos(qpos)))
        out = self.to_original_torque(qvel)
        if self.follow:
            out = followed(self.original, self.to_original_qpos(qpos), out, self.follow)
        if self.planar:
            linear, angular = np.array([qvel[0], 0.0, qvel[1]]), np.array([0.0, -qvel[2], 0.0])
        else:
            linear, angular = qvel[:3], self._root_pose(qpos)[0] @ qvel[3:6]
        wanted = np.concatenate([self.turn.T @ linear, self.turn.T @ angular])
        rooted = 3 if self.planar else 6
        rest = wanted - jacobian[:, rooted:] @ out[rooted:]
        out[:rooted] = np.linalg.lstsq(jacobian[:, :rooted], rest, rcond=None)[0]
        return out

    @_each
    def from_original_qvel(self, qpos: Array, qvel: Array) -> Array:
        """[..., nv] velocities of the original model at its states ``qpos``, as those of the figure."""
        data = posed(self.original, qpos)
        moving = self._hub_jacobian(data) @ qvel
        linear, angular = self.turn @ moving[:3], self.turn @ moving[3:]
        out = np.zeros(max(dof + (3 if width == 4 else 1) for _, dof, width in self.layout.values()))
        if self.planar:
            out[:3] = linear[0], linear[2], -angular[1]
        else:
            turn = self.turn @ data.xmat[self.hub].reshape(3, 3) @ self.hub_turn.T
            out[:3], out[3:6] = linear, turn.T @ angular
        for name, joint in self.joints.items():
            _, dof, width = self.layout[name]
            if width == 4:
                out[dof : dof + 3] = rotation_matrix(joint.right) @ qvel[joint.dof : joint.dof + 3]
            else:
                out[dof] = joint.sign * qvel[joint.dof]
        return out

    def _hub_jacobian(self, data: Any) -> Array:
        """[6, nv] of footfall's root, linear then angular, in the file's world."""
        mujoco.mj_comPos(self.original, data)
        linear, angular = np.zeros((3, self.original.nv)), np.zeros((3, self.original.nv))
        place = data.xpos[self.hub] + data.xmat[self.hub].reshape(3, 3) @ self.hub_position
        mujoco.mj_jac(self.original, data, linear, angular, place, self.hub)
        return np.concatenate([linear, angular])


def product(*quaternions: Sequence[float] | Array) -> Array:
    result = np.array([1.0, 0.0, 0.0, 0.0])
    for quaternion in quaternions:
        out = np.zeros(4)
        mujoco.mju_mulQuat(out, result, np.asarray(quaternion, dtype=np.float64))
        result = out
    return result


def inverse(quaternion: Sequence[float] | Array) -> Array:
    return np.asarray(quaternion, dtype=np.float64) * [1.0, -1.0, -1.0, -1.0]
