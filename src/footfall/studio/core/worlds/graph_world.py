"""The world of pose control graphs: a figure under SIMBICON, or under servos.

A controller's numbers are replaced in the running simulation; another number of states makes a new simulation that
goes on in the state of the same number and stance foot.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.control.rows import GraphField
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.sequence import request
from footfall.methods.simbicon.target_pose import target_qpos
from footfall.studio.core.history.history import SIGNALS
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.state_names import state_at, state_name
from footfall.studio.core.worlds.world import Leading, World

__all__ = ["GraphWorld"]

Array = NDArray[np.float64]
LEADING = Leading(rate=0.3, ahead=0.5, around=3.6)
"""Of a spatial SIMBICON walker: a circle of 3.5 m radius at 1.05 m/s."""


class GraphWorld(World):
    """A figure under a repertoire of pose control graphs.

    Args:
        graphs: the controllers that it may go between; the first one starts.
        figure, setting, saved: as for every world.
    """

    graphs: tuple[PoseControlGraph, ...]

    def __init__(
        self,
        graphs: Sequence[PoseControlGraph],
        figure: Figure,
        setting: Setting | None = None,
        saved: PoseControlGraph | None = None,
    ) -> None:
        self._heading: float | None = None
        super().__init__(graphs, figure, setting, saved)

    # -- making simulations ----------------------------------------------------------------------------------------

    def _make_law(self, graphs: Sequence[PoseControlGraph]) -> Law:
        return kind_of(graphs[0]).shared_law(graphs, self.figure)

    def _rows(self) -> Array:
        found = super()._rows()
        if self._heading is not None:
            found[:, [self.table.layout.graph(g, GraphField.HEADING) for g in range(len(self.graphs))]] = self._heading
        return found

    def _carry(self, snapshot: dict[str, NDArray[Any]], count: int, old_law: Law, name: str | None) -> None:
        worlds = self.simulation.worlds
        state = self.law.plan.memory["state"]  # type: ignore[attr-defined]
        before, number, right = state_name(old_law, int(snapshot["memory"][0, state]))
        place = (name or before, number, right)
        if snapshot["memory"].shape[1] != len(self.law.memory):
            snapshot["memory"] = np.tile(self.law.memory, (worlds, 1))
        snapshot["memory"][0, state] = state_at(self.law, *place)
        if worlds > count:
            snapshot["memory"][1, state] = state_at(self._saved_law(), *place)

    # -- changing it -----------------------------------------------------------------------------------------------

    def edit(self, graph: PoseControlGraph) -> bool:
        """Put another version of one of the controllers in place; whether that took a new simulation."""
        graphs = tuple(graph if g.name == graph.name else g for g in self.graphs)
        law, old_law = self._make_law(graphs), self.law
        old, self.graphs, self.law = self.simulation, graphs, law
        anew = len(law.parameters) != len(old_law.parameters) or law.key != old_law.key
        if anew:
            self.saved = None
            self.simulation = self._build()
        else:
            self.simulation.set_parameters(self._rows())
        if anew or law.table.owners != old_law.table.owners:  # type: ignore[attr-defined]
            self._go_on(old, old_law)
        return anew

    def needs_kernel(self, graph: PoseControlGraph) -> bool:
        """Whether another version of one of the controllers needs a kernel to be compiled."""
        law = self._make_law([graph if g.name == graph.name else g for g in self.graphs])
        return len(law.parameters) != len(self.law.parameters) or law.key != self.law.key

    def prepare(self, graph: PoseControlGraph) -> None:
        """Compile what another version of one of the controllers needs; call it in a thread of its own."""
        GraphWorld([graph if g.name == graph.name else g for g in self.graphs], self.figure, self.setting)

    def prepare_setting(self, setting: Setting) -> None:
        """Compile what another setting needs; call it in a thread of its own."""
        GraphWorld(self.graphs, self.figure, setting)

    @property
    def leading(self) -> Leading | None:
        """A spatial SIMBICON walker turns to a heading."""
        return LEADING if self.figure.root == "free" and self.graphs[0].law == "simbicon" else None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians, whatever its controllers say."""
        turned = float(self._remembered("turned"))
        self._heading = heading - turned
        self.simulation.set_parameters(self._rows())

    def request(self, name: str) -> None:
        """Ask for another controller of the repertoire; it takes over when a state ends and it has a matching state."""
        if len(self.graphs) == 1:
            super().request(name)
        request(self.simulation, name)
        self._note(self.simulation.snapshot())

    # -- what it is doing --------------------------------------------------------------------------------------------

    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array:
        """[nq] the pose that the present state asks for, balance feedback included."""
        return self._target(*self.where(), qpos, balance)

    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        wanted = np.array(qpos, dtype=float)
        for i, code in enumerate(states):
            balance = dict(zip(SIGNALS, np.nan_to_num(signals[i]).tolist(), strict=True))
            wanted[i] = self._target(*self.decode(int(code)), wanted[i], balance)
        return wanted

    def _target(self, name: str, number: int, right: bool, qpos: Array, balance: Mapping[str, float]) -> Array:
        state = self.state_in(name, number, right=right)
        return self.asked(state, target_qpos(self.table, state, qpos, balance))

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A state (the present one) as (controller, number as written, whether the right leg is in stance)."""
        return state_name(self.law, int(self._remembered("state")) if state is None else state)

    def _remembered(self, name: str) -> float:
        """A number that the law remembers of the first world."""
        column: int = self.law.plan.memory[name]  # type: ignore[attr-defined]
        return float(self.state["memory"][0, column])

    def requested(self) -> str | None:
        """The controller that was asked for and has not come yet."""
        wanted = int(self._remembered("request"))
        return None if wanted < 0 else self.graphs[wanted].name

    def asked(self, state: int, pose: Array) -> Array:
        """[nq] the pose that a written-out state asks for at this moment, given what it says as written."""
        return pose

    def active(self) -> PoseControlGraph:
        """The controller that drives it now."""
        name = self.where()[0]
        return next(g for g in self.graphs if g.name == name)

    @property
    def table(self) -> Any:
        """The law's table, which holds all controllers."""
        return self.law.table  # type: ignore[attr-defined]

    def state_in(self, name: str, number: int, *, right: bool) -> int:
        """The law's state of a controller with a number as written and a stance side."""
        return state_at(self.law, name, number, right)
