"""Walkers that walk: the 3LP state over time, from step to step, with feedback, pushes, changes and turns.

Time passes in closed form from event to event; an event is a frame, a change of a push, or a step's end. At each event
time projection sets the hip torques again. At a step's end the feet swap roles, the swing foot comes to rest, the
frame moves to the new stance foot (turned by the commanded angle), and a new gait, if one was asked for, begins.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.methods.pendulum.closed_form import Hips, Plane, advance, in_turned_axes
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
    """The state of ``[N]`` walkers; positions are in each walker's step frame unless said otherwise."""

    t: Array
    """Time since the step's start, s."""
    d: Array
    """+1 while the left leg swings, -1 while the right one does."""
    sx: Array
    px: Array
    svx: Array
    pvx: Array
    sy: Array
    py: Array
    svy: Array
    pvy: Array
    vx: Array
    """The feedback's hip torques: constant (v) and ramp (w)."""
    wx: Array
    vy: Array
    wy: Array
    before: Array
    """Torque of the ankle that was on, at the step's start."""
    foot_x: Array
    """Stance foot in the world, m (along the slope)."""
    foot_y: Array
    heading: Array
    """Of the step's frame in the world, rad."""
    turn_in: Array
    turn_out: Array
    steps: Array
    """Steps completed."""
    overreach: Array
    """The largest step or pelvis offset so far as a part of what the leg allows; above 1 the walker has fallen."""
    error: Array
    """How far the last step began from its nominal start: pelvis in metres plus its velocity in m/s."""

    def planes(self) -> tuple[Plane, Plane]:
        """The state in the sagittal and in the lateral plane."""
        return Plane(self.sx, self.px, self.svx, self.pvx), Plane(self.sy, self.py, self.svy, self.pvy)

    def hips(self) -> Hips:
        """The feedback's hip torques."""
        return Hips(self.vx, self.wx, self.vy, self.wy)

    def copy(self) -> "WalkState":
        return WalkState(**{f.name: getattr(self, f.name).copy() for f in fields(self)})

    @classmethod
    def start(cls, stride: Stride, count: int, swing_left: ArrayLike = True) -> "WalkState":
        """The start of a nominal step of ``stride``, the stance foot at the world's origin."""
        zero = {f.name: np.zeros(count) for f in fields(cls)}
        d = np.where(np.broadcast_to(swing_left, (count,)), 1.0, -1.0)
        side = {name: np.broadcast_to(getattr(stride, f"start_{name}"), (count,)) for name in ("sx", "px", "sy", "py")}
        speed = {f"p{name}": np.broadcast_to(getattr(stride, f"start_{name}"), (count,)) for name in ("vx", "vy")}
        both = {k: v * (d if k.endswith("y") else 1.0) for k, v in (side | speed).items()}
        before = {"before": np.broadcast_to(stride.ankle + stride.ankle_ramp, (count,))}
        return cls(**(zero | {"d": d} | before | both))


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
            raise FootfallError("a walker turns on level ground only: 3LP's slope lies along its way")
        self.turn = angles

    def control(self) -> None:
        """Set the feedback's hip torques from the present state."""
        s = self.state
        if self.feedback and not self._controlled:
            self._controlled = True
            s.vx, s.wx, s.vy, s.wy = project(self.stride, s.d, s.before, s.t, s.hips(), *s.planes())

    def advance(self, seconds: float, fx: ArrayLike = 0.0, fy: ArrayLike = 0.0) -> None:
        """Let ``seconds`` pass under the force (fx, fy) on the pelvis, newtons in the world's axes."""
        left = np.full(len(self), float(seconds))
        self.time += float(seconds)
        self.control()
        s = self.state
        while True:
            cos, sin = np.cos(s.heading), np.sin(s.heading)
            force = in_turned_axes(cos, sin, fx, fy)
            part = np.minimum(left, np.maximum(self.stride.duration - s.t, 0.0))
            x, y = advance(self.stride, s.d, s.before, s.t, part, s.hips(), *force, *s.planes())
            s.sx, s.px, s.svx, s.pvx = x
            s.sy, s.py, s.svy, s.pvy = y
            s.t = s.t + part
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
        s = self.state
        worst = step_breaks(self.stride, s.sx, s.px, s.sy, s.py)
        cos, sin = np.cos(s.heading), np.sin(s.heading)
        a = s.turn_out
        turn = np.cos(a), np.sin(a)
        after = dict.fromkeys(("t", "svx", "svy", "vx", "wx", "vy", "wy"), np.zeros(len(self)))
        after["sx"], after["sy"] = in_turned_axes(*turn, -s.sx, -s.sy)
        after["px"], after["py"] = in_turned_axes(*turn, s.px - s.sx, s.py - s.sy)
        after["pvx"], after["pvy"] = in_turned_axes(*turn, s.pvx, s.pvy)
        after |= {
            "d": -s.d,
            "before": self.stride.ankle + self.stride.ankle_ramp,
            "foot_x": s.foot_x + cos * s.sx - sin * s.sy,
            "foot_y": s.foot_y + sin * s.sx + cos * s.sy,
            "heading": s.heading + a,
            "turn_in": a,
            "turn_out": self.turn,
            "steps": s.steps + 1,
            "overreach": np.maximum(s.overreach, worst),
        }
        for name, value in after.items():
            setattr(s, name, np.where(ended, value, getattr(s, name)))
        begins = ended & self._pending
        if np.any(begins):
            old, new = self.stride, self.gait.stride
            self.stride = Stride(**{n: np.where(begins, getattr(new, n), getattr(old, n)) for n in Stride.names()})
        self._pending = self._pending & ~begins
        c = self.stride
        place = np.hypot(s.px - c.start_px, s.py - s.d * c.start_py)
        speed = np.hypot(s.pvx - c.start_vx, s.pvy - s.d * c.start_vy)
        s.error = np.where(ended, place + speed, s.error)
        if self.footsteps is not None:
            for i in np.flatnonzero(ended):
                side = "right" if s.d[i] > 0 else "left"
                place_of = float(s.foot_x[i]), float(s.foot_y[i]), float(s.heading[i])
                self.footsteps[i].append(Footstep(self.time - float(left[i]), side, *place_of))

    def posture(self) -> dict[str, Array]:
        """The present posture by name (see :class:`footfall.methods.pendulum.posture.Posture`), ``[N]`` each."""
        s = self.state
        values = posture(self.stride, s.d, s.t, s.turn_in, s.turn_out, *s.planes())
        return {name: np.broadcast_to(value, (len(self),)) for name, value in values._asdict().items()}
