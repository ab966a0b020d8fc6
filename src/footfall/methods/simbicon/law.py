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
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.kernel_indices import check_kernel_index
from footfall.control.law import Types
from footfall.control.rows import MemoryLayout
from footfall.control.slots import learning_order
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.control_step import simbicon_function
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.parts.hip_coupling import COUPLED, COUPLING, hip_correction
from footfall.methods.simbicon.parts.reaction import LONG_AGO
from footfall.methods.simbicon.parts.sight import VIEWS, sight_function
from footfall.methods.simbicon.plan import LearningPlan, SimbiconPlan
from footfall.methods.simbicon.signals import signal_names
from footfall.methods.simbicon.table import GraphTable

MOST_SECONDS = 10**9
"""That a clock of learning can show."""
MOST_MEMORY = 20_000
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

    @property
    def coupling_numbers(self) -> int:
        """Stiffnesses and limits of those torques."""
        return COUPLING if self.coupled_torques else 0

    @property
    def signals(self) -> tuple[str, ...]:
        """What it records."""
        return signal_names(self.plan)

    @property
    def views(self) -> tuple[str, ...]:
        """What it sees of the ground."""
        return VIEWS if self.plan.sees else ()

    @property
    def memory(self) -> NDArray[np.float64]:
        """[M] what the plan's memory names, at the start."""
        start = self.graph.start.state if self.graph.start else 0
        machine = {"state": start, "clock": 0.0, "request": -1.0, "request_time": 0.0}
        layout: MemoryLayout = self.plan.memory
        return layout.filled(**machine, turned=0.0, since_impact=LONG_AGO, **self._learned())

    def _learned(self) -> dict[str, Any]:
        """What learning remembers at the start."""
        known, learning = self.feedforward, self.plan.learning
        if known is None or learning is None:
            return {}
        zeros = (0.0,) * known.phases
        legs = self.learners[len(self.learners) - learning.legs :]
        clocks = dict.fromkeys(("learning_clock", "learning_bin", "learning_samples"), 0.0)
        return {
            **clocks,
            "learning_period": known.period,
            "learning_total": 0.0,
            "learned_torque": [x for name in self.learners for x in known.joints[name]],
            "learning_miss": 0.0,
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
        """The look at the ground, where some graph has sight."""
        plan = self.plan
        if not plan.sees:
            return None
        return sight_function(types, plan.layout, plan.memory, height, places=plan.places)

    def correction(self, types: Types) -> wp.Function | None:
        """The hips' servos against the world taken implicitly, under exact stable PD."""
        return hip_correction(types) if self.coupled_torques else None

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        if self.coupled_torques and not types.implicit:
            raise FootfallError(f"controller '{self.graph.name}': exact stable PD needs the implicit integrator")
        return simbicon_function(types, self.plan)
