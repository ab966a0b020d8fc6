"""The progress bar that long commands show on a terminal, with an estimate of the time left."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["bar"]


@contextmanager
def bar(what: str) -> Iterator[Callable[[float, float], None]]:
    """A bar on standard error, if that is a terminal: call what it yields with how much is done, and of how much."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
