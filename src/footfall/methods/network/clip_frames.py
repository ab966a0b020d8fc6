"""Clips as a policy follows them: poses of a figure at the rate of its decisions.

A clip is retargeted and its feet are fitted to flat ground as for the tracking law, 30 frames a second
(:mod:`footfall.methods.tracking.clips`). Between these frames coordinates follow cubic curves whose slopes are the
frames' central differences, so that velocities have no corners. Policies are trained on such tables of states.

In a controller stand the poses alone: a .safetensors with one tensor, ``qpos`` [T, nq], and the text ``rate``, frames a
second.
"""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.multilayer import read_tensors, write_tensors
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.quaternion import conjugate, continuous, log, multiply, normalised

Array = NDArray[np.float64]
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
FEWEST = 2
ROOT_QPOS = 7
ROOT_SPEEDS = 3
"""Numbers of a frame in a law's library after the pose: the root's velocity in the world's axes."""
MOST_OFF = 1e-3
"""Of a quaternion's length from 1."""


class ClipStart(Start):
    """The first state of a clip."""

    def check_size(self, figure: Figure) -> None:
        """Refuse a clip that is not of a figure."""
        if (len(self.qpos), len(self.qvel)) != (figure.nq, figure.nv):
            raise FootfallError(
                f"clip_frames has poses of {len(self.qpos)} numbers; figure '{figure.name}' has {figure.nq}"
            )


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """Poses of a figure with a free root and hinges.

    Attributes:
        qpos: [T, nq] the root's position and quaternion, then the joints.
        rate: frames a second.
        rest: how many of the last frames are not the clip's, but come to a stand after it.
    """

    qpos: NDArray[np.float32]
    rate: float
    rest: int = 0

    def __post_init__(self) -> None:
        qpos = np.asarray(self.qpos, dtype=np.float32)
        object.__setattr__(self, "qpos", qpos)
        if qpos.ndim != 2 or len(qpos) < FEWEST or qpos.shape[1] <= ROOT_QPOS:
            raise FootfallError(
                f"clip_frames: qpos has the shape {list(qpos.shape)}; it must be [frames, coordinates], at least "
                f"{FEWEST} frames of more than {ROOT_QPOS} coordinates"
            )
        if not np.isfinite(qpos).all():
            raise FootfallError("clip_frames: qpos holds a number that is not finite")
        if np.abs(np.linalg.norm(qpos[:, 3:ROOT_QPOS], axis=1) - 1.0).max() > MOST_OFF:
            raise FootfallError("clip_frames: numbers 3 to 6 of each pose must be a quaternion w x y z of length 1")
        if not (np.isfinite(self.rate) and self.rate > 0.0):
            raise FootfallError(f"clip_frames: its rate is {self.rate}; it must be above 0 frames a second")
        if not 0 <= self.rest <= len(qpos) - FEWEST:
            raise FootfallError(f"clip_frames: its rest is {self.rest}; it must be 0 to {len(qpos) - FEWEST} frames")

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """From the first frame to the clip's last."""
        return (len(self.clip) - 1) / self.rate

    @property
    def clip(self) -> NDArray[np.float32]:
        """[T', nq] the poses up to the clip's end."""
        return self.qpos[: len(self.qpos) - self.rest]

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        rest = {"rest": str(self.rest)} if self.rest else {}
        return write_tensors({"qpos": self.qpos}, {"rate": repr(float(self.rate)), **rest})

    @classmethod
    def from_bytes(cls, data: bytes, where: str, rate: float) -> "ClipFrames":
        """A clip from the bytes of its file, for a policy of so many decisions a second; errors begin with
        ``where``."""
        tensors, texts = read_tensors(data, where)
        if "qpos" not in tensors:
            raise FootfallError(f"{where}: it has no tensor 'qpos' [frames, coordinates]")
        try:
            own = float(texts.get("rate", rate))
        except ValueError:
            raise FootfallError(f"{where}: its rate is {texts['rate']!r:.20}; it must be a number") from None
        if not (rest := texts.get("rest", "0")).isdecimal():
            raise FootfallError(f"{where}: its rest is {rest!r:.20}; it must be a number of frames")
        try:
            return cls(tensors["qpos"], own, int(rest))
        except FootfallError as error:
            raise FootfallError(f"{where}: {error}") from None

    @property
    def start(self) -> ClipStart:
        """The first pose, moving as the first two do."""
        first, second = (np.asarray(pose, dtype=float) for pose in self.qpos[:2])
        turn = log(multiply(conjugate(first[3:ROOT_QPOS]), second[3:ROOT_QPOS]))
        moved = np.concatenate([second[:3] - first[:3], turn, (second - first)[ROOT_QPOS:]])
        return ClipStart(tuple(map(float, first)), tuple(map(float, self.rate * moved)))

    @property
    def numbers(self) -> Array:
        """How many frames there are, then each one's pose and the root's velocity by differences over two frames (one
        at the ends)."""
        poses = np.asarray(self.qpos, dtype=float)
        at = np.arange(len(poses))
        before, after = np.maximum(at - 1, 0), np.minimum(at + 1, len(poses) - 1)
        speeds = self.rate * (poses[after, :ROOT_SPEEDS] - poses[before, :ROOT_SPEEDS]) / (after - before)[:, None]
        return np.concatenate([[len(poses)], np.concatenate([poses, speeds], axis=1).ravel()])


def clip_table(motion: Motion, figure: Figure, rate: float) -> tuple[Array, Array]:
    """qpos [T, nq] and qvel [T, nv] of a clip on a figure, ``rate`` frames a second.

    The clip begins at the origin and goes along x. Standing soles are on the ground at z = 0, swinging ones clear of
    it, and joints are within their ranges.
    """
    if not (np.isfinite(rate) and rate > 0.0):
        raise FootfallError(f"clip: {rate} frames a second; give a number above 0")
    qpos = table_of(frames_of(motion, figure, lifted=True), figure, rate)
    return qpos, clip_velocities(figure, qpos, 1.0 / rate)


def table_of(frames: Array, figure: Figure, rate: float) -> Array:
    """[T, nq] poses of a figure at a rate, joints within their ranges.

    Args:
        frames: as :func:`~footfall.motion.conditioning.ground_fit.frames_of` gives them, 30 a second.
    """
    return tables_of(frames[None], figure, rate)[0]


def tables_of(frames: Array, figure: Figure, rate: float) -> list[Array]:
    """The same of several motions of one length, [M, K, nq], side by side."""
    chains = hinge_chains(figure)
    return [_table(poses, figure, rate) for poses in (frames if chains is None else chains.hinge_poses(frames))]


def _table(poses: Array, figure: Figure, rate: float) -> Array:
    seconds = (len(poses) - 1) / FPS
    at = np.minimum(np.arange(int(seconds * rate + 1e-6) + 1) / rate, seconds)
    return within_ranges(poses_at(poses, np.arange(len(poses)) / FPS, figure, at), figure)


def within_ranges(poses: Array, figure: Figure) -> Array:
    """[T, nq] poses with joints of one number within their ranges."""
    for joint in figure.joints:
        if joint.ndof == 1:
            poses[:, joint.qpos] = np.clip(poses[:, joint.qpos], joint.lower, joint.upper)
    return poses


def poses_at(poses: Array, times: Array, figure: Figure, at: Array) -> Array:
    """[T, nq] poses at other times ``at`` [T], from poses [K, nq] at ``times`` [K]: on cubic curves."""
    from scipy.interpolate import CubicHermiteSpline  # loading it takes as long as the rest of a studio

    poses, starts = poses.copy(), {"free": 3, "ball": 0}
    turns = [slice(first, first + 4) for j in figure.joints if j.kind in starts for first in [j.qpos + starts[j.kind]]]
    for turn in turns:
        poses[:, turn] = continuous(poses[:, turn])
    found = CubicHermiteSpline(times, poses, np.gradient(poses, times, axis=0))(at)
    for turn in turns:
        found[:, turn] = normalised(found[:, turn])
    return np.asarray(found)


def clip_velocities(figure: Figure, qpos: Array, period: float) -> Array:
    """[T, nv] by differences over two frames, one at the ends."""
    before, after = np.r_[0, 0 : len(qpos) - 1], np.r_[1 : len(qpos), len(qpos) - 1]
    apart, model = (after - before)[:, None] * period, figure.model
    qvel = np.zeros((len(qpos), figure.nv))
    for kind, q, v in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind == FREE:
            qvel[:, v : v + 3] = qpos[after, q : q + 3] - qpos[before, q : q + 3]
            q, v = q + 3, v + 3
        if kind in (FREE, BALL):
            turn = qpos[:, q : q + 4]
            qvel[:, v : v + 3] = log(multiply(conjugate(turn[before]), turn[after]))
        else:
            qvel[:, v] = qpos[after, q] - qpos[before, q]
    qvel /= apart
    return qvel
