"""How candidates are tried on a body: they walk from disturbed starts, up and down slopes, and are pushed from all
sides at several moments of a stride.

Everything is measured in the body's own units: times in √(H / g), pushes in body weights. Walking and pushed worlds are
simulations of one kernel.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Record
from footfall.study.adaptation.wanted import Wanted
from footfall.study.measures.body import Units
from footfall.study.measures.people import Norms
from footfall.study.measures.table import ADAPTED, measure_cycles, measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.measures.wanted import known_cost
from footfall.study.trials.bench import LATE_FALL, ROSE, Judged, PushRound, TrialPlan, Undisturbed, mirrored_rose
from footfall.study.trials.final import RECOVERY, SETTLED, level_ground
from footfall.terrain import parse_terrain

Array = NDArray[np.float64]

WALK, STAND, PUSH = 34.0, 150.0, 1.3
"""In units of time (0.31 s of a person): that a gait is watched in all where it steps and where it stands (which may
take long to lean too far), and that a push lasts."""
SAMPLE = 0.035
"""Between samples, in units of time."""
NOISE = (2e-3, 2e-3)
"""Of joint angles, radians, and of velocities, in units."""
FALL = 1000.0
"""What a fall of the undisturbed walk costs."""
IDLE = 300.0
"""What it costs not to step, and not to get ahead."""
SLOWEST = 0.05
"""m/s below which a walk stays in place."""
PUSHED = 100.0
"""What falling to all pushes costs."""
SLOPED, DEGREES = 60.0, 3.0
"""What falling on slopes costs, and how steep they are unless it is said."""
FRONT = float(ROSE[0, 0])


def _rose(planar: bool, symmetric: bool, sides: tuple[float, float] | None) -> Array:
    """[D, 2] pushes forward and to the left, of which the one forward is 1; where left and right are alike, those to
    the left stand for both."""
    if sides is None:
        rose = mirrored_rose() if symmetric else ROSE
        return np.asarray((ROSE[[0, 4]] if planar else rose) / FRONT)
    angles = np.radians((0, 180) if planar else np.arange(0, 181 if symmetric else 360, 45))
    ahead, aside = np.cos(angles), np.sin(angles)
    return np.stack([np.where(ahead > 0.0, 1.0, sides[1]) * ahead, sides[0] * aside], axis=1)


@dataclass(frozen=True, eq=False, kw_only=True)
class BodyTrials(TrialPlan):
    """Candidates on a body. The tallies are ``up``, the share of the time that its undisturbed walks stayed up,
    ``footsteps`` and ``distance`` of the first one, ``walks``, whether all of them stayed up, stepped and got ahead,
    ``pushes``, the share of pushes survived, ``bands``, what misses of the gait's numbers cost, and ``transport``, the
    motors' mean absolute power over weight and speed (not a number where it stays in place).

    Attributes:
        wanted: what the gait should be like.
        norms: people's tables, where it should be like theirs.
        sloped: whether the last two walks of each candidate are up and down a slope.
        rose: [D, 2] newtons forward and to the left, of pushes of one body weight forward.
        duration: of pushes, seconds.
        phases: moments within a stride, in every direction.
    """

    graph: PoseControlGraph
    wanted: Wanted
    norms: Norms | None = None
    sloped: bool
    rose: Array
    duration: float = 0.4
    phases: int = 1

    @cached_property
    def units(self) -> Units:
        """Of the body."""
        return Units.of(self.figure)

    def pushes(self, size: float) -> PushRound | None:
        """Multiples of the body's weight."""
        time = self.units.time
        stride = 2.0 * (self.wanted.step_time if self.wanted.steps else 1.6) * time
        return PushRound(self.rose, size, self.phases, self.duration, self.settled, stride, RECOVERY * time)

    def judged(self, walks: Undisturbed, survived: Array, lost: Array, *, pushed: bool) -> Judged:
        """Misses of what is wanted, effort, pushes and slopes; or the fall of undisturbed walks."""
        n, units, outcome = walks.candidates, self.units, walks.outcome
        level = n * self.starts
        seen = Walks(walks.trace, outcome.torque_squared, self.settled)
        measures = measure_walks(seen, ADAPTED, own_units=True)
        speed = np.nan_to_num(measures["progress"]) * units.speed
        if self.wanted.lab_measures:
            standing = np.flatnonzero(outcome.survived[:n])
            measures |= measure_cycles(walks.trace, speed, self.norms, worlds=standing, settle=self.settled)
        lived = walks.lived[: self.starts]
        up = (lived / self.seconds).mean(axis=0)
        stood = outcome.survived[:level].reshape(-1, n).all(axis=0)
        idle = self._idle(outcome.footsteps[:level].reshape(-1, n), outcome.distance[:level].reshape(-1, n), lived)
        bands = known_cost(self.wanted.misses(measures))
        lost = PUSHED * lost
        if pushed and self.sloped:
            spared = np.where(outcome.survived.reshape(-1, n), 1.0, LATE_FALL * walks.lived / self.seconds)[
                self.starts :
            ]
            lost = lost + SLOPED * (1.0 - spared).mean(axis=0)
        total = np.where(stood, bands + known_cost(self.wanted.burdens(measures)) + lost, FALL * (1.5 - up)) + idle
        tallies = {
            "up": up,
            "footsteps": outcome.footsteps[:n].astype(float),
            "distance": outcome.distance[:n],
            "walks": stood & (idle < 0.1 * IDLE),
            "pushes": survived,
            "bands": bands,
            "transport": outcome.power[:n] / (units.weight * np.where(speed > SLOWEST, speed, np.nan)),
        }
        return Judged(np.where(np.isfinite(total), total, 3.0 * FALL), measures, tallies, walks.trace)

    def _idle(self, footsteps: NDArray[np.int64], distance: Array, lived: Array) -> Array:
        """[C] what it costs to take too few steps, or steps that do not get ahead."""
        if not self.wanted.steps:
            return np.zeros(footsteps.shape[1])
        expected = np.maximum(1.0, 0.6 * lived / (self.wanted.step_time * self.units.time))
        cost = np.clip(1.0 - footsteps / expected, 0.0, 1.0)
        ahead = 0.5 * self.wanted.speed * self.units.speed * lived
        if abs(self.wanted.speed) > 0.05:
            cost = cost + np.clip(1.0 - distance / ahead, 0.0, 2.0)
        return np.asarray(IDLE * cost.mean(axis=0))


def body_trials(
    graph: PoseControlGraph,
    figure: Figure,
    wanted: Wanted,
    *,
    slope: float = DEGREES,
    sides: tuple[float, float] | None = None,
    **plan: Any,
) -> BodyTrials:
    """How candidates are tried on a body.

    Args:
        graph: the controller whose numbers candidates change.
        figure: the body.
        wanted: what the gait should be like.
        slope: degrees of the ground that it walks up and down besides, in sturdy stages.
        sides: pushes sideways and backward, as shares of those forward; by default as SIMBICON's human bears them.
        plan: starts, device, dts, seed, norms, duration and phases, as :class:`BodyTrials` has them.
    """
    usual: dict[str, Any] = {"starts": 2, "device": "cpu", "dts": (0.0017,), "seed": 1}
    plan = usual | plan
    units = Units.of(figure)
    degrees = slope if wanted.steps and abs(wanted.speed) > 0.05 else 0.0
    begins = max(0.2, 2.0 * units.length)
    grounds = [level_ground()] * plan["starts"]
    if degrees:
        grounds += [parse_terrain(f"slope:{way:g},{begins:g},200") for way in (degrees, -degrees)]
    forces = ("grf",) if wanted.measures_needing("forces") else ()
    return BodyTrials(
        graph=graph,
        figure=figure,
        settled=SETTLED * units.time,
        seconds=(WALK if wanted.steps else STAND) * units.time,
        noise=(NOISE[0], NOISE[1] / units.time),
        ground=level_ground(),
        walks=len(grounds),
        grounds=tuple(grounds),
        record=Record(rate=1.0 / (SAMPLE * units.time), fields=("qpos", "events", *forces)),
        one_kernel=True,
        whole_trace=True,
        wanted=wanted,
        sloped=bool(degrees),
        rose=_rose(figure.root == "planar", graph.symmetric, sides) * units.weight,
        **plan,
    )
