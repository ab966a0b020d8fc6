"""A character: a figure under one or several controllers, ready to become a module.

This is the one place where live pages know how simulations and laws are built.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.control.rows import TargetField
from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.lying import skin_rows
from footfall.dynamics.mechanism import body_rows
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.simulation.ragdoll import Ragdoll
from footfall.simulation.remembered import built_anew
from footfall.simulation.rollout import Rollout
from footfall.terrain import Terrain, TerrainProfile

__all__ = ["LEVEL", "Character", "Gait", "Parameter", "characters_of"]

NEVER = 1e9
LEVEL = TerrainProfile(x=(-1.0, 1.0), z=(0.0, 0.0))
"""Level ground as a profile, so that a page can go from it to slopes and stairs."""


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
        dt: time step, seconds; by default the first controller's.
        terrain: where it starts; the kind of terrain (profile or grid) is compiled in.
        changes: parameters that begin with another value, by path.
    """

    def __init__(
        self,
        graphs: Sequence[PoseControlGraph],
        figure: Figure,
        *,
        dt: float | None = None,
        terrain: Terrain = LEVEL,
        changes: Mapping[str, float] | None = None,
    ) -> None:
        self.graphs, self.figure, self.changes = tuple(graphs), figure, dict(changes or {})
        self._dt = dt
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
            self.simulation.integrator,
            self.ground.law,
        )

    @cached_property
    def simulation(self) -> Simulation:
        """One world of it that continues as a ragdoll after a fall. Nothing is compiled until it steps."""
        pushes = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, place) for body, place in self.places]
        with built_anew():
            return Simulation(
                self.graphs[0],
                law=self.law,
                figure=self.figure,
                terrain=self.terrain,
                pushes=pushes,
                body=self.figure.body_parameters(),
                dt=self._dt,
                threads=1,
                ragdoll_after_fall=True,
                efforts=False,
            )

    @property
    def dt(self) -> float:
        """Time step, seconds."""
        return self.simulation.dt

    @property
    def rollout(self) -> Rollout:
        """Its kernel."""
        return self.simulation.rollout

    @property
    def ragdoll(self) -> Ragdoll:
        """The kernel of its fallen body."""
        with built_anew():
            return self.simulation.ragdoll

    @property
    def skin_row(self) -> np.ndarray:
        """[cells] the balls of its skin."""
        return np.asarray(skin_rows(self.figure.skin)[0])

    @property
    def unrolled(self) -> int:
        """The longest loop that must be written out: over joints and over points that are no feet."""
        off_foot = sum(p.foot is None and p.ground for p in self.figure.points)
        return max(len(self.table.layout.slots), off_foot)

    @property
    def table(self) -> GraphTable:
        """The controllers' numbers by name."""
        table: GraphTable = self.law.table  # type: ignore[attr-defined]
        return table

    @property
    def points(self) -> list[str]:
        """Names of the points whose contact the module tells, in the order of its bits."""
        return [p.name for p in self.rollout.types.compiled.points]

    @property
    def row(self) -> np.ndarray:
        """[NP] the controllers' numbers, changed."""
        return np.asarray(self.table.applied(np.atleast_2d(self.law.parameters), self.changes)[0])

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
        return self.simulation.grounds[0]

    @property
    def switches(self) -> bool:
        """Whether it can go from one controller to another while it runs."""
        return len(self.graphs) > 1

    @cached_property
    def gaits(self) -> tuple[Gait, ...]:
        """Its controllers."""
        return tuple(self._gait(g) for g in range(len(self.graphs)))

    @property
    def memory_names(self) -> tuple[str, ...]:
        """What the law remembers."""
        return tuple(self.law.plan.memory.names)  # type: ignore[attr-defined]

    def _gait(self, g: int) -> Gait:
        graph, table = self.graphs[g], self.table
        start = graph.start
        memory = np.array(self.law.memory, dtype=float)
        memory[self.memory_names.index("state")] = table.first[g] + (0 if start is None else start.state)
        qpos = self.figure.standing_qpos()[0] if start is None else np.asarray(start.qpos)
        qvel = np.zeros(self.figure.nv) if start is None else np.asarray(start.qvel)
        return Gait(
            graph,
            tuple(map(float, qpos)),
            tuple(map(float, qvel)),
            tuple(map(float, memory)),
            tuple(table.graphs[g].labels),
            tuple(self._parameters(g)),
            tuple(self._states(g)),
        )

    def _states(self, g: int) -> Iterator[dict[str, Any]]:
        """States with where their targets are. Only in the plane is a target with its feedback one number; in space
        those of hips and torso are against the world and left out."""
        table, planar = self.table, self.figure.root == "planar"
        for k, owner in enumerate(table.owners):
            if owner != g:
                continue
            state = table.states[k].state
            targets, world = {}, []
            for i, slot in enumerate(table.slots):
                if table.balanced and slot.place == "hip" and (not planar or slot.side == state.stance):
                    continue
                if table.balanced and slot.place == "hip":
                    world.append(slot.name)
                fed = (TargetField.ANGLE, TargetField.C_D, TargetField.C_V) if table.balanced and planar else (0,)
                targets[slot.name] = [table.layout.target(k, i, field) for field in fed]
            label = table.graphs[g].labels[table.origins[k]]
            yield {"number": k, "label": label, "stance": state.stance, "targets": targets, "world": world}

    def _parameters(self, g: int) -> Iterator[Parameter]:
        table = self.table
        graph, seen = table.graphs[g], set()
        for path in _paths(table, graph):
            cells = tuple((int(i), float(s)) for i, s in table.cells(f"{graph.name}/{path}"))
            if cells in seen:
                continue
            seen.add(cells)
            label, dot, _ = path.partition(".")
            index, sign = cells[0]
            value = float(sign * table.row[index])
            yield Parameter(path, value, cells, label if dot and label in graph.labels else "")


def _paths(table: GraphTable, graph: PoseControlGraph) -> list[str]:
    """The parameters worth a slider: those of single states, the whole controller's, and each joint's gains."""
    joints = dict.fromkeys(name.removeprefix("left_").removeprefix("right_") for name in table.layout.slots)
    gains = [f"{joint}.{part}" for joint in joints for part in ("kp", "kd", "torque_limit")]
    paths = [path.removeprefix(f"{graph.name}/") for path in table.paths() if path.startswith(f"{graph.name}/")]
    paths = paths or table.paths()
    own = [p for p in paths if p.partition(".")[0] in graph.labels and "." in p and not p.endswith(".world")]
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
        replace(s, **{key: numbers.get(getattr(s, key), getattr(s, key)) for key in ("name", "next", "disturbed")})
        for s in graph.states
    )
    return graph.changed(name=name, states=tuple(states))


def _law(graphs: Sequence[PoseControlGraph], figure: Figure) -> Law:
    """One law for all graphs; where it has room for more, controllers of all sizes share a module."""
    return kind_of(graphs[0]).shared_law(graphs, figure)


def characters_of(graphs: Sequence[PoseControlGraph], figure: Figure | None = None, **options: Any) -> list[Character]:
    """Characters for controllers: those that can switch while they run share one. ``options`` are a character's."""
    groups: dict[Any, list[PoseControlGraph]] = {}
    figures: dict[str, Figure] = {}
    for n, graph in enumerate(graphs):
        body = figure if figure is not None else figures.setdefault(graph.figure, Figure.load(graph.figure))
        figures[body.name] = body
        plain = graph.feedforward is None and graph.servo.stable == "" and graph.integration is None
        together = kind_of(graph).abilities(graph).switch and plain and graph.ground is None
        groups.setdefault((body.name, graph.law) if together else (body.name, n), []).append(graph)
    return [Character(group, figures[name], **options) for (name, _), group in groups.items()]


def _triple(v: Any) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
