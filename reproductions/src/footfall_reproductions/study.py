"""All papers as one study: parts measured side by side on all cores, kept as they finish, continued after a stop.

The folder of a study:

    parts/PAPER/PART.json      rows of a part, with the digests of what measured it
    PAPER/*.png, *.mp4         the paper's figures, drawn again
    rows.json, index.html      everything together

A part is measured again when what it loaded has changed since (:mod:`footfall_reproductions.sources`). Rows of bodies
with solid limbs can be measured a second time with limbs that pass through each other, in parts of their own.
"""

import json
import math
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from footfall.clusters.jobs import run_jobs, usable_cores
from footfall.control import Law
from footfall.errors import FootfallError, unknown_name
from footfall.text_files import write_whole
from footfall_reproductions import PAPERS, paper_module
from footfall_reproductions.claims import explained, paper_claims
from footfall_reproductions.part import Part, chosen_parts, parts_of
from footfall_reproductions.row import Row
from footfall_reproductions.sources import changed, fingerprint, machine, sources

FIGURES = "figures"
"""The name of the task that draws a paper's figures."""


@dataclass(frozen=True)
class Task:
    """A part of a paper, or its figures; ``passing``: with limbs that pass through each other."""

    paper: str
    part: str
    words: str
    passing: bool = False

    def file(self, folder: Path) -> Path:
        """Where its result is kept."""
        return folder / "parts" / self.paper / f"{self.part}{'.passing' if self.passing else ''}.json"


@dataclass(frozen=True)
class Measured:
    """The result of a task: rows or files, how long it ran, how much of a core's time it took, and the sources that
    measured it. ``again``: whether it was measured now."""

    task: Task
    rows: tuple[Row, ...]
    files: tuple[str, ...]
    seconds: float
    cpu_seconds: float = 0.0
    error: str = ""
    again: bool = True
    sources: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def limbs_pass() -> Iterator[None]:
    """While this lasts, limbs of figures in space pass through each other, on the papers' ground, unless a simulation
    is asked otherwise."""
    usual = Law.__dict__["solid"]
    Law.solid = property(lambda law: False)  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        Law.solid = usual  # type: ignore[method-assign]


def _module(paper: str, data: Path | None) -> Any:
    """A paper's module, with the folder of its clips if it needs some."""
    module: Any = paper_module(paper)
    if hasattr(module, "set_data"):
        module.set_data(data)
    return module


def paper_parts(paper: str, data: Path | None = None) -> Sequence[Part]:
    """The parts of a paper, each with the rows that it measures."""
    return parts_of(_module(paper, data))


def tasks_of(
    papers: Sequence[str],
    wanted: Sequence[str] = (),
    *,
    figures: bool = True,
    searches: bool = False,
    passing: bool = False,
    data: Path | None = None,
) -> list[Task]:
    """The tasks of papers, or those that have the wanted rows. Searches that take minutes for a row of ours are left
    out unless they are asked for, as a whole or by a row's id. ``passing``: rows of solid limbs again with limbs that
    pass."""
    found, known = [], []
    for name in papers:
        parts = parts_of(_module(name, data))
        known += [own for part in parts for own in part.rows]
        chosen = chosen_parts(parts, wanted, searches=searches)
        found += [Task(name, part.name, f"{name}: {part.words}") for part in chosen]
        if passing and paper_claims(PAPERS[name]).limbs == "solid":
            again = [part for part in chosen if not part.searches]
            found += [Task(name, part.name, f"{name}: {part.words}, limbs pass", True) for part in again]
        if figures and not wanted:
            found.append(Task(name, FIGURES, f"{name}: figures"))
    for one in wanted:
        if not any(chosen_parts(parts_of(paper_module(name)), [one]) for name in papers):
            raise unknown_name("row", one, known)
    return found


def measure(task: Task, folder: Path | None = None, data: Path | None = None) -> Measured:
    """Measure a task here and now. What goes wrong with one part does not stop the others: it is reported."""
    module = _module(task.paper, data)
    start, busy = time.perf_counter(), time.process_time()
    rows: list[Row] = []
    written: list[str] = []
    error = ""
    try:
        if task.part == FIGURES:
            assert folder is not None
            (folder / task.paper).mkdir(parents=True, exist_ok=True)
            written = [str(Path(p).relative_to(folder)) for p in module.figures(folder / task.paper)]
        else:
            part = next(p for p in parts_of(module) if p.name == task.part)
            with limbs_pass() if task.passing else nullcontext():
                rows = list(part.measure())
    except (FootfallError, ArithmeticError, ValueError, IndexError, AssertionError) as problem:
        error = f"{type(problem).__name__}: {problem}"
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - busy
    return Measured(task, tuple(rows), tuple(written), seconds, cpu_seconds, error, sources=sources(task.paper))


def run_study(
    tasks: Sequence[Task],
    folder: Path | None = None,
    *,
    workers: int | None = None,
    data: Path | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    executor: Executor | None = None,
) -> Iterator[Measured]:
    """Measure tasks, several at a time, and yield each as it is done; those kept in the folder come first.

    Args:
        tasks: what to measure.
        folder: where results are kept; None to keep nothing, and draw nothing.
        workers: processes; by default one for each core, and no more than tasks. They share out the cores.
        data: the folder of clips, for papers that need some.
        progress: called with how many are done, of how many, and what was done last.
        executor: measures the tasks instead of processes of this machine; its workers have this footfall-reproductions
            and see the folders.
    """
    kept = [found for task in tasks if (found := _kept(task, folder)) is not None]
    rest = _longest_first([task for task in tasks if all(task != k.task for k in kept)])
    yield from kept
    done, total = len(kept), len(tasks)
    workers = min(workers or usable_cores(), len(rest))
    if progress is not None:
        progress(done, total, "kept from before" if kept else "starting")
    if executor is not None:
        jobs = [_Elsewhere(task, _absolute(folder), _absolute(data), fingerprint(task.paper)) for task in rest]
        for _, one in run_jobs(_Elsewhere.measure, jobs, executor):
            done += 1
            yield _keep(one, folder)
            if progress is not None:
                progress(done, total, one.task.words)
        return
    if workers <= 1:
        for task in rest:
            one = measure(task, folder, data)
            done += 1
            yield _keep(one, folder)
            if progress is not None:
                progress(done, total, one.task.words)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, mp_context=context, initializer=_own_cores, initargs=(context.Value("i", 0), workers)
    ) as pool:
        futures: list[Future[Measured]] = [pool.submit(measure, task, folder, data) for task in rest]
        try:
            for future in as_completed(futures):
                done += 1
                yield _keep(future.result(), folder)
                if progress is not None:
                    progress(done, total, future.result().task.words)
        except BaseException:
            for future in futures:
                future.cancel()
            raise


@dataclass(frozen=True)
class _Elsewhere:
    """A task for another machine."""

    task: Task
    folder: Path | None
    data: Path | None
    fingerprint: str

    def measure(self) -> Measured:
        """As :func:`measure`, if that machine measures what this one would."""
        if self.fingerprint != fingerprint(self.task.paper):
            raise FootfallError(
                f"the worker on {socket.gethostname()} has other reproductions or other versions beneath them; install"
                " there what is here"
            )
        return measure(self.task, self.folder, self.data)


def _absolute(folder: Path | None) -> Path | None:
    return None if folder is None else folder.resolve()


def _longest_first(tasks: Sequence[Task]) -> list[Task]:
    """Tasks in the order in which workers take them: first those of which no row was kept before, then what took
    longest then."""
    from footfall_reproductions.kept import kept_papers

    known = kept_papers()

    def seconds(task: Task) -> float:
        part = known.get(task.paper, {}).get(task.file(Path()).stem)
        return math.inf if part is None and task.part != FIGURES else 0.0 if part is None else part["cpu_seconds"]

    return sorted(tasks, key=seconds, reverse=True)


def _own_cores(counter: Any, workers: int) -> None:
    """Give this worker its share of the cores, so that simulations do not share out their worlds over all of them."""
    if hasattr(os, "sched_setaffinity"):
        with counter.get_lock():
            mine, counter.value = counter.value, counter.value + 1
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, set(cores[mine % len(cores) :: workers]))


def _keep(found: Measured, folder: Path | None) -> Measured:
    if folder is not None and not found.error:
        path = found.task.file(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = {
            "sources": found.sources,
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "machine": machine(),
            "seconds": round(found.seconds, 2),
            "cpu_seconds": round(found.cpu_seconds, 2),
            "files": list(found.files),
            "rows": [row.as_dict() for row in found.rows],
        }
        write_whole(path, json.dumps(kept, indent=1).encode())
    return _explained(found)


def _explained(found: Measured) -> Measured:
    """With what the paper's claims say of the rows."""
    own = (replace(row, seconds=round(found.seconds, 1)) for row in found.rows)
    rows = (replace(row, limbs="passing") for row in own) if found.task.passing else own
    return replace(found, rows=tuple(explained(PAPERS[found.task.paper], rows)))


def _kept(task: Task, folder: Path | None) -> Measured | None:
    """A task's result from an earlier run, if footfall is still the same."""
    if folder is None or not task.file(folder).is_file():
        return None
    try:
        kept = json.loads(task.file(folder).read_text(encoding="utf-8"))
        if changed(kept["sources"]) or not all((folder / f).is_file() for f in kept["files"]):
            return None
        names = {f.name for f in fields(Row)}
        rows = tuple(Row(**{k: v for k, v in row.items() if k in names}) for row in kept["rows"])
        seconds, cpu_seconds = float(kept["seconds"]), float(kept["cpu_seconds"])
        return _explained(Measured(task, rows, tuple(kept["files"]), seconds, cpu_seconds, again=False))
    except (ValueError, KeyError, TypeError, OSError) as problem:
        print(f"footfall: {task.file(folder)} cannot be read and is measured again: {problem}", file=sys.stderr)
        return None


def only(rows: Sequence[Row], wanted: Sequence[str]) -> list[Row]:
    """The rows with the wanted ids; all where none is named."""
    return [row for row in rows if not wanted or any(fnmatchcase(row.id, w) for w in wanted)]
