"""Bifurcation diagrams: what a gait does in the long run as one parameter changes (SIMBICON, section 7.3).

From one fixed start, each value of the parameter gets a world of its own. After settling, the state at foot strike is
noted over many steps: one value is a limit cycle of period one, two a doubled period, many are chaos or a slow drift,
none a fall.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.study.stability.return_map import ReturnMap
from footfall.study.sweeps.conditions import Conditions
from footfall.study.sweeps.experiment import Experiment

Array = NDArray[np.float64]

LONGEST_PERIOD = 8
SETTLED = 1e-4
"""Radians: a residual above it is not a fixed point."""


@dataclass(frozen=True, eq=False)
class Bifurcation:
    """A diagram over V values of one parameter, with K foot strikes at each.

    Attributes:
        name: of the parameter.
        values: [V].
        speed: [V, K] the hip's forward speed at the strikes, m/s; NaN after a fall.
        step_length: [V, K] how far the hip came since the strike before, m. step_time: [V, K] how long that took, s.
        period: [V] steps after which the gait repeats; 0 if not within eight, -1 if it fell.
    """

    name: str
    values: Array
    speed: Array
    step_length: Array
    step_time: Array
    period: NDArray[np.int64]

    @property
    def stable_range(self) -> tuple[float, float] | None:
        """The longest unbroken range of values at which the gait does not fall; None if there is none."""
        stood = np.concatenate([[False], self.period >= 0, [False]])
        begins, ends = np.flatnonzero(~stood[:-1] & stood[1:]), np.flatnonzero(stood[:-1] & ~stood[1:])
        if not len(begins):
            return None
        best = int(np.argmax(ends - begins))
        return float(self.values[begins[best]]), float(self.values[ends[best] - 1])


def bifurcation(
    experiment: Experiment,
    name: str,
    values: ArrayLike,
    *,
    settle: float = 30.0,
    strikes: int = 64,
    dt: float = 0.0005,
    tolerance: float = 0.002,
) -> Bifurcation:
    """The diagram over one parameter.

    Args:
        experiment: the gait.
        name: of any factor. values: [V].
        settle: seconds before strikes are noted. strikes: K.
        tolerance: m/s; strikes whose speeds differ by less are the same (foot strikes fall on whole steps).
    """
    grid = np.asarray(values, dtype=float).reshape(-1)
    e = replace(experiment, dt=dt)
    simulation = Conditions(e, {name: grid}, len(grid)).simulation()
    first = simulation.run(settle).footsteps
    patience = round(3.0 / dt)
    rows = []
    for k in range(strikes + 1):
        simulation.step(patience, footsteps=first + k)
        outcome, state = simulation.outcome(), simulation.snapshot()
        there = outcome.survived & (outcome.footsteps == first + k)
        row = np.stack([state["qvel"][:, 0], state["qpos"][:, 0], state["step_count"] * dt], axis=-1).astype(float)
        rows.append(np.where(there[:, None], row, np.nan))
    path = np.array(rows)
    speed = path[1:, :, 0].T
    period = np.array([_period(s, tolerance) for s in speed])
    length, time = np.diff(path[:, :, 1], axis=0).T, np.diff(path[:, :, 2], axis=0).T
    return Bifurcation(name, grid, speed, length, time, period)


def multipliers_along(
    experiment: Experiment, name: str, values: ArrayLike, progress: Callable[[int, int], None] | None = None
) -> tuple[Array, Array]:
    """The largest Floquet multiplier along a branch of gaits: values [M] at which the gait settles, and magnitudes."""
    found: list[tuple[float, float]] = []
    grid = np.asarray(values, dtype=float).reshape(-1)
    for k, value in enumerate(grid):
        one = replace(experiment, set={**experiment.set, name: float(value)})
        try:
            point = ReturnMap(one).fixed_point()
        except FootfallError:
            continue
        finally:
            if progress is not None:
                progress(k + 1, len(grid))
        if point.residual < SETTLED:
            found.append((float(value), float(np.abs(point.multipliers[0]))))
    pairs = np.array(found).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _period(speed: Array, tolerance: float) -> int:
    if np.isnan(speed).any():
        return -1
    for p in range(1, LONGEST_PERIOD + 1):
        if np.max(np.abs(speed[p:] - speed[:-p])) < tolerance:
            return p
    return 0
