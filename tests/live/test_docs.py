"""The documentation's live figures: each one is a page that `make live-pages` writes, of controllers that exist."""

import re
from pathlib import Path

from footfall.control import controller_names
from footfall.live.crowd import CROWD

ROOT = Path(__file__).parents[2]
PAPERS = ("simbicon-2d", "simbicon-3d", "improving-simbicon", "limit-cycles", "pendulum")


def test_the_front_page_and_the_papers_have_live_figures_that_make_writes() -> None:
    written = dict(
        re.findall(r"footfall live (?P<names>[\w\- ]+) --out docs/(?P<file>live/[\w-]+\.html)", _text("Makefile"))
    )
    made = {file: names.split() for names, file in written.items()}
    known = {*controller_names("live", guests=False), CROWD}
    assert all(set(names) <= known for names in made.values())
    shown = {page: re.findall(r'<iframe src="(live/[^"?]+)\?embedded"', _text(f"docs/{page}.md")) for page in _pages()}
    for page in ("index", *PAPERS):
        assert shown[page], f"docs/{page}.md has no live figure"
    assert {file for figures in shown.values() for file in figures} == set(made)


def _pages() -> list[str]:
    return sorted(path.stem for path in (ROOT / "docs").glob("*.md"))


def _text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")
