"""Cutting and joining motions: trim, resample, place, mirror, loop, join, and derivatives over time.

Channels that are one number or row a frame follow trims and resampling; where poses change (mirror, join, loop) they
go.

The algebra of poses and displacements of Data-Driven Biped Control, appendix A.

A pose P = (v0, q1 … qn) is the root's position with all local rotations; a displacement D = (u0, u1 … un) holds linear
and angular vectors. With ⊗ the sum, ⊘ the difference and Pᵅ the power of poses,

    P2 ⊗ (P1 ⊘ P2) = P1            P ⊗ (P1 ⊘ P2)ᵅ carries a share α of a displacement over to another pose.
"""

from dataclasses import dataclass, replace

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.gait.feet import facing_angle, smoothed
from footfall.motion.markers import events_within
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.quaternion import (
    Array,
    angle_between,
    conjugate,
    exp,
    from_axis_angle,
    log,
    multiply,
    normalised,
    rotate,
    slerp,
)
from footfall.motion.skeleton.roles import partner
from footfall.motion.smoothing import transition_back


@dataclass(frozen=True, eq=False)
class Pose:
    """One pose or many: ``root`` [..., 3] and ``rotations`` [..., J, 4]."""

    root: Array
    rotations: Array

    @classmethod
    def of(cls, motion: Motion, frame: int | slice | None = None) -> "Pose":
        """The poses of a motion: all of them, or those of ``frame``."""
        pick: int | slice = slice(None) if frame is None else frame
        return cls(motion.root_position[pick], motion.rotations[pick])

    def __matmul__(self, other: "Pose") -> "Pose":
        """self ⊗ other: (q1 v2 q1⁻¹ + v1, q1 q2, …)."""
        turned = rotate(self.rotations[..., 0, :], other.root)
        return Pose(turned + self.root, normalised(multiply(self.rotations, other.rotations)))

    def __truediv__(self, other: "Pose") -> "Pose":
        """self ⊘ other: (q2⁻¹ (v1 - v2) q2, q2⁻¹ q1, …), the displacement from ``other`` to ``self``."""
        back = conjugate(other.rotations)
        return Pose(rotate(back[..., 0, :], self.root - other.root), normalised(multiply(back, self.rotations)))

    def __pow__(self, share: float | Array) -> "Pose":
        """The displacement scaled by ``share`` [...]: exp(α log P)."""
        alpha = np.asarray(share, dtype=float)
        return Pose.exp(alpha[..., None, None] * self.log())

    def log(self) -> Array:
        """The displacement [..., J + 1, 3] of this pose: the root's shift, then a rotation vector for each joint."""
        return np.concatenate([self.root[..., None, :], log(self.rotations)], axis=-2)

    @classmethod
    def exp(cls, displacement: Array) -> "Pose":
        """The pose of a displacement [..., J + 1, 3]."""
        return cls(displacement[..., 0, :], exp(displacement[..., 1:, :]))


def displaced(motion: Motion, displacement: Pose, share: Array) -> Motion:
    """A motion with a share of a displacement added to each frame: M(t) ⊗ Dᵅ⁽ᵗ⁾ (Data-Driven Biped Control, equation
    6).

    Args:
        motion: M.
        displacement: D, one pose.
        share: α, [T].
    """
    if np.shape(share) != (len(motion),):
        raise FootfallError(f"displaced: share must have shape ({len(motion)},), not {np.shape(share)}")
    moved = Pose.of(motion) @ (displacement ** np.asarray(share))
    return replace(motion, root_position=moved.root, rotations=moved.rotations, channels={}, labels={})


_UP = np.array([0.0, 0.0, 1.0])
_RAMP, _AFTER, _LEAST_JUMP = 0.05, 0.25, 2.0


@dataclass(frozen=True, eq=False)
class Rates:
    """First and second derivatives of a motion.

    Attributes:
        root_velocity, root_acceleration: [T, 3] in the world.
        angular_velocity, angular_acceleration: [T, J, 3] of each joint against its parent, in the joint's own axes.
    """

    root_velocity: Array
    root_acceleration: Array
    angular_velocity: Array
    angular_acceleration: Array


def derivatives(motion: Motion) -> Rates:
    """Central differences over the neighbouring frames, one-sided at both ends; accelerations are differences of those
    velocities. Rotations differ by log(q(t-1)⁻¹ q(t+1))."""
    if len(motion) < 2:
        raise FootfallError("derivatives: a motion of one frame has none")
    before = np.maximum(np.arange(len(motion)) - 1, 0)
    after = np.minimum(np.arange(len(motion)) + 1, len(motion) - 1)
    span = motion.times[after] - motion.times[before]
    turn = log(multiply(conjugate(motion.rotations[before]), motion.rotations[after]))
    velocity = (motion.root_position[after] - motion.root_position[before]) / span[:, None]
    angular = turn / span[:, None, None]
    return Rates(
        velocity,
        (velocity[after] - velocity[before]) / span[:, None],
        angular,
        (angular[after] - angular[before]) / span[:, None, None],
    )


def picked(motion: Motion, frames: np.ndarray) -> Motion:
    """Some frames of a motion, by their numbers."""
    return replace(
        motion,
        times=motion.times[frames],
        root_position=motion.root_position[frames],
        rotations=motion.rotations[frames],
        channels={name: value[frames] for name, value in motion.channels.items()},
    )


def trimmed(motion: Motion, start: float | None = None, end: float | None = None) -> Motion:
    """The frames from ``start`` to ``end`` seconds after the motion's beginning; times begin at zero again."""
    clock = motion.times - motion.times[0]
    low, high = 0.0 if start is None else start, clock[-1] if end is None else end
    keep = np.flatnonzero((clock >= low - 1e-9) & (clock <= high + 1e-9))
    if len(keep) == 0:
        raise FootfallError(f"trim: no frame lies between {low:g} and {high:g} s; the motion has {motion.seconds:g} s")
    cut = picked(motion, keep)
    begin, times = float(cut.times[0]), cut.times - cut.times[0]
    source = dict(motion.source)
    if source.get("events"):
        source["events"] = events_within(source["events"], times, begin)
    if source.get("plate_contacts"):
        source["plate_contacts"] = [[plate, on - begin, off - begin] for plate, on, off in source["plate_contacts"]]
    return replace(cut, times=times, source=source)


def resampled(motion: Motion, fps: float) -> Motion:
    """The motion at a steady ``fps``: positions and channels of real numbers linearly, rotations by slerp, channels of
    integers from the nearest frame."""
    if not (np.isfinite(fps) and 0.01 < fps <= 100_000):
        raise FootfallError(f"resample: {fps} frames a second; give a number between 0.01 and 100000")
    times = motion.times[0] + np.arange(int(np.floor(motion.seconds * fps + 1e-6)) + 1) / fps
    return at_times(motion, np.minimum(times, motion.times[-1]))


def at_times(motion: Motion, times: Array) -> Motion:
    """The motion at other ``times`` [K] within its own, increasing."""
    i = np.clip(np.searchsorted(motion.times, times, side="right") - 1, 0, max(len(motion) - 2, 0))
    n = np.minimum(i + 1, len(motion) - 1)
    span = motion.times[n] - motion.times[i]
    weight = np.where(span > 0, (times - motion.times[i]) / np.where(span > 0, span, 1.0), 0.0)
    channels = {}
    for name, value in motion.channels.items():
        share = weight.reshape(-1, *([1] * (value.ndim - 1)))
        real = np.issubdtype(value.dtype, np.floating)
        channels[name] = value[i] + share * (value[n] - value[i]) if real else value[np.where(weight < 0.5, i, n)]
    return replace(
        motion,
        times=times,
        root_position=motion.root_position[i] + weight[:, None] * (motion.root_position[n] - motion.root_position[i]),
        rotations=slerp(motion.rotations[i], motion.rotations[n], weight[:, None] * np.ones(len(motion.skeleton))),
        channels=channels,
    )


def moved(motion: Motion, turn: float = 0.0, shift: Array | None = None) -> Motion:
    """The whole motion turned by ``turn`` radians about the vertical through the origin, then shifted by (3,)
    metres."""
    q = from_axis_angle(_UP, np.array(turn))
    rotations = motion.rotations.copy()
    rotations[:, 0] = normalised(multiply(q, rotations[:, 0]))
    root = rotate(q, motion.root_position) + (0.0 if shift is None else np.asarray(shift))
    return replace(motion, root_position=root, rotations=rotations, channels=_timeless(motion), ground=None)


def _timeless(motion: Motion) -> dict[str, np.ndarray]:
    return {name: value for name, value in motion.channels.items() if name in ("state", "contact", "torque")}


def placed(motion: Motion, at: tuple[float, float] = (0.0, 0.0), heading: float = 0.0) -> Motion:
    """The motion moved so that its first frame stands over ``at`` and faces ``heading`` (radians from x to the
    left)."""
    turn = heading - float(facing_angle(picked(motion, np.arange(1)))[0])
    start = rotate(from_axis_angle(_UP, np.array(turn)), motion.root_position[0])
    return moved(motion, turn, np.array([at[0] - start[0], at[1] - start[1], 0.0]))


IN_PLACE = 1.0
"""Seconds over which the root's way is smoothed before it is taken out."""


def in_place(motion: Motion) -> Motion:
    """The motion without its travel: the root's smoothed way is taken out, over which it goes on swaying; heights and
    headings stay."""
    travel = smoothed(motion.root_position, motion.frame_time, IN_PLACE) if len(motion) > 1 else motion.root_position
    away = (travel - travel[0]) * [1.0, 1.0, 0.0]
    return replace(motion, root_position=motion.root_position - away, ground=GroundProfile.flat(), channels={})


def mirrored(motion: Motion) -> Motion:
    """The motion with left and right exchanged (reflected in the plane y = 0), on the same skeleton.

    A reflection keeps the turn about y and reverses those about x and z. Joints are paired by name or by role.
    """
    skeleton = motion.skeleton
    pairs = partner(skeleton)
    rotations = motion.rotations[:, pairs] * np.array([1.0, -1.0, 1.0, -1.0])
    ground = motion.ground
    flipped = None if ground is None else GroundProfile(ground.x, -ground.y[::-1], ground.z[:, ::-1])
    return replace(
        motion,
        root_position=motion.root_position * [1.0, -1.0, 1.0],
        rotations=rotations,
        ground=flipped,
        channels={name: value for name, value in motion.channels.items() if name == "state"},
    )


def joined(first: Motion, second: Motion, blend: float | None = None) -> Motion:
    """``second`` after ``first``, moved to where and whither ``first`` ends, its start bent to meet it.

    The displacement between the last pose of ``first`` and the first of ``second`` decays with r(t) (Data-Driven Biped
    Control, equation 6) over ``blend`` seconds, by default over all of ``second``. The last frame of ``first`` is the
    first of ``second``.
    """
    if first.skeleton.names != second.skeleton.names or first.skeleton.parents != second.skeleton.parents:
        raise FootfallError("join: the motions have different skeletons; retarget one onto the other first")
    end = first.root_position[-1]
    follow = placed(second, (float(end[0]), float(end[1])), float(facing_angle(first)[-1]))
    gap = Pose.of(first, -1) / Pose.of(follow, 0)
    clock = follow.times - follow.times[0]
    span = follow.seconds if blend is None else min(blend, follow.seconds)
    follow = displaced(follow, gap, transition_back(clock, 0.0, max(span, 1e-9)))
    return replace(
        first,
        times=np.concatenate([first.times, first.times[-1] + clock[1:]]),
        root_position=np.concatenate([first.root_position, follow.root_position[1:]]),
        rotations=np.concatenate([first.rotations, follow.rotations[1:]]),
        channels={},
        labels={},
    )


def looped(cycle: Motion, count: int) -> Motion:
    """``count`` repetitions of a cycle, each beginning where the one before ended."""
    if count < 1:
        raise FootfallError(f"loop: {count} repetitions; give one or more")
    motion = cycle
    for _ in range(count - 1):
        motion = joined(motion, cycle)
    return motion


def has_rest_frame(motion: Motion) -> bool:
    """Whether a motion begins with an added rest (T) pose: a jump away from it unlike any movement that follows."""
    return rest_frames(motion) > 0


def rest_frames(motion: Motion) -> int:
    """How many frames a motion begins with that belong to an added rest pose; 0 without one.

    It is one frame, and a jump to the next, larger than any that follows. A file that was filtered spreads that jump
    over a few frames, 0.05 s at most, faster than the quarter of a second after them. The jump must be large (2 rad
    over all joints); what pose the file calls zero does not matter.
    """
    if len(motion) < 4:
        return 0
    jumps = angle_between(motion.rotations[:-1], motion.rotations[1:]).sum(axis=-1)
    most = max(min(int(_RAMP / motion.frame_time), len(jumps) // 4), 1)
    after = jumps[most:] if most == 1 else jumps[most : most + max(round(_AFTER / motion.frame_time), 1)]
    leaps = jumps[:most] > 2.5 * after.max() + 0.1
    count = most if leaps.all() else int(np.argmin(leaps))
    if count == 0:
        return 0
    return count if jumps[:count].sum() > _LEAST_JUMP else 0


def without_rest_frame(motion: Motion) -> Motion:
    """The motion without the rest pose that some files put before it; other motions unchanged."""
    first = rest_frames(motion)
    if not first:
        return motion
    cut = picked(motion, np.arange(first, len(motion)))
    return replace(cut, times=cut.times - cut.times[0])
