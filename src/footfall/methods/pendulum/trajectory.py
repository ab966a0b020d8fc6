"""A recorded walk: the 3LP state and the posture at each frame, the footsteps, and whether the walker kept walking
under timed pushes on its pelvis."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.methods.pendulum.closed_form import Hips, StepRow, StepState, step_of
from footfall.methods.pendulum.gait import Gait
from footfall.methods.pendulum.posture import posture
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.walkers import Footstep, Walkers, WalkState
from footfall.push import Push

Forces = NDArray[np.float64]
"""[P, 4] constant forces on the pelvis: x (forward) and y (left), newtons, from when to when, seconds."""


def pelvis_forces(pushes: Sequence[Push]) -> Forces:
    """What pushes do to a 3LP walker, which keeps its heights and has one body to push: its pelvis."""
    found = []
    for push in pushes:
        if any(np.ndim(value) > limit for value, limit in ((push.force, 1), (push.start, 0), (push.duration, 0))):
            raise FootfallError("a push on a 3LP walker is the same for all: give one force, start and duration")
        if push.body or push.place is not None:
            raise FootfallError("a push on a 3LP walker acts on its pelvis; leave out body and place")
        ((start, end),), ((x, y, z),) = push.rows(1)
        if z:
            raise FootfallError(f"a push of {z:g} N upward: 3LP keeps its heights, so the third number must be 0")
        if start < 0 or end <= start or not math.isfinite(end):
            raise FootfallError(
                f"a push starts at {start:g} s and lasts {end - start:g} s: "
                "it must start at 0 s or later and last longer than 0 s"
            )
        found.append((x, y, start, end))
    return np.array(found, dtype=float).reshape(-1, 4)


def force_at(forces: Forces, time: float) -> tuple[float, float]:
    """The sum of the forces in the interval that starts at ``time``, (x, y) in newtons."""
    active = forces[(forces[:, 2] <= time + 1e-12) & (time < forces[:, 3] - 1e-12)]
    return sum(active[:, 0].tolist()), sum(active[:, 1].tolist())


Array = NDArray[np.float64]


@dataclass(frozen=True)
class Trajectory:
    """Frames of ``[N]`` walkers at ``times`` ``[T]``.

    ``state`` holds the fields of :class:`WalkState`, ``posture`` those of
    :class:`~footfall.methods.pendulum.posture.Posture`, ``push`` the force on the pelvis; ``[T, N]`` each (``push``
    ``[T, 2]``). ``footsteps`` has those of each walker in order.
    """

    times: Array
    gait: Gait
    state: Mapping[str, Array]
    posture: Mapping[str, Array]
    push: Array
    footsteps: tuple[tuple[Footstep, ...], ...]

    @property
    def fell(self) -> NDArray[np.bool_]:
        """``[N]``: whether a step or a pelvis offset went beyond what the leg allows."""
        return np.asarray(self.state["overreach"][-1] > 1.0)

    @property
    def recovered(self) -> NDArray[np.bool_]:
        """``[N]``: did not fall, and the last step began within 0.01 (m plus m/s) of its nominal start."""
        return np.asarray(~self.fell & (self.state["error"][-1] < 0.01))

    def pelvis(self) -> Array:
        """``[T, N, 2]`` the pelvis of 3LP in the world (along the slope), m."""
        s = self.state
        cos, sin = np.cos(s["heading"]), np.sin(s["heading"])
        x = s["foot_x"] + cos * s["px"] - sin * s["py"]
        y = s["foot_y"] + sin * s["px"] + cos * s["py"]
        return np.stack([x, y], axis=-1)


def record_walk(
    walkers: Walkers | Gait,
    seconds: float,
    *,
    fps: float = 60.0,
    pushes: Sequence[Push] = (),
    changes: Mapping[float, Gait] | None = None,
    turns: Mapping[float, ArrayLike] | None = None,
) -> Trajectory:
    """Let walkers walk for ``seconds`` and record ``fps`` frames per second.

    Args:
        walkers: the walkers, or a gait from whose nominal start new ones begin.
        seconds: how long.
        fps: frames, and looks at the state by time projection, per second.
        pushes: on the pelvis, in the world's axes, the same for all walkers.
        changes: new gaits by the time at which they are asked for.
        turns: angles per step, rad, left positive, by the time at which they are asked for.
    """
    if not (np.isfinite(seconds) and 0 < seconds <= 3600):
        raise FootfallError(f"seconds is {seconds:g}: walk for more than 0 and at most 3600 s")
    if not (np.isfinite(fps) and 1 <= fps <= 10000):
        raise FootfallError(f"fps is {fps:g}: choose 1 to 10000 frames per second")
    group = walkers if isinstance(walkers, Walkers) else Walkers(walkers)
    asked: dict[float, list[tuple[str, object]]] = {}
    for time, gait in (changes or {}).items():
        asked.setdefault(float(time), []).append(("gait", gait))
    for time, turn in (turns or {}).items():
        asked.setdefault(float(time), []).append(("turn", turn))
    frames = np.arange(int(np.floor(seconds * fps + 1e-9)) + 1) / fps
    begin = group.time
    forces = pelvis_forces(pushes)
    marks = set(frames.tolist())
    events = sorted(marks | {e for e in (*forces[:, 2:].ravel().tolist(), *asked) if 0 <= e <= frames[-1]})

    states: list[dict[str, Array]] = []
    strides: list[Stride] = []
    push = []
    now = 0.0
    for event in events:
        if event > now:
            group.advance(event - now, *force_at(forces, now))
            now = event
        for kind, value in asked.get(event, []):
            group.change(value) if kind == "gait" else group.turn_by(value)  # type: ignore[arg-type]
        if event in marks:
            group.control()
            states.append(group.state.rows())
            strides.append(group.stride)
            push.append(force_at(forces, event))
    return _trajectory(group, begin + frames, states, strides, push)


def present(walkers: Walkers) -> Trajectory:
    """Where walkers are now, as a walk of one frame."""
    return _trajectory(walkers, np.array([walkers.time]), [walkers.state.rows()], [walkers.stride], [(0.0, 0.0)])


def _trajectory(
    group: Walkers,
    times: Array,
    states: Sequence[Mapping[str, Array]],
    strides: Sequence[Stride],
    push: Sequence[tuple[float, float]],
) -> Trajectory:
    rows = {n: [np.broadcast_to(getattr(s, n), (len(group),)) for s in strides] for n in Stride.names()}
    stride = Stride(**{name: np.stack(values) for name, values in rows.items()})
    state = {name: np.stack([rows[name] for rows in states]) for name in states[0]}
    footsteps = tuple(tuple(one) for one in group.footsteps or ())
    return Trajectory(times, group.gait, state, _posture(stride, state), np.array(push, float), footsteps)


def sample_gait(gait: Gait, times: ArrayLike, walker: int = 0) -> Trajectory:
    """One walker's undisturbed walk at any ``times`` ``[T]`` (increasing, from 0 on), each straight from the closed
    form:
    no frame needs the one before it."""
    t = np.asarray(times, float)
    if t.ndim != 1 or not np.all(np.isfinite(t)) or np.any(t < 0):
        raise FootfallError("sample_gait: times must be a row of finite numbers, none below 0")
    c = gait.stride.take(walker)
    steps = np.floor(t / c.duration + 1e-12)
    d = np.where(steps % 2 == 0, 1.0, -1.0)
    before = c.ankle + c.ankle_ramp
    since = np.clip(t - steps * c.duration, 0.0, c.duration)
    zero = np.zeros_like(t)
    x, y = c.walked(d, since)
    foot = steps * c.end_sx, np.where(steps % 2 == 0, 0.0, c.start_sy)
    step = StepState(since, d, zero + before, x, y, Hips(zero, zero, zero, zero), *foot)
    rows = {name: (zero + value)[:, None] for name, value in WalkState(step, steps, zero, zero).rows().items()}
    return Trajectory(t, gait.take(walker), rows, _posture(c, rows), np.zeros((len(t), 2)), ((),))


def _posture(stride: Stride, state: Mapping[str, Array]) -> dict[str, Array]:
    values = posture(stride, step_of(StepRow(*(state[name] for name in StepRow._fields))))
    return {name: np.broadcast_to(value, state["t"].shape) for name, value in values._asdict().items()}
