"""``footfall reproduce``: the papers' tables and claims, measured again."""

import json as json_text
import shutil
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.arguments import HERE, Folder, Jobs, Offers, Words
from footfall.cli.printing import COLUMNS, print_columns, print_files, print_json, progress
from footfall.errors import FootfallError
from footfall.text_files import make_folder
from footfall_reproductions import PAPERS, Row
from footfall_reproductions.headline import headline, number_with_unit

_MARKS = {
    "holds": "yes",
    "holds, near its bound": "near",
    "does not hold": "NO",
    "not judged": "-",
    "not measured": "?",
}


def reproduce(
    paper: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PAPER"), Offers(lambda: [*PAPERS, "all"])],
    row: Annotated[Words, tyro.conf.arg(metavar="ID")] = (),
    list_: Annotated[bool, tyro.conf.arg(name="list")] = False,
    json: bool = False,
    out: Folder = None,
    figures: bool = True,
    jobs: Jobs = HERE,
    searches: bool = False,
    passing: bool = False,
    data: Folder = None,
) -> int:
    """Measure a paper's tables and claims again, and print which hold.

    Rows are printed as they are measured. With --out, what is measured is kept: the same command continues after a
    stop, and everything is measured again once footfall has changed.

    Args:
        paper: simbicon-2d, improving-simbicon, limit-cycles, simbicon-3d, data-driven, pendulum, or all.
        row: measure only the rows with this id; * stands for anything. May be repeated.
        list_: list the rows by id, with what they are measured by, and measure nothing.
        json: print one JSON object on standard output, with every row's rule and notes.
        out: a folder for the report: one HTML page (index.html), the rows (rows.json), and the figures, drawn again.
        figures: whether to draw the figures.
        searches: also make a controller for each of some 80 clips, a search of minutes each (rows of ours).
        passing: measure rows of bodies whose limbs touch each other a second time, with limbs that pass.
        data: the folder of the clips that data-driven needs, which do not come with footfall.
    """
    from footfall_reproductions.study import run_study, tasks_of

    workers = jobs.workers
    if workers is not None and workers < 1:
        raise FootfallError(f"--workers is {workers}; it must be at least 1")
    if workers is not None and (jobs.cluster is not None or jobs.slurm is not None):
        raise FootfallError("--workers is for this machine; give --cluster or --slurm without it")
    names = list(PAPERS) if paper == "all" else [paper]
    if list_:
        return _list(names, row, data, json)
    drawn = figures and out is not None
    tasks = tasks_of(names, row, figures=drawn, searches=searches, passing=passing, data=data)
    left_out = [] if row else [t for t in tasks_of(names, figures=drawn, searches=True, data=data) if t not in tasks]
    began = time.perf_counter()
    if out is not None:
        make_folder(out)
    found = _Found(tasks, names, row, quiet=json)
    with progress(paper, len(tasks)) as show, replace(jobs, workers=None).opened(show) as executor:
        for part in run_study(
            tasks,
            out,
            workers=workers,
            data=data,
            progress=lambda k, n, what: show(k, total=n, what=what),
            executor=executor,
        ):
            found.add(part)
    took = f"{_minutes(time.perf_counter() - began)} now, {_minutes(found.seconds)} in all as if on one core"
    notes = [f"{len(left_out)} searches for clips were left out; --searches makes them"] if left_out else []
    found.print_summary([took, *notes])
    written = [] if out is None else found.write(out, took, notes)
    if json:
        answers = found.answers()
        answer: dict[str, Any] = answers[0] if paper != "all" else {"paper": "all", "papers": answers}
        files = {"files": written} if written else {}
        print_json(answer | files | ({"errors": found.errors} if found.errors else {}))
    if lacking := found.lacking():
        raise FootfallError(f"reproduce: {lacking}")
    if found.errors:
        errors = "\n".join(f"  {error}" for error in found.errors)
        raise FootfallError(f"reproduce: these parts could not be measured:\n{errors}")
    return 0


class _Found:
    """What was measured, printed as it comes and kept in the order of the tasks.

    Args:
        tasks: all that are measured.
        names: of the papers.
        row: ids of the rows that are wanted; all where empty.
        quiet: print nothing.
    """

    def __init__(self, tasks: Sequence[Any], names: Sequence[str], row: Sequence[str], *, quiet: bool) -> None:
        self._tasks, self._names, self._row, self._quiet = tasks, names, row, quiet
        self._width = shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else None
        self._parts: dict[Any, Any] = {}
        self.errors: list[str] = []
        self.seconds = 0.0
        self._reasons: list[str] = []
        self._print(_line("holds", "paper", "measured", "what", self._width))

    def _print(self, text: str = "") -> None:
        if not self._quiet:
            print(text, flush=True)

    def add(self, part: Any) -> None:
        """Another part was measured."""
        from footfall_reproductions.study import only

        here = only(part.rows, self._row)
        self.seconds += part.cpu_seconds
        self._parts[part.task] = replace(part, rows=tuple(here))
        self._reasons += [row.note for row in part.rows if row not in here and row.state == "not measured"]
        if part.error:
            self.errors.append(f"{part.task.words}: {part.error}")
        for measured in here:
            shown = replace(measured, what=f"{measured.what} (limbs pass)") if part.task.passing else measured
            self._print(row_line(shown, self._width))

    @property
    def rows(self) -> dict[str, list[Row]]:
        """The rows of each paper; those measured with limbs that pass beside those of solid limbs."""
        found: dict[str, list[Row]] = {name: [] for name in self._names}
        done = [self._parts[task] for task in self._tasks if task in self._parts]
        other = {(p.task.paper, row.id): row for p in done if p.task.passing for row in p.rows}
        for part in done:
            if not part.task.passing:
                name = part.task.paper
                found[name] += [replace(row, passing=other.get((name, row.id))) for row in part.rows]
        return found

    @property
    def files(self) -> dict[str, list[str]]:
        """The pictures and films of each paper."""
        done = [self._parts[task] for task in self._tasks if task in self._parts]
        return {name: [file for p in done if p.task.paper == name for file in p.files] for name in self._names}

    def print_summary(self, notes: Sequence[str]) -> None:
        """What holds and what does not, and how long it took."""
        if self._quiet:
            return
        for name, rows in self.rows.items():
            if rows or not self._row:
                print()
                print_rows(name, rows, self._width)
        print("\n" + "\n".join(notes))
        print("rule, source, departures and notes of every row: --json, or --out's page")

    def lacking(self) -> str:
        """Which of the wanted rows nothing was measured for, and why; empty where there are all."""
        ids = [row.id for rows in self.rows.values() for row in rows]
        missing = [one for one in self._row if not any(fnmatchcase(own, one) for own in ids)]
        if not missing or self.errors:
            return ""
        why = "; ".join(filter(None, self._reasons)) or "the parts that should have measured them did not"
        return f"row {', '.join(missing)} could not be measured: {why}"

    def answers(self) -> list[dict[str, Any]]:
        """The rows of each paper as JSON has them."""
        return [{"paper": name, "rows": [row.as_dict() for row in rows]} for name, rows in self.rows.items()]

    def write(self, out: Path, took: str, notes: list[str]) -> list[Path]:
        """Write the report; its files. All that is another in each run, times above all, is in times.json."""
        from footfall.text_files import write_whole
        from footfall_reproductions.kept import measured_words, report_papers
        from footfall_reproductions.page import write_page
        from footfall_reproductions.sources import machine

        answers = self.answers()
        lasting = [a | {"rows": [_without_time(row) for row in a["rows"] if not row["timed"]]} for a in answers]
        timed = [a | {"rows": [row for row in a["rows"] if row["timed"]]} for a in answers]
        seconds = {str(task.file(Path())): round(part.seconds, 1) for task, part in self._parts.items()}
        times = {"machine": machine(), "took": took, "seconds": seconds, "papers": timed}
        kept = {"left_out": notes, "papers": lasting, "errors": self.errors}
        for name, content in (("rows.json", kept), ("times.json", times)):
            write_whole(out / name, json_text.dumps(content, indent=1).encode())
        parts = report_papers(out) if any(self.rows.values()) else {}
        measured = {name: measured_words(name, own) for name, own in parts.items()}
        page = write_page(out / "index.html", self.rows, self.files, self.errors, [took, *notes], measured)
        written = [out / "rows.json", out / "times.json", page]
        if not self._quiet:
            print_files([*(out / f for own in self.files.values() for f in own), *written])
        return written


def _without_time(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "seconds"}


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100.0 else f"{seconds / 60.0:.0f} minutes"


def _list(names: Sequence[str], wanted: Sequence[str], data: Path | None, json: bool) -> int:
    """Print the rows of papers, without measuring them."""
    from footfall_reproductions.study import paper_parts, tasks_of

    tasks_of(names, wanted, figures=False, data=data)  # a row that is unknown is refused
    found = [
        {"paper": name, "row": own, "measured_by": part.words}
        for name in names
        for part in paper_parts(name, data)
        for own in part.rows
        if not wanted or any(fnmatchcase(own, one) for one in wanted)
    ]
    if json:
        print_json({"rows": found})
    else:
        print_columns([["paper", "row", "measured by"], *([*row.values()] for row in found)], indent="")
    return 0


def print_rows(name: str, rows: Sequence[Row], width: int | None) -> None:
    """How many rows hold, then what does not hold and what was not measured, with the reasons."""
    width = width or COLUMNS
    print(textwrap.fill(headline(name, rows), width))
    for state in ("does not hold", "holds, near its bound", "not measured"):
        chosen = [r for r in rows if r.state == state]
        if chosen:
            print(f"\n{state} ({len(chosen)}):")
        for row in chosen:
            print(textwrap.fill(f"{row.id}: {row.what}", width, initial_indent="- ", subsequent_indent="  "))
            measured = number_with_unit(row.measured, row.unit)
            if row.measured is not None:
                both = f"paper {number_with_unit(row.paper, row.unit)}, measured {measured}"
                print(textwrap.fill(both, width, initial_indent="  ", subsequent_indent="  "))
            if row.note:
                print(textwrap.fill(row.note, width, initial_indent="  ", subsequent_indent="  "))


def row_line(row: Row, width: int | None) -> str:
    """A row on one line, cut to a terminal's width if there is one."""
    paper, measured = (number_with_unit(v, row.unit) for v in (row.paper, row.measured))
    return _line(_MARKS[row.state], paper, measured, f"{row.id}: {row.what}", width)


def _line(verdict: str, paper: str, measured: str, what: str, width: int | None) -> str:
    if width is None:
        return f"{verdict:<6}{paper:<14} {measured:<14} {what}".rstrip()
    head = f"{verdict:<6}{_cut(paper, 13):<14}{_cut(measured, 13):<14}"
    return (head + _cut(what, max(20, width - len(head) - 1))).rstrip()


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
