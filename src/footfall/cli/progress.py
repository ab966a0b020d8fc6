"""Progress of long work: a bar on a terminal, a line now and then in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
