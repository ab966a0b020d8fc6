"""SIMBICON's law with spare capacity, so that an edited controller may gain states and controllers may come without
another kernel being compiled."""

from collections.abc import Sequence

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw

GRAPHS, STATES = 8, 128
"""Controllers and written-out states come in these amounts."""


class PaddedSimbiconLaw(SimbiconLaw):
    """Several controllers, the first of which starts, in a table that is filled up with states that nothing leads
    to."""

    def __init__(self, graphs: Sequence[PoseControlGraph], figure: Figure) -> None:
        states = sum(len(g.states) * (2 if g.symmetric else 1) for g in graphs)
        capacity = _rounded_up(len(graphs), GRAPHS), _rounded_up(states, STATES)
        super().__init__(graphs, figure, capacity=capacity)


def _rounded_up(count: int, amount: int) -> int:
    return -(-count // amount) * amount
