"""The discrete system model: how a step's end answers to its perturbations' scalings (Laszlo 1996, section 3.7.2).

    Q = Q_nom + J K          equation 3.9
    K = J⁻¹ (Q_d - Q_nom)    equation 3.11

Q_nom [N] and J [N, N] come from sample simulations of the step. All arrays have a leading axis of W walkers.

Models can be reused, and steps sampled only where they fail (section 6.1.1). Q_nom moves with every part of the state,
observed or not; J hardly moves. A step that reuses a model is therefore tried once, with the scalings that the model
asks for. If that ends within ``accept`` of the target, the trial is the step and has cost nothing. Otherwise the trial
gives Q_nom, J corrects the scalings, and the step has cost one sample simulation instead of 2 N; the two simulations
also mend J along their difference (Broyden's update). A step that still misses by more than ``tolerance`` is corrected
once more, and then sampled again.

A sampled model's line is not the truth: it misses the target by some hundredths, always to the same side. The walk that
goes on without it aims at where it would have led, the target and that miss.

    last    each walker keeps the model of its last step on the same leg
    table   models are kept with the state in which their step began; the nearest one serves if it is near enough
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.limit_cycle.regulation import Posture
from footfall.motion.quaternion import conjugate, from_axis_angle, multiply

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


Flags = NDArray[np.bool_]
Snapshot = dict[str, NDArray[Any]]

SMALLEST_CHANGE = 0.5
"""Scalings closer than this (degrees) say nothing about a slope."""


class ModelReuse(ABC):
    """Which walkers can do without new models, and with which ones.

    Attributes:
        accept: the largest error in a regulation variable with which a trial passes as the step.
        tolerance: the largest error of a corrected prediction after which a model is still trusted.
    """

    accept: float
    tolerance: float

    @abstractmethod
    def begin(self, walkers: int, dimensions: int) -> None:
        """Forget what belongs to single walkers."""

    @abstractmethod
    def lookup(self, figure: Figure, start: Snapshot, stance: NDArray[np.int64], alive: Flags) -> Flags:
        """[W] which walkers have a model for the step that begins in the states ``start`` on the legs ``stance``."""

    @abstractmethod
    def store(self, fresh: Flags, model: SystemModel) -> None:
        """Keep the models of the walkers that were sampled."""

    @abstractmethod
    def models(self) -> SystemModel:
        """The W models of this step."""

    def learn(self, tried: Flags, scalings: Array, values: Array) -> None:
        """Mend the Jacobians of walkers that tried a step twice, from the differences [W, N] between the two: Broyden's
        update J += (ΔQ - J ΔK) ΔKᵀ / ΔKᵀΔK."""
        jacobian = self.models().jacobian.copy()
        size = np.sum(scalings**2, axis=1)
        for w in np.flatnonzero(tried & (size > SMALLEST_CHANGE**2)):
            jacobian[w] += np.outer(values[w] - jacobian[w] @ scalings[w], scalings[w]) / size[w]
        self.mend(jacobian)

    @abstractmethod
    def mend(self, jacobian: Array) -> None:
        """Replace the Jacobians [W, N, N] of this step's models."""

    @abstractmethod
    def misses(self) -> Array:
        """[W, N] by how much this step's models, when new, missed their targets."""

    @abstractmethod
    def observe(self, alive: Flags, scalings: Array, values: Array, predicted: Array, misses: Array) -> None:
        """Learn where scalings [W, N] led, values [W, N], beside what was predicted; and by how much new models missed
        the target, ``misses`` [W, N], NaN for those that are not new."""


class LastModel(ModelReuse):
    """Each walker keeps its last model of either leg until it fails.

    Args:
        steady: a new model is kept if it misses its target as the one before it did, within this.
    """

    def __init__(self, accept: float = 0.005, tolerance: float = 0.02, steady: float = 0.01) -> None:
        self.accept, self.tolerance, self.steady = accept, tolerance, steady

    def begin(self, walkers: int, dimensions: int) -> None:
        w, n = walkers, dimensions
        self._trusted = np.zeros((2, w), dtype=bool)
        self._centre, self._q_nom = np.zeros((2, w, n)), np.zeros((2, w, n))
        self._jacobian = np.zeros((2, w, n, n))
        self._misses = np.full((2, w, n), np.inf)

    def lookup(self, figure: Figure, start: Snapshot, stance: NDArray[np.int64], alive: Flags) -> Flags:
        """[W] whose last model on this leg is trusted."""
        self._at = (stance, np.arange(len(stance)))
        return np.asarray(self._trusted[self._at] & alive)

    def store(self, fresh: Flags, model: SystemModel) -> None:
        """Replace the models of the walkers that were sampled."""
        at = (self._at[0][fresh], self._at[1][fresh])
        self._centre[at], self._q_nom[at] = model.centre[fresh], model.q_nom[fresh]
        self._jacobian[at] = model.jacobian[fresh]

    def models(self) -> SystemModel:
        return SystemModel(self._centre[self._at], self._q_nom[self._at], self._jacobian[self._at])

    def mend(self, jacobian: Array) -> None:
        self._jacobian[self._at] = jacobian

    def misses(self) -> Array:
        return np.asarray(self._misses[self._at])

    def observe(self, alive: Flags, scalings: Array, values: Array, predicted: Array, misses: Array) -> None:
        """Move the models to what happened; trust old ones that foresaw it and new ones that miss as those before."""
        new = np.asarray(np.isfinite(misses).all(axis=1))
        near = np.abs(values - predicted).max(axis=1) <= self.tolerance
        steady = np.abs(misses - self._misses[self._at]).max(axis=1) <= self.steady
        self._misses[self._at] = np.where(new[:, None], misses, self._misses[self._at])
        self._trusted[self._at] = np.where(new, steady, near) & alive
        self._centre[self._at], self._q_nom[self._at] = scalings, values


class ModelTable(ModelReuse):
    """Models over states: all walkers share what was sampled anywhere, now or in earlier walks.

    The state is the pose and velocity at the start of a step, seen from the pelvis, each
    number scaled by its spread over the models so far.

    Args:
        radius: how far, in those units and per square root of their number, a model may be to serve.
    """

    def __init__(self, radius: float = 0.5, accept: float = 0.005, tolerance: float = 0.02) -> None:
        self.radius, self.accept, self.tolerance = radius, accept, tolerance
        self._keys: list[list[Array]] = [[], []]
        self._kept: list[list[tuple[Array, Array, Array, Array]]] = [[], []]

    @property
    def size(self) -> int:
        """How many models it holds."""
        return sum(len(kept) for kept in self._kept)

    def begin(self, walkers: int, dimensions: int) -> None:
        self._new: dict[int, tuple[int, int]] = {}
        self._doubted = np.zeros(walkers, dtype=bool)
        w, n = walkers, dimensions
        self._current = (np.zeros((w, n)), np.zeros((w, n)), np.zeros((w, n, n)), np.zeros((w, n)))

    def lookup(self, figure: Figure, start: Snapshot, stance: NDArray[np.int64], alive: Flags) -> Flags:
        """[W] True where a model is near enough."""
        self._stance = stance
        self._state = _features(figure, start, stance)
        found = np.zeros(len(stance), dtype=bool)
        for w in np.flatnonzero(alive & ~self._doubted):
            side = int(stance[w])
            if len(self._keys[side]) < 8:
                continue
            keys = np.array(self._keys[side])
            spread = np.maximum(keys.std(axis=0), 1e-3)
            distance = np.sqrt(np.mean(((keys - self._state[w]) / spread) ** 2, axis=1))
            best = int(np.argmin(distance))
            if distance[best] < self.radius:
                for array, part in zip(self._current, self._kept[side][best], strict=True):
                    array[w] = part
                found[w] = True
        return found

    def store(self, fresh: Flags, model: SystemModel) -> None:
        """Add the models of the walkers that were sampled."""
        self._new = {}
        for w in np.flatnonzero(fresh):
            side = int(self._stance[w])
            one = model.of(np.array([w]))
            parts = (one.centre[0], one.q_nom[0], one.jacobian[0], np.zeros_like(one.centre[0]))
            self._keys[side].append(self._state[w])
            self._new[int(w)] = (side, len(self._kept[side]))
            self._kept[side].append(parts)
            for array, part in zip(self._current, parts, strict=True):
                array[w] = part

    def models(self) -> SystemModel:
        return SystemModel(*self._current[:3])

    def mend(self, jacobian: Array) -> None:
        """Nothing: what a table holds stays as it was sampled."""

    def misses(self) -> Array:
        return self._current[3]

    def observe(self, alive: Flags, scalings: Array, values: Array, predicted: Array, misses: Array) -> None:
        """Doubt the table where it failed; new models move to what happened."""
        for w, (side, index) in self._new.items():
            jacobian = self._kept[side][index][2]
            self._kept[side][index] = (scalings[w].copy(), values[w].copy(), jacobian, misses[w].copy())
        self._new = {}
        self._doubted = np.abs(values - predicted).max(axis=1) > self.tolerance


def _features(figure: Figure, start: Snapshot, stance: NDArray[np.int64]) -> Array:
    """[W, F] height, orientation and joint angles, and velocities, without position and heading."""
    qpos, qvel = np.array(start["qpos"], dtype=float), np.array(start["qvel"], dtype=float)
    heading = Posture(figure, qpos, stance).heading
    turn = conjugate(from_axis_angle(np.array([0.0, 0.0, 1.0]), heading))
    qpos[:, 3:7] = multiply(turn, qpos[:, 3:7])
    qpos[:, 3:7] *= np.where(qpos[:, 3:4] < 0, -1.0, 1.0)
    c, s = np.cos(heading), np.sin(heading)
    qvel[:, 0], qvel[:, 1] = c * qvel[:, 0] + s * qvel[:, 1], -s * qvel[:, 0] + c * qvel[:, 1]
    qpos[:, :2] = 0.0
    return np.concatenate([qpos[:, 2:], qvel], axis=1)
