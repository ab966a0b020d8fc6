"""A walker that limit-cycle control balances while it is watched, pushed and driven (Laszlo 1996).

Every step has numbers of its own: the world pauses where one ends, and goes on with those that were worked out for the
next one from just this state. Whatever happens in the meantime (a push, an edit) makes another plan necessary.
"""

from collections.abc import Sequence, Set
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.registry import law_of
from footfall.control.rows import TargetField
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import THESIS_GROUND
from footfall.methods.limit_cycle.balanceable import can_be_balanced, fitting_perturbations, with_torso_servo
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.motion.quaternion import rotate
from footfall.simulation import Simulation
from footfall.simulation.rollout import RUNNING
from footfall.studio.core.worlds.balance import Balance, StepValues
from footfall.studio.core.worlds.can import Can
from footfall.studio.core.worlds.drive import CHANGES, TURNS, Drive, default_drive
from footfall.studio.core.worlds.graph_world import GraphWorld
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.step_planner import Course, Plan, StepPlanner

Array = NDArray[np.float64]
NO_PAUSE = 1 << 30
KEPT = 400
"""Steps whose values are kept."""


class BalancedWorld(GraphWorld):
    """A figure under one controller, balanced step by step.

    Args:
        graph: the base graph. figure: what walks. setting: what it stands on and carries.
        drive: what is asked of it; by default what walks best.

    Attributes:
        course: what the step that is walked does. steps: the values of those before.
        late: steps that had to wait for their plan. planned: seconds that the last plan took to work out.
    """

    def __init__(
        self, graph: PoseControlGraph, figure: Figure, setting: Setting | None = None, drive: Drive | None = None
    ) -> None:
        self.drive = drive or default_drive(figure)
        self.course = Course()
        self.steps: list[StepValues] = []
        self.late, self.planned = 0, 0.0
        self._expected: Future[Plan | None] | None = None
        self._disturbed = False
        self._beside: BalancedWorld | None = None
        self._changes: tuple[Law, frozenset[str]] | None = None
        super().__init__([graph], figure, setting or Setting().on_ground(THESIS_GROUND))
        self._plan_start()

    @property
    def can(self) -> Can:
        """What a graph of servos can, and what its balance adds."""
        return replace(super().can, turn=set(TURNS) <= self.changes, balance=True)

    @property
    def balance(self) -> Balance:
        """Itself."""
        return self

    @property
    def reached(self) -> int:
        """Points of its path that it reached."""
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

    def _warm(self, simulation: Simulation) -> None:
        simulation.step(0, footsteps=0)

    def _rows(self) -> Array:
        """[1, NP] the controller's numbers with what this step adds."""
        row, offset = self.law.parameters, self.course.offset
        return np.asarray(row if offset is None or len(offset) != len(row) else row + offset)[None]

    # -- changing it -----------------------------------------------------------------------------------------------

    def edit(self, graph: PoseControlGraph) -> bool:
        """Put another version of the controller in place; whether that took a new simulation."""
        if not can_be_balanced(graph, self.figure):
            raise FootfallError(f"controller '{graph.name}': balance needs steps on both legs")
        if len(graph.states) != len(self.controllers[0].states):
            self.course, self._beside = replace(self.course, offset=None), None
        rebuilt = super().edit(graph)
        law: Any = self.law
        self._planner = StepPlanner(law.table.graph, self._planner.options)
        self._changed()
        return rebuilt

    def _like(self, controllers: Sequence[PoseControlGraph], setting: Setting) -> "BalancedWorld":
        return BalancedWorld(controllers[0], self.figure, setting, self.drive)

    def prepare_drive(self, drive: Drive) -> None:
        """Compile what another drive needs; call it in a thread of its own."""
        BalancedWorld(self.controllers[0], self.figure, self.setting, drive)

    def adopt(self, controllers: Sequence[PoseControlGraph]) -> None:
        """Go on under another controller."""
        self._beside = None
        super().adopt(controllers[:1])
        self._changed()

    def change_setting(self, setting: Setting) -> None:
        """Change what it stands on and carries."""
        super().change_setting(setting)
        if self._beside is not None:
            self._beside.change_setting(setting)
        self._changed()

    def change_drive(self, drive: Drive) -> None:
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
        """Let the saved controller walk beside, or alone again."""
        if saved is not None and len(saved.states) != len(self.controllers[0].states):
            raise FootfallError("compare: the saved controller has another number of states; save this one first")
        self._beside = None
        if saved is not None:
            other = BalancedWorld(saved, self.figure, self.setting, self.drive)
            other.restore(self.snapshot())
            self._beside = other

    def push(self, force: Sequence[float], seconds: float) -> None:
        """A push on the torso from now on, newtons in world axes."""
        super().push(force, seconds)
        if self._beside is not None:
            self._beside.push(force, seconds)
        self._changed()

    def pull(self, body: str, force: Array | None) -> None:
        """A force at a body's centre of mass until it is replaced; None to let go."""
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

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        super()._note({**snapshot, "course": np.array([self.course], dtype=object)})

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        return {**super().snapshot(), "course": np.array([self.course], dtype=object)}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure and this controller."""
        course = snapshot["course"][0]
        fits = course.offset is None or len(course.offset) == len(self.law.parameters)
        self.course = course if fits and self.drive.balanced else replace(course, offset=None)
        super().restore(snapshot)
        self.simulation.set_parameters(self._rows())
        self.steps = [s for s in self.steps if s.time <= self.time]
        if self._beside is not None:
            self._beside.restore(snapshot)
        self._changed()

    def reset(self) -> None:
        """Back to the start."""
        self.course, self.steps = Course(), []
        super().reset()
        self.simulation.set_parameters(self._rows())
        if self._beside is not None:
            self._beside.reset()
        self._changed()
        self._plan_start()

    # -- what it is doing --------------------------------------------------------------------------------------------

    def saved_qpos(self) -> Array | None:
        """[nq] the walker of the saved controller; None where none walks."""
        return None if self._beside is None else np.asarray(self._beside.state["qpos"][0], dtype=float)

    @property
    def speed(self) -> float:
        """Metres a second over the last step, forward."""
        return self.course.speed

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
