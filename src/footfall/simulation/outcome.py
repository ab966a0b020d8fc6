"""Outcomes: how each world ended and what it did on the way."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outcome"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What N worlds did, arrays over worlds [N].

    Attributes:
        time: simulated seconds, up to the end or the fall.
        fell, diverged: whether the world fell; whether its numbers ran away (its state is then the last good one).
        end_time: when it fell or diverged; NaN otherwise.
        distance: metres along x from the start to the last state that stood.
        speed: metres a second; between the first and last footstep where there are two, else over all.
        footsteps: exchanges of stance. step_time: mean seconds between them (NaN below two).
        torque_squared: mean of the summed squares of joint torques. acceleration_squared: likewise of accelerations.
        work: mean absolute joint power, watts. peak_torque: newton metres.
        torso_low, torso_high: range of the torso's pitch after the fourth footstep, radians (NaN before).
        qpos, qvel: [N, nq], [N, nv] the last states.
        last_qpos, last_qvel: [N, R, …] the R states sampled before that, oldest first.
    """

    time: Array
    fell: NDArray[np.bool_]
    diverged: NDArray[np.bool_]
    end_time: Array
    distance: Array
    speed: Array
    footsteps: NDArray[np.int64]
    step_time: Array
    torque_squared: Array
    acceleration_squared: Array
    work: Array
    peak_torque: Array
    torso_low: Array
    torso_high: Array
    qpos: Array
    qvel: Array
    last_qpos: Array
    last_qvel: Array

    @property
    def survived(self) -> NDArray[np.bool_]:
        """[N] whether the world neither fell nor diverged."""
        return ~(self.fell | self.diverged)

    def summary(self, world: int = 0) -> dict[str, Any]:
        """One world in plain numbers, for printing; NaN becomes None."""

        def number(x: Any, digits: int = 6) -> float | None:
            return round(float(x), digits) if np.isfinite(x) else None

        return {
            "fell": bool(self.fell[world]),
            "fall_time": number(self.end_time[world]) if self.fell[world] else None,
            "diverged": bool(self.diverged[world]),
            "steps": int(self.footsteps[world]),
            "distance_m": number(self.distance[world]),
            "speed_mps": number(self.speed[world]),
            "step_time_s": number(self.step_time[world]),
        }
