"""The papers' tables and claims, measured again: the command ``footfall reproduce``.

A paper is a folder here: ``claims.toml`` says what the paper claims, and its module ``measure`` has

    rows(progress: Progress | None = None) -> list[Row]      every number or claim, judged by the rule that it states
    figures(out_dir: Path) -> list[Path]                      the paper's figures drawn again; the files written

``progress`` is called with the fraction done, 0 to 1, and a few words on what comes next.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from footfall.errors import unknown_name
from footfall_reproductions.row import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PAPERS", "Paper", "Progress", "Row", "paper_module"]

Progress = Callable[[float, str], None]

PAPERS: dict[str, str] = {
    "simbicon-2d": "simbicon_2d",
    "improving-simbicon": "improving_simbicon",
    "limit-cycles": "limit_cycles",
    "simbicon-3d": "simbicon_3d",
    "data-driven": "data_driven",
    "pendulum": "pendulum",
}
"""A paper's name on the command line -> its folder."""


class Paper(Protocol):
    """What a paper's module ``measure`` holds."""

    def rows(self, progress: Progress | None = None) -> list[Row]:
        """The rows."""

    def figures(self, out_dir: Path) -> "Sequence[Path] | Any":
        """The figures, written to a folder."""


def paper_module(name: str) -> Paper:
    """A paper's module ``measure``."""
    if name not in PAPERS:
        raise unknown_name("paper", name, [*PAPERS, "all"])
    return cast(Paper, import_module(f"footfall_reproductions.{PAPERS[name]}.measure"))
