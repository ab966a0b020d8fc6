"""The plain servo law: every joint tracks its target in the graph's current state (Laszlo 1996, section 2.3).

    τ = kp (target - q) - kd q'

States end by time, by contact of the swing or the stance foot, or by both. A graph of one state holds a pose.

Under the law "torso-servo" the joint that carries the torso on the root (a waist) tracks its target against the world
instead of against the pelvis (Laszlo 1996, section 3.8): with θ the root's lean about the joint's axis,

    τ = kp (target - q - θ) - kd (q' + θ')

so that its target is the torso's lean from the vertical. It stays explicit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import (
    advance_function,
    limited,
    limited_stiffness,
    now_functions,
    root_pitch,
    sensor_masks,
    servo_stiffness,
    servo_torque,
)
from footfall.control.rows import MACHINE, MemoryLayout, RowLayout
from footfall.control.slots import SAGITTAL, Slot
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.table import GraphTable


@dataclass(frozen=True)
class PoseServoPlan:
    """All that the Warp function depends on besides the figure; the kernel's key.

    Attributes:
        layout: of the row.
        slots: what is driven.
        sensor: the points that sense contact.
        upright: the slot that tracks against the world; -1 for none.
    """

    layout: RowLayout
    slots: tuple[Slot, ...]
    sensor: str
    upright: int

    @property
    def memory(self) -> MemoryLayout:
        return MemoryLayout(tuple((name, 1) for name in MACHINE))


class PoseServoLaw(GraphLaw):
    """A pose control graph tracked joint by joint, or several of which the first one starts.

    Limbs pass through each other, as in the thesis.
    """

    solid = False

    def __init__(self, graph: PoseControlGraph | Sequence[PoseControlGraph], figure: Figure) -> None:
        self.figure = figure
        self.table = GraphTable(graph, figure)
        upright = self._waist() if self.graph.law == "torso-servo" else -1
        self.plan = PoseServoPlan(self.table.layout, self.table.slots, self.graph.balance.sensor, upright)

    def _waist(self) -> int:
        """The slot of the joint that carries the torso on the root."""
        figure, torso = self.figure, self.figure.body(self.figure.torso)
        slots = [i for i, slot in enumerate(self.table.slots) if slot.name in torso.joints]
        alone = len(torso.joints) == 1 and len(slots) == 1 and self.table.slots[slots[0]].plane == SAGITTAL
        if figure.root != "free" or torso.parent != 0 or not alone:
            raise FootfallError(
                f"controller '{self.graph.name}': law 'torso-servo' needs a torso that one pitch joint carries "
                f"on a free pelvis; figure '{figure.name}' has none"
            )
        return slots[0]

    def build(self, types: Types) -> wp.Function:
        return pose_servo_function(types, self.plan)


def pose_servo_function(types: Types, plan: PoseServoPlan) -> wp.Function:
    """The law as a Warp function."""
    real, slots, upright = types.real, plan.slots, plan.upright
    implicit, count = types.implicit, len(slots)
    dofs, places = tuple(slot.dof for slot in slots), tuple(slot.qpos for slot in slots)
    turn = real(slots[upright].turn)
    now = now_functions(types, plan.layout)
    Now, enter, read_servo, read_target = now.Now, now.enter, now.read_servo, now.read_target
    advance = advance_function(types, now, plan.layout, plan.memory, sensor_masks(types, plan.sensor))
    state_ = plan.memory["state"]
    zero = real(0.0)

    @types.part
    def pose_servo(sense, memory, parameters, row, command):
        now = Now()
        enter(int(memory[state_]), parameters, row, now)
        for i in range(wp.static(count)):
            servo = read_servo(now, i)
            angle = sense.qpos[wp.static(places[i])]
            rate = sense.qvel[wp.static(dofs[i])]
            ahead = zero
            if wp.static(i == upright):
                angle += turn * root_pitch(sense.qpos[3], sense.qpos[4], sense.qpos[5], sense.qpos[6])
                rate -= turn * sense.qvel[4]
            elif wp.static(implicit):
                ahead = sense.dt
            error = read_target(now, i).angle - angle
            torque = servo_torque(servo.kp, servo.kd, error, rate, ahead)
            stiffness = servo_stiffness(servo.kp, servo.kd, ahead)
            command.torque[wp.static(dofs[i])] = limited(torque, servo.torque_limit)
            command.stiffness[wp.static(dofs[i])] = limited_stiffness(stiffness, torque, servo.torque_limit)
        command.state = now.state
        command.stance = wp.where(now.right_stance, 1, 0)
        advance(now, sense, memory, command)

    return pose_servo
