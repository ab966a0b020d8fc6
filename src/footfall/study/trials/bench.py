"""The bench: candidates x disturbed starts x grounds x pushes, each in a world of its own.

A question (find a gait, adapt a body, imitate a clip) is a :class:`TrialPlan`: where its candidates walk and how they
are pushed, and what their walks cost. :class:`Judge` judges generations of candidates by it, here or in shares on many
machines, to the same numbers: what a candidate does depends on its own numbers and on its own noise alone.

A walk whose two halves mirror each other falls to a push to the right wherever it falls to one to the left half a
stride later, so pushes to the left, over a whole stride, stand for both.
"""

import pickle
import threading
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import jobs_at_a_time, run_all
from footfall.control.kind import Controller, Start
from footfall.figures import Figure
from footfall.motion import Motion
from footfall.push import Push
from footfall.simulation import Outcome, Record, Simulation, Trace
from footfall.terrain import Terrain

Array = NDArray[np.float64]
States = dict[str, NDArray[Any]]

ROSE = np.array(
    [(340, 0), (230, 230), (0, 330), (-220, 220), (-270, 0), (-190, -190), (0, -240), (190, -190)], dtype=float
)
"""[8, 2] the largest pushes of 0.4 s that SIMBICON's human survived, newtons forward and to the left (section 7.2)."""
SIZES = (1.0, 0.8, 1.0, 0.5, 1.0, 0.2)
"""Shares of the pushes' size: the smaller ones must pass too."""
GOLDEN = 0.5 * (5.0**0.5 - 1.0)
"""By how much the pushes' moments move with every turn, so that in time they come everywhere."""
LATE_FALL, NOT_BACK = 0.4, 0.5
"""How much of a trial's cost a fall at the very end spares, and how much of a push's a walk pays that is not back in
its usual states."""
GROWS_AT, SHRINKS_AT = 0.85, 0.65
"""Pushes grow when this share of them is survived, and shrink when less than that is."""


def mirrored_rose() -> Array:
    """[5, 2] ROSE's pushes forward, to the left and backward, each the larger of itself and its mirror image."""
    mirror = np.hypot(*ROSE[[0, 7, 6, 5, 4]].T)
    return np.asarray(ROSE[:5] * np.maximum(1.0, mirror / np.hypot(*ROSE[:5].T))[:, None])


def still_push(worlds: int) -> Push:
    """A push of nothing, so that simulations with and without pushes have one kernel."""
    return Push(np.zeros((worlds, 3)), np.zeros(worlds), 0.0)


def disturbed(
    states: States,
    figure: Figure,
    rng: np.random.Generator,
    noise: tuple[float, float],
    share: tuple[int, NDArray[np.intp]] | None = None,
) -> States:
    """States with noise on joint angles and on all velocities, in place.

    Args:
        states: of worlds, as :meth:`Simulation.snapshot` has them.
        figure: their body.
        rng: of the noise.
        noise: its sizes.
        share: of how many worlds these are some, and which: they get the noise that they have among all.
    """
    joints, speeds = states["qpos"][:, 3 if figure.root == "planar" else 7 :], states["qvel"]
    count, own = (len(joints), slice(None)) if share is None else share
    for values, size in ((joints, noise[0]), (speeds, noise[1])):
        values += size * rng.standard_normal((count, values.shape[1]))[own]
    return states


def disturbed_worlds(
    controller: Controller,
    *,
    worlds: int = 1,
    noise: float = 0.0,
    seed: int = 1,
    shaken: Array | None = None,
    starts: Sequence[Start] | None = None,
    figure: Figure | None = None,
    **options: Any,
) -> Simulation:
    """Any controller from C starts with K disturbances each: C K worlds, start by start.

    Args:
        controller: of the walker; it has a start.
        worlds: K.
        noise: standard deviation of what is added to velocities, rad/s and m/s; the first world stays undisturbed.
        seed: of the noise.
        shaken: [K, nv] what is added instead.
        starts: [C]; by default the controller's own.
        figure: by default the controller's own.
        options: as :class:`Simulation` takes them.
    """
    figure = Figure.load(controller.figure) if figure is None else figure
    if shaken is None:
        shaken = np.zeros((worlds, figure.nv))
        shaken[1:] = np.random.default_rng(seed).normal(0.0, 1.0, (worlds - 1, figure.nv)) * noise
    if starts is not None:
        options["qpos"] = np.repeat([start.qpos for start in starts], len(shaken), axis=0)
    begins = [start.qvel for start in (starts or (controller.start,)) if start is not None]
    qvel = np.repeat(begins, len(shaken), axis=0) + np.tile(shaken, (len(begins), 1))
    return Simulation(controller, figure=figure, worlds=len(qvel), qvel=qvel, **{"efforts": False} | options)


@dataclass(frozen=True, eq=False)
class PushRound:
    """Pushes in D directions at P moments of a stride: D P worlds of each candidate.

    Attributes:
        rose: [D, 2] newtons forward and to the left.
        size: by which they are multiplied.
        phases: P.
        duration: of each, seconds.
        begin: of the stride, seconds.
        stride: over which the moments are spread, seconds.
        recovery: for which a candidate must stay up after the last one, seconds.
        sizes: shares of the size that pushes take in turns.
    """

    rose: Array
    size: float
    phases: int
    duration: float
    begin: float
    stride: float
    recovery: float
    sizes: tuple[float, ...] = SIZES

    @property
    def each(self) -> int:
        """Pushed worlds of a candidate."""
        return len(self.rose) * self.phases

    def pushes(self, turn: int, candidates: int) -> Push:
        """Those of all worlds; with every turn they come at other moments, and the smaller ones from other sides."""
        which_size = np.add.outer(np.arange(len(self.rose)), np.arange(self.phases)) + turn
        sizes = self.size * np.array(self.sizes)[which_size % len(self.sizes)]
        force = np.zeros((candidates * self.each, 3))
        force[:, :2] = np.tile((self.rose[:, None] * sizes[..., None]).reshape(-1, 2), (candidates, 1))
        moments = self.begin + (np.arange(self.phases) + GOLDEN * turn % 1.0) / self.phases * self.stride
        return Push(force, np.tile(moments, candidates * len(self.rose)), self.duration)

    def cost(
        self, up: NDArray[np.bool_], end_time: Array, moments: Array, not_back: NDArray[np.bool_] | None = None
    ) -> Array:
        """[C] what falls cost, 1 for falling at once to all pushes: the mean over all sides and the worst side count
        alike."""
        after = np.where(up, np.inf, end_time) - moments
        late = np.clip(after / (self.duration + self.recovery), 0.0, 1.0)
        spared = np.where(np.isinf(after), 1.0, LATE_FALL * late)
        if not_back is not None:
            spared = spared - NOT_BACK * (up & not_back)
        lost = 1.0 - spared.reshape(-1, len(self.rose), self.phases).mean(axis=2)
        return np.asarray(0.5 * (lost.mean(axis=1) + lost.max(axis=1)))


@dataclass(frozen=True, eq=False)
class Undisturbed:
    """Undisturbed walks of C candidates: T of each, world t C + c for candidate c.

    Attributes:
        settled: [T C] states before they would be pushed.
        outcome: of [T C] worlds.
        up: [T C] which of them stayed up.
        trace: of the walks that are recorded (:class:`Trace`); None where none is.
        lived: [T, C] for how many seconds each stayed up.
    """

    settled: States
    outcome: Outcome
    up: NDArray[np.bool_]
    trace: Any
    lived: Array

    @property
    def candidates(self) -> int:
        """C."""
        return int(self.lived.shape[1])


@dataclass(frozen=True, eq=False)
class Judged:
    """What a generation did, arrays [C] over its candidates.

    Attributes:
        costs: in all.
        measures: of the undisturbed walks.
        tallies: of the trials: shares survived and the like.
        trace: of the first walk of each candidate, where it is kept.
        rng: where the noise of pushes goes on.
        parts: shares of the generation that were judged apart, with the traces of their own candidates.
    """

    costs: Array
    measures: Mapping[str, Array]
    tallies: Mapping[str, Array]
    trace: Trace | None = None
    rng: np.random.Generator | None = None
    parts: tuple["Judged", ...] = ()

    def motion(self, candidate: int) -> Motion:
        """The first walk of a candidate."""
        for part in self.parts:
            if candidate < len(part.costs):
                return part.motion(candidate)
            candidate -= len(part.costs)
        assert self.trace is not None
        return self.trace.motion(candidate)


@dataclass(frozen=True, eq=False, kw_only=True)
class TrialPlan:
    """Where candidates walk, how they are pushed and what that costs: a question of a search, the same in all workers.

    Attributes:
        graph: the controller whose numbers candidates change.
        figure: its body.
        device: "cpu" or "cuda".
        dts: steps of time, seconds, taken in turns; None for the controller's own.
        seed: of the noise.
        settled: seconds until the gait is watched or pushed.
        seconds: of an undisturbed walk.
        noise: of joint angles, radians, and of velocities.
        ground: on which candidates are pushed.
        walks: T, of each candidate.
        grounds: of these; by default ``ground``.
        record: what is recorded of its first walks.
        recorded: how many of them are.
        starts: from how many of its walks it is pushed, in turns.
        options: further ones of the simulations.
        one_kernel: whether walking and pushed worlds are to share one; it is then compiled once.
        same_starts: whether starts are disturbed in the same way in every generation.
        whole_trace: whether the trace begins with the walk, and not when it has settled.
    """

    graph: Any
    figure: Figure
    device: str = "cpu"
    dts: tuple[float | None, ...] = (None,)
    seed: int
    settled: float = 0.0
    seconds: float
    noise: tuple[float, float] = (0.0, 0.0)
    ground: str | Terrain = "flat"
    walks: int = 1
    grounds: tuple[Terrain, ...] = ()
    record: Record | None = None
    recorded: int = 1
    starts: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    one_kernel: bool = False
    same_starts: bool = False
    whole_trace: bool = False

    def rows(self, points: Array) -> Array:
        """[C, NP] the parameters of candidates [C, n]; by default these are rows already."""
        return points

    def begin(self, states: States, points: Array) -> None:
        """Set where walks of candidates begin, in states [T C], where that is not the controller's start."""

    def up(self, simulation: Simulation) -> NDArray[np.bool_]:
        """[N] which worlds of a simulation count as up."""
        return np.asarray(simulation.outcome().survived)

    def walk_push(self, turn: int, size: float, candidates: int) -> Push | None:
        """The push during the walks themselves [T C], one for each world; by default none."""
        return None

    def pushes(self, size: float) -> PushRound | None:
        """Those of a generation, of this size; by default none."""
        return None

    @abstractmethod
    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """What candidates cost.

        Args:
            walks: theirs.
            survived: [C] the share of pushes that each survived.
            lost: [C] what falls to pushes cost (:meth:`PushRound.cost`).
            pushed: whether there were any.
        """

    def not_back(self, states: States) -> NDArray[np.bool_] | None:
        """[N] which of the pushed worlds are not back in their usual states; None if that does not matter."""
        return None


@dataclass(frozen=True, eq=False)
class Share:
    """Candidates of a generation that are judged together.

    Attributes:
        points: [C, n] their numbers, as the plan takes them.
        turn: with every one, moments of pushes are others.
        size: of pushes; None for none.
        rngs: of the noise of starts, and of pushes; None to go on with the first.
        first: the number of the first candidate.
        whole: how many there are in the generation.
    """

    points: Array
    turn: int
    size: float | None
    rngs: tuple[np.random.Generator, np.random.Generator | None]
    first: int
    whole: int


class Bench:
    """The worlds in which candidates walk and are pushed; those of as many candidates are used again."""

    def __init__(self, plan: TrialPlan) -> None:
        self.plan = plan
        self._made: dict[tuple[str, int, float | None], Simulation] = {}

    def judge(self, share: Share) -> Judged:
        """Judge C candidates."""
        plan, n = self.plan, len(share.points)
        dt, rows = plan.dts[share.turn % len(plan.dts)], plan.rows(share.points)
        walks = self._walk(share, rows, dt)
        rng = share.rngs[1] or share.rngs[0]
        pushes = None if share.size is None else plan.pushes(share.size)
        survived, lost = np.ones(n), np.zeros(n)
        if pushes is not None:
            survived, lost = self._push(share, rows, dt, walks, pushes, rng)
        return replace(plan.judged(walks, survived, lost, pushed=pushes is not None), rng=rng)

    def _walk(self, share: Share, rows: Array, dt: float | None) -> Undisturbed:
        plan, n = self.plan, len(rows)
        grounds = [ground for ground in plan.grounds for _ in range(n)]
        record = plan.record and replace(plan.record, worlds=plan.recorded * n)
        push = None if share.size is None else plan.walk_push(share.turn, share.size, n)
        walking = self._simulation("walk", plan.walks * n, dt, grounds or plan.ground, record, push)
        if push is not None:
            walking.set_pushes([push])
        walking.set_parameters(rows, np.arange(plan.walks * n) % n)
        walking.reset()
        states = walking.snapshot()
        plan.begin(states, share.points)
        among = np.add.outer(share.whole * np.arange(plan.walks), share.first + np.arange(n)).ravel()
        walking.restore(disturbed(states, plan.figure, share.rngs[0], plan.noise, (share.whole * plan.walks, among)))
        walking.step(round(plan.settled / walking.dt))
        settled = walking.snapshot()
        if not plan.whole_trace:
            walking.drop_trace()
        outcome = walking.run(plan.seconds - plan.settled)
        up, trace = plan.up(walking), walking.trace() if plan.record else None
        lived = np.where(up | np.isnan(outcome.end_time), plan.seconds, outcome.end_time)
        return Undisturbed(settled, outcome, up, trace, lived.reshape(-1, n))

    def _push(
        self,
        share: Share,
        rows: Array,
        dt: float | None,
        walks: Undisturbed,
        pushes: PushRound,
        rng: np.random.Generator,
    ) -> tuple[Array, Array]:
        """[C] the share of pushes that each candidate survives, and what its falls cost."""
        plan, n, each = self.plan, len(rows), pushes.each
        simulation = self._simulation("push", n * each, dt, plan.ground)
        which = np.repeat(np.arange(n), each)
        simulation.set_parameters(rows, which)
        push = pushes.pushes(share.turn, n)
        simulation.set_pushes([push])
        simulation.reset()
        from_walk = which + n * (np.arange(n * each) % plan.starts)
        begun = {name: values[from_walk] for name, values in walks.settled.items()}
        among = (share.whole * each, share.first * each + np.arange(n * each))
        simulation.restore(disturbed(begun, plan.figure, rng, plan.noise, among))
        outcome = simulation.run(pushes.stride + pushes.duration + pushes.recovery)
        up, not_back = plan.up(simulation), plan.not_back(simulation.snapshot())
        cost = pushes.cost(up, outcome.end_time, np.asarray(push.start), not_back)
        return up.reshape(n, -1).mean(axis=1), cost

    def _simulation(
        self,
        what: str,
        worlds: int,
        dt: float | None,
        terrain: Any,
        record: Record | None = None,
        push: Push | None = None,
    ) -> Simulation:
        plan, key = self.plan, (what, worlds, dt)
        if key not in self._made:
            pushed = what == "push" or plan.one_kernel or push is not None
            self._made[key] = Simulation(
                plan.graph,
                figure=plan.figure,
                worlds=worlds,
                terrain=terrain,
                pushes=[push or still_push(worlds)] if pushed else (),
                dt=dt,
                device=plan.device,
                record=record,
                **plan.options,
            )
        return self._made[key]

    def warm_up(self) -> None:
        """Compile what is not compiled yet, so that no search is charged for it."""
        self._simulation("warm", 1, self.plan.dts[0], self.plan.ground).step(1)


class Judge:
    """Judges ``population`` candidates at a time, each in worlds of its own.

    Args:
        plan: what they are judged by.
        population: candidates of a generation.
        executor: judges them in shares; the numbers are the same with any, and with none.
    """

    def __init__(self, plan: TrialPlan, population: int, executor: Executor | None = None) -> None:
        self.plan, self.population = plan, population
        self._executor = executor
        self._pickled = pickle.dumps(plan) if executor is not None else b""
        self._bench = Bench(plan) if executor is None else None
        self._rng: np.random.Generator | None = None

    def warm_up(self) -> None:
        """Compile what is not compiled yet; an executor's workers compile what they need."""
        if self._bench is not None:
            self._bench.warm_up()

    def __call__(self, points: Array, turn: int, size: float | None = None) -> Judged:
        """Judge candidates [C, n], pushed at ``size`` (None for not at all); with every ``turn`` starts and moments of
        pushes are others."""
        plan, n = self.plan, len(points)
        seed = plan.seed if plan.same_starts else (plan.seed, turn % 2**31)
        rngs = (np.random.default_rng(seed), self._rng)
        if self._bench is not None:
            judged = self._bench.judge(Share(points, turn, size, rngs, 0, n))
        else:
            count = max(1, min(n // 2, jobs_at_a_time(self._executor)))
            bounds = pairwise(np.linspace(0, n, count + 1).astype(int).tolist())
            jobs = [(self._pickled, Share(points[a:b], turn, size, rngs, a, n)) for a, b in bounds]
            judged = _joined(tuple(run_all(_judged, jobs, self._executor)))
        if plan.same_starts:
            self._rng = judged.rng
        return judged


def _judged(job: tuple[bytes, Share]) -> Judged:
    """A share judged: a job. None is of a single candidate: numpy sums the only column of an array in another order
    than each of several."""
    plan, share = job
    bench = _bench(plan, threading.get_ident())
    return bench.judge(replace(share, rngs=deepcopy(share.rngs)))  # threads have the same ones


@lru_cache(maxsize=8)
def _bench(plan: bytes, thread: int) -> Bench:
    """A bench of this thread's own, kept for the next generations."""
    return Bench(pickle.loads(plan))


def _joined(parts: tuple[Judged, ...]) -> Judged:
    def whole(name: str) -> dict[str, Array]:
        return {key: np.concatenate([getattr(part, name)[key] for part in parts]) for key in getattr(parts[0], name)}

    costs = np.concatenate([part.costs for part in parts])
    return Judged(costs, whole("measures"), whole("tallies"), parts[0].trace, parts[0].rng, parts)
