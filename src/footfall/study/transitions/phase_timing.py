"""Timing of a sequence by phase: each request comes so many footsteps after the last one, so long after the strike.

Requests by the clock meet another phase of the gait as soon as the time step or the start changes a little. Counted in
footsteps they meet the same one. For each request in turn several footsteps and delays are tried, each from several
disturbed starts; of those that lead on from most starts, the one with most footsteps is kept (SIMBICON, section 7.1:
some controllers can only be entered from a particular phase).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.errors import FootfallError
from footfall.simulation import Simulation
from footfall.simulation.sequence import Request, current_controller, request, sequence_simulation
from footfall.study.sweeps.conditions import perturbed_starts

__all__ = ["PhaseRequest", "perform_by_phase", "phase_timing"]

Counts = NDArray[np.int64]

LONGEST = 12.0
"""Seconds within which the strikes before a request must come."""
STEPPING = 1.5
"""Seconds at the end of a part within which a gait must take a step."""
STRIKES = np.arange(4, 16)
"""Footsteps before a request that are tried."""
DELAYS = (0.02, 0.17)
"""Seconds after the strike that are tried: while the state for a time runs, and near its end."""


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
        simulation: made by :func:`~footfall.simulation.sequence.sequence_simulation`; the first controller runs.
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


def phase_timing(
    sequence: Sequence[Request],
    *,
    draws: int = 6,
    noise: float = 1e-3,
    seed: int = 0,
    dt: float = 0.001,
    progress: Callable[[float], None] | None = None,
) -> tuple[PhaseRequest, ...]:
    """When to ask for each controller of a sequence, by phase.

    Args:
        sequence: controllers; how long each should run matters to those that take no steps alone.
        draws: disturbed starts, of size ``noise``, that each phase is tried from. seed: of the starts.
        dt: time step. progress: called with the share of the work that is done.
    """
    first = sequence[0].controller
    if first.start is None:
        raise FootfallError(f"phase timing: controller '{first.name}' has no start")
    tried = [(int(n), s) for n in STRIKES for s in DELAYS]
    which, draw = np.divmod(np.arange(len(tried) * draws), draws)
    qpos, qvel = np.array(first.start.qpos, float), np.array(first.start.qvel, float)
    figure = sequence_simulation(sequence).figure
    starts = perturbed_starts(figure, qpos, qvel, np.full(draws, noise), np.arange(draws), seed)
    simulation = sequence_simulation(
        sequence, worlds=len(which), last_states=0, dt=dt, qpos=starts[0][draw], qvel=starts[1][draw]
    )
    script = [PhaseRequest(first, 0, 0.0)]
    since = np.array(simulation.outcome().footsteps)
    for k, wanted in enumerate(sequence[1:], start=1):
        stays = _stays(sequence[k - 1].controller)
        strikes = np.zeros(len(which), dtype=np.int64) if stays else np.array([n for n, _ in tried])[which]
        pause = 0.04 * np.arange(len(tried)) if stays else np.array([s for _, s in tried])
        wait = sequence[k - 1].seconds if stays else 0.0
        since = _ask(simulation, wanted.controller.name, since, strikes, pause[which], wait)
        asked = simulation.snapshot()
        simulation.run(wanted.seconds + float(pause.max()) - STEPPING)
        before = simulation.outcome().footsteps
        simulation.run(STEPPING)
        good = _upright_in(simulation, wanted.controller)
        if not _stays(wanted.controller):
            good &= simulation.outcome().footsteps > before
        share = good.reshape(len(tried), draws).mean(axis=1)
        if not share.max() > 0:
            names = f"{sequence[k - 1].controller.name} to {wanted.controller.name}"
            raise FootfallError(f"phase timing: no phase was found that leads from {names}")
        best = int(np.flatnonzero(share >= share.max() - 1e-9)[-1])
        seconds = round(wait + float(pause[best]), 6)
        script.append(PhaseRequest(wanted.controller, int(strikes[which == best][0]), seconds))
        chosen = np.flatnonzero(good & (which == best))
        simulation.restore(asked, worlds=(copies := chosen[np.arange(len(which)) % len(chosen)]))
        since = since[copies]
        if progress is not None:
            progress(k / (len(sequence) - 1))
    return tuple(script)


def _stays(controller: PoseControlGraph) -> bool:
    """Whether it comes to rest in a state and takes no more steps."""
    return any(state.next == "end" for state in controller.states)
