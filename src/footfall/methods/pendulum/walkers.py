"""Walkers that walk: the 3LP state over time, from step to step, with feedback, pushes, changes and turns.

Time passes in closed form from event to event; an event is a frame, a change of a push, or a step's end. At each event
time projection sets the hip torques again. At a step's end the feet swap roles, the swing foot comes to rest, the
frame moves to the new stance foot (turned by the commanded angle), and a new gait, if one was asked for, begins.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.methods.pendulum import closed_form
from footfall.methods.pendulum.closed_form import Hips, Plane, StepRow, StepState, in_turned_axes, step_row
from footfall.methods.pendulum.gait import Gait, step_breaks
from footfall.methods.pendulum.posture import posture
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.time_projection import project

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Footstep:
    """A foot that lands: ``time`` s, ``side`` left or right, its heel (``x``, ``y``) in the world, m, ``heading``
    rad."""

    time: float
    side: str
    x: float
    y: float
    heading: float


@dataclass
class WalkState:
    """The state of ``[N]`` walkers.

    Attributes:
        step: where each is within its step.
        steps: steps completed.
        overreach: the largest step or pelvis offset so far as a part of what the leg allows; above 1 the walker has
            fallen.
        error: how far the last step began from its nominal start: pelvis in metres plus its velocity in m/s.
    """

    step: StepState
    steps: Array
    overreach: Array
    error: Array

    def rows(self) -> dict[str, Array]:
        """All numbers by name."""
        rest = {"steps": self.steps, "overreach": self.overreach, "error": self.error}
        return step_row(self.step)._asdict() | rest

    @classmethod
    def start(cls, stride: Stride, count: int, swing_left: ArrayLike = True) -> "WalkState":
        """The start of a nominal step of ``stride``, the stance foot at the world's origin."""

        def row(value: ArrayLike) -> Array:
            return np.broadcast_to(value, (count,))

        zero = np.zeros(count)
        d = np.where(row(swing_left), 1.0, -1.0)
        x = Plane(row(stride.start_sx) * 1.0, row(stride.start_px) * 1.0, zero, row(stride.start_vx) * 1.0)
        y = Plane(row(stride.start_sy) * d, row(stride.start_py) * d, zero, row(stride.start_vy) * d)
        hips = Hips(zero, zero, zero, zero)
        step = StepState(zero, d, row(stride.ankle + stride.ankle_ramp), x, y, hips, zero, zero, zero, zero, zero)
        return cls(step, zero, zero, zero)


class Walkers:
    """``[N]`` walkers in their gaits, each with its own body; results do not depend on how many walk together."""

    def __init__(
        self, gait: Gait, *, swing_left: ArrayLike = True, feedback: bool = True, footsteps: bool = True
    ) -> None:
        self.gait = gait
        self.feedback = feedback
        self.stride: Stride = gait.stride
        self.state = WalkState.start(gait.stride, len(gait), swing_left)
        self.turn: Array = np.zeros(len(gait))
        self.time = 0.0
        self.footsteps: list[list[Footstep]] | None = [[] for _ in range(len(gait))] if footsteps else None
        self._pending = np.zeros(len(gait), bool)
        self._controlled = False

    def __len__(self) -> int:
        return len(self.gait)

    def change(self, gait: Gait) -> None:
        """Walk ``gait`` from the next step on (speed, frequency, double support, width, drag, clearance …)."""
        if len(gait) != len(self):
            raise FootfallError(f"the new gait is for {len(gait)} walkers, but {len(self)} walk: give one for each")
        self.gait = gait
        self._pending = np.ones(len(self), bool)

    def turn_by(self, angle: ArrayLike) -> None:
        """Turn left by ``angle`` rad with each step from the next but one on (0 walks straight again)."""
        angles = np.broadcast_to(np.asarray(angle, float), (len(self),)).copy()
        if np.any(np.abs(angles) > np.radians(45) + 1e-12):
            raise FootfallError("a walker turns by at most 45 degrees with each step")
        if np.any((angles != 0) & (np.asarray(self.stride.sin_slope) != 0)):
            raise FootfallError("a walker turns on level ground only: 3LP's slope is along its walking direction")
        self.turn = angles

    def control(self) -> None:
        """Set the feedback's hip torques from the present state."""
        s = self.state.step
        if self.feedback and not self._controlled:
            self._controlled = True
            self.state.step = s._replace(hips=project(self.stride, s))

    def advance(self, seconds: float, fx: ArrayLike = 0.0, fy: ArrayLike = 0.0) -> None:
        """Let ``seconds`` pass under the force (fx, fy) on the pelvis, newtons in the world's axes."""
        left = np.full(len(self), float(seconds))
        self.time += float(seconds)
        self.control()
        while True:
            s = self.state.step
            force = in_turned_axes(np.cos(s.heading), np.sin(s.heading), fx, fy)
            part = np.minimum(left, np.maximum(self.stride.duration - s.t, 0.0))
            x, y = closed_form.advance(self.stride, s, part, *force)
            self.state.step = s = s._replace(t=s.t + part, x=x, y=y)
            self._controlled = False
            left = left - part
            ended = s.t >= self.stride.duration - 1e-12
            if not np.any(ended):
                break
            self._swap(ended, left)
            self.control()
            if not np.any(left > 1e-12):
                break

    def _swap(self, ended: NDArray[np.bool_], left: Array) -> None:
        """End the step of the walkers ``ended`` [N] (true or false), ``left`` [N] seconds before the present time."""
        state, s = self.state, self.state.step
        worst = step_breaks(self.stride, s.x.s, s.x.p, s.y.s, s.y.p)
        rows = zip(step_row(closed_form.next_step(self.stride, s, self.turn)), step_row(s), strict=True)
        state.step = s = closed_form.step_of(StepRow(*(np.where(ended, new, old) for new, old in rows)))
        state.steps = np.where(ended, state.steps + 1, state.steps)
        state.overreach = np.where(ended, np.maximum(state.overreach, worst), state.overreach)
        begins = ended & self._pending
        if np.any(begins):
            old, new = self.stride, self.gait.stride
            self.stride = Stride(**{n: np.where(begins, getattr(new, n), getattr(old, n)) for n in Stride.names()})
        self._pending = self._pending & ~begins
        c = self.stride
        place = np.hypot(s.x.p - c.start_px, s.y.p - s.d * c.start_py)
        speed = np.hypot(s.x.pv - c.start_vx, s.y.pv - s.d * c.start_vy)
        state.error = np.where(ended, place + speed, state.error)
        if self.footsteps is not None:
            for i in np.flatnonzero(ended):
                side = "right" if s.d[i] > 0 else "left"
                place_of = float(s.foot_x[i]), float(s.foot_y[i]), float(s.heading[i])
                self.footsteps[i].append(Footstep(self.time - float(left[i]), side, *place_of))

    def posture(self) -> dict[str, Array]:
        """The present posture by name (see :class:`footfall.methods.pendulum.posture.Posture`), ``[N]`` each."""
        values = posture(self.stride, self.state.step)
        return {name: np.broadcast_to(value, (len(self),)) for name, value in values._asdict().items()}
