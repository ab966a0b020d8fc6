"""The largest time step at which a gait still walks, against the servos' gain (Improving SIMBICON, figure 6).

Gains are worlds; steps are tried on a ladder all gains climb together, then narrowed for each gain by bisection.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation

Array = NDArray[np.float64]


def largest_stable_steps(
    gains: Sequence[float],
    integrator: str,
    stable: Literal["", "previous", "exact"],
    *,
    controller: str | PoseControlGraph = "walk",
    seconds: float = 10.0,
    largest: float = 0.02,
    ratio: float = 1.15,
    rounds: int = 4,
) -> Array:
    """[gains] the largest step, seconds, such that the gait stays up at it and at every smaller one tried.

    Args:
        gains: proportional gains kp; kd is a tenth of each.
        integrator: as :class:`footfall.simulation.Simulation` takes it.
        stable: the kind of stable PD.
        controller: the gait.
        seconds: how long it has to stay up.
        largest: where the ladder ends.
        ratio: between rungs of the ladder.
        rounds: of bisection between the last rung that passed and the first that did not.
    """
    graph = load_graph(controller)
    graph = replace(graph, servo=replace(graph.servo, stable=stable))
    kp = np.asarray(gains, dtype=float)

    def stays_up(dt: float, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
        gains = {"kp": kp[chosen], "kd": kp[chosen] / 10}
        simulation = Simulation(
            graph, worlds=len(chosen), set=gains, dt=dt, integrator=integrator, last_states=0, efforts=False
        )
        return np.asarray(simulation.run(seconds).survived)

    good, bad = np.full(len(kp), np.nan), np.full(len(kp), np.inf)
    dt = 1e-4
    climbing = np.arange(len(kp))
    while len(climbing) and dt <= largest:
        stood = stays_up(dt, climbing)
        good[climbing[stood]] = dt
        bad[climbing[~stood]] = dt
        climbing = climbing[stood]
        dt *= ratio
    for k in np.flatnonzero(np.isfinite(good) & np.isfinite(bad)):
        for _ in range(rounds):
            middle = float(np.sqrt(good[k] * bad[k]))
            if stays_up(middle, np.array([k]))[0]:
                good[k] = middle
            else:
                bad[k] = middle
    return good
