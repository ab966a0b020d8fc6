"""A law with an offset on the acceleration of every joint that it asks for: what others add to its motion.

    q̈ = kt (target - q) - kv q' + … + offset

An offset of kt δ moves the joint's target by δ.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.law import Law, Types
from footfall.errors import FootfallError
from footfall.figures import Figure

Array = NDArray[np.float64]


class OffsetLaw(Law):
    """Another law, with offsets [nv] after its own numbers in the row; the root's are not used.

    Args:
        law: one that prescribes accelerations, and can be told apart by its key.
        figure: what it drives.
    """

    def __init__(self, law: Law, figure: Figure) -> None:
        if not law.prescribes:
            raise FootfallError(f"law '{type(law).__name__}' asks for torques; offsets are added to accelerations")
        self.law, self.figure = law, figure
        self._own = len(law.parameters)

    def offset(self, dof: int) -> int:
        """Where in the row the offset of a degree of freedom is."""
        return self._own + dof

    @property
    def key(self) -> Any:
        """The law's, and the place of the offsets."""
        return None if self.law.key is None else ("offset", self.law.key, self._own)

    @property
    def kernel_key(self) -> Any:
        """The same for kernels."""
        return None if self.law.key is None else ("offset", self.law.kernel_key, self._own)

    @property
    def parameters(self) -> Array:
        """[NP + nv] the law's, then zeros."""
        return np.concatenate([self.law.parameters, np.zeros(self.figure.nv)])

    @property
    def memory(self) -> Array:
        """The law's."""
        return self.law.memory

    @property
    def memory_names(self) -> tuple[str, ...]:
        """The law's."""
        return self.law.memory_names

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """The law's."""
        return self.law.parameter_names

    def cells(self, name: str) -> list[tuple[int, float]]:
        """The law's."""
        return self.law.cells(name)

    @property
    def signals(self) -> tuple[str, ...]:
        """The law's."""
        return self.law.signals

    @property
    def library(self) -> Array:
        """The law's."""
        return self.law.library

    @property
    def prescribes(self) -> bool:
        """Accelerations."""
        return True

    @property
    def views(self) -> tuple[str, ...]:
        """The law's."""
        return self.law.views

    @property
    def turns_over(self) -> bool:
        """The law's."""
        return self.law.turns_over

    @property
    def planned_velocities(self) -> int | None:
        """The law's."""
        return self.law.planned_velocities

    def check_memory(self, memory: Array) -> None:
        """As the law does."""
        self.law.check_memory(memory)

    def check_parameters(self, rows: Array) -> None:
        """As the law does, for its part."""
        self.law.check_parameters(rows[:, : self._own])

    def check_library(self, numbers: Array) -> None:
        """As the law does."""
        self.law.check_library(numbers)

    def check_world(self, given: Collection[str]) -> None:
        """As the law does."""
        self.law.check_world(given)

    def applied(self, rows: Array, parameters: Mapping[str, ArrayLike]) -> Array:
        """The law's parameters by name; offsets stay."""
        return np.concatenate([self.law.applied(rows[:, : self._own], parameters), rows[:, self._own :]], axis=1)

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """The law's."""
        return self.law.sight(types, height)

    def torque_limit(self, types: Types) -> wp.Function | None:
        """The law's."""
        return self.law.torque_limit(types)

    def build(self, types: Types) -> wp.Function:
        """The law's function, then the offsets."""
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real
        act, first, nv, own = self.law.build(types), 6, self.figure.nv, self._own
        planned = self.planned_velocities
        plans, planned_ = planned is not None, (planned or 0) - first

        @wp.func
        def offset_law(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            act(sense, memory, parameters, row, command)
            j = int(first)
            while j < wp.static(nv):
                command.acceleration[j] = command.acceleration[j] + parameters[row, own + j]
                if wp.static(plans):
                    memory[planned_ + j] = memory[planned_ + j] + sense.dt * parameters[row, own + j]
                j += 1

        return offset_law
