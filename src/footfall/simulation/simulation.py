"""Simulations: N worlds of a figure, a law, a terrain and disturbances on a device."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.files import load_controller
from footfall.control.graph import PoseControlGraph
from footfall.control.law import Law
from footfall.control.laws import GraphLaw, law_of
from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.mechanism import body_row, body_rows
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.simulation.device import device_of, loading, real_of
from footfall.simulation.disturbance import Push
from footfall.simulation.inputs import check_worlds, delays_in_steps, push_tables, terrains_of, threads_for
from footfall.simulation.outcome import Outcome, outcome_of
from footfall.simulation.rollout import INTEGRATORS, Features, Rollout, build_rollout
from footfall.simulation.starting import starting_state
from footfall.simulation.tallying import TALLY
from footfall.simulation.trace import FIELDS, Record, Trace, record_block, trace_of
from footfall.terrain import Terrain

__all__ = ["Simulation"]

LARGEST_DT = 0.02
CHUNK_SECONDS = 0.25
RING_SECONDS = 0.005
FALL_SECONDS = 0.01

_kernels: dict[Any, Rollout] = {}


class Simulation:
    """N worlds, run side by side. Parameters that may differ between worlds broadcast: one value, or one for each
    world.

    Args:
        controller: a controller, its built-in name or its file. Or give ``law`` and ``figure``.
        figure: the figure, its built-in name or its file; by default the controller's own.
        law: a control law of your own, instead of a controller.
        worlds: N.
        terrain: a terrain or its name ("slope:6"), or a sequence of N.
        pushes: timed forces.
        changes: controller parameters by name, each a number or [N] (see :mod:`footfall.control.rows`).
        body: sizes of the bodies, [1 or N] worlds.
        ground: stiffness, damping and friction, or a sequence of N.
        qpos, qvel: start, [nq] or [N, nq], [nv] or [N, nv]; by default the controller's start.
        sensor_delay: how late balance sees the body and the ground, seconds, a number or [N]; joints' own servos feel
            no delay.
        actuator_delay: how late torques act, seconds, a number or [N]; servos are then explicit.
        dt: step, seconds.
        integrator: one of ``INTEGRATORS``.
        device: "cpu" or "cuda". precision: "float64" (default on a CPU) or "float32" (default on a GPU).
        threads: CPU threads; by default one a core. Results do not depend on it.
        record: what to record; None for nothing.
        limp_after_fall: whether a fallen world goes on without torques, its joints within their ranges, or stops.
        last_states: how many states before its end a world keeps, sampled every 5 ms.
        efforts: whether torques, work and the torso's range are summed up; without them a step is a little faster.
    """

    engine = "native"

    def __init__(
        self,
        controller: str | Path | PoseControlGraph | None = None,
        *,
        figure: str | Path | Figure | None = None,
        law: Law | None = None,
        worlds: int = 1,
        terrain: str | Terrain | Sequence[Terrain] = "flat",
        pushes: Sequence[Push] = (),
        changes: Mapping[str, ArrayLike] | None = None,
        body: BodyParameters | None = None,
        ground: Ground | Sequence[Ground] | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        sensor_delay: ArrayLike = 0.0,
        actuator_delay: ArrayLike = 0.0,
        dt: float = 0.001,
        integrator: str = "implicit",
        device: str = "cpu",
        precision: str | None = None,
        threads: int | None = None,
        record: Record | None = None,
        limp_after_fall: bool = False,
        last_states: int = 8,
        efforts: bool = True,
    ) -> None:
        if worlds < 1:
            raise FootfallError(f"worlds is {worlds}; it must be at least 1")
        if not (math.isfinite(dt) and 0 < dt <= LARGEST_DT):
            raise FootfallError(f"dt is {dt}; it must be above 0 and at most {LARGEST_DT} seconds")
        if integrator not in INTEGRATORS:
            raise FootfallError(f"integrator is '{integrator}'; choose one of: {', '.join(INTEGRATORS)}")
        self.controller = None if controller is None else load_controller(controller)
        self.figure = self._figure(figure)
        self.law = law if law is not None else law_of(self._graph(), self.figure)
        self.worlds, self.dt, self.integrator = worlds, float(dt), integrator
        self.limp_after_fall, self.record = limp_after_fall, record
        self.terrains = terrains_of(terrain)
        self.grounds = [ground] if isinstance(ground, Ground) else list(ground or [Ground()])
        self.pushes, self.body = tuple(pushes), body
        self._delay = delays_in_steps(sensor_delay, actuator_delay, worlds, self.dt)
        self.device = device_of(device)
        self.real = real_of(precision, self.device)
        self.threads = threads_for(threads, worlds, self.device)
        check_worlds("terrain", len(self.terrains), worlds)
        check_worlds("ground", len(self.grounds), worlds)
        if body is not None:
            check_worlds("body", body.worlds, worlds)
        self._terrain_kind, table = terrain_table(self.terrains)
        self._efforts = efforts
        self.rollout = self._rollout()
        self._table = self._rows_to_device(table)
        self._set_body()
        self._set_grounds()
        self._set_pushes()
        self.change(changes or {})
        start = self.controller.start if self.controller is not None else None
        self._start = starting_state(self.figure, start, self.body, self.terrains, worlds, qpos=qpos, qvel=qvel)
        self._last_states = last_states
        self.reset()

    # -- what is simulated ---------------------------------------------------------------------------------------------

    def _graph(self) -> PoseControlGraph:
        if self.controller is None:
            raise FootfallError("simulation: give a controller, or a law with a figure")
        return self.controller

    def _figure(self, figure: str | Path | Figure | None) -> Figure:
        if isinstance(figure, Figure):
            return figure
        if figure is None and self.controller is None:
            raise FootfallError("simulation: give a controller, or a law with a figure")
        return Figure.load(figure if figure is not None else self._graph().figure)

    def _rollout(self, *, pausing: bool = False) -> Rollout:
        features = Features(
            delayed=bool(self._delay.any()), pausing=pausing, efforts=self._efforts, limp=self.limp_after_fall
        )
        places = list(dict.fromkeys(p.place_on(self.figure) for p in self.pushes))
        key = (
            self.engine,
            self.figure.xml,
            body_row(self.figure.model, np.array([p.position for p in self.figure.points])).tobytes(),
            self.law.key,
            self.real,
            tuple(places),
            self.body is not None,
            self.limp_after_fall,
            self.grounds[0].law,
            self._terrain_kind,
            self.integrator,
            features,
        )
        if self.law.key is None or key not in _kernels:
            compiled = CompiledFigure(
                self.figure,
                self.real,
                sizes_differ=self.body is not None,
                push_places=places,
                feet_only=not self.limp_after_fall and bool(self.figure.legs),
            )
            built = build_rollout(
                compiled,
                self.law,
                ground=self.grounds[0].law,
                terrain=self._terrain_kind,
                integrator=self.integrator,
                features=features,
                outside=self._outside(compiled),
            )
            if self.law.key is None:
                return built
            _kernels[key] = built
        return _kernels[key]

    @cached_property
    def _pausing_rollout(self) -> Rollout:
        return self._rollout(pausing=True)

    def _to_device(self, values: ArrayLike, dtype: Any = None) -> Any:
        return wp.array(np.ascontiguousarray(values), dtype=dtype or self.real, device=self.device)

    def _rows_to_device(self, rows: ArrayLike) -> Any:
        """A table [1 or N, columns]; on a GPU neighbouring worlds' numbers lie side by side, as neighbouring threads
        read them."""
        table = np.atleast_2d(np.asarray(rows, dtype=float))
        if self.device.is_cpu or len(table) == 1:
            return self._to_device(table)
        return self._to_device(table.T).transpose((1, 0))

    def _set_body(self) -> None:
        gravity = np.asarray(self.figure.model.opt.gravity)
        rows = np.zeros((1, 1)) if self.body is None else body_rows(self.body, gravity)
        self._body = self._rows_to_device(rows)

    def _set_grounds(self) -> None:
        if len({g.law for g in self.grounds}) > 1:
            raise FootfallError("ground: all worlds need the same law")
        self._grounds = self._to_device(np.array([g.row() for g in self.grounds]))

    def _set_pushes(self) -> None:
        windows, forces, slots = push_tables(self.pushes, self.figure, self.worlds, self.dt)
        self._pushing = [self._to_device(windows), self._to_device(forces), self._to_device(slots, wp.int32)]

    # -- running -------------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Back to the start, at time 0."""
        n, types, compiled = self.worlds, self.rollout.types, self.rollout.types.compiled

        def zeros(dtype: Any) -> Any:
            return wp.zeros(n, dtype=dtype, device=self.device)

        tally = np.zeros((n, len(TALLY)))
        tally[:, TALLY.index("torso_low")], tally[:, TALLY.index("torso_high")] = np.inf, -np.inf
        memory = np.broadcast_to(self.law.memory, (n, len(self.law.memory)))
        self._state = {
            "qpos": self._to_device(self._start[0], compiled.Qpos),
            "qvel": self._to_device(self._start[1], compiled.Qvel),
            "memory": self._to_device(memory, types.Memory),
            "anchor": zeros(compiled.Points),
            "contact": zeros(wp.int32),
            "step_count": zeros(wp.int32),
            "status": zeros(wp.int32),
            "end_step": zeros(wp.int32),
            "stance": wp.full(n, -1, dtype=wp.int32, device=self.device),
            "tally": self._to_device(tally, self.rollout.Tally),
            "qacc": zeros(compiled.Qvel),
        }
        rings = max(1, self._last_states)
        self._rings = [wp.zeros((n, rings), dtype=t, device=self.device) for t in (compiled.Qpos, compiled.Qvel)]
        depth = int(self._delay.max()) + 1
        past = (n, depth) if self._delay.any() else (0, 0)
        vectors = (compiled.Qpos, compiled.Qvel, compiled.Qvel, wp.int32)
        self._past = [self._to_device(self._delay, wp.int32)]
        self._past += [wp.zeros(past, dtype=t, device=self.device) for t in vectors]
        self._blocks: list[dict[str, NDArray[Any]]] = []
        self.step_number = 0
        self.wall_seconds = 0.0

    def change(self, changes: Mapping[str, ArrayLike]) -> None:
        """Replace controller parameters, by number or [N]; they act from the next step on."""
        if not changes:
            if not hasattr(self, "_parameters"):
                self._rows = np.atleast_2d(self.law.parameters)
                self._parameters = self._rows_to_device(self._rows)
            return
        if not isinstance(self.law, GraphLaw):
            raise FootfallError("changes: only pose control graphs have named parameters")
        differ = any(np.ndim(v) > 0 and np.size(v) > 1 for v in changes.values())
        base = getattr(self, "_rows", np.atleast_2d(self.law.parameters))
        rows = np.tile(base, (self.worlds if differ and len(base) == 1 else 1, 1))
        self.set_parameters(self.law.table.applied(rows, dict(changes)))

    def set_parameters(self, rows: ArrayLike) -> None:
        """Replace the numbers that the law reads, [1 or N, NP]; they act from the next step on."""
        array = np.atleast_2d(np.asarray(rows, dtype=float))
        if array.shape[0] not in (1, self.worlds) or array.shape[1] != len(self.law.parameters):
            raise FootfallError(
                f"parameters have shape {np.shape(rows)}; give [1 or {self.worlds}, {len(self.law.parameters)}]"
            )
        self._rows = array
        self._parameters = self._rows_to_device(array)

    def replace_pushes(self, pushes: Sequence[Push]) -> None:
        """Other pushes from now on, at the places of those given at the start."""
        old, new = ([*dict.fromkeys(p.place_on(self.figure) for p in given)] for given in (self.pushes, pushes))
        if old != new:
            raise FootfallError(f"pushes: their places must be those given at the start, {old}; they are {new}")
        self.pushes = tuple(pushes)
        self._set_pushes()

    @property
    def time(self) -> float:
        """Simulated seconds since the start."""
        return self.step_number * self.dt

    def run(self, seconds: float, progress: Callable[[float], None] | None = None) -> Outcome:
        """Go on for a time and say what came of it.

        Args:
            seconds: how long.
            progress: called with the simulated time as it goes.
        """
        if not (math.isfinite(seconds) and seconds > 0):
            raise FootfallError(f"seconds is {seconds}; it must be above 0")
        self.step(round(seconds / self.dt), progress)
        return self.outcome()

    def step(
        self, steps: int, progress: Callable[[float], None] | None = None, *, footsteps: ArrayLike | None = None
    ) -> None:
        """Go on for a number of steps.

        Args:
            steps: how many.
            progress: called with the simulated time as it goes.
            footsteps: a number or [N]; a world that is about to exchange its stance leg more often than that since the
                start pauses there, before the new stance's first step, and goes on from there when stepped again.
        """
        self._pause = self._footsteps(footsteps)
        rollout = self.rollout if footsteps is None else self._pausing_rollout
        trace = record_block(self.record, rollout.types, self.worlds, self._samples(steps), self.device)
        self._load(rollout)
        chunk = steps if progress is None else max(1, round(CHUNK_SECONDS / self.dt))
        began = time.perf_counter()
        first_sample = -(-self.step_number // self._stride) if self.record else 0
        done = 0
        while done < steps:
            now = min(chunk, steps - done)
            self._launch(rollout, now, trace, first_sample)
            done += now
            self.step_number += now
            if progress is not None:
                wp.synchronize_device(self.device)
                progress(self.time)
        wp.synchronize_device(self.device)
        self.wall_seconds += time.perf_counter() - began
        if footsteps is not None:
            self.step_number = int(np.max(self._state["step_count"].numpy()))
        if self.record is not None:
            lived = -(-self.step_number // self._stride) - first_sample
            self._blocks.append({name: trace[name].numpy()[:lived] for name in FIELDS})

    def _footsteps(self, footsteps: ArrayLike | None) -> Any:
        if footsteps is None:
            return wp.empty(0, dtype=wp.int32, device=self.device)
        if self.record is not None and self.worlds > 1:
            raise FootfallError("footsteps: worlds that pause run at times of their own; record no more than one")
        return self._to_device(np.broadcast_to(np.asarray(footsteps, dtype=np.int32), (self.worlds,)), wp.int32)

    @property
    def _stride(self) -> int:
        return max(1, round(1.0 / (self.record.rate * self.dt))) if self.record else 0

    def _samples(self, steps: int) -> int:
        """How many samples the next steps give."""
        stride = self._stride
        return -(-(self.step_number + steps) // stride) - -(-self.step_number // stride) if stride else 0

    @property
    def _ring_stride(self) -> int:
        return max(1, round(RING_SECONDS / self.dt))

    def _load(self, rollout: Rollout) -> None:
        law = self.controller.name if self.controller is not None else type(self.law).__name__
        with loading(f"{self.figure.name} with {law} for {self.device.alias}"):
            rollout.kernel.module.load(self.device, 1 if self.device.is_cpu else rollout.block)

    def _launch(self, rollout: Rollout, steps: int, trace: dict[str, Any], first_sample: int) -> None:
        tables = (self._body, self._parameters, self._grounds, self._table)
        worlds = _filled(rollout.Worlds, *self._state.values())
        pushing = _filled(rollout.Pushing, *self._pushing)
        ring = self._ring_stride if self._last_states else 0
        samples = _filled(rollout.Trace, self._stride, first_sample, *trace.values(), ring, *self._rings)
        past = _filled(rollout.Past, *self._past, self._pause)
        own_rows = wp.vec4i(*(int(table.shape[0] > 1) for table in tables))
        fall_stride = max(1, round(FALL_SECONDS / self.dt))
        head = [self.real(self.dt), fall_stride, int(self.limp_after_fall), own_rows]
        rest = [worlds, pushing, samples, past]

        def part(first: int, count: int) -> None:
            with self._scene() as scene:
                inputs = [first, steps, *head, _filled(rollout.Setting, *tables, scene), *rest]
                wp.launch(rollout.kernel, dim=count, inputs=inputs, device=self.device, block_dim=rollout.block)

        if self.threads == 1:
            part(0, self.worlds)
            return
        edges = np.linspace(0, self.worlds, self._parts() + 1).astype(int)
        with ThreadPoolExecutor(self.threads) as pool:
            for job in [pool.submit(part, int(a), int(b - a)) for a, b in pairwise(edges)]:
                job.result()

    def _outside(self, compiled: CompiledFigure) -> wp.Function | None:
        """Another engine's dynamics, in place of the figure's own."""
        return None

    @contextmanager
    def _scene(self) -> Iterator[Any]:
        """[rows, addresses] of another engine's scenes, for one launch."""
        yield wp.empty((0, 0), dtype=wp.uint64, device=self.device)

    def _parts(self) -> int:
        """Shares of the worlds: several a thread, so that a share whose worlds fall early leaves no thread idle."""
        return min(self.worlds, 8 * self.threads)

    # -- what came of it -----------------------------------------------------------------------------------------------

    @property
    def qpos(self) -> NDArray[np.float64]:
        """[N, nq] where the worlds are now."""
        return np.array(self._state["qpos"].numpy(), dtype=float)

    @property
    def qvel(self) -> NDArray[np.float64]:
        """[N, nv] how they move now."""
        return np.array(self._state["qvel"].numpy(), dtype=float)

    @property
    def memory(self) -> NDArray[np.float64]:
        """[N, M] the law's own state."""
        return np.array(self._state["memory"].numpy(), dtype=float)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The whole state of all worlds, each array with a leading world axis; :meth:`restore` goes on from it
        exactly."""
        return {name: array.numpy().copy() for name, array in self._state.items()}

    def restore(self, snapshot: Mapping[str, NDArray[Any]], worlds: ArrayLike | None = None) -> None:
        """Put worlds into the states of a snapshot, of this or another simulation of the same figure and law.

        Args:
            snapshot: as :meth:`snapshot` gives it.
            worlds: [N] which of the snapshot's worlds each world takes; by default its own, or the only one.
        """
        count = len(snapshot["qpos"])
        chosen = np.arange(self.worlds) if count == self.worlds else np.zeros(self.worlds, dtype=int)
        if worlds is not None:
            chosen = np.broadcast_to(np.asarray(worlds, dtype=int), (self.worlds,))
        elif count not in (1, self.worlds):
            raise FootfallError(f"snapshot has {count} worlds; name one for each of the {self.worlds} here")
        for name, array in self._state.items():
            values = np.asarray(snapshot[name])
            if values.shape[1:] != array.numpy().shape[1:]:
                raise FootfallError(
                    f"snapshot's {name} has shape {values.shape[1:]} a world; "
                    f"this simulation needs {array.numpy().shape[1:]}"
                )
            self._state[name] = self._to_device(values[chosen], array.dtype)
        self.step_number = int(np.max(snapshot["step_count"][chosen]))

    def outcome(self) -> Outcome:
        """What the worlds did since the start."""
        state = {name: array.numpy() for name, array in self._state.items()}
        rings = [ring.numpy().astype(float) for ring in self._rings]
        return outcome_of(state, rings, self._start[0], self.dt, self._ring_stride, along=self.figure.root != "fixed")

    def trace(self) -> Trace:
        """What was recorded since the start."""
        if self.record is None:
            raise FootfallError("simulation: nothing was recorded; give record=Record()")
        worlds = min(self.record.worlds, self.worlds)
        return trace_of(
            self.figure,
            self.terrains,
            self._blocks,
            [p.name for p in self.rollout.types.compiled.points],
            self._stride * self.dt,
            -(-self._state["step_count"].numpy()[:worlds].astype(np.int64) // self._stride),
            self.description(),
            self.rollout.types.signals,
        )

    def take_trace(self) -> Trace:
        """What was recorded since it was last taken, and forget it: for runs that have no end."""
        taken = self.trace()
        self._blocks.clear()
        return taken

    def description(self) -> dict[str, Any]:
        """What was simulated, in words and numbers."""
        return {
            "controller": self.controller.name if self.controller is not None else type(self.law).__name__,
            "figure": self.figure.name,
            "engine": self.engine,
            "device": str(self.device.alias),
            "precision": self.real.__name__,
            "dt": self.dt,
            "integrator": self.integrator,
            "worlds": self.worlds,
            "terrain": str(self.terrains[0]) if len(self.terrains) == 1 else f"{len(self.terrains)} terrains",
        }


def _filled(kind: Any, *values: Any) -> Any:
    """A Warp structure with its fields in order."""
    filled = kind()
    for name, value in zip(kind.cls.__annotations__, values, strict=True):
        setattr(filled, name, value)
    return filled
