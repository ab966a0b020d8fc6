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


Array = NDArray[np.float64]

SETTLED, SPREAD, LONGEST = 3.0, 3.0, 4.0
"""Seconds: until the first arrival, over which they are spread, and within which each gait must begin a step."""
NOISE = 5e-3


def arrivals(name: str, count: int, *, seed: int = 1, dt: float = 0.001) -> tuple[Array, Array]:
    """qpos [count, nq] and qvel [count, nv] of a controller where it begins its first state, back at the origin."""
    graph = load_graph(name)
    simulation = Simulation(graph, worlds=count, dt=dt)
    start, rng = simulation.snapshot(), np.random.default_rng(seed)
    start["qpos"][:, 7:] += NOISE * rng.standard_normal(start["qpos"][:, 7:].shape)
    start["qvel"] += NOISE * rng.standard_normal(start["qvel"].shape)
    simulation.restore(start)
    simulation.run(SETTLED)
    due = SETTLED + SPREAD * np.arange(count) / count
    found: dict[int, tuple[Array, Array]] = {}
    number, clock = MACHINE.index("state"), MACHINE.index("clock")
    for _ in range(round((SPREAD + LONGEST) / dt)):
        simulation.step(1)
        now = simulation.snapshot()
        begins = (now["memory"][:, number] == 0) & (now["memory"][:, clock] == 0) & (simulation.time >= due)
        for w in np.flatnonzero(begins):
            found.setdefault(int(w), (now["qpos"][w].copy(), now["qvel"][w].copy()))
        if len(found) == count:
            break
    else:
        raise FootfallError(f"'{name}' has no steps to arrive from: it falls, or stays in one state")
    qpos, qvel = (np.array([found[w][i] for w in range(count)]) for i in (0, 1))
    qpos[:, :2] = 0.0
    return qpos, qvel
