"""The start of a gait in its own cycle: where it enters its first state once it has settled."""

import numpy as np

from footfall.control.rows import MACHINE
from footfall.control.start import Start
from footfall.figures import Figure
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation

DIGITS = 5


def settled_start(
    graph: PoseControlGraph,
    figure: Figure,
    *,
    terrain: str = "flat",
    seconds: float = 8.0,
    dt: float = 0.001,
    simulation: Simulation | None = None,
) -> Start | None:
    """Where the gait enters its first state, on the leg as written, after so many seconds, moved back to the origin;
    None if it falls or stays in another state. A ``simulation`` of one world, at its start, may be given."""
    simulation = simulation or Simulation(graph, figure=figure, terrain=terrain, dt=dt)
    dt = simulation.dt
    if not simulation.run(seconds).survived[0]:
        return None
    number, clock = MACHINE.index("state"), MACHINE.index("clock")
    for _ in range(round(4.0 / dt)):
        simulation.step(1)
        now = simulation.snapshot()
        if now["memory"][0, number] == 0 and now["memory"][0, clock] == 0:
            break
    else:
        return None
    qpos, qvel = (np.round(now[name][0], DIGITS) + 0.0 for name in ("qpos", "qvel"))
    if terrain == "flat":
        qpos[: 1 if figure.root == "planar" else 2] = 0.0
    return Start(tuple(qpos.tolist()), tuple(qvel.tolist()))
