"""Which controllers limit-cycle control can balance, and which of their perturbations fit them."""

from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle.perturbation import Perturbation
from footfall.methods.limit_cycle.perturbation_files import load_perturbation
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable

HIPS = ("hip-pitch", "hip-roll")
"""The perturbations that balance a step forward and sideways."""


def can_be_balanced(graph: PoseControlGraph, figure: Figure) -> bool:
    """Whether limit-cycle control can balance a graph of servos: a free pelvis, two legs, steps on either of them."""
    if figure.root != "free" or len(figure.legs) != 2:
        return False
    table = GraphTable(graph, figure)
    stances = {written.state.stance for written in table.states}
    return len(stances) == 2 and set(HIPS) <= set(fitting_perturbations(table, HIPS))


def fitting_perturbations(table: GraphTable, names: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """What perturbations add to a controller's row [NP], for those that have its joints and its number of states."""
    found = {}
    for name in names:
        try:
            found[name] = builtin_perturbation(name).delta(table)
        except FootfallError:
            continue
    return found


@cache
def builtin_perturbation(name: str) -> Perturbation:
    """A built-in perturbation, read once."""
    return load_perturbation(name)


def has_waist(figure: Figure) -> bool:
    """Whether a figure has the waist that a torso servo needs."""
    torso = figure.body(figure.torso)
    return torso.parent == 0 and len(torso.joints) == 1 and figure.joint(torso.joints[0]).plane == "pitch"


def with_torso_servo(graph: PoseControlGraph, held: bool) -> PoseControlGraph:
    """The graph with its torso held against the world, or with plain servos alone."""
    return graph.changed(law="torso-servo" if held else "servo")
