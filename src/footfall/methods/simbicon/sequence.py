"""Sequences of controllers: "walk 5, skipping 8, walk 4" in one simulation (SIMBICON, section 7.1).

Each switch is requested at its time and happens when the running state ends (:mod:`footfall.methods.simbicon.table`).
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.simulation.simulation import Simulation
from footfall.text_files import read_text

SUFFIXES = (".txt", ".sequence")


@dataclass(frozen=True)
class Request:
    """A controller wanted for a time."""

    controller: PoseControlGraph
    seconds: float


@dataclass(frozen=True)
class RequestResult:
    """The result of a request: when it was made, and for each world [N] whether its controller was running, and the
    figure still upright, at the end of its time."""

    controller: str
    time: float
    entered: NDArray[np.bool_]
    upright: NDArray[np.bool_]


def parse_sequence(source: str | Path) -> tuple[Request, ...]:
    """Requests from a text, ``NAME SECONDS`` separated by commas or lines, or from a .sequence or .txt file.

    ``#`` begins a comment. Names are those of built-in controllers or .toml files.
    """
    text, where = str(source), "sequence"
    if text.strip().endswith(SUFFIXES):
        path = Path(text.strip())
        text, where = read_text(path, "sequence file"), str(path)
    found = []
    known: dict[str, PoseControlGraph] = {}
    for number, line in enumerate(text.splitlines() or [""], start=1):
        for item in filter(None, (part.strip() for part in re.split(r"[,;]", line.partition("#")[0]))):
            name, _, duration = item.rpartition(" ")
            place = f"{where}, line {number}" if "\n" in text else where
            try:
                seconds = float(duration.removesuffix("s"))
            except ValueError:
                seconds = math.nan
            if not name or not (math.isfinite(seconds) and seconds > 0):
                raise FootfallError(f"{place}: '{item}' is not a request; write NAME SECONDS, as in walk 5")
            name = name.strip()
            try:
                known.setdefault(name, load_graph(name))
            except FootfallError as error:
                raise FootfallError(f"{place}: {error}") from None
            found.append(Request(known[name], seconds))
    if not found:
        raise FootfallError(f"{where}: it is empty; write NAME SECONDS, as in walk 5, skipping 8")
    return tuple(found)


def sequence_law(controllers: Sequence[str | Path | PoseControlGraph | Request], figure: Figure) -> SimbiconLaw:
    """The law that can switch between controllers, given by name, as values or as the requests of a sequence."""
    graphs = [c.controller if isinstance(c, Request) else load_graph(c) for c in controllers]
    return SimbiconLaw(list({graph.name: graph for graph in graphs}.values()), figure)


def sequence_simulation(
    controllers: Sequence[str | Path | PoseControlGraph | Request],
    *,
    kind: type[Simulation] = Simulation,
    **options: Any,
) -> Simulation:
    """A simulation that can switch between controllers; the first one starts it.

    Args:
        controllers: of one figure, or the requests of a sequence.
        kind: the simulation's class.
        options: as :class:`Simulation` takes them.
    """
    first = controllers[0].controller if isinstance(controllers[0], Request) else load_graph(controllers[0])
    figure = options.pop("figure", None) or first.figure
    figure = figure if isinstance(figure, Figure) else Figure.load(figure)
    return kind(first, law=sequence_law(controllers, figure), figure=figure, **options)


def set_memory(simulation: Simulation, **numbers: ArrayLike) -> None:
    """Replace numbers that the law remembers, by name: ``state``, ``request``, …, each a number or [N]."""
    snapshot = simulation.snapshot()
    for name, values in numbers.items():
        snapshot["memory"][:, _law(simulation).plan.memory[name]] = values
    simulation.restore(snapshot)


def law_memory(simulation: Simulation, name: str) -> NDArray[np.float64]:
    """[N] a number that the law remembers, by name."""
    return np.asarray(simulation.memory[:, _law(simulation).plan.memory[name]])


def _law(simulation: Simulation) -> GraphLaw:
    if not isinstance(simulation.law, GraphLaw):
        raise FootfallError("request: this simulation's law holds no controllers")
    return simulation.law


def request(simulation: Simulation, controller: str, at: ArrayLike | None = None) -> None:
    """Ask a running simulation to switch to another of its controllers.

    Args:
        simulation: made by :func:`sequence_simulation`.
        controller: name of the controller wanted.
        at: when, seconds, a number or [N]; by default now.
    """
    table = _law(simulation).table
    if len(table.graphs) == 1 and controller != table.graph.name:
        raise FootfallError("request: this simulation holds one controller; make it with sequence_simulation")
    wanted = table.index(controller)
    goal = np.where(current_controller(simulation) == wanted, -1.0, float(wanted))
    set_memory(simulation, request=goal, request_time=simulation.time if at is None else at)


def current_controller(simulation: Simulation) -> NDArray[np.int64]:
    """[N] which of its controllers each world is in."""
    owners = np.array(_law(simulation).table.owners)
    return np.asarray(owners[law_memory(simulation, "state").astype(int)])


def perform(
    simulation: Simulation,
    sequence: Sequence[Request],
    progress: Callable[[float], None] | None = None,
    *,
    spread: float = 0.0,
) -> list[RequestResult]:
    """Make a sequence's requests one after the other, each for its time, and report the results.

    ``spread``: seconds over which the worlds' requests are spread evenly, so that each comes at another phase.
    """
    answers: list[RequestResult] = []
    table = _law(simulation).table
    clock, none = simulation.time, np.zeros(simulation.worlds, dtype=bool)
    later = spread * np.arange(simulation.worlds) / simulation.worlds
    for i, wanted in enumerate(sequence):
        name = wanted.controller.name
        if answers and not answers[-1].upright.any():
            answers.append(RequestResult(name, clock, none, none))
        else:
            if i > 0:
                request(simulation, name, at=simulation.time + later)
            upright = simulation.run(wanted.seconds, progress).survived
            entered = current_controller(simulation) == table.index(name)
            answers.append(RequestResult(name, clock, entered & upright, upright))
        clock += wanted.seconds
    return answers
