"""Poses that a figure can take: world orientations brought onto the hinges it has, parents first.

A part of the body may hang on one body with several hinges, or on several bodies in series with a hinge each, as in
robots. Either way the hinges between a part that is already posed and the next one are found together.
"""

from copy import copy
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from footfall.figures.stops import stop_ranges
from footfall.motion.quaternion import (
    Array,
    conjugate,
    continuous,
    dot,
    from_axis_angle,
    multiply,
    normalised,
    rotate,
    slerp,
    to_matrix,
    unit,
)
from footfall.motion.skeleton.figure_skeleton import body_joints, is_adopted, kinematic_model, slide_root
from footfall.motion.skeleton.hinges import hinge_angles
from footfall.motion.skeleton.tree import Skeleton

_FREE, _BALL, _HINGE = 0, 1, 3
_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_UNSHOWN = np.deg2rad(10.0)
"""A direction that stays further off than this counts as limited."""


@dataclass(frozen=True, eq=False)
class _Series:
    """Hinges in series: ``axes`` [K, 3] as they lie at rest in the frame above, the hinges that share each, limits."""

    axes: Array
    members: list[list[tuple[int, float]]]
    low: Array
    high: Array
    rest: Array


class PoseBuilder:
    """Builds poses part by part, each as near to a wanted world orientation as the figure's joints allow.

    Without a figure every joint turns freely.

    Args:
        skeleton: what moves.
        figure: the figure with that skeleton, or None.
        frames: anatomical frames (4,) in the joints' own frames, by joint; they say which axis of a part matters.
        root_position: [T, 3].
        frame_time: seconds between frames.
    """

    def __init__(
        self, skeleton: Skeleton, figure: Any, frames: dict[int, Array], root_position: Array, frame_time: float
    ) -> None:
        self.skeleton, self.figure, self.frames, self.frame_time = skeleton, figure, frames, frame_time
        self.model = None if figure is None else kinematic_model(figure)
        T = len(root_position)
        # Joints lie one after another in memory: they are posed one by one, all frames at once.
        self.orientations, self.rotations, self.positions = (
            np.moveaxis(np.empty((len(skeleton), T, width)), 0, 1) for width in (4, 4, 3)
        )
        self.positions[:, 0] = root_position
        self.qpos = None if self.model is None else np.tile(self.model.qpos0, (T, 1))
        self.limited: dict[int, np.ndarray] = {}
        self.done: set[int] = set()
        self.series: dict[int, list[int]] = {}
        """By joint that was turned: those that took a share of its turn, itself last."""

    def copy(self) -> "PoseBuilder":
        """The same poses, to be changed apart from these."""
        other = copy(self)
        other.orientations, other.rotations, other.positions = (
            np.moveaxis(np.moveaxis(rows, 1, 0).copy(), 0, 1)
            for rows in (self.orientations, self.rotations, self.positions)
        )
        other.qpos = None if self.qpos is None else self.qpos.copy()
        other.limited, other.done = dict(self.limited), set(self.done)
        return other

    def turn(
        self,
        joint: int,
        wanted: Array,
        weights: tuple[float, float, float] = (1.0, 1.0, 1.0),
        aim: tuple[Array, Array] | None = None,
    ) -> None:
        """Turn a joint, and those between it and what is posed already, to world orientations ``wanted`` [T, 4].

        Args:
            joint: the joint.
            wanted: [T, 4].
            weights: how much each axis of the joint's anatomical frame matters where not all can be had.
            aim: (vectors [T, 3] in the joint's frame, world directions [T, 3]): comes first of all.
        """
        group = self.series[joint] = self._group(joint)
        if self.model is None:
            self._share(group, wanted)
            return
        kinds = [int(self.model.jnt_type[j]) for body in group for j in self._own(body)]
        series = self._series(group)
        if _FREE in kinds or _BALL in kinds:
            self._freely(group, wanted)
        elif len(series.axes) > 3 and len(group) > 1:
            self._one_by_one(group, wanted, weights)
        elif len(series.axes):
            self._hinges(group, series, wanted, weights, aim)
        else:
            self._place(group, np.zeros((len(self.positions), 0)), series)
        self._judge(joint, wanted)

    def point(self, joint: int, wanted: Array) -> None:
        """Turn one joint of a skeleton without a figure, whose parent is posed, to world orientations [T, 4]."""
        self._set(joint, multiply(conjugate(self._above(joint)), wanted))

    def rest(self, joint: int) -> None:
        """Leave a joint as it is at rest."""
        group = self._group(joint)
        self._place(group, None, None)

    def finish(self) -> None:
        """Set all joints that nothing has moved to rest, and write the position of a root that slides."""
        for joint in range(len(self.skeleton)):
            if joint not in self.done:
                self.rest(joint)
        if self.qpos is not None:
            slide_root(self.figure, self.qpos, self.positions[:, 0])

    def move(self, shift: Array) -> None:
        """Move the whole body by [T, 3]."""
        self.positions += shift[:, None]
        if self.model is not None and self.qpos is not None and self.model.jnt_type[0] == _FREE:
            self.qpos[:, :3] = self.positions[:, 0]

    def forget(self, joints: list[int]) -> None:
        """Pose these joints again."""
        self.done -= set(joints)

    def hinge_count(self, joint: int) -> int:
        """How many axes turn a joint against what is posed; three without a figure."""
        return 3 if self.model is None else len(self._series(self._group(joint)).axes)

    def _group(self, joint: int) -> list[int]:
        group = [joint]
        while self.skeleton.parents[group[-1]] >= 0 and self.skeleton.parents[group[-1]] not in self.done:
            group.append(self.skeleton.parents[group[-1]])
        return group[::-1]

    def _own(self, body: int) -> range:
        return body_joints(self.model, body + 1)

    def _above(self, body: int) -> Array:
        parent = self.skeleton.parents[body]
        return self.orientations[:, parent] if parent >= 0 else _IDENTITY

    def _rest_of(self, group: list[int]) -> Array:
        """(4,) the rest rotation of joints in series."""
        return reduce(multiply, (self.skeleton.rest[body] for body in group), _IDENTITY)

    def _series(self, group: list[int]) -> _Series:
        model = self.model
        assert model is not None
        axes: list[Array] = []
        members: list[list[tuple[int, float]]] = []
        rest = _IDENTITY
        for body in group:
            rest = multiply(rest, self.skeleton.rest[body])
            for j in self._own(body):
                if model.jnt_type[j] != _HINGE:
                    continue
                axis = rotate(rest, model.jnt_axis[j])
                if axes and abs(float(axes[-1] @ axis)) > 0.999:
                    members[-1].append((j, float(np.sign(axes[-1] @ axis))))
                else:
                    axes.append(axis)
                    members.append([(j, 1.0)])
        low, high = np.full(len(axes), -np.inf), np.full(len(axes), np.inf)
        for k, own in enumerate(members):
            ranges = [self._range(j) for j, _ in own]
            if np.isfinite(ranges).all():
                ends = [
                    sign * (span - model.qpos0[model.jnt_qposadr[j]])
                    for span, (j, sign) in zip(ranges, own, strict=True)
                ]
                low[k], high[k] = np.sort(ends, axis=1).sum(axis=0)
        return _Series(np.array(axes).reshape(-1, 3), members, low, high, rest)

    def _range(self, joint: int) -> Array:
        """[2] how far a hinge turns; a robot's that has no range of its own is stopped as a person's is."""
        model = self.model
        assert model is not None
        if model.jnt_limited[joint]:
            return np.asarray(model.jnt_range[joint])
        if not is_adopted(self.figure):
            return np.array([-np.inf, np.inf])
        return np.asarray(stop_ranges(self.figure)[int(model.jnt_dofadr[joint])])

    def _hinges(
        self,
        group: list[int],
        series: _Series,
        wanted: Array,
        weights: tuple[float, float, float],
        aim: tuple[Array, Array] | None,
    ) -> None:
        above = self._above(group[0])
        relative = multiply(multiply(conjugate(above), wanted), conjugate(series.rest))
        own = to_matrix(multiply(series.rest, self.frames.get(group[-1], _IDENTITY))).T
        goals, weight = None, list(weights)
        if aim is not None:
            vector, way = (unit(v) for v in aim)
            own = np.broadcast_to(own, (len(wanted), 3, 3))
            goals = rotate(relative[:, None], own)
            own = np.concatenate([rotate(series.rest, vector)[:, None], own], axis=1)
            goals = np.concatenate([rotate(conjugate(above), way)[:, None], goals], axis=1)
            weight = [1.0, *(0.02 * w for w in weight)]
        angles = hinge_angles(
            series.axes,
            relative,
            own=own,
            goals=goals,
            weights=weight,
            low=series.low,
            high=series.high,
            frame_time=self.frame_time,
        )
        self._place(group, angles, series)

    def _one_by_one(self, group: list[int], wanted: Array, weights: tuple[float, float, float]) -> None:
        """A long series: each body takes its share of the turn."""
        count = len(group)
        start = multiply(self._above(group[0]), self._series(group).rest)
        for k, body in enumerate(group):
            goal = slerp(np.broadcast_to(start, wanted.shape), wanted, np.full(len(wanted), (k + 1) / count))
            series = self._series([body])
            if len(series.axes):
                goal = multiply(goal, conjugate(self._rest_of(group[k + 1 :])))
                self._hinges([body], series, goal, (1.0, 1.0, 1.0), None)
            else:
                self._place([body], None, None)

    def _share(self, group: list[int], wanted: Array) -> None:
        """Free joints in series share the turn from what is posed above to ``wanted``."""
        start = np.broadcast_to(multiply(self._above(group[0]), self._rest_of(group)), wanted.shape)
        for k, body in enumerate(group):
            share = np.full(len(wanted), (k + 1) / len(group))
            goal = slerp(start, wanted, share) if k + 1 < len(group) else wanted
            goal = multiply(goal, conjugate(self._rest_of(group[k + 1 :])))
            self._set(body, multiply(conjugate(self._above(body)), goal))

    def _freely(self, group: list[int], wanted: Array) -> None:
        """A group with a free or ball joint: that joint takes the whole turn."""
        model, qpos = self.model, self.qpos
        assert model is not None
        assert qpos is not None
        free = next(b for b in group for j in self._own(b) if model.jnt_type[j] in (_FREE, _BALL))
        below = self._rest_of(group[group.index(free) + 1 :])
        for body in group:
            if body != free:
                self._place([body], None, None)
                continue
            local = multiply(conjugate(self._above(body)), multiply(wanted, conjugate(below)))
            joint = next(j for j in self._own(body) if model.jnt_type[j] in (_FREE, _BALL))
            at = int(model.jnt_qposadr[joint])
            if model.jnt_type[joint] == _FREE:
                qpos[:, at : at + 3] = self.positions[:, 0]
                qpos[:, at + 3 : at + 7] = _signed(local)
            else:
                qpos[:, at : at + 4] = _signed(multiply(conjugate(self.skeleton.rest[body]), local))
            self._set(body, local)

    def _place(self, group: list[int], angles: Array | None, series: _Series | None) -> None:
        """Write the angles [T, K] of a series (None: rest) into qpos and pose its bodies."""
        values: dict[int, Array] = {}
        if angles is not None and series is not None and self.model is not None and self.qpos is not None:
            for k, own in enumerate(series.members):
                for j, sign in own:
                    at = int(self.model.jnt_qposadr[j])
                    values[j] = sign * angles[:, k] / len(own)
                    self.qpos[:, at] = self.model.qpos0[at] + values[j]
        for body in group:
            turn = np.broadcast_to(self.skeleton.rest[body], (len(self.positions), 4))
            if self.model is not None:
                for j in self._own(body):
                    if j in values:
                        turn = multiply(turn, from_axis_angle(self.model.jnt_axis[j], values[j]))
            self._set(body, turn)

    def _set(self, body: int, local: Array) -> None:
        parent = self.skeleton.parents[body]
        if parent >= 0:
            offset = rotate(self.orientations[:, parent], self.skeleton.offsets[body])
            self.positions[:, body] = self.positions[:, parent] + offset
        self.rotations[:, body] = normalised(local)
        self.orientations[:, body] = normalised(multiply(self._above(body), self.rotations[:, body]))
        self.done.add(body)

    def _judge(self, joint: int, wanted: Array) -> None:
        """Note the frames in which a part could not be shown: its main direction is more than 10° off."""
        frame = self.frames.get(joint, _IDENTITY)
        found, goal = (
            rotate(multiply(q, frame), np.array([0.0, 0.0, 1.0])) for q in (self.orientations[:, joint], wanted)
        )
        self.limited[joint] = dot(found, goal) < np.cos(_UNSHOWN)


def _signed(q: Array) -> Array:
    """Quaternions [T, 4] without jumps of sign, the first with w >= 0."""
    q = continuous(normalised(q))
    return -q if q[0, 0] < 0 else q
