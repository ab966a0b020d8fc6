"""Timing of a sequence: request times at which all of its controllers run without a fall.

Not every phase of a gait leads into every other one (SIMBICON, section 7.1). Many worlds perform the sequence side by
side, each with its own delay of each request; where some succeed, all continue from those.
"""

from collections.abc import Callable, Sequence

import numpy as np

from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.sequence import Request, current_controller, request, sequence_simulation

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


def _stays(graph: PoseControlGraph) -> bool:
    return any(state.next == "end" for state in graph.states)


def _typical(speed: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Whether a world goes about as fast as the faster ones that came through: not in some other, limping gait."""
    if not good.any():
        return good
    usual = float(np.quantile(np.abs(speed[good]), 0.8))
    return np.asarray(np.abs(speed) > 0.6 * usual - 0.3)
