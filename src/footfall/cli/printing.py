"""What commands print: JSON, tables, progress of long work; and files that are checked before work begins."""

import json
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import FootfallError
from footfall.text_files import plain_json, write_whole

if TYPE_CHECKING:
    from footfall.motion import Motion

Show = Callable[..., None]
"""Called as ``show(done, total=None, what=None)``: how much is done, of how much, and what is being done."""

LOG_SECONDS = 10.0
"""Away from a terminal, a line is printed at most this often."""


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Show]:
    """While work goes on, show on standard error how far it is.

    Args:
        what: a few words about the work.
        total: what ``done`` counts up to; it may also be given with each call.
    """
    if sys.stderr.isatty():
        with _bar(what, total) as show:
            yield show
    else:
        yield _log(what, total)


@contextmanager
def _bar(what: str, total: float | None) -> Iterator[Show]:
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(escape(what), total=total)

        def show(done: float, total: float | None = total, what: str | None = what) -> None:
            bar.update(task, completed=done, total=total, description=escape((what or "")[:60]))

        yield show


def _log(what: str, total: float | None) -> Show:
    printed = time.monotonic()

    def show(done: float, total: float | None = total, what: str | None = what) -> None:
        nonlocal printed
        if time.monotonic() - printed >= LOG_SECONDS:
            printed = time.monotonic()
            share = f"{done / total:.0%}" if total else f"{done:g}"
            print(f"footfall: {what}: {share}", file=sys.stderr, flush=True)

    return show


@dataclass(frozen=True)
class Answer:
    """What a command answers, printed as JSON or as text (see :func:`footfall.cli.commands.with_json`).

    Attributes:
        data: the JSON object.
        say: prints it as text.
        files: what was written: ``files`` of the JSON object, a line each as text; None where nothing can be.
        status: the exit status.
    """

    data: Mapping[str, Any]
    say: Callable[[], object]
    files: Iterable[str | Path] | None = None
    status: int = 0

    def show(self, json: bool) -> int:
        """Print it; the exit status."""
        files = None if self.files is None else list(self.files)
        if json:
            print_json({**self.data} | ({} if files is None else {"files": files}))
        else:
            self.say()
            print_files(files or ())
        return self.status


COLUMNS = 100
"""The widest lines of tables and texts that are made to fit a terminal."""


def print_json(answer: Any) -> None:
    """One JSON object on standard output; numbers that are not finite become null."""
    print(json.dumps(plain_json(answer), ensure_ascii=False, allow_nan=False))


def write_json(path: Path, report: Mapping[str, Any]) -> None:
    """Write a report as a JSON file."""
    write_whole(path, (json.dumps(plain_json(report), indent=1) + "\n").encode())


def print_columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
    """Rows of text in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        print((indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip())


def value_text(value: object, form: str = "g") -> str:
    """A value of an answer as text: lists separated by commas, numbers in a form."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:{form}}" if isinstance(value, float) else str(value)


def _width() -> float:
    """Columns of a table: what a terminal shows; in a file or a pipe nothing is cut."""
    return COLUMNS - 2 if sys.stdout.isatty() else math.inf


def fitted(rows: Sequence[Sequence[str]], columns: float | None = None) -> list[list[str]]:
    """Rows whose table is at most so many columns wide, by default what fits a terminal where there is one: the longest
    texts of the widest columns lose their middles."""
    table, columns = [list(row) for row in rows], _width() if columns is None else columns
    while table:
        widths = [max(map(len, column)) for column in zip(*table)]
        if sum(widths) + 2 * (len(widths) - 1) <= columns or max(widths) < 4:
            break
        k = widths.index(max(widths))
        for row in table:
            row[k] = _shortened(row[k], widths[k] - 1)
    return table


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    plain = text.replace("…", "", 1)
    end = (most - 1) // 2
    return f"{plain[: most - 1 - end]}…{plain[len(plain) - end :]}"


def print_text(text: str, indent: str = "  ") -> None:
    """A paragraph in lines of at most ``COLUMNS``; what follows the first is indented further."""
    further = indent + "  "
    whole = " ".join(text.split())
    for line in textwrap.wrap(whole, COLUMNS, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False):
        print(line)


def print_files(written: Iterable[str | Path]) -> None:
    """One line for each file that was written."""
    for path in written:
        print(f"wrote {path}")


def check_files(paths: Iterable[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """The files to write, each with a suffix of ``suffixes`` and a folder that can be written to."""
    checked = []
    for path in map(Path, paths):
        if path.name.lower() in suffixes:
            raise FootfallError(f"{path}: that is only a suffix; name the file, as in walk{path.name}")
        if path.suffix.lower() not in suffixes:
            raise FootfallError(
                f"{path}: footfall cannot write '{path.suffix or path.name}' here; choose one of: {', '.join(suffixes)}"
            )
        if not path.parent.is_dir():
            raise FootfallError(f"{path}: there is no folder '{path.parent}'")
        if path.is_dir():
            raise FootfallError(f"{path}: that is a folder; name a file")
        if not os.access(path.parent, os.W_OK):
            raise FootfallError(f"{path}: folder '{path.parent}' cannot be written to")
        checked.append(path)
    return checked


def save_motion_files(motion: "Motion", files: Iterable[Path], camera: str | None = None, **options: Any) -> list[str]:
    """Save a motion to each file, with a bar while a film is drawn; returns their names.

    Args:
        motion: what to save.
        files: where.
        camera: of films; "front" of a strip of poses too.
        options: of every file.
    """
    from footfall.pictures.files import FILM_SUFFIXES, save
    from footfall.pictures.page import PLOT_SUFFIXES

    written = []
    for path in files:
        with progress(f"drawing {path}") as show:
            more: dict[str, Any] = {"progress": show, "camera": camera} if path.suffix.lower() in FILM_SUFFIXES else {}
            if camera == "front" and path.suffix.lower() in PLOT_SUFFIXES and options.get("kind", "strip") == "strip":
                more["camera"] = camera
            written.append(str(save(motion, path, **more, **options)))
    return written
