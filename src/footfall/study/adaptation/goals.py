"""Which numbers of a controller are free on a body, and within which limits: for any pose control graph."""

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.study.adaptation.body_facts import body_mass, hip_height
from footfall.study.adaptation.scaling import Scales
from footfall.study.gaits.goal import Goal

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
    ("waist_pitch", "waist_roll"),
)
WEAKER, STRONGER = 0.2, 5.0
"""Limits of kp, as shares of what it is at first."""
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

    known = {*figure.roles, *(joint.name for joint in figure.joints), "torso", *(("torso_roll",) if spatial else ())}
    groups = tuple(tuple(name for name in group if name in known) for group in GAINS)
    table = GraphTable(graph, figure)
    first = {f"{group[0]}.kp": table.value(f"{group[0]}.kp") for group in groups if group}
    limits = {path: (WEAKER * kp, STRONGER * kp) for path, kp in first.items()}
    limits |= {"torso.angle": LEAN, "torso_roll.angle": LEAN}
    for role in (r for r in ANGLES if r.endswith(("_knee", "_ankle")) and there(r)):
        joint = figure.joint(figure.joint_for(role, "left"))
        limits[f"{role}.angle"] = (joint.lower, joint.upper)
    shared = tuple(role for role in SHARED if there(role))
    return Goal(
        name=graph.name,
        base=graph.name,
        groups=_groups(graph, shared),
        angles=tuple(role for role in ANGLES if role in spoken and there(role)),
        feedback=tuple(role for role in FEEDBACK if there(role)),
        shared=shared,
        gains=tuple(group for group in groups if group),
        numbers={"speed": SPEED_STEP * scales.time},
        limits=limits,
    )


def _groups(graph: PoseControlGraph, shared: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The states whose feedback of ``shared`` roles is the same and stays so: those of a step, of a recovery, of a
    stand."""
    groups: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for label, state in zip(graph.labels, graph.states, strict=True):
        targets = [state.targets.get(role) for role in shared]
        feedback = tuple((0.0, 0.0) if target is None else (target.c_d, target.c_v) for target in targets)
        groups.setdefault(feedback, []).append(label)
    return tuple(tuple(labels) for labels in groups.values())
