"""Pose control graphs as the row of numbers that their law reads (:mod:`footfall.control.rows`).

One graph or several: a law that holds several switches between them on request (SIMBICON, sections 4 and 7.1). A
request to go from controller A to B is answered when a state ends: instead of A's state n + 1 comes B's state of the
same number and stance side. Where B has none (a skip's third state has no match in a walk), the request waits for a
later state. A graph that is not symmetric is entered at its first state, from its own stance side; a state that stays
for ever is left at once, for the first state of the graph requested.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kernel_indices import check_kernel_choice, check_kernel_index
from footfall.control.registry import kind_of
from footfall.control.rows import (
    MACHINE,
    CycleField,
    GraphField,
    ParameterPath,
    RowLayout,
    ServoField,
    StateField,
    TargetField,
)
from footfall.control.slots import SAGITTAL, slots_of
from footfall.control.world_numbers import world_numbers
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.alike import LAW, check_alike
from footfall.methods.simbicon.both_sides import WrittenState, write_out
from footfall.methods.simbicon.graph import PoseControlGraph, Target
from footfall.methods.simbicon.row_numbers import (
    cycle_numbers,
    graph_numbers,
    in_group,
    rest_target,
    servo_groups,
    servo_numbers,
    state_numbers,
)

Array = NDArray[np.float64]
Cell = tuple[int, float]

_CHANGEABLE = ("kp", "kd", "torque_limit")


def _put(row: Array, at: int, numbers: Sequence[float] | NDArray[Any]) -> None:
    row[at : at + len(numbers)] = numbers


class GraphTable:
    """The numbers of one graph, or of several, for a figure.

    Attributes:
        graphs: the graphs. graph: the first.
        slots: what is driven; ``layout`` has their names.
        states: all graphs' states, written out for both sides.
        origins: [states] each state's number in its graph as written. owners: [states] which graph it belongs to.
        first: [graphs] the number of each graph's first state.
        entries: [states, graphs] the state entered instead of a state if a graph is requested; -1 for none.
        row: [NP] the numbers.
    """

    def __init__(
        self,
        graphs: PoseControlGraph | Sequence[PoseControlGraph],
        figure: Figure,
        *,
        capacity: tuple[int, int] = (1, 1),
    ) -> None:
        """``capacity`` is how many graphs and states the row has room for, at least."""
        self.graphs = (graphs,) if isinstance(graphs, PoseControlGraph) else tuple(graphs)
        if not self.graphs:
            raise FootfallError("repertoire: it holds no controllers; give at least one")
        self.graph, self.figure = self.graphs[0], figure
        names = self.names
        if len(set(names)) < len(names):
            raise FootfallError(f"repertoire: two controllers are named '{max(names, key=names.count)}'")
        check_alike(self.graphs, LAW)
        self.balanced = kind_of(self.graph).usual.feedback
        self.slots = slots_of(figure, balanced=self.balanced, where=f"controller '{self.graph.name}'")
        written = [write_out(graph, figure, self.slots) for graph in self.graphs]
        self.first = [sum(len(w) for w in written[:g]) for g in range(len(written))]
        self.states = tuple(
            WrittenState(state, targets, first + after, first + disturbed if disturbed >= 0 else -1)
            for first, own in zip(self.first, written, strict=True)
            for state, targets, after, disturbed in own
        )
        self.owners = [g for g, own in enumerate(written) for _ in own]
        self.origins = [k % len(g.states) for g, own in zip(self.graphs, written, strict=True) for k in range(len(own))]
        slot_names = tuple(slot.name for slot in self.slots)
        harmonics = max(graph.cycle.harmonics if graph.cycle else 0 for graph in self.graphs)
        size = max(capacity[0], len(self.graphs)), max(capacity[1], len(self.states))
        self.layout = RowLayout(*size, slot_names, harmonics)
        self.entries = self._entries()
        self.row = self._numbers()

    @property
    def names(self) -> list[str]:
        """Names of the graphs."""
        return [graph.name for graph in self.graphs]

    def index(self, name: str) -> int:
        """Which graph has a name."""
        if name not in self.names:
            raise unknown_name("controller of the repertoire", name, self.names)
        return self.names.index(name)

    def slot(self, name: str) -> int:
        """The number of a slot."""
        return self.layout.slots.index(name)

    def mirrored(self, k: int) -> bool:
        """Whether a state is the mirror image of one as written."""
        return k - self.first[self.owners[k]] >= len(self.graphs[self.owners[k]].states)

    def state_of(self, graph: int, number: int, *, right: bool) -> int:
        """The state of a graph with a number as written and a stance side, or the nearest that there is."""
        number = min(number, len(self.graphs[graph].states) - 1)
        alike = [k for k, g in enumerate(self.owners) if g == graph and self.origins[k] == number]
        sided = [k for k in alike if (self.states[k].state.stance == "right") == right]
        return (sided or alike)[0]

    # -- numbers ---------------------------------------------------------------------------------------------------

    def _numbers(self) -> Array:
        layout, figure = self.layout, self.figure
        row = np.zeros(layout.size)
        row[layout.entry(0) :] = -1.0
        for g, graph in enumerate(self.graphs):
            numbers = graph_numbers(graph, figure, balanced=self.balanced, alone=len(self.graphs) == 1)
            _put(row, layout.graph(g), numbers)
            groups = servo_groups(graph, figure, self.slots)
            for i, slot in enumerate(self.slots):
                _put(row, layout.servo(g, i), servo_numbers(graph, figure, self.slots, slot, groups))
            if layout.harmonics:
                _put(row, layout.cycle(g), cycle_numbers(graph, layout))
        for k, written in enumerate(self.states):
            owner = self.owners[k]
            _put(row, layout.state(k), state_numbers(written, self.graphs[owner], layout.graph(owner)))
            for i, slot in enumerate(self.slots):
                target = written.targets.get(slot.name, rest_target(slot, figure))
                _put(row, layout.target(k, i), TargetField.numbers(**vars(target)))
            _put(row, layout.entry(k), self.entries[k])
        return row

    # -- entries ---------------------------------------------------------------------------------------------------

    def _entries(self) -> NDArray[np.int64]:
        entries = np.full((len(self.states), len(self.graphs)), -1)
        for k, (state, _, after, _) in enumerate(self.states):
            stays = after == k
            number = 0 if stays else self._number(k)
            for h in range(len(self.graphs)):
                found = self._entry(h, number, state.stance, any_stance=stays)
                if h != self.owners[k] and found is not None:
                    entries[k, h] = found
        for state, _, after, _ in self.states:
            if not state.handover:
                entries[after] = -1
        return entries

    def _number(self, k: int) -> int:
        """A state's number among those of its stance: in a graph that is not symmetric since stance last changed."""
        g = self.owners[k]
        if self.graphs[g].symmetric:
            return self.origins[k]
        number = 0
        while k > self.first[g] and self.states[k - 1].state.stance == self.states[k].state.stance:
            k, number = k - 1, number + 1
        return number

    def _entry(self, g: int, number: int, stance: str, *, any_stance: bool) -> int | None:
        graph, first = self.graphs[g], self.first[g]
        if not graph.symmetric:
            return first if number == 0 and (any_stance or self.states[first].state.stance == stance) else None
        if number >= len(graph.states):
            return None
        same = self.states[first + number].state.stance == stance
        return first + number + (0 if same else len(graph.states))

    # -- paths -----------------------------------------------------------------------------------------------------

    def cells(self, path: str) -> list[Cell]:
        """Where in the row a parameter is: (index, sign) pairs, one for each place that it fills.

        The sign is -1 where a mirrored joint turns the other way, or where d and v are to the side.
        """
        labels = {label for graph in self.graphs for label in graph.labels}
        parsed = ParameterPath.parse(path, labels)
        chosen = range(len(self.graphs)) if parsed.graph is None else [self.index(parsed.graph)]
        found = [cell for g in chosen for cell in self._cells(g, parsed)]
        if not found:
            of = f"controller '{self.graph.name}'" if len(self.graphs) == 1 else "the repertoire"
            raise unknown_name(f"parameter of {of}", path, self.paths())
        return found

    def _cells(self, g: int, path: ParameterPath) -> list[Cell]:
        graph, layout = self.graphs[g], self.layout
        if path.state is not None and path.state not in graph.labels:
            return []
        if path.state is None and path.field is None and path.name.upper() in GraphField.__members__:
            return [(layout.graph(g, GraphField[path.name.upper()]), 1.0)]
        if path.name == "cycle" and path.state is None and graph.cycle is not None:
            part = (path.field or "").upper()
            return [(layout.cycle(g, CycleField[part]), 1.0)] if part in ("LEFT", "RIGHT") else []
        servo = path.name if path.field is None else path.field
        if path.state is None and servo.upper() in ServoField.__members__:
            group = "" if path.field is None else path.name
            chosen = [i for i, slot in enumerate(self.slots) if in_group(group, slot, self.figure)]
            return [(layout.servo(g, i, ServoField[servo.upper()]), 1.0) for i in chosen]
        number = None if path.state is None else graph.labels.index(path.state)
        states = [k for k, o in enumerate(self.origins) if self.owners[k] == g and number in (None, o)]
        if path.name == "hold" and path.field is None:
            timed = [k for k in states if not self.states[k].state.contact or path.state is not None]
            return [(layout.state(k, StateField.HOLD), 1.0) for k in timed]
        field = (path.field or "angle").upper()
        if field not in TargetField.__members__:
            return []
        return [cell for k in states for cell in self._target_cell(k, path.name, TargetField[field])]

    def _target_cell(self, k: int, role: str, field: TargetField) -> list[Cell]:
        name, own = role, role in self.layout.slots
        if not own:
            try:
                name = self.figure.joint_for(role, self.states[k].state.stance)
            except FootfallError:
                return []
        if name not in self.layout.slots:
            return []
        slot = self.slots[self.slot(name)]
        mirrored = self.mirrored(k) and (not own or slot.place == "torso")
        sign = float(self.figure.mirror_dofs[1][slot.dof]) if mirrored and field != TargetField.WORLD else 1.0
        if mirrored and field in (TargetField.C_D, TargetField.C_V) and slot.feels != SAGITTAL:
            sign = -sign
        return [(self.layout.target(k, self.slot(name), field), sign)]

    def paths(self) -> list[str]:
        """Names of the parameters, as :meth:`cells` takes them."""
        own = [path for graph in self.graphs for path in self._paths(graph)]
        return own

    def _paths(self, graph: PoseControlGraph) -> list[str]:
        roles = {slot.name for slot in self.slots if slot.place == "torso"}
        for state in graph.states:
            roles |= set(state.targets)
        names = [*(field.name.lower() for field in GraphField), *_CHANGEABLE, "hold"]
        names += [f"{label}.hold" for label in graph.labels]
        names += ["cycle.left", "cycle.right"] if graph.cycle is not None else []
        for role in sorted(roles):
            for part in (field.name.lower() for field in TargetField):
                names += [f"{role}.{part}", *(f"{label}.{role}.{part}" for label in graph.labels)]
        return names if len(self.graphs) == 1 else [f"{graph.name}/{name}" for name in names]

    def value(self, path: str) -> float:
        """A parameter's value, where it is first."""
        index, sign = self.cells(path)[0]
        return float(sign * self.row[index])

    def applied(self, rows: Array, changes: Mapping[str, Any]) -> Array:
        """[W, NP] a copy of rows with parameters replaced, each by a number or one number a world [W].

        Of two paths that fill one place, the one that fills fewer counts.
        """
        rows = np.array(rows)
        for path in sorted(changes, key=lambda path: -len(self.cells(path))):
            numbers = world_numbers(path, changes[path], len(rows))
            for index, sign in self.cells(path):
                rows[:, index] = sign * numbers
        return rows

    # -- indices ---------------------------------------------------------------------------------------------------

    def check_rows(self, rows: Array) -> None:
        """Refuse rows [R, NP] that lead to states or graphs that are not there."""
        layout = self.layout
        if np.array_equal(rows, self.row[None]):
            return
        last, begins = layout.states - 1, [layout.graph(g) for g in range(layout.graphs)]
        rest = rows[:, layout.first_entry : layout.size]
        entries = bool(((rest >= -1) & (rest <= last) & (rest == np.floor(rest))).all())
        for k in range(layout.states):
            where, at = f"parameters: state {k}", layout.state(k)
            check_kernel_index(rows[:, at + StateField.NEXT], 0, last, f"{where}, next", "row")
            check_kernel_index(rows[:, at + StateField.DISTURBED], -1, last, f"{where}, disturbed", "row")
            check_kernel_choice(rows[:, at + StateField.GRAPH], begins, f"{where}, graph", "row")
            for g in range(layout.graphs) if not entries else ():
                check_kernel_index(rows[:, layout.entry(k, g)], -1, last, f"{where}, entry of graph {g}", "row")

    def check_machine(self, memory: Array) -> None:
        """Refuse memories [N, M] that are in states or ask for graphs that are not there."""
        for name, first, count in (("state", 0, len(self.states)), ("request", -1, len(self.graphs))):
            check_kernel_index(memory[:, MACHINE.index(name)], first, count - 1, f"memory: {name}")

    # -- rows as states --------------------------------------------------------------------------------------------

    def target_of(self, row: Array, k: int, name: str) -> Target:
        """The target of a slot in a state, as a row [NP] has it."""
        at = self.layout.target(k, self.slot(name))
        numbers = TargetField.values(row[at : at + len(TargetField)])
        return Target(**{**numbers, "world": numbers["world"] > 0})  # type: ignore[arg-type]
