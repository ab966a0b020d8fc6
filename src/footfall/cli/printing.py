"""What the commands share: JSON on standard output, progress on a terminal, files checked before work begins."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError

__all__ = ["check_files", "print_json", "print_table", "progress"]


def print_json(answer: Any) -> None:
    """One JSON object on standard output; numbers that are not finite become null."""
    print(json.dumps(_plain(answer), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
    """Rows of text in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        print((indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip())


def check_files(paths: Iterable[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """The files to write, each with a suffix of ``suffixes`` and a folder that can be written to."""
    checked = []
    for path in map(Path, paths):
        if path.suffix.lower() not in suffixes:
            raise FootfallError(
                f"{path}: footfall cannot write '{path.suffix or path.name}'; choose one of: {', '.join(suffixes)}"
            )
        if not path.parent.is_dir():
            raise FootfallError(f"{path}: there is no folder '{path.parent}'")
        if path.is_dir():
            raise FootfallError(f"{path}: that is a folder; name a file")
        if not os.access(path.parent, os.W_OK):
            raise FootfallError(f"{path}: folder '{path.parent}' cannot be written to")
        checked.append(path)
    return checked


@contextmanager
def progress(what: str, total: float) -> Iterator[Callable[[float], None] | None]:
    """A bar on standard error while work goes on: a function that takes how much is done. None away from a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
