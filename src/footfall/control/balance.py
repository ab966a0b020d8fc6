"""SIMBICON's law: a pose control graph with torso, swing-hip and stance-hip control and balance feedback (paper 000 §3).

    target = angle + c_d d + c_v v + c_h h,     d = hip - stance foot,  v = hip velocity - desired speed
    τ = kp (target - θ) - kd θ'                  knees and ankles against their parents, hips against the world
    τ_stance_hip = -τ_torso - τ_swing_hip        so that the torso gets its own servo's torque

The hips' targets are clamped after feedback, all torques at last. Servos against the parent can be taken implicitly; those
against the world stay explicit, since their limit is far away.
"""

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law, Types
from footfall.control.table import EXIT, SERVO, TARGET, GraphTable
from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = ["SimbiconLaw", "foot_masks"]


def foot_masks(types: Types, figure: Figure, sensor: str) -> tuple[int, int]:
    """Bit masks of the left and right foot's sensor points: "heel", "toe", "any" or the rest of a point's name, such as
    "under_ankle" for left_under_ankle and right_under_ankle."""
    names = [p.name for p in types.compiled.points]
    masks = []
    for side in ("left", "right"):
        leg = figure.legs[side]  # type: ignore[index]
        named = tuple(name for name in leg.sole if name == f"{side}_{sensor}")
        chosen = {"heel": leg.heel, "toe": leg.toe, "any": leg.sole}.get(sensor, named)
        if not chosen:
            points = [name.removeprefix(f"{side}_") for name in leg.sole]
            raise FootfallError(f"balance sensor is '{sensor}'; choose one of: heel, toe, any, {', '.join(points)}")
        masks.append(sum(1 << names.index(name) for name in chosen))
    return masks[0], masks[1]


class SimbiconLaw(Law):
    """A balanced pose control graph on a planar figure."""

    def __init__(self, graph: PoseControlGraph, figure: Figure) -> None:
        self.graph, self.figure = graph, figure
        self.table = GraphTable(graph, figure)

    @property
    def key(self) -> Any:
        """What the Warp function depends on besides the figure."""
        return ("simbicon", self.graph.balance.reference, self.graph.balance.sensor, tuple(self.table.slots))

    @property
    def memory(self) -> NDArray[np.float64]:
        """[2] the graph's state and the time since it was entered."""
        return np.array([float(self.graph.start.state if self.graph.start else 0), 0.0])

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP] the graph's row."""
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
        where = {"heel": "heel", "toe": "toe"}.get(self.graph.balance.reference)
        if where is None:
            raise FootfallError(f"balance reference is '{self.graph.balance.reference}'; choose 'heel' or 'toe'")
        left_foot, right_foot = (3 * names.index(getattr(figure.legs[s], where)[0]) for s in ("left", "right"))
        left_mask, right_mask = foot_masks(types, figure, self.graph.balance.sensor)
        zero, half = real(0.0), real(0.5)

        @wp.func
        def simbicon(
            sense: wp.ref[Sense],  # type: ignore[valid-type]
            memory: wp.ref[Memory],  # type: ignore[valid-type]
            parameters: wp.array2d[real],  # type: ignore[valid-type]
            row: int,
            command: wp.ref[Command],  # type: ignore[valid-type]
        ):
            state = int(memory[0])
            clock = memory[1] + sense.dt
            base = first_state + width * state
            right_stance = parameters[row, base + 3] > zero
            foot = sense.seen_position[left_foot]
            if right_stance:
                foot = sense.seen_position[right_foot]
            d = sense.seen_qpos[0] - foot
            v = sense.seen_qvel[0] - parameters[row, 0]
            torso = sense.seen_qpos[2]
            torso_rate = sense.seen_qvel[2]
            torso_torque = zero
            for i in range(wp.static(count)):
                at = base + n_exit + n_target * i
                servo = first_servo + n_servo * i
                target = (
                    parameters[row, at]
                    + parameters[row, at + 1] * d
                    + parameters[row, at + 2] * v
                    + parameters[row, at + 3] * sense.rise
                )
                kp = parameters[row, servo]
                kd = parameters[row, servo + 1]
                if wp.static(i == 0):
                    torso_torque = kp * (target - torso) - kd * torso_rate
                else:
                    angle = sense.qpos[wp.static(dofs[i])]
                    rate = sense.qvel[wp.static(dofs[i])]
                    ahead = zero
                    if wp.static(hips[i]):
                        target = wp.clamp(target, parameters[row, 1], parameters[row, 2])
                        angle += torso
                        rate += torso_rate
                    else:
                        if wp.static(implicit):
                            ahead = sense.dt
                    command.torque[wp.static(dofs[i])] = kp * (target - angle - ahead * rate) - kd * rate
                    command.stiffness[wp.static(dofs[i])] = ahead * (kd + kp * ahead)
            if right_stance:
                command.torque[right_hip] = -torso_torque - command.torque[left_hip]
            else:
                command.torque[left_hip] = -torso_torque - command.torque[right_hip]

            for i in range(wp.static(count)):
                if wp.static(i > 0):
                    servo = first_servo + n_servo * i
                    angle = sense.qpos[wp.static(dofs[i])]
                    torque = command.torque[wp.static(dofs[i])]
                    if parameters[row, 3] > zero:
                        beyond = wp.min(parameters[row, servo + 4] - angle, zero)
                        beyond += wp.max(parameters[row, servo + 3] - angle, zero)
                        if beyond != zero:
                            torque = parameters[row, 3] * beyond - parameters[row, 4] * sense.qvel[wp.static(dofs[i])]
                            command.stiffness[wp.static(dofs[i])] = zero
                    limit = parameters[row, servo + 2]
                    if wp.abs(torque) > limit:
                        torque = wp.clamp(torque, -limit, limit)
                        command.stiffness[wp.static(dofs[i])] = zero
                    command.torque[wp.static(dofs[i])] = torque

            command.state = state
            command.stance = wp.where(right_stance, 1, 0)
            command.signals[0] = d
            command.signals[1] = v
            command.signals[2] = command.torque[left_hip]
            if right_stance:
                command.signals[2] = command.torque[right_hip]
            command.signals[3] = torso_torque

            leave = clock > parameters[row, base] - half * sense.dt
            if parameters[row, base + 1] > zero:
                mask = right_mask
                if right_stance:
                    mask = left_mask
                leave = leave and (sense.seen_contact & mask) != 0
            if leave:
                memory[0] = parameters[row, base + 2]
                memory[1] = zero
            else:
                memory[1] = clock

        return simbicon
