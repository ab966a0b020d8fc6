"""Files of pose control graphs: one readable TOML text for each.

A file that was loaded and not changed saves back byte for byte; a changed or new one is written in one canonical form.

:func:`doubts_of` lists what in a file is likely a mistake: targets that do nothing, angles that no joint reaches.
"""

import math
from pathlib import Path

from footfall.control.kind import Start
from footfall.control.registry import load_controller
from footfall.control.slots import slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.feedforward import feedforward_section
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, keep_text, kept_text, print_table, read_table

SCHEMA = Schema(
    {
        PoseControlGraph: Form(noun="controller", always=("law", "symmetric")),
        State: Form(
            rest="targets",
            order=("name", "stance", "flight", "hold", "contact", "next", "exchange", "disturbed", "handover"),
        ),
        Target: Form(short="angle"),
        Start: Form(order=("state",), full=True),
    }
)
"""A state's targets stand beside its other keys, by joint; a bare number is a target's angle."""


def load_graph(source: str | Path | PoseControlGraph) -> PoseControlGraph:
    """A pose control graph by built-in name or from a ``.toml`` file (a graph passes through); other controllers are
    refused."""
    controller = load_controller(source)
    if not isinstance(controller, PoseControlGraph):
        raise FootfallError(
            f"controller '{controller.name}' is not a pose control graph; its law is '{controller.law}'"
        )
    return controller


def parse_graph(text: str, where: str = "controller text") -> PoseControlGraph:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    controller = read_table(feedforward_section(parse_toml(text, where), where), PoseControlGraph, where, SCHEMA)
    keep_text(controller, text)
    return controller


def print_graph(controller: PoseControlGraph) -> str:
    """The text of a controller's file."""
    return kept_text(controller, parse_graph) or print_table(controller, SCHEMA)


FARTHEST_JOINT = math.pi
FARTHEST_TORSO = 2.0 * math.pi
"""Radians: no joint turns farther, and no torso leans by more than a turn."""


def doubts_of(graph: PoseControlGraph, figure: Figure, *, balanced: bool) -> list[str]:
    """Likely mistakes, each beginning with its place behind the file's name.

    Args:
        graph: the controller. figure: that it drives.
        balanced: whether its law gives the stance hip what is left to balance the torso.
    """
    return [*_idle_hips(graph, figure, balanced), *_far_targets(graph), *_far_limits(graph), *_far_start(graph, figure)]


def _idle_hips(graph: PoseControlGraph, figure: Figure, balanced: bool) -> list[str]:
    """Targets of the stance hip; a pose that gives both hips by their joints' names means the swing hip, too."""
    if not balanced:
        return []
    hips = {slot.name: slot.side for slot in slots_of(figure, balanced=True, where="") if slot.place == "hip"}
    others = {a: b for pair in figure.sides.joints for a, b in (pair, pair[::-1])}
    found = []
    for label, state in zip(graph.labels, graph.states):
        for role in () if state.flight else state.targets:
            try:
                name = role if role in hips else figure.joint_for(role, state.stance)
            except FootfallError:
                continue
            if role in hips and others.get(role) in state.targets:
                continue
            if hips.get(name) == state.stance:
                found.append(
                    f", state {label}: {role} does nothing: law '{graph.law}' gives the stance hip the torque that "
                    "keeps the torso upright; lean the torso instead (torso = …)"
                )
    return found


def _far_targets(graph: PoseControlGraph) -> list[str]:
    found = []
    for label, state in zip(graph.labels, graph.states):
        for role, target in state.targets.items():
            if abs(target.angle) > (FARTHEST_TORSO if role.startswith("torso") else FARTHEST_JOINT):
                found.append(f", state {label}: {role} is {_in_radians(target.angle)}")
    return found


def _far_limits(graph: PoseControlGraph) -> list[str]:
    limits = {"hip_range": max(map(abs, graph.balance.hip_range)), "hip_roll_limit": graph.balance.hip_roll_limit}
    return [
        f", [balance]: {name} holds {_in_radians(value)}"
        for name, value in limits.items()
        if FARTHEST_JOINT < abs(value) < math.inf
    ]


def _far_start(graph: PoseControlGraph, figure: Figure) -> list[str]:
    if graph.start is None:
        return []
    hinges = [joint for joint in figure.joints if joint.kind == "hinge"]
    far = [(j.name, graph.start.qpos[j.qpos]) for j in hinges if abs(graph.start.qpos[j.qpos]) > FARTHEST_TORSO]
    return [f", [start]: {name} is {_in_radians(angle)}" for name, angle in far[:1]]


def _in_radians(angle: float) -> str:
    return f"{angle:g} rad, which no joint reaches; if these are degrees, write {math.radians(angle):.4g}"
