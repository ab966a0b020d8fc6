"""Motions: poses of a skeleton over time, with whatever else was recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.ground import GroundProfile
from footfall.motion.quaternion import Array, dot, rotate
from footfall.motion.skeleton.tree import Skeleton

T_ = TypeVar("T_")


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """Poses over time.

    Attributes:
        skeleton: what moves.
        times: [T] seconds, strictly increasing.
        root_position: [T, 3] world position of joint 0, metres.
        rotations: [T, J, 4] unit quaternions, each joint's frame in its parent's (the root's in the world).
        channels: further quantities by name, each an array [T, ...]: ``qpos``, ``qvel``, ``torque``, ``contact`` (one
            column for each contact end site, > 0 where it touches), ``state`` (of the controller, integers), ``push``
            [T, 3] newtons.
        labels: names of a channel's columns.
        ground: what it stands on; None where unknown (level ground at z = 0 is then drawn).
        figure: name of the figure, empty for captured motion.
        figure_xml: the figure's source, so that a saved motion can be simulated again.
        source: where the motion came from and how to write it back; values that JSON can hold.
    """

    skeleton: Skeleton
    times: Array
    root_position: Array
    rotations: Array
    channels: Mapping[str, np.ndarray] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ground: GroundProfile | None = None
    figure: str = ""
    figure_xml: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    _known: dict[str, object] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for name in ("times", "root_position", "rotations"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        T, J = len(self.times), len(self.skeleton)
        if T == 0 or self.times.ndim != 1:
            raise FootfallError("motion: it has no frames")
        for name, shape in (("root_position", (T, 3)), ("rotations", (T, J, 4))):
            array = getattr(self, name)
            if array.shape != shape:
                raise FootfallError(f"motion: {name} must have shape {shape}, not {array.shape}")
        for name in ("times", "root_position", "rotations"):
            finite = np.isfinite(getattr(self, name))
            if not finite.all():
                bad = ~finite.reshape(T, -1).all(axis=1)
                raise FootfallError(f"motion: {name} is not finite from frame {int(np.argmax(bad))} on; trim it before")
        if max(np.abs(self.times).max(), np.abs(self.root_position).max()) > 1e9:
            raise FootfallError("motion: a time or a place beyond 1e9 is not a motion")
        if (np.diff(self.times) <= 0).any():
            raise FootfallError(f"motion: times must increase (frame {int(np.argmax(np.diff(self.times) <= 0)) + 1})")
        clipped = np.clip(self.rotations, -2.0, 2.0)
        if (np.abs(dot(clipped, clipped) - 1.0) > 1e-5).any():
            raise FootfallError("motion: rotations must be unit quaternions")
        object.__setattr__(self, "channels", {name: np.array(value) for name, value in self.channels.items()})
        for name, value in self.channels.items():
            if value.dtype.kind not in "biuf":
                raise FootfallError(f"motion: channel '{name}' must hold numbers, not {value.dtype}")
            if value.shape[:1] != (T,):
                raise FootfallError(f"motion: channel '{name}' must have {T} rows, not {value.shape[:1] or 'none'}")
        object.__setattr__(self, "labels", {name: tuple(value) for name, value in self.labels.items()})

    @classmethod
    def from_qpos(
        cls,
        figure: Any,
        times: Array,
        qpos: Array,
        *,
        channels: Mapping[str, np.ndarray] | None = None,
        ground: GroundProfile | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> "Motion":
        """The motion of a figure whose coordinates are qpos [T, nq] at ``times`` [T].

        Args:
            figure: a ``footfall.figures.Figure``, or a ``mujoco.MjModel``.
            times: [T] seconds.
            qpos: [T, nq] as MuJoCo lays it out.
            channels: ``qvel``, ``torque``, ``contact``, ``state``, ``push`` or anything else that was recorded, [T,
                ...].
            ground: the ground it moved over.
            source: what produced it (controller, engine, time step …).
        """
        from footfall.motion.skeleton.figure_skeleton import channel_labels, poses_from_qpos, skeleton_of

        qpos = np.asarray(qpos, dtype=float)
        root_position, rotations = poses_from_qpos(figure, qpos)
        recorded = {"qpos": qpos, **(channels or {})}
        known = channel_labels(figure)
        return cls(
            skeleton=skeleton_of(figure),
            times=times,
            root_position=root_position,
            rotations=rotations,
            channels=recorded,
            labels={
                name: known[name]
                for name, value in recorded.items()
                if name in known and np.shape(value)[1:] == (len(known[name]),)
            },
            ground=ground,
            figure=str(getattr(figure, "name", "")),
            figure_xml=str(getattr(figure, "xml", "")),
            source=source or {},
        )

    def to_qpos(self, figure: Any) -> Array:
        """[T, nq] coordinates of ``figure`` in these poses; joints are matched by name (see ``figure_skeleton``)."""
        from footfall.motion.skeleton.figure_skeleton import qpos_from_poses

        return qpos_from_poses(figure, self)

    def __len__(self) -> int:
        return len(self.times)

    def _repr_html_(self) -> str:
        """A player, for notebooks. (Imports run one way, so the pictures are loaded by name.)"""
        return str(import_module("footfall.pictures.notebook").motion_html(self))

    def __repr__(self) -> str:
        what = self.figure or self.source.get("file", "") or "captured"
        return f"<Motion {what}: {len(self)} frames, {self.seconds:.2f} s, {len(self.skeleton)} joints>"

    @property
    def seconds(self) -> float:
        """Time from the first frame to the last."""
        return float(self.times[-1] - self.times[0])

    @property
    def frame_time(self) -> float:
        """Mean time between frames; of a single frame, what its file said (else 1/30 s)."""
        if len(self) > 1:
            return self.seconds / (len(self) - 1)
        return float(self.source.get("frame_time", 1 / 30))

    @property
    def fps(self) -> float:
        """Frames per second."""
        return 1.0 / self.frame_time

    @cached_property
    def _world(self) -> tuple[Array, Array]:
        return self.skeleton.forward(self.root_position, self.rotations)

    def once(self, what: str, make: Callable[[], T_]) -> T_:
        """``make()``, computed once for this motion and kept under the name ``what``."""
        if what not in self._known:
            self._known[what] = make()
        return self._known[what]  # type: ignore[return-value]

    def positions(self) -> Array:
        """[T, J, 3] world positions of the joints."""
        return self._world[0]

    def orientations(self) -> Array:
        """[T, J, 4] world orientations of the joints."""
        return self._world[1]

    def end_positions(self) -> Array:
        """[T, E, 3] world positions of the end sites."""
        joints = list(self.skeleton.end_joints())
        positions, orientations = self._world
        return positions[:, joints] + rotate(orientations[:, joints], self.skeleton.end_offsets())

    def points(self) -> Array:
        """[T, J + E, 3] world positions of joints and end sites together."""
        return np.concatenate([self.positions(), self.end_positions()], axis=1)

    def position(self, joint: str) -> Array:
        """[T, 3] world positions of one joint."""
        return self.positions()[:, self.skeleton.index(joint)]

    def channel(self, name: str) -> np.ndarray:
        """A recorded channel [T, ...] by name."""
        if name not in self.channels:
            raise unknown_name("channel", name, self.channels)
        return self.channels[name]

    def with_channels(self, **channels: np.ndarray) -> "Motion":
        """The same motion with channels added or replaced."""
        return replace(self, channels={**self.channels, **channels})
