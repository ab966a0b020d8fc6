"""Foot strikes from a record of every step, for a few worlds on a device where each kernel takes long to compile.

:func:`footfall.study.sweeps.experiment.strike_times` pauses each world at its strike, by a kernel that does nothing
else. A few worlds can as well be recorded, and then run again up to their strikes, by the kernel that pushes them.
"""

import numpy as np
from numpy.typing import NDArray

from footfall.simulation import Record, Simulation
from footfall.study.sweeps.conditions import Conditions

Array = NDArray[np.float64]
PATIENCE = 5.0


def recorded_strikes(
    conditions: Conditions, settle: float, *, efforts: bool
) -> tuple[Simulation, Array, Array, NDArray[np.bool_]]:
    """Let N worlds settle, and stop each at a strike of its left foot.

    Returns:
        The simulation, each world where it stopped; then what ``strike_times`` returns.
    """
    dt, n = conditions.experiment.dt, conditions.worlds
    record = Record(rate=1.0 / dt, fields=("events",), worlds=n)
    simulation = conditions.simulation(efforts=efforts, record=record)
    settled, patience = round(settle / dt), round(PATIENCE / dt)
    simulation.step(settled)
    begun = simulation.snapshot()
    footsteps = simulation.outcome().footsteps + (begun["stance"] == 0)
    simulation.step(2 * patience)
    trace = simulation.trace()
    counted = _exchanges(trace.stance)
    ended = np.where(simulation.outcome().survived, len(counted), trace.last)

    def stopped(target: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
        """[N] the step before which a world's footsteps exceed a target; that of its end, or of lost patience."""
        beyond = counted > target
        first = np.where(beyond.any(axis=0), beyond.argmax(axis=0), len(counted))
        return np.maximum(np.minimum(np.minimum(first, after + patience), ended), after)

    one = stopped(footsteps, np.minimum(ended, settled))
    two = stopped(footsteps + 2, one)
    snapshot = _at_steps(simulation, begun, two)
    at_strike = conditions.simulation(efforts=efforts)
    at_strike.restore(snapshot)
    now = at_strike.outcome()
    steps = now.footsteps >= footsteps + 2
    strike = np.where(now.survived & steps, two * dt, np.nan)
    return at_strike, strike, strike - one * dt, now.survived & ~steps


def _exchanges(stance: NDArray[np.int32]) -> NDArray[np.int64]:
    """[S, N] exchanges of stance up to and with each step, from the stance side in it."""
    changed = np.zeros(stance.shape, dtype=np.int64)
    changed[1:] = (stance[1:] != stance[:-1]) & (stance[:-1] >= 0)
    return changed.cumsum(axis=0)


def _at_steps(
    simulation: Simulation, begun: dict[str, NDArray[np.float64]], steps: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """The state of each world after its own number of steps, from one snapshot of all of them."""
    simulation.restore(begun)
    found = {name: values.copy() for name, values in begun.items()}
    for step in np.unique(steps):
        if step > simulation.step_number:
            simulation.step(int(step - simulation.step_number))
        now = simulation.snapshot()
        for name, values in found.items():
            values[steps == step] = now[name][steps == step]
    return found
