"""Numbers of the papers in the documentation, filled from the rows that are kept (:mod:`footfall_reproductions.kept`):

    python -m footfall_reproductions.docs_numbers README.md docs/*.md

What stands between a mark and ``<!--/-->`` is replaced. Marks are, for a paper and the id of a row:

    <!--simbicon-2d/speed-walk-->1.005 m/s<!--/-->     what the row measured
    <!--simbicon-3d/walk-on:passing-->96 of 96<!--/--> the same with limbs that pass through each other
    <!--simbicon-2d:holds-->61 of 74<!--/-->           rows from the paper that hold, of all
    <!--simbicon-2d:measured-->…<!--/-->               when and on which machine its rows were measured

A row that is not kept is "not measured yet"; numbers of papers of which no row is kept stay as they are. ``--check``
writes nothing and fails where a page and the rows differ.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from footfall.text_files import write_whole
from footfall_reproductions.headline import number_with_unit, rows_that_hold
from footfall_reproductions.kept import kept_papers, kept_rows, measured_words
from footfall_reproductions.row import Row

NOT_YET = "not measured yet"
_MARK = re.compile(r"<!--([a-z0-9-]+(?:/[a-z0-9.-]+)?(?::[a-z]+)?)-->(.*?)<!--/-->", re.DOTALL)


def marks(text: str) -> list[str]:
    """What a text takes numbers from, as its marks say it."""
    return [match.group(1) for match in _MARK.finditer(text)]


def numbers(rows: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """What every mark of some rows stands for."""
    found = {}
    for paper, own in rows.items():
        found[f"{paper}:holds"] = rows_that_hold([row for row in own if row.from_paper])
        for row in own:
            found[f"{paper}/{row.id}"] = number_with_unit(row.measured, row.unit)
            if row.passing is not None:
                found[f"{paper}/{row.id}:passing"] = number_with_unit(row.passing.measured, row.unit)
    return found


def kept_numbers() -> dict[str, str]:
    """What every mark stands for by the rows that are kept."""
    measured = {f"{paper}:measured": measured_words(paper, parts) for paper, parts in kept_papers().items()}
    return numbers(kept_rows()) | measured


def filled(text: str, known: Mapping[str, str]) -> str:
    """The text with its numbers."""
    papers = {_paper(mark) for mark in known}

    def value(match: re.Match[str]) -> str:
        mark, text = match.groups()
        return f"<!--{mark}-->{known.get(mark, NOT_YET if _paper(mark) in papers else text)}<!--/-->"

    return _MARK.sub(value, text)


def _paper(mark: str) -> str:
    return re.split("[/:]", mark)[0]


def main(pages: Sequence[str]) -> int:
    """Fill the pages, or check them; how many differ."""
    known, wrong = kept_numbers(), 0
    for page in (Path(p) for p in pages if p != "--check"):
        text = page.read_text(encoding="utf-8")
        new = filled(text, known)
        if new != text and "--check" in pages:
            print(f"{page}: differs from the rows that are kept", file=sys.stderr)
            wrong += 1
        elif new != text:
            write_whole(page, new.encode())
            print(f"wrote {page}")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
