"""Many bodies after one another: kernels compiled in parallel, searches one by one, walks judged beside the next one.

    footfall adapt bodies.toml --out results --device cuda --seconds 300

    [[bodies]]
    figure = "robots/g1.xml"
    controller = "plain-walk-sketch"      by default that
    name = "g1-walk"                      by default from the figure's file
    speed = 0.7                           and sturdy, effort, seconds, seed: as `footfall adapt` takes them

Writes a controller and a report for each, and results.csv and results.md with a row for each, as they come. With
``--workers N``, ``--cluster ADDRESS`` or ``--slurm …`` each body is a job of its own (docs: clusters.md).
"""

import multiprocessing
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from footfall.clusters.jobs import run_jobs
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.escaping import csv_table, file_stem, markdown_cell
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.study.adaptation.adapting import Adapted, adapt, warm_up
from footfall.study.adaptation.report import write_report
from footfall.study.trials.final import Trials, walking_trials
from footfall.text_files import make_folder, parse_toml, read_text, write_whole
from footfall.toml_files import Schema, read_table

COLUMNS = (
    "name",
    "controller",
    "hip_ratio",
    "mass_ratio",
    "scaled_steps",
    "scaled_seconds",
    "search_seconds",
    "generations",
    "stage",
    "speed_mps",
    "native",
    "mujoco",
    "forward_n",
    "left_n",
    "backward_n",
    "right_n",
    "note",
)


@dataclass(frozen=True)
class BodyTask:
    """A body and what to do with it; what is None is taken from the command line."""

    figure: str
    controller: str = "plain-walk-sketch"
    name: str = ""
    speed: float | None = None
    sturdy: str | None = None
    effort: float = 1.0
    seconds: float | None = None
    seed: int = 1

    @property
    def label(self) -> str:
        """The name of its controller."""
        return file_stem(self.name or f"{Path(self.figure).stem}-{self.controller.removesuffix('-sketch')}")


@dataclass(frozen=True)
class _Tasks:
    bodies: tuple[BodyTask, ...]


def load_tasks(path: Path) -> tuple[BodyTask, ...]:
    """The bodies that a file lists."""
    return read_table(parse_toml(read_text(path, "list"), str(path)), _Tasks, str(path), Schema()).bodies


def adapt_many(
    tasks: Sequence[BodyTask],
    out: Path,
    *,
    device: str = "cpu",
    seconds: float = 300.0,
    population: int | None = None,
    engines: Sequence[str] = ("native", "mujoco"),
    workers: int = 4,
    film: bool = False,
    generations: int | None = None,
    executor: Executor | None = None,
) -> list[dict[str, Any]]:
    """Adapt controllers to bodies.

    Args:
        tasks: what to do.
        out: a folder.
        device: of the searches.
        seconds: of each.
        population: as :class:`~footfall.study.adaptation.adapting.AdaptSettings` has it.
        engines: with which walks are judged.
        workers: processes beside the search.
        film: whether reports have films.
        generations: of each search, at most, instead of a time: the same seeds then give the same results.
        executor: adapts the bodies, each a job; its workers see the files of the bodies and ``out``. Searches are noted
            there, so that the same call continues. None adapts them here, one after the other.
    """
    make_folder(out)
    jobs = []
    for task in tasks:
        settings = {name: getattr(task, name) for name in ("speed", "sturdy", "effort", "seed")}
        settings |= {"device": device, "population": population, "generations": generations}
        settings["seconds"] = None if generations is not None else task.seconds or seconds
        jobs.append(_BodyJob(task, out.resolve(), settings, tuple(engines)))
    found = _adapt_here(jobs, workers) if executor is None else run_jobs(_BodyJob.run, jobs, executor)
    rows: dict[int, dict[str, Any]] = {}
    for place, (adapted, note) in found:
        task = tasks[place]
        rows[place] = _row(task, adapted, note)
        _write_tables([rows[k] for k in sorted(rows)], out)
        if adapted is not None:
            write_report(adapted, out / task.label, film=film)
        print(f"{task.label}: {note or 'done'}; {len(rows)} of {len(jobs)}", file=sys.stderr, flush=True)
    return [rows[place] for place in range(len(jobs))]


@dataclass(frozen=True)
class _BodyJob:
    """One body, searched and judged: a job of its own."""

    task: BodyTask
    out: Path
    settings: dict[str, Any]
    engines: tuple[str, ...]

    def run(self) -> tuple[Adapted | None, str]:
        """What was found, or why nothing was."""
        try:
            return replace(self.search(), trials=tuple(map(self.judged, self.engines))), ""
        except FootfallError as error:
            return None, str(error)

    def warm_up(self) -> None:
        """Compile what it needs."""
        warm_up(self.task.controller, self.task.figure, self.settings["device"])

    def search(self) -> Adapted:
        """What was found."""
        folder = self.out / self.task.label
        folder.mkdir(exist_ok=True)
        own: dict[str, Any] = {"engines": (), "name": self.task.label, "checkpoint": folder / "search.json"}
        adapted = adapt(self.task.controller, self.task.figure, **own, **self.settings)
        save_controller(adapted.controller, self.out / f"{self.task.label}.toml")
        if adapted.interrupted:
            raise KeyboardInterrupt
        return adapted

    def judged(self, engine: str) -> Trials:
        """How the controller does that was found."""
        graph = load_graph(self.out / f"{self.task.label}.toml")
        return walking_trials(graph, Figure.load(self.task.figure), engine=engine, seed=self.task.seed)


def _adapt_here(jobs: Sequence[_BodyJob], workers: int) -> Iterator[tuple[int, tuple[Adapted | None, str]]]:
    """Searches one by one; kernels compiled and walks judged in other processes meanwhile."""
    found: list[tuple[Adapted | None, str, list[Future[Trials]]]] = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        warm = [pool.submit(job.warm_up) for job in jobs]
        for job, ready in zip(jobs, warm, strict=True):
            try:
                ready.result()
                adapted = job.search()
            except FootfallError as error:
                found.append((None, str(error), []))
                continue
            found.append((adapted, "", [pool.submit(job.judged, engine) for engine in job.engines]))
            told = adapted.as_dict()
            words = f"{told['stage']}, {told['speed_mps']:.2f} m/s, {told['search_seconds']:.0f} s of search"
            print(f"{job.task.label}: {words}, {told['push_limits_n']}", file=sys.stderr, flush=True)
        for place, (done, note, trials) in enumerate(found):
            judged = tuple(one.result() for one in trials)
            yield place, (None if done is None else replace(done, trials=judged), note)


def _row(task: BodyTask, adapted: Adapted | None, note: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(COLUMNS, "") | {"name": task.label, "controller": task.controller, "note": note}
    if adapted is None:
        return row
    told = adapted.as_dict()
    limits: Mapping[str, float] = told["push_limits_n"] or {}
    row |= {
        "hip_ratio": round(told["length_ratio"], 3),
        "mass_ratio": round(told["mass_ratio"], 3),
        "scaled_steps": told["scaled"]["footsteps"],
        "scaled_seconds": round(told["scaled"]["seconds_up"], 1),
        "search_seconds": told["search_seconds"],
        "generations": told["generations"],
        "stage": told["stage"],
        "speed_mps": round(told["speed_mps"], 3),
    }
    row |= {one.engine: f"{one.up} of {one.tried}" for one in adapted.trials}
    return row | {f"{way}_n": round(limits[way]) for way in ("forward", "left", "backward", "right") if way in limits}


def _write_tables(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    write_whole(out / "results.csv", csv_table(COLUMNS, rows))
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(markdown_cell(row[name]) for name in COLUMNS) + " |" for row in rows]
    write_whole(out / "results.md", ("\n".join(lines) + "\n").encode())
