"""What SIMBICON's law records of itself at every step."""

from footfall.methods.simbicon.plan import SimbiconPlan

SIGNALS = ("d", "v", "stance_hip_torque", "torso_torque", "feedforward_torque", "rise")
"""Balance in the sagittal plane, the stance hip's and the torso's torque there with the part that was learned, the rise
of the ground ahead."""
SPATIAL_SIGNALS = ("d_side", "v_side", "torso_roll_torque", "torso_yaw_torque")
"""Besides on a spatial figure: balance in the coronal plane, the torso's other torques."""
LEARNING_SIGNALS = ("feedback", "feedforward")
"""Besides where torques are learned: the norms of both kinds of torque over all learners, newton metres."""
CYCLE_SIGNALS = ("phase",)
"""Besides of a controller with a cycle."""


def signal_names(plan: SimbiconPlan) -> tuple[str, ...]:
    """What the law of a plan records, in order."""
    return (
        *SIGNALS,
        *(SPATIAL_SIGNALS if plan.spatial else ()),
        *(LEARNING_SIGNALS if plan.learning else ()),
        *(CYCLE_SIGNALS if plan.layout.harmonics else ()),
    )
