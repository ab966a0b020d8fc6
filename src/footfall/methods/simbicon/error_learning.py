"""Controllers that learn torques, and those that have learned (SIMBICON, sections 6 and 7.2).

The law does the learning as it walks (:mod:`footfall.methods.simbicon.parts.learned_torques`); a controller with
learned torques is a controller like any other.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.control.slots import LEG, TORSO, slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.feedforward import FeedForward
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw

LEARNING_RATE = 0.1
"""α of equation 2."""

FORWARD_LIMIT = 300.0
"""The default limit of the feed-forward torque, newton metres: kp times 1 rad (the paper has 0.2 rad in space)."""

STRIDE_LIMIT = 0.2
"""The paper's limit in space, radians times kp (section 7.2)."""


def learner(
    graph: PoseControlGraph, *, bins: int = 200, rate: float = LEARNING_RATE, limit: float = FORWARD_LIMIT
) -> PoseControlGraph:
    """A controller that learns the torso's torque in the sagittal plane over a step, from the torques it has or from
    none.

    Args:
        graph: the controller.
        bins: N, over one step.
        rate: α of equation 2.
        limit: the largest feed-forward torque, newton metres.
    """
    if not 1 <= bins <= 1000:
        raise FootfallError(f"bins is {bins}; choose from 1 to 1000")
    known = graph.feedforward
    if known is not None and known.over == "step" and known.bins == bins and set(known.joints) == {TORSO}:
        return graph.changed(feedforward=replace(known, rate=rate, limit=limit, limit_angle=math.inf))
    period = known.period if known else 0.0
    torques = {TORSO: (0.0,) * bins}
    return graph.changed(feedforward=FeedForward(bins, "step", rate, limit, period=period, joints=torques))


def stride_learner(
    graph: PoseControlGraph,
    figure: Figure,
    *,
    bins: int,
    rate: float = LEARNING_RATE,
    limit: float = STRIDE_LIMIT,
    legs: bool = False,
) -> PoseControlGraph:
    """A walk in space that learns the torso's torques in its three planes, those of the upper body and, if asked to,
    those of the legs, over a stride.

    Args:
        graph: the controller. figure: whom it drives.
        bins: over one step.
        rate: α of equation 2.
        limit: the largest feed-forward torque, radians times the servo's kp.
        legs: whether the legs learn too: for walks from captured motion, whose targets are smooth within a step.
    """
    if legs and graph.cycle is None:
        raise FootfallError(
            f"controller '{graph.name}': its legs cannot learn, since its targets jump between states; "
            "walks from captured motion can (footfall imitate --law simbicon)"
        )
    slots = slots_of(figure, balanced=True, where=f"controller '{graph.name}'")
    zeros = (0.0,) * (2 * bins)
    places = ("torso", "", *LEG) if legs else ("torso", "")
    joints = {slot.name: zeros for slot in slots if slot.place in places}
    shifts = {slot.name: zeros for slot in slots if legs and slot.place in LEG}
    known = FeedForward(bins, "stride", rate, limit_angle=limit, joints=joints, shifts=shifts)
    return graph.changed(feedforward=known)


def learned(graph: PoseControlGraph, figure: Figure, memory: NDArray[np.float64]) -> PoseControlGraph:
    """The controller with the torques that one world's memory [M] has come to, for use without further learning."""
    known = graph.feedforward
    if known is None:
        raise FootfallError(f"controller '{graph.name}' does not learn; make it a learner first")
    law = SimbiconLaw(graph, figure)
    layout, names = law.plan.memory, law.learners
    legs = law.plan.learning.legs if law.plan.learning else 0

    def table(place: str, names: list[str]) -> dict[str, tuple[float, ...]]:
        first = layout[place]
        parts = memory[first : first + known.phases * len(names)].reshape(len(names), known.phases)
        return {name: tuple(round(float(x), 4) for x in part) for name, part in zip(names, parts, strict=True)}

    period = round(max(float(memory[layout["learning_period"]]), 0.0), 6)
    joints = table("learned_torque", names)
    shifts = table("learned_shift", names[len(names) - legs :])
    return graph.changed(feedforward=replace(known, rate=0.0, period=period, joints=joints, shifts=shifts))
