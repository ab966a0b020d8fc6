"""Many bodies after one another: kernels compiled in parallel, searches one by one, walks judged beside the next one.

    footfall adapt-many bodies.toml --out results --device cuda --seconds 300

    [[bodies]]
    figure = "robots/g1.xml"
    controller = "plain-walk-sketch"      by default that
    name = "g1-walk"                      by default from the figure's file
    speed = 0.7                           and sturdy, effort, seconds, seed: as `footfall adapt` takes them

Writes a controller and a report for each, and results.csv and results.md with a row for each, as they come. With
``--workers N``, ``--cluster ADDRESS`` or ``--slurm …`` each body is a job of its own (docs: clusters.md).
"""

import csv
import io
import multiprocessing
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footfall.clusters.jobs import run_jobs
from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.study.adaptation.adapting import Adapted, adapt, warm_up
from footfall.study.adaptation.report import write_report
from footfall.study.trials.final import Trials, walking_trials
from footfall.text_files import parse_toml, read_text, write_whole
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
        return self.name or f"{Path(self.figure).stem}-{self.controller.removesuffix('-sketch')}"


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
        tasks: what to do. out: a folder.
        device: of the searches. seconds: of each. population: as :func:`adapt` takes it.
        engines: with which walks are judged. workers: processes beside the search. film: whether reports have films.
        generations: of each search, at most, instead of a time: the same seeds then give the same results.
        executor: adapts the bodies, each a job; its workers see the files of the bodies and ``out``. Searches are noted
            there, so that the same call continues. None adapts them here, one after the other.
    """
    out.mkdir(parents=True, exist_ok=True)
    limits = _Limits(device, None if generations is not None else seconds, generations, population)
    if executor is not None:
        return _adapt_elsewhere(
            [_BodyJob(task, out.resolve(), limits, tuple(engines)) for task in tasks], executor, film
        )
    rows: list[dict[str, Any]] = []
    found: list[tuple[BodyTask, Adapted | None, str, list[Future[Trials]]]] = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        warm = {task.label: pool.submit(_warm, task, device) for task in tasks}
        for task in tasks:
            began = time.monotonic()
            try:
                warm[task.label].result()
                adapted = _searched(task, out, limits)
            except FootfallError as error:
                found.append((task, None, str(error), []))
                print(f"{task.label}: {error}", file=sys.stderr, flush=True)
                continue
            file = str(out / f"{task.label}.toml")
            trials = [pool.submit(_judged, file, task.figure, engine, task.seed) for engine in engines]
            found.append((task, adapted, "", trials))
            told = adapted.as_dict()
            print(
                f"{task.label}: {told['stage']}, {told['speed_mps']:.2f} m/s, {told['push_limits_n']}, "
                f"{time.monotonic() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
        for task, done, note, trials in found:
            judged = tuple(one.result() for one in trials)
            rows.append(_row(task, done, judged, note))
            _write_tables(rows, out)
            if done is not None:
                write_report(done.with_trials(judged), out / task.label, film=film)
    return rows


@dataclass(frozen=True)
class _Limits:
    device: str
    seconds: float | None
    generations: int | None
    population: int | None


@dataclass(frozen=True)
class _BodyJob:
    """One body, searched and judged: a job of its own."""

    task: BodyTask
    out: Path
    limits: _Limits
    engines: tuple[str, ...]

    def run(self) -> tuple[Adapted | None, str]:
        """What was found, or why nothing was."""
        try:
            adapted = _searched(self.task, self.out, self.limits)
            file = str(self.out / f"{self.task.label}.toml")
            judged = [_judged(file, self.task.figure, engine, self.task.seed) for engine in self.engines]
        except FootfallError as error:
            return None, str(error)
        return adapted.with_trials(judged), ""


def _adapt_elsewhere(jobs: Sequence[_BodyJob], executor: Executor, film: bool) -> list[dict[str, Any]]:
    rows: dict[int, dict[str, Any]] = {}
    for place, (adapted, note) in run_jobs(_BodyJob.run, jobs, executor):
        job = jobs[place]
        rows[place] = _row(job.task, adapted, () if adapted is None else adapted.trials, note)
        _write_tables([rows[k] for k in sorted(rows)], job.out)
        if adapted is not None:
            write_report(adapted, job.out / job.task.label, film=film)
        print(f"{job.task.label}: {note or 'done'}; {len(rows)} of {len(jobs)}", file=sys.stderr, flush=True)
    return [rows[place] for place in range(len(jobs))]


def _searched(task: BodyTask, out: Path, limits: _Limits) -> Adapted:
    folder = out / task.label
    folder.mkdir(exist_ok=True)
    adapted = adapt(
        task.controller,
        task.figure,
        speed=task.speed,
        sturdy=task.sturdy,
        effort=task.effort,
        seconds=None if limits.generations is not None else task.seconds or limits.seconds,
        generations=limits.generations,
        population=limits.population,
        seed=task.seed,
        device=limits.device,
        engines=(),
        name=task.label,
        checkpoint=folder / "search.json",
    )
    save_controller(adapted.controller, out / f"{task.label}.toml")
    if adapted.interrupted:
        raise KeyboardInterrupt
    return adapted


def _warm(task: BodyTask, device: str) -> None:
    warm_up(task.controller, task.figure, device)


def _judged(file: str, figure: str, engine: str, seed: int) -> Trials:
    return walking_trials(load_graph(Path(file)), Figure.load(figure), engine=engine, seed=seed)


def _row(task: BodyTask, adapted: Adapted | None, trials: Sequence[Trials], note: str) -> dict[str, Any]:
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
    row |= {one.engine: f"{one.up} of {one.tried}" for one in trials}
    return row | {f"{way}_n": round(limits[way]) for way in ("forward", "left", "backward", "right") if way in limits}


def _write_tables(rows: Sequence[Mapping[str, Any]], out: Path) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_whole(out / "results.csv", text.getvalue().encode())
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(str(row[name]) for name in COLUMNS) + " |" for row in rows]
    write_whole(out / "results.md", ("\n".join(lines) + "\n").encode())
