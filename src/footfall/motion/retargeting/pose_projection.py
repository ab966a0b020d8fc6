"""Poses that a figure can take: world orientations brought onto the joints it has, parents first."""

from typing import Any

import numpy as np

from footfall.motion.quaternion import Array, conjugate, continuous, from_axis_angle, multiply, normalised, rotate
from footfall.motion.skeleton.figure_skeleton import hinge_angles, poses_from_qpos
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["PoseProjector", "hinges_toward"]

_FREE, _BALL, _SLIDE, _HINGE = 0, 1, 2, 3


class PoseProjector:
    """Builds poses joint by joint, each as near to a wanted world orientation as the figure's joints allow.

    Without a figure every joint turns freely. Hinge angles are kept within their limits.

    Args:
        skeleton: what moves.
        figure: the figure with that skeleton, or None.
        root_position: [T, 3].
    """

    def __init__(self, skeleton: Skeleton, figure: Any, root_position: Array) -> None:
        self.skeleton = skeleton
        self.model = None if figure is None else getattr(figure, "model", figure)
        T = len(root_position)
        self.orientations = np.empty((T, len(skeleton), 4))
        self.rotations = np.empty((T, len(skeleton), 4))
        self.positions = np.empty((T, len(skeleton), 3))
        self.positions[:, 0] = root_position
        self.qpos = None if self.model is None else np.tile(self.model.qpos0, (T, 1))
        self.clipped = np.zeros(T, dtype=bool)

    def locate(self, joint: int) -> Array:
        """[T, 3] where a joint is, once its parent has been set."""
        parent = self.skeleton.parents[joint]
        if parent >= 0:
            offset = rotate(self.orientations[:, parent], self.skeleton.offsets[joint])
            self.positions[:, joint] = self.positions[:, parent] + offset
        return self.positions[:, joint]

    def set(self, joint: int, wanted: Array | None) -> None:
        """Turn a joint to the world orientations ``wanted`` [T, 4], or to its rest pose (None)."""
        parent = self.skeleton.parents[joint]
        self.locate(joint)
        above = self.orientations[:, parent] if parent >= 0 else np.array([1.0, 0.0, 0.0, 0.0])
        rest = self.skeleton.rest[joint]
        local = (
            np.broadcast_to(rest, (len(self.positions), 4)) if wanted is None else multiply(conjugate(above), wanted)
        )
        if self.model is not None:
            local = self._reachable(joint, local, rest)
        self.rotations[:, joint] = normalised(local)
        self.orientations[:, joint] = normalised(multiply(above, self.rotations[:, joint]))

    def hinge_count(self, joint: int) -> int:
        """How many hinges turn a joint; three without a figure."""
        if self.model is None:
            return 3
        first, count = int(self.model.body_jntadr[joint + 1]), int(self.model.body_jntnum[joint + 1])
        return sum(int(self.model.jnt_type[j]) == _HINGE for j in range(first, first + count))

    def aim(self, joint: int, wanted: Array, vector: Array, way: Array) -> None:
        """Turn a joint near ``wanted`` [T, 4] so that ``vector`` [T, 3] of its own frame points along ``way`` [T, 3].

        A joint with three hinges can do both at once. With two, the direction comes first.
        """
        if self.hinge_count(joint) == 2:
            model = self.model
            assert model is not None
            first = int(model.body_jntadr[joint + 1])
            above = self.orientations[:, self.skeleton.parents[joint]]
            frame = multiply(above, self.skeleton.rest[joint])
            local = hinges_toward(model.jnt_axis[first : first + 2], vector, rotate(conjugate(frame), way))
            wanted = multiply(frame, local)
        self.set(joint, wanted)

    def _reachable(self, joint: int, local: Array, rest: Array) -> Array:
        model, qpos = self.model, self.qpos
        assert model is not None
        assert qpos is not None
        first, count = int(model.body_jntadr[joint + 1]), int(model.body_jntnum[joint + 1])
        own = range(first, first + count) if first >= 0 else range(0)
        relative = multiply(conjugate(rest), local)
        for j in own:
            at = int(model.jnt_qposadr[j])
            if model.jnt_type[j] == _FREE:
                qpos[:, at : at + 3] = self.positions[:, 0]
                qpos[:, at + 3 : at + 7] = continuous(local)
                return local
            if model.jnt_type[j] == _BALL:
                qpos[:, at : at + 4] = continuous(relative)
                return local
        hinges = [j for j in own if model.jnt_type[j] == _HINGE]
        turn = np.broadcast_to(rest, local.shape)
        if hinges:
            angles = hinge_angles(model.jnt_axis[hinges], relative)
            for k, j in enumerate(hinges):
                at = int(model.jnt_qposadr[j])
                values = angles[:, k] + model.qpos0[at]
                if model.jnt_limited[j]:
                    low, high = model.jnt_range[j]
                    values -= (
                        2 * np.pi * np.round((np.median(values) - np.clip(np.median(values), low, high)) / (2 * np.pi))
                    )
                    self.clipped |= (values < low - 1e-6) | (values > high + 1e-6)
                    values = np.clip(values, low, high)
                qpos[:, at] = values
                turn = multiply(turn, from_axis_angle(model.jnt_axis[j], values - model.qpos0[at]))
        return turn

    def finish_root(self, figure: Any) -> None:
        """Write the root's place into qpos for figures whose root slides (planar ones)."""
        model, qpos = self.model, self.qpos
        if model is None or qpos is None:
            return
        first = int(model.body_jntadr[1])
        slides = [j for j in range(first, first + int(model.body_jntnum[1])) if model.jnt_type[j] == _SLIDE]
        if slides:
            start = poses_from_qpos(figure, model.qpos0[None])[0][0]
            axes = model.jnt_axis[slides]
            shift = np.linalg.lstsq(axes.T, (self.positions[:, 0] - start).T, rcond=None)[0].T
            qpos[:, [int(model.jnt_qposadr[j]) for j in slides]] = shift + model.qpos0[slides]


def hinges_toward(axes: Array, vector: Array, way: Array) -> Array:
    """Turns [T, 4] of two hinges about ``axes`` [2, 3] after which vectors [T, 3] point along ways [T, 3]
    (Gauss-Newton)."""
    u = vector / np.maximum(np.linalg.norm(vector, axis=-1, keepdims=True), 1e-12)
    goal = way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-12)
    angles = np.zeros((len(u), 2))
    for _ in range(25):
        first = from_axis_angle(axes[0], angles[:, 0])
        turn = multiply(first, from_axis_angle(axes[1], angles[:, 1]))
        at = rotate(turn, u)
        columns = np.stack([np.cross(axes[0], at), np.cross(rotate(first, axes[1]), at)], axis=-1)
        normal = columns.swapaxes(-1, -2) @ columns + 1e-6 * np.eye(2)
        step = np.linalg.solve(normal, columns.swapaxes(-1, -2) @ (goal - at)[..., None])[..., 0]
        angles += np.clip(step, -0.5, 0.5)
    return multiply(from_axis_angle(axes[0], angles[:, 0]), from_axis_angle(axes[1], angles[:, 1]))
