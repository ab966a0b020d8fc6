"""A walker that limit-cycle control balances while it is watched, pushed and driven (Laszlo 1996).

Every step has numbers of its own: the world pauses where one ends, and goes on with those that were worked out for the
next one from just this state: while a step is walked, the next one is sampled and modelled in another thread. Whatever
happens in the meantime (a push, an edit) makes another plan necessary.
"""

import time
from collections.abc import Mapping, Sequence, Set
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.registry import law_of
from footfall.control.rows import TargetField
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import THESIS_GROUND, BalancedWalk, Posture
from footfall.methods.limit_cycle.perturbation import can_be_balanced, fitting_perturbations, with_torso_servo
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.motion.quaternion import rotate
from footfall.simulation import Simulation
from footfall.simulation.structures import RUNNING
from footfall.studio.core.drive import (
    CHANGES,
    POSTURES,
    STARTING_STEPS,
    TARGET_A_STEP,
    TURNS,
    BalanceDrive,
    StepValues,
    default_drive,
)
from footfall.studio.core.graph_world import GraphWorld
from footfall.studio.core.setting import Setting
from footfall.studio.core.world import Can, Snapshot

Array = NDArray[np.float64]
State = Mapping[str, NDArray[Any]]

COMPARED = ("qpos", "qvel", "memory", "anchor", "contact", "stance", "step_count")
"""What a state must agree in, to the last bit, with the one that a step was planned from."""

_thread = ThreadPoolExecutor(1, "footfall-planner")


@dataclass(frozen=True, eq=False)
class StepCourse:
    """What a walker is in the middle of, and what its next step goes on from.

    Attributes:
        offset: [NP] what this step adds to the controller's row: balance, postures, turn. None before the first.
        targets: Q_d in force, forward and lateral.
        aim: the same with this step's signs and speed control in it.
        postures: scalings in force.
        reached: points of the path that were reached.
        place: [2] where the pelvis was when the step began.
    """

    offset: Array | None = None
    targets: tuple[float, float] | None = None
    aim: tuple[float, float] = (0.0, 0.0)
    postures: Mapping[str, float] = field(default_factory=dict)
    reached: int = 0
    place: Array | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """A step that was worked out.

    Attributes:
        start, end: states where it begins and where it should end.
        course: what it does.
        number: how many steps were taken before it.
        before: Q at its start, forward and lateral.
        upright: whether the walker should be upright at its end.
        seconds: how long planning it took.
    """

    start: State
    end: State
    course: StepCourse
    number: int
    before: tuple[float, float]
    upright: bool
    seconds: float

    def fits(self, state: State) -> bool:
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

    def submit(self, state: State, course: StepCourse, drive: BalanceDrive, *, ended: bool) -> "Future[Plan | None]":
        """Work out the step that follows a state.

        Args:
            state: a snapshot, where a step ended or, unless ``ended``, in the midst of one; the plan is then for where
                that one should end, and None if it should end in a fall.
            course: what the walker is in the middle of there.
            drive: what is asked of it.
        """
        return _thread.submit(self._plan, state, course, drive, ended)

    def _walking(self, drive: BalanceDrive) -> BalancedWalk:
        key = (drive.sampling, drive.forward, drive.lateral, drive.speed is None)
        if self._walk is None or self._walk[0] != key:
            walk = BalancedWalk(self._graph, drive.control, speed=drive.speed_control, **self.options)
            self._walk, self._perturbations = (key, walk), fitting_perturbations(walk.table, CHANGES)
        return self._walk[1]

    def _plan(self, state: State, course: StepCourse, drive: BalanceDrive, ended: bool) -> Plan | None:
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
        new, went = self._course(number, course, drive, posture, walk)
        order = [0, 1] if drive.sampling != "L-F" else [1, 0]
        target = walk.aimed(start, np.array([new.targets])[:, order], went)
        assert new.offset is not None
        taken = walk.take(start, (walk.table.row + new.offset)[None], target, number)
        course = StepCourse(**{**vars(new), "offset": taken.rows[0] - walk.table.row, "aim": _pair(target, order)})
        return Plan(
            start,
            walk.main.snapshot(),
            course,
            number,
            _pair(before, order),
            bool(taken.upright[0]),
            time.perf_counter() - began,
        )

    def _course(
        self, number: int, old: StepCourse, drive: BalanceDrive, posture: Posture, walk: BalancedWalk
    ) -> tuple[StepCourse, dict[str, Array]]:
        """The course of a step before its balance, and how far the last step went."""
        place, heading = posture.pelvis[0, :2].copy(), posture.heading
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
        return StepCourse(offset, targets, targets, postures, reached, place), went


def _steps(state: State) -> int:
    """Exchanges of the stance leg so far, which the tally begins with."""
    return int(state["tally"][0, 0])


def _towards(old: tuple[float, float], asked: tuple[float, float]) -> tuple[float, float]:
    a, b = (o + float(np.clip(t - o, -TARGET_A_STEP, TARGET_A_STEP)) for o, t in zip(old, asked, strict=True))
    return a, b


def _pair(values: Array, order: list[int]) -> tuple[float, float]:
    """Forward and lateral out of [1, 2] in the order of the sampling."""
    return float(values[0, order[0]]), float(values[0, order[1]])


NO_PAUSE = 1 << 30
KEPT = 400
"""Steps whose values are kept."""


class BalancedWorld(GraphWorld):
    """A figure under one controller, balanced step by step.

    Args:
        drive: what is asked of it; by default the drive that walks best.

    Attributes:
        course: what the step that is walked does.
        steps: the values of those before.
        late: steps that had to wait for their plan.
        planned: seconds that the last plan took to work out.
    """

    drive: BalanceDrive
    switches, ground = False, THESIS_GROUND

    def __init__(
        self,
        controllers: Sequence[PoseControlGraph],
        figure: Figure,
        setting: Setting | None = None,
        drive: BalanceDrive | None = None,
    ) -> None:
        self.balance = self
        self.course = StepCourse()
        self.steps: list[StepValues] = []
        self.late, self.planned = 0, 0.0
        self._expected: Future[Plan | None] | None = None
        self._disturbed = False
        self._beside: BalancedWorld | None = None
        self._changes: tuple[Law, frozenset[str]] | None = None
        super().__init__(controllers, figure, setting, drive or default_drive(figure))
        self._plan_start()

    @property
    def can(self) -> Can:
        """What a graph of servos can, and what its balance adds."""
        return replace(super().can, turn=set(TURNS) <= self.changes, balance=True)

    @property
    def reached(self) -> int:
        return self.course.reached

    @property
    def changes(self) -> Set[str]:
        """Postures and turns that it has the joints and the states for."""
        if self._changes is None or self._changes[0] is not self.law:
            self._changes = (self.law, frozenset(fitting_perturbations(self.table, CHANGES)))
        return self._changes[1]

    # -- making simulations ----------------------------------------------------------------------------------------

    def _make_law(self, controllers: Sequence[PoseControlGraph]) -> Law:
        return law_of(with_torso_servo(controllers[0], self.drive.servo), self.figure)

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        graph: PoseControlGraph = self.law.table.graph  # type: ignore[attr-defined]
        self._planner = StepPlanner(graph, options)
        return options

    def _load(self, simulation: Simulation) -> None:
        simulation.step(0, footsteps=0)

    def _rows(self) -> Array:
        """[1, NP] the controller's numbers with what this step adds."""
        row, offset = self.law.parameters, self.course.offset
        return np.asarray(row if offset is None or len(offset) != len(row) else row + offset)[None]

    # -- changing it -----------------------------------------------------------------------------------------------

    def edit(self, graph: PoseControlGraph) -> bool:
        if not can_be_balanced(graph, self.figure):
            raise FootfallError(f"controller '{graph.name}': balance needs steps on both legs")
        if len(graph.states) != len(self.controllers[0].states):
            self.course, self._beside = replace(self.course, offset=None), None
        rebuilt = super().edit(graph)
        law: Any = self.law
        self._planner = StepPlanner(law.table.graph, self._planner.options)
        self._changed()
        return rebuilt

    def adopt(self, controllers: Sequence[PoseControlGraph]) -> None:
        self._beside = None
        super().adopt(controllers)
        self._changed()

    def change_setting(self, setting: Setting) -> None:
        super().change_setting(setting)
        if self._beside is not None:
            self._beside.change_setting(setting)
        self._changed()

    def change_drive(self, drive: BalanceDrive) -> None:
        """Ask something else of it, from the next step on; a torso that is held or let go makes a new simulation."""
        before, law, old, planner = self.drive, self.law, self.simulation, self._planner
        self.drive = drive
        if drive.servo != before.servo:
            try:
                self.law = self._make_law(self.controllers)
                self.simulation = self._build()
            except FootfallError:
                self.drive, self.law, self.simulation, self._planner = before, law, old, planner
                raise
            self._go_on(old, law)
        kept = min(self.course.reached, len(drive.points))
        self.course = replace(self.course, reached=kept if drive.points[:kept] == before.points[:kept] else 0)
        if (drive.forward, drive.lateral) != (before.forward, before.lateral):
            self.course = replace(self.course, targets=None)
        if not drive.balanced:
            self.course = replace(self.course, offset=None)
        self.simulation.set_parameters(self._rows())
        if self._beside is not None:
            self._beside.change_drive(drive)
        self._changed()

    def compare(self, saved: PoseControlGraph | None) -> None:
        if saved is not None and len(saved.states) != len(self.controllers[0].states):
            raise FootfallError("compare: the saved controller has another number of states; save this one first")
        self._beside = None
        if saved is not None:
            other = BalancedWorld([saved], self.figure, self.setting, self.drive)
            other.restore(self.snapshot())
            self._beside = other

    def push(self, force: Sequence[float], seconds: float) -> None:
        super().push(force, seconds)
        if self._beside is not None:
            self._beside.push(force, seconds)
        self._changed()

    def pull(self, body: str, force: Array | None) -> None:
        super().pull(body, force)
        self._changed()

    def _changed(self) -> None:
        """The step that was planned for will not come."""
        if self._expected is not None:
            self._expected.cancel()
        self._expected, self._disturbed = None, True

    # -- going on --------------------------------------------------------------------------------------------------

    def _step(self, steps: int) -> None:
        if self._beside is not None:
            self._beside.advance(steps * self.simulation.dt)
        simulation, ended = self.simulation, False
        goal = simulation.step_number + steps
        while simulation.step_number < goal:
            state = simulation.snapshot()
            if not self.drive.balanced or state["status"][0] != RUNNING:
                simulation.step(goal - simulation.step_number, footsteps=NO_PAUSE)
                break
            number = int(state["tally"][0, 0])
            if ended or state["stance"][0] < 0:
                number = self._begin_step(state)
            simulation.step(goal - simulation.step_number, footsteps=number)
            ended = True
        if self._disturbed and self._upright() and not self.force().any():
            self._disturbed = False
            self._expected = self._planner.submit(simulation.snapshot(), self.course, self.drive, ended=False)

    def _plan_start(self) -> None:
        if self.standing:
            return
        self._expected = self._planner.submit(self.simulation.snapshot(), self.course, self.drive, ended=True)

    def _upright(self) -> bool:
        return self.drive.balanced and int(self.simulation.snapshot()["status"][0]) == RUNNING

    def _begin_step(self, state: dict[str, NDArray[Any]]) -> int:
        """A step ended: go on with the one that was worked out, or wait for it; how many steps were taken before."""
        expected = self._expected
        self.late += expected is None or not expected.done()
        plan = None if expected is None else expected.result()
        if plan is None or not plan.fits(state):
            plan = self._planner.submit(state, self.course, self.drive, ended=True).result()
            assert plan is not None
        if plan.number > 0:
            ended = StepValues(plan.number, self.simulation.time, self.course.aim, plan.before)
            self.steps = [*self.steps, ended][-KEPT:]
        self.course, self.planned = plan.course, plan.seconds
        self.simulation.set_parameters(self._rows())
        self._disturbed = False
        self._expected = None
        if plan.upright:
            self._expected = self._planner.submit(plan.end, plan.course, self.drive, ended=True)
        return plan.number

    def _kept(self) -> StepCourse:
        return self.course

    def _take_up(self, kept: StepCourse) -> None:
        fits = kept.offset is None or len(kept.offset) == len(self.law.parameters)
        self.course = kept if fits and self.drive.balanced else replace(kept, offset=None)
        self.simulation.set_parameters(self._rows())

    def restore(self, snapshot: Snapshot) -> None:
        super().restore(snapshot)
        self.steps = [s for s in self.steps if s.time <= self.time]
        if self._beside is not None:
            self._beside.restore(snapshot)
        self._changed()

    def reset(self) -> None:
        self.course, self.steps = StepCourse(), []
        super().reset()
        self.simulation.set_parameters(self._rows())
        if self._beside is not None:
            self._beside.reset()
        self._changed()
        self._plan_start()

    # -- what it is doing --------------------------------------------------------------------------------------------

    def saved_qpos(self) -> Array | None:
        return None if self._beside is None else np.asarray(self._beside.state["qpos"][0], dtype=float)

    def asked(self, state: int, pose: Array) -> Array:
        """[nq] the pose that a written-out state asks for in this step, balance and all."""
        pose, offset, table = pose.copy(), self.course.offset, self.table
        for i, slot in enumerate(table.slots):
            joint = self.figure.joint(slot.name)
            if offset is not None and len(offset) == len(table.row):
                pose[joint.qpos] += offset[table.layout.target(state, i, TargetField.ANGLE)]
            if self.drive.servo and slot.name == self.figure.body(self.figure.torso).joints[0]:
                ahead = rotate(pose[3:7], np.array([1.0, 0.0, 0.0]))
                pitch = -float(np.arcsin(np.clip(ahead[2], -1.0, 1.0)))
                pose[joint.qpos] -= float(np.sign(joint.axis[1])) * pitch
        return pose
