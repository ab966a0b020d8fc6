"""What a control law is: a Warp function that turns what a world senses into joint torques, fused into its rollout.

A law is written once, for every device and scalar type: :meth:`Law.build` gets the figure's types and returns

    law(sense, memory, parameters, row, command)

``sense`` and ``command`` are the structures of :class:`Types`, ``memory`` a small vector that is the law's own state,
``parameters[row]`` the world's row of numbers. Everything but the last two integers is passed by reference.

A law that names its numbers (:attr:`Law.numbers`) can be set and swept by name; :meth:`Law.column` tells its Warp
function where in the row each one is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.rows import changed_rows
from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError, check_name


def typed_by_name(kinds: Mapping[str, Any]) -> Callable[[Callable[..., Any]], wp.Function]:
    """A decorator: the Warp function of a function whose arguments are of the types that their names stand for."""

    def typed(function: Callable[..., Any]) -> wp.Function:
        code = function.__code__
        function.__annotations__ = {name: kinds[name] for name in code.co_varnames[: code.co_argcount]}
        return wp.func(function)

    return typed


@dataclass(frozen=True)
class Types:
    """The types a law is built from, for one figure and scalar type.

    Attributes:
        compiled: the figure's dynamics; laws may call its functions.
        implicit: whether servos are taken implicitly: the law then answers the servo evaluated one step ahead and its
            ``command.stiffness`` (kd h + kp h²).
        real: scalar type.
        Memory: vector type of the law's own state.
        Sense: time, dt, qpos, qvel, position and velocity [3 P] of the ground points, contact (bit mask over them):
            what a joint's own servo feels; seen_qpos, seen_qvel, seen_position, seen_contact: the same as balance sees
            it, late where there is a sensor delay; view: what the law saw of the terrain (:meth:`Law.sight`); qacc:
            the previous step's accelerations; library: :attr:`Law.library`.
        Command: torque and stiffness [nv]; acceleration [nv] of the joints, under a law that :attr:`Law.prescribes`
            it, and torque is then what brings it about; state and stance (0 left, 1 right, -1 none) for the record;
            signals: the numbers that :attr:`Law.signals` names, recorded as they are; turning_over: whether turning
            over is not a fall now, under a law that :attr:`Law.turns_over` at times; and :meth:`Law.command_fields`.
        Signals: vector type of the law's signals.
        signals: names of the law's signals.
    """

    compiled: CompiledFigure
    implicit: bool
    real: Any
    Memory: Any
    Sense: Any
    Command: Any
    Signals: Any
    signals: tuple[str, ...]

    @classmethod
    def of(cls, compiled: CompiledFigure, law: "Law", *, implicit: bool) -> "Types":
        """Types for a law on a figure."""
        real, Qpos, Qvel, Points = compiled.real, compiled.Qpos, compiled.Qvel, compiled.Points

        def numbers(count: int, dtype: Any = real) -> Any:
            return wp.types.vector(length=max(1, count), dtype=dtype)

        Signals, View = numbers(len(law.signals)), numbers(len(law.views))

        @wp.struct
        class Sense:
            time: real
            dt: real
            qpos: Qpos
            qvel: Qvel
            position: Points
            velocity: Points
            contact: wp.int32
            seen_qpos: Qpos
            seen_qvel: Qvel
            seen_position: Points
            seen_contact: wp.int32
            view: View
            qacc: Qvel
            library: wp.array2d[real]

        class Command:
            torque: Qvel
            acceleration: Qvel
            stiffness: Qvel
            state: wp.int32
            stance: wp.int32
            signals: Signals
            turning_over: wp.bool

        Command.__annotations__.update(law.command_fields(real))
        Command = wp.struct(Command)
        return cls(compiled, implicit, real, numbers(len(law.memory)), Sense, Command, Signals, tuple(law.signals))

    @cached_property
    def part(self) -> Callable[[Callable[..., Any]], wp.Function]:
        """A decorator: the Warp function of a function whose arguments have the names, and so the types, of a law's
        (:meth:`Law.build`, :meth:`Law.sight`)."""
        return self.typed()

    def typed(self, **kinds: Any) -> Callable[[Callable[..., Any]], wp.Function]:
        """The same for functions whose arguments have further names, each with its type."""
        own = {"sense": self.Sense, "memory": self.Memory, "command": self.Command}
        numbers, row = wp.array2d[self.real], int
        given = {"parameters": numbers, "library": numbers, "table_": numbers, "row": row, "table_row": row}
        return typed_by_name({name: wp.ref[kind] for name, kind in own.items()} | given | kinds)


@dataclass(frozen=True)
class StepTypes:
    """What a :meth:`Law.revision` is built from.

    Attributes:
        types: those of the law.
        World: structure of a world in its step, with sense, memory, command and qacc; its row of parameters is
            ``rows[1]``.
        Pushes: vector of the forces that push it.
        Setting: structure of what worlds are made of, with their parameters.
        respond: (world, push, setting, torque, qacc) finds the accelerations [nv] under joint torques [nv]; None for a
            law that prescribes accelerations.
    """

    types: Types
    World: Any
    Pushes: Any
    Setting: Any
    respond: wp.Function | None


class Law(ABC):
    """A control law: its parameters, its own state, and the Warp function that it becomes."""

    @property
    def label(self) -> str:
        """What messages call it where it is driven without a controller: by default its class, as in a user's file."""
        return type(self).__name__

    @property
    def state_names(self) -> tuple[str, ...]:
        """What every page calls the states of its machine, by number; empty for a law without."""
        return ()

    numbers: Mapping[str, float] = MappingProxyType({})
    """The numbers that the law reads, by name, with their values; empty for a law that lays out :attr:`parameters`
    itself."""

    @property
    def key(self) -> Any:
        """A hashable value that tells laws of one class with different Warp functions apart, so that equal ones share a
        kernel; None (the default) shares nothing."""
        return None

    @property
    def kernel_key(self) -> Any:
        """The key less what the Warp function does not depend on; laws with equal ones share a kernel."""
        return self.key

    @property
    @abstractmethod
    def memory(self) -> NDArray[np.float64]:
        """[M] the law's own state at the start."""

    @property
    def memory_names(self) -> tuple[str, ...]:
        """Names of the numbers in :attr:`memory`, for pages and files; none (the default) for a law that tells none."""
        return ()

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP] the numbers the law reads, one row; by default those of :attr:`numbers`, in their order."""
        return np.array(list(self.numbers.values()), dtype=float)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names that :meth:`applied` takes; none for a law without."""
        return tuple(self.numbers)

    def column(self, name: str) -> int:
        """Where in a row one of :attr:`numbers` is, for the Warp function."""
        check_name(f"number of the law {type(self).__name__}", name, self.numbers)
        return list(self.numbers).index(name)

    def cells(self, name: str) -> list[tuple[int, float]]:
        """Where in a row a named parameter is: (index, sign) for each place that it fills."""
        if not self.parameter_names:
            raise FootfallError(f"parameter '{name}': this law has no named parameters")
        check_name("parameter", name, self.parameter_names)
        return [(self.column(name), 1.0)]

    @property
    def unrolled(self) -> int:
        """Loops of the Warp function up to this length are written out in a module for browsers; longer ones stay
        loops, which makes it smaller."""
        return 64

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the numbers that the law puts into ``command.signals`` for the record."""
        return ()

    @property
    def library(self) -> NDArray[np.float64]:
        """[rows, columns] numbers that all worlds share and the law reads, such as captured motion."""
        return np.zeros((1, 1))

    @property
    def prescribes(self) -> bool:
        """Whether the law asks for accelerations of the joints, not torques: hybrid dynamics finds the torques."""
        return False

    @property
    def solid(self) -> bool:
        """Whether limbs of a figure in space touch each other, and the ground loads smoothly there, unless a simulation
        is asked otherwise."""
        return not self.prescribes

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the numbers that :meth:`sight` puts into ``sense.view``."""
        return ()

    @property
    def turns_over(self) -> bool:
        """Whether turning over is at times no fall under this law: ``command.turning_over`` says when."""
        return False

    @property
    def gets_up(self) -> bool:
        """Whether lying on the ground is no fall under this law: it goes on, and the body's whole surface touches the
        ground."""
        return False

    def command_fields(self, real: Any) -> Mapping[str, Any]:
        """Types of further fields that the law's command has, by name, for a scalar type: what :meth:`build` leaves for
        :meth:`revision`."""
        return {}

    def check_memory(self, memory: NDArray[np.float64]) -> None:  # noqa: B027
        """Refuse memories [N, M] in which a number that the Warp function uses as an index names nothing; a law without
        such numbers (the default) takes all."""

    def check_parameters(self, rows: NDArray[np.float64]) -> None:  # noqa: B027
        """Refuse rows of parameters [R, NP] in the same way."""

    def check_library(self, numbers: NDArray[np.float64]) -> None:  # noqa: B027
        """Refuse libraries [rows, columns] in the same way."""

    def check_world(self, given: Collection[str]) -> None:  # noqa: B027
        """Refuse what cannot be simulated in one world; ``given`` has "ground" and "integration" where they are given
        for all. A law of one controller (the default) takes every world."""

    def applied(self, rows: NDArray[np.float64], parameters: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        """[R, NP] a copy of rows with parameters replaced by name, each by a number or [R]; a law without names
        refuses."""
        return changed_rows(rows, parameters, self.cells)

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """A Warp function that looks at the terrain before the law acts; None (the default) for a blind law.

        (sense, memory, parameters, row, table, table_row) sets ``sense.view``; ``height(table, table_row, x, y)`` is
        the ground's.
        """
        return None

    def revision(self, step: StepTypes) -> wp.Function | None:
        """A Warp function that revises a step's torques once their accelerations are known; None (the default) for a
        law that lets them be.

        (world, push, setting, torque) changes ``torque`` [nv] and answers whether it did; accelerations are then found
        again. Under a law that :attr:`prescribes`, ``torque`` is what would bring its accelerations about; the joints
        then move as they do under what is left of it.
        """
        return None

    @abstractmethod
    def build(self, types: Types) -> wp.Function:
        """The Warp function, for these types."""


def is_guest(law: Law) -> bool:
    """Whether a law does not come with footfall."""
    return not type(law).__module__.startswith("footfall.")
