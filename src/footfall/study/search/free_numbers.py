"""The free numbers of a controller, as a point that a search can move, and controllers with numbers replaced.

First steps are about one in every direction. Angles, times and feedback gains move linearly, servo gains by factors.
Steps and limits are those of a person's body; for others they are scaled by their dimensions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.rows import ParameterPath
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.standing import hip_height
from footfall.methods.simbicon.graph import PoseControlGraph, Recovery, ServoGains, State, Target
from footfall.methods.simbicon.table import GraphTable
from footfall.study.measures.body import body_mass

_SERVO = ("kp", "kd", "torque_limit")
_BALANCE = ("speed", "side_speed", "heading", "heading_rate", "hip_roll_limit")
_RECOVERY = tuple(f.name for f in fields(Recovery))
_PARTS = tuple(f.name for f in fields(Target))


def changed_graph(graph: PoseControlGraph, parameters: Mapping[str, float]) -> PoseControlGraph:
    """A controller with parameters replaced, by the names that simulations take: ``swing_hip.c_v`` in every state,
    ``1.swing_hip.c_d`` in one, ``0.hold``, ``kp``, ``knee.kp``, ``speed``; what is said of one state counts."""
    for name in sorted(parameters, key=lambda name: ParameterPath.parse(name, graph.labels).state is not None):
        graph = _changed(graph, name, float(parameters[name]))
    return graph


def _changed(graph: PoseControlGraph, name: str, value: float) -> PoseControlGraph:
    low, high = graph.balance.hip_range
    if name in _BALANCE:
        return graph.changed(balance=replace(graph.balance, **{name: value}))  # type: ignore[arg-type]
    if name in ("hip_low", "hip_high"):
        pair = (value, high) if name == "hip_low" else (low, value)
        return graph.changed(balance=replace(graph.balance, hip_range=pair))
    if name in _RECOVERY:
        return graph.changed(recovery=replace(graph.recovery or Recovery(), **{name: value}))
    if name in _SERVO:
        part: dict[str, Any] = {name: value}
        return graph.changed(servo=replace(graph.servo, **part))
    group, _, gain = name.rpartition(".")
    if group == "cycle" and graph.cycle is not None and gain in ("left", "right"):
        return graph.changed(cycle=replace(graph.cycle, **{gain: value}))  # type: ignore[arg-type]
    if gain in _SERVO and group.split(".")[0] not in graph.labels:
        own = replace(graph.servo.joints.get(group, ServoGains()), **{gain: value})
        return graph.changed(servo=replace(graph.servo, joints={**graph.servo.joints, group: own}))
    path = ParameterPath.parse(name, graph.labels)
    one = None if path.state is None else graph.labels.index(path.state)
    states, found = [], False
    for k, state in enumerate(graph.states):
        new = state if one not in (None, k) else _state(state, path, value)
        found = found or new is not state
        states.append(new)
    if not found:
        raise FootfallError(f"controller '{graph.name}': parameter '{name}' cannot be written to a controller file")
    return graph.changed(states=tuple(states))


def _state(state: State, path: ParameterPath, value: float) -> State:
    named = path.state is not None
    if path.name == "hold" and path.field is None:
        return replace(state, hold=value) if named or not state.contact else state
    part = path.field or "angle"
    if part not in _PARTS or (path.name not in state.targets and not named):
        return state
    target = state.targets.get(path.name, Target(0.0))
    changed: dict[str, Any] = {part: value > 0 if part == "world" else value}
    return replace(state, targets={**state.targets, path.name: replace(target, **changed)})


Array = NDArray[np.float64]

STEPS = {"hold": 0.03, "angle": 0.12, "c_d": 0.15, "c_v": 0.08}
GAIN_STEP = 0.25
LIMITS = {"hold": (0.01, 0.6), "kp": (30.0, 2000.0)}
DAMPING = 0.1
"""kd / kp, seconds."""
DIGITS, SCALED_DIGITS = 4, 6
"""Decimals that a file has: of numbers for people, and of numbers that may be far smaller."""


@dataclass(frozen=True)
class Scales:
    """Ratios of a body to another one.

    Attributes:
        length: L, of hip heights.
        mass: M, of total masses.
    """

    length: float = 1.0
    mass: float = 1.0

    @classmethod
    def between(cls, source: Figure, target: Figure) -> "Scales":
        """The ratios of ``target`` to ``source``."""
        return cls(hip_height(target) / hip_height(source), body_mass(target) / body_mass(source))

    @property
    def time(self) -> float:
        """√L, of times and of velocities."""
        return math.sqrt(self.length)

    @property
    def rate(self) -> float:
        """1 / √L, of what turns."""
        return 1.0 / self.time

    @property
    def torque(self) -> float:
        """M L, of torques and of kp."""
        return self.mass * self.length

    @property
    def damping(self) -> float:
        """M L √L, of kd."""
        return self.torque * self.time


@dataclass(frozen=True, kw_only=True)
class FreeChoice:
    """Which numbers of a controller are free.

    Attributes:
        angles: roles whose target angles are free, state by state.
        feedback: roles whose c_d and c_v are free, state by state.
        shared: roles whose c_d and c_v are free and the same in all states, or in all states of a group.
        groups: names of states that share them; by default all do.
        gains: groups of joints that share one free kp (kd is a tenth of it).
        numbers: other free parameters by path, with the size of a first step.
        holds: whether the states' times are free.
        limits: lowest and highest value by path.
    """

    angles: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    gains: tuple[tuple[str, ...], ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    holds: bool = True
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class FreeNumber:
    """One number that may fill several places: paths, with the factor that each takes of it.

    ``step`` is a first step; with ``by_factor`` it is of the logarithm.
    """

    paths: tuple[tuple[str, float], ...]
    value: float
    step: float
    low: float
    high: float
    by_factor: bool = False

    def at(self, x: Array) -> Array:
        """[C] values at points [C]."""
        moved = self.value * np.exp(self.step * np.clip(x, -8, 8)) if self.by_factor else self.value + self.step * x
        return np.asarray(np.clip(moved, self.low, self.high))


class FreeNumbers:
    """The free numbers of a controller: those of a choice, and ``more``; ``scales`` are those of its body to a
    person's, which the choice's own limits know already."""

    def __init__(
        self,
        choice: FreeChoice,
        graph: PoseControlGraph,
        figure: Figure,
        scales: Scales = Scales(),  # noqa: B008
        more: Sequence[FreeNumber] = (),
    ) -> None:
        self.table = GraphTable(graph, figure)
        self._limits = choice.limits
        self._digits = DIGITS if scales == Scales() else SCALED_DIGITS
        self._factors = {"hold": scales.time, "c_d": 1.0 / scales.length, "c_v": 1.0 / scales.time}
        numbers: list[FreeNumber] = []
        for label, state in zip(graph.labels, graph.states, strict=True):
            if choice.holds and np.isfinite(state.hold) and (state.hold > 0 or state.contact):
                numbers.append(self._number(f"{label}.hold", "hold"))
            numbers += [self._number(f"{label}.{r}.angle", "angle") for r in choice.angles if r in state.targets]
            numbers += [self._number(f"{label}.{r}.{c}", c) for r in choice.feedback for c in ("c_d", "c_v")]
        for path in [f"{role}.{c}" for role in choice.shared for c in ("c_d", "c_v")]:
            groups = [tuple(f"{label}.{path}" for label in group) for group in choice.groups] or [(path,)]
            numbers += [self._number(paths[0], path[-3:], also=paths[1:]) for paths in groups]
        damping = DAMPING * scales.time
        for group in choice.gains:
            value = self.table.value(f"{group[0]}.kp")
            paths = tuple((f"{name}.{part}", f) for name in group for part, f in (("kp", 1.0), ("kd", damping)))
            low, high = choice.limits.get(f"{group[0]}.kp", [scales.torque * kp for kp in LIMITS["kp"]])
            numbers.append(FreeNumber(paths, value, GAIN_STEP, low, high, by_factor=True))
        numbers += [self._number(path, "", step) for path, step in choice.numbers.items()]
        self.numbers = (*numbers, *more)

    def _number(self, path: str, part: str, step: float | None = None, also: tuple[str, ...] = ()) -> FreeNumber:
        factor = self._factors.get(part, 1.0)
        usual = [factor * limit for limit in LIMITS.get(part, (-np.inf, np.inf))]
        low, high = self._limits.get(path, self._limits.get(path.partition(".")[2], usual))
        value = self.table.value(path)
        paths = tuple((p, 1.0) for p in (path, *also))
        return FreeNumber(paths, value, factor * STEPS[part] if step is None else step, low, high)

    def __len__(self) -> int:
        return len(self.numbers)

    def values(self, points: Array) -> dict[str, Array]:
        """[C] parameters by path at points [C, n], rounded as a file would have them."""
        found: dict[str, Array] = {}
        for k, number in enumerate(self.numbers):
            values = number.at(points[:, k])
            for path, factor in number.paths:
                found[path] = np.round(factor * values, self._digits)
        return found

    def at(self, point: Array) -> dict[str, float]:
        """Parameters by path at a point [n]."""
        return {path: float(values[0]) for path, values in self.values(point[None]).items()}

    def rows(self, points: Array) -> Array:
        """[C, NP] the rows of candidates at points [C, n]."""
        return self.table.applied(np.tile(self.table.row, (len(points), 1)), self.values(points))
