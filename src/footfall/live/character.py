"""A character: a figure under one or several controllers, ready to become a module.

This is the one place where live pages know how simulations and laws are built.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.control.kind import Controller, Knobs
from footfall.control.law import is_guest
from footfall.control.registry import kind_of
from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.lying import skin_rows
from footfall.dynamics.mechanism import body_rows
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.live.source import ModuleSource, module_source
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.simulation.kernels import built_anew
from footfall.terrain import Terrain, TerrainProfile

NEVER = 1e9
LEVEL = TerrainProfile(x=(-1.0, 1.0), z=(0.0, 0.0))
"""Level ground as a profile, so that a page can go from it to slopes and stairs."""


@dataclass(frozen=True)
class LiveGait:
    """One of a character's controllers: where it starts and what can be changed."""

    controller: Controller
    qpos: tuple[float, ...]
    qvel: tuple[float, ...]
    knobs: Knobs


class Character:
    """A figure and the controllers it can switch between while it runs.

    Args:
        controllers: the first one starts. All of one figure and one law.
        figure: the figure.
        dt: time step, seconds; by default the first controller's.
        terrain: where it starts; the kind of terrain (profile or grid) is compiled in.
        changes: parameters that begin with another value, by path.
        solid: whether its limbs touch each other; by default as simulations have it.
    """

    def __init__(
        self,
        controllers: Sequence[Controller],
        figure: Figure,
        *,
        dt: float | None = None,
        terrain: Terrain = LEVEL,
        changes: Mapping[str, float] | None = None,
        solid: bool | None = None,
    ) -> None:
        self.solid = solid
        self.controllers, self.figure, self.changes = tuple(controllers), figure, dict(changes or {})
        self.kind = kind_of(self.controllers[0])
        self._dt = dt
        self.terrain = LEVEL if terrain.kind == "flat" else terrain
        self.law = self.kind.page_law(self.controllers, figure)

    @property
    def name(self) -> str:
        """That of its first controller."""
        return self.controllers[0].name

    @cached_property
    def places(self) -> list[tuple[str, tuple[float, float, float]]]:
        """(body, point) where forces can act: the usual point of a push, then every body's centre of mass."""
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
            self._law_key,
            len(self.law.memory),
            self.terrain.kind,
            self.simulation.integrator,
            self.ground.law,
            *(["solid"] if self.simulation.solid else []),
        )

    @property
    def _law_key(self) -> Any:
        """The law's key; that of a law of another package with its class and its library, which is compiled in."""
        law = self.law
        return (repr(type(law)), id(type(law)), law.key, law.library.tobytes()) if is_guest(law) else law.key

    @cached_property
    def simulation(self) -> Simulation:
        """One world of it that continues as a ragdoll after a fall. Nothing is compiled until it steps."""
        pushes = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, place) for body, place in self.places]
        with built_anew(for_text=True):
            return Simulation(
                self.controllers[0],
                law=self.law,
                figure=self.figure,
                terrain=self.terrain,
                pushes=pushes,
                body=self.figure.body_parameters(),
                dt=self._dt,
                threads=1,
                ragdoll_after_fall=True,
                solid=self.solid,
                efforts=False,
            )

    def source(self) -> ModuleSource:
        """The C++ text of its module. Loops over joints and over points that are no feet are written out."""
        off_foot = sum(p.foot is None and p.ground for p in self.figure.points)
        library, skin = np.asarray(self.law.library, dtype=float), np.asarray(skin_rows(self.figure.skin)[0])
        with built_anew(for_text=True):
            ragdoll = self.simulation.ragdoll
        unrolled, own = max(self.law.unrolled, off_foot), library if library.size > 1 else None
        return module_source(self.simulation.rollout, ragdoll, skin, unrolled, own)

    @property
    def points(self) -> list[str]:
        """Names of the points whose contact the module reports, in the order of its bits."""
        return [p.name for p in self.simulation.rollout.types.compiled.points]

    @property
    def row(self) -> np.ndarray:
        """[NP] the controllers' numbers, changed."""
        return np.asarray(self.law.applied(np.atleast_2d(self.law.parameters), self.changes)[0])

    @property
    def body_row(self) -> np.ndarray:
        """[cells] sizes and masses of the bodies, the contact points, ends of solid limbs, gravity."""
        gravity, solid = np.asarray(self.figure.model.opt.gravity), self.figure.solid if self.simulation.solid else None
        return np.asarray(body_rows(self.figure.body_parameters(), gravity, solid)[0])

    def terrain_row(self, terrain: Terrain) -> np.ndarray:
        """[cells] the table of a terrain of this character's kind."""
        return np.asarray(terrain_table([LEVEL if terrain.kind == "flat" else terrain])[1][0])

    @property
    def ground(self) -> Ground:
        """How hard and rough the ground is by default."""
        return self.simulation.grounds[0]

    @cached_property
    def gaits(self) -> tuple[LiveGait, ...]:
        """Its controllers."""
        return tuple(self._gait(g) for g in range(len(self.controllers)))

    def _gait(self, number: int) -> LiveGait:
        controller = self.controllers[number]
        start = controller.start
        qpos = self.figure.standing_qpos()[0] if start is None else np.asarray(start.qpos)
        qvel = np.zeros(self.figure.nv) if start is None else np.asarray(start.qvel)
        knobs = self.kind.knobs(self.law, controller, number)
        return LiveGait(controller, tuple(map(float, qpos)), tuple(map(float, qvel)), knobs)


def characters_of(controllers: Sequence[Controller], figure: Figure | None = None, **options: Any) -> list[Character]:
    """Characters for controllers: those that can switch while they run share one. ``options`` are a character's."""
    groups: dict[Any, list[Controller]] = {}
    figures: dict[str, Figure] = {}
    for n, controller in enumerate(controllers):
        kind = kind_of(controller)
        if not kind.abilities(controller).live:
            raise FootfallError(f"controller '{controller.name}': its law '{controller.law}' does not run in a browser")
        body = figure if figure is not None else figures.setdefault(controller.figure, Figure.load(controller.figure))
        figures[body.name] = body
        together = kind.shares_module(controller)
        groups.setdefault((body.name, controller.law) if together else (body.name, n), []).append(controller)
    return [Character(group, figures[name], **options) for (name, _), group in groups.items()]


def _triple(v: Any) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
