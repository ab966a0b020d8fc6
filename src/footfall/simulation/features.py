"""What a rollout can do beyond walking: each is compiled into its kernel only where it is used."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """What a rollout can do beyond walking; each costs time in every step.

    Attributes:
        delayed: balance sees states some steps old and joints get torques some steps old.
        pausing: worlds stop before a given footstep.
        efforts: torques, accelerations and work are summed up.
        held: the law acts at a rate of its own, and its torques are held in between.
        noisy: the law senses states with errors.
        limited: motors give less torque the faster they turn.
        forces: what acts in a step is known to the recorder.
    """

    delayed: bool = False
    pausing: bool = False
    efforts: bool = True
    held: bool = False
    noisy: bool = False
    limited: bool = False
    forces: bool = False
