"""The worlds of an environment: a simulation, an action, goals and rewards, advanced one decision at a time. Each
world's random stream follows from its own seed alone.

Episodes of clips begin more often before the parts at which a policy falls while it is trained (:class:`HardParts`).
Clips are cut into parts of about a second. A part's weight is the share of passes through it that ended in a fall,
smoothed over time; an episode begins in a part by that weight of it and of the part after it, or anywhere.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.kind import Integration
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.clips import ClipStates, clip_states
from footfall.learning.falls import clips_of_getting_up
from footfall.learning.kernels import NEVER, task_kernels
from footfall.learning.layers import Arrays
from footfall.learning.measures import DecisionMeasures
from footfall.learning.options import COM, FALLEN, SEGMENTS, STEP, Options
from footfall.learning.setup import USUAL_DT, Setup
from footfall.methods.network.seen import SIGHTS
from footfall.methods.network.terms import NO_TETHER
from footfall.push import Push, pushes_on_segments
from footfall.simulation.device import to_device
from footfall.simulation.hardware import Hardware
from footfall.simulation.prepared import PreparedWorlds
from footfall.simulation.simulation import Simulation
from footfall.simulation.worlds import starting_state
from footfall.terrain import TerrainFlat

LONGEST_STEP = 1.0
"""Seconds after which a decision ends that waits for a footstep."""
SAMPLE_SECONDS = 0.02
"""Between poses of a decision that waits for a footstep, where it is watched."""


@cache
def _structure_type(name: str, fields: tuple[tuple[str, Any, int], ...]) -> Any:
    """The structure with fields of a name, a type and so many axes."""
    kinds = {field: wp.array(dtype=kind, ndim=axes) if axes else kind for field, kind, axes in fields}
    return wp.struct(type(name, (), {"__annotations__": kinds, "__module__": __name__}))


class EnvironmentWorlds:
    """N worlds of an environment on a device.

    Args:
        options: what they are.
        worlds: N.
        most: decisions of an episode; 0 for no end.
        mode: an autoreset mode (:mod:`footfall.learning.options`).
        measured: whether every decision is measured (:mod:`footfall.learning.measures`); steps take a little longer.

    Worlds can be pickled and copied: a copy is made again from the options and continues from the same state.

    Attributes:
        setup: what they consist of.
        low, high: [D] bounds of observations.
        live: what every world is, by field.
        kernels: begin, judge and restart.
        period: seconds between decisions, at most.
        seen: a function that is called every 20 ms of simulated time, to watch; None for none. Copies have none.
        measures: of the last decision, by name, each [N] on the device; none where decisions are not measured.
    """

    def __init__(self, options: Options, worlds: int, *, most: int = 0, mode: int = 0, measured: bool = False) -> None:
        self.options, self.count = options, worlds
        self._made_with = {"most": most, "mode": mode, "measured": measured}
        self.seen: Callable[[], None] | None = None
        self.setup = Setup.of(options)
        self.low, self.high = np.array([[r.low, r.high] for r in self.setup.observations], dtype=np.float32).T
        self.simulation = self._simulate(worlds, efforts=measured)
        dt = self.simulation.dt
        self.footsteps = options.decide == STEP
        seconds = LONGEST_STEP if self.footsteps else 1.0 / float(options.decide)
        steps = max(1, round(seconds / dt))
        self.period = steps * dt
        several, grounds = len(self.setup.terrains) > 1, self.setup.grounds
        rows = grounds[np.arange(worlds) % len(grounds)] if several else None
        self.prepared = PreparedWorlds(self.simulation, steps, footsteps=self.footsteps, terrain=rows)
        self.device, self.real = self.simulation.device, self.simulation.real
        self._fill(most, mode)
        self.kernels = task_kernels(self.setup.plan, self.real, self.task._cls, self._live._cls)
        self._begin, self._judge, self._restart = map(self._recorded, self.kernels)
        made = [DecisionMeasures(self.prepared, self.live["elapsed"])] if measured else []
        self.measures: dict[str, Any] = made[0].values if made else {}
        self._first, self._last = [self._begin, *(m.before for m in made)], [*(m.after for m in made), self._judge]
        self._kept = {**self.live, "begins": self.task.begins} | ({"start": made[0].start} if made else {})
        stages = [*self._first, self._advances(steps), *self._last]
        self._jobs = [partial(_launch, launches) for launches in zip(*stages, strict=True)]

    # -- what they are made of -----------------------------------------------------------------------------------------

    def _simulate(self, worlds: int, *, efforts: bool) -> Simulation:
        options, action, controller = self.options, self.setup.action, self.setup.controller
        corrected = controller if options.action == "corrections" else None
        own = (corrected.integration if corrected is not None else None) or Integration(USUAL_DT)
        simulation = Simulation(
            figure=self.setup.figure,
            law=action.law,
            worlds=worlds,
            terrain=self.setup.terrains[0],
            pushes=() if options.push is None else _pushes(self.setup.figure, options.push_place, worlds),
            hardware=_hardware(options.hardware, worlds),
            ground=corrected.ground if corrected is not None else None,
            dt=own.dt if options.dt is None else options.dt,
            integrator=own.integrator,
            device=options.device,
            precision=options.precision,
            threads=options.threads,
            lanes=options.lanes,
            last_states=0,
            efforts=efforts,
        )
        simulation.set_parameters(np.tile(action.row, (worlds, 1)))
        return simulation

    def _fill(self, most: int, mode: int) -> None:
        """What the kernels take: the task, the same for all worlds, and what each world is.

        Of the task: ``left`` and ``right`` are bit masks of the feet's points, ``most`` decisions make an episode (0
        for no end), ``states`` [frames, nq + nv] is the start or the clips, ``clip`` the same as one row, ``last`` the
        last frame of each frame's clip; ``source`` to ``numbers`` are the action's entries.
        Of a world: its state, ``random`` stream, ``goal`` (speed, heading), ``frame`` of the clip, ``elapsed``
        decisions of this episode, the frame at which the last one ``ended``, whether it is ``due`` for a reset; where
        it was (``before``), by how much its clip is ``pulled`` after it, what it did (``past``) and where the ground
        ``held`` it at the last decision.
        """
        options, setup = self.options, self.setup
        action, real, n = setup.action, self.real, self.count
        self.clips = clips = self._clips()
        states = to_device(np.concatenate([clips.qpos, clips.qvel], axis=1), real, self.device)
        points = self.simulation.rollout.types.compiled.points
        left, right = (sum(1 << k for k, p in enumerate(points) if p.foot == side) for side in ("left", "right"))
        (speed_low, speed_high), (head_low, head_high) = (
            options.limits(name) if getattr(options, name) is not None else (0.0, 0.0) for name in ("speed", "heading")
        )
        push = options.limits("push") if options.push is not None else (0.0, 0.0)
        given: dict[str, Any] = {
            "left": left,
            "right": right,
            "dt": float(self.simulation.dt),
            "most": int(most),
            "mode": int(mode),
            "leash": float(options.leash or 0.0),
            "tether": float(options.tether or NO_TETHER),
            "goal_low": wp.vec2d(speed_low, head_low),
            "goal_high": wp.vec2d(speed_high, head_high),
            "push_low": push[0],
            "push_high": push[1],
            "push_seconds": wp.vec2d(*options.limits("push_seconds")),
            "push_gap": wp.vec2d(*options.limits("push_gap")),
            "noise": wp.vec2d(*options.noise),
            "heading_column": int(action.heading),
            "ahead": np.array(SIGHTS),
            "weights": np.array(setup.weights),
            "low": self.low.astype(float),
            "high": self.high.astype(float),
            "states": states,
            "clip": states.reshape((1, -1)),
            "last": clips.last,
            "begins": clips.begins,
            "start_memory": np.asarray(action.law.memory, dtype=float),
            "source": np.array([p.action for p in action.places], dtype=np.int32),
            "column": np.array([p.column for p in action.places], dtype=np.int32),
            "joint": np.array([p.joint for p in action.places], dtype=np.int32),
            "numbers": np.clip([(p.offset, p.gain, p.least, p.most) for p in action.places], -1e30, 1e30),
            "pool": setup.grounds,
        }
        self.task = self._structure("Task", given)
        size, width = len(setup.observations), len(action.table)
        live: dict[str, Any] = dict(self.prepared.state)
        for name in ("parameters", "terrain", "window", "force", "pause"):
            live[name] = getattr(self.prepared, name)
        if setup.plan.late:
            live |= {"delay": self.prepared.past["delay"]}
            live |= {f"late_{name}": self.prepared.past[name] for name in ("qpos", "qvel", "contact")}
        if setup.plan.noisy:
            live |= {"wrong": self.prepared.noise, "key": self.prepared.key}
        shapes: dict[str, tuple[Any, Any]] = {
            "random": (n, wp.uint32),
            "goal": ((n, 2), real),
            **dict.fromkeys(("frame", "ground", "elapsed", "ended", "due", "pushed"), (n, wp.int32)),
            "before": ((n, 3), real),
            "action": ((n, width), wp.float32),
            "held": ((n, self.prepared.state["anchor"].shape[1] if options.follows else 0), real),
            "touched": (n, wp.int32),
            "pulled": ((n, 2 if setup.plan.clip else 0), real),
            "past": ((n, width if setup.plan.clip else 0), real),
            "observation": ((n, size), wp.float32),
            "final": ((n, size), wp.float32),
            "terms": ((n, len(setup.plan.rewards)), real),
            "reward": (n, real),
            **dict.fromkeys(("terminated", "truncated"), (n, wp.bool)),
        }
        live |= {name: wp.zeros(shape, dtype=dtype, device=self.device) for name, (shape, dtype) in shapes.items()}
        self.live = live
        self._live = self._structure("Live", live)

    def _structure(self, name: str, values: dict[str, Any]) -> Any:
        """A structure that holds arrays, vectors and numbers by name; its fields are of their types."""
        on_device = {
            field: to_device(value, wp.int32 if value.dtype.kind == "i" else self.real, self.device)
            if isinstance(value, np.ndarray)
            else value
            for field, value in values.items()
        }
        filled = _structure_type(name, tuple((field, *self._kind(value)) for field, value in on_device.items()))()
        for field, value in on_device.items():
            setattr(filled, field, value)
        return filled

    def _kind(self, value: Any) -> tuple[Any, int]:
        """Type and axes of a field."""
        if isinstance(value, wp.array):
            return value.dtype, value.ndim
        return {float: self.real, int: wp.int32}.get(type(value), type(value)), 0

    def _clips(self) -> ClipStates:
        """Where episodes begin, and what they imitate."""
        figure, controller = self.setup.figure, self.setup.controller
        if self.options.follows:
            rising = []
            if self.options.start == FALLEN:
                rising = clips_of_getting_up(figure, self.options.falls, 1.0 / self.period)
            return clip_states(self.options.clip, figure, controller, self.period, rising)
        start = controller.start if controller is not None else None
        fits = start is not None and len(start.qpos) == figure.nq
        level = [TerrainFlat()]
        qpos, qvel = starting_state(figure, start if fits else None, None, level, 1, qpos=None, qvel=None)
        return ClipStates(qpos, qvel, np.zeros(1, np.int32), np.zeros(1, np.int32))

    # -- running -------------------------------------------------------------------------------------------------------

    def _recorded(self, kernel: Any) -> list[Any]:
        return [
            wp.launch(kernel, dim=count, inputs=[first, self.task, self._live], device=self.device, record_cmd=True)
            for first, count in self.prepared.shares
        ]

    def _advances(self, steps: int) -> list[Any]:
        return [self.prepared.launch(first, count, steps) for first, count in self.prepared.shares]

    def step(self) -> None:
        """One decision of every world, under the actions in ``live["action"]``."""
        if self.seen is None:
            self.prepared.run(self._jobs)
        else:
            self._watched_step(self.seen)

    def _watched_step(self, seen: Callable[[], None]) -> None:
        """A decision in pieces of 20 ms; the result is equal to the bit."""
        piece = max(1, round(SAMPLE_SECONDS / self.simulation.dt))
        steps = [min(piece, self.prepared.steps - k) for k in range(0, self.prepared.steps, piece)]
        advances = {count: self._advances(count) for count in set(steps)}
        _launch(launch for stage in self._first for launch in stage)
        for count in steps:
            _launch(advances[count])
            self.synchronise()
            seen()
        _launch(launch for stage in self._last for launch in stage)

    def restart(self, worlds: NDArray[np.bool_], seeds: NDArray[np.uint32] | None = None) -> None:
        """Begin an episode in some worlds, [N]; with ``seeds`` [N] their random streams begin anew."""
        if seeds is not None:
            streams = np.where(worlds, seeds, self.live["random"].numpy()).astype(np.uint32)
            self.live["random"].assign(streams)
        self.live["due"].assign(worlds.astype(np.int32))
        _launch(self._restart)

    def begin_at(self, frames: NDArray[np.int32]) -> None:
        """Let episodes begin at these frames of the clips, each as likely as the others; always as many as before."""
        if len(frames) != self.task.begins.shape[0]:
            raise FootfallError(f"{len(frames)} beginnings; give {self.task.begins.shape[0]}")
        self.task.begins.assign(frames)

    def synchronise(self) -> None:
        """Wait until a GPU is done."""
        if not self.device.is_cpu:
            wp.synchronize_device(self.device)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The state of all worlds and where their episodes may begin, each array copied; :meth:`restore` goes on from
        it exactly."""
        return {name: array.numpy().copy() for name, array in self._kept.items()}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Put the worlds into a snapshot's state, of as many worlds with the same options."""
        for name, array in self._kept.items():
            if array.size:
                array.assign(snapshot[name])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as options and state."""
        return _worlds_again, (self.options, self.count, self._made_with, self.snapshot())

    def close(self) -> None:
        """Let the threads go."""
        self.prepared.close()


def _worlds_again(
    options: Options, count: int, made_with: Mapping[str, Any], snapshot: Mapping[str, NDArray[Any]]
) -> EnvironmentWorlds:
    """Worlds of options in a state."""
    worlds = EnvironmentWorlds(options, count, **made_with)
    worlds.restore(snapshot)
    return worlds


def _pushes(figure: Figure, place: str, worlds: int) -> list[Push]:
    """Pushes that are not drawn yet, one for each place where they may be."""
    none = np.zeros((worlds, 3))
    if place == SEGMENTS:
        return pushes_on_segments(figure, none[:, None], np.full((1, 1), NEVER), 0.0)
    torso = next(b for b in figure.bodies if b.name == figure.torso)
    return [Push(none, NEVER, 0.0, place=tuple(map(float, torso.com)) if place == COM else None)]  # type: ignore[arg-type]


def _hardware(given: Mapping[str, Any], worlds: int) -> Hardware:
    """Hardware by name; a pair of numbers is drawn between them, once for each world."""
    random = np.random.default_rng(0)

    def drawn(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: drawn(one) for name, one in value.items()}
        return random.uniform(value[0], value[1], worlds) if isinstance(value, tuple) else value

    return Hardware(**drawn(given))


def _launch(launches: Iterable[Any]) -> None:
    for launch in launches:
        launch.launch()


def streams_of(seeds: Sequence[int] | NDArray[np.uint64]) -> NDArray[np.uint32]:
    """[N] where random streams begin, for seeds [N] of up to 64 bits (SplitMix64, whose neighbours are unalike)."""
    try:
        z = np.asarray(seeds, dtype=np.uint64)
    except (OverflowError, TypeError, ValueError):
        raise FootfallError("seed: it must be a whole number from 0 to 2^64 - 1") from None
    with np.errstate(over="ignore"):
        z = z + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return np.asarray(z >> np.uint64(32)).astype(np.uint32)


PART = 50
"""Frames of a part."""
ANYWHERE = 0.3
"""Share of episodes that begin anywhere."""
KEPT = 0.97
"""Of what was counted before, after each renewal."""


class HardParts:
    """Counts where a policy passes and falls, and chooses beginnings.

    Args:
        worlds: of an environment with clips.
        arrays: of the policy.
        seed: of what is drawn.

    Attributes:
        parts: [frames] each frame's part.
        passed, fallen: [parts] how often, of late.
    """

    def __init__(self, worlds: EnvironmentWorlds, arrays: Arrays | None = None, seed: int = 0) -> None:
        self.worlds, self.arrays = worlds, arrays or Arrays()
        self.everywhere = worlds.task.begins.numpy().copy()
        last = worlds.task.last.numpy()
        self.parts = _parts(last)
        count = int(self.parts.max()) + 1
        ends = np.flatnonzero(np.diff(last, append=-1))
        self.closing = np.zeros(count, dtype=bool)
        self.closing[self.parts[ends]] = True
        self.random = np.random.default_rng(seed)
        self._of_frame = self.arrays.of(self.parts)
        self._frame, self._ended = (self.arrays.shared(worlds.live[name]) for name in ("frame", "ended"))
        self.passed, self.fallen = (self.arrays.double(self.arrays.zeros(count) + first) for first in (1.0, 0.0))

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it, [N] each."""
        part = self._of_frame[self.arrays.xp.where(ended, self._ended, self._frame)]
        self.passed += self.arrays.tally(part, len(self.passed)) / PART
        self.fallen += self.arrays.tally(part, len(self.passed), fell)

    def renew(self) -> None:
        """Choose the beginnings of the next episodes."""
        passed, fallen = (self.arrays.numpy(counts) for counts in (self.passed, self.fallen))
        rate = fallen / (passed + fallen + 1.0)
        self.passed *= KEPT
        self.fallen *= KEPT
        after = np.where(self.closing, 0.0, np.append(rate[1:], 0.0))
        weight = (rate + after)[self.parts[self.everywhere]] + 1e-3
        even = np.full(len(weight), 1.0 / len(weight))
        share = ANYWHERE * even + (1.0 - ANYWHERE) * weight / weight.sum()
        self.worlds.begin_at(np.repeat(self.everywhere, _times(share, self.random.random())).astype(np.int32))


def _times(share: NDArray[np.float64], offset: float) -> NDArray[np.int64]:
    """How often each of N frames is among N that are drawn by their shares, at equal distances from ``offset`` on: as
    many frames as a day of clips has are drawn in no time."""
    reached = np.cumsum(share)
    reached *= len(share) / reached[-1]
    reached[-1] = len(share)
    return np.diff(np.ceil(reached - offset), prepend=0.0).astype(np.int64)


def _parts(last: Any) -> Any:
    """[frames] the number of each frame's part; no part is in two clips."""
    frames = np.arange(len(last))
    first = np.concatenate([[0], np.flatnonzero(np.diff(last)) + 1])
    begun = first[np.searchsorted(first, frames, side="right") - 1]
    key = last.astype(np.int64) * (len(last) + 1) + (frames - begun) // PART
    return np.unique(key, return_inverse=True)[1].astype(np.int64)
