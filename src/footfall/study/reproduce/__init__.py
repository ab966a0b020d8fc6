"""The papers' tables and claims, measured again. A paper is a module here with

    rows(progress: Progress | None = None) -> list[Row]      every number or claim, judged by the rule that it states
    figures(out_dir: Path) -> list[Path]                      the paper's figures drawn again; the files written

``progress`` is called with the fraction done, 0 to 1, and a few words on what comes next.
"""

from collections.abc import Callable
from importlib import import_module, util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from footfall.errors import FootfallError, unknown_name
from footfall.study.reproduce.row import Row

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
"""A paper's name on the command line -> its module."""


class Paper(Protocol):
    """What a paper's module holds."""

    def rows(self, progress: Progress | None = None) -> list[Row]:
        """The rows."""

    def figures(self, out_dir: Path) -> "Sequence[Path] | Any":
        """The figures, written to a folder."""


def paper_module(name: str) -> Paper:
    """A paper's module."""
    if name not in PAPERS:
        raise unknown_name("paper", name, [*PAPERS, "all"])
    module = f"footfall.study.reproduce.{PAPERS[name]}"
    if util.find_spec(module) is None:
        there = [n for n, m in PAPERS.items() if util.find_spec(f"footfall.study.reproduce.{m}") is not None]
        choices = ", ".join(there) or "none"
        raise FootfallError(f"reproduce: paper '{name}' is not there yet; those that are: {choices}")
    return cast(Paper, import_module(module))
