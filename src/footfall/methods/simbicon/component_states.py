"""Controllers whose states are principal components of their own motion (Improving SIMBICON, section IV.C).

The first component of a walk's motion is much like the pose that its state 0 aims at, with its mirror image for
state 2. A graph's state poses can be replaced by the mean pose plus a component.
"""

from collections.abc import Mapping
from dataclasses import replace

from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph, Target


def with_pose(graph: PoseControlGraph, figure: Figure, state: int, pose: Mapping[str, float]) -> PoseControlGraph:
    """A graph with one state's target angles replaced; feedback gains and the way out stay.

    Args:
        graph: the controller.
        figure: its figure.
        state: which state, as written.
        pose: angles by joint name, and the torso's; a swing hip's angle is against the torso, and becomes one against
            the world.
    """
    if not 0 <= state < len(graph.states):
        raise FootfallError(f"controller '{graph.name}' has states 0 to {len(graph.states) - 1}; there is no {state}")
    old = graph.states[state]
    torso = pose.get("torso", pose.get("torso_pitch", 0.0))
    targets: dict[str, Target] = {}
    for role, target in old.targets.items():
        name = "torso" if role == "torso" else figure.joint_for(role, old.stance)
        angle = torso if role == "torso" else pose.get(name)
        if angle is None:
            targets[role] = target
            continue
        hip = role != "torso" and name in (*figure.legs["left"].hip, *figure.legs["right"].hip)
        targets[role] = replace(target, angle=float(angle + (torso if hip and kind_of(graph).usual.feedback else 0.0)))
    states = list(graph.states)
    states[state] = replace(old, targets=targets)
    return replace(graph, states=tuple(states))
