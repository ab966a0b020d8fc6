"""The world of pose control graphs: a figure under SIMBICON, or under servos.

A controller's numbers are replaced in the running simulation; another number of states makes a new simulation that
goes on in the state of the same number and stance foot.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.control.rows import GraphField
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.sequence import request
from footfall.methods.simbicon.target_pose import target_qpos
from footfall.studio.core.history import SIGNALS
from footfall.studio.core.world import Can, Leading, World

Array = NDArray[np.float64]
LEADING = Leading(rate=0.3, ahead=0.5, around=3.6)
"""Of a spatial SIMBICON walker: a circle of 3.5 m radius at 1.05 m/s."""
STEADY = 0.3
"""Metres a second by which the desired speed may differ from a controller's own: most built-in walks then walk on."""


class GraphWorld(World):
    """A figure under a repertoire of pose control graphs."""

    controllers: tuple[PoseControlGraph, ...]
    switches = True

    @property
    def can(self) -> Can:
        """Its states are edited; the law decides whether it has a speed, turns and switches."""
        return Can(
            edit=True,
            feedback=bool(self.table.balanced),
            speed=self._speed is not None,
            turn=self.leading is not None,
            switch=len(self.controllers) > 1,
            target=True,
            study=True,
        )

    # -- making simulations ----------------------------------------------------------------------------------------

    def _rows(self) -> Array:
        found = super()._rows()
        if self._heading is not None:
            graphs = range(len(self.controllers))
            found[:, [self.table.layout.graph(g, GraphField.HEADING) for g in graphs]] = self._heading
        return found

    def _is_another_machine(self, law: Law, old: Law) -> bool:
        return bool(law.table.owners != old.table.owners)  # type: ignore[attr-defined]

    def _carry(self, snapshot: dict[str, NDArray[Any]], count: int, old_law: Law, name: str | None) -> None:
        column = self.law.plan.memory["state"]  # type: ignore[attr-defined]
        before, number, right = _state_name(old_law, int(snapshot["memory"][0, column]))
        place = (name or before, number, right)
        super()._carry(snapshot, count, old_law, name)
        snapshot["memory"][0, column] = _state_at(self.law, *place)
        if self.simulation.worlds > count:
            snapshot["memory"][1, column] = _state_at(self._saved_law(), *place)

    # -- what is asked of it -----------------------------------------------------------------------------------------

    @property
    def leading(self) -> Leading | None:
        """A spatial walker turns to a heading where its law takes one."""
        turns = self.figure.root == "free" and kind_of(self.controllers[0]).abilities(self.controllers[0]).turn
        return LEADING if turns else None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians, whatever its controllers say."""
        turned = float(self._remembered("turned"))
        self._heading = heading - turned
        self.simulation.set_parameters(self._rows())

    def steady_speeds(self, saved: PoseControlGraph) -> tuple[float, float]:
        """Those around the desired speed that the controller was saved with. It is a number of the balance feedback, at
        whose bounds most walks fall."""
        (low, high), own = self.speeds, saved.balance.speed
        return max(low, own - STEADY), min(high, own + STEADY)

    def request(self, name: str) -> None:
        """Ask for another controller of the repertoire; it takes over when a state ends and it has a matching state."""
        if len(self.controllers) == 1:
            super().request(name)
        request(self.simulation, name)
        self._note(self.simulation.snapshot())

    def requested(self) -> str | None:
        wanted = int(self._remembered("request"))
        return None if wanted < 0 else self.controllers[wanted].name

    def known_transition(self, source: str, target: str) -> str:
        basins = {graph.name: graph.basin.get("transitions") for graph in self.controllers}
        for name, other in ((source, target), (target, source)):
            known: Any = basins.get(name)
            if isinstance(known, Mapping) and other in known:
                return str(known[other])
        return ""

    # -- what it is doing --------------------------------------------------------------------------------------------

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        return _state_name(self.law, int(self._remembered("state")) if state is None else state)

    def _named(self, state: int, stance: int) -> tuple[str, int, bool]:
        return self.where(state)

    def _remembered(self, name: str) -> float:
        """A number that the law remembers of the first world."""
        column: int = self.law.plan.memory[name]  # type: ignore[attr-defined]
        return float(self.state["memory"][0, column])

    def _wanted(self, times: Array, states: NDArray[np.void], qpos: Array, signals: Array) -> Array:
        """Balance feedback included."""
        wanted = np.array(qpos, dtype=float)
        for i, place in enumerate(states.tolist()):
            state, balance = _state_at(self.law, *place), dict(zip(SIGNALS, np.nan_to_num(signals[i]).tolist()))
            wanted[i] = self.asked(state, target_qpos(self.table, state, wanted[i], balance))
        return wanted

    def asked(self, state: int, pose: Array) -> Array:
        """[nq] the pose that a written-out state asks for at this moment, given what it says as written."""
        return pose

    def state_pose(self, name: str, number: int, base: Array) -> Array:
        return target_qpos(self.table, _state_at(self.law, name, number, False), base)

    def undriven_joints(self, name: str, number: int) -> set[str]:
        """The stance hip under SIMBICON: it serves the torso."""
        table = self.table
        state = table.states[_state_at(self.law, name, number, False)].state
        if not table.balanced or state.flight:
            return set()
        return {slot.name for slot in table.slots if (slot.place, slot.side) == ("hip", state.stance)}

    @property
    def table(self) -> Any:
        """The law's table, which holds all controllers."""
        return self.law.table  # type: ignore[attr-defined]


def _state_name(law: Any, state: int) -> tuple[str, int, bool]:
    """A state of a law as (controller, number as written, whether the right leg is in stance)."""
    table = law.table
    graph = table.graphs[table.owners[state]]
    return graph.name, table.origins[state], table.states[state].state.stance == "right"


def _state_at(law: Any, name: str, number: int, right: bool) -> int:
    """The state of a law with this controller, number and stance, or the nearest that there is."""
    names = law.table.names
    return int(law.table.state_of(names.index(name) if name in names else 0, number, right=right))
