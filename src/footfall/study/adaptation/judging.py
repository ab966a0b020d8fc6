"""Candidates judged on a body: each walks from disturbed starts, up and down slopes, and is pushed from all sides at
several moments of a stride.

Everything is measured in the body's own units: times in √(H / g), pushes in body weights. Walking and pushed worlds are
simulations of one kernel.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.motion import Motion
from footfall.push import Push
from footfall.simulation import Record, Simulation
from footfall.simulation.trace import Trace
from footfall.study.adaptation.wanted import Wanted
from footfall.study.measures.body import Units
from footfall.study.measures.people import Norms
from footfall.study.measures.table import ADAPTED, measure_cycles, measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.trials.bench import GOLDEN, ROSE, SIZES, mirrored_rose
from footfall.terrain import Terrain, parse_terrain

Array = NDArray[np.float64]

SETTLED, WALK, STAND, RECOVERY, PUSH = 14.0, 34.0, 150.0, 12.0, 1.3
"""In units of time (0.31 s of a person): until the gait is watched or pushed, that it is watched in all where it steps
and where it stands (which may take long to lean too far), that it must stay up after the last push, and that a push
lasts."""
SAMPLE = 0.035
"""Between samples, in units of time."""
NOISE = (2e-3, 2e-3)
"""Of joint angles, radians, and of velocities, in units."""
FALL, LATE = 1000.0, 0.4
"""What a fall of the undisturbed walk costs, and how much of a push's cost a fall at the very end spares."""
IDLE = 300.0
"""What it costs not to step, and not to get ahead."""
PUSHED = 100.0
"""What falling to all pushes costs."""
SLOPED, DEGREES = 60.0, 3.0
"""What falling on slopes costs, and how steep they are unless it is said."""
FRONT = float(ROSE[0, 0])


@dataclass(frozen=True)
class PushSet:
    """How candidates are pushed.

    Attributes:
        size: of pushes forward, body weights; other directions are in the judge's proportions.
        duration: seconds. phases: moments within a stride, in every direction.
    """

    size: float
    duration: float
    phases: int


@dataclass(frozen=True, eq=False)
class Judged:
    """What a generation did, arrays [C] over its candidates.

    Attributes:
        costs: in all. up: share of the time that its undisturbed walks stayed up. footsteps, distance: of the first.
        walks: whether all undisturbed walks stayed up, stepped and got ahead. pushes: share of pushes survived.
        numbers: of the gait. bands: what their misses cost.
        trace: of the first walk of each candidate. parts: shares of the generation that were judged apart, with the
            traces of their own candidates.
    """

    costs: Array
    up: Array
    footsteps: Array
    distance: Array
    walks: NDArray[np.bool_]
    pushes: Array
    numbers: Mapping[str, Array]
    bands: Array
    trace: Trace
    parts: tuple["Judged", ...] = ()

    def motion(self, candidate: int) -> Motion:
        """The first walk of a candidate."""
        for part in self.parts:
            if candidate < len(part.costs):
                return part.motion(candidate)
            candidate -= len(part.costs)
        return self.trace.motion(candidate)


def level_ground() -> Terrain:
    """Level ground as a slope has it, so that slopes need no other kernel."""
    return parse_terrain("slope:0")


def disturbed(
    snapshot: dict[str, NDArray[Any]],
    figure: Figure,
    rng: np.random.Generator,
    noise: tuple[float, float],
    share: tuple[int, NDArray[np.intp]] | None = None,
) -> dict[str, NDArray[Any]]:
    """A snapshot with noise on joint angles and on all velocities; of a share of the worlds (how many there are in all,
    and which these are), the noise that they have among all."""
    joints, speeds = snapshot["qpos"][:, 3 if figure.root == "planar" else 7 :], snapshot["qvel"]
    count, own = (len(joints), slice(None)) if share is None else share
    for values, size in ((joints, noise[0]), (speeds, noise[1])):
        values += size * rng.standard_normal((count, values.shape[1]))[own]
    return snapshot


def _rose(planar: bool, symmetric: bool, sides: tuple[float, float] | None) -> Array:
    """[D, 2] pushes forward and to the left, of which the one forward is 1; where left and right are alike, those to
    the left stand for both."""
    if sides is None:
        rose = mirrored_rose() if symmetric else ROSE
        return np.asarray((ROSE[[0, 4]] if planar else rose) / FRONT)
    angles = np.radians((0, 180) if planar else np.arange(0, 181 if symmetric else 360, 45))
    ahead, aside = np.cos(angles), np.sin(angles)
    return np.stack([np.where(ahead > 0.0, 1.0, sides[1]) * ahead, sides[0] * aside], axis=1)


class Judge:
    """Judges ``population`` candidates at a time.

    Args:
        graph: the controller whose numbers candidates change. figure: its body.
        wanted: what the gait should be like.
        population: candidates. starts: disturbed starts of each. device, seed: as usual.
        dt: steps, seconds, taken in turns.
        sides: pushes sideways and backward, as shares of those forward; by default as SIMBICON's human bears them.
        norms: people's tables, where the gait should be like theirs.
        slope: degrees of the ground that it walks up and down besides, in sturdy stages.
        whole: candidates of a generation of which it judges shares; by default it judges all of them.
    """

    def __init__(
        self,
        graph: PoseControlGraph,
        figure: Figure,
        wanted: Wanted,
        population: int,
        *,
        starts: int = 2,
        device: str = "cpu",
        dt: Sequence[float] = (0.0017,),
        seed: int = 1,
        sides: tuple[float, float] | None = None,
        norms: Norms | None = None,
        slope: float = DEGREES,
        whole: int = 0,
    ) -> None:
        self.norms, self.whole = norms, whole or population
        self.graph, self.figure, self.wanted, self.population = graph, figure, wanted, population
        self.units, self.device, self.starts, self.seed = Units.of(figure), device, starts, seed
        time = self.units.time
        self.settled, self.recovery = SETTLED * time, RECOVERY * time
        self.walk = (WALK if wanted.steps else STAND) * time
        self.dts = tuple(dt)
        self.degrees = slope if wanted.steps and abs(wanted.speed) > 0.05 else 0.0
        self.rose = _rose(figure.root == "planar", graph.symmetric, sides) * self.units.weight
        self._made: dict[tuple[str, int, float], Simulation] = {}

    def _simulation(self, what: str, worlds: int, dt: float, terrain: Any, record: Record | None = None) -> Simulation:
        key = (what, worlds, dt)
        if key not in self._made:
            still = Push(np.zeros((worlds, 3)), np.zeros(worlds), 0.0)
            self._made[key] = Simulation(
                self.graph,
                figure=self.figure,
                worlds=worlds,
                terrain=terrain,
                pushes=[still],
                dt=dt,
                device=self.device,
                record=record,
            )
        return self._made[key]

    def _walking(self, dt: float) -> Simulation:
        """Level walks, of which the first of each candidate is recorded, and one up and one down a slope."""
        n, begins = self.population, max(0.2, 2.0 * self.units.length)
        lands = [level_ground()] * (n * self.starts)
        if self.degrees:
            for degrees in (self.degrees, -self.degrees):
                lands += [parse_terrain(f"slope:{degrees:g},{begins:g},200")] * n
        forces = ("grf",) if self.wanted.measures_needing("forces") else ()
        record = Record(rate=1.0 / (SAMPLE * self.units.time), worlds=n, fields=("qpos", "events", *forces))
        return self._simulation("walk", len(lands), dt, lands, record)

    def warm_up(self) -> None:
        """Compile what is not compiled yet, so that no search is charged for it."""
        self._simulation("warm", 1, self.dts[0], level_ground()).step(1)

    def __call__(self, rows: Array, turn: int, pushes: PushSet | None = None, first: int = 0) -> Judged:
        """Judge candidates with these rows [C, NP]; with every ``turn`` starts and moments of pushes are others.

        Of a share of a generation ``first`` is the number of its first candidate: it is then disturbed as it is among
        all.
        """
        n, dt, rng = self.population, self.dts[turn % len(self.dts)], np.random.default_rng((self.seed, turn % 2**31))
        level = n * self.starts
        walking = self._walking(dt)
        walking.set_parameters(rows, np.arange(walking.worlds) % n)
        walking.reset()
        of_walks = np.add.outer(self.whole * np.arange(walking.worlds // n), first + np.arange(n)).ravel()
        share = (self.whole * (walking.worlds // n), of_walks)
        walking.restore(disturbed(walking.snapshot(), self.figure, rng, self._noise, share))
        walking.run(self.settled)
        settled = walking.snapshot()
        outcome = walking.run(self.walk - self.settled)
        all_lived = np.where(np.isnan(outcome.end_time), self.walk, outcome.end_time)
        lived = all_lived[:level].reshape(-1, n)
        trace = walking.trace()
        numbers = measure_walks(Walks(trace, outcome.torque_squared, self.settled), ADAPTED, own_units=True)
        if self.wanted.lab_measures:
            speed, standing = numbers["progress"] * self.units.speed, np.flatnonzero(outcome.survived[:n])
            numbers |= measure_cycles(trace, speed, self.norms, worlds=standing, settle=self.settled)
        up = (lived / self.walk).mean(axis=0)
        stood = outcome.survived[:level].reshape(-1, n).all(axis=0)
        idle = self._idle(outcome.footsteps[:level].reshape(-1, n), outcome.distance[:level].reshape(-1, n), lived)
        bands = self.wanted.misses(numbers)
        survived, lost = np.ones(n), np.zeros(n)
        if pushes is not None:
            survived, lost = self._push(rows, settled, pushes, turn, dt, rng, first)
            if self.degrees:
                spared = np.where(outcome.survived, 1.0, LATE * all_lived / self.walk)[level:].reshape(-1, n)
                lost = lost + SLOPED * (1.0 - spared).mean(axis=0)
        total = np.where(stood, bands + self.wanted.burden(numbers) + lost, FALL * (1.5 - up)) + idle
        return Judged(
            np.where(np.isfinite(total), total, 3.0 * FALL),
            up,
            outcome.footsteps[:n].astype(float),
            outcome.distance[:n],
            stood & (idle < 0.1 * IDLE),
            survived,
            numbers,
            bands,
            trace,
        )

    @property
    def _noise(self) -> tuple[float, float]:
        return NOISE[0], NOISE[1] / self.units.time

    def _idle(self, footsteps: NDArray[np.int64], distance: Array, lived: Array) -> Array:
        """[C] what it costs to take too few steps, or steps that do not get ahead."""
        if not self.wanted.steps:
            return np.zeros(self.population)
        expected = np.maximum(1.0, 0.6 * lived / (self.wanted.step_time * self.units.time))
        cost = np.clip(1.0 - footsteps / expected, 0.0, 1.0)
        ahead = 0.5 * self.wanted.speed * self.units.speed * lived
        if abs(self.wanted.speed) > 0.05:
            cost = cost + np.clip(1.0 - distance / ahead, 0.0, 2.0)
        return np.asarray(IDLE * cost.mean(axis=0))

    def _push(
        self,
        rows: Array,
        settled: dict[str, NDArray[Any]],
        pushes: PushSet,
        turn: int,
        dt: float,
        rng: np.random.Generator,
        first: int,
    ) -> tuple[Array, Array]:
        """[C] the share of pushes that each candidate survives, and what its falls cost."""
        n, each = self.population, len(self.rose) * pushes.phases
        simulation = self._simulation("push", n * each, dt, level_ground())
        which = np.repeat(np.arange(n), each)
        simulation.set_parameters(rows, which)
        stride = 2.0 * (self.wanted.step_time if self.wanted.steps else 1.6) * self.units.time
        which_size = np.add.outer(np.arange(len(self.rose)), np.arange(pushes.phases)) + turn
        sizes = pushes.size * np.array(SIZES)[which_size % len(SIZES)]
        force = np.zeros((simulation.worlds, 3))
        force[:, :2] = np.tile((self.rose[:, None] * sizes[..., None]).reshape(-1, 2), (n, 1))
        moments = self.settled + (np.arange(pushes.phases) + GOLDEN * turn % 1.0) / pushes.phases * stride
        start = np.tile(moments, n * len(self.rose))
        simulation.set_pushes([Push(force, start, pushes.duration)])
        simulation.reset()
        from_walk = which + n * (np.arange(len(which)) % self.starts)
        begun = {name: values[from_walk] for name, values in settled.items()}
        among = (self.whole * each, first * each + np.arange(n * each))
        simulation.restore(disturbed(begun, self.figure, rng, self._noise, among))
        outcome = simulation.run(stride + pushes.duration + self.recovery)
        after = np.where(outcome.survived, np.inf, outcome.end_time) - start
        share = np.clip(after / (pushes.duration + self.recovery), 0.0, 1.0)
        spared = np.where(np.isinf(after), 1.0, LATE * share)
        lost = 1.0 - spared.reshape(n, len(self.rose), -1).mean(axis=2)
        cost = PUSHED * 0.5 * (lost.mean(axis=1) + lost.max(axis=1))
        return outcome.survived.reshape(n, -1).mean(axis=1), cost
