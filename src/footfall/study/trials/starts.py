"""Where gaits begin: in a sketch, in their own cycle once they have settled, or where another gait is left for
them."""

from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.rows import MACHINE
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph, parse_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation

Array = NDArray[np.float64]
DIGITS = 5


def sketch_names() -> tuple[str, ...]:
    """Names of the sketches that searches for gaits begin with."""
    folder = resources.files("footfall.study.gaits") / "sketches"
    return tuple(sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml")))


def load_any_graph(source: str | Path | PoseControlGraph) -> PoseControlGraph:
    """A pose control graph: built in, a sketch, or a file."""
    if isinstance(source, str) and source in sketch_names():
        file = resources.files("footfall.study.gaits") / "sketches" / f"{source}.toml"
        return parse_graph(file.read_text(encoding="utf-8"), f"sketch '{source}'")
    return load_graph(source)


SETTLED, SPREAD, LONGEST = 3.0, 3.0, 4.0
"""Seconds: until the first arrival, over which they are spread, and within which each gait must begin a step."""
NOISE = 5e-3


def _first_states(simulation: Simulation, seconds: float, due: Array | float = 0.0) -> dict[int, tuple[Array, Array]]:
    """World -> its qpos and qvel where it begins its first state, at a time that is due or later, as far as that
    happens in so many seconds."""
    number, clock = MACHINE.index("state"), MACHINE.index("clock")
    found: dict[int, tuple[Array, Array]] = {}
    for _ in range(round(seconds / simulation.dt)):
        simulation.step(1)
        now = simulation.snapshot()
        begins = (now["memory"][:, number] == 0) & (now["memory"][:, clock] == 0) & (simulation.time >= due)
        for w in np.flatnonzero(begins):
            found.setdefault(int(w), (now["qpos"][w].copy(), now["qvel"][w].copy()))
        if len(found) == simulation.worlds:
            break
    return found


def settled_start(
    graph: PoseControlGraph,
    figure: Figure,
    *,
    terrain: str = "flat",
    seconds: float = 8.0,
    simulation: Simulation | None = None,
) -> Start | None:
    """Where the gait enters its first state, on the leg as written, after so many seconds, moved back to the origin;
    None if it falls or stays in another state. A ``simulation`` of one world, at its start, may be given."""
    simulation = simulation or Simulation(graph, figure=figure, terrain=terrain, dt=0.001)
    if not simulation.run(seconds).survived[0]:
        return None
    found = _first_states(simulation, LONGEST)
    if not found:
        return None
    qpos, qvel = (np.round(values, DIGITS) + 0.0 for values in found[0])
    if terrain == "flat":
        qpos[: 1 if figure.root == "planar" else 2] = 0.0
    return Start(tuple(qpos.tolist()), tuple(qvel.tolist()))


def arrivals(name: str, count: int, *, dt: float = 0.001) -> tuple[Array, Array]:
    """qpos [count, nq] and qvel [count, nv] of a controller where it begins its first state, back at the origin."""
    simulation = Simulation(load_graph(name), worlds=count, dt=dt)
    start, rng = simulation.snapshot(), np.random.default_rng(1)
    start["qpos"][:, 7:] += NOISE * rng.standard_normal(start["qpos"][:, 7:].shape)
    start["qvel"] += NOISE * rng.standard_normal(start["qvel"].shape)
    simulation.restore(start)
    simulation.run(SETTLED)
    found = _first_states(simulation, SPREAD + LONGEST, SETTLED + SPREAD * np.arange(count) / count)
    if len(found) < count:
        raise FootfallError(f"'{name}' has no steps to arrive from: it falls, or stays in one state")
    qpos, qvel = (np.array([found[w][i] for w in range(count)]) for i in (0, 1))
    qpos[:, :2] = 0.0
    return qpos, qvel
