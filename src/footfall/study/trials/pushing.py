"""Pushes at chosen phases of a settled gait, and the strict limit of what a controller survives.

A gait is pushed on its own limit cycle: replicas of it, started with random errors, walk until they have settled and
stop at the left foot's strike; every pushed world is a copy of one of them. Phase 0 is that strike, phase 1 the next.

The limit is strict: the largest size such that it and every smaller one pass, at every phase and in every replica. In
many directions at once (:func:`grow_rose`) pushes rise together, several sizes at a stride. A direction in which one
fails drops out, and the sizes of its last stride are tried one by one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.simulation import Record, Simulation
from footfall.study.sweeps.conditions import NEVER, Conditions
from footfall.study.sweeps.experiment import Experiment, strike_times

Array = NDArray[np.float64]
PATIENCE = 5.0
PUSH_SIDES: Mapping[str, tuple[float, float, float]] = {
    "front": (-1.0, 0.0, 0.0),
    "rear": (1.0, 0.0, 0.0),
    "right": (0.0, 1.0, 0.0),
    "left": (0.0, -1.0, 0.0),
}
"""Where a push comes from -> the direction in which it acts, for a figure that goes along x."""


def recorded_strikes(
    conditions: Conditions, settle: float, *, efforts: bool
) -> tuple[Simulation, Array, Array, NDArray[np.bool_]]:
    """Let N worlds settle, and stop each at a strike of its left foot, by the kernel that pushes them: one that
    pauses worlds at their strikes (:func:`footfall.study.sweeps.experiment.strike_times`) takes long to compile there.

    Returns:
        The simulation, each world where it stopped; then what ``strike_times`` returns.
    """
    dt, n = conditions.experiment.dt, conditions.worlds
    record = Record(rate=1.0 / dt, fields=("events",), worlds=n)
    simulation = conditions.simulation(efforts=efforts, record=record)
    settled, patience = round(settle / dt), round(PATIENCE / dt)
    simulation.step(settled)
    begun = simulation.snapshot()
    footsteps = simulation.outcome().footsteps + (begun["stance"] == 0)
    simulation.step(2 * patience)
    trace = simulation.trace()
    counted = _exchanges(trace.stance)
    ended = np.where(simulation.outcome().survived, len(counted), trace.last)

    def stopped(target: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
        """[N] the step before which a world's footsteps exceed a target; that of its end, or of lost patience."""
        beyond = counted > target
        first = np.where(beyond.any(axis=0), beyond.argmax(axis=0), len(counted))
        return np.maximum(np.minimum(np.minimum(first, after + patience), ended), after)

    one = stopped(footsteps, np.minimum(ended, settled))
    two = stopped(footsteps + 2, one)
    snapshot = _at_steps(simulation, begun, two)
    at_strike = conditions.simulation(efforts=efforts)
    at_strike.restore(snapshot)
    now = at_strike.outcome()
    steps = now.footsteps >= footsteps + 2
    strike = np.where(now.survived & steps, two * dt, np.nan)
    return at_strike, strike, strike - one * dt, now.survived & ~steps


def _exchanges(stance: NDArray[np.int32]) -> NDArray[np.int64]:
    """[S, N] exchanges of stance up to and with each step, from the stance side in it."""
    changed = np.zeros(stance.shape, dtype=np.int64)
    changed[1:] = (stance[1:] != stance[:-1]) & (stance[:-1] >= 0)
    return changed.cumsum(axis=0)


def _at_steps(
    simulation: Simulation, begun: dict[str, NDArray[np.float64]], steps: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """The state of each world after its own number of steps, from one snapshot of all of them."""
    simulation.restore(begun)
    found = {name: values.copy() for name, values in begun.items()}
    for step in np.unique(steps):
        if step > simulation.step_number:
            simulation.step(int(step - simulation.step_number))
        now = simulation.snapshot()
        for name, values in found.items():
            values[steps == step] = now[name][steps == step]
    return found


Progress = Callable[[float, float], None]
FEW = 64
"""Replicas that are recorded on a GPU; more are paused at their strikes."""


def strict_threshold(sizes: ArrayLike, passed: ArrayLike) -> float:
    """The largest of ``sizes`` [S] (rising) such that it and every smaller one passed, over all of ``passed`` [S, ...];
    0 if the first failed already."""
    sizes, passed = np.asarray(sizes, dtype=float), np.asarray(passed, dtype=bool)
    if sizes.ndim != 1 or len(passed) != len(sizes) or np.any(np.diff(sizes) <= 0):
        raise FootfallError("strict_threshold: sizes must rise, one for each row of passed")
    whole = passed.reshape(len(sizes), -1).all(axis=1)
    good = int(np.argmin(whole)) if not whole.all() else len(sizes)
    return float(sizes[good - 1]) if good else 0.0


class SettledGait:
    """Replicas of a gait on its limit cycle, ready to be pushed.

    Args:
        experiment: the gait; its settings hold in every world.
        replicas: how many starts.
        noise: the size of their random errors, radians (see :class:`footfall.study.sweeps.conditions.Conditions`).
        values: [replicas] numbers by name in which they differ besides: candidates of a search, say.
        must_step: refuse a controller that stays up without a step; if not, such replicas are just not ``upright``.

    Attributes:
        longest: seconds of the longest stride, within which pushes begin, so that all worlds run equally long; 0 where
            all fell. Where replicas are a share of those that are compared, it is set to that of all.
    """

    def __init__(
        self,
        experiment: Experiment,
        replicas: int = 5,
        noise: float = 0.02,
        values: Mapping[str, Array] | None = None,
        *,
        must_step: bool = True,
    ) -> None:
        if replicas < 1:
            raise FootfallError(f"replicas is {replicas}; it must be at least 1")
        self.experiment, self.replicas, self.values = experiment, replicas, dict(values or {})
        own = {"start.noise": np.full(replicas, noise), "replica": 1.0 + np.arange(replicas)} if noise > 0 else {}
        conditions = Conditions(experiment, {**self.values, **own, "push.phase": np.zeros(replicas)}, replicas)
        self._efforts = experiment.device.startswith("cpu")  # a kernel without efforts is faster, but not at hand
        self._pushed: Simulation | None = None
        if self._efforts or replicas > FEW:
            simulation = conditions.simulation(efforts=self._efforts)
            self.strike, self.stride, still = strike_times(simulation, experiment.settle)
        else:
            found = recorded_strikes(conditions, experiment.settle, efforts=self._efforts)
            simulation, self.strike, self.stride, still = found
        if must_step and still.any():
            raise FootfallError(
                f"controller '{experiment.name}' takes no steps after {experiment.settle:g} s, and pushes at phases of "
                "a stride need steps; footfall sweep --over push.force=… --set push.start=… pushes it at a time"
            )
        self.snapshot, self.outcome = simulation.snapshot(), simulation.outcome()
        self.longest = float(np.nanmax(self.stride)) if np.isfinite(self.stride).any() else 0.0

    @property
    def upright(self) -> bool:
        """Whether every replica still walks when it should be pushed."""
        return bool(np.isfinite(self.strike).all())

    def push(
        self,
        force: ArrayLike,
        phase: ArrayLike,
        replica: ArrayLike = 0,
        *,
        angle: ArrayLike = 0.0,
        elevation: ArrayLike = 0.0,
        duration: ArrayLike = 0.1,
    ) -> tuple[NDArray[np.bool_], Array]:
        """Push N worlds, each once.

        Args:
            force: newtons.
            phase: of the stride, 0 to 1.
            replica: which one; each a number or [N].
            angle, elevation: degrees.
            duration: seconds.

        Returns:
            [N] whether each stayed up for ``recovery`` seconds and, if it is a gait that steps, still stepped in their
            second half; [N] seconds from the push to its fall, NaN if it did not fall.
        """
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (force, phase, angle, elevation, duration)))
        count = arrays[0].size
        which = np.broadcast_to(np.asarray(replica, dtype=int), arrays[0].shape).reshape(-1)
        names = ("push.force", "push.phase", "push.angle", "push.elevation", "push.duration")
        values = {name: a.reshape(-1) for name, a in zip(names, arrays)}
        conditions = Conditions(self.experiment, {**{n: v[which] for n, v in self.values.items()}, **values}, count)
        pushing = conditions.pushing
        assert pushing is not None
        simulation = self._simulation(conditions)
        simulation.restore(self.snapshot, worlds=which)
        start = self.strike[which] + values["push.phase"] * self.stride[which]
        simulation.set_pushes(pushing.pushes(np.where(np.isnan(start), NEVER, start)))
        rest = 0.5 * self.experiment.recovery
        first = self.longest + float(values["push.duration"].max()) + rest
        simulation.step(round(first / simulation.dt))
        early = simulation.footsteps
        outcome = simulation.run(rest)
        steps = (outcome.footsteps > early) | (self.outcome.footsteps[which] == 0)
        return outcome.survived & steps & np.isfinite(start), outcome.end_time - start

    def _simulation(self, conditions: Conditions) -> Simulation:
        """Worlds to be pushed: those of the last time where there are as many and they differ in nothing else."""
        if self._pushed is None or self.values or self._pushed.worlds != conditions.worlds:
            self._pushed = conditions.simulation(efforts=self._efforts)
        return self._pushed


@dataclass(frozen=True)
class PushLimit:
    """A strict limit.

    Attributes:
        limit: newtons; every push up to it passed.
        open: whether nothing failed up to the largest size tried, so that the limit lies beyond it.
        sizes: [S] the sizes tried, newtons.
        passed: [S, ...] what passed.
    """

    limit: float
    open: bool
    sizes: Array
    passed: NDArray[np.bool_]


def push_limit(
    gait: SettledGait,
    *,
    angle: float = 0.0,
    elevation: float = 0.0,
    phases: int = 20,
    duration: float = 0.1,
    step: float = 10.0,
    largest: float = 1500.0,
    progress: Progress | None = None,
) -> PushLimit:
    """The largest push in one direction such that every smaller one passes too, at ``phases`` phases of every replica.

    Sizes rise by ``step`` newtons and end with the first one that fails (or at ``largest``).
    """
    phase, replica = np.meshgrid(np.arange(phases) / phases, np.arange(gait.replicas), indexing="ij")

    def trial(sizes: Array) -> NDArray[np.bool_]:
        force = np.broadcast_to(sizes[:, None, None], (len(sizes), *phase.shape))
        worlds = [np.broadcast_to(a, force.shape).reshape(-1) for a in (phase, replica)]
        stood, _ = gait.push(force.reshape(-1), *worlds, angle=angle, elevation=elevation, duration=duration)
        return stood.reshape(force.shape)

    return _ladder(trial, step, largest, phase.shape, progress)


def ten_push_limit(
    experiment: Experiment,
    *,
    angle: float = 0.0,
    elevation: float = 0.0,
    replicas: int = 1,
    noise: float = 0.0,
    count: int = 10,
    every: float = 5.0,
    duration: float = 0.1,
    step: float = 10.0,
    largest: float = 1500.0,
    progress: Progress | None = None,
) -> PushLimit:
    """The limit by SIMBICON, section 7.1: ten pushes of 0.1 s, 5 s apart, the first after 5 s; any fall is a
    failure."""
    one = replace(experiment, recovery=every)
    fixed = {"push.start": every, "push.count": count, "push.every": every, "push.duration": duration}
    fixed |= {"push.angle": angle, "push.elevation": elevation, "start.noise": noise}
    one = replace(one, set={**one.set, **fixed})
    replica = 1.0 + np.arange(replicas)

    def trial(sizes: Array) -> NDArray[np.bool_]:
        force, number = np.meshgrid(sizes, replica, indexing="ij")
        results = one.run({"push.force": force.reshape(-1), "replica": number.reshape(-1)})
        return np.asarray(results["survived"].reshape(force.shape))

    return _ladder(trial, step, largest, (replicas,), progress)


def _ladder(
    trial: Callable[[Array], NDArray[np.bool_]],
    step: float,
    largest: float,
    shape: Sequence[int],
    progress: Progress | None,
    batch: int = 10,
) -> PushLimit:
    """Try sizes that rise by ``step``, some at a time, until one fails."""
    if not (step > 0 and largest >= step):
        raise FootfallError(f"push sizes: step is {step:g} and largest {largest:g}; they must be above 0 and in order")
    sizes: Array = step * np.arange(1.0, round(largest / step) + 1.0)
    passed = np.zeros((0, *shape), dtype=bool)
    for first in range(0, len(sizes), batch):
        passed = np.concatenate([passed, trial(sizes[first : first + batch])])
        if progress is not None:
            progress(len(passed), len(sizes))
        if not passed.all():
            break
    tried = sizes[: len(passed)]
    return PushLimit(strict_threshold(tried, passed), bool(passed.all()), tried, passed)


Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]

STRIDE = 4


class GrowingRose:
    """How far each direction has come.

    Attributes:
        passed: [D] how many sizes pass, counted from the smallest.
        failed: [D] the smallest size known to fail, by number; the number of sizes where none has.
    """

    def __init__(self, directions: int, sizes: int) -> None:
        self.passed: Whole = np.zeros(directions, dtype=np.int64)
        self.failed: Whole = np.full(directions, sizes, dtype=np.int64)
        self._sizes = sizes

    @property
    def open(self) -> Flags:
        """[D] whether every size passed, so that the limit lies beyond the largest."""
        return np.asarray(self.passed == self._sizes)

    def see(self, direction: Whole, size: Whole, stood: Flags) -> None:
        """Take in trials [N] of sizes by number."""
        for way in np.unique(direction):
            mine = direction == way
            fell = size[mine & ~stood]
            self.failed[way] = min(self.failed[way], fell.min(initial=self.failed[way]))
            good = size[mine & stood]
            self.passed[way] = max(self.passed[way], 1 + good[good < self.failed[way]].max(initial=-1))


def grow_rose(
    trial: Callable[[Whole, Whole], Flags],
    directions: int,
    sizes: int,
    report: Callable[[float, GrowingRose], None] = lambda part, rose: None,
    stride: int = STRIDE,
) -> GrowingRose:
    """Find the limits.

    Args:
        trial: answers which of directions [N] and sizes [N], both by number, pass.
        directions: how many.
        sizes: how many, from the smallest to the largest.
        report: called with the fraction done, at most, and what is known so far.
        stride: how many sizes are passed over at first.
    """
    rose = GrowingRose(directions, sizes)
    levels = [*range(stride - 1, sizes - 1, stride), sizes - 1]
    for k, level in enumerate(levels):
        up = np.flatnonzero(rose.failed == sizes)
        if not len(up):
            break
        rose.see(up, np.full(len(up), level), trial(up, np.full(len(up), level)))
        report((k + 1) / (len(levels) + stride - 1), rose)
    between = [(way, size) for way in range(directions) for size in range(rose.passed[way], rose.failed[way])]
    if between and stride > 1:
        way, size = (np.array(a, dtype=np.int64) for a in zip(*between, strict=True))
        rose.see(way, size, trial(way, size))
    report(1.0, rose)
    return rose
