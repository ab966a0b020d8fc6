"""The layout of the numbers that a law reads and remembers: every one has a name, and only this file counts.

Rows and memories are filled and read by name: ``GraphField.numbers(speed=0.5, ...)``, ``layout.filled(state=0, ...)``.

A row of parameters holds, for one graph or many alike,

    graphs    [graphs]          what each graph says as a whole, then the servo of each slot; where a graph has a cycle,
                                its numbers, then the terms of each slot
    states    [states]          each state's way out, then the target of each slot
    entries   [states, graphs]  the state entered instead of a state if a graph is requested; -1 for none

A slot is the torso, in one of its planes, or an actuated joint. Paths name numbers: ``speed``, ``kp``,
``left_knee.kp``, ``swing_hip.c_v`` (in every state), ``1.swing_hip.c_d`` (in state 1 and its mirror image), ``0.hold``,
and with several graphs ``run/kp``.

A parameter's values: one number for all worlds, or one for each.

Numbers that a kernel uses as indices. A kernel checks nothing, so each is checked on its way in.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError


def _check_names(what: str, given: Iterable[str], expected: Iterable[str]) -> None:
    """Refuse names that are missing or unknown."""
    given, expected = set(given), set(expected)
    for name in sorted(expected ^ given):
        raise FootfallError(f"{what}: '{name}' is {'missing' if name in expected else 'unknown'}")


class Field(IntEnum):
    """Places of numbers that stand together in a row, by name."""

    @classmethod
    def numbers(cls, **values: float) -> list[float]:
        """The numbers in the order of their places, from a value for each field, by its name in lower case. A field
        that is missing or unknown is refused; Python refuses one that is given twice."""
        names = _field_names(cls)
        if values.keys() != set(names):
            _check_names(cls.__name__, values, names)
        return [float(values[name]) for name in names]

    @classmethod
    def values(cls, numbers: Sequence[float] | NDArray[np.float64]) -> dict[str, float]:
        """The reverse of :meth:`numbers`: each number by its field's name in lower case."""
        return {field.name.lower(): float(numbers[field]) for field in cls}


@cache
def _field_names(fields: type[Field]) -> tuple[str, ...]:
    """The fields' names in lower case, in their order."""
    return tuple(field.name.lower() for field in fields)


class GraphField(Field):
    """What a graph says as a whole.

    REFERENCE: where on the stance foot d is measured from, 0 its heel, 1 its toe. SENSOR_HEEL, SENSOR_TOE: whether
    the heel and the toe of a foot end a state. LIMIT_KP, LIMIT_KD: the servo of a joint's stops; 0 for none. The rest
    is as :mod:`footfall.methods.simbicon.graph` has it.
    """

    SPEED, SIDE_SPEED, HEADING, HEADING_RATE, HIP_LOW, HIP_HIGH, HIP_ROLL_LIMIT, LIMIT_KP, LIMIT_KD = range(9)
    REFERENCE, SENSOR_HEEL, SENSOR_TOE = range(9, 12)
    REACTION_THRESHOLD, REACTION_DELAY, REACTION_DURATION, REACTION_GAIN = range(12, 16)
    LEARNING_RATE, FEEDFORWARD_LIMIT, FEEDFORWARD_ANGLE = range(16, 19)
    SIGHT_AHEAD, SIGHT_PER_SPEED, SIGHT_THRESHOLD, SIGHT_BOOST, SIGHT_DROP = range(19, 24)
    EDGE_MARGIN, EDGE_STEP, EDGE_REACH, EDGE_GAIN = range(24, 28)
    SLOWER, FASTER, SIDEWAYS = range(28, 31)


class ServoField(Field):
    """A slot's servo."""

    KP, KD, TORQUE_LIMIT, LOWER, UPPER = range(5)


class CycleField(Field):
    """How long the halves of a cycle take, and the reference trajectories of d and v: each at its start and its end."""

    LEFT, RIGHT = range(2)
    LEFT_D, LEFT_D_END, LEFT_D_SIDE, LEFT_D_SIDE_END = range(2, 6)
    LEFT_V, LEFT_V_END, LEFT_V_SIDE, LEFT_V_SIDE_END = range(6, 10)
    RIGHT_D, RIGHT_D_END, RIGHT_D_SIDE, RIGHT_D_SIDE_END = range(10, 14)
    RIGHT_V, RIGHT_V_END, RIGHT_V_SIDE, RIGHT_V_SIDE_END = range(14, 18)


class StateField(Field):
    """A state's way out.

    CONTACT: 0 none, 1 the swing foot's, 2 the stance foot's. STANCE: 1 for the right leg. GRAPH: where in the row its
    graph begins. TURNS_OVER: whether that graph's torso may turn over. DISTURBED: the state entered when v is beyond
    the limits; -1 for none.
    """

    HOLD, CONTACT, NEXT, STANCE, FLIGHT, GRAPH, TURNS_OVER, DISTURBED = range(8)


class TargetField(Field):
    """A slot's target in a state, as :class:`footfall.methods.simbicon.graph.Target` has it."""

    ANGLE, C_D, C_V, C_H, C_HIP, WORLD = range(6)


@dataclass(frozen=True)
class RowLayout:
    """Where each number of a row is.

    Attributes:
        graphs, states: how many the row has room for.
        slots: their names.
        harmonics: how many a cycle has; 0 for no cycle.
    """

    graphs: int
    states: int
    slots: tuple[str, ...]
    harmonics: int = 0

    @property
    def compiled(self) -> "RowLayout":
        """What of it a kernel depends on: not how many states there are, unless one graph can be left for another."""
        return replace(self, states=0) if self.graphs == 1 else self

    @cached_property
    def cycle_width(self) -> int:
        """Numbers of a graph's cycle."""
        return len(CycleField) + 2 * self.harmonics * len(self.slots) if self.harmonics else 0

    @cached_property
    def graph_width(self) -> int:
        """Numbers a graph."""
        return len(GraphField) + len(ServoField) * len(self.slots) + self.cycle_width

    @cached_property
    def state_width(self) -> int:
        """Numbers a state."""
        return len(StateField) + len(TargetField) * len(self.slots)

    @cached_property
    def first_state(self) -> int:
        """Where the states begin."""
        return self.graph_width * self.graphs

    @cached_property
    def first_entry(self) -> int:
        """Where the entries begin."""
        return self.first_state + self.state_width * self.states

    @property
    def size(self) -> int:
        """Numbers a row."""
        return self.first_entry + self.states * self.graphs

    def graph(self, graph: int, field: GraphField | int = 0) -> int:
        """Where a graph's number is; without a field where the graph begins."""
        return self.graph_width * graph + field

    def servo(self, graph: int, slot: int, field: ServoField | int = 0) -> int:
        """Where a number of a slot's servo is."""
        return self.graph_width * graph + len(GraphField) + len(ServoField) * slot + field

    def cycle(self, graph: int, field: CycleField | int = 0) -> int:
        """Where a number of a graph's cycle is."""
        return self.graph_width * (graph + 1) - self.cycle_width + field

    def term(self, graph: int, slot: int, k: int = 0) -> int:
        """Where a term of a slot's cycle is."""
        return self.cycle(graph, len(CycleField)) + 2 * self.harmonics * slot + k

    def state(self, state: int, field: StateField | int = 0) -> int:
        """Where a state's number is; without a field where the state begins."""
        return self.first_state + self.state_width * state + field

    def target(self, state: int, slot: int, field: TargetField | int = 0) -> int:
        """Where a number of a slot's target is in a state."""
        return self.state(state) + len(StateField) + len(TargetField) * slot + field

    def entry(self, state: int, graph: int = 0) -> int:
        """Where the entry is that replaces a state when a graph is requested."""
        return self.first_entry + self.graphs * state + graph


MACHINE = ("state", "clock", "request", "request_time")
"""What a graph's state machine remembers, first in every such memory: the state, the time since it was entered, the
graph requested (-1 for none), and when it is to come."""


@dataclass(frozen=True)
class MemoryLayout:
    """Where each number is that a law remembers.

    Attributes:
        sizes: names in order, each with how many numbers it has.
    """

    sizes: tuple[tuple[str, int], ...]

    def __getitem__(self, name: str) -> int:
        """Where a name's numbers begin."""
        at = 0
        for other, size in self.sizes:
            if other == name:
                return at
            at += size
        raise KeyError(name)

    def __contains__(self, name: str) -> bool:
        return any(name == other for other, _ in self.sizes)

    def __len__(self) -> int:
        return sum(size for _, size in self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each number: where a name has several, with their count."""
        return tuple(f"{name}_{k}" if size > 1 else name for name, size in self.sizes for k in range(size))

    def filled(self, **values: float | Sequence[float]) -> NDArray[np.float64]:
        """[M] a memory from a value for each name; one number fills all places of its name. A name that is missing or
        unknown is refused."""
        _check_names("memory", values, (name for name, _ in self.sizes))
        memory = np.zeros(len(self))
        for name, size in self.sizes:
            numbers = np.asarray(values[name], dtype=float)
            if numbers.ndim and len(numbers) != size:
                raise FootfallError(f"memory: '{name}' has {len(numbers)} numbers; it has room for {size}")
            memory[self[name] : self[name] + size] = numbers
        return memory


@dataclass(frozen=True)
class ParameterPath:
    """The parts of a path ``graph/state.name.field``; only the name must be there."""

    graph: str | None
    state: str | None
    name: str
    field: str | None

    @classmethod
    def parse(cls, path: str, labels: Collection[str]) -> "ParameterPath":
        """Read a path; ``labels`` are the names of states."""
        graph, slash, rest = path.rpartition("/")
        state, dot, below = rest.partition(".")
        labelled = bool(dot) and state in labels
        name, dot, field = (below if labelled else rest).partition(".")
        return cls(graph if slash else None, state if labelled else None, name, field if dot else None)


def world_numbers(name: str, values: ArrayLike, worlds: int) -> NDArray[np.float64]:
    """[1 or worlds] the values of the parameter ``name``, checked."""
    array = np.asarray(values, dtype=float)
    if array.size not in (1, worlds):
        raise FootfallError(f"parameter '{name}' has {array.size} values for {worlds} worlds; give 1 or {worlds}")
    if not np.all(np.isfinite(array)):
        raise FootfallError(f"parameter '{name}' holds a number that is not finite")
    return array.reshape(-1)


def changed_rows(
    rows: NDArray[np.float64],
    changes: Mapping[str, ArrayLike],
    cells: Callable[[str], Sequence[tuple[int, float]]],
) -> NDArray[np.float64]:
    """[R, NP] a copy of rows with parameters replaced by name, each by a number or [R].

    ``cells`` finds the places that a name fills, (index, sign) each. Of two names that fill one place, the one that
    fills fewer counts.
    """
    changed = np.array(rows, dtype=float)
    for name in sorted(changes, key=lambda name: -len(cells(name))):
        numbers = world_numbers(name, changes[name], len(changed))
        for index, sign in cells(name):
            changed[:, index] = sign * numbers
    return changed


def check_kernel_index(values: NDArray[np.float64], first: int, last: int, what: str, of: str = "world") -> None:
    """Refuse numbers [N] that are not whole or not from ``first`` to ``last``.

    Args:
        values: the numbers.
        first, last: the least and the greatest index.
        what: begins the message, as in "memory: state".
        of: what there is one number for.
    """
    wrong = ~((values >= first) & (values <= last) & (values == np.floor(values)))
    if wrong.any():
        _refuse(values, wrong, f"a whole number from {first} to {last}", what, of)


def check_kernel_choice(values: NDArray[np.float64], choices: list[int], what: str, of: str = "world") -> None:
    """Refuse numbers [N] that are none of the choices."""
    wrong = ~np.isin(values, choices)
    if wrong.any():
        _refuse(values, wrong, f"one of {choices}", what, of)


def _refuse(values: NDArray[np.float64], wrong: NDArray[np.bool_], right: str, what: str, of: str) -> None:
    k = int(np.argmax(wrong))
    raise FootfallError(f"{what} is {values[k]:g} in {of} {k}; it must be {right}")
