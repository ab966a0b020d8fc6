"""Kinds of command-line arguments that the commands share."""

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.motion import Motion


@dataclass(frozen=True)
class Offers:
    """Words that a shell offers for an argument, which may take others too, in its annotation:
    ``Annotated[str, Offers(lambda: ["left", "right"])]``. Commands of other packages may use it."""

    words: Callable[[], Iterable[str]]


def _controllers() -> Iterable[str]:
    from footfall.control.registry import controller_names

    return controller_names()


Words = tyro.conf.UseAppendAction[tuple[str, ...]]
"""An option that may be repeated."""

Files = Annotated[Words, tyro.conf.arg(metavar="FILE")]
Settings = Annotated[Words, tyro.conf.arg(name="set", metavar="NAME=VALUE")]
Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")]
Controller = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CONTROLLER"), Offers(_controllers)]
Controllers = Annotated[
    tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="CONTROLLER"), Offers(_controllers)
]
Clip = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="CLIP")]
Clips = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="CLIP")]

MaybeFloat = Annotated[float | None, tyro.conf.arg(metavar="FLOAT")]
MaybeInt = Annotated[int | None, tyro.conf.arg(metavar="INT")]
MaybeText = Annotated[str | None, tyro.conf.arg(metavar="STR")]


def film_pixels(size: str | None) -> tuple[int, int] | None:
    """Width and height out of ``--size``."""
    if size is None:
        return None
    if not (match := re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", size)):
        raise FootfallError(f"--size {size}: write WIDTHxHEIGHT in pixels, as in 1280x720")
    return int(match[1]), int(match[2])


def named_numbers(option: str, texts: Iterable[str]) -> dict[str, float]:
    """Numbers by name from NAME=NUMBER; one without a name has the empty one."""
    found: dict[str, float] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise FootfallError(f"{option} '{text}': write NAME=NUMBER, as in knee=20") from None
        if equals and not name:
            raise FootfallError(f"{option} '{text}': write NAME=NUMBER, as in knee=20")
    return found


def rerun_files(given: tuple[str, ...] | None) -> tuple[str, ...]:
    """The file that the option names, if it names one; without rerun, an error before any work begins."""
    if given is None:
        return ()
    from footfall.pictures.files import RERUN_SUFFIX
    from footfall.pictures.rerun_log import check_rerun

    if len(given) > 1:
        raise FootfallError(f"--rerun: name one file, not {len(given)} ({', '.join(given)})")
    if given and not given[0].lower().endswith(RERUN_SUFFIX):
        raise FootfallError(f"--rerun {given[0]}: name a file that ends in {RERUN_SUFFIX}, or none to open the viewer")
    check_rerun()
    return given


def show_in_rerun(motion: "Motion") -> None:
    """Open the viewer with a motion."""
    from footfall.pictures.rerun_log import open_in_rerun
    from footfall.pictures.scene import default_title

    open_in_rerun(motion, title=default_title(motion))


def serve(stop: Callable[[], None]) -> int:
    """Wait for Ctrl+C, then stop the page; the command's exit status."""
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        stop()
