"""Whose dynamics a simulation runs: footfall's own, and what another engine puts in its place."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.simulation.trace import Trace


class NativeEngine:
    """footfall's own dynamics: nothing comes from outside."""

    engine = "native"
    boxes: tuple[Any, ...] = ()
    """Things in a scene that move by themselves."""
    device: Any

    def _outside(self, compiled: CompiledFigure) -> wp.Function | None:
        """Another engine's dynamics, in place of the figure's own."""
        return None

    def _with_contacts(self, trace: Trace) -> Trace:
        """A trace with the forces of contacts that another engine found."""
        return trace

    def _outside_when_fallen(self, compiled: CompiledFigure) -> wp.Function | None:
        """The same for a body that has fallen."""
        return None

    def _scene(self) -> AbstractContextManager[Any]:
        """[rows, addresses] of another engine's scenes, for one launch."""
        return nullcontext(wp.empty((0, 0), dtype=wp.uint64, device=self.device))

    def _scene_when_fallen(self) -> AbstractContextManager[Any]:
        """The same for bodies that have fallen."""
        return self._scene()
