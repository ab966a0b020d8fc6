"""The algebra of poses and displacements of Data-Driven Biped Control, appendix A.

A pose P = (v0, q1 … qn) is the root's position with all local rotations; a displacement D = (u0, u1 … un) holds linear
and angular vectors. With ⊗ the sum, ⊘ the difference and Pᵅ the power of poses,

    P2 ⊗ (P1 ⊘ P2) = P1            P ⊗ (P1 ⊘ P2)ᵅ carries a share α of a displacement over to another pose.
"""

from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply, normalised, rotate


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
    return Motion(
        motion.skeleton,
        motion.times,
        moved.root,
        moved.rotations,
        ground=motion.ground,
        figure=motion.figure,
        figure_xml=motion.figure_xml,
        source=motion.source,
    )
