"""The plain servo law: every joint tracks its target in the graph's current state (paper 002 §2.3).

    τ = kp (target - q) - kd q'

States end by time, by contact of the swing or the stance foot, or by both. A graph of one state holds a pose.

Under the law "torso-servo" the joint that carries the torso on the root (a waist) tracks its target against the world
instead of against the pelvis (paper 002 §3.8): with θ the root's pitch about the joint's axis,

    τ = kp (target - q - θ) - kd (q' + θ')

so that its target is the torso's lean from the vertical. It stays explicit.
"""

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.balance import foot_masks
from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law, Types
from footfall.control.table import EXIT, SERVO, TARGET, GraphTable
from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = ["ServoLaw"]


class ServoLaw(Law):
    """A pose control graph tracked joint by joint."""

    def __init__(self, graph: PoseControlGraph, figure: Figure) -> None:
        self.graph, self.figure = graph, figure
        self.table = GraphTable(graph, figure)

    @property
    def key(self) -> Any:
        """What the Warp function depends on besides the figure."""
        return (self.graph.law, self.graph.balance.sensor, tuple(self.table.slots))

    @property
    def memory(self) -> NDArray[np.float64]:
        """[2] the graph's state and the time since it was entered."""
        return np.array([float(self.graph.start.state if self.graph.start else 0), 0.0])

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP] the graph's row."""
        return self.table.row

    def _waist(self) -> int:
        """The slot of the joint that carries the torso on the root."""
        figure, torso = self.figure, self.figure.body(self.figure.torso)
        names = torso.joints
        if figure.root != "free" or torso.parent != 0 or len(names) != 1 or figure.joint(names[0]).plane != "pitch":
            raise FootfallError(
                f"controller '{self.graph.name}': law 'torso-servo' needs a torso that one pitch joint carries "
                "on a free "
                f"pelvis; figure '{figure.name}' has none"
            )
        return self.table.slots.index(names[0])

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        table, figure, real, implicit = self.table, self.figure, types.real, types.implicit
        Sense, Memory, Command = types.Sense, types.Memory, types.Command
        count = len(table.slots)
        first_servo, first_state, width = table.first_servo, table.first_state, table.width
        n_servo, n_exit, n_target = len(SERVO), len(EXIT), len(TARGET)
        dofs = tuple(table.dofs)
        places = tuple(next(j.qpos for j in figure.joints if j.dof == d) for d in dofs)
        left_mask, right_mask = foot_masks(types, figure, self.graph.balance.sensor) if figure.legs else (0, 0)
        zero, half, one, two = real(0.0), real(0.5), real(1.0), real(2.0)
        upright = self._waist() if self.graph.law == "torso-servo" else -1
        turn = real(float(np.sign(figure.joint(table.slots[upright]).axis[1])))

        @wp.func
        def servo_law(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            state = int(memory[0])
            clock = memory[1] + sense.dt
            base = first_state + width * state
            ahead = zero
            if wp.static(implicit):
                ahead = sense.dt
            for i in range(wp.static(count)):
                servo = first_servo + n_servo * i
                kp = parameters[row, servo]
                kd = parameters[row, servo + 1]
                limit = parameters[row, servo + 2]
                angle = sense.qpos[wp.static(places[i])]
                rate = sense.qvel[wp.static(dofs[i])]
                soon = ahead
                if wp.static(i == upright):
                    w = sense.qpos[3]
                    x = sense.qpos[4]
                    y = sense.qpos[5]
                    z = sense.qpos[6]
                    angle -= turn * wp.atan2(two * (x * z - w * y), one - two * (x * x + y * y))
                    rate += turn * sense.qvel[4]
                    soon = zero
                torque = kp * (parameters[row, base + n_exit + n_target * i] - angle - soon * rate) - kd * rate
                stiffness = soon * (kd + kp * soon)
                if wp.abs(torque) > limit:
                    torque = wp.clamp(torque, -limit, limit)
                    stiffness = zero
                command.torque[wp.static(dofs[i])] = torque
                command.stiffness[wp.static(dofs[i])] = stiffness
            command.state = state
            command.stance = int(parameters[row, base + 3])
            leave = clock > parameters[row, base] - half * sense.dt
            if parameters[row, base + 1] > zero:
                mask = right_mask
                if (parameters[row, base + 3] > zero) != (parameters[row, base + 1] > one):
                    mask = left_mask
                leave = leave and (sense.seen_contact & mask) != 0
            if leave:
                memory[0] = parameters[row, base + 2]
                memory[1] = zero
            else:
                memory[1] = clock

        return servo_law
