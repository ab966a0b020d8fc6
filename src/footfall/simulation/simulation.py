"""Simulations: N worlds of a figure, a law, a terrain and disturbances on a device."""

import inspect
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.kind import Controller
from footfall.control.law import Law
from footfall.control.registry import law_of, load_controller
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import Ground, terrain_table
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.push import Push, pushes_of
from footfall.simulation import inputs
from footfall.simulation.device import device_of, real_of, to_device
from footfall.simulation.hardware import Hardware
from footfall.simulation.kernels import Compiling, load_kernel, ragdoll_kernel, rollout_kernel
from footfall.simulation.launching import launch, launch_ragdolls
from footfall.simulation.outcome import Outcome, outcome_of
from footfall.simulation.ragdoll import Ragdoll
from footfall.simulation.rollout import Rollout
from footfall.simulation.structures import DIVERGED, FELL, Features
from footfall.simulation.trace import Record, Recorder, Trace, counted
from footfall.simulation.worlds import Tables, WorldState, check_room, starting_state
from footfall.terrain import Terrain

CHUNK_SECONDS = 0.25
PROGRESS_SECONDS = 0.1
RING_SECONDS = 0.005


class SimulationOptions(TypedDict, total=False):
    """What a :class:`Simulation` takes by name, each with its default. What may differ between worlds is given once, or
    once for each world.

    Attributes:
        figure: the figure, its built-in name or its file; by default the controller's own.
        law: a control law of your own, with a figure, instead of a controller.
        worlds: N, how many (1).
        terrain: a terrain or its name ("slope:6"), or a sequence of N ("flat").
        pushes: timed forces, as pushes or as text, "600@5:0.1" (none).
        set: controller parameters by name, each a number or [N] (see :mod:`footfall.control.rows`).
        body: sizes of the bodies, [1 or N] worlds; by default the figure's own.
        ground: stiffness, damping and friction, or a sequence of N; by default the controller's, else the usual one.
        qpos: start, [nq] or [N, nq]; by default the controller's start.
        qvel: its velocities, [nv] or [N, nv].
        hardware: what is between the law and the body: delays, a control rate, noise, motors; by default nothing.
        dt: step, seconds; by default the controller's, else 0.001.
        integrator: "implicit", "explicit", "semi-implicit" or "rk4"; by default the controller's, else implicit.
        device: "cpu" (the default) or "cuda".
        precision: "float64" (the default on a CPU) or "float32" (the default on a GPU).
        threads: CPU threads; by default one per core. Results do not depend on it.
        lanes: how many worlds a CPU's thread takes side by side, in the lanes of its vector unit: 1 (the default), 2, 4
            or 8, if the integrator is implicit. With 4, many worlds run nearly twice as fast; results agree to
            rounding.
        record: what to record; by default nothing.
        ragdoll_after_fall: whether a fallen world continues as a ragdoll (no torques, the whole body on the ground,
            joints within their ranges) or stops (the default).
        solid: whether limbs touch each other (:mod:`footfall.dynamics.solid`), or pass through each other. By default
            those of figures in space touch, but under laws that prescribe accelerations and those of Laszlo's thesis.
        surface: whether a body touches the ground with its whole surface while a law acts: it may kneel, crawl and
            push itself up, and has fallen when it is low or leans. By default only soles feel the ground until it has
            fallen, which it has when anything else touches. For implicit steps of laws that give torques, one world a
            lane.
        last_states: how many states before its end a world keeps, sampled every 5 ms (8).
        efforts: whether torques, work and the torso's range are summed up (True); without them a step is a little
            faster.
    """

    figure: str | Path | Figure | None
    law: Law | None
    worlds: int
    terrain: str | Terrain | Sequence[Terrain]
    pushes: Sequence[Push | str]
    set: Mapping[str, ArrayLike] | None
    body: BodyParameters | None
    ground: Ground | Sequence[Ground] | None
    qpos: ArrayLike | None
    qvel: ArrayLike | None
    hardware: Hardware | None
    dt: float | None
    integrator: str | None
    device: str
    precision: str | None
    threads: int | None
    lanes: int
    record: Record | None
    ragdoll_after_fall: bool
    solid: bool | None
    surface: bool
    last_states: int
    efforts: bool


Maker = TypeVar("Maker", bound=Callable[..., None])

_DEFAULTS: dict[str, Any] = {"worlds": 1, "terrain": "flat", "pushes": (), "device": "cpu", "lanes": 1}
_DEFAULTS |= {"ragdoll_after_fall": False, "surface": False, "last_states": 8, "efforts": True}
"""Of options that are not None by default."""


def _stated(make: Maker) -> Maker:
    """A constructor whose help and reference show the options one by one."""
    own, kind = inspect.signature(make), inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(name, kind, default=_DEFAULTS.get(name), annotation=type_)
        for name, type_ in SimulationOptions.__annotations__.items()
    ]
    vars(make)["__signature__"] = own.replace(parameters=[*list(own.parameters.values())[:2], *options])
    return make


class Simulation:
    """N worlds, run side by side.

    Args:
        controller: a controller, its built-in name or its file. Or give ``law`` and ``figure``.
        **options: as :class:`SimulationOptions` names them.
    """

    engine = "native"
    boxes: tuple[Any, ...] = ()
    """Things in a scene that move by themselves."""

    @_stated
    def __init__(self, controller: str | Path | Controller | None = None, **options: Unpack[SimulationOptions]) -> None:
        for name in options:
            if name not in SimulationOptions.__annotations__:
                raise TypeError(f"Simulation() got an unexpected keyword argument '{name}'")
        dt, integrator, ground = options.get("dt"), options.get("integrator"), options.get("ground")
        self.controller = None if controller is None else load_controller(controller)
        self.worlds, self._last_states = options.get("worlds", 1), options.get("last_states", 8)
        self.dt, self.integrator = inputs.integration_of(dt, integrator, self.controller)
        inputs.check_options(self.worlds, self.dt, self.integrator, self._last_states)
        self.figure = inputs.figure_of(options.get("figure"), self.controller)
        parameters = options.get("set") or {}
        if self.controller is not None:
            inputs.check_controller(self.controller, self.figure, parameters)
        law = options.get("law")
        self.law = law if law is not None else law_of(inputs.graph_of(self.controller), self.figure)
        self.law.check_world(inputs.given_for_all(dt, integrator, ground))
        self.ragdoll_after_fall, self.record = options.get("ragdoll_after_fall", False), options.get("record")
        solid = options.get("solid")
        self.solid = inputs.limbs_touch(self.figure, self.law) if solid is None else solid
        surface = options.get("surface", _DEFAULTS["surface"]) or self.law.gets_up
        self.surface = surface and inputs.may_kneel(self.figure, self.law, self.integrator, self.engine)
        self.pushes, self._efforts = pushes_of(options.get("pushes", ())), options.get("efforts", True)
        self.hardware = (options.get("hardware") or Hardware()).tables(self.figure, self.worlds, self.dt)
        if self.law.prescribes and self.hardware.limited:
            raise FootfallError("motor_speed, motor_torque: this law prescribes accelerations and gives no torques")
        self.device = device_of(options.get("device", "cpu"))
        check_room(self.worlds, self.figure, self.law, self._last_states, self.hardware, self.device)
        self.real = real_of(options.get("precision"), self.device)
        self.threads = inputs.threads_for(options.get("threads"), self.worlds, self.device)
        self.lanes = inputs.lanes_for(options.get("lanes", 1), self.device, self.integrator, self.engine, self.law)
        if self.surface and self.lanes > 1:
            raise FootfallError(
                f"lanes is {self.lanes}; bodies that touch the ground with their surface run one by one"
            )
        self.terrains, self.body = inputs.terrains_of(options.get("terrain", "flat")), options.get("body")
        self.grounds = inputs.grounds_of(ground, self.figure, self.law, self.controller)
        self.gravity = np.array(self.figure.model.opt.gravity, dtype=float)
        self._given_start = (options.get("qpos"), options.get("qvel"))
        self._tables = Tables(self.figure, self.worlds, self.dt, self.real, self.device, solid=self.solid)
        self._tables.set_pushes(self.pushes)
        self._tables.set_hardware(self.hardware)
        self.set_library(self.law.library)
        self._build()
        self.set_parameters(self.law.parameters)
        self.set(parameters)
        self.reset()

    # -- what is simulated ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        """Tables, kernel and start for the body, ground and terrain as they are now."""
        self._tables.fill(self.body, self.gravity, self.grounds, self.terrains)
        self._rollouts: dict[bool, Rollout] = {}
        vars(self).pop("ragdoll", None)
        self.rollout = self._rollout()
        start = self.controller.start if self.controller is not None else None
        qpos, qvel = self._given_start
        self._start = starting_state(self.figure, start, self.body, self.terrains, self.worlds, qpos=qpos, qvel=qvel)

    def _rollout(self, *, pausing: bool = False) -> Rollout:
        if pausing not in self._rollouts:
            h = self.hardware
            forces = self.record is not None and self.record.wants_forces
            features = Features(h.delayed, pausing, self._efforts, h.held, h.noisy, h.limited, forces, self.surface)
            self._rollouts[pausing] = rollout_kernel(
                self.figure,
                self.law,
                self._compiling(),
                ground=str(self.grounds[0].law),
                integrator=self.integrator,
                features=features,
                device=self.device,
                outside=self._outside,
                lanes=self.lanes,
            )
        return self._rollouts[pausing]

    @cached_property
    def ragdoll(self) -> Ragdoll:
        """The kernel that takes over where a world has fallen."""
        outside = partial(self._outside, fallen=True)
        return ragdoll_kernel(self.figure, self._compiling(), outside, divides=not self.boxes)

    def _compiling(self) -> Compiling:
        """How the figure is compiled."""
        places, terrain = tuple(inputs.push_places(self.pushes, self.figure)), terrain_table(self.terrains)[0]
        return Compiling(self.real, places, self.body is not None, terrain, self.engine, self.solid)

    def load_ragdoll(self) -> None:
        """Load what takes over after a fall, so that no step waits for it then."""
        load_kernel(self.ragdoll, self.device, f"{self.figure.name}, fallen,")

    # -- changing what is simulated, from the next step on -------------------------------------------------------------

    def set(self, parameters: Mapping[str, ArrayLike]) -> None:
        """Set controller parameters by name, each a number or [N]; they act from the next step on."""
        if not parameters:
            return
        differ = any(np.ndim(v) > 0 and np.size(v) > 1 for v in parameters.values())
        base = self._rows if self._which is None else self._rows[self._which]
        rows = np.tile(base, (self.worlds if differ and len(base) == 1 else 1, 1))
        self.set_parameters(self.law.applied(rows, dict(parameters)))

    def set_parameters(self, rows: ArrayLike, which: ArrayLike | None = None) -> None:
        """Replace the numbers that the law reads; they act from the next step on.

        Args:
            rows: [1 or N, NP], or [R, NP] with ``which``.
            which: [N] the row that each world reads.
        """
        array, chosen = inputs.parameter_rows(rows, which, self.worlds, self.law)
        self._rows: NDArray[np.float64] = array
        self._which: NDArray[np.int64] | None = chosen
        self._tables.set_parameters(array, chosen)

    def set_library(self, numbers: ArrayLike) -> None:
        """[rows, columns] numbers that the law reads and all worlds share, in place of the law's own."""
        self.law.check_library(np.asarray(numbers, dtype=float))
        self._tables.set_library(numbers)

    def set_pushes(self, pushes: Sequence[Push | str]) -> None:
        """Replace the pushes; they act at the points of those given at the start, or at the usual one."""
        given = pushes_of(pushes)
        old, new = (inputs.push_places(each, self.figure) for each in (self.pushes, given))
        if old != new:
            raise FootfallError(f"pushes: they must act at the points given at the start, {old}; these act at {new}")
        self.pushes = given
        self._tables.set_pushes(self.pushes)

    def set_ground(self, ground: Ground | Sequence[Ground]) -> None:
        """Replace the ground, one for all worlds or one each, from the next step on; a new contact law is compiled."""
        self._replace(grounds=inputs.grounds_of(ground, self.figure, self.law))

    def set_body(self, body: BodyParameters | None, *, gravity: ArrayLike | None = None) -> None:
        """Replace the bodies' sizes and masses, [1 or N] worlds, and gravity [3], from the next step on; sizes are
        compiled in until they are first set, then a kernel reads them from a table.

        Args:
            body: sizes and masses; None for the figure's own.
            gravity: metres per second squared, in world axes; by default as it is.
        """
        pull = self.gravity if gravity is None else np.asarray(gravity, dtype=float)
        if pull.shape != (3,) or not np.isfinite(pull).all():
            raise FootfallError(f"gravity is {gravity!r}; give three finite numbers, as in (0, 0, -9.81)")
        if body is None and not np.array_equal(pull, self.figure.model.opt.gravity):
            body = self.figure.body_parameters()
        self._replace(body=body, gravity=pull)

    def set_terrain(self, terrain: str | Terrain | Sequence[Terrain]) -> None:
        """Replace the terrain, one for all worlds or one each; it acts from the next step on."""
        self._replace(terrains=inputs.terrains_of(terrain))

    def _replace(self, **new: Any) -> None:
        """Replace what the worlds are made of; on an error everything stays as it was."""
        old = {name: getattr(self, name) for name in new}
        vars(self).update(new)
        try:
            self._build()
        except FootfallError:
            vars(self).update(old)
            self._build()
            raise

    # -- another engine ------------------------------------------------------------------------------------------------

    def _outside(self, compiled: CompiledFigure, *, fallen: bool = False) -> wp.Function | None:
        """Another engine's dynamics, in place of the figure's own; of a body that has ``fallen``."""
        return None

    def _with_contacts(self, trace: Trace) -> Trace:
        """A trace with the forces of contacts that another engine found."""
        return trace

    def _scene(self, *, fallen: bool = False) -> AbstractContextManager[Any]:
        """[rows, addresses] of another engine's scenes, for one launch; of bodies that have ``fallen``."""
        return nullcontext(wp.empty((0, 0), dtype=wp.uint64, device=self.device))

    # -- running -------------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Back to the start, at time 0."""
        memory = np.asarray(self.law.memory, dtype=float)
        self.law.check_memory(memory[None])
        self._state = WorldState(self.rollout, self.device, self._start, memory, self._last_states, self.hardware)
        self._recorder = Recorder(self.record, self.dt, self.worlds, self.device)
        self.step_number = 0
        self.wall_seconds = 0.0

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.step_number * self.dt

    def run(self, seconds: float, progress: Callable[[float], None] | None = None) -> Outcome:
        """Simulate for a time and report the outcome.

        Args:
            seconds: how long.
            progress: called with the simulated time from time to time.
        """
        if not (math.isfinite(seconds) and seconds > 0):
            raise FootfallError(f"seconds is {seconds}; it must be above 0")
        self.step(round(seconds / self.dt), progress)
        return self.outcome()

    def step(
        self, steps: int, progress: Callable[[float], None] | None = None, *, footsteps: ArrayLike | None = None
    ) -> None:
        """Simulate a number of time steps.

        Args:
            steps: how many.
            progress: called with the simulated time from time to time.
            footsteps: a number or [N]; a world pauses before the time step in which its footsteps since the start would
                exceed this number, and continues from there when stepped again.
        """
        inputs.check_steps(steps, self.step_number, self.dt)
        pause = self._pause(footsteps)
        rollout = self._rollout(pausing=footsteps is not None)
        self._recorder.begin(rollout.types, self.step_number, steps)
        load_kernel(rollout, self.device, f"{self.figure.name} with {self.description()['controller']}")
        chunk = steps if progress is None else max(1, round(CHUNK_SECONDS / self.dt))
        began = shown = time.perf_counter()
        done = 0
        while done < steps:
            now = min(chunk, steps - done)
            self._launch(rollout, now, pause)
            done += now
            self.step_number += now
            self._advance_fallen()
            if progress is not None:
                wp.synchronize_device(self.device)
                progress(self.time)
                last, shown = shown, time.perf_counter()
                chunk *= 2 if shown - last < PROGRESS_SECONDS else 1
        wp.synchronize_device(self.device)
        self.wall_seconds += time.perf_counter() - began
        if footsteps is not None:
            self.step_number = int(np.max(self._state["step_count"]))
        self._recorder.end(self.step_number)

    def _pause(self, footsteps: ArrayLike | None) -> Any:
        if footsteps is None:
            return wp.empty(0, dtype=wp.int32, device=self.device)
        if self.record is not None and self.worlds > 1:
            raise FootfallError("footsteps: worlds that pause are then at different times; record at most one world")
        return to_device(inputs.footsteps_of(footsteps, self.worlds), wp.int32, self.device)

    @property
    def _ring_stride(self) -> int:
        return max(1, round(RING_SECONDS / self.dt))

    @property
    def _samples(self) -> dict[str, Any]:
        """The values of a kernel's ``Trace``, by name."""
        ring = {"ring_stride": self._ring_stride if self._last_states else 0}
        return self._recorder.named() | ring | self._state.rings

    def _launch(self, rollout: Rollout, steps: int, pause: Any) -> None:
        launch(
            rollout,
            self._state,
            self._tables,
            steps=steps,
            dt=self.dt,
            samples=self._samples,
            pause=pause,
            threads=self.threads,
            scene=self._scene,
        )

    def _advance_fallen(self) -> None:
        """Bring the worlds that have fallen to the present step."""
        if not self.ragdoll_after_fall or not (self._state["status"] == FELL).any():
            return
        self.load_ragdoll()
        launch_ragdolls(
            self.ragdoll,
            self._state,
            self._tables,
            until=self.step_number,
            dt=self.dt,
            samples=self._samples,
            threads=self.threads,
            scene=partial(self._scene, fallen=True),
        )

    # -- results -------------------------------------------------------------------------------------------------------

    @property
    def qpos(self) -> NDArray[np.float64]:
        """[N, nq] the current positions."""
        return np.array(self._state["qpos"], dtype=float)

    @property
    def qvel(self) -> NDArray[np.float64]:
        """[N, nv] the current velocities."""
        return np.array(self._state["qvel"], dtype=float)

    @property
    def memory(self) -> NDArray[np.float64]:
        """[N, M] the law's own state."""
        return np.array(self._state["memory"], dtype=float)

    @property
    def footsteps(self) -> NDArray[np.int64]:
        """[N] exchanges of stance since the start."""
        return self._state["tally"][:, 0].astype(np.int64)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The whole state of all worlds, each array with a leading world axis; :meth:`restore` continues from it
        exactly."""
        return self._state.snapshot()

    def restore(self, snapshot: Mapping[str, NDArray[Any]], worlds: ArrayLike | None = None) -> None:
        """Put worlds into the states of a snapshot, of this or another simulation of the same figure and law.

        Args:
            snapshot: as :meth:`snapshot` gives it.
            worlds: [N] which of the snapshot's worlds each world takes; by default its own, or the only one.
        """
        recorded = self.record.worlds if self.record is not None else 0
        ended = DIVERGED if self.ragdoll_after_fall else FELL
        self._state.restore(snapshot, worlds, check_memory=self.law.check_memory, recorded=recorded, ended=ended)
        self.step_number = int(np.max(self._state["step_count"]))

    def outcome(self) -> Outcome:
        """What the worlds did since the start."""
        along, ring = self.figure.root != "fixed", self._ring_stride
        return outcome_of(self._state, self._state.sampled(), self._start[0], self.dt, ring, along=along)

    def trace(self) -> Trace:
        """What was recorded since the start."""
        if self.record is None:
            raise FootfallError("simulation: nothing was recorded; give record=Record()")
        steps, types = self._state["step_count"], self.rollout.types
        return self._with_contacts(self._recorder.trace(self.figure, self.terrains, types, steps, self.description()))

    def take_trace(self) -> Trace:
        """What was recorded since the last call; it is then dropped, for runs that have no end."""
        taken = self.trace()
        self.drop_trace()
        return taken

    def drop_trace(self) -> None:
        """Forget what was recorded so far."""
        self._recorder.blocks.clear()

    def description(self) -> dict[str, Any]:
        """What was simulated, as text and numbers."""
        return {
            "controller": self.controller.name if self.controller is not None else self.law.label,
            **({"states": list(self.law.state_names)} if self.law.state_names else {}),
            "figure": self.figure.name,
            "engine": self.engine,
            "device": str(self.device.alias),
            "precision": self.real.__name__,
            "dt": self.dt,
            "integrator": self.integrator,
            "worlds": self.worlds,
            "terrain": str(self.terrains[0]) if len(self.terrains) == 1 else f"{len(self.terrains)} terrains",
        }

    def __repr__(self) -> str:
        """What is simulated, how far it is, and how to go on."""
        name = self.description()["controller"]
        terrain = str(self.terrains[0]) + (" and others" if len(self.terrains) > 1 else "")
        pushes = f"{len(self.pushes)} push{'es' if len(self.pushes) != 1 else ''}"
        lines = [
            f"<{type(self).__name__} of {name} on {self.figure.name}: {counted(self.worlds)}, "
            f"{self.time:.2f} s so far>",
            f"  steps of {1000 * self.dt:g} ms, {self.integrator}, on {self.device}; terrain {terrain}, {pushes}",
        ]
        if self.step_number:
            outcome = self.outcome()
            up, fell, diverged = (int(a.sum()) for a in (outcome.survived, outcome.fell, outcome.diverged))
            lines.append(f"  {up} up, {fell} fell, {diverged} diverged")
            lines.append(
                "  next: simulation.outcome(), simulation.run(10.0) to go on, simulation.reset() to begin again"
            )
        else:
            lines.append("  next: simulation.run(10.0) simulates ten seconds and returns an Outcome")
        if self.record is None:
            lines.append("  nothing is recorded: give record=footfall.Record() for pictures and films")
        else:
            lines.append("  simulation.trace() has what was recorded")
        return "\n".join(lines)
