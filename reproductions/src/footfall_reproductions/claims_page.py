"""The page of claims for the documentation: ``python -m footfall_reproductions.claims_page docs/claims.md``."""

import sys
from pathlib import Path

from footfall.text_files import write_whole
from footfall_reproductions import PAPERS
from footfall_reproductions.claims import Claim, paper_claims

_HEAD = """# Claims, section by section

Every table, figure and sentence of the papers that can be measured, with the rows that measure it.
`footfall reproduce PAPER --row ID` measures a row alone; `footfall reproduce all --out report` writes a page with
all of them. Rows whose source is *ours* or *derived facts* do not count as claims of a paper. What has no row is
listed at the end of its paper, with the reason.

This page is made from `reproductions/src/footfall_reproductions/*/claims.toml` by
`python -m footfall_reproductions.claims_page docs/claims.md`.
"""


def claims_page() -> str:
    """The page as Markdown."""
    parts = [_HEAD]
    for name, module in PAPERS.items():
        claims = paper_claims(module)
        if not claims.claims:
            continue
        parts.append(f"\n## {claims.paper}\n\n`footfall reproduce {name}`\n")
        sections = list(dict.fromkeys(c.section for c in claims.claims if c.rows))
        for section in sections:
            parts.append(f"\n### {section}\n\n| claim | source | rows |\n|---|---|---|\n")
            parts += [_line(c) for c in claims.claims if c.section == section and c.rows]
        missing = [c for c in claims.claims if c.why_not]
        if missing:
            parts.append("\n### Not reproduced\n\n| section | claim | because |\n|---|---|---|\n")
            parts += [f"| {c.section} | {c.text} | {c.why_not} |\n" for c in missing]
    return "".join(parts)


def _line(claim: Claim) -> str:
    rows = ", ".join(f"`{row}`" for row in claim.rows)
    parts = [claim.text[0].upper() + claim.text[1:]]
    if claim.departures:
        parts.append(f"Departures: {claim.departures}")
    if claim.changed:
        parts.append(f"Rule changed: {claim.changed}")
    return f"| {'. '.join(parts)} | {claim.source} | {rows} |\n"


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/claims.md")
    write_whole(target, claims_page().encode())
    print(f"wrote {target}")
