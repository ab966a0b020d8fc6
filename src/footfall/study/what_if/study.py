"""A what-if study: a walk on its own body, the same walk once the body is changed, and the walk that adapted to it.

All three are analysed as a gait laboratory does, and walk from disturbed starts that no search has seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation
from footfall.study.gait_lab.analysing import analyse, simulated_walk
from footfall.study.gait_lab.analysis import Analysis
from footfall.study.what_if.adapting import adapted_walk
from footfall.study.what_if.changes import Change, Walker
from footfall.study.what_if.two_sides import two_sided
from footfall.writing import write_whole

Progress = Callable[[float, str], None]

STARTS, TRIAL_SECONDS, TRIAL_DT = 20, 20.0, 0.001
NOISE = (0.01, 0.05)
"""Of joint angles, radians, and of velocities, of the disturbed starts."""
FAR_SEED = 7919
"""Added to the seed: the search's own starts come from other numbers."""

TOO_SLOW = 0.2
"""Share of the wanted speed by which an adapted walk may miss it without a word."""


@dataclass(frozen=True)
class Trial:
    """How many of n disturbed starts stayed up for 20 s, and the mean seconds until those that fell did."""

    up: int
    tried: int
    fell_after: float

    def __str__(self) -> str:
        fell = "" if self.up == self.tried else f"; the others fall after {self.fell_after:.1f} s on average"
        return f"{self.up} of {self.tried} disturbed starts stay up for 20 s{fell}"


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The outcome of a study.

    Attributes:
        name: of the controller. changes: what was changed, in words.
        controller, figure: the adapted controller and the changed body.
        before, unadapted, after: analyses; None where it falls too soon for a whole gait cycle.
        trials: "before", "unadapted" and "after" -> trial.
        generations: of the search.
        pace: m/s that the search wanted.
    """

    name: str
    changes: tuple[str, ...]
    controller: PoseControlGraph
    figure: Figure
    before: Analysis
    unadapted: Analysis | None
    after: Analysis
    trials: dict[str, Trial]
    generations: int
    pace: float

    @property
    def verdict(self) -> str:
        """What is wrong with the adapted walk, in a sentence; empty where it walks as fast as it should."""
        if abs(self.after.speed - self.pace) <= TOO_SLOW * self.pace:
            return ""
        return (
            f"the adapted walk goes at {self.after.speed:.2f} m/s, where {self.pace:.2f} m/s were wanted: the search "
            f"of {self.generations} generations was too short, or this body cannot; search longer (--seconds)"
        )

    @property
    def analyses(self) -> list[Analysis]:
        """Those that there are, in order."""
        return [a for a in (self.before, self.unadapted, self.after) if a is not None]

    def save_controller(self, path: str | Path) -> tuple[Path, Path]:
        """Write the adapted controller (.toml) and its body beside it (.xml); both paths."""
        path = Path(path)
        body = path.with_suffix(".xml")
        write_whole(body, self.figure.xml.encode())
        save_controller(self.controller.changed(figure=str(body.resolve()), name=path.stem), path)
        return path, body


def what_if(
    controller: str | Path | PoseControlGraph,
    changes: Sequence[Change] = (),
    *,
    speed: float | None = None,
    seconds: float = 120.0,
    watch: float = 12.0,
    norms: str | Path | None = None,
    population: int = 16,
    seed: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
) -> WhatIf:
    """Change a walker's body, let its walk adapt, and analyse it before and after.

    Args:
        controller: a SIMBICON walk in space: its name, its file, or itself.
        changes: what is changed of the body, in order.
        speed: to walk at afterwards, m/s; by default as fast as before.
        seconds: of searching. population, seed: of the search.
        watch: seconds of walking that are analysed.
        norms: a folder with people's tables; None for no comparison.
        device: "cpu" or "cuda", of the search.
        progress: called with the share of the search done and a few words.
    """
    graph = controller if isinstance(controller, PoseControlGraph) else load_graph(str(controller))
    figure = Figure.load(graph.figure)
    if figure.root != "free" or not figure.legs:
        raise FootfallError(f"what-if: '{graph.name}' is no walk in space on two legs; choose one such as walk-3d")
    if not changes and speed is None:
        raise FootfallError(
            "what-if: nothing is changed; give a change (--weak left_ankle:0.5) or a speed (--speed 0.8)"
        )
    if speed is not None and not 0.05 <= speed <= 4.0:
        raise FootfallError(f"what-if: speed is {speed:g}; give 0.05 to 4 m/s")
    walker = Walker(figure, two_sided(graph, figure))
    for change in changes:
        walker = change.applied(walker)
    words = tuple(str(change) for change in changes) + ((f"at {speed:g} m/s",) if speed is not None else ())
    before = analyse(simulated_walk(graph, watch, figure=figure), norms=norms, name=f"{graph.name}, before")
    trials = {"before": _trial(graph, figure, seed), "unadapted": _trial(walker.graph, walker.figure, seed)}
    unadapted = _analysed(walker.graph, walker.figure, watch, norms, f"{', '.join(words)}: not adapted")
    pace = before.speed if speed is None else speed
    found, history = adapted_walk(
        walker,
        pace,
        before.parameters["step_time"]["both"].mean * float(np.sqrt(before.speed / pace)),
        seconds=seconds,
        population=population,
        seed=seed,
        device=device,
        progress=progress,
    )
    about = f"'{graph.name}' adapted to: {', '.join(words)}. Found by `footfall what-if`."
    found = found.changed(name=f"{graph.name}-adapted", about=about)
    after = _analysed(found, walker.figure, watch, norms, f"{', '.join(words)}: adapted")
    if after is None:
        raise FootfallError(
            f"what-if: the walk that was found falls before a whole gait cycle; search for longer than {seconds:g} s"
        )
    trials["after"] = _trial(found, walker.figure, seed)
    return WhatIf(graph.name, words, found, walker.figure, before, unadapted, after, trials, len(history), pace)


def _analysed(
    graph: PoseControlGraph, figure: Figure, seconds: float, norms: str | Path | None, name: str
) -> Analysis | None:
    try:
        return analyse(simulated_walk(graph, seconds, figure=figure), norms=norms, name=name)
    except FootfallError:
        return None


def _trial(graph: PoseControlGraph, figure: Figure, seed: int) -> Trial:
    simulation = Simulation(graph, figure=figure, worlds=STARTS, dt=TRIAL_DT)
    rng, start = np.random.default_rng(seed + FAR_SEED), simulation.snapshot()
    for field, first, size in (("qpos", 7, NOISE[0]), ("qvel", 0, NOISE[1])):
        part = start[field][:, first:]
        part += size * rng.standard_normal(part.shape)
    simulation.restore(start)
    outcome = simulation.run(TRIAL_SECONDS)
    fallen = outcome.end_time[~outcome.survived]
    return Trial(int(outcome.survived.sum()), STARTS, float(fallen.mean()) if len(fallen) else float("nan"))
