"""The clip that a policy follows, as it stands in a controller: poses at the rate of the policy's decisions.

Its file is a .safetensors with one tensor, ``qpos`` [T, nq], and the text ``rate``, frames a second.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.errors import FootfallError
from footfall.methods.network.multilayer import read_tensors, write_tensors
from footfall.motion.quaternion import conjugate, log, multiply

if TYPE_CHECKING:
    from footfall.figures import Figure

FEWEST = 2
ROOT_QPOS = 7
ROOT_SPEEDS = 3
"""Numbers of a frame in a law's library after the pose: the root's velocity in the world's axes."""
MOST_OFF = 1e-3
"""Of a quaternion's length from 1."""


class ClipStart(Start):
    """The first state of a clip."""

    def check_size(self, figure: "Figure") -> None:
        """Refuse a clip that is not of a figure."""
        if (len(self.qpos), len(self.qvel)) != (figure.nq, figure.nv):
            raise FootfallError(
                f"clip_frames has poses of {len(self.qpos)} numbers; figure '{figure.name}' has {figure.nq}"
            )


@dataclass(frozen=True, eq=False)
class ClipFrames:
    """Poses of a figure with a free root and hinges.

    Attributes:
        qpos: [T, nq] the root's place and quaternion, then the joints. rate: frames a second.
    """

    qpos: NDArray[np.float32]
    rate: float

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

    def __len__(self) -> int:
        return len(self.qpos)

    @property
    def seconds(self) -> float:
        """From the first frame to the last."""
        return (len(self) - 1) / self.rate

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        return write_tensors({"qpos": self.qpos}, {"rate": repr(float(self.rate))})

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
        try:
            return cls(tensors["qpos"], own)
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
    def numbers(self) -> NDArray[np.float64]:
        """How many frames there are, then each one's pose and the root's velocity by differences over two frames (one
        at the ends)."""
        poses = np.asarray(self.qpos, dtype=float)
        at = np.arange(len(poses))
        before, after = np.maximum(at - 1, 0), np.minimum(at + 1, len(poses) - 1)
        speeds = self.rate * (poses[after, :ROOT_SPEEDS] - poses[before, :ROOT_SPEEDS]) / (after - before)[:, None]
        return np.concatenate([[len(poses)], np.concatenate([poses, speeds], axis=1).ravel()])
