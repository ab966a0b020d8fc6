"""A pose control graph as the row of numbers that its law reads.

The states are written out for both sides, roles resolved to joints. The row holds the graph's own numbers, then each
slot's servo (a slot is the torso or a joint), then each state's way out and targets. Cells have names, so that a study
or an editor can change any of them, in one world or in all: ``swing_hip.c_v`` (in every state), ``1.swing_hip.c_d`` (in
state 1 and its mirror image), ``0.hold``, ``kp``, ``left_knee.kp``, ``speed``, ``torque_limit``.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import astuple, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph, Sight, State, Target
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure

__all__ = ["GraphTable", "replace_cells"]

HEAD = (
    "speed",
    "hip_low",
    "hip_high",
    "limit_kp",
    "limit_kd",
    "reference",
    "sensor_heel",
    "sensor_toe",
    "reaction_threshold",
    "reaction_delay",
    "reaction_duration",
    "reaction_gain",
    "learning_rate",
    "feedforward_limit",
    "sight_ahead",
    "sight_per_speed",
    "sight_threshold",
    "sight_boost",
    "sight_drop",
    "edge_margin",
    "edge_step",
    "edge_reach",
    "edge_gain",
)
"""reference: where on the stance foot d is measured from, 0 its heel, 1 its toe. sensor_heel, sensor_toe: whether the
swing foot's heel and toe end a state. The rest belongs to the graph's ``Reaction``, ``FeedForward`` and ``Sight``."""
SERVO = ("kp", "kd", "torque_limit", "lower", "upper")
EXIT = ("hold", "contact", "next", "stance", "flight", "block", "tumbles")
"""block: where in the row the head and servos of the state's graph begin. tumbles: whether that graph's torso may turn
over."""
TARGET = tuple(f.name for f in fields(Target))
TORSO = "torso"


class GraphTable:
    """The numbers of a graph for a figure.

    Attributes:
        slots: the torso (under the law "simbicon") and every actuated joint.
        dofs: [slots] the degree of freedom of each slot.
        states: the states written out for both sides.
        row: [NP] the numbers.
    """

    def __init__(self, graph: PoseControlGraph, figure: Figure) -> None:
        self.graph, self.figure = graph, figure
        joints = [j for j in figure.joints if j.actuated]
        for joint in joints:
            if joint.ndof != 1:
                raise FootfallError(
                    f"controller '{graph.name}': joint '{joint.name}' is a {joint.kind}; graphs drive hinges and slides"
                )
        self.balanced = graph.law == "simbicon"
        self.slots = ([TORSO] if self.balanced else []) + [j.name for j in joints]
        if self.balanced and figure.root != "planar":
            raise FootfallError(
                f"controller '{graph.name}': law 'simbicon' needs a planar figure; '{figure.name}' is {figure.root}"
            )
        self.dofs = ([2] if self.balanced else []) + [j.dof for j in joints]
        self.states, self.origins = self._written_out()
        self.row = self._numbers()

    @property
    def width(self) -> int:
        """Numbers a state."""
        return len(EXIT) + len(TARGET) * len(self.slots)

    @property
    def first_servo(self) -> int:
        """Where the servos begin."""
        return len(HEAD)

    @property
    def first_state(self) -> int:
        """Where the states begin."""
        return len(HEAD) + len(SERVO) * len(self.slots)

    def _written_out(self) -> tuple[list[tuple[State, dict[str, Target], int]], list[int]]:
        graph, count = self.graph, len(self.graph.states)
        written: list[tuple[State, dict[str, Target], int | None]] = []
        for i, state in enumerate(graph.states):
            after = graph.successor(i)
            written.append((state, self._resolved(state, i), after))
        origins = list(range(count))
        if not graph.symmetric:
            return [(s, t, i if t_next is None else t_next) for i, (s, t, t_next) in enumerate(written)], origins
        total = 2 * count
        both = []
        for side in (0, 1):
            for i, (state, targets, after) in enumerate(written):
                stance = state.stance if side == 0 else ("right" if state.stance == "left" else "left")
                turned = targets if side == 0 else self._mirrored(targets)
                here = i + side * count
                there = here if after is None else (after + side * count) % total
                both.append((replace(state, stance=stance), turned, there))
        return both, origins * 2

    def _resolved(self, state: State, index: int) -> dict[str, Target]:
        targets: dict[str, Target] = {}
        for role, target in state.targets.items():
            name = role
            if not (self.balanced and role == TORSO):
                try:
                    name = self.figure.joint_for(role, state.stance)
                except FootfallError as error:
                    raise FootfallError(f"controller '{self.graph.name}', state {index}: {error}") from None
            if name not in self.slots:
                raise FootfallError(f"controller '{self.graph.name}', state {index}: joint '{name}' has no servo")
            if name in targets:
                raise FootfallError(f"controller '{self.graph.name}', state {index}: '{name}' has two targets")
            targets[name] = target
        return targets

    def _mirrored(self, targets: dict[str, Target]) -> dict[str, Target]:
        perm, sign = self.figure.mirror_dofs
        name_of = {d: n for n, d in zip(self.slots, self.dofs, strict=True)}
        turned = {}
        for name, target in targets.items():
            dof = self.dofs[self.slots.index(name)]
            other = int(np.flatnonzero(perm == dof)[0])
            s = float(sign[other])
            turned[name_of[other]] = Target(*(s * getattr(target, part) for part in TARGET))
        return turned

    def _numbers(self) -> NDArray[np.float64]:
        graph, figure = self.graph, self.figure
        row = self._head()
        for name, dof in zip(self.slots, self.dofs, strict=True):
            gains = (figure.kp[dof], figure.kd[dof], figure.torque_limit[dof])
            if name == TORSO and self.balanced:
                hip = self.dofs[self.slots.index(figure.legs["left"].hip[0])]
                gains = (figure.kp[hip], figure.kd[hip], np.inf)
            own = (graph.servo.kp, graph.servo.kd, graph.servo.torque_limit)
            if graph.law == "torso-servo" and name in figure.body(figure.torso).joints:
                own = (*graph.servo.torso, own[2])
            values = [float(g if o is None else o) for g, o in zip(gains, own, strict=True)]
            row += [*values[:2], min(values[2], 1e9), max(figure.lower[dof], -1e9), min(figure.upper[dof], 1e9)]
        for state, targets, after in self.states:
            contact = 2.0 if state.contact == "stance" else float(state.contact)
            row += [
                0.0 if state.hold == math.inf else state.hold,
                contact,
                float(after),
                float(state.stance == "right"),
            ]
            row += [float(state.flight), 0.0, float(graph.tumbles)]
            for name, dof in zip(self.slots, self.dofs, strict=True):
                target = targets.get(name, Target(0.0 if name == TORSO else self._rest(dof)))
                row += [getattr(target, part) for part in TARGET]
        return np.array(row)

    def _head(self) -> list[float]:
        graph = self.graph
        balance, reaction, forward = graph.balance, graph.reaction, graph.feedforward
        references = {"heel": 0.0, "toe": 1.0}
        if balance.reference == "ankle" and self.figure.legs:
            references["ankle"] = self._ankle()
        if balance.reference not in references:
            raise FootfallError(
                f"controller '{graph.name}': balance reference is '{balance.reference}'; "
                "choose 'heel', 'ankle' or 'toe'"
            )
        if self.balanced and balance.sensor not in ("heel", "toe", "any"):
            raise FootfallError(
                f"controller '{graph.name}': balance sensor is '{balance.sensor}'; choose 'heel', 'toe' or 'any'"
            )
        return [
            balance.speed,
            *balance.hip_range,
            *((800.0, 80.0) if graph.servo.joint_limits else (0.0, 0.0)),
            references[balance.reference],
            float(balance.sensor in ("heel", "any")),
            float(balance.sensor in ("toe", "any")),
            *(
                (reaction.threshold, reaction.delay, reaction.duration, reaction.gain)
                if reaction
                else (0.0, 0.0, 0.0, 1.0)
            ),
            *((forward.rate, forward.limit) if forward else (0.0, 0.0)),
            *astuple(graph.sight or Sight()),
        ]

    def _ankle(self) -> float:
        """Where between heel and toe the ankle stands on a flat foot, as a fraction of the way."""
        leg = self.figure.legs["left"]
        places = {p.name: float(p.position[0]) for p in self.figure.points}
        ankle = float(self.figure.joint(leg.ankle[0]).anchor[0])
        heel, toe = places[leg.heel[0]], places[leg.toe[0]]
        return (ankle - heel) / (toe - heel)

    def _rest(self, dof: int) -> float:
        joint = next(j for j in self.figure.joints if j.dof == dof)
        return float(self.figure.default_qpos[joint.qpos])

    def cells(self, path: str) -> list[tuple[int, float]]:
        """Where in the row a parameter stands: (index, sign) pairs, one for each place that it fills.

        The sign is -1 where a mirrored joint turns the other way.
        """
        found = self._head_cells(path) or self._servo_cells(path) or self._state_cells(path)
        if not found:
            raise unknown_name(f"parameter of controller '{self.graph.name}'", path, self.paths())
        return found

    def _head_cells(self, path: str) -> list[tuple[int, float]]:
        return [(HEAD.index(path), 1.0)] if path in HEAD else []

    def _servo_cells(self, path: str) -> list[tuple[int, float]]:
        slot, _, part = path.rpartition(".")
        if part not in SERVO or slot.split(".")[0].isdigit():
            return []
        chosen = [i for i, name in enumerate(self.slots) if self._matches(slot, name)]
        return [(self.first_servo + len(SERVO) * i + SERVO.index(part), 1.0) for i in chosen]

    @staticmethod
    def _matches(slot: str, name: str) -> bool:
        return slot in ("", name) or name in (f"left_{slot}", f"right_{slot}")

    def _state_cells(self, path: str) -> list[tuple[int, float]]:
        label, dot, rest = path.partition(".")
        labels = self.graph.labels
        if dot and label in labels:
            chosen = [k for k, o in enumerate(self.origins) if o == labels.index(label)]
        else:
            chosen, rest = list(range(len(self.states))), path
        if rest == "hold":
            timed = [k for k in chosen if not self.states[k][0].contact or label in labels]
            return [(self.first_state + self.width * k, 1.0) for k in timed]
        role, _, part = rest.partition(".")
        part = part or "angle"
        if part not in TARGET:
            return []
        cells = []
        for k in chosen:
            name = self._slot_of(role, k)
            if name is not None:
                i = self.slots.index(name)
                at = self.first_state + self.width * k + len(EXIT) + len(TARGET) * i + TARGET.index(part)
                cells.append((at, self._sign(role, k, name)))
        return cells

    def _slot_of(self, role: str, k: int) -> str | None:
        if role in self.slots:
            return role
        try:
            name = self.figure.joint_for(role, self.states[k][0].stance)
        except FootfallError:
            return None
        return name if name in self.slots else None

    def _sign(self, role: str, k: int, name: str) -> float:
        mirrored = self.graph.symmetric and k >= len(self.graph.states)
        if not mirrored or role in self.slots:
            return 1.0
        return float(self.figure.mirror_dofs[1][self.dofs[self.slots.index(name)]])

    def paths(self) -> list[str]:
        """Names of the parameters, as :meth:`cells` takes them."""
        roles = {TORSO} if self.balanced else set()
        for state in self.graph.states:
            roles |= set(state.targets)
        names = [*HEAD, *SERVO[:3], "hold"]
        names += [f"{label}.hold" for label in self.graph.labels]
        for role in sorted(roles):
            names += [f"{role}.{part}" for part in TARGET]
            names += [f"{label}.{role}.{part}" for label in self.graph.labels for part in TARGET]
        return names

    def value(self, path: str) -> float:
        """A parameter's value, where it first stands."""
        index, sign = self.cells(path)[0]
        return float(sign * self.row[index])

    def applied(self, rows: NDArray[np.float64], changes: dict[str, Any]) -> NDArray[np.float64]:
        """[W, NP] a copy of rows with parameters replaced, each by a number or one number a world [W]."""
        return replace_cells(self.cells, rows, changes)


def replace_cells(
    cells: Callable[[str], list[tuple[int, float]]], rows: NDArray[np.float64], changes: Mapping[str, Any]
) -> NDArray[np.float64]:
    """[W, NP] a copy of rows with the cells of each path replaced, by a number or one number a world [W]."""
    rows = np.array(rows)
    for path, values in changes.items():
        array = np.asarray(values, dtype=float)
        if array.size not in (1, len(rows)):
            raise FootfallError(
                f"parameter '{path}' has {array.size} values for {len(rows)} worlds; give 1 or {len(rows)}"
            )
        if not np.all(np.isfinite(array)):
            raise FootfallError(f"parameter '{path}' holds a number that is not finite")
        for index, sign in cells(path):
            rows[:, index] = sign * array.reshape(-1)
    return rows
