"""What the law records of itself: its state and stance, balance and torques as signals, and when turning over is meant.

Recording changes nothing that the law does.
"""

import warp as wp

from footfall.control.law import Types
from footfall.control.parts import NowParts
from footfall.control.rows import StateField
from footfall.control.slots import CORONAL, SAGITTAL, TRANSVERSE
from footfall.methods.simbicon.parts.sight import RISE
from footfall.methods.simbicon.plan import SPATIAL_SIGNALS, SimbiconPlan, signal_names


def record_function(types: Types, plan: SimbiconPlan, now: NowParts) -> wp.Function:
    """A part that records what the plan's signals name."""
    zero = types.real(0.0)
    of_state, sees, spatial, turns_over = now.of_state, plan.sees, plan.spatial, plan.turns_over
    left_hip, right_hip = (plan.hip(side, SAGITTAL).dof for side in ("left", "right"))
    place = {name: i for i, name in enumerate(signal_names(plan))}
    d, v, stance_hip, torso, rise = (place[n] for n in ("d", "v", "stance_hip_torque", "torso_torque", "rise"))
    d_side, v_side, roll, yaw = (place.get(name, 0) for name in SPATIAL_SIGNALS)

    @now.part
    def record(now, sense, memory, command):
        command.state = now.state
        command.stance = wp.where(now.right_stance, 1, 0)
        command.signals[d] = now.d[SAGITTAL]
        command.signals[v] = now.v[SAGITTAL]
        command.signals[stance_hip] = wp.where(now.right_stance, command.torque[right_hip], command.torque[left_hip])
        command.signals[torso] = now.torso_torque[SAGITTAL]
        if wp.static(sees):
            command.signals[rise] = sense.view[RISE]
        if wp.static(spatial):
            command.signals[d_side] = now.d[CORONAL]
            command.signals[v_side] = now.v[CORONAL]
            command.signals[roll] = now.torso_torque[CORONAL]
            command.signals[yaw] = now.torso_torque[TRANSVERSE]
        if wp.static(turns_over):
            command.turning_over = of_state(now, StateField.TURNS_OVER) > zero

    return record
