"""Outcomes: how each world ended and what it did until then."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.simulation.structures import DIVERGED, FELL, STOPPED, TALLY
from footfall.simulation.worlds import WorldState

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What N worlds did, arrays over worlds [N].

    Attributes:
        time: simulated seconds, up to the end or the fall.
        fell, diverged: whether the world fell; whether its numbers ran away (its state is then the last good one).
        end_time: when it fell or diverged; NaN otherwise.
        distance: metres along x from the start to the end or the fall.
        speed: metres per second; between the first and last footstep where there are two, else over all.
        footsteps: exchanges of stance. step_time: mean seconds between them (NaN below two).
        torque_squared: mean of the summed squares of joint torques. acceleration_squared: the same of accelerations.
        power: mean absolute joint power, watts. peak_torque: newton metres.
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
    power: Array
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

    def summary(self, world: int | None = None) -> dict[str, Any]:
        """Plain numbers for printing; what is not known is None.

        Args:
            world: which one. By default the only world, or else all of them: how many there are, survived, fell and
                diverged, and the mean of each number over those that survived.
        """
        names = {"footsteps": "footsteps", "distance_m": "distance", "speed_mps": "speed", "step_time_s": "step_time"}
        count = len(self.fell)
        if world is None and count > 1:
            flags = {name: int(getattr(self, name).sum()) for name in ("survived", "fell", "diverged")}
            up = self.survived
            means = {key: _plain(getattr(self, name)[up].mean() if up.any() else np.nan) for key, name in names.items()}
            return {"worlds": count, **flags, "mean": means}
        world = world or 0
        if not -count <= world < count:
            raise FootfallError(f"world {world}: there are {count} worlds, 0 to {count - 1}")
        numbers = {key: _plain(getattr(self, name)[world]) for key, name in names.items()}
        return {
            "world": world % count,
            "fell": bool(self.fell[world]),
            "diverged": bool(self.diverged[world]),
            "end_time": _plain(self.end_time[world]),
            **numbers,
        }

    def to_pandas(self) -> "pd.DataFrame":
        """A table with a row for each world and a column for each number."""
        from footfall.simulation.reports import outcome_frame

        return outcome_frame(self)

    def __repr__(self) -> str:
        from footfall.simulation.reports import outcome_text

        return outcome_text(self)

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        from footfall.simulation.reports import outcome_html

        return outcome_html(self)


def _plain(value: Any) -> float | int | None:
    """A number as JSON has it."""
    if isinstance(value, int | np.integer):
        return int(value)
    return round(float(value), 6) if np.isfinite(value) else None


def outcome_of(
    state: WorldState,
    rings: Sequence[Array],
    start: Array,
    dt: float,
    ring_stride: int,
    *,
    along: bool,
) -> Outcome:
    """The outcome of worlds from their states.

    Args:
        state: of the worlds.
        rings: sampled qpos [N, R, nq] and qvel [N, R, nv], in ring order.
        start: [N, nq] where they began.
        dt: step, seconds.
        ring_stride: steps between samples of the rings.
        along: whether qpos[0] is a position along x.
    """
    tally = dict(zip(TALLY, state["tally"].T.astype(float), strict=True))
    status, steps = state["status"], state["step_count"].astype(np.int64)
    end = state["end_step"] * dt
    lived = np.where(status > 0, np.minimum(end, steps * dt), steps * dt)
    qpos = state["qpos"].astype(float)
    footsteps = tally["footsteps"].astype(np.int64)
    fell = (status == FELL) | (status == STOPPED)
    distance = np.where(fell, tally["fall_x"], qpos[:, 0]) - start[:, 0] if along else np.zeros(len(qpos))
    spans = tally["last_footstep_time"] - tally["first_footstep_time"]
    travelled = tally["last_footstep_x"] - tally["first_footstep_x"]
    with np.errstate(divide="ignore", invalid="ignore"):
        step_time = np.where(footsteps > 1, spans / (footsteps - 1), np.nan)
        speed = np.where(footsteps > 1, travelled / spans, distance / lived)
        means = {name: tally[name] / lived for name in ("torque_squared", "acceleration_squared")}
        power = tally["work"] / lived
    early = footsteps <= 4
    count = rings[0].shape[1]
    order = ((-(-steps // ring_stride))[:, None] - count + np.arange(count)) % count
    last = [r if count == 1 else np.take_along_axis(r, order[..., None], axis=1) for r in rings]
    return Outcome(
        time=lived,
        fell=fell,
        diverged=status == DIVERGED,
        end_time=np.where(status > 0, end, np.nan),
        distance=distance,
        speed=speed,
        footsteps=footsteps,
        step_time=step_time,
        **means,
        power=power,
        peak_torque=tally["peak_torque"],
        torso_low=np.where(early, np.nan, tally["torso_low"]),
        torso_high=np.where(early, np.nan, tally["torso_high"]),
        qpos=qpos,
        qvel=state["qvel"].astype(float),
        last_qpos=last[0],
        last_qvel=last[1],
    )
