"""What is watched: one simulation that goes on through every change that can be made to it.

Numbers of a controller are replaced in the running simulation. What shapes the kernel or a table beside it (terrain,
ground, bodies) makes a new simulation that goes on from the old one's state. A second world walks under the saved
controller when the two are compared.

:class:`World` takes every controller, whatever its law is, and answers what panels and steering ask: they never ask for
its class. Worlds that can do more are made of it: :mod:`.graph_world` (pose control graphs), :mod:`.balanced_world`
(limit-cycle control) and :mod:`.clip_worlds` (captured motion).
"""

import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Abilities, Controller, Integration, Number, Start
from footfall.control.law import Law
from footfall.control.registry import kind_of
from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.kernels.building import NotCompiledError, without_compiling
from footfall.simulation import Record, Simulation, Trace
from footfall.simulation.structures import DIVERGED, FELL, STOPPED
from footfall.studio.core.geometry import heading_of
from footfall.studio.core.history import RATE, SIGNALS, STATE, Samples
from footfall.studio.core.setting import Forces, Setting

if TYPE_CHECKING:
    from footfall.studio.core.balanced_world import BalancedWorld

Array = NDArray[np.float64]
Snapshot = dict[str, NDArray[Any]]
STEP = Integration(0.001, "implicit")
"""Of controllers that say nothing else."""
KEPT = "kept"
"""Where a snapshot has what a world goes on from besides its simulation's arrays."""

_building = threading.Lock()
_soon: ContextVar[tuple[bool, bool]] = ContextVar("soon", default=(False, False))


@contextmanager
def soon(*, stand: bool = False) -> Iterator[None]:
    """Worlds made while this lasts load what takes over after a fall later (:meth:`World.load_fallen`), so that they
    walk sooner; with ``stand`` those whose kernel was never compiled stand, and nothing waits for a compiler."""
    token = _soon.set((True, stand))
    try:
        yield
    finally:
        _soon.reset(token)


@dataclass(frozen=True)
class Can(Abilities):
    """What can be done with a walker in its world, besides what works for every one: watch, push, pull, rewind, reset,
    export, and change the terrain, friction, load and gravity.

    Attributes:
        target: it says which pose it asks for.
        compare: its saved version can walk beside it.
        study: its push rose and its basin of attraction can be computed.
    """

    target: bool = False
    compare: bool = True
    study: bool = False


@dataclass(frozen=True)
class Leading:
    """How a walker is led by a heading (:mod:`footfall.studio.core.steering`).

    Attributes:
        rate: rad/s by which what is asked of it follows the goal at most.
        ahead: radians that it may be ahead of where the walker faces.
        around: metres, the radius of the tightest circle.
    """

    rate: float
    ahead: float
    around: float


ANY_HEADING = Leading(rate=math.inf, ahead=math.pi, around=1.8)
"""Any heading may be asked for at once: the walker itself turns as fast as it can."""


class World:
    """A figure under one controller, or several that it may switch between.

    Args:
        controllers: the controllers; the first one starts.
        figure: the figure that they drive.
        setting: what it stands on and carries; its ground becomes the one that the first controller was made for.
        drive: what is asked of it beside its controller.

    Attributes:
        law: what drives it.
        saved: one of the controllers as it was saved, which walks beside; None to walk alone.
        state: the whole state, arrays by name.
        fell_at: when it fell; None while it is upright.
        diverged: whether its numbers ran away.
        drive: what is asked of it beside its controller; None where nothing can be.
        standing: whether it stands where it begins, because its kernel is not compiled (:func:`soon`).
        balance: itself, where its steps are balanced one by one.
    """

    state: Snapshot
    balance: "BalancedWorld | None" = None
    switches: ClassVar[bool] = False
    """Whether it goes between several controllers; else it takes the first one alone."""
    ground: ClassVar[Ground | None] = None
    """On which it walks; by default on its controller's."""
    _heading: float | None = None

    def __init__(
        self, controllers: Sequence[Controller], figure: Figure, setting: Setting | None = None, drive: Any = None
    ) -> None:
        self.controllers: tuple[Any, ...] = tuple(controllers) if self.switches else (controllers[0],)
        self.figure, self.drive = figure, drive
        self.setting = (setting or Setting()).on_ground(self.ground or controllers[0].ground or Ground())
        self.saved: Controller | None = None
        self._awaits_fallen, self.standing = False, _soon.get()[1]
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
        """Load what it runs, so that no frame waits for it; a world that stands goes on standing where that has to be
        compiled."""
        try:
            with without_compiling() if self.standing else nullcontext():
                self._load(simulation)
        except NotCompiledError:
            if not self.standing:
                raise
        else:
            self.standing = False

    def _load(self, simulation: Simulation) -> None:
        simulation.step(0)
        self._awaits_fallen = _soon.get()[0]
        if not self._awaits_fallen:
            simulation.load_ragdoll()

    def load_fallen(self) -> None:
        """Load what takes over after a fall, where that was put off; call it in a thread of its own."""
        if self._awaits_fallen:
            self.simulation.load_ragdoll()

    def _saved_law(self) -> Law:
        return self._make_law(self._with(self.saved))

    def _with(self, version: Any) -> tuple[Any, ...]:
        """The controllers with another version of one of them."""
        return tuple(version if c.name == version.name else c for c in self.controllers)

    def _rows(self) -> Array:
        """[1 or 2, NP] numbers of the edited and of the saved controller."""
        rows = [np.array(self.law.parameters)]
        if self._heading is not None and not self.switches:
            rows[0][self.law.cells("heading")[0][0]] = self._heading
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
        self._begin_anew()

    def _carry(self, snapshot: Snapshot, count: int, old_law: Law, name: str | None) -> None:
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

    def prepare(self, controller: Any = None, setting: Setting | None = None, drive: Any = None) -> None:
        """Compile what another version of one of the controllers, another setting or another drive needs; call it in a
        thread of its own."""
        controllers = self.controllers if controller is None else self._with(controller)
        type(self)(controllers, self.figure, setting or self.setting, drive or self.drive)

    def adopt(self, controllers: Sequence[Any]) -> None:
        """Go on under other controllers; the first takes the place of the one that drives."""
        old, law = self.simulation, self.law
        self.controllers, self.saved = tuple(controllers) if self.switches else (controllers[0],), None
        self.law = self._make_law(self.controllers)
        self.simulation = self._build()
        self._go_on(old, law, self.controllers[0].name)

    def change_setting(self, setting: Setting) -> None:
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
            return Samples.blank(self.figure)
        found = zip(trace.state[ran, 0].tolist(), trace.stance[ran, 0].tolist(), strict=True)
        states, signals = np.array([self._named(*pair) for pair in found], dtype=STATE), self._signals(trace, ran)
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
            target=self._wanted(times, states, trace.qpos[ran, 0], signals),
            anchor=np.repeat(self._anchors()[None], count, axis=0),
            reference=self._references(times, trace.qpos[ran, 0]),
        )

    def now(self, before: Samples | None) -> Samples:
        """The present as a sample, whose torques and signals are those of the sample ``before`` it."""
        before = Samples.blank(self.figure, 1) if before is None else before
        times, states = np.array([self.time]), np.array([self.where()], dtype=STATE)
        qpos, qvel = (np.asarray(self.state[name][:1], dtype=float) for name in ("qpos", "qvel"))
        return replace(
            before,
            times=times,
            qpos=qpos,
            qvel=qvel,
            state=states,
            contact=self._touching()[None],
            push=self.force()[None],
            target=self._wanted(times, states, qpos, before.signals),
            anchor=self._anchors()[None],
            reference=self._references(times, qpos),
        )

    @property
    def signals(self) -> tuple[str, ...]:
        """Which of ``SIGNALS`` its law reports."""
        return tuple(name for name in SIGNALS if name in self.law.signals)

    def _signals(self, trace: Trace, ran: NDArray[np.int64]) -> Array:
        """[S, SIGNALS] the law's numbers at samples."""
        return np.stack([trace.signals[n][ran, 0] if n in trace.signals else np.zeros(len(ran)) for n in SIGNALS], -1)

    def state_label(self, name: str, number: int) -> str:
        """What a state is called on every page: its name, or its number as written."""
        labels = next((getattr(c, "labels", ()) for c in self.controllers if c.name == name), ())
        return labels[number] if 0 <= number < len(labels) else str(number)

    def _step(self, steps: int) -> None:
        self.simulation.step(steps)

    def _named(self, state: int, stance: int) -> tuple[str, int, bool]:
        """A sampled state of the law, with the stance leg that it reported (1 for the right one), as :meth:`where`."""
        return (*self.where(state)[:2], stance == 1)

    def _note(self, snapshot: Snapshot) -> None:
        self.state = snapshot
        status = int(snapshot["status"][0])
        self.fell_at = float(snapshot["end_step"][0]) * self.dt if status in (FELL, STOPPED) else None
        self.diverged = status == DIVERGED

    def snapshot(self) -> Snapshot:
        """The state, to go on from."""
        kept = np.empty(1, dtype=object)
        kept[0] = self._kept()
        return {**self.simulation.snapshot(), KEPT: kept}

    def _kept(self) -> Any:
        """What it goes on from besides the simulation's arrays."""

    def _take_up(self, kept: Any) -> None:
        """Go on from that."""

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a state of this figure and these controllers."""
        arrays = {name: values for name, values in snapshot.items() if name != KEPT}
        if arrays["memory"].shape[1:] != self.simulation.snapshot()["memory"].shape[1:]:
            raise FootfallError("this moment was simulated under other controllers; play on, or reset")
        self._take_up(snapshot[KEPT][0])
        self.simulation.restore(arrays, np.minimum(np.arange(self.simulation.worlds), len(arrays["qpos"]) - 1))
        self._forces.clear()
        self._begin_anew()

    def reset(self) -> None:
        self.simulation.reset()
        self._forces.clear()
        self._begin_anew()

    def _begin_anew(self) -> None:
        """The simulation stands at another moment."""
        self._taken = -(-self.simulation.step_number // self._stride)
        self._apply_pushes()
        self._note(self.simulation.snapshot())

    # -- what it is doing --------------------------------------------------------------------------------------------

    def _anchors(self) -> Array:
        """[P, 3] where each of the figure's points sticks to the ground, meaningful where it touches."""
        held = np.asarray(self.state["anchor"][0], dtype=float).reshape(-1, 3)
        names = [p.name for p in self.simulation.rollout.types.compiled.points]
        places = {name: held[i] for i, name in enumerate(names)}
        return np.array([places.get(p.name, np.zeros(3)) for p in self.figure.points]).reshape(-1, 3)

    def _touching(self) -> NDArray[np.bool_]:
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

    # -- what can be done with it ------------------------------------------------------------------------------------

    @property
    def can(self) -> Can:
        return Can(speed=self._speed is not None, turn=self.leading is not None, compare=self.law.key is not None)

    @property
    def leading(self) -> Leading | None:
        """How it can be led by a heading; None where it cannot."""
        turns = kind_of(self.controllers[0]).abilities(self.controllers[0]).turn
        return ANY_HEADING if turns and "heading" in self.law.parameter_names else None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians, whatever its controller says."""
        if self.leading is None:
            raise FootfallError(f"'{self.gait}' cannot be led by a heading")
        self._heading = heading
        self.simulation.set_parameters(self._rows())

    @property
    def _speed(self) -> Number | None:
        """The desired speed, where the controller that drives has one."""
        controller = self.active()
        if not kind_of(controller).abilities(controller).speed:
            return None
        return next((n for n in kind_of(controller).numbers(controller) if n.name == "speed"), None)

    @property
    def asked_speed(self) -> float | None:
        """Metres a second that it is asked for; None where it cannot be asked."""
        return None if self._speed is None else self._speed.value

    @property
    def speeds(self) -> tuple[float, float]:
        """Between which metres a second it may be asked."""
        return (0.0, 1.0) if self._speed is None else (self._speed.least, self._speed.most)

    def steady_speeds(self, saved: Any) -> tuple[float, float]:
        """The part of these speeds at which it is likely to stay up; ``saved`` is its controller as it was saved."""
        return self.speeds

    def ask_speed(self, controller: Any, speed: float) -> Any:
        """Ask it for a speed, metres a second: the controller to go on with, another version where the speed is one of
        its numbers."""
        return kind_of(controller).with_number(controller, "speed", speed)

    @property
    def clip(self) -> str:
        """The clip that the present step was chosen from; empty where no steps are chosen."""
        return ""

    @property
    def gaits(self) -> list[str]:
        """Names of the gaits that it can switch between."""
        return [c.name for c in self.controllers]

    @property
    def gait(self) -> str:
        """The gait that it walks in."""
        return self.where()[0]

    def request(self, name: str) -> None:
        """Ask for another gait."""
        if name != self.gait:
            raise FootfallError(f"controller '{self.gait}' cannot switch to another one while it runs")

    def requested(self) -> str | None:
        """The gait that was asked for and has not come yet."""
        return None

    def known_transition(self, source: str, target: str) -> str:
        """What is recorded of switching from one gait to another; empty for nothing."""
        return ""

    # -- what its controller asks for ----------------------------------------------------------------------------------

    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A state of the law (the present one) as (controller, number, whether the right leg is in stance)."""
        number = int(self.state["state"][0]) if state is None else state
        return self.controllers[0].name, max(number, 0), int(self.state["stance"][0]) == 1

    def active(self) -> Any:
        name = self.where()[0]
        return next(c for c in self.controllers if c.name == name)

    def _wanted(self, times: Array, states: NDArray[np.void], qpos: Array, signals: Array) -> Array:
        """[S, nq] the poses that were asked for at sampled times, in states, at coordinates qpos [S, nq] and with the
        law's signals [S, SIGNALS]; NaN where the law does not say."""
        return np.full(qpos.shape, np.nan)

    def state_pose(self, name: str, number: int, base: Array) -> Array:
        """[nq] the pose of a controller's state as written, with the root as in ``base`` [nq]."""
        raise FootfallError(f"controller '{name}' has no states that can be posed")

    def undriven_joints(self, name: str, number: int) -> set[str]:
        """Joints that have no target of their own in a controller's state."""
        return set()

    def _references(self, times: Array, qpos: Array) -> Array:
        """[S, nq] the poses of the clip that it follows at sampled times, where it was; [S, 0] where it follows
        none."""
        return np.zeros((len(times), 0))
