"""Controllers that learn their torso's torques, and those that have learned (SIMBICON, section 6).

The law does the learning as it walks (:mod:`footfall.methods.simbicon.parts.error_learning`); a controller with learned
torques is a controller like any other.
"""

import numpy as np
from numpy.typing import NDArray

from footfall.control.slots import LEG, learning_order, slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.anticipation import Anticipation
from footfall.methods.simbicon.graph import FeedForward, PoseControlGraph
from footfall.methods.simbicon.plan import memory_layout

__all__ = ["FORWARD_LIMIT", "LEARNING_RATE", "STRIDE_LIMIT", "learned", "learner", "stride_learned", "stride_learner"]

LEARNING_RATE = 0.1
"""α of equation 2."""

FORWARD_LIMIT = 300.0
"""The default limit of the feed-forward torque, newton metres: kp times 1 rad (the paper has 0.2 rad in space)."""

STRIDE_LIMIT = 0.2
"""The paper's limit in space, radians times kp (section 7.2)."""


def learner(
    graph: PoseControlGraph, *, bins: int = 200, rate: float = LEARNING_RATE, limit: float = FORWARD_LIMIT
) -> PoseControlGraph:
    """A controller that learns, from the torques it has or from none.

    Args:
        graph: the controller.
        bins: N, over one step.
        rate: α of equation 2.
        limit: the largest feed-forward torque, newton metres.
    """
    if not 1 <= bins <= 1000:
        raise FootfallError(f"bins is {bins}; choose from 1 to 1000")
    known = graph.feedforward
    torque = (0.0,) * bins if known is None or len(known.torque) != bins else known.torque
    return graph.changed(feedforward=FeedForward(torque, rate, limit, known.period if known else 0.0))


def learned(graph: PoseControlGraph, memory: NDArray[np.float64]) -> PoseControlGraph:
    """The controller with the torques that one world's memory [M] has come to, for use without further learning."""
    if graph.feedforward is None:
        raise FootfallError(f"controller '{graph.name}' does not learn; make it a learner first")
    layout = memory_layout(len(graph.feedforward.torque))
    torque = tuple(round(float(x), 4) for x in memory[layout["learned_0"] :])
    period = round(max(float(memory[layout["learning_period"]]), 0.0), 6)
    return graph.changed(feedforward=FeedForward(torque, 0.0, graph.feedforward.limit, period))


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
    those of the legs.

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
    return graph.changed(anticipation=Anticipation(bins, rate, limit, 0.0, joints, shifts))


def stride_learned(graph: PoseControlGraph, figure: Figure, memory: NDArray[np.float64]) -> PoseControlGraph:
    """The controller with the torques that one world's memory [M] has come to, for use without further learning."""
    known = graph.anticipation
    if known is None:
        raise FootfallError(f"controller '{graph.name}' does not learn; make it a learner first")
    slots = slots_of(figure, balanced=True, where=f"controller '{graph.name}'")
    names, legs = learning_order(slots, known.joints)
    layout = memory_layout(0, known.bins, len(names), legs)
    width = 2 * known.bins

    def table(first: int, names: list[str]) -> dict[str, tuple[float, ...]]:
        parts = memory[first : first + width * len(names)].reshape(-1, width)
        return {name: tuple(round(float(x), 4) for x in part) for name, part in zip(names, parts, strict=True)}

    joints = table(layout["stride_torque_0"], names)
    shifts = table(layout["stride_shift_0"], names[-legs:]) if legs else {}
    period = round(max(float(memory[layout["stride_period"]]), 0.0), 6)
    return graph.changed(anticipation=Anticipation(known.bins, 0.0, known.limit, period, joints, shifts))
