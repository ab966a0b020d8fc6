"""The log of a balanced walk: the arrays of its record, as they fill step by step."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle.posture import Posture
from footfall.methods.limit_cycle.walk_record import TakenStep
from footfall.simulation.simulation import Simulation

Array = NDArray[np.float64]


class WalkLog:
    """The arrays of a :class:`WalkRecord`, as they fill."""

    def __init__(self, steps: int, w: int, n: int, width: int) -> None:
        self.targets, self.scalings, self.values, self.predicted = (np.full((steps, w, n), np.nan) for _ in range(4))
        self.samples = np.zeros((steps, w), dtype=np.int64)
        self.rows = np.zeros((steps, w, width))
        self.firsts = np.zeros((steps, w), dtype=np.int64)
        self.times, self.heading = (np.full((steps + 1, w), np.nan) for _ in range(2))
        self.pelvis, self.feet = (np.full((steps + 1, w, 3), np.nan) for _ in range(2))

    def mark(self, number: int, simulation: Simulation, posture: Posture, alive: NDArray[np.bool_]) -> None:
        """Where the walkers are before step ``number``."""
        self.times[number] = simulation.snapshot()["step_count"] * simulation.dt
        self.pelvis[number], self.heading[number] = posture.pelvis, posture.heading
        self.feet[number] = posture.foot(swing=True)
        for array in (self.pelvis, self.heading, self.feet):
            array[number, ~alive] = np.nan

    def take(self, number: int, target: Array, taken: TakenStep, firsts: Array, alive: NDArray[np.bool_]) -> None:
        """Step ``number`` was taken, from states ``firsts`` [W]."""
        for array, part in (
            (self.targets, target),
            (self.scalings, taken.scalings),
            (self.values, taken.values),
            (self.predicted, taken.predicted),
        ):
            array[number, alive] = part[alive]
        self.samples[number], self.rows[number] = taken.samples, taken.rows
        self.firsts[number] = firsts.astype(np.int64)

    def displacement(self, number: int, axis: str) -> Array:
        """[W] how far the pelvis went over the last step, forward or to the left; 0 before the first."""
        if number == 0:
            return np.zeros(self.times.shape[1])
        went = self.pelvis[number] - self.pelvis[number - 1]
        angle = self.heading[number] + (0.0 if axis == "forward" else np.pi / 2)
        return np.asarray(np.nan_to_num(went[:, 0] * np.cos(angle) + went[:, 1] * np.sin(angle)))

    def arrays(self) -> dict[str, Any]:
        """What the record keeps."""
        names = ("targets", "scalings", "values", "predicted", "samples", "times", "pelvis", "heading", "feet")
        return {name: getattr(self, name) for name in (*names, "rows", "firsts")}
