"""What is watched: one simulation that goes on through every change that can be made to it.

Numbers of a controller are replaced in the running simulation. What shapes the kernel or a table beside it (terrain,
ground, bodies) makes a new simulation that goes on from the old one's state. A second world walks under the saved
controller when the two are compared. What drives the figure is said by the worlds made of this one:
:mod:`.live_world` (pose control graphs), :mod:`.balanced_world` (limit-cycle control), :mod:`.tracked_world` (captured
motion) and :mod:`.steered_world` (captured motion, chosen step by step).
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.law import Law
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Record, Simulation, Trace
from footfall.simulation.fallen import load_ragdoll
from footfall.simulation.rollout import DIVERGED, FELL, STOPPED
from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.history.history import RATE, SIGNALS, Samples
from footfall.studio.core.worlds.forces import Forces
from footfall.studio.core.worlds.setting import Setting

__all__ = ["Leading", "World"]

Array = NDArray[np.float64]
CODE = 1000

_building = threading.Lock()


@dataclass(frozen=True)
class Leading:
    """How a walker is led by a heading (:mod:`.leading`).

    Attributes:
        rate: rad/s by which what is asked of it follows the goal at most.
        ahead: radians that it may be ahead of where the walker faces.
        around: metres, the radius of the tightest circle.
    """

    rate: float
    ahead: float
    around: float


class World(ABC):
    """A figure under one controller, or several that it may switch between.

    Args:
        graphs: the controllers; the first one starts.
        figure: the figure that they drive.
        setting: what it stands on and carries.
        saved: one of the controllers as it was saved, to walk beside; None to walk alone.

    Attributes:
        fell_at: when it fell; None while it stands. diverged: whether its numbers ran away.
        drive: what is asked of it beside its controller; None where nothing can be.
    """

    drive: Any = None
    graphs: tuple[Any, ...]

    def __init__(
        self,
        graphs: Sequence[Controller],
        figure: Figure,
        setting: Setting | None = None,
        saved: Controller | None = None,
    ) -> None:
        self.graphs, self.figure = tuple(graphs), figure
        self._names = [g.name for g in graphs]
        self.setting = setting or Setting()
        self.saved = saved
        self._forces = Forces(figure)
        self.law = self._make_law(self.graphs)
        self.simulation = self._build()
        self._taken, self._owed = 0, 0.0
        self._note(self.simulation.snapshot())

    # -- what worlds of each kind say ------------------------------------------------------------------------------

    @abstractmethod
    def _make_law(self, graphs: Sequence[Any]) -> Law:
        """What drives it."""

    @abstractmethod
    def where(self, state: int | None = None) -> tuple[str, int, bool]:
        """A state (the present one) as (controller, number as written, whether the right leg is in stance)."""

    @abstractmethod
    def wanted(self, qpos: Array, balance: Mapping[str, float]) -> Array:
        """[nq] the pose that is asked for at this moment, at coordinates qpos [nq] and with the law's signals."""

    @abstractmethod
    def _wanted_then(self, times: Array, states: NDArray[np.int32], qpos: Array, signals: Array) -> Array:
        """[S, nq] the poses that were asked for at sampled times, in states as :meth:`decode` takes them."""

    @abstractmethod
    def edit(self, graph: Any) -> bool:
        """Put another version of one of the controllers in place; whether that took a new simulation."""

    @abstractmethod
    def needs_kernel(self, graph: Any) -> bool:
        """Whether another version of one of the controllers needs a kernel to be compiled."""

    @abstractmethod
    def prepare(self, graph: Any) -> None:
        """Compile what another version of one of the controllers needs; call it in a thread of its own."""

    @abstractmethod
    def prepare_setting(self, setting: Setting) -> None:
        """Compile what another setting needs; call it in a thread of its own."""

    @property
    def leading(self) -> Leading | None:
        """How it can be led by a heading; None where it cannot."""
        return None

    def lead(self, heading: float) -> None:
        """Ask it to face a heading, radians."""
        raise FootfallError(f"'{self.gait}' cannot be led by a heading")

    @property
    def gaits(self) -> list[str]:
        """Names of the gaits that it can switch between."""
        return [g.name for g in self.graphs]

    @property
    def gait(self) -> str:
        """The gait that it walks in."""
        return self.where()[0]

    def request(self, name: str) -> None:
        """Ask for another gait."""
        if name not in self.gaits or (len(self.gaits) == 1 and name != self.gait):
            raise FootfallError(f"controller '{self.graphs[0].name}' cannot switch to another one while it runs")

    def requested(self) -> str | None:
        """The gait that was asked for and has not come yet."""
        return None

    def reference(self) -> Array | None:
        """[nq] the pose of the clip that it follows, where it is; None where it follows none."""
        return None

    def _references_then(self, times: Array, qpos: Array) -> Array:
        """[S, nq] the same at sampled times; [S, 0] where it follows none."""
        return np.zeros((len(times), 0))

    # -- making simulations ----------------------------------------------------------------------------------------

    @property
    def dt(self) -> float:
        """Seconds of a step."""
        return 0.001

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
            "threads": 1,
            "ragdoll_after_fall": True,
        }

    def _build(self) -> Simulation:
        worlds = 1 if self.saved is None else 2
        start = self.graphs[0].start
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

    def _warm(self, simulation: Simulation) -> None:
        """Load what it runs, so that no frame waits for it."""
        simulation.step(0)
        load_ragdoll(simulation)

    def _saved_law(self) -> Law:
        saved = self.saved
        assert saved is not None
        return self._make_law([saved if g.name == saved.name else g for g in self.graphs])

    def _rows(self) -> Array:
        """[1 or 2, NP] numbers of the edited and of the saved controller."""
        rows = [self.law.parameters]
        if self.saved is not None:
            rows.append(self._saved_law().parameters)
            if len(rows[1]) != len(rows[0]):
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

    def _carry(self, snapshot: dict[str, NDArray[Any]], count: int, old_law: Law, name: str | None) -> None:  # noqa: B027
        """Change what an old law remembered, in ``count`` worlds, into what the present one does, if need be."""

    # -- changing it -----------------------------------------------------------------------------------------------

    def adopt(self, graphs: Sequence[Any]) -> None:
        """Go on under other controllers; the first takes the place of the one that drives."""
        old, law = self.simulation, self.law
        self.graphs, self.saved = tuple(graphs), None
        self.law = self._make_law(self.graphs)
        self.simulation = self._build()
        self._go_on(old, law, self.graphs[0].name)

    def change_setting(self, setting: Setting) -> None:
        """Change what it stands on and carries."""
        old, before = self.simulation, self.setting
        self.setting = setting
        try:
            self.simulation = self._build()
        except FootfallError:
            self.setting = before
            raise
        self._go_on(old, self.law)

    def compare(self, saved: Any | None) -> None:
        """Let the saved controller walk beside, or alone again."""
        old, before = self.simulation, self.saved
        self.saved = saved
        try:
            self.simulation = self._build()
        except FootfallError:
            self.saved = before
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
        states, signals = self._codes(trace.state[ran, 0]), self._signals(trace, ran)
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

    def _signals(self, trace: Trace, ran: NDArray[np.int64]) -> Array:
        """[S, SIGNALS] the law's numbers at samples."""
        return np.stack([trace.signals[n][ran, 0] if n in trace.signals else np.zeros(len(ran)) for n in SIGNALS], -1)

    def _step(self, steps: int) -> None:
        self.simulation.step(steps)

    def _codes(self, states: NDArray[np.int32]) -> NDArray[np.int32]:
        """[S] states as numbers that stay what they are when controllers change: see :func:`decode`."""
        known = {int(k): self.where(int(k)) for k in np.unique(states)}
        self._names += [name for name in {name for name, _, _ in known.values()} if name not in self._names]
        codes = {k: CODE * self._names.index(name) + 2 * n + int(right) for k, (name, n, right) in known.items()}
        return np.array([codes[int(k)] for k in states], dtype=np.int32)

    def decode(self, code: int) -> tuple[str, int, bool]:
        """(controller, number as written, right stance) of a sampled state."""
        return self._names[code // CODE], code % CODE // 2, bool(code % 2)

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
        return facing(self.state["qpos"][0]) if self.figure.root == "free" else 0.0

    def beside(self) -> Array | None:
        """[nq] the walker of the saved controller; None where none walks."""
        return np.asarray(self.state["qpos"][1], dtype=float) if len(self.state["qpos"]) > 1 else None

    @property
    def speed(self) -> float:
        """Metres a second since the start."""
        return float(self.simulation.outcome().speed[0])
