"""Candidate controllers measured as worlds: each settles into its gait, walks undisturbed, and is pushed where asked.

The measures are :data:`footfall.study.measures.table.RUN_MEASURES`. All but survival are taken on the settled gait. A
world that stands without a step has no step_time, step_length or push limits.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.jobs import jobs_at_a_time, run_all
from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.simulation import Record, Simulation, Trace
from footfall.study.measures.runs import Runs
from footfall.study.measures.table import OF_RUNS, RUN_MEASURES, find_measure
from footfall.study.sweeps.conditions import Conditions
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait

Array = NDArray[np.float64]

PHASES = 10


@dataclass(frozen=True)
class Measuring:
    """How candidates are measured.

    Attributes:
        experiment: the controller that candidates change; its settings hold in all of them.
        names: the measures wanted.
        seconds: of undisturbed walking after the settling.
        forces: [F] newtons, rising, tried in both directions where pushes are measured.
        clip: what ``clip_difference`` compares with: a motion with the figure's own coordinates (channel "qpos").
    """

    experiment: Experiment
    names: tuple[str, ...]
    seconds: float = 8.0
    forces: tuple[float, ...] = tuple(50.0 * k for k in range(2, 21))
    clip: Motion | None = None

    def __post_init__(self) -> None:
        for name in self.names:
            find_measure(name, RUN_MEASURES)
        if "clip_difference" in self.names and self.clip is None:
            raise FootfallError("clip_difference: give a clip to compare with")

    def __call__(self, values: Mapping[str, Array], count: int, executor: Executor | None = None) -> dict[str, Array]:
        """[C] each measure of C candidates, whose parameters are ``values`` [C]; NaN where one fell.

        An executor takes the candidates in a few shares; the numbers do not depend on which.
        """
        bounds = np.linspace(0, count, min(count, jobs_at_a_time(executor)) + 1).astype(int)
        shares = [(self, {n: v[a:b] for n, v in values.items()}, int(b - a)) for a, b in pairwise(bounds)]
        gaits = run_all(_settled, shares, executor)
        longest = max(gait.longest for gait in gaits)
        latest = max(float(gait.outcome.time.max()) for gait in gaits)
        for gait in gaits:
            gait.longest = longest
        found = run_all(_measured, [(self, gait, latest) for gait in gaits], executor)
        return {name: np.concatenate([part[name] for part in found]) for name in self.names}

    def of_gaits(self, gait: SettledGait, latest: float) -> dict[str, Array]:
        """[C] each measure of settled candidates, the last of which, of the whole generation, settled at ``latest``."""
        simulation = self._simulation(gait)
        simulation.restore(gait.snapshot)
        outcome = simulation.run(self.seconds)
        steps = np.flatnonzero(outcome.survived & np.isfinite(gait.strike))
        runs = Runs(
            self.experiment.load_figure(),
            gait.outcome,
            outcome,
            latest + self.seconds,
            gait.stride,
            self.forces,
            passed=lambda angle: (steps, self._passed(gait, steps, angle)),
            one_stride=partial(self._one_stride, gait),
            clip=self.clip,
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            found = {name: OF_RUNS[name](runs) for name in self.names}
        return {n: v if n == "survival" else np.where(outcome.survived, v, np.nan) for n, v in found.items()}

    def _simulation(self, gait: SettledGait, record: Record | None = None) -> Simulation:
        count = gait.replicas
        unpushed = {**gait.values, "push.force": np.zeros(count), "push.start": np.zeros(count)}
        return Conditions(self.experiment, unpushed, count).simulation(record=record)

    def _passed(self, gait: SettledGait, who: NDArray[np.intp], angle: float) -> NDArray[np.bool_]:
        """[K, F, P] whether candidates pass a push of each size at each phase."""
        if not len(who):
            return np.zeros((0, len(self.forces), PHASES), dtype=bool)
        span = 0.5 if self.experiment.graph.symmetric else 1.0
        grid = np.meshgrid(who, np.array(self.forces), span * np.arange(PHASES) / PHASES, indexing="ij")
        replica, force, phase = (a.reshape(-1) for a in grid)
        passed, _ = gait.push(force, phase, replica.astype(int), angle=angle)
        return np.asarray(passed.reshape(grid[0].shape))

    def _one_stride(self, gait: SettledGait, field: str) -> tuple[Trace, Array, Array]:
        """One stride of every candidate from its left foot's strike: the trace, its times [S] from there, and the
        stride's length [C], a second where there is none."""
        simulation = self._simulation(gait, Record(rate=200.0, fields=(field,), worlds=gait.replicas))
        latest = np.full_like(gait.snapshot["step_count"], gait.snapshot["step_count"].max())
        simulation.restore({**gait.snapshot, "step_count": latest})
        length = np.where(np.isfinite(gait.stride), gait.stride, 1.0)
        simulation.run(float(length.max()) + 0.02)
        trace = simulation.trace()
        return trace, trace.times - trace.times[0], length


def _settled(share: tuple[Measuring, Mapping[str, Array], int]) -> SettledGait:
    measuring, values, count = share
    return SettledGait(measuring.experiment, count, 0.0, values, must_step=False)


def _measured(share: tuple[Measuring, SettledGait, float]) -> dict[str, Array]:
    measuring, gait, latest = share
    return measuring.of_gaits(gait, latest)
