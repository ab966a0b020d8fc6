"""A character: a figure under one or several controllers, ready to become a module.

This is the one place where live pages know how simulations and laws are built.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law
from footfall.control.laws import law_of
from footfall.control.transitions import Repertoire
from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.mechanism import body_rows
from footfall.figures import Figure
from footfall.simulation import Push, Simulation
from footfall.simulation.rollout import Rollout
from footfall.studio.core.padded_law import RoomyLaw
from footfall.terrain import Terrain, TerrainProfile

__all__ = ["Character", "Gait", "Parameter", "characters_of"]

NEVER = 1e9
LEVEL = TerrainProfile(x=(-1.0, 1.0), z=(0.0, 0.0))
HEAD_GROUP, GAINS_GROUP = "balance", "gains"


@dataclass(frozen=True)
class Parameter:
    """A number of a controller that can be changed while it runs.

    Attributes:
        path: its name, as ``footfall run --set`` takes it.
        cells: where it is in the row of parameters, with the sign it has there.
        state: the label of the state it belongs to; empty for the whole controller.
    """

    path: str
    value: float
    cells: tuple[tuple[int, float], ...]
    state: str


@dataclass(frozen=True)
class Gait:
    """One of a character's controllers: where it starts and what can be changed.

    Attributes:
        states: for each state of the row that belongs to it: the state's number among all, its label and stance, and by
            joint where its target angle and feedback gains are in the row.
    """

    graph: PoseControlGraph
    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    memory: tuple[float, ...]
    labels: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    states: tuple[dict[str, Any], ...]


class Character:
    """A figure and the controllers it can switch between while it runs.

    Args:
        graphs: the controllers; the first one starts. All of one figure and one law.
        figure: the figure.
        dt: time step, seconds.
        terrain: where it starts; the kind of terrain (profile or grid) is compiled in.
        changes: parameters that begin with another value, by path.
    """

    def __init__(
        self,
        graphs: Sequence[PoseControlGraph],
        figure: Figure,
        *,
        dt: float = 0.001,
        terrain: Terrain = LEVEL,
        changes: Mapping[str, float] | None = None,
    ) -> None:
        self.graphs, self.figure, self.dt, self.changes = tuple(graphs), figure, dt, dict(changes or {})
        self.terrain = LEVEL if terrain.kind == "flat" else terrain
        self.law = _law([_plainly_named(graph, f"gait-{k}") for k, graph in enumerate(self.graphs)], figure)

    @property
    def name(self) -> str:
        """That of its first controller."""
        return self.graphs[0].name

    @cached_property
    def places(self) -> list[tuple[str, tuple[float, float, float]]]:
        """(body, point) where forces can act: the usual place of a push, then every body's centre of mass."""
        usual = Push(0.0, 0.0, 0.0).place_on(self.figure)
        coms = [(b.name, _triple(b.com)) for b in self.figure.bodies]
        return [(self.figure.bodies[usual[0]].name, _triple(usual[1])), *coms]

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What the module depends on; equal for characters that share one."""
        model = self.figure.model
        joints = (model.dof_armature, model.dof_damping, model.jnt_stiffness, model.jnt_axis, model.jnt_pos)
        return (
            self.figure.xml,
            tuple(self.places),
            tuple((p.name, p.body, p.foot, p.ground) for p in self.figure.points),
            tuple(np.asarray(a).tobytes() for a in joints),
            self.law.key,
            len(self.law.memory),
            self.terrain.kind,
        )

    @cached_property
    def simulation(self) -> Simulation:
        """One world of it that goes on, limp, after a fall. Nothing is compiled until it steps."""
        pushes = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, place) for body, place in self.places]
        start = self.graphs[0].start
        return Simulation(
            law=self.law,
            figure=self.figure,
            terrain=self.terrain,
            pushes=pushes,
            body=self.figure.body_parameters(),
            qpos=None if start is None else start.qpos,
            qvel=None if start is None else start.qvel,
            dt=self.dt,
            threads=1,
            limp_after_fall=True,
            efforts=False,
        )

    @property
    def rollout(self) -> Rollout:
        """Its kernel."""
        return self.simulation.rollout

    @property
    def unrolled(self) -> int:
        """The longest loop that must be written out: over joints and over points that are no feet."""
        off_foot = sum(p.foot is None and p.ground for p in self.figure.points)
        return max(len(self.law.table.slots), off_foot, self.figure.nv - {"planar": 3, "free": 6, "fixed": 0}[self.figure.root])  # type: ignore[attr-defined]

    @property
    def points(self) -> list[str]:
        """Names of the points whose contact the module tells, in the order of its bits."""
        return [p.name for p in self.rollout.types.compiled.points]

    @property
    def row(self) -> np.ndarray:
        """[NP] the controllers' numbers, changed."""
        table = self.law.table  # type: ignore[attr-defined]
        return np.asarray(table.applied(np.atleast_2d(self.law.parameters), self.changes)[0])

    @property
    def body_row(self) -> np.ndarray:
        """[cells] sizes and masses of the bodies, the contact points, gravity."""
        gravity = np.asarray(self.figure.model.opt.gravity)
        return np.asarray(body_rows(self.figure.body_parameters(), gravity)[0])

    def terrain_row(self, terrain: Terrain) -> np.ndarray:
        """[cells] the table of a terrain of this character's kind."""
        return np.asarray(terrain_table([LEVEL if terrain.kind == "flat" else terrain])[1][0])

    @property
    def ground(self) -> Ground:
        """How hard and rough the ground is by default."""
        return Ground()

    @property
    def switches(self) -> bool:
        """Whether it can go from one controller to another while it runs."""
        return isinstance(self.law.table, Repertoire) and len(self.graphs) > 1  # type: ignore[attr-defined]

    @cached_property
    def gaits(self) -> tuple[Gait, ...]:
        """Its controllers."""
        return tuple(self._gait(g) for g in range(len(self.graphs)))

    def _gait(self, g: int) -> Gait:
        graph, whole = self.graphs[g], self.law.table  # type: ignore[attr-defined]
        several = isinstance(whole, Repertoire)
        table = whole.tables[g] if several else whole
        prefix, first = (f"{table.graph.name}/", int(whole.first[g])) if several else ("", 0)
        start = graph.start
        own = law_of(graph, self.figure)
        memory = np.array(self.law.memory, dtype=float)
        memory[: len(own.memory)] = own.memory[: len(memory)]
        memory[0] += first
        qpos = self.simulation.qpos[0] if start is None else np.asarray(start.qpos)
        qvel = np.zeros(self.figure.nv) if start is None else np.asarray(start.qvel)
        return Gait(
            graph,
            tuple(map(float, qpos)),
            tuple(map(float, qvel)),
            tuple(map(float, memory)),
            tuple(table.graph.labels),
            tuple(_parameters(whole, table, prefix)),
            tuple(self._states(whole, table, prefix, first)),
        )

    def _states(self, whole: Any, table: Any, prefix: str, first: int) -> Iterator[dict[str, Any]]:
        labels = table.graph.labels
        feedback = table.balanced
        parts = [part for part in ("angle", "c_d", "c_v") if part == "angle" or feedback]
        for k, (state, _, _) in enumerate(table.states):
            origin = table.origins[k]
            among = [i for i, o in enumerate(table.origins) if o == origin].index(k)
            targets = {
                slot: [int(whole.cells(f"{prefix}{labels[origin]}.{slot}.{part}")[among][0]) for part in parts]
                for slot in table.slots
            }
            world: list[str] = []
            if feedback:
                legs = self.figure.legs
                targets.pop(legs[state.stance].hip[0], None)
                world = [legs["right" if state.stance == "left" else "left"].hip[0]]
            yield {
                "number": first + k,
                "label": labels[origin],
                "stance": state.stance,
                "targets": targets,
                "world": world,
            }


def _parameters(whole: Any, table: Any, prefix: str) -> Iterator[Parameter]:
    labels = table.graph.labels
    seen: set[tuple[tuple[int, float], ...]] = set()
    for path in _paths(table):
        cells = tuple((int(i), float(s)) for i, s in whole.cells(prefix + path))
        if cells in seen:
            continue
        seen.add(cells)
        label, dot, _ = path.partition(".")
        index, sign = cells[0]
        value = float(sign * np.asarray(whole.row)[index])
        yield Parameter(path, value, cells, label if dot and label in labels else "")


def _paths(table: Any) -> list[str]:
    """The parameters worth a slider: those of single states, the whole controller's, and each joint's gains."""
    joints = dict.fromkeys(slot.removeprefix("left_").removeprefix("right_") for slot in table.slots)
    gains = [f"{joint}.{part}" for joint in joints for part in ("kp", "kd", "torque_limit")]
    labels = table.graph.labels
    paths = table.paths()
    own = [p for p in paths if p.partition(".")[0] in labels and "." in p]
    if not table.balanced:  # plain servos have no feedback
        own = [p for p in own if p.rpartition(".")[2] in ("angle", "hold")]
    whole = [p for p in paths if "." not in p and p not in ("hold", "kp", "kd", "torque_limit") and table.balanced]
    return [*own, *whole, *gains]


def _plainly_named(graph: PoseControlGraph, name: str) -> PoseControlGraph:
    """The graph under a name that paths can hold; its states are numbered where their names are no plain words."""
    if all(re.fullmatch(r"[\w-]*", state.name) for state in graph.states):
        return graph.changed(name=name)
    numbers = {state.name: f"state-{k}" for k, state in enumerate(graph.states) if state.name}
    states = (
        replace(s, name=numbers.get(s.name, s.name), next=numbers.get(s.next, s.next)) for s in graph.states
    )
    return graph.changed(name=name, states=tuple(states))


def _law(graphs: Sequence[PoseControlGraph], figure: Figure) -> Law:
    """One law for all graphs. SIMBICON's has room for more, so that controllers of all sizes share a module."""
    law = law_of(graphs[0], figure)
    return RoomyLaw(graphs, figure) if graphs[0].law == "simbicon" and not getattr(law, "bins", 0) else law


def characters_of(
    graphs: Sequence[PoseControlGraph], figure: Figure | None = None, **options: Any
) -> list[Character]:
    """Characters for controllers: those that can switch while they run share one."""
    groups: dict[Any, list[PoseControlGraph]] = {}
    figures: dict[str, Figure] = {}
    for n, graph in enumerate(graphs):
        body = figure if figure is not None else figures.setdefault(graph.figure, Figure.load(graph.figure))
        figures[body.name] = body
        together = graph.law == "simbicon" and graph.feedforward is None and graph.servo.stable == ""
        groups.setdefault((body.name, graph.law) if together else (body.name, n), []).append(graph)
    return [Character(group, figures[name], **options) for (name, _), group in groups.items()]


def _triple(v: Any) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
