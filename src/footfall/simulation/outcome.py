"""Outcomes: how each world ended and what it did until then."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.simulation.structures import DIVERGED, FELL, STOPPED, TALLY
from footfall.simulation.trace import table_html
from footfall.simulation.worlds import WorldState

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
MOST_ROWS = 10
"""Worlds that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What N worlds did, arrays over worlds [N].

    Attributes:
        time: simulated seconds, up to the end or the fall.
        fell, diverged: whether the world fell; whether its numbers ran away (its state is then the last good one).
        end_time: when it fell or diverged; NaN otherwise.
        distance: metres along x from the start to the end or the fall.
        speed: metres per second; between the first and last footstep where there are two, else over all.
        footsteps: exchanges of stance.
        step_time: mean seconds between them (NaN below two).
        torque_squared: mean of the summed squares of joint torques.
        acceleration_squared: the same of accelerations.
        power: mean absolute joint power, watts.
        peak_torque: newton metres.
        torso_low, torso_high: range of the torso's pitch after the fourth footstep, radians (NaN before, and of
            figures in space).
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
        """A table with a row for each world and a column for each number; states are left out."""
        import pandas as pd

        columns: dict[str, Any] = {"survived": self.survived}
        for field in fields(self):
            values = getattr(self, field.name)
            if np.ndim(values) == 1:
                columns[field.name] = values
        return pd.DataFrame(columns, index=pd.RangeIndex(len(self.fell), name="world"))

    def __repr__(self) -> str:
        """How the worlds ended, what those that stayed up did on average, which ended first."""
        count, up = len(self.fell), self.survived
        if count == 1:
            lines = [f"<Outcome of 1 world: {self._ending(0)}>", f"  {self._walked(up | True)}"]
        else:
            lines = [f"<Outcome of {count} worlds: {self._counts()}>"]
            if up.any():
                lines.append(f"  of those that stayed up, on average: {self._walked(up)}")
            if not up.all():
                first = int(np.nanargmin(self.end_time))
                lines.append(f"  first to end: world {first}, {self._ending(first)}")
        lines.append("  next: outcome.summary() for numbers; arrays over worlds, as outcome.speed, outcome.end_time")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: a row for each world, the first ten at most, under a line about all of them."""
        count = len(self.fell)
        head = f"<p>{count} world{'s' if count > 1 else ''}: {self._counts()}</p>"
        rows = [self.summary(world) for world in range(min(count, MOST_ROWS))]
        more = f"<p>… and {count - MOST_ROWS} more worlds</p>" if count > MOST_ROWS else ""
        return head + table_html([_heading(key) for key in rows[0]], [list(row.values()) for row in rows]) + more

    def _counts(self) -> str:
        up, fell, diverged = (int(a.sum()) for a in (self.survived, self.fell, self.diverged))
        return f"{up} stayed up, {fell} fell, {diverged} diverged"

    def _ending(self, world: int) -> str:
        if self.survived[world]:
            return f"stayed up for {self.time[world]:.2f} s"
        return f"{'fell' if self.fell[world] else 'diverged'} at {self.end_time[world]:.2f} s"

    def _walked(self, worlds: NDArray[np.bool_]) -> str:
        """Means over some worlds; what is not known is left out."""
        parts = [f"{self.footsteps[worlds].mean():.4g} footsteps", f"{self.distance[worlds].mean():.2f} m"]
        for name, unit in (("speed", "m/s"), ("step_time", "s a step"), ("power", "W")):
            values = getattr(self, name)[worlds]
            known = values[np.isfinite(values)]
            if len(known) and not (name == "power" and not known.any()):
                parts.append(f"{known.mean():.3g} {unit}")
        return ", ".join(parts)


def _heading(key: str) -> str:
    """As in "step time [s]" for "step_time_s"."""
    name, _, unit = key.rpartition("_")
    units = {"m": "m", "mps": "m/s", "s": "s"}
    return f"{name} [{units[unit]}]".replace("_", " ") if name and unit in units else key.replace("_", " ")


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
        torso_low=np.where(early | np.isinf(tally["torso_low"]), np.nan, tally["torso_low"]),
        torso_high=np.where(early | np.isinf(tally["torso_high"]), np.nan, tally["torso_high"]),
        qpos=qpos,
        qvel=state["qvel"].astype(float),
        last_qpos=last[0],
        last_qvel=last[1],
    )
