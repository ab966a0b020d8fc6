"""What the law tells of itself: its state and stance, balance and torques as signals, and when turning over is meant.

Recording changes nothing that the law does.
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts, in_order
from footfall.control.rows import StateField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE
from footfall.methods.simbicon.parts.sight import RISE
from footfall.methods.simbicon.plan import SIGNALS, SimbiconPlan, signal_names


def record_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that records what the plan's signals name."""
    chosen = [
        (True, _sagittal),
        (plan.sees, _rise),
        (plan.spatial, _sides),
        (plan.turns_over, _turning_over),
    ]
    return in_order(types, now, [make(types, plan, now) for wanted, make in chosen if wanted])


def _sagittal(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    left_hip, right_hip = (plan.hip(side, SAGITTAL).dof for side in ("left", "right"))
    d, v, stance_hip, torso = (SIGNALS.index(name) for name in ("d", "v", "stance_hip_torque", "torso_torque"))

    @wp.func
    def record_sagittal(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        command.state = now.state
        command.stance = wp.where(now.right_stance, 1, 0)
        command.signals[d] = now.d[SAGITTAL]
        command.signals[v] = now.v[SAGITTAL]
        command.signals[stance_hip] = wp.where(now.right_stance, command.torque[right_hip], command.torque[left_hip])
        command.signals[torso] = now.torso_torque[SAGITTAL]

    return record_sagittal


def _rise(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    rise = SIGNALS.index("rise")

    @wp.func
    def record_rise(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        command.signals[rise] = sense.view[RISE]

    return record_rise


def _sides(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    names = signal_names(plan)
    d, v, roll, yaw = (names.index(n) for n in ("d_side", "v_side", "torso_roll_torque", "torso_yaw_torque"))

    @wp.func
    def record_sides(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        command.signals[d] = now.d[CORONAL]
        command.signals[v] = now.v[CORONAL]
        command.signals[roll] = now.torso_torque[CORONAL]
        command.signals[yaw] = now.torso_torque[TRANSVERSE]

    return record_sides


def _turning_over(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command
    of_state, zero = now.of_state, types.real(0.0)

    @wp.func
    def tell_turning_over(now: wp.ref[Now], sense: wp.ref[Sense], memory: wp.ref[Memory], command: wp.ref[Command]):
        command.turning_over = of_state(now, StateField.TURNS_OVER) > zero

    return tell_turning_over
