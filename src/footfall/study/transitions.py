"""Timing of a sequence: request times at which all of its controllers run without a fall.

Not every phase of a gait leads into every other one (SIMBICON, section 7.1). Many worlds perform the sequence side by
side, each with its own delay of each request; where some succeed, all continue from those.

Timing of a sequence by phase: each request comes so many footsteps after the last one, so long after the strike.

Requests by the clock meet another phase of the gait as soon as the time step or the start changes a little. Counted in
footsteps they meet the same one. For each request in turn several footsteps and delays are tried, each from several
disturbed starts and with several time steps; of those that lead on most often, the one with most footsteps is kept
(SIMBICON, section 7.1: some controllers can only be entered from a particular phase).

Which controllers can be entered directly from which others, and the way round where the direct one fails (SIMBICON,
section 7.1).

Every pair is tried at phases spread over the stride: controller A runs until it has settled, B is requested, and the
entry counts if the figure is in B, up and stepping some seconds later.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import Request, current_controller, request, sequence_simulation, set_memory
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
        worlds: how many delays are tried. seed: of their order.
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
        draws: disturbed starts, of size ``noise``, that each phase is tried from. seed: of the starts.
        dts: time steps at which each phase is tried. progress: called with the share of the work that is done.
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


SETTLING = 2.0
"""Seconds at the end within which a gait must take a step: one that only waits for contact was not entered."""


@dataclass(frozen=True)
class TransitionMatrix:
    """Shares of phases at which direct entries succeed.

    Attributes:
        names: [G] the controllers.
        share: [G, G] from row to column, of all phases tried; 1 on the diagonal.
        phases: how many were tried. window: seconds over which the requests were spread.
        passed: [G, G, phases] at which phases.
    """

    names: tuple[str, ...]
    share: NDArray[np.float64]
    phases: int
    window: float
    passed: NDArray[np.bool_]

    def route(self, start: str, goal: str) -> tuple[str, ...]:
        """The most likely way from one controller to another (the fewest steps among equals); empty if none."""
        for name in (start, goal):
            if name not in self.names:
                raise unknown_name("controller of the matrix", name, self.names)
        first, last = self.names.index(start), self.names.index(goal)
        queue: list[tuple[float, int, tuple[int, ...]]] = [(0.0, 0, (first,))]
        done: set[int] = set()
        while queue:
            cost, steps, way = heapq.heappop(queue)
            if way[-1] == last:
                return tuple(self.names[i] for i in way)
            if way[-1] in done:
                continue
            done.add(way[-1])
            for j, share in enumerate(self.share[way[-1]]):
                if share > 0 and j not in done:
                    heapq.heappush(queue, (cost - math.log(share) + 1e-9, steps + 1, (*way, j)))
        return ()

    def chance(self, way: Sequence[str]) -> float:
        """The product of the shares along a way."""
        index = [self.names.index(name) for name in way]
        return float(np.prod([self.share[a, b] for a, b in pairwise(index)])) if index else 0.0

    def routes(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """For every pair whose direct entry does not always succeed, the better way round where there is one."""
        found = {}
        for a in self.names:
            for b in self.names:
                way = self.route(a, b)
                if a != b and len(way) > 2:
                    found[a, b] = way
        return found

    def as_dict(self) -> dict[str, Any]:
        """The matrix as JSON has it."""
        share = {a: {b: float(self.share[i, j]) for j, b in enumerate(self.names)} for i, a in enumerate(self.names)}
        routes = [{"from": a, "to": b, "by": list(w), "share": self.chance(w)} for (a, b), w in self.routes().items()]
        return {"controllers": list(self.names), "phases": self.phases, "share": share, "routes": routes}


def transition_matrix(
    controllers: Sequence[str | Path | PoseControlGraph],
    *,
    phases: int = 12,
    settle: float = 6.0,
    window: float = 0.8,
    after: float = 10.0,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> TransitionMatrix:
    """Try every direct entry at every phase.

    Args:
        controllers: of one figure, each with a start of its own.
        phases: requests are spread evenly over ``window`` seconds, about a stride.
        settle: seconds before the first request. after: seconds that the new controller must stay up.
        progress: called with the share of the work that is done.
        options: as :class:`Simulation` takes them, such as dt and integrator.
    """
    graphs = [load_graph(c) for c in controllers]
    if after <= SETTLING:
        raise FootfallError(f"after is {after}; it must be above {SETTLING:g} seconds")
    for graph in graphs:
        if graph.start is None:
            raise FootfallError(f"controller '{graph.name}' has no start, from which it could be left")
    figure = Figure.load(graphs[0].figure)
    law = SimbiconLaw(graphs, figure)
    if len(graphs) < 2:
        raise FootfallError("transitions: give at least two controllers")
    count = len(graphs)
    origin, goal, phase = (a.ravel() for a in np.mgrid[:count, :count, :phases])
    starts = [graph.start for graph in graphs if graph.start is not None]
    simulation = Simulation(
        graphs[0],
        law=law,
        figure=figure,
        worlds=len(origin),
        qpos=np.array([starts[i].qpos for i in origin]),
        qvel=np.array([starts[i].qvel for i in origin]),
        last_states=0,
        **options,
    )
    set_memory(
        simulation,
        state=(np.array(law.table.first) + [s.state for s in starts])[origin],
        request=np.where(goal == origin, -1, goal),
        request_time=settle + phase * window / phases,
    )
    total = settle + window + after
    report = None if progress is None else lambda now: progress(now / total)
    before = simulation.run(total - SETTLING, report).footsteps
    outcome = simulation.run(SETTLING, report)
    stays = np.array([any(state.next == "end" for state in graph.states) for graph in graphs])
    steps = (outcome.footsteps > before) | stays[goal]
    passed = (outcome.survived & steps & (current_controller(simulation) == goal)).reshape(count, count, phases)
    return TransitionMatrix(tuple(g.name for g in graphs), passed.mean(axis=2), phases, window, passed)
