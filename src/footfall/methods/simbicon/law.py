"""SIMBICON's law: a pose control graph with torso, swing-hip and stance-hip control and balance feedback (SIMBICON,
section 3), in the plane and in space.

    target = angle + c_d d + c_v v + c_h h,     d = hips - stance foot,  v = hips' velocity - desired speed
    τ = kp (target - θ) - kd θ'                  joints against their parents, hips against the world
    τ_stance_hip = -τ_torso - τ_swing_hip        so that the torso gets its own servo's torque

In space the same holds in each plane of the frame that turns with the heading: hips pitch in the sagittal and roll in
the coronal plane, and the stance hip turns the torso to the desired heading. The hips' targets are clamped after
feedback, all torques at last. A law that may turn over takes errors against the world the short way round. Servos
against the parent can be taken implicitly; those against the world stay explicit, since their limit is far away, unless
stable PD is asked to be exact.

The law may hold several graphs and switch between them on request (:mod:`footfall.methods.simbicon.table`), raise its
gains some time after an impact, leave states when pushed, look at the ground, and learn the torso's torques by phase.

As one Warp function it goes in the order of the paper. Each stage is made of parts
(:mod:`footfall.methods.simbicon.parts`); what only some controllers have (a cycle, stiffer servos after impacts,
learned torques, exact stable PD, recovery) is a part more in the stage that it belongs to.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import StepTypes, Types
from footfall.control.parts import NowParts, advance_function, in_order, now_functions, observe_function, sensor_masks
from footfall.control.rows import check_kernel_index
from footfall.control.slots import learning_order
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.parts.joints import joint_function, limit_function
from footfall.methods.simbicon.parts.learned_torques import learned_torques_function, learning_functions
from footfall.methods.simbicon.parts.reaction import (
    LONG_AGO,
    feel_impact_function,
    raise_gain_function,
    recovery_function,
)
from footfall.methods.simbicon.parts.record import record_function
from footfall.methods.simbicon.parts.sight import VIEWS, sight_function
from footfall.methods.simbicon.parts.target import cycle_function
from footfall.methods.simbicon.parts.torso_and_hips import (
    COUPLED,
    couple_hips_function,
    coupling_fields,
    hip_revision,
    limit_turning_function,
    stance_hip_function,
    swing_hip_function,
    torso_function,
    turn_heading_function,
)
from footfall.methods.simbicon.plan import LEARNING_SIGNALS, SIGNALS, LearningPlan, SimbiconPlan, signal_names
from footfall.methods.simbicon.table import GraphTable


def simbicon_function(
    types: Types, plan: SimbiconPlan, *, now: NowParts | None = None, before: Sequence[wp.Function] = ()
) -> wp.Function:
    """The law as a Warp function.

    Args:
        types, plan: what it is built from.
        now: how it reads its parameters; by default as the row has them.
        before: parts that come before all others.
    """
    now = now or now_functions(types, plan.layout)
    made, signals = (types, plan, now), signal_names(plan)

    observing = [*before, observe_function(types, now)]
    torsos = [torso_function(*made, plane) for plane in range(plan.planes)]
    joints = [joint_function(*made, i) for i in plan.joints if i not in plan.world_hips]
    hips = [swing_hip_function(*made, i) for i in plan.world_hips]
    learned: list[wp.Function] = []
    limits = [limit_function(*made, i) for i in plan.joints]
    ending = [advance_function(types, now, plan.layout, plan.memory, sensor_masks(types, "heel"))]

    if plan.layout.harmonics:
        observing.append(cycle_function(*made, signals.index("phase")))
    if plan.reacts:
        observing.append(raise_gain_function(*made))
        torsos.append(feel_impact_function(*made))
    if plan.stable == "exact":
        limits.append(couple_hips_function(*made))
    if plan.spatial and plan.turning:
        observing.append(limit_turning_function(*made))
    if plan.recovers:
        ending = [recovery_function(*made, *ending)]
    if plan.spatial:
        ending.append(turn_heading_function(*made))
    if plan.learning:
        learning = learning_functions(*made)
        places = SIGNALS.index("feedforward_torque"), signals.index(LEARNING_SIGNALS[0])
        learned.append(learned_torques_function(*made, learning, *places))
        ending.append(learning.begin_step)

    stages = (observing, torsos, joints, hips, learned, limits, ending)
    observe, torso, other_joints, swing_hip, anticipate, limit, advance = (in_order(types, now, s) for s in stages)
    stance_hip, record = stance_hip_function(*made), record_function(*made)
    Now, enter, state_ = now.Now, now.enter, plan.memory["state"]

    @types.part
    def simbicon(sense, memory, parameters, row, command):
        now = Now()
        enter(int(memory[state_]), parameters, row, now)
        observe(now, sense, memory, command)
        torso(now, sense, memory, command)
        other_joints(now, sense, memory, command)
        swing_hip(now, sense, memory, command)
        anticipate(now, sense, memory, command)
        stance_hip(now, sense, memory, command)  # -τ_torso - τ_swing
        limit(now, sense, memory, command)
        record(now, sense, memory, command)
        advance(now, sense, memory, command)

    return simbicon


MOST_SECONDS = 10**9
"""That a clock of learning can show."""
MOST_MEMORY = 40_000
"""Numbers that a law remembers: every thread of a kernel holds them on its stack."""


class SimbiconLaw(GraphLaw):
    """A balanced pose control graph, or several of which the first one starts.

    Attributes:
        figure: what is driven.
    """

    def __init__(
        self,
        graph: PoseControlGraph | Sequence[PoseControlGraph],
        figure: Figure,
        *,
        capacity: tuple[int, int] = (1, 1),
    ) -> None:
        """``capacity`` is how many graphs and states the law has room for, at least."""
        self.figure = figure
        self.table = GraphTable(graph, figure, capacity=capacity)
        learning = [g.feedforward for g in self.graphs if g.feedforward is not None]
        if len(learning) > 1:
            raise FootfallError("repertoire: only one of its controllers may have learned torques")
        self.feedforward = learning[0] if learning else None
        self.learners, legs = learning_order(self.table.slots, self._learning())
        sights = [g.sight for g in self.graphs if g.sight is not None]
        targets = [t for g in self.graphs for state in g.states for t in state.targets.values()]
        self.plan = SimbiconPlan(
            self.table.layout,
            self.table.slots,
            self.graph.servo.stable,
            reacts=any(g.reaction is not None for g in self.graphs),
            turns_over=any(g.turns_over for g in self.graphs),
            sees=bool(sights),
            places=any(sight.margin > 0 for sight in sights),
            levels=any(target.world for target in targets),
            swings=any(target.c_hip for target in targets),
            recovers=any(state.disturbed for g in self.graphs for state in g.states),
            turn_limit=min(g.balance.turn_limit for g in self.graphs),
            learning=LearningPlan(
                self.feedforward.bins,
                self.feedforward.over == "stride",
                tuple(self.table.slot(name) for name in self.learners),
                legs,
            )
            if self.feedforward
            else None,
        )
        if len(self.plan.memory) > MOST_MEMORY:
            raise FootfallError(
                f"controller '{self.graph.name}': its learned torques are {len(self.plan.memory)} numbers; "
                f"use fewer bins, so that they are at most {MOST_MEMORY}"
            )
        if self.plan.spatial and (sights or self.coupled_torques):
            what = "sight" if sights else "exact stable PD"
            raise FootfallError(f"controller '{self.graph.name}': {what} is for planar figures; '{figure.name}' is not")

    def _learning(self) -> set[str]:
        """Names of the slots that learn."""
        names = set(self.feedforward.joints) if self.feedforward else set()
        for name in sorted(names - set(self.table.layout.slots)):
            error = unknown_name("joint", name, self.table.layout.slots)
            raise FootfallError(f"controller '{self.graph.name}', feedforward: {error}")
        return names

    @property
    def turns_over(self) -> bool:
        """Whether the torso may turn over under some graph; a fall of the others is one as ever."""
        return bool(self.plan.turns_over)

    @property
    def coupled_torques(self) -> int:
        """The two hips' torques under exact stable PD, where the torso's and swing hip's servos are implicit too."""
        return COUPLED if self.plan.stable == "exact" else 0

    def command_fields(self, real: Any) -> Mapping[str, Any]:
        """Which torques these are, and their stiffnesses and limits."""
        return coupling_fields(real) if self.coupled_torques else {}

    @property
    def signals(self) -> tuple[str, ...]:
        return signal_names(self.plan)

    @property
    def views(self) -> tuple[str, ...]:
        return VIEWS if self.plan.sees else ()

    def _more_memory(self) -> dict[str, Any]:
        known, learning = self.feedforward, self.plan.learning
        found: dict[str, Any] = {"turned": 0.0, "since_impact": LONG_AGO}
        found |= dict.fromkeys(self.plan.turning, 0.0)
        if known is None or learning is None:
            return found
        zeros = (0.0,) * known.phases
        legs = self.learners[len(self.learners) - learning.legs :]
        found |= dict.fromkeys((name for name, _ in learning.memory), 0.0)
        return found | {
            "learning_period": known.period,
            "learned_torque": [x for name in self.learners for x in known.joints[name]],
            "learned_shift": [x for name in legs for x in known.shifts.get(name, zeros)],
        }

    def check_memory(self, memory: NDArray[np.float64]) -> None:
        """Refuse states, requests and bins of learned torques that are not there."""
        super().check_memory(memory)
        layout, learning = self.plan.memory, self.plan.learning
        if learning:
            check_kernel_index(memory[:, layout["learning_bin"]], 0, learning.phases - 1, "memory: learning_bin")
            clock = np.floor(memory[:, layout["learning_clock"]])
            check_kernel_index(clock, 0, MOST_SECONDS, "memory: learning_clock")

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        plan = self.plan
        if not plan.sees:
            return None
        return sight_function(types, plan.layout, plan.memory, height, places=plan.places)

    def revision(self, step: StepTypes) -> wp.Function | None:
        """The hips' servos against the world taken implicitly, under exact stable PD."""
        return hip_revision(step) if self.coupled_torques else None

    def build(self, types: Types) -> wp.Function:
        if self.coupled_torques and not types.implicit:
            raise FootfallError(f"controller '{self.graph.name}': exact stable PD needs the implicit integrator")
        return simbicon_function(types, self.plan)


GRAPHS, STATES = 8, 128
"""Controllers and written-out states come in these amounts."""


class PaddedSimbiconLaw(SimbiconLaw):
    """Several controllers, the first of which starts, in a table with spare capacity: an edited controller may gain
    states and controllers may come without another kernel being compiled."""

    def __init__(self, graphs: Sequence[PoseControlGraph], figure: Figure) -> None:
        states = sum(len(g.states) * (2 if g.symmetric else 1) for g in graphs)
        capacity = _rounded_up(len(graphs), GRAPHS), _rounded_up(states, STATES)
        super().__init__(graphs, figure, capacity=capacity)


def _rounded_up(count: int, amount: int) -> int:
    return -(-count // amount) * amount
