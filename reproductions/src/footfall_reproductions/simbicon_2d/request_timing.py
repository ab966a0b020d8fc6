"""When to ask for each controller of a sequence, so that all of them run without a fall (SIMBICON, section 7.1).

Not every phase of a gait leads into every other one. By the clock (:func:`sequence_timing`), many worlds perform the
sequence side by side, each with its own delay of each request; where some succeed, all continue from those. By phase
(:func:`phase_timing`), each request comes so many footsteps after the last one, so long after the strike: requests by
the clock meet another phase of the gait as soon as the time step or the start changes a little, counted in footsteps
they meet the same one. For each request in turn several footsteps and delays are tried, each from several disturbed
starts and with several time steps; of those that lead on most often, the one with most footsteps is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.sequence import Request, current_controller, request, sequence_simulation
from footfall.simulation import Simulation
from footfall.study.sweeps.conditions import perturbed_starts

STEPPING = 1.5
"""Seconds at the end of each part within which a gait must take a step and keep its speed."""


def sequence_timing(
    sequence: Sequence[Request],
    *,
    spread: float = 0.95,
    worlds: int = 96,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> tuple[Request, ...]:
    """The sequence with durations near its own, such that every controller is entered and nothing falls.

    Args:
        sequence: controllers with about how long each should run; above 2 s each.
        spread: seconds over which the delays of a request are tried.
        worlds: how many delays are tried.
        seed: of their order.
        progress: called with the share of the work that is done.
    """
    if min(r.seconds for r in sequence) <= STEPPING + spread:
        raise FootfallError(f"sequence timing: every request needs more than {STEPPING + spread:g} s")
    rng = np.random.default_rng(seed)
    simulation = sequence_simulation(sequence, worlds=worlds, last_states=0)
    simulation.run(sequence[0].seconds)
    asked = np.zeros((worlds, len(sequence)))
    for k, wanted in enumerate(sequence[1:], start=1):
        asked[:, k] = np.round(simulation.time + rng.permutation(np.linspace(0.0, spread, worlds)), 3)
        request(simulation, wanted.controller.name, at=asked[:, k])
        before = simulation.run(wanted.seconds - STEPPING)
        outcome = simulation.run(STEPPING)
        here = getattr(simulation.law, "table").index(wanted.controller.name)  # noqa: B009
        good = outcome.survived & (current_controller(simulation) == here)
        if not _stays(wanted.controller):
            good &= outcome.footsteps > before.footsteps
        good &= _typical((outcome.qpos - before.qpos)[:, 0] / STEPPING, good)
        if not good.any():
            names = f"{sequence[k - 1].controller.name} to {wanted.controller.name}"
            raise FootfallError(f"sequence timing: no delay was found that leads from {names}")
        chosen = np.flatnonzero(good)[np.arange(worlds) % int(good.sum())]
        simulation.restore(simulation.snapshot(), worlds=chosen)
        asked = asked[chosen]
        if progress is not None:
            progress(k / (len(sequence) - 1))
    ends = np.append(asked[0, 1:], simulation.time)
    lengths = np.round(np.diff(np.concatenate([[0.0], ends])), 3)
    return tuple(Request(r.controller, float(s)) for r, s in zip(sequence, lengths, strict=True))


def _stays(controller: PoseControlGraph) -> bool:
    """Whether it comes to rest in a state and takes no more steps."""
    return any(state.next == "end" for state in controller.states)


def _typical(speed: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Whether a world goes about as fast as the faster ones that came through: not in some other, limping gait."""
    if not good.any():
        return good
    usual = float(np.quantile(np.abs(speed[good]), 0.8))
    return np.asarray(np.abs(speed) > 0.6 * usual - 0.3)


Counts = NDArray[np.int64]

LONGEST = 12.0
"""Seconds within which the strikes before a request must come."""
STRIKES = np.arange(4, 16)
"""Footsteps before a request that are tried."""
SOON = 0.02
"""Seconds after the strike, or after the end of the longest timed state that follows it, at which a request is tried:
requests take effect at the end of the state that runs."""


@dataclass(frozen=True)
class PhaseRequest:
    """A controller, and when it is asked for: ``seconds`` after strike number ``footsteps`` since the last request, or
    after that request itself where ``footsteps`` is 0."""

    controller: PoseControlGraph
    footsteps: int
    seconds: float


def perform_by_phase(simulation: Simulation, script: Sequence[PhaseRequest], last: float = 5.0) -> NDArray[np.bool_]:
    """[K, N] whether each world was in each controller when the next one was asked for, and upright.

    Args:
        simulation: made by :func:`~footfall.methods.simbicon.sequence.sequence_simulation`; the first controller runs.
        script: the requests, the first controller's first.
        last: seconds that the last controller runs.
    """
    worlds, entered = simulation.worlds, []
    since = np.array(simulation.outcome().footsteps)
    for k, wanted in enumerate(script[1:], start=1):
        wait = wanted.seconds if wanted.footsteps == 0 else 0.0
        strikes, later = np.full(worlds, wanted.footsteps), np.full(worlds, wanted.seconds - wait)
        since = _ask(simulation, wanted.controller.name, since, strikes, later, wait)
        entered.append(_upright_in(simulation, script[k - 1].controller))
    simulation.run(last)
    return np.array([*entered, _upright_in(simulation, script[-1].controller)])


def _upright_in(simulation: Simulation, controller: PoseControlGraph) -> NDArray[np.bool_]:
    here = getattr(simulation.law, "table").index(controller.name)  # noqa: B009
    return np.asarray(simulation.outcome().survived & (current_controller(simulation) == here))


def _ask(
    simulation: Simulation, name: str, since: Counts, strikes: Counts, later: NDArray[np.float64], wait: float = 0.0
) -> Counts:
    """Run every world to its strike number ``strikes`` [N] after ``since`` [N], or, where they are 0, for ``wait``
    seconds, and ask for a controller ``later`` [N] seconds on; the footsteps [N] when that was asked."""
    if (strikes > 0).any():
        simulation.step(round(LONGEST / simulation.dt), footsteps=since + np.maximum(strikes, 1) - 1)
    elif wait > 0:
        simulation.run(wait)
    counted = np.array(simulation.outcome().footsteps)
    own = simulation.snapshot()["step_count"] * simulation.dt
    request(simulation, name, at=own + later)
    return counted


class _Search:
    """Worlds of one time step in which every phase is tried from every start."""

    def __init__(self, sequence: Sequence[Request], draws: int, noise: float, seed: int, dt: float) -> None:
        first = sequence[0].controller
        if first.start is None:
            raise FootfallError(f"phase timing: controller '{first.name}' has no start")
        self.tried: Counts = np.repeat(STRIKES, 2).astype(np.int64)
        self.draws = draws
        self.which, draw = np.divmod(np.arange(len(self.tried) * draws), draws)
        qpos, qvel = np.array(first.start.qpos, float), np.array(first.start.qvel, float)
        figure = Figure.load(first.figure)
        starts = perturbed_starts(figure, qpos, qvel, np.full(draws, noise), np.arange(draws), seed)
        self.simulation = sequence_simulation(
            sequence, worlds=len(draw), last_states=0, dt=dt, qpos=starts[0][draw], qvel=starts[1][draw]
        )
        self.since = np.array(self.simulation.outcome().footsteps)

    def ask(self, last: Request, wanted: Request) -> Counts:
        """[T] how many starts lead on from the last controller to the one wanted, by phase."""
        simulation, (strikes, pause, wait) = self.simulation, self.phases(last)
        self.since = _ask(simulation, wanted.controller.name, self.since, strikes[self.which], pause[self.which], wait)
        self._asked = simulation.snapshot()
        simulation.run(wanted.seconds + float(pause.max()) - STEPPING)
        before = simulation.outcome().footsteps
        simulation.run(STEPPING)
        self._good = _upright_in(simulation, wanted.controller)
        if not _stays(wanted.controller):
            self._good &= simulation.outcome().footsteps > before
        return np.asarray(self._good.reshape(len(self.tried), self.draws).sum(axis=1))

    def phases(self, last: Request) -> tuple[Counts, NDArray[np.float64], float]:
        """[T] the strikes and the seconds after them at which a controller can be left, or how long it stays."""
        if _stays(last.controller):
            return np.zeros_like(self.tried), np.asarray(0.04 * np.arange(len(self.tried)), float), last.seconds
        held = max((s.hold for s in last.controller.states if np.isfinite(s.hold)), default=0.0)
        return self.tried, np.asarray(SOON + held * (np.arange(len(self.tried)) % 2), float), 0.0

    def keep(self, best: int) -> None:
        """Continue in all worlds from the starts that one phase led on from, as they were when it was asked for."""
        chosen = np.flatnonzero(self._good & (self.which == best))
        copies = chosen[np.arange(len(self.which)) % len(chosen)]
        self.simulation.restore(self._asked, worlds=copies)
        self.since = self.since[copies]


def phase_timing(
    sequence: Sequence[Request],
    *,
    draws: int = 3,
    noise: float = 1e-3,
    seed: int = 0,
    dts: Sequence[float] = (0.0005, 0.001, 0.002),
    progress: Callable[[float], None] | None = None,
) -> tuple[PhaseRequest, ...]:
    """When to ask for each controller of a sequence, by phase.

    Args:
        sequence: controllers; how long each should run matters to those that take no steps alone.
        draws: disturbed starts, of size ``noise``, that each phase is tried from.
        seed: of the starts.
        dts: time steps at which each phase is tried.
        progress: called with the share of the work that is done.
    """
    searches = [_Search(sequence, draws, noise, seed, dt) for dt in dts]
    script = [PhaseRequest(sequence[0].controller, 0, 0.0)]
    for k, (last, wanted) in enumerate(pairwise(sequence), start=1):
        counts = np.array([search.ask(last, wanted) for search in searches])
        score = np.where(counts.min(axis=0) > 0, counts.sum(axis=0), 0)
        if score.max() == 0:
            names = f"{last.controller.name} to {wanted.controller.name}"
            raise FootfallError(f"phase timing: no phase was found that leads from {names} at every time step")
        best = int(np.flatnonzero(score == score.max())[-1])
        strikes, pause, wait = searches[0].phases(last)
        script.append(PhaseRequest(wanted.controller, int(strikes[best]), round(wait + float(pause[best]), 6)))
        for search in searches:
            search.keep(best)
        if progress is not None:
            progress(k / (len(sequence) - 1))
    return tuple(script)
