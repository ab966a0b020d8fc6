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

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.indices import check_index
from footfall.control.law import Types
from footfall.control.parts.frame import frame_functions
from footfall.control.parts.reading import reading_functions
from footfall.control.parts.state_machine import advance_function, sensor_masks
from footfall.control.rows import GraphField, ServoField, StateField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE, learning_order
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.drives import (
    drive_joints,
    hip_in,
    stance_hip_function,
    stop_and_limit_joints,
    torso_drive,
)
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.learned_strides import stride_learning
from footfall.methods.simbicon.parts.cycle import cycle_function
from footfall.methods.simbicon.parts.error_learning import learning_functions, learning_memory
from footfall.methods.simbicon.parts.hip_coupling import (
    COUPLED,
    COUPLING,
    HIP_STIFFNESS,
    STANCE_HIP,
    STANCE_LIMIT,
    SWING_HIP,
    SWING_LIMIT,
    TORSO_STIFFNESS,
    hip_correction,
)
from footfall.methods.simbicon.parts.reaction import LONG_AGO, raised_gain
from footfall.methods.simbicon.parts.recovery import recovery_function
from footfall.methods.simbicon.parts.sight import RISE, VIEWS, sight_function
from footfall.methods.simbicon.parts.stride_learning import stride_memory
from footfall.methods.simbicon.plan import SimbiconPlan
from footfall.methods.simbicon.table import GraphTable

__all__ = ["SIGNALS", "SPATIAL_SIGNALS", "SimbiconLaw"]

SIGNALS = ("d", "v", "stance_hip_torque", "torso_torque", "feedforward_torque", "rise")
"""What the law records: balance in the sagittal plane, the stance hip's and the torso's torque there with the part that
was learned, the rise of the ground ahead."""
SPATIAL_SIGNALS = ("d_side", "v_side", "torso_roll_torque", "torso_yaw_torque")
"""What it records besides on a spatial figure: balance in the coronal plane, the torso's other torques."""


STRIDE_SIGNALS = ("feedback", "feedforward")
"""What it records besides where torques are learned by stride: the norms of both kinds of torque over all learners,
newton metres."""
CYCLE_SIGNALS = ("phase",)
"""What it records besides of a controller with a cycle."""


MOST_SECONDS = 10**9
"""That a clock of learning can show."""
MOST_MEMORY = 20_000
"""Numbers that a law remembers: every thread of a kernel holds them on its stack."""


def signal_names(plan: SimbiconPlan) -> tuple[str, ...]:
    """What the law of a plan records."""
    spatial = SPATIAL_SIGNALS if plan.spatial else ()
    stride = STRIDE_SIGNALS if plan.learners else ()
    return (*SIGNALS, *spatial, *stride, *(CYCLE_SIGNALS if plan.layout.harmonics else ()))


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
        room: tuple[int, int] = (1, 1),
    ) -> None:
        """``room`` is how many graphs and states the law has room for, at least."""
        self.figure = figure
        self.table = GraphTable(graph, figure, room=room)
        learning = [g.feedforward for g in self.graphs if g.feedforward is not None]
        if len(learning) > 1:
            raise FootfallError("repertoire: only one of its controllers may have feed-forward torques")
        self.feedforward = learning[0] if learning else None
        strides = [g.anticipation for g in self.graphs if g.anticipation is not None]
        if len(strides) > 1 or (strides and learning):
            raise FootfallError("repertoire: only one of its controllers may have learned torques")
        self.anticipation = strides[0] if strides else None
        sights = [g.sight for g in self.graphs if g.sight is not None]
        targets = [t for g in self.graphs for state in g.states for t in state.targets.values()]
        self.plan = SimbiconPlan(
            self.table.layout,
            self.table.slots,
            bins=len(learning[0].torque) if learning else 0,
            reacts=any(g.reaction is not None for g in self.graphs),
            turns_over=any(g.turns_over for g in self.graphs),
            stable=self.graph.servo.stable,
            sees=bool(sights),
            places=any(sight.margin > 0 for sight in sights),
            levels=any(target.world for target in targets),
            swings=any(target.c_hip for target in targets),
            recovers=any(state.disturbed for g in self.graphs for state in g.states),
            stride_bins=strides[0].bins if strides else 0,
            learners=tuple(self.table.slot(name) for name in self._learners()[0]),
            legs=self._learners()[1],
        )
        if len(self.plan.memory) > MOST_MEMORY:
            raise FootfallError(
                f"controller '{self.graph.name}': its learned torques are {len(self.plan.memory)} numbers; "
                f"use fewer bins, so that they are at most {MOST_MEMORY}"
            )
        if self.plan.spatial and (sights or self.coupled_torques):
            what = "sight" if sights else "exact stable PD"
            raise FootfallError(f"controller '{self.graph.name}': {what} is for planar figures; '{figure.name}' is not")

    def _learners(self) -> tuple[list[str], int]:
        """Slots that learn by stride, the torso's first and the legs' last, and how many those are."""
        if self.anticipation is None:
            return [], 0
        known = set(self.anticipation.joints)
        for name in known - set(self.table.layout.slots):
            error = unknown_name("joint", name, self.table.layout.slots)
            raise FootfallError(f"controller '{self.graph.name}', anticipation: {error}")
        torsos = [slot.name for slot in self.table.slots if slot.place == "torso"]
        if not known.issuperset(torsos):
            raise FootfallError(f"controller '{self.graph.name}', anticipation: it needs {', '.join(torsos)}")
        return learning_order(self.table.slots, known)

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
        state = float(self.graph.start.state if self.graph.start else 0)
        return np.array([state, 0.0, -1.0, 0.0, 0.0, LONG_AGO, *self._learned()])

    def _learned(self) -> list[float]:
        names = tuple(self.table.layout.slots[i] for i in self.plan.learners)
        return [*learning_memory(self.feedforward), *stride_memory(self.anticipation, names, self.plan.legs)]

    def check_memory(self, memory: NDArray[np.float64]) -> None:
        """Refuse states, requests and bins of learned torques that are not there."""
        super().check_memory(memory)
        plan = self.plan
        for clock, bin_, bins in (
            ("learning_phase", "learning_bin", plan.bins),
            ("stride_clock", "stride_bin", 2 * plan.stride_bins),
        ):
            if bins:
                check_index(memory[:, plan.memory[bin_]], 0, bins - 1, f"memory: {bin_}")
                check_index(np.floor(memory[:, plan.memory[clock]]), 0, MOST_SECONDS, f"memory: {clock}")

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


def simbicon_function(types: Types, plan: SimbiconPlan) -> wp.Function:
    """The law as a Warp function."""
    real, Sense, Memory, Command = types.real, types.Sense, types.Memory, types.Command
    layout, remember = plan.layout, plan.memory
    state_, clock_, turned_, impact_ = (remember[n] for n in ("state", "clock", "turned", "since_impact"))
    reading = reading_functions(types, layout)
    state_row, graph_row, servo_row = reading.state_row, reading.graph_row, reading.servo_row
    frame = frame_functions(types, layout.harmonics)
    Frame, observe = frame.Frame, frame.observe
    planes = sum(slot.place == "torso" for slot in plan.slots)
    pitch_torso, roll_torso, yaw_torso = (torso_drive(types, plan, i % planes, frame) for i in range(3))
    drive, stop_and_limit = drive_joints(types, plan, frame), stop_and_limit_joints(types, plan)
    Torques = wp.types.vector(length=planes, dtype=real)
    give_the_rest = stance_hip_function(types, plan, Torques, planes)
    cycles = layout.harmonics > 0
    set_phase = cycle_function(types, layout, frame) if cycles else None
    advance = advance_function(types, layout, remember, sensor_masks(types, "heel"))
    recovers = plan.recovers
    recover = recovery_function(types, layout, remember, Frame) if recovers else None
    learns, reacts, turns_over = plan.bins > 0, plan.reacts, plan.turns_over
    anticipate, begin_step = learning_functions(types, remember, plan.bins) if learns else (None, None)
    anticipates = bool(plan.learners)
    find_bin, begin_stride, anticipate_all = (
        stride_learning(types, plan, frame, Torques, planes, signal_names(plan).index(STRIDE_SIGNALS[0]))
        if anticipates
        else [None] * 3
    )
    exact, spatial, sees = plan.stable == "exact", plan.spatial, plan.sees
    hips = [hip_in(plan, side, SAGITTAL) for side in ("left", "right")]
    left_hip, right_hip = (hip.dof for hip in hips)
    left_slot, right_slot = (plan.slots.index(hip) for hip in hips)
    zero, one = real(0.0), real(1.0)
    d, v, stance_hip_, torso_, feedforward_, rise = range(len(SIGNALS))
    d_side, v_side, torso_roll_, torso_yaw_ = range(len(SIGNALS), len(SIGNALS) + len(SPATIAL_SIGNALS))
    phase_ = len(signal_names(plan)) - 1

    @wp.func
    def simbicon(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        command: wp.ref[Command],
    ):
        state = int(memory[state_])
        here = state_row(state)
        graph = graph_row(parameters, row, here)
        right_stance = parameters[row, here + StateField.STANCE] > zero
        flies = parameters[row, here + StateField.FLIGHT] > zero
        frame = Frame()
        observe(sense, parameters, row, graph, right_stance, frame)
        if wp.static(cycles):
            command.signals[phase_] = set_phase(parameters, row, graph, right_stance, memory[clock_], frame)
        gain = one
        if wp.static(reacts):
            gain = raised_gain(
                memory[impact_],
                parameters[row, graph + GraphField.REACTION_DELAY],
                parameters[row, graph + GraphField.REACTION_DURATION],
                parameters[row, graph + GraphField.REACTION_GAIN],
            )

        torso_torque = Torques()
        torso_torque[SAGITTAL] = pitch_torso(sense, memory, parameters, row, here, graph, gain, frame, command)
        if wp.static(spatial):
            torso_torque[CORONAL] = roll_torso(sense, memory, parameters, row, here, graph, gain, frame, command)
            torso_torque[TRANSVERSE] = yaw_torso(sense, memory, parameters, row, here, graph, gain, frame, command)
        drive(sense, parameters, row, here, graph, right_stance, flies, gain, frame, command)
        forward = zero
        if wp.static(learns):
            alpha = parameters[row, graph + GraphField.LEARNING_RATE]
            most = parameters[row, graph + GraphField.FEEDFORWARD_LIMIT]
            forward = anticipate(memory, torso_torque[SAGITTAL], sense.dt, alpha, most)
            torso_torque[SAGITTAL] = torso_torque[SAGITTAL] + forward
        if wp.static(anticipates):
            n = find_bin(memory, right_stance, sense.dt, parameters[row, graph + GraphField.LEARNING_RATE])
            anticipate_all(sense, memory, parameters, row, here, graph, right_stance, n, frame, torso_torque, command)
        if not flies:
            give_the_rest(right_stance, torso_torque, command)
        stop_and_limit(sense, parameters, row, graph, command)
        if wp.static(exact):
            command.coupled[SWING_HIP] = wp.where(right_stance, left_hip, right_hip)
            command.coupled[STANCE_HIP] = wp.where(right_stance, right_hip, left_hip)
            left_limit = parameters[row, servo_row(graph, wp.static(left_slot)) + ServoField.TORQUE_LIMIT]
            right_limit = parameters[row, servo_row(graph, wp.static(right_slot)) + ServoField.TORQUE_LIMIT]
            command.coupling[SWING_LIMIT] = wp.where(right_stance, left_limit, right_limit)
            command.coupling[STANCE_LIMIT] = wp.where(right_stance, right_limit, left_limit)
            if flies:
                command.coupling[HIP_STIFFNESS] = zero
                command.coupling[TORSO_STIFFNESS] = zero

        if wp.static(turns_over):
            command.turning_over = parameters[row, here + StateField.TURNS_OVER] > zero
        command.state = state
        command.stance = wp.where(right_stance, 1, 0)
        command.signals[d] = frame.d[SAGITTAL]
        command.signals[v] = frame.v[SAGITTAL]
        command.signals[stance_hip_] = wp.where(right_stance, command.torque[right_hip], command.torque[left_hip])
        command.signals[torso_] = torso_torque[SAGITTAL]
        command.signals[feedforward_] = forward
        if wp.static(sees):
            command.signals[rise] = sense.view[RISE]
        if wp.static(spatial):
            command.signals[d_side] = frame.d[CORONAL]
            command.signals[v_side] = frame.v[CORONAL]
            command.signals[torso_roll_] = torso_torque[CORONAL]
            command.signals[torso_yaw_] = torso_torque[TRANSVERSE]
            memory[turned_] = memory[turned_] + parameters[row, graph + GraphField.HEADING_RATE] * sense.dt
        exchanged = bool(False)
        if wp.static(recovers):
            if not recover(frame, memory, parameters, row, here, graph):
                exchanged = advance(sense, memory, parameters, row)
        else:
            exchanged = advance(sense, memory, parameters, row)
        if wp.static(learns):
            if exchanged:
                begin_step(memory)
        if wp.static(anticipates):
            if exchanged:
                begin_stride(memory)

    return simbicon
