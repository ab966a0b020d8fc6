"""The law of a network that corrects a SIMBICON controller: at every decision it observes the world and answers an
action, which changes the numbers that SIMBICON reads until the next one.

It is what a learning environment with corrections does, fused into the rollout: the same
observations at the same steps, the same numbers changed.
"""

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.control.rows import MemoryLayout, StateField
from footfall.control.world_numbers import world_numbers
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.corrected_now import corrected_now, corrected_numbers
from footfall.methods.network.corrections import corrections
from footfall.methods.network.deciding import LAST, DecisionPlan, decision_functions, decision_memory, view_names
from footfall.methods.network.inputs import gather_numbers
from footfall.methods.network.layers import network_numbers
from footfall.methods.simbicon.control_step import simbicon_function
from footfall.methods.simbicon.law import SimbiconLaw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footfall.methods.network.controller import NetworkController

Array = NDArray[np.float64]
GOAL_SPEED = "goal_speed"


class NetworkLaw(SimbiconLaw):
    """SIMBICON with a network.

    Args:
        controller: what it observes and corrects, and its network.
        figure: what is driven.

    Attributes:
        actions: the numbers that the network answers.
    """

    def __init__(self, controller: "NetworkController", figure: Figure) -> None:
        assert controller.graph is not None
        super().__init__(controller.graph, figure)
        self.controller = controller
        where = f"controller '{controller.name}'"
        plain = SimbiconLaw(controller.graph, figure)
        self._own = len(plain.parameters)
        self.actions, places = corrections(plain, figure, controller.correct)
        states, network = len(self.table.states), controller.network
        self.decision = DecisionPlan.of(controller, figure, states, len(self.actions), where)
        gather = gather_numbers(controller.observations, self.decision.pool, where)
        self._check(places, where)
        numbers = [network_numbers(network), gather.ravel(), corrected_numbers(places, self._own).ravel()]
        self._library = np.concatenate(numbers)[None]
        self._columns = self._library.shape[1] - len(numbers[2])

    def _check(self, places: Any, where: str) -> None:
        layout = self.table.layout
        fixed = {layout.state(k, f) for k in range(layout.states) for f in (StateField.STANCE, StateField.NEXT)}
        for place in places:
            if place.column in fixed or place.column >= layout.first_entry:
                raise FootfallError(f"{where}, [correct]: a network changes numbers, not which state follows")

    @property
    def key(self) -> Any:
        """What the Warp function depends on, and the network's numbers, which a page has compiled in."""
        return (*self._kernel(self.plan), hashlib.sha256(self._library.tobytes()).hexdigest()[:16])

    @property
    def kernel_key(self) -> Any:
        """The same without the network's numbers, which a kernel reads."""
        return self._kernel(self.plan)

    def _kernel(self, plan: Any) -> tuple[Any, ...]:
        return ("network", plan, self.decision.key, self._own)

    @property
    def library(self) -> Array:
        """[1, L] the network, what its inputs are, and what of each column of the row is corrected."""
        return self._library

    @property
    def memory_layout(self) -> MemoryLayout:
        """What the law remembers: SIMBICON's, then the network's."""
        return MemoryLayout((*self.plan.memory.sizes, *decision_memory(self.decision)))

    @property
    def memory(self) -> Array:
        """[M] at the start."""
        layout, own = self.memory_layout, super().memory
        memory = np.zeros(len(layout))
        memory[: len(own)] = own
        memory[layout[LAST]] = -1.0
        return memory

    @property
    def memory_names(self) -> tuple[str, ...]:
        """What the law remembers."""
        return tuple(self.memory_layout.names)

    @property
    def parameters(self) -> Array:
        """[NP] SIMBICON's row, then the speed that is asked of the network."""
        return np.append(super().parameters, self.controller.goal_speed)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Paths of SIMBICON's numbers, and the speed."""
        return (*super().parameter_names, GOAL_SPEED)

    def cells(self, name: str) -> list[tuple[int, float]]:
        """Where a parameter is."""
        return [(self._own, 1.0)] if name == GOAL_SPEED else super().cells(name)

    def applied(self, rows: Array, parameters: "Mapping[str, Any]") -> Array:
        """[R, NP] a copy of rows with parameters replaced."""
        others = {name: value for name, value in parameters.items() if name != GOAL_SPEED}
        changed = np.concatenate([super().applied(rows[:, : self._own], others), rows[:, self._own :]], axis=1)
        if GOAL_SPEED in parameters:
            changed[:, self._own] = world_numbers(GOAL_SPEED, parameters[GOAL_SPEED], len(changed))
        return changed

    def check_parameters(self, rows: Array) -> None:
        """As SIMBICON does, for its part."""
        super().check_parameters(rows[:, : self._own])

    def check_library(self, numbers: Array) -> None:
        """Refuse libraries that the kernel would read beyond, or in which an index names nothing."""
        if numbers.shape != self._library.shape:
            raise FootfallError(
                f"library: {list(numbers.shape)} numbers; the network's are {list(self._library.shape)}"
            )
        indices = self.decision.indices(self._columns)
        if not np.array_equal(numbers[0, indices], self._library[0, indices]):
            raise FootfallError("library: what a network observes and corrects cannot be replaced while it runs")

    @property
    def views(self) -> tuple[str, ...]:
        """What SIMBICON sees of the ground, then what the network does."""
        return (*super().views, *view_names(self.decision))

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """SIMBICON's look at the ground, then the network's."""
        Sense, Memory, real = types.Sense, types.Memory, types.real
        own = super().sight(types, height)
        if not self.decision.sees:
            return own
        look, _ = self._decisions(types, height)
        if own is None:
            return look

        @wp.func
        def look_twice(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            table_: wp.array2d[real],
            table_row: int,
        ):
            own(sense, memory, parameters, row, table_, table_row)
            look(sense, memory, parameters, row, table_, table_row)

        return look_twice

    def _decisions(self, types: Types, height: wp.Function | None) -> tuple[Any, wp.Function]:
        return decision_functions(types, self.decision, self.memory_layout, self._own, len(super().views), height)

    def build(self, types: Types) -> wp.Function:
        """The decision, then SIMBICON with the numbers that it changed."""
        real, Sense, Memory, Command = types.real, types.Sense, types.Memory, types.Command
        layout, plan = self.memory_layout, self.decision
        action_at = layout["network_action"]
        now, take_action = corrected_now(types, self.plan.layout, self._columns, plan.actions, action_at, plan.clip)
        act = simbicon_function(types, self.plan, now=now, before=(take_action,))
        _, (decide, remember) = self._decisions(types, None)

        @wp.func
        def network_law(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            decide(sense, memory, parameters, row)
            act(sense, memory, parameters, row, command)
            remember(sense, memory, command)

        return network_law
