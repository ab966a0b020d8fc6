"""Balanced steps worked out ahead: while one is walked, the next one is sampled and modelled in another thread."""

import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle import BalancedWalk, Posture
from footfall.methods.limit_cycle.balanceable import fitting_perturbations
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.studio.core.worlds.drive import CHANGES, POSTURES, STARTING_STEPS, TARGET_A_STEP, TURNS, Drive

Array = NDArray[np.float64]
State = Mapping[str, NDArray[Any]]

COMPARED = ("qpos", "qvel", "memory", "anchor", "contact", "stance", "step_count")
"""What a state must agree in, to the last bit, with the one that a step was planned from."""

_thread = ThreadPoolExecutor(1, "footfall-planner")


@dataclass(frozen=True, eq=False)
class Course:
    """What a walker is in the middle of, and what its next step goes on from.

    Attributes:
        offset: [NP] what this step adds to the controller's row: balance, postures, turn. None before the first.
        targets: Q_d in force, forward and lateral. aim: the same with this step's signs and speed control in it.
        postures: scalings in force. reached: points of the path that were reached.
        place: [2] where the pelvis was when the step began. time: when, seconds.
        speed: metres a second over the step before.
    """

    offset: Array | None = None
    targets: tuple[float, float] | None = None
    aim: tuple[float, float] = (0.0, 0.0)
    postures: Mapping[str, float] = field(default_factory=dict)
    reached: int = 0
    place: Array | None = None
    time: float = 0.0
    speed: float = 0.0


@dataclass(frozen=True, eq=False)
class Plan:
    """A step that was worked out.

    Attributes:
        start, end: states where it begins and where it should end.
        course: what it does. number: how many steps were taken before it.
        before: Q at its start, forward and lateral. values: Q that it should end with.
        upright: whether the walker should be upright then. seconds: how long planning it took.
    """

    start: State
    end: State
    course: Course
    number: int
    before: tuple[float, float]
    values: tuple[float, float]
    upright: bool
    seconds: float

    def fits(self, state: State) -> bool:
        """Whether it was worked out from just this state."""
        return all(np.array_equal(state[name], self.start[name]) for name in COMPARED)


class StepPlanner:
    """Works out the steps of one walker.

    Args:
        graph: its controller, with the law that drives it.
        options: of the simulation that it walks in.
    """

    def __init__(self, graph: PoseControlGraph, options: Mapping[str, Any]) -> None:
        self._graph, self.options = graph, dict(options)
        self._walk: tuple[Any, BalancedWalk] | None = None
        self._perturbations: dict[str, Array] = {}

    def submit(self, state: State, course: Course, drive: Drive, *, ended: bool) -> "Future[Plan | None]":
        """Work out the step that follows a state.

        Args:
            state: a snapshot, where a step ended or, unless ``ended``, in the midst of one; the plan is then for where
                that one should end, and None if it should end in a fall.
            course: what the walker is in the middle of there.
            drive: what is asked of it.
        """
        return _thread.submit(self._plan, state, course, drive, ended)

    def _walking(self, drive: Drive) -> BalancedWalk:
        key = (drive.sampling, drive.forward, drive.lateral, drive.speed is None)
        if self._walk is None or self._walk[0] != key:
            walk = BalancedWalk(self._graph, drive.control, speed=drive.speed_control, **self.options)
            self._walk, self._perturbations = (key, walk), fitting_perturbations(walk.table, CHANGES)
        return self._walk[1]

    def _plan(self, state: State, course: Course, drive: Drive, ended: bool) -> Plan | None:
        began = time.perf_counter()
        walk = self._walking(drive)
        start = dict(state)
        if not ended:
            walk.main.restore(start)
            row = walk.table.row + (0.0 if course.offset is None else course.offset)
            _, upright = walk.finish(walk.main, row[None], _steps(start))
            if not upright[0]:
                return None
            start = walk.main.snapshot()
        number = 0 if start["stance"][0] < 0 else _steps(start) + 1
        before, posture = walk.variables(start), walk.posture(start)
        new, wanted, went = self._course(number, course, drive, posture, start, walk)
        order = [0, 1] if drive.sampling != "L-F" else [1, 0]
        target = walk.aimed(start, np.array([wanted])[:, order], went)
        assert new.offset is not None
        taken = walk.take(start, (walk.table.row + new.offset)[None], target, number)
        course = Course(**{**vars(new), "offset": taken.rows[0] - walk.table.row, "aim": _pair(target, order)})
        return Plan(
            start,
            walk.main.snapshot(),
            course,
            number,
            _pair(before, order),
            _pair(taken.values, order),
            bool(taken.upright[0]),
            time.perf_counter() - began,
        )

    def _course(
        self, number: int, old: Course, drive: Drive, posture: Posture, start: State, walk: BalancedWalk
    ) -> tuple[Course, tuple[float, float], dict[str, Array]]:
        """The course of a step before its balance, its targets, and how far the last step went."""
        place, heading = posture.pelvis[0, :2].copy(), posture.heading
        now = float(start["step_count"][0]) * walk.main.dt
        gone = np.zeros(2) if old.place is None else place - old.place
        cos, sin = np.cos(heading), np.sin(heading)
        went = {"forward": gone[0] * cos + gone[1] * sin, "lateral": gone[1] * cos - gone[0] * sin}
        aim = drive.aim if number >= STARTING_STEPS else drive.targets
        targets = _towards(old.targets or aim, aim)
        perturbations = self._perturbations
        postures, offset = {}, np.zeros_like(walk.table.row)
        for name, steps in POSTURES.items():
            was, asked = old.postures.get(name, 0.0), drive.postures.get(name, 0.0)
            postures[name] = was + float(np.clip(asked - was, -1.0 / steps, 1.0 / steps))
            if name in perturbations:
                offset += postures[name] * perturbations[name]
        turn, reached = drive.turning(number, posture.pelvis, heading, old.reached)
        side = TURNS[0] if turn > 0 else TURNS[1]
        if side in perturbations:
            offset += abs(turn) * perturbations[side]
        seconds = now - old.time
        speed = float(went["forward"][0]) / seconds if seconds > 0 else 0.0
        return Course(offset, targets, targets, postures, reached, place, now, speed), targets, went


def _steps(state: State) -> int:
    """Exchanges of the stance leg so far, which the tally begins with."""
    return int(state["tally"][0, 0])


def _towards(old: tuple[float, float], asked: tuple[float, float]) -> tuple[float, float]:
    a, b = (o + float(np.clip(t - o, -TARGET_A_STEP, TARGET_A_STEP)) for o, t in zip(old, asked, strict=True))
    return a, b


def _pair(values: Array, order: list[int]) -> tuple[float, float]:
    """Forward and lateral out of [1, 2] in the order of the sampling."""
    return float(values[0, order[0]]), float(values[0, order[1]])
