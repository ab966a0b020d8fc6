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
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
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
from footfall.motion.synthesis.periodic import SAMPLES, WalkCycle, cycle_of
from footfall.progress import Show
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.simulation.trace import Trace
from footfall.study.imitation.followers import Follower, Imitation
from footfall.study.imitation.following import Following
from footfall.study.search.evolution import Evolution
from footfall.study.search.free_numbers import FreeNumber, changed_graph
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait, push_limit
from footfall.text_files import parse_toml

Array = NDArray[np.float64]

OFFSETS = {
    "torso": 0.04,
    "torso_roll": 0.02,
    "swing_hip": 0.06,
    "swing_hip_roll": 0.03,
    "swing_knee": 0.12,
    "swing_ankle": 0.1,
    "stance_knee": 0.04,
    "stance_ankle": 0.05,
}
"""Targets that may be moved, with the size of a first step, radians."""
C_D, C_V, SPEED, PACE, GAIN = 0.15, 0.06, 0.1, 0.08, 0.2
FARTHEST = 3.0
"""How many first steps an offset may be away from the clip."""
GROUPS = {
    "hip_pitch": (("hip_pitch", "hip_roll"), 150.0, 800.0),
    "torso": (("torso", "torso_roll"), 300.0, 2000.0),
    "knee": (("knee",), 150.0, 800.0),
    "ankle_pitch": (("ankle_pitch",), 100.0, 400.0),
    "ankle_roll": (("ankle_roll",), 40.0, 200.0),
}
"""Joints that share a free kp (kd is a tenth of it), with its range."""

WEIGHTS = {"hip_roll": 6.0, "hip_yaw": 1.0, "hip": 2.0, "knee": 2.0, "ankle": 2.0}
"""How much a joint's difference from the clip counts; 1 for others. Hips that roll a little make feet cross."""

KNOWN_STARTS: dict[str, dict[str, float]] = parse_toml(
    (resources.files("footfall.study.imitation") / "captured-starts.toml").read_text(encoding="utf-8"),
    "captured-starts.toml",
)
"""What was found for other clips (:attr:`FoundWalk.point`), by clip: a search begins with the best of them."""

PUSHES = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
"""Where candidates are pushed."""
SLOW = 0.5
"""Metres a second below which a clip's velocity counts more: a walk in place that creeps is another walk."""
ALIKE = 0.3
"""Metres a second: a start that names its clip's velocity is for clips that differ less from it."""
PUSHED, PUSH_SECONDS = 3.0, 0.4
FALL = 1000.0


@dataclass(frozen=True)
class CapturedSearch:
    """How to search.

    Attributes:
        generations: at most. hopeless: after how many to give up if nothing has walked. population: candidates in each.
        seed: of the strategy and of the starts' noise.
        seconds: that a candidate should walk. dt: step, seconds.
        push: newtons of the first pushes, for 0.4 s. harder: how much they grow. hardest: where they end.
        polish: generations after the hardest pushes are survived.
        sigma: size of the first steps.
        travel: cost of each m/s that the velocity differs from the clip's; up to four times as much for slow clips.
        device: "cpu" or "cuda".
        tries: how often to start again, with other random numbers, if nothing walks.
    """

    generations: int = 120
    hopeless: int = 45
    population: int = 24
    seed: int = 1
    seconds: float = 7.0
    dt: float = 0.002
    push: float = 30.0
    harder: float = 10.0
    hardest: float = 60.0
    polish: int = 14
    sigma: float = 0.7
    travel: float = 50.0
    device: str = "cpu"
    tries: int = 3


@dataclass(frozen=True, eq=False)
class FoundWalk:
    """What a search found.

    Attributes:
        controllers: the best first. costs: what they pay.
        push: newtons of the last pushes. tried: how many sets of numbers. history: the best of each generation.
        point: the first controller's free numbers, as first steps away from the guesses, by name.
    """

    controllers: tuple[PoseControlGraph, ...]
    costs: tuple[float, ...]
    push: float
    tried: int
    history: tuple[dict[str, float], ...]
    point: dict[str, float]


def followed(cycle: WalkCycle, phase: Array) -> Array:
    """[..., joints] the clip's angles at phases [...]."""
    turns = np.mod(np.asarray(phase), 1.0) * SAMPLES
    low = np.floor(turns).astype(int)
    share = (turns - low)[..., None]
    curves = cycle.curves[:, : len(cycle.joints)]
    return np.asarray((1.0 - share) * curves[low % SAMPLES] + share * curves[(low + 1) % SAMPLES])


class _Free:
    """The numbers that a search moves."""

    def __init__(self, graph: PoseControlGraph, figure: Figure) -> None:
        self.table, self.symmetric = GraphTable(graph, figure), graph.symmetric
        value, wide = self.table.value, (-np.inf, np.inf)
        size = size_of(figure)
        pace = math.sqrt(size.length)
        targeted = set.intersection(*(set(state.targets) for state in graph.states))
        numbers: list[FreeNumber] = []
        for role in FEEDBACK:
            if role not in targeted:
                continue  # a robot without this joint
            for part, step in (("c_d", C_D / size.length), ("c_v", C_V / pace)):
                numbers.append(FreeNumber(((f"{role}.{part}", 1.0),), value(f"{role}.{part}"), step, *wide))
        for label in graph.labels:
            for role, step in OFFSETS.items():
                if role not in targeted:
                    continue
                path, middle = f"{label}.{role}.angle", value(f"{label}.{role}.angle")
                low, high = middle - FARTHEST * step, middle + FARTHEST * step
                numbers.append(FreeNumber(((path, 1.0),), middle, step, low, high))
        for name in ("speed",) if graph.symmetric else ("speed", "side_speed"):
            numbers.append(FreeNumber(((name, 1.0),), value(name), SPEED * pace, *wide))
        assert graph.cycle is not None
        halves = (("cycle.left", graph.cycle.left), ("cycle.right", graph.cycle.right))
        numbers.append(FreeNumber(halves, 1.0, PACE, 0.7, 1.25, by_factor=True))
        stiff = size.stiffness
        for name, (joints, low, high) in GROUPS.items():
            if name not in graph.servo.joints:
                continue
            paths = tuple((f"{joint}.{part}", f) for joint in joints for part, f in (("kp", 1.0), ("kd", 0.1 * pace)))
            numbers.append(FreeNumber(paths, value(f"{name}.kp"), GAIN, stiff * low, stiff * high, by_factor=True))
        self.numbers = numbers
        self.names = [number.paths[0][0] for number in numbers]

    def __len__(self) -> int:
        return len(self.numbers)

    def point(self, start: Mapping[str, float]) -> Array:
        """Where a start is: numbers by name. A walk with two like sides, whose states are called "stance", may start
        one with unlike sides, and the other way round."""
        return np.array(
            [start.get(n, start.get(_sideless(n), start.get(f"left-{_sideless(n)}", 0.0))) for n in self.names]
        )

    def named(self, point: Array) -> dict[str, float]:
        """A point's numbers by name, as a start has them."""
        name = _sideless if self.symmetric else str
        return {name(n): round(float(x), 3) for n, x in zip(self.names, point, strict=True)}

    def values(self, points: Array) -> dict[str, Array]:
        found = {}
        for k, number in enumerate(self.numbers):
            for path, factor in number.paths:
                found[path] = np.round(factor * number.at(points[:, k]), 4)
        return found

    def rows(self, points: Array) -> Array:
        return self.table.applied(np.tile(self.table.row, (len(points), 1)), self.values(points))


def _sideless(name: str) -> str:
    """A free number's name with "stance" for "left-stance" and "right-stance"."""
    return name.removeprefix("left-").removeprefix("right-")


class _Judge:
    """Judges ``population`` candidates at a time: one world undisturbed, the others pushed."""

    def __init__(self, graph: PoseControlGraph, cycle: WalkCycle, figure: Figure, plan: CapturedSearch) -> None:
        self.cycle, self.plan, self.each = cycle, plan, len(PUSHES)
        self.population = plan.population
        size = size_of(figure)
        self.weight, self.pace = size.mass, math.sqrt(size.length)
        self.slowness = float(np.clip((np.hypot(*cycle.velocity) / (SLOW * self.pace)) ** 2, 0.25, 1.0))
        worlds = plan.population * (1 + self.each)
        self._chest = tuple(float(x) for x in figure.body(figure.torso).com)
        self.simulation = Simulation(
            graph,
            figure=figure,
            worlds=worlds,
            pushes=[self._push(np.zeros((worlds, 3)), np.full(worlds, PUSHED))],
            dt=plan.dt,
            device=plan.device,
            record=Record(rate=50.0, worlds=plan.population, fields=("qpos", "events")),
            last_states=1,
        )
        snapshot = self.simulation.snapshot()
        rng = np.random.default_rng(plan.seed)
        snapshot["qvel"] += 5e-3 * rng.standard_normal(snapshot["qvel"].shape)
        self._start = snapshot

    def _push(self, force: Array, start: Array) -> Push:
        return Push(force, start, PUSH_SECONDS, place=self._chest)  # type: ignore[arg-type]

    def __call__(self, rows: Array, push: float, shift: float) -> tuple[Array, dict[str, Array]]:
        """[C] costs of candidates with these rows [C, NP], and their measures."""
        plan, n, each, simulation = self.plan, self.population, self.each, self.simulation
        simulation.set_parameters(rows, np.concatenate([np.arange(n), np.repeat(np.arange(n), each)]))
        worlds = n * (1 + each)
        force, start = np.zeros((worlds, 3)), np.full(worlds, PUSHED)
        force[n:, :2] = np.tile(self.weight * push * PUSHES, (n, 1))
        stride = self.cycle.left + self.cycle.right
        start[n:] += stride * shift
        simulation.set_pushes([self._push(force, start)])
        simulation.reset()
        simulation.restore(self._start)
        outcome = simulation.run(plan.seconds)
        up = outcome.survived
        lived = np.where(np.isnan(outcome.end_time), plan.seconds, outcome.end_time)
        measures = walk_measures(self.cycle, simulation.trace())
        measures["pushes"] = up[n:].reshape(n, each).mean(axis=1)
        measures["survived"] = up[:n].astype(float)
        cost = (
            4.0 * measures["error"]
            + plan.travel * measures["slip"] / (self.slowness * self.pace)
            + 40.0 * measures["early"]
        )
        cost += 60.0 * (1.0 - measures["pushes"])
        together = np.concatenate([lived[:n, None], lived[n:].reshape(n, each)], axis=1).mean(axis=1)
        fallen = FALL * (1.5 - together / plan.seconds)
        return np.where(up[:n], np.nan_to_num(cost, nan=FALL / 3), fallen), measures


def step_phases(stance: NDArray[np.int32]) -> Array:
    """[S, W] the phase of each sample: 0 to 1/2 evenly over each left stance, 1/2 to 1 over each right one, however
    long it lasts; the first and last stance are taken to last as long as their neighbours."""
    phases = np.zeros(stance.shape)
    for w in range(stance.shape[1]):
        cuts = [0, *(np.flatnonzero(np.diff(stance[:, w])) + 1), len(stance)]
        usual = float(np.median(np.diff(cuts[1:-1]))) if len(cuts) > 3 else float(len(stance))
        for i, (a, b) in enumerate(pairwise(cuts)):
            length = float(b - a) if 0 < i < len(cuts) - 2 else max(usual, float(b - a))
            shift = length - (b - a) if i == 0 else 0.0
            phases[a:b, w] = 0.5 * stance[a, w] + 0.5 * (np.arange(b - a) + shift) / length
    return phases


def walk_measures(cycle: WalkCycle, trace: Trace, settle: float = 2.0) -> dict[str, Array]:
    """[W] of recorded worlds after ``settle`` seconds. error: root mean square of what joints differ from the clip's,
    degrees. slip: what the mean velocity differs from the clip's, m/s."""
    figure = trace.figure
    first = int(np.searchsorted(trace.times, settle))
    columns = [figure.joint(name).qpos for name in cycle.joints]
    qpos = trace.qpos[first:]
    stance = trace.stance[first:]
    miss = np.degrees(qpos[..., columns] - followed(cycle, step_phases(stance)))
    weight = np.array([next((w for part, w in WEIGHTS.items() if part in name), 1.0) for name in cycle.joints])
    error = np.sqrt((weight * miss**2).mean(axis=(0, 2)) / weight.mean())
    dt = float(trace.times[1] - trace.times[0])
    forward, left = velocities(qpos, dt)
    wanted = cycle.velocity
    slip = np.hypot(forward - wanted[0], left - wanted[1])
    changes = (np.diff(stance, axis=0) != 0).sum(axis=0)
    step = (len(stance) * dt) / np.maximum(changes, 1)
    usual = 0.5 * (cycle.left + cycle.right)
    return {
        "error": error,
        "slip": slip,
        "forward": forward,
        "left": left,
        "step": step,
        "early": np.abs(step - usual) / usual,
    }


def velocities(qpos: Array, dt: float) -> tuple[Array, Array]:
    """[W] mean velocity along the heading and [W] to its left, m/s, of qpos [S, W, nq] sampled every ``dt`` seconds."""
    w, x, y, z = np.moveaxis(qpos[:-1, :, 3:7], -1, 0)
    yaw = np.arctan2(2 * (x * y + w * z), 1 - 2 * (y * y + z * z))
    velocity = np.diff(qpos[..., :2], axis=0) / dt
    forward = (np.cos(yaw) * velocity[..., 0] + np.sin(yaw) * velocity[..., 1]).mean(axis=0)
    left = (np.cos(yaw) * velocity[..., 1] - np.sin(yaw) * velocity[..., 0]).mean(axis=0)
    return forward, left


def search_walk(
    graph: PoseControlGraph,
    cycle: WalkCycle,
    figure: Figure,
    plan: CapturedSearch | None = None,
    progress: Callable[[float, dict[str, float]], None] | None = None,
    starts: Sequence[Mapping[str, float]] = (),
) -> FoundWalk:
    """Search for a controller's free numbers.

    Args:
        graph: the controller before the search. cycle: what it should follow. figure: whom it drives.
        plan: how to search. starts: points to begin with (:attr:`FoundWalk.point`), besides those of other clips.
        progress: called with the share done and the last generation's best.
    """
    plan = plan or CapturedSearch()
    free, judge = _Free(graph, figure), _Judge(graph, cycle, figure, plan)
    history: list[dict[str, float]] = []
    order = _starts(free, judge, plan, starts)
    for attempt in range(plan.tries):
        finalists, push = _evolve(free, judge, plan, attempt, order, history, progress)
        if history[-1]["survived"] > 0:
            break
    several = np.resize(finalists, (plan.population, len(free)))
    cost, _ = judge(free.rows(several), push, 0.125)
    costs = [float(cost[k :: len(finalists)].mean()) for k in range(len(finalists))]
    best = np.argsort(costs, kind="stable")
    found = free.values(finalists[best])
    return FoundWalk(
        tuple(changed_graph(graph, {path: float(v[k]) for path, v in found.items()}) for k in range(len(best))),
        tuple(costs[k] for k in best),
        push,
        (len(history) + 1) * plan.population,
        tuple(history),
        free.named(finalists[best[0]]),
    )


def _starts(free: _Free, judge: _Judge, plan: CapturedSearch, given: Sequence[Mapping[str, float]]) -> list[Array]:
    """Points to begin with, the best first: the guesses, what was found for other clips, and those given."""
    forward, left = judge.cycle.velocity
    known = [start for start in KNOWN_STARTS.values() if _alike(start, (forward / judge.pace, left / judge.pace))]
    points = [np.zeros(len(free)), *(free.point(start) for start in (*known, *given))]
    cost, _ = judge(free.rows(np.resize(np.array(points), (plan.population, len(free)))), plan.push, 0.0)
    return [points[k] for k in np.argsort(cost[: len(points)], kind="stable")]


def _alike(start: Mapping[str, float], velocity: Sequence[float]) -> bool:
    """Whether a start is for clips of this velocity, forward and to the left, m/s."""
    if "forward" not in start:
        return True
    return bool(np.hypot(start["forward"] - velocity[0], start["left"] - velocity[1]) < ALIKE)


def _evolve(
    free: _Free,
    judge: _Judge,
    plan: CapturedSearch,
    attempt: int,
    starts: Sequence[Array],
    history: list[dict[str, float]],
    progress: Callable[[float, dict[str, float]], None] | None,
) -> tuple[Array, float]:
    """[3, n] the points to choose from at the end (the strategy's mean, the best of its last two generations), and the
    last pushes, newtons."""
    evolution = Evolution(plan.sigma, population=plan.population, seed=plan.seed + attempt)
    evolution.begin(starts[attempt % len(starts)])
    push, polished, walked = plan.push, 0, False
    bests: list[Array] = []
    for generation, points in enumerate(evolution.generations(plan.generations)):
        cost, measures = judge(free.rows(points), push, 0.25 * (generation % 2))
        evolution.tell(cost)
        best = int(np.argmin(cost))
        bests.append(points[best])
        values_of_best = {name: float(values[best]) for name, values in measures.items()}
        history.append({"cost": float(cost[best]), "median": float(np.median(cost)), "push": push, **values_of_best})
        strong = (measures["pushes"] == 1.0).mean() >= 0.2
        polished += polished > 0 or (strong and push >= plan.hardest)
        push = min(push + plan.harder, plan.hardest) if strong else push
        if progress is not None:
            progress(max((generation + 1) / plan.generations, polished / plan.polish), history[-1])
        walked = walked or bool(measures["survived"].any())
        if polished >= plan.polish or (generation + 1 >= plan.hopeless and not walked):
            break
    return np.array([evolution.mean, *bests[-2:]]), push


SECONDS = 60.0
"""That a finished walk is tried for."""
STEPS, STARTS, NOISE = (0.0005, 0.001, 0.002), 3, 1e-3
"""Disturbed starts that no search has seen: so many at each step size."""
SIDES = {"rear": 0.0, "right": 90.0, "front": 180.0, "left": -90.0}
"""Where a push comes from -> its direction, degrees from forward to the left."""
MOVES = np.radians(2.0)


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

    def _imitate(self, clip: Motion, name: str, loop: bool, pushes: bool, show: Show) -> Imitation:
        """Make a walking clip's controller."""
        body = Figure.load(self.figure)
        show(0.0, "reading the clip")
        cycle = clip_cycle(clip, body, self.symmetric)
        cycle = cycle if self.change is None else self.change(cycle, body)
        steps = len(cycle.steps)
        about = f"Walks like {steps} steps of {name}, captured motion. Made by `footfall imitate --law simbicon`."
        graph = captured_walk(cycle, body, name=name, about=about).changed(figure=self.figure)
        found = search_walk(
            graph, cycle, body, self.search, lambda done, _: show(0.05 + 0.7 * done, "searching"), self.starts
        )
        show(0.75, "measuring")
        counts = []
        for controller in found.controllers:
            counts.append(starts_up(controller))
            if counts[-1][0] == counts[-1][1]:
                break
        controller, (up, tried) = max(zip(found.controllers, counts, strict=False), key=lambda pair: pair[1][0])
        following, numbers = follow_cycle(controller, cycle, SECONDS)
        limits: dict[str, float] = {}
        if pushes and not following.fell:
            show(0.9, "pushing")
            limits = walk_push_limits(controller)
        report = {
            "correlation": round(following.correlation, 3),
            "joint_error_deg": round(following.joint_error, 2),
            "push_limits": limits,
            "disturbed_starts": f"{up} of {tried} walk {SECONDS:g} s",
        }
        controller = controller.changed(basin=report)
        return Imitation(controller, self.law, following, up, tried, limits, search=found, cycle=numbers)


def follow_cycle(
    controller: PoseControlGraph, cycle: WalkCycle, seconds: float, dt: float = 0.001
) -> tuple[Following, dict[str, Any]]:
    """One undisturbed run against the clip, and what is reported of its cycle: the correlation of the legs' joints, the
    mean velocity along and to the left of the heading (m/s) beside the clip's, and the cycle's steps."""
    simulation = Simulation(controller, dt=dt, record=Record(rate=50.0, worlds=1))
    outcome = simulation.run(seconds)
    trace = simulation.trace()
    n = int(trace.last[0])
    figure, own = simulation.figure, trace.qpos[:n, 0]
    shown = own.copy()
    columns = [figure.joint(joint).qpos for joint in cycle.joints]
    shown[:, columns] = followed(cycle, step_phases(trace.stance[:n])[:, 0])
    later = trace.times[:n] >= min(2.0, 0.5 * trace.times[n - 1])
    mine, theirs = own[later][:, columns], shown[later][:, columns]
    correlations = {
        joint: float(np.corrcoef(mine[:, k], theirs[:, k])[0, 1])
        for k, joint in enumerate(cycle.joints)
        if theirs[:, k].std() > MOVES and mine[:, k].std() > 1e-6
    }
    velocity = velocities(own[later][:, None], trace.times[1])
    speed = float(np.hypot(*velocity)[0])
    up = bool(outcome.survived[0])
    following = Following(
        not up,
        seconds if up else float(outcome.end_time[0]),
        seconds,
        float(np.degrees(np.abs(mine - theirs)).mean()),
        float(np.mean(list(correlations.values()))) if correlations else float("nan"),
        speed / max(float(np.hypot(*cycle.velocity)), 0.05),
        int(outcome.footsteps[0]),
        resampled(Motion.from_qpos(figure, trace.times[:n], own), 30.0),
        resampled(Motion.from_qpos(figure, trace.times[:n], shown), 30.0),
    )
    legs = [v for name, v in correlations.items() if any(part in name for part in ("hip", "knee", "ankle"))]
    return following, {
        "leg_correlation": round(float(np.mean(legs)), 3) if legs else None,
        "velocity_mps": [round(float(x[0]), 3) for x in velocity],
        "clip_velocity_mps": [round(x, 3) for x in cycle.velocity],
        "step_seconds": [round(cycle.left, 3), round(cycle.right, 3)],
        "symmetric": cycle.symmetric,
        "steps_averaged": len(cycle.steps),
    }


def starts_up(controller: PoseControlGraph, seconds: float = SECONDS, starts: int = STARTS) -> tuple[int, int]:
    """How many disturbed starts, at each step size, walk for a time; and how many there were."""
    values = {
        "start.noise": np.full(starts * len(STEPS), NOISE),
        "replica": np.tile(1.0 + np.arange(starts), len(STEPS)),
        "dt": np.repeat(STEPS, starts),
    }
    up = Experiment(controller, seconds=seconds).run(values)["survived"]
    return int(np.sum(up)), len(up)


def walk_push_limits(controller: PoseControlGraph, *, phases: int = 4, step: float = 20.0) -> dict[str, float]:
    """Newtons from each side, for 0.4 s at the chest: the largest such that every smaller one passes too."""
    gait = SettledGait(Experiment(controller, dt=0.002, push_place="com", recovery=6.0), 2, noise=NOISE)
    if not gait.upright:
        return dict.fromkeys(SIDES, 0.0)
    return {
        side: push_limit(gait, angle=angle, phases=phases, duration=0.4, step=step, largest=400.0).limit
        for side, angle in SIDES.items()
    }
