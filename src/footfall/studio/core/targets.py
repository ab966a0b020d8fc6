"""Which parameter a joint's angle stands for."""

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph

__all__ = ["role_of"]


def role_of(graph: PoseControlGraph, figure: Figure, index: int, joint: str) -> str:
    """The name under which a state's targets hold a joint: its role where the state speaks in roles, else its own."""
    state = graph.states[index]
    for role in state.targets:
        if role != "torso" and figure.joint_for(role, state.stance) == joint:
            return role
    for role in (f"{phase}_{part}" for part in figure.roles for phase in ("swing", "stance")):
        if any(name.startswith(("swing_", "stance_")) for name in state.targets) and (
            figure.joint_for(role, state.stance) == joint
        ):
            return role
    return joint
