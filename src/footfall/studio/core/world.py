"""What is watched: one simulation that goes on through every change that can be made to it.

Numbers of a controller are replaced in the running simulation. What shapes the kernel or a table beside it (terrain,
ground, bodies) makes a new simulation that goes on from the old one's state. A second world walks under the saved
controller when the two are compared.

:class:`World` takes every controller, whatever its law is. Worlds that can do more are made of it:
:mod:`.graph_world` (pose control graphs), :mod:`.balanced_world` (limit-cycle control), :mod:`.tracked_world` (captured
motion), :mod:`.steered_world` (captured motion, chosen step by step) and :mod:`.played_world` (the same, followed by a
network).

What a studio's walker stands on and carries: numbers that may change while it walks.

The forces on a walker that come and go while it is watched: pushes that last a while, a pull that is held.

Worlds that are made without what takes over after a fall, so that they walk sooner: it is loaded later, beside the
walk (:meth:`.world.World.load_fallen`).
"""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller, Integration, Start
from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.simulation import Push, Record, Simulation, Trace
from footfall.simulation.structures import DIVERGED, FELL, STOPPED
from footfall.studio.core.geometry import heading_of
from footfall.studio.core.history import RATE, SIGNALS, Samples, StateCodes
from footfall.studio.core.walker import Walker
from footfall.terrain import Terrain, TerrainHeightField, TerrainProfile, parse_terrain

LATER: ContextVar[bool] = ContextVar("LATER", default=False)


@contextmanager
def fallen_later() -> Iterator[None]:
    """While this lasts, worlds are made that way."""
    token = LATER.set(True)
    try:
        yield
    finally:
        LATER.reset(token)


Array = NDArray[np.float64]
NEVER = 1e9


class Forces:
    """Pushes on the torso and a pull at one body of a figure.

    Attributes:
        idle: a push of no force for the torso and for every body, so that a simulation has room for those to come.
    """

    def __init__(self, figure: Figure) -> None:
        coms: dict[str, Any] = {b.name: tuple(float(x) for x in b.com) for b in figure.bodies}
        self.idle = [Push((0.0, 0.0, 0.0), NEVER, 0.0, body, coms.get(body)) for body in ("", *coms)]
        self.clear()

    def clear(self) -> None:
        """No force acts any more."""
        self._timed: list[tuple[Push, float, float]] = []
        self._pull: tuple[str, Array] | None = None

    def push(self, force: Sequence[float], start: float, seconds: float) -> None:
        """A push on the torso, newtons in world axes."""
        self._timed = [p for p in self._timed if p[2] > start - 1.0]
        push = Push(tuple(float(x) for x in force), start, float(seconds))
        self._timed.append((push, start, start + float(seconds)))

    def pull(self, body: str, force: Array | None) -> None:
        """A force at a body's centre of mass until it is replaced; None to let go."""
        self._pull = None if force is None else (body, np.asarray(force, dtype=float))

    def pushes(self) -> list[Push]:
        """What acts on the simulation, body by body."""
        pushes: list[Push] = []
        for idle in self.idle:
            if not idle.body:
                pushes += [p for p, _, _ in self._timed] or [idle]
            elif self._pull is not None and idle.body == self._pull[0]:
                pushes.append(Push(tuple(self._pull[1]), 0.0, NEVER, idle.body, idle.place))
            else:
                pushes.append(idle)
        return pushes

    def at(self, time: float) -> Array:
        """[3] the sum of the forces that act at a time."""
        total = np.zeros(3)
        for push, start, end in self._timed:
            if start <= time < end:
                total += np.asarray(push.force, dtype=float)
        return total if self._pull is None else total + self._pull[1]


STRAIGHT = math.radians(3.0)
REACH, SPACING = 40.0, 0.08
"""Metres: how far terrain along another heading than x reaches around its origin, and how fine its grid is."""
USUAL = Ground()
LOCAL_FILES = (".csv", ".txt", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")


@dataclass(frozen=True)
class Setting:
    """The world around the walker.

    Attributes:
        terrain: in the words of :func:`footfall.terrain.parse_terrain`, files excepted.
        place: where its origin lies, (x, y, z) in metres: it begins ahead of a walker that is under way.
        heading: along which way it runs, radians from the world's x to its y.
        friction: μ of the ground. gravity: m/s², downward. load: kilograms on the torso.
        hardness: the ground whose stiffness, damping and contact law it has.
    """

    terrain: str = "flat"
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    heading: float = 0.0
    friction: float = 0.65
    gravity: float = 9.8
    load: float = 0.0
    hardness: Ground = USUAL

    def __post_init__(self) -> None:
        for name, most in (("friction", 10.0), ("gravity", 100.0), ("load", 1000.0)):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= most):
                raise FootfallError(f"{name} is {value}; it must lie between 0 and {most:g}")
        if self.terrain.startswith("heightfield") or self.terrain.lower().endswith(LOCAL_FILES):
            raise FootfallError(f"terrain '{self.terrain}': the studio opens no terrain files; name a built-in terrain")

    def changed(self, **parts: Any) -> "Setting":
        """A copy with some attributes replaced."""
        return replace(self, **parts)

    @property
    def turned(self) -> bool:
        """Whether the terrain runs along another way than the world's x; its heights then lie on a grid."""
        return self.terrain != "flat" and abs(self.heading) > STRAIGHT

    def make_terrain(self) -> Terrain:
        """The terrain. One along the world's x is always a profile, so that another one needs no other kernel."""
        terrain = parse_terrain(self.terrain)
        if terrain.kind == "grid":
            return terrain
        x, z = terrain.profile()
        if not self.turned:
            name = "flat" if terrain.kind == "flat" else self.terrain
            return TerrainProfile(x + self.place[0], z + self.place[2], name=name)
        ticks = np.arange(-REACH, REACH + 0.5 * SPACING, SPACING)
        gx, gy = np.meshgrid(ticks, ticks, indexing="ij")
        along = gx * math.cos(self.heading) + gy * math.sin(self.heading)
        heights = np.asarray(terrain.height(along)) + self.place[2]
        size = float(ticks[-1] - ticks[0])
        origin = (self.place[0] - REACH, self.place[1] - REACH)
        return TerrainHeightField(heights, (size, size), origin, name=self.terrain)

    def make_ground(self) -> Ground:
        """Hardness and friction."""
        return replace(self.hardness, friction=self.friction)

    def on_ground(self, ground: Ground) -> "Setting":
        """On another ground, with its friction."""
        return self if ground == self.hardness else self.changed(hardness=ground, friction=ground.friction)

    def make_figure(self, figure: Figure) -> Figure:
        """The figure under this gravity."""
        model = figure.model.__copy__()
        model.opt.gravity[:] = (0.0, 0.0, -self.gravity)
        return replace(figure, model=model)

    def make_body(self, figure: Figure) -> BodyParameters:
        """The bodies with the load."""
        return figure.body_parameters().with_load(figure.torso, self.load)


STEP = Integration(0.001, "implicit")
"""Of controllers that say nothing else."""

_building = threading.Lock()


class World(Walker):
    """A figure under one controller, or several that it may switch between.

    Args:
        controllers: the controllers; the first one starts.
        figure: the figure that they drive.
        setting: what it stands on and carries; by default the ground that the first controller was made for.
        saved: one of the controllers as it was saved, to walk beside; None to walk alone.

    Attributes:
        fell_at: when it fell; None while it is upright. diverged: whether its numbers ran away.
    """

    def __init__(
        self,
        controllers: Sequence[Controller],
        figure: Figure,
        setting: Setting | None = None,
        saved: Controller | None = None,
    ) -> None:
        self.controllers, self.figure = tuple(controllers), figure
        self._codes = StateCodes(c.name for c in controllers)
        self.setting = setting or Setting().on_ground(controllers[0].ground or Ground())
        self.saved, self._awaits_fallen = saved, False
        self._forces = Forces(figure)
        self.law = self._make_law(self.controllers)
        self._tried: tuple[tuple[Controller, ...], Law] = (self.controllers, self.law)
        self.simulation = self._build()
        self._taken, self._owed = 0, 0.0
        self._note(self.simulation.snapshot())

    # -- making simulations ----------------------------------------------------------------------------------------

    def _make_law(self, controllers: Sequence[Any]) -> Law:
        """What drives it."""
        return kind_of(controllers[0]).shared_law(controllers, self.figure)

    @property
    def _integration(self) -> Integration:
        return self.controllers[0].integration or STEP

    @property
    def dt(self) -> float:
        """Seconds of a step."""
        return self._integration.dt

    def _options(self) -> dict[str, Any]:
        """What a simulation of this world is made of, besides its law."""
        figure = self.setting.make_figure(self.figure)
        return {
            "figure": figure,
            "terrain": self.setting.make_terrain(),
            "pushes": self._forces.idle,
            "body": self.setting.make_body(figure),
            "ground": self.setting.make_ground(),
            "dt": self.dt,
            "integrator": self._integration.integrator,
            "threads": 1,
            "ragdoll_after_fall": True,
        }

    def _build(self) -> Simulation:
        worlds = 1 if self.saved is None else 2
        start = self._start()
        with _building:
            simulation = Simulation(
                law=self.law,
                worlds=worlds,
                qpos=None if start is None else start.qpos,
                qvel=None if start is None else start.qvel,
                record=Record(rate=RATE, worlds=worlds),
                **self._options(),
            )
            self._warm(simulation)
        simulation.set_parameters(self._rows())
        return simulation

    def _start(self) -> Start | None:
        """Where it begins; None for the figure's own pose."""
        start: Start | None = self.controllers[0].start
        return start

    def _warm(self, simulation: Simulation) -> None:
        """Load what it runs, so that no frame waits for it."""
        simulation.step(0)
        self._awaits_fallen = LATER.get()
        if not self._awaits_fallen:
            simulation.load_ragdoll()

    def load_fallen(self) -> None:
        """Load what takes over after a fall, where that was put off; call it in a thread of its own."""
        if self._awaits_fallen:
            self.simulation.load_ragdoll()

    def _saved_law(self) -> Law:
        saved = self.saved
        assert saved is not None
        return self._make_law(self._with(saved))

    def _with(self, version: Any) -> tuple[Any, ...]:
        """The controllers with another version of one of them."""
        return tuple(version if c.name == version.name else c for c in self.controllers)

    def _rows(self) -> Array:
        """[1 or 2, NP] numbers of the edited and of the saved controller."""
        rows = [self.law.parameters]
        if self.saved is not None:
            law = self._saved_law()
            rows.append(law.parameters)
            if self._is_another_kernel(law):
                raise FootfallError("compare: the saved controller has another number of states; save this one first")
        return np.stack(rows)

    def _go_on(self, old: Simulation, old_law: Law, name: str | None = None) -> None:
        """Put the simulation where an old one, under an old law, is; ``name`` where another controller takes over."""
        snapshot = old.snapshot()
        count, worlds = len(snapshot["qpos"]), self.simulation.worlds
        snapshot = {k: v[np.minimum(np.arange(worlds), count - 1)] for k, v in snapshot.items()}
        self._carry(snapshot, count, old_law, name)
        self.simulation.restore(snapshot)
        self._taken = -(-self.simulation.step_number // self._stride)
        self._apply_pushes()
        self._note(self.simulation.snapshot())

    def _carry(self, snapshot: dict[str, NDArray[Any]], count: int, old_law: Law, name: str | None) -> None:
        """Change what an old law remembered, in ``count`` worlds, into what the present one does, if need be."""
        if snapshot["memory"].shape[1] != len(self.law.memory):
            snapshot["memory"] = np.tile(self.law.memory, (self.simulation.worlds, 1))

    # -- changing it -----------------------------------------------------------------------------------------------

    def edit(self, controller: Any) -> bool:
        """Put another version of one of the controllers in place; whether that took a new simulation."""
        controllers = self._with(controller)
        law, old_law, old = self._law_of(controllers), self.law, self.simulation
        rebuilt = self._is_another_kernel(law)
        self.controllers, self.law = controllers, law
        if rebuilt:
            self.saved = None
            self.simulation = self._build()
        else:
            self.simulation.set_parameters(self._rows())
        if rebuilt or self._is_another_machine(law, old_law):
            self._go_on(old, old_law)
        return rebuilt

    def _is_another_kernel(self, law: Law) -> bool:
        same = law.key is not None and law.key == self.law.key
        return not same or len(law.parameters) != len(self.law.parameters)

    def _is_another_machine(self, law: Law, old: Law) -> bool:
        """Whether a law with the same kernel as an old one numbers its states differently."""
        return False

    def needs_kernel(self, controller: Any) -> bool:
        """Whether another version of one of the controllers needs a kernel to be compiled."""
        return self._is_another_kernel(self._law_of(self._with(controller)))

    def _law_of(self, controllers: tuple[Controller, ...]) -> Law:
        """The law of controllers; those that were asked about last have theirs already."""
        tried, law = self._tried
        if len(tried) != len(controllers) or any(a is not b for a, b in zip(tried, controllers)):
            law = self._make_law(controllers)
            self._tried = (controllers, law)
        return law

    def prepare(self, controller: Any) -> None:
        """Compile what another version of one of the controllers needs; call it in a thread of its own."""
        self._like(self._with(controller), self.setting)

    def prepare_setting(self, setting: Setting) -> None:
        """Compile what another setting needs; call it in a thread of its own."""
        self._like(self.controllers, setting)

    def _like(self, controllers: Sequence[Any], setting: Setting) -> "World":
        """A world of the same kind."""
        return type(self)(controllers, self.figure, setting)

    def adopt(self, controllers: Sequence[Any]) -> None:
        """Go on under other controllers; the first takes the place of the one that drives."""
        old, law = self.simulation, self.law
        self.controllers, self.saved = tuple(controllers), None
        self.law = self._make_law(self.controllers)
        self.simulation = self._build()
        self._go_on(old, law, self.controllers[0].name)

    def change_setting(self, setting: Setting) -> None:
        """Change what it stands on and carries."""
        self._replace("setting", setting)

    def compare(self, saved: Any | None) -> None:
        """Let the saved controller walk beside, or alone again."""
        self._replace("saved", saved)

    def _replace(self, part: str, value: Any) -> None:
        """Go on in a simulation of which one attribute is another; where that cannot be made, in the old one."""
        old, before = self.simulation, getattr(self, part)
        setattr(self, part, value)
        try:
            self.simulation = self._build()
        except FootfallError:
            setattr(self, part, before)
            raise
        self._go_on(old, self.law)

    # -- forces ----------------------------------------------------------------------------------------------------

    def push(self, force: Sequence[float], seconds: float) -> None:
        """A push on the torso from now on, newtons in world axes."""
        self._forces.push(force, self.time, seconds)
        self._apply_pushes()

    def pull(self, body: str, force: Array | None) -> None:
        """A force at a body's centre of mass until it is replaced; None to let go."""
        self._forces.pull(body, force)
        self._apply_pushes()

    def _apply_pushes(self) -> None:
        self.simulation.set_pushes(self._forces.pushes())

    def force(self, time: float | None = None) -> Array:
        """[3] the push and pull that act at a time (now)."""
        return self._forces.at(self.time if time is None else time)

    # -- going on --------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated seconds."""
        return self.simulation.time

    @property
    def _stride(self) -> int:
        return max(1, round(1.0 / (RATE * self.dt)))

    def advance(self, seconds: float) -> Samples:
        """Go on and answer what was sampled of the first world on the way; parts of a step are owed to the next
        call."""
        self._owed += seconds / self.dt
        steps = max(0, round(self._owed))
        self._owed -= steps
        self._step(steps)
        trace = self.simulation.take_trace()
        count = len(trace.qpos)
        times = np.asarray((self._taken + np.arange(count)) * self._stride * self.dt, dtype=np.float64)
        self._taken += count
        self._note(self.simulation.snapshot())
        ran = np.arange(count)
        if int(self.state["status"][0]) in (DIVERGED, STOPPED):  # what was not simulated any more was left blank
            ran = ran[trace.qpos[:, 0].any(axis=1)]
        times, count = times[ran], len(ran)
        if count == 0:
            return Samples.empty(self.figure)
        found = zip(trace.state[ran, 0].tolist(), trace.stance[ran, 0].tolist(), strict=True)
        states, signals = self._codes.encode([self._named(*pair) for pair in found]), self._signals(trace, ran)
        return Samples(
            times=times,
            qpos=trace.qpos[ran, 0],
            qvel=trace.qvel[ran, 0],
            torque=trace.torque[ran, 0],
            signals=signals,
            state=states,
            contact=trace.contact[ran, 0],
            stance=trace.stance[ran, 0],
            push=np.array([self.force(t) for t in times]).reshape(count, 3),
            target=self._wanted_then(times, states, trace.qpos[ran, 0], signals),
            anchor=np.repeat(self.anchors()[None], count, axis=0),
            reference=self._references_then(times, trace.qpos[ran, 0]),
        )

    @property
    def signals(self) -> tuple[str, ...]:
        """Which of ``SIGNALS`` its law reports."""
        return tuple(name for name in SIGNALS if name in self.law.signals)

    def _signals(self, trace: Trace, ran: NDArray[np.int64]) -> Array:
        """[S, SIGNALS] the law's numbers at samples."""
        return np.stack([trace.signals[n][ran, 0] if n in trace.signals else np.zeros(len(ran)) for n in SIGNALS], -1)

    def _step(self, steps: int) -> None:
        self.simulation.step(steps)

    def _named(self, state: int, stance: int) -> tuple[str, int, bool]:
        """A sampled state of the law, with the stance leg that it reported (1 for the right one), as :meth:`where`."""
        return (*self.where(state)[:2], stance == 1)

    def decode(self, code: int) -> tuple[str, int, bool]:
        """(controller, number as written, right stance) of a sampled state."""
        return self._codes.decode(code)

    def _note(self, snapshot: dict[str, NDArray[Any]]) -> None:
        self.state = snapshot
        status = int(snapshot["status"][0])
        self.fell_at = float(snapshot["end_step"][0]) * self.dt if status in (FELL, STOPPED) else None
        self.diverged = status == DIVERGED

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state, to go on from."""
        return self.simulation.snapshot()

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go on from a state of this figure and these controllers."""
        shape = self.simulation.snapshot()["memory"].shape[1:]
        if snapshot["memory"].shape[1:] != shape:
            raise FootfallError("this moment was simulated under other controllers; play on, or reset")
        count = len(snapshot["qpos"])
        self.simulation.restore(snapshot, worlds=np.minimum(np.arange(self.simulation.worlds), count - 1))
        self._taken = -(-self.simulation.step_number // self._stride)
        self._forces.clear()
        self._apply_pushes()
        self._note(self.simulation.snapshot())

    def reset(self) -> None:
        """Back to the start."""
        self.simulation.reset()
        self._taken = 0
        self._forces.clear()
        self._apply_pushes()
        self._note(self.simulation.snapshot())

    # -- what it is doing --------------------------------------------------------------------------------------------

    def anchors(self) -> Array:
        """[P, 3] where each of the figure's points sticks to the ground, meaningful where it touches."""
        held = np.asarray(self.state["anchor"][0], dtype=float).reshape(-1, 3)
        names = [p.name for p in self.simulation.rollout.types.compiled.points]
        places = {name: held[i] for i, name in enumerate(names)}
        return np.array([places.get(p.name, np.zeros(3)) for p in self.figure.points]).reshape(-1, 3)

    def touching(self) -> NDArray[np.bool_]:
        """[G] which of the figure's ground points touch the ground."""
        names = [p.name for p in self.simulation.rollout.types.compiled.points]
        mask = int(self.state["contact"][0])
        down = {name for i, name in enumerate(names) if mask >> i & 1}
        return np.array([p.name in down for p in self.figure.points if p.ground], dtype=bool)

    @property
    def heading(self) -> float:
        """Which way it goes, radians from the world's x to its y."""
        return heading_of(self.state["qpos"][0]) if self.figure.root == "free" else 0.0

    def saved_qpos(self) -> Array | None:
        """[nq] the walker of the saved controller; None where none walks."""
        return np.asarray(self.state["qpos"][1], dtype=float) if len(self.state["qpos"]) > 1 else None

    @property
    def speed(self) -> float:
        """Metres a second since the start."""
        return float(self.simulation.outcome().speed[0])
