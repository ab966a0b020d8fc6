"""Which numbers of a controller are free on a body, and within which limits: for any pose control graph."""

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.study.adaptation.scaling import Scales, body_mass, hip_height
from footfall.study.gaits.goal import Goal

__all__ = ["PERSON", "free_goal", "person_scales"]

PERSON = (0.95, 85.0)
"""Hip height, metres, and mass, kilograms, of the person for whom :mod:`footfall.study.gaits` has steps and limits."""
ANGLES = (
    "torso",
    "torso_roll",
    "swing_hip",
    "swing_hip_roll",
    "swing_knee",
    "swing_ankle",
    "stance_knee",
    "stance_ankle",
)
FEEDBACK = ("swing_hip", "swing_hip_roll")
SHARED = ("torso", "torso_roll", "stance_ankle", "stance_ankle_roll", "swing_knee", "stance_knee")
GAINS = (
    ("hip_pitch", "hip_roll"),
    ("torso", "torso_roll"),
    ("knee",),
    ("ankle_pitch",),
    ("ankle_roll",),
)
KP = {"hip_pitch": (60.0, 2000.0), "torso": (100.0, 4000.0), "knee": (50.0, 2000.0), "ankle_pitch": (20.0, 1000.0)}
"""Limits of kp, of a person's body."""
ANKLE_ROLL = (10.0, 600.0)
LEAN = (-0.3, 0.3)
SPEED_STEP = 0.15


def person_scales(figure: Figure) -> Scales:
    """The ratios of a body to a person's."""
    return Scales(hip_height(figure) / PERSON[0], body_mass(figure) / PERSON[1])


def free_goal(graph: PoseControlGraph, figure: Figure) -> Goal:
    """A goal that says which numbers are free: times, target angles and feedback of legs and torso, gains, speed.

    Angles stay within the joints' ranges.
    """
    scales = person_scales(figure)
    spoken = {role for state in graph.states for role in state.targets}
    spatial = figure.root != "planar"

    def there(role: str) -> bool:
        if role.startswith("torso"):
            return spatial or role == "torso"
        return role.partition("_")[2] in figure.roles

    known = {*figure.roles, "torso", *(("torso_roll",) if spatial else ())}
    groups = tuple(tuple(name for name in group if name in known) for group in GAINS)
    limits = {f"{name}.kp": (scales.torque * low, scales.torque * high) for name, (low, high) in KP.items()}
    limits["ankle_roll.kp"] = (scales.torque * ANKLE_ROLL[0], scales.torque * ANKLE_ROLL[1])
    limits |= {"torso.angle": LEAN, "torso_roll.angle": LEAN}
    for role in (r for r in ANGLES if r.endswith(("_knee", "_ankle")) and there(r)):
        joint = figure.joint(figure.joint_for(role, "left"))
        limits[f"{role}.angle"] = (joint.lower, joint.upper)
    return Goal(
        name=graph.name,
        base=graph.name,
        angles=tuple(role for role in ANGLES if role in spoken and there(role)),
        feedback=tuple(role for role in FEEDBACK if there(role)),
        shared=tuple(role for role in SHARED if there(role)),
        gains=tuple(group for group in groups if group),
        numbers={"speed": SPEED_STEP * scales.time},
        limits=limits,
    )
