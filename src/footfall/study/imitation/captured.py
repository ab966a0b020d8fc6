"""From a clip of walking to a SIMBICON controller: retarget, find the cycle, search for gains, report (SIMBICON,
section 5, with gains found by search where the authors tuned by hand).

CMA-ES moves feedback gains, servo gains, small offsets of the targets and the pace. Each candidate walks undisturbed
and is pushed from four sides; a fallen world ends at once. A candidate pays for falling, for what its joints differ
from the clip's at the same phase, for another velocity than the clip's, and for pushes that it does not survive. The
pushes grow when candidates survive them all. It begins with what was found for other clips, the best of them first
(captured-starts.toml).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.scaling import size_of
from footfall.methods.simbicon.captured_walk import FEEDBACK, captured_walk
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.table import GraphTable
from footfall.motion import Motion, resampled, retarget
from footfall.motion.retargeting.retarget import at_own_pace
from footfall.motion.synthesis.periodic import WalkCycle, cycle_of
from footfall.progress import Show, part_of, silent
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.study.imitation.followers import Follower, FollowerJudge, Imitation, measured
from footfall.study.imitation.following import Following
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.search.evolution import Budget, Evolution, evolve
from footfall.study.search.free_numbers import FreeChoice, FreeNumber, FreeNumbers, changed_graph
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.bench import Judge, Judged, States, TrialPlan, Undisturbed
from footfall.study.trials.pushing import PUSH_SIDES, SettledGait, push_limit
from footfall.text_files import packaged_toml

Array = NDArray[np.float64]

MOVED: dict[str, dict[str, Any]] = packaged_toml("footfall.study.imitation", "captured-numbers.toml")
"""Targets that may be moved, with the size of a first step, and joints that share a free kp, with its range."""
C_D, C_V, SPEED, PACE, GAIN = 0.15, 0.06, 0.1, 0.08, 0.2
FARTHEST = 3.0
"""How many first steps an offset may be away from the clip."""
KNOWN_STARTS: dict[str, dict[str, float]] = packaged_toml("footfall.study.imitation", "captured-starts.toml")
"""What was found for other clips (:attr:`FoundWalk.point`), by clip: a search begins with the best of them."""

MEASURED = ("clip_cycle_error", "clip_velocity_error", "clip_step_error", "speed", "side_speed")
"""What is measured of candidates, from SETTLE seconds on."""
SLOW = 0.5
"""Metres a second below which a clip's velocity counts more: a walk in place that creeps is another walk."""
ALIKE = 0.3
"""Metres a second: a start that names its clip's velocity is for clips that differ less from it."""
SETTLE, PUSHED, PUSH_SECONDS, TRIAL = 2.0, 3.0, 0.4, 7.0
"""Seconds: until a walk is measured, until it is pushed, of a push, and that a candidate should walk."""
DT = 0.002
SIDES = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
"""Where candidates are pushed."""
SHIFTS, FINAL = (0.0, 0.25, 0.125), 2
"""Shares of a stride by which pushes come later, in turns; the last turn is that of the finalists."""
NOISE = 5e-3
"""Of the velocities of candidates' starts."""
WEAKEST, HARDER, HARDEST = 30.0, 10.0, 60.0
"""Newtons of the first pushes, by which they grow, and where they end."""
STRONG = 0.2
"""The share of a generation that must survive all pushes for them to grow."""
POLISH = 14
"""Generations after the hardest pushes are survived."""
SIGMA = 0.7
"""Size of the first steps."""
FALL = 1000.0


@dataclass(frozen=True)
class CapturedSearch:
    """How to search.

    Attributes:
        generations: at most.
        hopeless: after how many to give up if nothing has walked.
        population: candidates in each.
        seed: of the strategy and of the starts' noise.
        travel: cost of each m/s that the velocity differs from the clip's; up to four times as much for slow clips.
        device: "cpu" or "cuda".
        tries: how often to start again, with other random numbers, if nothing walks.
    """

    generations: int = 120
    hopeless: int = 45
    population: int = 24
    seed: int = 1
    travel: float = 50.0
    device: str = "cpu"
    tries: int = 3


@dataclass(frozen=True, eq=False)
class FoundWalk:
    """What a search found.

    Attributes:
        controllers: the best first.
        tried: how many sets of numbers.
        point: the first controller's free numbers, as first steps away from the guesses, by name.
    """

    controllers: tuple[PoseControlGraph, ...]
    tried: int
    point: dict[str, float]


def free_numbers(graph: PoseControlGraph, figure: Figure) -> FreeNumbers:
    """The numbers that a search moves: feedback, offsets of the targets, speed, pace and gains."""
    value, wide = GraphTable(graph, figure).value, (-np.inf, np.inf)
    size = size_of(figure)
    pace = math.sqrt(size.length)
    targeted = set.intersection(*(set(state.targets) for state in graph.states))  # a robot may lack a joint
    numbers: list[FreeNumber] = []
    for role in FEEDBACK:
        for part, step in (("c_d", C_D / size.length), ("c_v", C_V / pace)) if role in targeted else ():
            numbers.append(FreeNumber(((f"{role}.{part}", 1.0),), value(f"{role}.{part}"), step, *wide))
    for label in graph.labels:
        for role, step in MOVED["offsets"].items():
            if role in targeted:
                path, middle = f"{label}.{role}.angle", value(f"{label}.{role}.angle")
                low, high = middle - FARTHEST * step, middle + FARTHEST * step
                numbers.append(FreeNumber(((path, 1.0),), middle, step, low, high))
    for name in ("speed",) if graph.symmetric else ("speed", "side_speed"):
        numbers.append(FreeNumber(((name, 1.0),), value(name), SPEED * pace, *wide))
    assert graph.cycle is not None
    halves = (("cycle.left", graph.cycle.left), ("cycle.right", graph.cycle.right))
    numbers.append(FreeNumber(halves, 1.0, PACE, 0.7, 1.25, by_factor=True))
    for name, group in MOVED["groups"].items():
        if name in graph.servo.joints:
            joints, low, high = group["joints"], group["low"], group["high"]
            paths = tuple((f"{joint}.{part}", f) for joint in joints for part, f in (("kp", 1.0), ("kd", 0.1 * pace)))
            stiff = size.stiffness
            numbers.append(FreeNumber(paths, value(f"{name}.kp"), GAIN, stiff * low, stiff * high, by_factor=True))
    return FreeNumbers(FreeChoice(holds=False), graph, figure, more=numbers)


def start_point(free: FreeNumbers, start: Mapping[str, float]) -> Array:
    """[n] where a start is: numbers by name. A walk with two like sides, whose states are called "stance", may start
    one with unlike sides, and the other way round."""
    names = [number.paths[0][0] for number in free.numbers]
    return np.array([start.get(n, start.get(_sideless(n), start.get(f"left-{_sideless(n)}", 0.0))) for n in names])


def _sideless(name: str) -> str:
    """A free number's name with "stance" for "left-stance" and "right-stance"."""
    return name.removeprefix("left-").removeprefix("right-")


@dataclass(frozen=True, eq=False, kw_only=True)
class CapturedTrials(TrialPlan):
    """Of its five walks a candidate makes one undisturbed; in the others it is pushed, in each from another side.

    All five start with noise of their own, and all count while nothing walks: searches by one start of each candidate,
    pushed when it has settled, found walks that withstood less.

    Attributes:
        cycle: what candidates should walk like.
        travel: cost of each m/s that the velocity differs from the clip's.
    """

    cycle: WalkCycle
    travel: float

    def begin(self, states: States, points: Array) -> None:
        """With noise: drawn for the undisturbed walks first, then for each candidate's others."""
        count, (worlds, nv) = len(points), states["qvel"].shape
        noise = np.random.default_rng(self.seed).standard_normal((worlds, nv))
        pushed = noise[count:].reshape(count, -1, nv).swapaxes(0, 1).reshape(-1, nv)
        states["qvel"] += NOISE * np.concatenate([noise[:count], pushed])

    def walk_push(self, turn: int, size: float, candidates: int) -> Push:
        """On the chest, of so many newtons for a human's weight."""
        body, stride = size_of(self.figure), self.cycle.left + self.cycle.right
        force, start = np.zeros((self.walks * candidates, 3)), np.full(self.walks * candidates, PUSHED)
        force[candidates:, :2] = np.repeat(body.mass * size * SIDES, candidates, axis=0)
        start[candidates:] += stride * SHIFTS[turn]
        x, y, z = (float(c) for c in self.figure.body(self.figure.torso).com)
        return Push(force, start, PUSH_SECONDS, place=(x, y, z))

    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """By the clip and by the share of pushes survived; while nothing walks, by the time that all walks last."""
        pace = math.sqrt(size_of(self.figure).length)
        slowness = float(np.clip((np.hypot(*self.cycle.velocity) / (SLOW * pace)) ** 2, 0.25, 1.0))
        measures = measure_walks(Walks(walks.trace, walks.outcome.torque_squared, SETTLE, cycle=self.cycle), MEASURED)
        up = walks.up.reshape(self.walks, walks.candidates)
        stood = up[1:].mean(axis=0)
        cost = (
            4.0 * measures["clip_cycle_error"]
            + self.travel * measures["clip_velocity_error"] / (slowness * pace)
            + 40.0 * measures["clip_step_error"]
        )
        cost += 60.0 * (1.0 - stood)
        together = np.ascontiguousarray(walks.lived.T).mean(axis=1)
        costs = np.where(up[0], np.nan_to_num(cost, nan=FALL / 3), FALL * (1.5 - together / self.seconds))
        return Judged(costs, measures, {"pushes": stood, "survived": up[0].astype(float)})


def search_walk(
    graph: PoseControlGraph,
    cycle: WalkCycle,
    figure: Figure,
    plan: CapturedSearch | None = None,
    progress: Show = silent,
    starts: Sequence[Mapping[str, float]] = (),
) -> FoundWalk:
    """Search for a controller's free numbers.

    Args:
        graph: the controller before the search.
        cycle: what it should follow.
        figure: whom it drives.
        plan: how to search.
        progress: called with the share done and a few words.
        starts: points to begin with (:attr:`FoundWalk.point`), besides those of other clips.
    """
    plan = plan or CapturedSearch()
    free = free_numbers(graph, figure)
    trials = CapturedTrials(
        graph=graph,
        figure=figure,
        device=plan.device,
        dts=(DT,),
        seed=plan.seed,
        seconds=TRIAL,
        walks=1 + len(SIDES),
        record=Record(rate=50.0, fields=("qpos", "events")),
        options={"last_states": 1},
        whole_trace=True,
        cycle=cycle,
        travel=plan.travel,
    )
    search = _WalkSearch(plan, free, Judge(trials, plan.population), progress)
    pace = math.sqrt(size_of(figure).length)
    known = [start for start in KNOWN_STARTS.values() if _alike(start, [v / pace for v in cycle.velocity])]
    points = np.array([np.zeros(len(free)), *(start_point(free, start) for start in (*known, *starts))])
    first = search.judged(np.resize(points, (plan.population, len(free))), 0).costs[: len(points)]
    order = points[np.argsort(first, kind="stable")]
    for attempt in range(plan.tries):
        if search.run(attempt, order[attempt % len(order)]):
            break
    best = np.argsort(search.final_costs(), kind="stable")
    found = [free.at(search.finalists[k]) for k in best]
    name = _sideless if graph.symmetric else str
    numbers = zip(free.numbers, search.finalists[best[0]], strict=True)
    return FoundWalk(
        tuple(changed_graph(graph, values) for values in found),
        (search.generations + 1) * plan.population,
        {name(number.paths[0][0]): round(float(x), 3) for number, x in numbers},
    )


def _alike(start: Mapping[str, float], velocity: Sequence[float]) -> bool:
    """Whether a start is for clips of this velocity, forward and to the left, m/s."""
    if "forward" not in start:
        return True
    return bool(np.hypot(start["forward"] - velocity[0], start["left"] - velocity[1]) < ALIKE)


@dataclass
class _WalkSearch:
    """A search, with pushes that grow while a fifth of a generation survives them all.

    Attributes:
        plan: how to search.
        free: the free numbers.
        judge: of candidates.
        progress: called with the share done and a few words.
        generations: so far.
        push: newtons, now.
        finalists: [3, n] the strategy's mean, and the best of its last two generations.
    """

    plan: CapturedSearch
    free: FreeNumbers
    judge: Judge
    progress: Show
    generations: int = 0
    push: float = WEAKEST
    finalists: Array = field(init=False)

    def judged(self, points: Array, turn: int) -> Judged:
        """What points [population, n] are like."""
        return self.judge(self.free.rows(points), turn, self.push)

    def final_costs(self) -> Array:
        """[3] of the finalists, each the mean of as many trials as a generation has room for."""
        several, count = np.resize(self.finalists, (self.plan.population, len(self.free))), len(self.finalists)
        costs = self.judged(several, FINAL).costs
        return np.array([costs[k::count].mean() for k in range(count)])

    def run(self, attempt: int, begin: Array) -> bool:
        """Search from a point [n]; whether the last generation's best walks."""
        plan, polished = self.plan, 0
        self.push = WEAKEST
        evolution = Evolution(SIGMA, population=plan.population, seed=plan.seed + attempt)
        evolution.begin(begin)
        bests: list[Array] = []
        walk: list[bool] = []

        def judge(points: Array, generation: int) -> dict[str, Any]:
            judged = self.judged(points, generation % 2)
            best = int(np.argmin(judged.costs))
            strong = bool((judged.tallies["pushes"] == 1.0).mean() >= STRONG)
            return {"costs": judged.costs, "best": best, "walks": judged.tallies["survived"][best], "strong": strong}

        def after(points: Array, note: Mapping[str, Any]) -> None:
            nonlocal polished
            bests.append(points[note["best"]])
            walk.append(bool(note["walks"]))
            polished += polished > 0 or (note["strong"] and self.push >= HARDEST)
            self.push = min(self.push + HARDER, HARDEST) if note["strong"] else self.push
            self.progress(max(len(bests) / plan.generations, polished / POLISH), "searching")

        def over() -> bool:
            return polished >= POLISH or (len(bests) >= plan.hopeless and not any(walk))

        if evolve(evolution, judge, Budget(generations=plan.generations), until=over, after=after):
            raise KeyboardInterrupt
        self.generations += len(bests)
        self.finalists = np.array([evolution.mean, *bests[-2:]])
        return walk[-1]


SECONDS = 60.0
"""That a finished walk is tried for."""
STEPS, STARTS, START_NOISE = (0.0005, 0.001, 0.002), 3, 1e-3
"""Disturbed starts that no search has seen: so many at each step size."""
MOVES = np.radians(2.0)
IN_PLACE = 0.1
"""Metres a second below which a walk stays in place."""


def clip_cycle(clip: Motion, figure: Figure, symmetric: bool | None = None) -> WalkCycle:
    """A clip's averaged cycle on a figure."""
    try:
        return cycle_of(at_own_pace(*retarget(clip, figure)), figure, symmetric)
    except FootfallError as error:
        raise FootfallError(f"clip: {error}") from None


@dataclass(frozen=True)
class WalkFollower(Follower):
    """A SIMBICON walk like a clip of walking forwards, backwards, sideways or in place; it always repeats.

    Attributes:
        figure: a 3D figure with hinges.
        search: how to look for gains.
        symmetric: whether both legs do the same; None to decide by the clip.
        change: what to make of the clip's cycle before it is imitated.
        starts: what a search begins with, besides what was found for other clips (:attr:`FoundWalk.point`).
    """

    figure: str = "human-28"
    search: CapturedSearch = field(default_factory=CapturedSearch)
    symmetric: bool | None = None
    change: Callable[[WalkCycle, Figure], WalkCycle] | None = None
    starts: Sequence[Mapping[str, float]] = ()
    law: ClassVar[str] = "simbicon"

    def imitate(
        self, clip: Motion, name: str = "clip", *, loop: bool = False, pushes: bool = True, progress: Show = silent
    ) -> Imitation:
        """Make a walking clip's controller."""
        body = Figure.load(self.figure)
        progress(0.0, "reading the clip")
        cycle = clip_cycle(clip, body, self.symmetric)
        cycle = cycle if self.change is None else self.change(cycle, body)
        steps = len(cycle.steps)
        about = f"Walks like {steps} steps of {name}, captured motion. Made by `footfall imitate --law simbicon`."
        graph = captured_walk(cycle, body, name=name, about=about).changed(figure=self.figure)
        found = search_walk(graph, cycle, body, self.search, part_of(progress, 0.05, 0.7), self.starts)
        progress(0.75, "choosing")
        counts = []
        for controller in found.controllers:
            counts.append(starts_up(controller))
            if counts[-1][0] == counts[-1][1]:
                break
        best = found.controllers[max(range(len(counts)), key=lambda k: counts[k][0])]
        judge = CycleJudge(cycle)
        return measured(best, self.law, judge, pushes=pushes, progress=part_of(progress, 0.8, 0.2), search=found)


@dataclass(frozen=True, eq=False)
class CycleJudge(FollowerJudge):
    """Of a walk that repeats a clip's cycle.

    Attributes:
        cycle: the clip's.
    """

    cycle: WalkCycle

    def follow(self, controller: PoseControlGraph) -> tuple[Following, dict[str, Any]]:
        """One undisturbed run against the clip, and what is reported of its cycle: the correlation of the legs' joints,
        the mean velocity along and to the left of the heading (m/s) beside the clip's, and the cycle's steps."""
        cycle, seconds = self.cycle, SECONDS
        simulation = Simulation(controller, dt=0.001, record=Record(rate=50.0, worlds=1))
        outcome = simulation.run(seconds)
        trace, figure = simulation.trace(), simulation.figure
        n = int(trace.last[0])
        lived = replace(trace, times=trace.times[:n], qpos=trace.qpos[:n], stance=trace.stance[:n])
        times = lived.times
        walk = Walks(lived, outcome.torque_squared, cycle=cycle)
        later = replace(walk, settle=min(SETTLE, 0.5 * float(times[-1])))
        shown = walk.qpos[:, 0].copy()
        shown[:, [figure.joint(joint).qpos for joint in cycle.joints]] = walk.clip_joints[1][:, 0]
        mine, theirs = (angles[later.first :, 0] for angles in walk.clip_joints)
        correlations = {
            joint: float(np.corrcoef(mine[:, k], theirs[:, k])[0, 1])
            for k, joint in enumerate(cycle.joints)
            if theirs[:, k].std() > MOVES and mine[:, k].std() > 1e-6
        }
        velocity = [float(values[0]) for values in measure_walks(later, ("speed", "side_speed")).values()]
        up = bool(outcome.survived[0])
        following = Following(
            not up,
            seconds if up else float(outcome.end_time[0]),
            seconds,
            float(np.degrees(np.abs(mine - theirs)).mean()),
            float(np.mean(list(correlations.values()))) if correlations else float("nan"),
            math.hypot(*velocity) / pace if (pace := float(np.hypot(*cycle.velocity))) > IN_PLACE else math.nan,
            int(outcome.footsteps[0]),
            resampled(Motion.from_qpos(figure, times, walk.qpos[:, 0]), 30.0),
            resampled(Motion.from_qpos(figure, times, shown), 30.0),
        )
        legs = [v for name, v in correlations.items() if any(part in name for part in ("hip", "knee", "ankle"))]
        return following, {
            "leg_correlation": round(float(np.mean(legs)), 3) if legs else None,
            "velocity_mps": [round(x, 3) for x in velocity],
            "clip_velocity_mps": [round(x, 3) for x in cycle.velocity],
            "step_seconds": [round(cycle.left, 3), round(cycle.right, 3)],
            "symmetric": cycle.symmetric,
            "steps_averaged": len(cycle.steps),
        }

    def starts_up(self, controller: PoseControlGraph) -> tuple[int, int]:
        """At each step size."""
        return starts_up(controller)

    def push_limits(self, controller: PoseControlGraph) -> dict[str, float]:
        """At four phases of a stride, in steps of 20 N."""
        gait = SettledGait(Experiment(controller, dt=0.002, push_place="com", recovery=6.0), 2, noise=START_NOISE)
        if not gait.upright:
            return dict.fromkeys(PUSH_SIDES, 0.0)
        angles = {side: math.degrees(math.atan2(way[1], way[0])) for side, way in PUSH_SIDES.items()}
        ladder: dict[str, Any] = {"phases": 4, "duration": PUSH_SECONDS, "step": 20.0, "largest": 400.0}
        return {side: push_limit(gait, angle=angle, **ladder).limit for side, angle in angles.items()}

    def reported(self, made: Imitation) -> PoseControlGraph:
        """With what is known of its basin of attraction."""
        following, walked = made.following, f"{made.up} of {made.tried} walk {SECONDS:g} s"
        basin = {
            "correlation": round(following.correlation, 3),
            "joint_error_deg": round(following.joint_error, 2),
            "push_limits": made.push_limits,
            "disturbed_starts": walked,
        }
        controller: PoseControlGraph = made.controller.changed(basin=basin)
        return controller


def starts_up(controller: PoseControlGraph, seconds: float = SECONDS) -> tuple[int, int]:
    """How many disturbed starts, at each step size, walk for a time; and how many there were."""
    values = {
        "start.noise": np.full(STARTS * len(STEPS), START_NOISE),
        "replica": np.tile(1.0 + np.arange(STARTS), len(STEPS)),
        "dt": np.repeat(STEPS, STARTS),
    }
    up = Experiment(controller, seconds=seconds).run(values)["survived"]
    return int(np.sum(up)), len(up)
