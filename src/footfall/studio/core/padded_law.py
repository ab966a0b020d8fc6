"""SIMBICON's law with room to spare, so that an edited controller may gain states and controllers may come without
another kernel being compiled."""

from collections.abc import Sequence

import numpy as np

from footfall.control.balance import SimbiconLaw
from footfall.control.graph import PoseControlGraph
from footfall.control.transitions import Repertoire
from footfall.errors import FootfallError
from footfall.figures import Figure

__all__ = ["RoomyLaw"]

GRAPHS, STATES = 8, 128
"""Controllers and written-out states come in these amounts."""


class RoomyRepertoire(Repertoire):
    """A repertoire whose table of states is filled up with states that nothing leads to."""

    def __init__(self, graphs: Sequence[PoseControlGraph], figure: Figure) -> None:
        super().__init__(graphs, figure)
        states = len(self.entries)
        room = -(-states // STATES) * STATES - states
        end = self.first_entry
        self.first_entry = end + room * self.width
        self.entries = np.concatenate([self.entries, np.full((room, len(self.graphs)), -1)])
        self.row = np.concatenate([self.row[:end], np.zeros(room * self.width), self.entries.ravel().astype(float)])


class RoomyLaw(SimbiconLaw):
    """A repertoire of planar controllers, the first of which starts.

    Attributes:
        names: of the controllers that were given, without those that fill up.
    """

    def __init__(self, graphs: Sequence[PoseControlGraph], figure: Figure) -> None:
        self.names = [g.name for g in graphs]
        spare = graphs[0].changed(feedforward=None, reaction=None)
        count = -(-max(len(graphs), 2) // GRAPHS) * GRAPHS
        spares = [spare.changed(name=f"{spare.name} spare {i}") for i in range(count - len(graphs))]
        super().__init__([*graphs, *spares], figure)
        self.table = RoomyRepertoire(self.graphs, figure)

    def index(self, name: str) -> int:
        """Which controller has a name."""
        if name not in self.names:
            raise FootfallError(f"'{name}' is none of the controllers here: {', '.join(self.names)}")
        return self.names.index(name)
