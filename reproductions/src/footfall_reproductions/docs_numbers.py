"""Numbers in the documentation, filled from a report:

    python -m footfall_reproductions.docs_numbers report/rows.json README.md docs/*.md

A number is written as ``<!--simbicon-2d/speed-walk-->1.005 m/s<!--/-->``: what stands between is replaced by what the
row measured. Rows that the report does not have are left as they are and named.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.text_files import write_whole
from footfall_reproductions.headline import number_with_unit

_MARK = re.compile(r"<!--([a-z0-9-]+/[a-z0-9.-]+)-->(.*?)<!--/-->")


def marked_rows(text: str) -> list[str]:
    """The rows, PAPER/ID, that a text takes numbers from."""
    return [match.group(1) for match in _MARK.finditer(text)]


def filled(text: str, rows: Mapping[str, Mapping[str, Any]]) -> tuple[str, list[str]]:
    """The text with its numbers from ``rows`` by PAPER/ID, and the rows that are not there."""
    missing = []

    def value(match: re.Match[str]) -> str:
        row = rows.get(match.group(1))
        if row is None or row["measured"] is None:
            missing.append(match.group(1))
            return match.group(0)
        return f"<!--{match.group(1)}-->{number_with_unit(row['measured'], row['unit'])}<!--/-->"

    return _MARK.sub(value, text), missing


def main(report: Path, pages: list[Path]) -> None:
    """Fill the pages from a report's rows.json."""
    try:
        papers = json.loads(report.read_text(encoding="utf-8"))["papers"]
    except (OSError, ValueError, KeyError) as error:
        raise FootfallError(f"{report}: not the rows.json of a report: {error}") from error
    rows = {f"{p['paper']}/{row['id']}": row for p in papers for row in p["rows"]}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        new, missing = filled(text, rows)
        for one in missing:
            print(f"{page}: the report has no number for {one}; left as it is", file=sys.stderr)
        if new != text:
            write_whole(page, new.encode())
            print(f"wrote {page}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), [Path(p) for p in sys.argv[2:]])
    except (IndexError, FootfallError) as problem:
        sys.exit(f"docs_numbers: {problem if str(problem) else 'give rows.json and the pages'}")
