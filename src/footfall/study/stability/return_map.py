"""The Poincaré return map of a gait, its fixed point and its Floquet multipliers.

The section is the left foot's strike: the moment at which the graph's stance passes to the left leg. A state x on it
has the figure's coordinates without the root's place on the ground, and all rates. P carries x to the next strike: one
step on, seen in the mirror, for a symmetric graph; one stride on for another. A gait is a fixed point, P(x*) = x*; the
eigenvalues of DP(x*) are its Floquet multipliers, and it is stable if they all lie inside the unit circle.

DP comes from central differences over parallel worlds, averaged over several sizes: foot strikes fall on whole time
steps, so that P is a staircase seen closely, and the differences must be much larger than a step's worth of motion.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.simulation import Outcome, Simulation
from footfall.study.sweeps.conditions import RATE_PER_ANGLE, Conditions
from footfall.study.sweeps.experiment import Experiment, strike_times

Array = NDArray[np.float64]

SIZES = (0.002, 0.003, 0.004)
"""Radians of the differences; rates are changed by five times that a second."""


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A gait's fixed point.

    Attributes:
        x: [n] the state on the section, relative to the map's base.
        residual: the largest part of P(x) - x, in units of radians (rates divided by 5/s).
        jacobian: [n, n] DP(x), in the same units.
        multipliers: [n] its eigenvalues, largest first. Per step where the map is mirrored, else per stride.
        per: "step" or "stride".
        period: seconds of one such.
    """

    x: Array
    residual: float
    jacobian: Array
    multipliers: NDArray[np.complex128]
    per: str
    period: float

    @property
    def stable(self) -> bool:
        """Whether all multipliers lie inside the unit circle."""
        return bool(np.abs(self.multipliers[0]) < 1.0)


class ReturnMap:
    """P of an experiment's gait, around the state in which it is first found on the section.

    Args:
        experiment: the gait; it must walk for its ``settle`` seconds. Settings hold throughout.
        dt: step of the map; foot strikes are found to within it.
    """

    def __init__(self, experiment: Experiment, dt: float = 0.00005) -> None:
        self.experiment = replace(experiment, dt=dt)
        self.figure = experiment.load_figure()
        self.mirrored = experiment.graph.symmetric
        self.per = "step" if self.mirrored else "stride"
        simulation = self._simulation(1)
        strike, stride, still = strike_times(simulation, experiment.settle)
        if still[0]:
            raise FootfallError(f"controller '{experiment.name}' takes no steps: no gait to map")
        if not np.isfinite(strike[0]):
            raise FootfallError(f"controller '{experiment.name}' falls within {experiment.settle:g} s: no gait to map")
        self.base = simulation.snapshot()
        self.period = float(stride[0]) / (2.0 if self.mirrored else 1.0)
        place = {"planar": [0], "free": [0, 1], "fixed": []}[self.figure.root]
        self.kept = np.array([d for d in range(self.figure.nv) if d not in place])
        self.names = [*(self._name(d) for d in self.kept), *(f"{self._name(d)}.rate" for d in range(self.figure.nv))]
        self.scale = np.r_[np.ones(len(self.kept)), np.full(self.figure.nv, RATE_PER_ANGLE)]
        self._data = mujoco.MjData(self.figure.model)

    def run(self, x: ArrayLike, seconds: float, dt: float = 0.001) -> Outcome:
        """The result of states x [N, n] after a time, in steps that may be coarser than the map's."""
        states = np.atleast_2d(np.asarray(x, dtype=float))
        simulation = self._simulation(len(states), dt)
        simulation.restore(self.snapshots(states))
        return simulation.run(seconds)

    def _simulation(self, worlds: int, dt: float | None = None) -> Simulation:
        e = self.experiment if dt is None else replace(self.experiment, dt=dt)
        return Conditions(e, {}, worlds).simulation()

    def _name(self, dof: int) -> str:
        joint = next(j for j in self.figure.joints if j.dof <= dof < j.dof + j.ndof)
        return joint.name if joint.ndof == 1 else f"{joint.name}[{dof - joint.dof}]"

    @property
    def size(self) -> int:
        """n, the length of a state."""
        return len(self.names)

    def coordinate(self, name: str) -> int:
        """The index of a coordinate in a state, by joint name, with ``.rate`` for its rate."""
        if name not in self.names:
            from footfall.errors import unknown_name

            raise unknown_name("coordinate of the section", name, self.names)
        return self.names.index(name)

    def snapshots(self, x: ArrayLike) -> dict[str, NDArray[Any]]:
        """The worlds of states x [N, n]: the feet's anchors move along the ground with the feet."""
        changes = np.atleast_2d(np.asarray(x, dtype=float)) * self.scale
        n, nv = len(changes), self.figure.nv
        made = {name: np.repeat(array, n, axis=0) for name, array in self.base.items()}
        base = made["qpos"][0].astype(float)
        turn = np.zeros((n, nv))
        turn[:, self.kept] = changes[:, : len(self.kept)]
        qpos = np.tile(base, (n, 1))
        rest = self._points(base)
        for w in range(n):
            mujoco.mj_integratePos(self.figure.model, qpos[w], turn[w], 1.0)
            moved = self._points(qpos[w]) - rest
            moved[:, 2] = 0.0
            made["anchor"][w] += moved.reshape(-1).astype(made["anchor"].dtype)
        made["qpos"][:] = qpos
        made["qvel"][:] = made["qvel"][0] + changes[:, len(self.kept) :]
        return made

    def _points(self, qpos: Array) -> Array:
        """[P, 3] where the points of the engine's ground are."""
        model, data = self.figure.model, self._data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        chosen = [p for p in self.figure.points if p.ground and (p.foot is not None or not self.figure.legs)]
        places = [data.xpos[p.body + 1] + data.xmat[p.body + 1].reshape(3, 3) @ p.position for p in chosen]
        return np.array(places)

    def states(self, snapshot: dict[str, NDArray[Any]], *, in_mirror: bool) -> Array:
        """[N, n] states of worlds on the section, seen in the mirror or not."""
        qpos, qvel = snapshot["qpos"].astype(float), snapshot["qvel"].astype(float)
        if in_mirror:
            qpos, qvel = self.figure.mirror_qpos(qpos), self.figure.mirror_qvel(qvel)
        base_qpos, base_qvel = self.base["qpos"][0].astype(float), self.base["qvel"][0].astype(float)
        turn = np.zeros((len(qpos), self.figure.nv))
        for w in range(len(qpos)):
            mujoco.mj_differentiatePos(self.figure.model, turn[w], 1.0, base_qpos, qpos[w])
        return np.asarray(np.concatenate([turn[:, self.kept], qvel - base_qvel], axis=1) / self.scale)

    def orbit(self, x: ArrayLike, returns: int) -> Array:
        """[returns + 1, N, n] the states of N worlds over the next strikes, by one simulation without a break; NaN from
        where a world fell."""
        start = np.atleast_2d(np.asarray(x, dtype=float))
        simulation = self._simulation(len(start))
        simulation.restore(self.snapshots(start))
        first = int(self.base["tally"][0, 0])
        hop = 1 if self.mirrored else 2
        patience = round(max(5.0 * self.period, 1.0) / self.experiment.dt)
        path = [start]
        for k in range(1, returns + 1):
            simulation.step(patience, footsteps=first + hop * k)
            outcome = simulation.outcome()
            here = self.states(simulation.snapshot(), in_mirror=self.mirrored and k % 2 == 1)
            path.append(np.where((outcome.survived & (outcome.footsteps == first + hop * k))[:, None], here, np.nan))
        return np.array(path)

    def __call__(self, x: ArrayLike) -> Array:
        """P: [N, n] to [N, n]."""
        return np.asarray(self.orbit(x, 1)[1])

    def jacobian(self, x: Array, sizes: tuple[float, ...] = SIZES) -> Array:
        """[n, n] DP at x [n], by central differences averaged over sizes."""
        n = self.size
        around = np.concatenate([s * h * np.eye(n) for h in sizes for s in (1.0, -1.0)]) + x
        image = self(around).reshape(len(sizes), 2, n, n)
        slopes = (image[:, 0] - image[:, 1]) / (2.0 * np.array(sizes)[:, None, None])
        if np.isnan(slopes).any():
            raise FootfallError(
                "return map: a neighbour of the gait falls within a step; the gait is too near its limits"
            )
        return np.asarray(slopes.mean(axis=0).T)

    def fixed_point(
        self, guess: ArrayLike | None = None, iterations: int = 8, progress: Callable[[int], None] | None = None
    ) -> FixedPoint:
        """The gait's fixed point, by Newton's method from a guess [n] (by default the base), to within a time step."""
        x = np.zeros(self.size) if guess is None else np.array(guess, dtype=float)
        best, least = x, np.inf
        for k in range(iterations):
            error = self(x)[0] - x
            size = float(np.max(np.abs(error)))
            if not np.isfinite(size):
                break
            if size < least:
                best, least = x, size
            elif k > 2:
                break
            slope = self.jacobian(x)
            x = x - np.linalg.solve(slope - np.eye(self.size), error)
            if progress is not None:
                progress(k)
        if not np.isfinite(least):
            raise FootfallError("return map: the gait falls within a step of the guess")
        slope = self.jacobian(best)
        values = np.linalg.eigvals(slope)
        order = np.argsort(-np.abs(values))
        return FixedPoint(best, least, slope, values[order].astype(complex), self.per, self.period)

    def decay(self, point: FixedPoint, size: float = 0.004, returns: int = 12) -> tuple[Array, complex]:
        """How a small disturbance along the slowest direction fades in simulation.

        Returns:
            [returns + 1] its share of the slowest mode over the strikes, and the multiplier fitted to it.
        """
        values, right = np.linalg.eig(point.jacobian)
        slow = int(np.argmax(np.abs(values)))
        left = np.linalg.inv(right)[slow]
        along = np.real(right[:, slow])
        along *= size / np.max(np.abs(along))
        path = self.orbit(np.stack([point.x + along, point.x - along]), returns)
        mode = (path[:, 0] - path[:, 1]) @ left / 2.0
        good = np.abs(mode) > 0.05 * np.abs(mode[0])
        count = int(np.argmin(good)) if not good.all() else len(good)
        ratio = np.vdot(mode[: count - 1], mode[1:count]) / np.vdot(mode[: count - 1], mode[: count - 1])
        return np.abs(mode), complex(ratio)
