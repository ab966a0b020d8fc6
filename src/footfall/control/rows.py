"""The layout of the numbers that a law reads and remembers: every one has a name, and only this file counts.

A row of parameters holds, for one graph or many alike,

    graphs    [graphs]          what each graph says as a whole, then the servo of each slot; where a graph has a cycle,
                                its numbers, then the terms of each slot
    states    [states]          each state's way out, then the target of each slot
    entries   [states, graphs]  the state entered instead of a state if a graph is requested; -1 for none

A slot is the torso, in one of its planes, or an actuated joint. Paths name numbers: ``speed``, ``kp``,
``left_knee.kp``, ``swing_hip.c_v`` (in every state), ``1.swing_hip.c_d`` (in state 1 and its mirror image), ``0.hold``,
and with several graphs ``run/kp``.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import IntEnum

__all__ = [
    "MACHINE",
    "CycleField",
    "GraphField",
    "MemoryLayout",
    "ParameterPath",
    "RowLayout",
    "ServoField",
    "StateField",
    "TargetField",
]


class GraphField(IntEnum):
    """What a graph says as a whole.

    REFERENCE: where on the stance foot d is measured from, 0 its heel, 1 its toe. SENSOR_HEEL, SENSOR_TOE: whether
    the heel and the toe of a foot end a state. The rest is as :mod:`footfall.methods.simbicon.graph` has it.
    """

    SPEED, SIDE_SPEED, HEADING, HEADING_RATE, HIP_LOW, HIP_HIGH, HIP_ROLL_LIMIT, LIMIT_KP, LIMIT_KD = range(9)
    REFERENCE, SENSOR_HEEL, SENSOR_TOE = range(9, 12)
    REACTION_THRESHOLD, REACTION_DELAY, REACTION_DURATION, REACTION_GAIN = range(12, 16)
    LEARNING_RATE, FEEDFORWARD_LIMIT = range(16, 18)
    SIGHT_AHEAD, SIGHT_PER_SPEED, SIGHT_THRESHOLD, SIGHT_BOOST, SIGHT_DROP = range(18, 23)
    EDGE_MARGIN, EDGE_STEP, EDGE_REACH, EDGE_GAIN = range(23, 27)
    SLOWER, FASTER, SIDEWAYS = range(27, 30)


class ServoField(IntEnum):
    """A slot's servo."""

    KP, KD, TORQUE_LIMIT, LOWER, UPPER = range(5)


class CycleField(IntEnum):
    """How long the halves of a cycle take, and the usual course of d and v in them: at the start, then at the end."""

    LEFT, RIGHT = range(2)
    LEFT_D, LEFT_D_SIDE, LEFT_V, LEFT_V_SIDE = range(2, 10, 2)
    RIGHT_D, RIGHT_D_SIDE, RIGHT_V, RIGHT_V_SIDE = range(10, 18, 2)


CYCLE_NUMBERS = 18
"""How many numbers a cycle has besides its terms."""


class StateField(IntEnum):
    """A state's way out.

    CONTACT: 0 none, 1 the swing foot's, 2 the stance foot's. STANCE: 1 for the right leg. GRAPH: where in the row its
    graph begins. TURNS_OVER: whether that graph's torso may turn over. DISTURBED: the state entered when v is beyond
    the limits; -1 for none.
    """

    HOLD, CONTACT, NEXT, STANCE, FLIGHT, GRAPH, TURNS_OVER, DISTURBED = range(8)


class TargetField(IntEnum):
    """A slot's target in a state, as :class:`footfall.methods.simbicon.graph.Target` has it."""

    ANGLE, C_D, C_V, C_H, C_HIP, WORLD = range(6)


@dataclass(frozen=True)
class RowLayout:
    """Where each number of a row is.

    Attributes:
        graphs, states: how many the row has room for. slots: their names.
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

    @property
    def cycle_width(self) -> int:
        """Numbers of a graph's cycle."""
        return CYCLE_NUMBERS + 2 * self.harmonics * len(self.slots) if self.harmonics else 0

    @property
    def graph_width(self) -> int:
        """Numbers a graph."""
        return len(GraphField) + len(ServoField) * len(self.slots) + self.cycle_width

    @property
    def state_width(self) -> int:
        """Numbers a state."""
        return len(StateField) + len(TargetField) * len(self.slots)

    @property
    def first_state(self) -> int:
        """Where the states begin."""
        return self.graph_width * self.graphs

    @property
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
        return self.cycle(graph, CYCLE_NUMBERS) + 2 * self.harmonics * slot + k

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
    """Names of the numbers that a law remembers, in order."""

    names: tuple[str, ...]

    def __getitem__(self, name: str) -> int:
        return self.names.index(name)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __len__(self) -> int:
        return len(self.names)


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
