"""Pose control graphs as the row of numbers that their law reads (:mod:`footfall.control.rows`).

One graph or several: a law that holds several switches between them on request (SIMBICON, sections 4 and 7.1). A
request to go from controller A to B is answered when a state ends: instead of A's state n + 1 comes B's state of the
same number and stance side. Where B has none (a skip's third state has no match in a walk), the request waits for a
later state. A graph that is not symmetric is entered at its first state, from its own stance side; a state that stays
for ever is left at once, for the first state of the graph requested.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import kind_of
from footfall.control.rows import (
    CycleField,
    GraphField,
    ParameterPath,
    RowLayout,
    ServoField,
    StateField,
    TargetField,
    changed_rows,
    check_kernel_choice,
    check_kernel_index,
)
from footfall.control.slots import SAGITTAL, TRANSVERSE, Slot, slots_of
from footfall.errors import FootfallError, check_name, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.graph import (
    LAW,
    PoseControlGraph,
    Reaction,
    Recovery,
    ServoGains,
    Sight,
    State,
    Target,
    TargetCycle,
    check_alike,
)


class WrittenState(NamedTuple):
    """A state of one side.

    Attributes:
        state: as written, with this side's stance.
        targets: by slot.
        after: the number of the state that follows; its own where it stays.
        disturbed: the number of the state to enter when disturbed; -1 for none.
    """

    state: State
    targets: dict[str, Target]
    after: int
    disturbed: int = -1


def write_out(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot]) -> tuple[WrittenState, ...]:
    """A graph's states, and behind them their mirror images if it is symmetric."""
    count = len(graph.states)
    total = 2 * count if graph.symmetric else count
    written = []
    for k in range(total):
        i, turned = k % count, k >= count
        state, after = graph.states[i], graph.successor(i)
        targets = _resolved(graph, figure, slots, i)
        if turned:
            state = replace(state, stance="right" if state.stance == "left" else "left")
            targets = _mirrored(figure, slots, targets)
        there = k if after is None else (after + (count if turned else 0)) % total
        disturbed = graph.labels.index(state.disturbed) + (count if turned else 0) if state.disturbed else -1
        written.append(WrittenState(state, targets, there, disturbed))
    return tuple(written)


def _resolved(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot], index: int) -> dict[str, Target]:
    state, where = graph.states[index], f"controller '{graph.name}', state {graph.labels[index]}"
    names = [slot.name for slot in slots]
    torsos = [slot.name for slot in slots if slot.place == "torso"]
    targets: dict[str, Target] = {}
    for role, target in state.targets.items():
        name = role
        if role not in torsos:
            try:
                name = figure.joint_for(role, state.stance)
            except FootfallError as error:
                raise FootfallError(f"{where}: {error}") from None
        if name not in names:
            raise FootfallError(f"{where}: joint '{name}' has no servo")
        if name in targets:
            raise FootfallError(f"{where}: '{name}' has two targets")
        targets[name] = target
    return targets


def _mirrored(figure: Figure, slots: Sequence[Slot], targets: dict[str, Target]) -> dict[str, Target]:
    perm, sign = figure.mirror_dofs
    by_name, by_dof = {s.name: s for s in slots}, {s.dof: s for s in slots}
    turned = {}
    for name, target in targets.items():
        other = int(np.flatnonzero(perm == by_name[name].dof)[0])
        turned[by_dof[other].name] = mirrored_target(target, by_dof[other], float(sign[other]))
    return turned


def mirrored_target(target: Target, slot: Slot, sign: float) -> Target:
    """A target's mirror image, for a slot whose coordinate changes by ``sign``: d and v to the side change theirs."""
    feedback = sign if slot.feels == SAGITTAL else -sign
    return replace(
        target,
        angle=sign * target.angle,
        c_d=feedback * target.c_d,
        c_v=feedback * target.c_v,
        c_h=sign * target.c_h,
        c_hip=sign * target.c_hip,
    )


STOP_GAINS = (800.0, 80.0)
"""kp and kd of a joint's stops."""
NO_REACTION = Reaction(gain=1.0, delay=0.0, duration=0.0, threshold=0.0)

_PLACING = ("margin", "step", "reach", "gain")
"""Numbers of a controller's sight that place its feet off edges."""

Groups = list[tuple[str, list[Slot]]]


def graph_numbers(graph: PoseControlGraph, figure: Figure, *, balanced: bool, alone: bool) -> list[float]:
    """What a graph says as a whole; ``alone`` is False among other graphs of a repertoire."""
    balance, learned = graph.balance, graph.feedforward
    reaction, recovery, sight = graph.reaction or NO_REACTION, graph.recovery or Recovery(), graph.sight or Sight()
    if not alone and sight.margin == 0:
        sight = replace(sight, reach=0.0)  # beside others that place their feet, it leaves its own alone
    if balanced and balance.sensor not in ("heel", "toe", "any"):
        raise FootfallError(
            f"controller '{graph.name}': balance sensor is '{balance.sensor}'; choose 'heel', 'toe' or 'any'"
        )
    limit_kp, limit_kd = STOP_GAINS if graph.servo.joint_limits else (0.0, 0.0)
    numbers = {name: getattr(balance, name) for name in ("speed", "side_speed", "heading", "heading_rate")}
    numbers |= {f"reaction_{name}": value for name, value in vars(reaction).items()}
    seen = {f"{'edge' if name in _PLACING else 'sight'}_{name}": value for name, value in vars(sight).items()}
    return GraphField.numbers(
        **numbers,
        **seen,
        **{name: min(limit, 1e9) for name, limit in vars(recovery).items()},
        hip_low=balance.hip_range[0],
        hip_high=balance.hip_range[1],
        hip_roll_limit=balance.hip_roll_limit,
        limit_kp=limit_kp,
        limit_kd=limit_kd,
        reference=_reference(graph, figure),
        sensor_heel=balance.sensor != "toe",
        sensor_toe=balance.sensor in ("toe", "any"),
        learning_rate=learned.rate if learned else 0.0,
        feedforward_limit=min(learned.limit, 1e9) if learned else 0.0,
        feedforward_angle=min(learned.limit_angle, 1e9) if learned else 0.0,
    )


def _reference(graph: PoseControlGraph, figure: Figure) -> float:
    """Where d is measured from, as a fraction of the way from heel to toe on a flat foot."""
    reference = graph.balance.reference
    places = {"heel": 0.0, "toe": 1.0}
    if reference == "ankle" and figure.legs:
        leg = figure.legs["left"]
        points = {p.name: float(p.position[0]) for p in figure.points}
        ankle = float(figure.joint(leg.ankle[0]).anchor[0])
        heel, toe = points[leg.heel[0]], points[leg.toe[0]]
        places["ankle"] = (ankle - heel) / (toe - heel)
    if reference not in places:
        raise FootfallError(
            f"controller '{graph.name}': balance reference is '{reference}'; choose 'heel', 'ankle' or 'toe'"
        )
    return places[reference]


def state_numbers(written: WrittenState, graph: PoseControlGraph, begins: int) -> list[float]:
    """A state's way out; its graph's numbers begin at ``begins``."""
    state = written.state
    return StateField.numbers(
        hold=0.0 if state.hold == math.inf else state.hold,
        contact=2.0 if state.contact == "stance" else float(state.contact),
        next=written.after,
        stance=state.stance == "right",
        flight=state.flight,
        graph=begins,
        turns_over=graph.turns_over,
        disturbed=written.disturbed,
    )


def in_group(group: str, slot: Slot, figure: Figure) -> bool:
    """Whether a slot is of a group: by its name, without its side, by its role, or by its place.

    A place ("torso", "hip", "ankle") means what pitches and rolls there; what yaws is named by itself.
    """
    if group in ("", slot.name) or slot.name in (f"left_{group}", f"right_{group}"):
        return True
    if group == slot.place:
        return slot.plane != TRANSVERSE
    return slot.name in figure.roles.get(group, ())


def servo_groups(graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot]) -> Groups:
    """The slots that each of a graph's servos stands for, most slots first."""
    groups = {name: [s for s in slots if in_group(name, s, figure)] for name in graph.servo.joints}
    for name, found in groups.items():
        if not found:
            choices = sorted({*(slot.name for slot in slots), *figure.roles})
            raise FootfallError(f"controller '{graph.name}', servo: {unknown_name('joint', name, choices)}")
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def servo_numbers(
    graph: PoseControlGraph, figure: Figure, slots: Sequence[Slot], slot: Slot, groups: Groups
) -> list[float]:
    """A slot's servo: the figure's gains, unless the graph has some for all joints, for a group or for this one."""
    servo, dof = graph.servo, slot.dof
    found = ServoGains(figure.kp[dof], figure.kd[dof], figure.torque_limit[dof])
    if slot.place == "torso":
        hips = [s for s in slots if s.place == "hip" and s.side == "left"]
        hip = next((s.dof for s in hips if s.plane == slot.plane), hips[0].dof)
        found = ServoGains(figure.kp[hip], figure.kd[hip], math.inf)
    own = ServoGains(servo.kp, servo.kd, servo.torque_limit)
    if graph.law == "torso-servo" and slot.name in figure.body(figure.torso).joints:
        own = ServoGains(*servo.torso, servo.torque_limit)
    for gains in (own, *(servo.joints[name] for name, group in groups if slot in group)):
        found = replace(found, **{name: value for name, value in vars(gains).items() if value is not None})
    numbers = vars(found) | {"torque_limit": min(vars(found)["torque_limit"], 1e9)}
    return ServoField.numbers(**numbers, lower=max(figure.lower[dof], -1e9), upper=min(figure.upper[dof], 1e9))


def cycle_numbers(graph: PoseControlGraph, layout: RowLayout) -> list[float]:
    """A graph's cycle, then the terms of each slot; of a graph without one, a cycle that moves nothing."""
    cycle = graph.cycle or TargetCycle(1.0, 1.0)
    for name in cycle.joints:
        if name not in layout.slots:
            error = unknown_name("joint", name, layout.slots)
            raise FootfallError(f"controller '{graph.name}', cycle: {error}")
    trajectory = {}
    for name in (f"{side}_{what}" for side in ("left", "right") for what in ("d", "d_side", "v", "v_side")):
        trajectory[name], trajectory[f"{name}_end"] = getattr(cycle, name)
    numbers = CycleField.numbers(left=cycle.left, right=cycle.right, **trajectory)
    width = 2 * layout.harmonics
    terms = (cycle.joints.get(name, ()) for name in layout.slots)
    return [*numbers, *(x for t in terms for x in (*t, *([0.0] * (width - len(t)))))]


Array = NDArray[np.float64]
Cell = tuple[int, float]

_CHANGEABLE = ("kp", "kd", "torque_limit")


def _put(row: Array, at: int, numbers: Sequence[float] | NDArray[Any]) -> None:
    row[at : at + len(numbers)] = numbers


@dataclass(frozen=True, eq=False)
class _Same:
    """A graph on a figure as the key of a cache: equal where both are the same objects.

    Attributes:
        graph, figure: these.
        balanced: whether the graph's law balances it.
    """

    graph: PoseControlGraph
    figure: Figure
    balanced: bool

    def __hash__(self) -> int:
        return hash((id(self.graph), id(self.figure), self.balanced))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.graph is other.graph and self.figure is other.figure


class _Written(NamedTuple):
    """A graph on a figure, whatever table it stands in.

    Attributes:
        states: for both sides, numbered from 0.
        targets: [states, slots × fields].
        servos: [slots × fields].
    """

    states: tuple[WrittenState, ...]
    targets: Array
    servos: Array


@lru_cache(maxsize=64)
def _written(same: _Same) -> _Written:
    """Kept, since an edit of one controller makes the table of all those that it may switch to again."""
    graph, figure = same.graph, same.figure
    slots = slots_of(figure, balanced=same.balanced, where=f"controller '{graph.name}'")
    states, groups = write_out(graph, figure, slots), servo_groups(graph, figure, slots)
    rests = {s.name: Target(0.0 if s.place == "torso" else float(figure.default_qpos[s.qpos])) for s in slots}
    targets = [
        [TargetField.numbers(**vars(state.targets.get(name, rest))) for name, rest in rests.items()] for state in states
    ]
    servos = [servo_numbers(graph, figure, slots, slot, groups) for slot in slots]
    return _Written(states, np.array(targets).reshape(len(states), -1), np.array(servos).ravel())


class GraphTable:
    """The numbers of one graph, or of several, for a figure.

    Attributes:
        graphs: the graphs.
        graph: the first.
        slots: what is driven; ``layout`` has their names.
        states: all graphs' states, written out for both sides.
        origins: [states] each state's number in its graph as written.
        owners: [states] which graph it belongs to.
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
        self._parts = [_written(_Same(graph, figure, self.balanced)) for graph in self.graphs]
        written = [part.states for part in self._parts]
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
        check_name("controller of the repertoire", name, self.names)
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
            _put(row, layout.servo(g, 0), self._parts[g].servos)
            if layout.harmonics:
                _put(row, layout.cycle(g), cycle_numbers(graph, layout))
        for k, written in enumerate(self.states):
            owner = self.owners[k]
            _put(row, layout.state(k), state_numbers(written, self.graphs[owner], layout.graph(owner)))
            _put(row, layout.target(k, 0), self._parts[owner].targets[k - self.first[owner]])
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
        """Where in the row graph ``g`` has a parameter; none where it has no such parameter."""
        graph, field = self.graphs[g], path.field
        if path.state is None:
            whole = self._graph_cells(g, path.name, field)
            if whole is not None:
                return whole
        elif path.state not in graph.labels:
            return []
        number = None if path.state is None else graph.labels.index(path.state)
        states = [k for k, o in enumerate(self.origins) if self.owners[k] == g and number in (None, o)]
        if path.name == "hold" and field is None:
            timed = [k for k in states if not self.states[k].state.contact or path.state is not None]
            return [(self.layout.state(k, StateField.HOLD), 1.0) for k in timed]
        part = (field or "angle").upper()
        if part not in TargetField.__members__:
            return []
        return [cell for k in states for cell in self._target_cell(k, path.name, TargetField[part])]

    def _graph_cells(self, g: int, name: str, field: str | None) -> list[Cell] | None:
        """Numbers of a graph as a whole: its own, its cycle's and its servos'; None for what is not one of them."""
        layout = self.layout
        if field is None and name.upper() in GraphField.__members__:
            return [(layout.graph(g, GraphField[name.upper()]), 1.0)]
        if name == "cycle" and self.graphs[g].cycle is not None:
            part = (field or "").upper()
            return [(layout.cycle(g, CycleField[part]), 1.0)] if part in ("LEFT", "RIGHT") else []
        group, servo = ("", name.upper()) if field is None else (name, field.upper())
        if servo not in ServoField.__members__:
            return None
        chosen = [i for i, slot in enumerate(self.slots) if in_group(group, slot, self.figure)]
        return [(layout.servo(g, i, ServoField[servo]), 1.0) for i in chosen]

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
        return [path for graph in self.graphs for path in self._paths(graph)]

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
        """[W, NP] a copy of rows with parameters replaced, each by a number or one number a world [W]."""
        return changed_rows(rows, changes, self.cells)

    # -- indices ---------------------------------------------------------------------------------------------------

    def check_rows(self, rows: Array) -> None:
        """Refuse rows [R, NP] that lead to states or graphs that are not there."""
        layout = self.layout
        if np.array_equal(rows, self.row[None]):
            return
        last, begins = layout.states - 1, [layout.graph(g) for g in range(layout.graphs)]
        at = layout.state(0) + layout.state_width * np.arange(layout.states)
        entries = np.arange(layout.first_entry, layout.size)

        def check(cells: NDArray[np.int64], check: Callable[..., None], wanted: Sequence[Any], words: str) -> None:
            try:
                check(rows[:, cells].ravel(), *wanted, "", "")
            except FootfallError:
                for k, cell in enumerate(cells.tolist()):
                    state, graph = (k, 0) if len(cells) == layout.states else divmod(k, layout.graphs)
                    check(rows[:, cell], *wanted, f"parameters: state {state}, {words.format(graph)}", "row")

        check(at + StateField.NEXT, check_kernel_index, (0, last), "next")
        check(at + StateField.DISTURBED, check_kernel_index, (-1, last), "disturbed")
        check(at + StateField.GRAPH, check_kernel_choice, (begins,), "graph")
        check(entries, check_kernel_index, (-1, last), "entry of graph {}")

    # -- rows as states --------------------------------------------------------------------------------------------

    def target_of(self, row: Array, k: int, name: str) -> Target:
        """The target of a slot in a state, as a row [NP] has it."""
        at = self.layout.target(k, self.slot(name))
        numbers = TargetField.values(row[at : at + len(TargetField)])
        return Target(**{**numbers, "world": numbers["world"] > 0})  # type: ignore[arg-type]
