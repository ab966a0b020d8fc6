"""SIMBICON's law as one Warp function, in the order of the paper (section 3).

Each stage is made of parts (:mod:`footfall.methods.simbicon.parts`); what only some controllers have (a cycle, stiffer
servos after impacts, learned torques, exact stable PD, recovery) is a part more in the stage that it belongs to.
"""

from collections.abc import Sequence

import warp as wp

from footfall.control.law import Types
from footfall.control.parts.frame import observe_function
from footfall.control.parts.now import NowParts, in_order, now_functions
from footfall.control.parts.state_machine import advance_function, sensor_masks
from footfall.methods.simbicon.parts.cycle import cycle_function
from footfall.methods.simbicon.parts.error_learning import learning_functions
from footfall.methods.simbicon.parts.hip_coupling import couple_hips_function
from footfall.methods.simbicon.parts.joints import joint_function
from footfall.methods.simbicon.parts.learned_torques import learned_torques_function
from footfall.methods.simbicon.parts.limits import limit_function
from footfall.methods.simbicon.parts.reaction import feel_impact_function, raise_gain_function
from footfall.methods.simbicon.parts.record import record_function
from footfall.methods.simbicon.parts.recovery import recovery_function
from footfall.methods.simbicon.parts.stance_hip import stance_hip_function
from footfall.methods.simbicon.parts.swing_hip import swing_hip_function
from footfall.methods.simbicon.parts.torso import torso_function, turn_heading_function
from footfall.methods.simbicon.plan import SimbiconPlan
from footfall.methods.simbicon.signals import LEARNING_SIGNALS, SIGNALS, signal_names


def simbicon_function(
    types: Types, plan: SimbiconPlan, *, now: NowParts | None = None, before: Sequence[wp.Function] = ()
) -> wp.Function:
    """The law as a Warp function.

    Args:
        types, plan: what it is built from.
        now: how it reads its parameters; by default as the row has them. before: parts that come before all others.
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
    real, Sense, Memory, Command = types.real, types.Sense, types.Memory, types.Command

    @wp.func
    def simbicon(
        sense: wp.ref[Sense],
        memory: wp.ref[Memory],
        parameters: wp.array2d[real],
        row: int,
        command: wp.ref[Command],
    ):
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
