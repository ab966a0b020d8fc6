"""Principal components of a motion: the poses along which it varies most (Improving SIMBICON, section III.C).

The joint angles of all frames, less their mean, have a covariance; its eigenvectors are poses of their own, its
eigenvalues tell how much of the motion each one carries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.errors import FootfallError, check_name
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """The components of n joint angles.

    Attributes:
        labels: [n] names of the angles.
        mean: [n] the mean pose.
        values: [n] eigenvalues, largest first: variance along each component.
        vectors: [n, n] eigenvectors, one a row, each turned so that its first large entry is positive.
    """

    labels: tuple[str, ...]
    mean: Array
    values: Array
    vectors: Array

    def needed(self, fraction: float = 0.9) -> int:
        """The least number of components that carry a fraction of the variance (equation 5)."""
        if not 0 < fraction <= 1:
            raise FootfallError(f"fraction is {fraction}; it must be above 0 and at most 1")
        return int(np.searchsorted(np.cumsum(self.values) / self.values.sum(), fraction - 1e-12) + 1)

    def pose(self, component: int, amplitude: float = 1.0) -> Array:
        """[n] the mean pose plus a component: Q_m + a B_i."""
        self._check(component)
        return np.asarray(self.mean + amplitude * self.vectors[component])

    def coordinates(self, angles: ArrayLike) -> Array:
        """[..., n] how far poses [..., n] lie along each component."""
        return np.asarray((np.asarray(angles, dtype=float) - self.mean) @ self.vectors.T)

    def reconstruct(self, angles: ArrayLike, count: int) -> Array:
        """[..., n] the poses [..., n] as far as the first ``count`` components tell them."""
        self._check(count - 1)
        return np.asarray(self.mean + self.coordinates(angles)[..., :count] @ self.vectors[:count])

    def swing(
        self,
        components: Sequence[int],
        times: ArrayLike,
        *,
        frequency: float = 1.0,
        phases: Sequence[float] | None = None,
    ) -> Array:
        """[T, n] poses that swing along components as sines, as far as the motion itself does (amplitude √2 λ^½)."""
        t = np.asarray(times, dtype=float)
        poses = np.tile(self.mean, (len(t), 1))
        for k, component in enumerate(components):
            self._check(component)
            phase = phases[k] if phases is not None else 0.5 * np.pi * k
            swing = np.sqrt(2 * max(self.values[component], 0.0)) * np.sin(2 * np.pi * frequency * t + phase)
            poses += swing[:, None] * self.vectors[component]
        return poses

    def named(self, pose: ArrayLike) -> Mapping[str, float]:
        """A pose by its angles' names."""
        return dict(zip(self.labels, np.asarray(pose, dtype=float).tolist(), strict=True))

    def _check(self, component: int) -> None:
        if not 0 <= component < len(self.labels):
            raise FootfallError(f"component is {component}; there are {len(self.labels)}, counted from 0")


def joint_angles(motion: Motion, labels: Sequence[str] | None = None) -> tuple[tuple[str, ...], Array]:
    """Names [n] and values [T, n] of a recorded motion's joint angles: all but the root's position.

    Args:
        motion: one with the channel ``qpos``, as simulations record it and retargeting gives it.
        labels: which angles; by default every column of qpos but slides and the quaternion of a free root.
    """
    if "qpos" not in motion.channels or "qpos" not in motion.labels:
        raise FootfallError("principal components: the motion has no joint angles; retarget it onto a figure first")
    names, values = motion.labels["qpos"], np.asarray(motion.channels["qpos"], dtype=float)
    if labels is None:
        labels = [n for n in names if not n.startswith("root") and not n.endswith((".w", ".x", ".y", ".z"))]
    for label in labels:
        check_name("joint angle", label, names)
    return tuple(labels), values[:, [names.index(label) for label in labels]]


def principal_components(motion: Motion, labels: Sequence[str] | None = None) -> PrincipalComponents:
    """The principal components of a motion's joint angles."""
    names, angles = joint_angles(motion, labels)
    if len(angles) < 2:
        raise FootfallError("principal components: two frames at least are needed")
    mean = angles.mean(axis=0)
    values, columns = np.linalg.eigh(np.cov(angles, rowvar=False, ddof=1).reshape(len(names), len(names)))
    order = np.argsort(values)[::-1]
    vectors = columns.T[order]
    turned = [row * (np.sign(row[np.argmax(np.abs(row) > 0.25)]) or 1.0) for row in vectors]
    return PrincipalComponents(names, mean, np.maximum(values[order], 0.0), np.array(turned))
