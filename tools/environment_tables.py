"""Writes the tables of environments anew in a page, between the marks ``<!-- tables: ID -->`` and ``<!-- end -->``.

python -m tools.environment_tables docs/environment-tables.md
"""

import re
import sys
from pathlib import Path

from footfall.gym import describe

MARKED = re.compile(r"(<!-- tables: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """A page with the tables between its marks written anew."""
    return MARKED.sub(lambda found: f"{found[1]}\n{describe(found[2])}\n{found[3]}", text)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
