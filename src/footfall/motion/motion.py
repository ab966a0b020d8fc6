"""Motions: poses of a skeleton over time, with whatever else was recorded, and the ground under them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from footfall.errors import FootfallError, check_name
from footfall.motion.quaternion import Array, dot
from footfall.motion.skeleton.tree import Skeleton
from footfall.plugins import load_plugin


@dataclass(frozen=True, eq=False)
class GroundProfile:
    """Heights of the ground. Beyond its ends it goes on flat.

    Attributes:
        x: [K] positions along x, strictly increasing.
        y: [M] positions along y, or one entry where the height does not change along y.
        z: [K, M] heights.
    """

    x: Array
    y: Array
    z: Array

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            object.__setattr__(self, name, np.array(getattr(self, name), dtype=float))
        if self.z.shape != (len(self.x), len(self.y)) or not np.isfinite(self.z).all():
            raise FootfallError(f"ground: heights must be finite and of shape {(len(self.x), len(self.y))}")
        if (np.diff(self.x) <= 0).any() or (np.diff(self.y) <= 0).any():
            raise FootfallError("ground: positions must increase strictly")

    @classmethod
    def outline(cls, x: Array, z: Array) -> "GroundProfile":
        """Ground with the profile z [K] over x [K]."""
        return cls(np.asarray(x), np.zeros(1), np.asarray(z, dtype=float).reshape(-1, 1))

    @classmethod
    def flat(cls, height: float = 0.0) -> "GroundProfile":
        """Level ground."""
        return cls.outline(np.zeros(1), np.array([height]))

    @classmethod
    def of(cls, terrain: Any) -> "GroundProfile":
        """The ground of a ``footfall.terrain`` terrain."""
        if terrain.kind == "flat":
            return cls.flat()
        if terrain.kind == "profile":
            x, z = terrain.profile()
            return cls.outline(x, z)
        origin, spacing, heights = terrain.grid()
        heights = np.asarray(heights, dtype=float)
        step = np.broadcast_to(np.asarray(spacing, dtype=float), (2,))
        places = [origin[k] + step[k] * np.arange(heights.shape[k]) for k in range(2)]
        return cls(places[0], places[1], heights)

    @property
    def is_flat(self) -> bool:
        """Whether the height is the same everywhere."""
        return bool(np.ptp(self.z) == 0.0)

    def height(self, x: Array, y: Array | float = 0.0) -> Array:
        """Heights [...] at positions x, y [...], bilinear between the given ones."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        if self.z.size == 1:
            return np.full(x.shape, self.z[0, 0])
        i, u = _cell(self.x, x)
        j, v = _cell(self.y, y)
        i1, j1 = np.minimum(i + 1, len(self.x) - 1), np.minimum(j + 1, len(self.y) - 1)
        near = (1 - u) * self.z[i, j] + u * self.z[i1, j]
        far = (1 - u) * self.z[i, j1] + u * self.z[i1, j1]
        return np.asarray((1 - v) * near + v * far)


def _cell(places: Array, at: Array) -> tuple[np.ndarray, Array]:
    """Index of the position at or before each ``at``, and how far on (0 to 1) towards the next."""
    if len(places) == 1:
        return np.zeros(at.shape, dtype=int), np.zeros(at.shape)
    at = np.clip(at, places[0], places[-1])
    i = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    return i, (at - places[i]) / (places[i + 1] - places[i])


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
            raise FootfallError("motion: a time or a position beyond 1e9 is not a motion")
        if (np.diff(self.times) <= 0).any():
            raise FootfallError(f"motion: times must increase (frame {int(np.argmax(np.diff(self.times) <= 0)) + 1})")
        limited = np.clip(self.rotations, -2.0, 2.0)
        if (np.abs(dot(limited, limited) - 1.0) > 1e-5).any():
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

        return qpos_from_poses(figure, self.skeleton, self.root_position, self.rotations)

    def __len__(self) -> int:
        return len(self.times)

    def _repr_html_(self) -> str:
        """A player, for notebooks."""
        return str(load_plugin("notebook", "motion")(self))

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
        return self.skeleton.end_positions(*self._world)

    def points(self) -> Array:
        """[T, J + E, 3] world positions of joints and end sites together."""
        return np.concatenate([self.positions(), self.end_positions()], axis=1)

    def position(self, joint: str) -> Array:
        """[T, 3] world positions of one joint."""
        return self.positions()[:, self.skeleton.index(joint)]

    def channel(self, name: str) -> np.ndarray:
        """A recorded channel [T, ...] by name."""
        check_name("channel", name, self.channels)
        return self.channels[name]

    def with_channels(self, **channels: np.ndarray) -> "Motion":
        """The same motion with channels added or replaced."""
        return replace(self, channels={**self.channels, **channels})
