"""SIMBICON's law: a pose control graph with torso, swing-hip and stance-hip control and balance feedback (paper 000
§3).

    target = angle + c_d d + c_v v + c_h h,     d = hip - stance foot,  v = hip velocity - desired speed
    τ = kp (target - θ) - kd θ'                  knees and ankles against their parents, hips against the world
    τ_stance_hip = -τ_torso - τ_swing_hip        so that the torso gets its own servo's torque

The hips' targets are clamped after feedback, all torques at last. A law that may turn over takes errors against the
world the short way round. Servos against the parent can be taken implicitly; those against the world stay explicit,
since their limit is far away, unless stable PD is asked to be exact.

The law may hold a whole repertoire of graphs and go from one to another on request
(:mod:`footfall.control.transitions`), raise its gains some time after an impact, and learn the torso's torques by
phase (:mod:`footfall.control.error_learning`).
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.error_learning import learning_functions, learning_memory
from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law, Types
from footfall.control.sight import sight_function
from footfall.control.table import EXIT, HEAD, SERVO, TARGET, GraphTable
from footfall.control.transitions import Repertoire
from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = ["SimbiconLaw", "foot_masks"]


def foot_masks(types: Types, figure: Figure, sensor: str) -> tuple[int, int]:
    """Bit masks of the left and right foot's sensor points: "heel", "toe", "any" or the rest of a point's name, such as
    "under_ankle" for left_under_ankle and right_under_ankle."""
    names = [p.name for p in types.compiled.points]
    masks = []
    for side in ("left", "right"):
        leg = figure.legs[side]
        named = tuple(name for name in leg.sole if name == f"{side}_{sensor}")
        chosen = {"heel": leg.heel, "toe": leg.toe, "any": leg.sole}.get(sensor, named)
        if not chosen:
            points = [name.removeprefix(f"{side}_") for name in leg.sole]
            raise FootfallError(f"balance sensor is '{sensor}'; choose one of: heel, toe, any, {', '.join(points)}")
        masks.append(sum(1 << names.index(name) for name in chosen))
    return masks[0], masks[1]


STATE, CLOCK, REQUEST, REQUEST_TIME = range(4)
"""Where in the law's memory stand the state, the time since it was entered, the graph requested (-1 for none) and
when."""

LONG_AGO = 1e6


class SimbiconLaw(Law):
    """A balanced pose control graph on a planar figure, or a repertoire of them of which the first one starts.

    Attributes:
        graph: the graph that starts. table: the numbers, of one graph or of a repertoire.
        bins: how many phase bins the torso's feed-forward torque has; 0 for none.
        reacts: whether a graph raises its gains after impacts.
    """

    def __init__(self, graph: PoseControlGraph | Sequence[PoseControlGraph], figure: Figure) -> None:
        graphs = (graph,) if isinstance(graph, PoseControlGraph) else tuple(graph)
        self.figure = figure
        self.table: GraphTable | Repertoire = (
            GraphTable(graphs[0], figure) if len(graphs) == 1 else Repertoire(graphs, figure)
        )
        self.graph, self.graphs = graphs[0], graphs
        learned = [g.feedforward for g in graphs if g.feedforward is not None]
        if len(learned) > 1:
            raise FootfallError("repertoire: only one of its controllers may have feed-forward torques")
        self.feedforward = learned[0] if learned else None
        self.bins = len(learned[0].torque) if learned else 0
        self.reacts = any(g.reaction is not None for g in graphs)

    @property
    def key(self) -> Any:
        """What the Warp function depends on besides the figure."""
        table = self.table
        count = len(self.graphs) if isinstance(table, Repertoire) else 0
        states = len(table.entries) if isinstance(table, Repertoire) else 0
        features = (self.bins, self.reacts, self.tumbles, self.stable, self.sees, self.places)
        return ("simbicon", tuple(table.slots), count, states, *features)

    @property
    def stable(self) -> str:
        """The kind of stable PD."""
        return self.graph.servo.stable

    @property
    def couples(self) -> bool:
        """Whether the torso's and swing hip's servos are taken implicitly too: exact stable PD."""
        return self.stable == "exact"

    @property
    def sees(self) -> bool:
        """Whether some graph looks at the ground."""
        return any(graph.sight is not None for graph in self.graphs)

    @property
    def places(self) -> bool:
        """Whether some graph moves its feet off edges."""
        return any(graph.sight is not None and graph.sight.margin > 0 for graph in self.graphs)

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """The look at the ground, where some graph has sight."""
        return sight_function(types, self.figure, self.table, height, places=self.places) if self.sees else None

    @property
    def tumbles(self) -> bool:
        """Whether the torso may turn over under some graph; a fall of the others is one as ever."""
        return any(graph.tumbles for graph in self.graphs)

    @property
    def memory(self) -> NDArray[np.float64]:
        """[4 + …] state, clock, request and its time; the time since an impact; the phase and torques learned."""
        start = [float(self.graph.start.state if self.graph.start else 0), 0.0, -1.0, 0.0]
        impact = [LONG_AGO] if self.reacts else []
        return np.array([*start, *impact, *learning_memory(self.feedforward)])

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP] the table's row."""
        return self.table.row

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        table, figure, real = self.table, self.figure, types.real
        Sense, Memory, Command = types.Sense, types.Memory, types.Command
        implicit = types.implicit
        count = len(table.slots)
        first_servo, first_state, width = table.first_servo, table.first_state, table.width
        n_servo, n_exit, n_target = len(SERVO), len(EXIT), len(TARGET)
        dofs = tuple(table.dofs)
        hips = tuple(name in (*figure.legs["left"].hip, *figure.legs["right"].hip) for name in table.slots)
        left_hip, right_hip = (figure.joint(figure.legs[s].hip[0]).dof for s in ("left", "right"))
        names = [p.name for p in types.compiled.points]
        left_heel, right_heel = (3 * names.index(figure.legs[s].heel[0]) for s in ("left", "right"))
        left_toe, right_toe = (3 * names.index(figure.legs[s].toe[0]) for s in ("left", "right"))
        left_heels, right_heels = foot_masks(types, figure, "heel")
        left_toes, right_toes = foot_masks(types, figure, "any")
        left_toes, right_toes = left_toes & ~left_heels, right_toes & ~right_heels
        zero, half, one = real(0.0), real(0.5), real(1.0)
        turn = real(2.0 * math.pi)
        part = {name: HEAD.index(name) for name in HEAD}
        graphs = len(self.graphs)
        many = isinstance(table, Repertoire)
        first_entry = table.first_entry if isinstance(table, Repertoire) else 0
        knees = tuple(
            {figure.legs["left"].knee[0]: 0, figure.legs["right"].knee[0]: 1}.get(name, -1) for name in table.slots
        )
        sees = self.sees
        previous, exact, places = self.stable == "previous", self.couples, self.places
        if exact and not implicit:
            raise FootfallError(f"controller '{self.graph.name}': exact stable PD needs the implicit integrator")
        reacts, bins, tumbles = self.reacts, self.bins, self.tumbles
        impact = 4
        anticipate, begin_step = learning_functions(types, impact + int(reacts), bins)

        @wp.func
        def simbicon(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            state = int(memory[0])
            clock = memory[1] + sense.dt
            base = first_state + width * state
            head = 0
            if wp.static(many):
                head = int(parameters[row, base + 5])
            right_stance = parameters[row, base + 3] > zero
            flies = parameters[row, base + 4] > zero
            reference = parameters[row, head + wp.static(part["reference"])]
            heel = sense.seen_position[left_heel]
            toe = sense.seen_position[left_toe]
            if right_stance:
                heel = sense.seen_position[right_heel]
                toe = sense.seen_position[right_toe]
            d = sense.seen_qpos[0] - heel - reference * (toe - heel)
            v = sense.seen_qvel[0] - parameters[row, head]
            torso = sense.seen_qpos[2]
            torso_rate = sense.seen_qvel[2]
            torso_torque = zero
            gain = one
            if wp.static(reacts):
                since = memory[impact]
                early = parameters[row, head + wp.static(part["reaction_delay"])]
                late = early + parameters[row, head + wp.static(part["reaction_duration"])]
                if since >= early and since < late:
                    gain = parameters[row, head + wp.static(part["reaction_gain"])]
            for i in range(wp.static(count)):
                at = base + n_exit + n_target * i
                servo = head + first_servo + n_servo * i
                target = parameters[row, at] + parameters[row, at + 1] * d + parameters[row, at + 2] * v
                if wp.static(sees):
                    target += parameters[row, at + 3] * sense.rise
                kp = gain * parameters[row, servo]
                kd = gain * parameters[row, servo + 1]
                if wp.static(i == 0):
                    error = target - torso
                    if wp.static(tumbles):
                        error -= turn * wp.floor(error / turn + half)
                    if wp.static(exact):
                        error -= sense.dt * torso_rate
                        command.torso_stiffness = sense.dt * (kd + kp * sense.dt)
                    if wp.static(previous):
                        error -= sense.dt * torso_rate
                        torso_torque = kp * error - kd * (torso_rate + sense.dt * sense.qacc[2])
                    else:
                        torso_torque = kp * error - kd * torso_rate
                    if wp.static(reacts):
                        memory[impact] = memory[impact] + sense.dt
                        threshold = parameters[row, head + wp.static(part["reaction_threshold"])]
                        if wp.abs(error) > threshold and memory[impact] >= late:
                            memory[impact] = zero
                else:
                    angle = sense.qpos[wp.static(dofs[i])]
                    rate = sense.qvel[wp.static(dofs[i])]
                    ahead = zero
                    drift = zero
                    if wp.static(previous):
                        drift = sense.qacc[wp.static(dofs[i])]
                    if wp.static(places and hips[i]):
                        target += sense.hip_shift
                    if wp.static(places and knees[i] >= 0):
                        if right_stance != (wp.static(knees[i]) == 1):
                            target += sense.knee_shift
                    error = target - angle
                    if wp.static(hips[i]):
                        if not flies:
                            low = parameters[row, head + 1]
                            high = parameters[row, head + 2]
                            error = wp.clamp(target, low, high) - angle - torso
                            if wp.static(tumbles):
                                error -= turn * wp.floor(error / turn + half)
                            rate += torso_rate
                            if wp.static(previous):
                                drift += sense.qacc[2]
                            if wp.static(exact):
                                error -= sense.dt * rate
                                command.hip_stiffness = sense.dt * (kd + kp * sense.dt)
                    elif wp.static(implicit):
                        ahead = sense.dt
                    if wp.static(previous):
                        error -= sense.dt * rate
                        rate += sense.dt * drift
                        ahead = zero
                    command.torque[wp.static(dofs[i])] = kp * (error - ahead * rate) - kd * rate
                    command.stiffness[wp.static(dofs[i])] = ahead * (kd + kp * ahead)

            forward = zero
            if wp.static(bins > 0):
                alpha = parameters[row, head + wp.static(part["learning_rate"])]
                most = parameters[row, head + wp.static(part["feedforward_limit"])]
                forward = anticipate(memory, torso_torque, sense.dt, alpha, most)
                torso_torque += forward

            if not flies:
                if right_stance:
                    command.torque[right_hip] = -torso_torque - command.torque[left_hip]
                else:
                    command.torque[left_hip] = -torso_torque - command.torque[right_hip]

            for i in range(wp.static(count)):
                if wp.static(i > 0):
                    servo = head + first_servo + n_servo * i
                    angle = sense.qpos[wp.static(dofs[i])]
                    torque = command.torque[wp.static(dofs[i])]
                    stop = parameters[row, head + 3]
                    if stop > zero:
                        beyond = wp.min(parameters[row, servo + 4] - angle, zero)
                        beyond += wp.max(parameters[row, servo + 3] - angle, zero)
                        if beyond != zero:
                            rate = sense.qvel[wp.static(dofs[i])]
                            if wp.static(previous):
                                beyond -= sense.dt * rate
                                rate += sense.dt * sense.qacc[wp.static(dofs[i])]
                            damping = parameters[row, head + 4]
                            command.stiffness[wp.static(dofs[i])] = zero
                            if wp.static(exact):
                                beyond -= sense.dt * rate
                                command.stiffness[wp.static(dofs[i])] = sense.dt * (damping + stop * sense.dt)
                            torque = stop * beyond - damping * rate
                    limit = parameters[row, servo + 2]
                    if wp.abs(torque) > limit:
                        torque = wp.clamp(torque, -limit, limit)
                        command.stiffness[wp.static(dofs[i])] = zero
                    command.torque[wp.static(dofs[i])] = torque

            if wp.static(exact):
                command.swing_hip = wp.where(right_stance, left_hip, right_hip)
                command.stance_hip = wp.where(right_stance, right_hip, left_hip)
                if flies:
                    command.hip_stiffness = zero
                    command.torso_stiffness = zero
            if wp.static(tumbles):
                command.tumbling = parameters[row, base + 6] > zero
            command.state = state
            command.stance = wp.where(right_stance, 1, 0)
            command.signals[0] = d
            command.signals[1] = v
            command.signals[2] = command.torque[left_hip]
            if right_stance:
                command.signals[2] = command.torque[right_hip]
            if wp.static(bins > 0):
                command.signals[2] = forward
            command.signals[3] = torso_torque

            memory[1] = clock
            leave = clock > parameters[row, base] - half * sense.dt
            if leave and parameters[row, base + 1] > zero:
                heels = right_heels
                toes = right_toes
                if right_stance != (parameters[row, base + 1] > one):
                    heels = left_heels
                    toes = left_toes
                touches = False
                if parameters[row, head + wp.static(part["sensor_heel"])] > zero:
                    touches = (sense.seen_contact & heels) != 0
                if parameters[row, head + wp.static(part["sensor_toe"])] > zero:
                    touches = touches or (sense.seen_contact & toes) != 0
                leave = touches
            if leave:
                after = int(parameters[row, base + 2])
                stays = after == state
                if wp.static(many):
                    if memory[2] >= zero and sense.time >= memory[3] - half * sense.dt:
                        entry = int(parameters[row, first_entry + graphs * after + int(memory[2])])
                        if entry >= 0:
                            after = entry
                            stays = False
                            memory[2] = -one
                if not stays:
                    memory[0] = real(after)
                    memory[1] = zero
                    if wp.static(bins > 0):
                        new_right = parameters[row, first_state + width * after + 3] > zero
                        if new_right != right_stance:
                            begin_step(memory)

        return simbicon
