"""The discrete system model: how a step's end answers to its perturbations' scalings (Laszlo 1996, section 3.7.2).

    Q = Q_nom + J K          equation 3.9
    K = J⁻¹ (Q_d - Q_nom)    equation 3.11

Q_nom [N] and J [N, N] come from sample simulations of the step. All arrays have a leading axis of W walkers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALLEST_SLOPE = 1e-5
"""A slower answer than this (to a degree of hip, say) cannot be distinguished from none: the scaling then stays at its
centre."""


@dataclass(frozen=True, eq=False)
class SystemModel:
    """Linear models of W walkers' steps about the scalings ``centre``.

    Attributes:
        centre: [W, N] the scalings at which Q_nom was found.
        q_nom: [W, N] the regulation variables there.
        jacobian: [W, N, N] their derivatives, ∂q_i/∂k_j.
    """

    centre: Array
    q_nom: Array
    jacobian: Array

    @classmethod
    def line(cls, dimension: int, centre: Array, sample: float, low: Array, high: Array) -> "SystemModel":
        """A model of one dimension alone, from samples at centre ∓ sample: the others' slopes are unknown, and zero.

        Args:
            dimension: j, the scaling that was varied.
            centre: [W, N].
            sample: the scaling's distance from the centre in both samples.
            low, high: [W, N] the regulation variables at the two samples.
        """
        w, n = centre.shape
        jacobian = np.zeros((w, n, n))
        jacobian[:, :, dimension] = (high - low) / (2.0 * sample)
        return cls(centre, 0.5 * (low + high), jacobian)

    @classmethod
    def superposed(cls, models: Sequence["SystemModel"], *, full: bool) -> "SystemModel":
        """One model of N lines through a common centre: with the full Jacobian, or its diagonal alone (superposition).

        Superposition reads each variable from the samples of its own dimension. The full model's Q_nom is the mean of
        all.
        """
        jacobian = np.sum([m.jacobian for m in models], axis=0)
        if full:
            q_nom = np.mean([m.q_nom for m in models], axis=0)
        else:
            jacobian = jacobian * np.eye(jacobian.shape[-1])
            q_nom = np.stack([m.q_nom[:, j] for j, m in enumerate(models)], axis=1)
        return cls(models[0].centre, q_nom, jacobian)

    def predicted(self, scalings: Array) -> Array:
        """[W, N] the regulation variables that scalings [W, N] should lead to."""
        return np.asarray(self.q_nom + np.einsum("wij,wj->wi", self.jacobian, scalings - self.centre))

    def scalings(self, target: Array) -> Array:
        """[W, N] scalings that should reach ``target`` [W, N]; the centre where the model cannot be inverted."""
        error = target - self.q_nom
        answer = self.centre.copy()
        for w, jacobian in enumerate(self.jacobian):
            used = np.abs(jacobian).max(axis=0) > SMALLEST_SLOPE
            square = jacobian[np.ix_(used, used)]
            if used.any() and np.linalg.matrix_rank(square) == len(square):
                answer[w, used] += np.linalg.solve(square, error[w, used])
        return answer

    def of(self, walkers: NDArray[np.int64]) -> "SystemModel":
        """The models of some of the walkers."""
        return SystemModel(self.centre[walkers], self.q_nom[walkers], self.jacobian[walkers])
