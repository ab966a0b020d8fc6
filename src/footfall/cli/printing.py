"""What the commands share: JSON on standard output, tables, and files that are checked before work begins."""

import json
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cli.progress import progress
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.motion import Motion

__all__ = ["check_files", "print_files", "print_json", "print_table", "save_motion_files"]


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
    return str(value) if isinstance(value, Path) else value


def print_table(rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
    """Rows of text in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    for row in rows:
        print((indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip())


def print_files(written: Iterable[str | Path]) -> None:
    """One line for each file that was written."""
    for path in written:
        print(f"wrote {path}")


def check_files(paths: Iterable[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """The files to write, each with a suffix of ``suffixes`` and a folder that can be written to."""
    checked = []
    for path in map(Path, paths):
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
        motion: what to save. files: where. camera: of films.
        options: of every file.
    """
    from footfall.pictures.files import FILM_SUFFIXES, save

    written = []
    for path in files:
        with progress(f"drawing {path}") as show:
            more: dict[str, Any] = {"progress": show, "camera": camera} if path.suffix.lower() in FILM_SUFFIXES else {}
            written.append(str(save(motion, path, **more, **options)))
    return written
