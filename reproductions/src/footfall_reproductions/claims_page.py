"""The page of claims for the documentation: ``python -m footfall_reproductions.claims_page docs/claims.md``."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from footfall.text_files import write_whole
from footfall_reproductions import PAPERS
from footfall_reproductions.claims import Claim, PaperClaims, paper_claims
from footfall_reproductions.headline import number_with_unit, rows_that_hold
from footfall_reproductions.kept import FOLDER, MAIN, kept_papers, kept_rows, measured_words
from footfall_reproductions.row import Row

_HEAD = """# Claims, section by section

Every claim of the papers that can be measured, and whether it holds. `footfall reproduce PAPER --row ID` measures one
row again; `footfall reproduce all --out report` measures all and writes a page. A claim counts for a paper unless its
source is *ours* or *derived facts*. Claims without a row are listed at the end of their paper, with the reason.

"Hold" is the number of rows that hold, of all rows of the claim. "Departures" are differences from the paper; "rule
changed" says how the rule was changed after a measurement.

This page is made from `reproductions/src/footfall_reproductions/*/claims.toml` and the rows that were last measured,
`reproductions/rows/x86_64.json`, by `python -m footfall_reproductions.claims_page docs/claims.md`.
`python -m footfall_reproductions.kept --stale` names the parts that are older than the code that measures them.

## Where the papers stand

A row that does not hold is refuted (no reading of the paper's numbers makes it hold) or open (there is a next idea).
*Ours* are other readings of the paper, gains found by search and derived facts. Limbs of 3D figures touch each other
(solid) or pass through each other (passing); rows with solid limbs were measured with both. Limbs pass in
`limit-cycles`, as in the thesis, and in `data-driven`, whose law prescribes the joints' accelerations.

"""


def claims_page(rows: Mapping[str, Sequence[Row]] | None = None) -> str:
    """The page as Markdown, by the rows that are kept or others."""
    measured = kept_rows() if rows is None else rows
    parts = [_HEAD, *_standing(measured), _ARCHITECTURES.format(_architectures())]
    for name, module in PAPERS.items():
        claims, own = paper_claims(module), measured.get(name, ())
        parts.append(f"\n## {claims.paper}\n\n`footfall reproduce {name}`\n")
        solid = claims.limbs == "solid"
        head = "| claim | source | rows | hold |" + (" hold where limbs pass |" if solid else "")
        head += "\n|---|---|---|---|" + ("---|" if solid else "")
        for section in dict.fromkeys(c.section for c in claims.claims if c.rows):
            parts.append(f"\n### {section}\n\n{head}\n")
            parts += [_line(c, claims, own) for c in claims.claims if c.section == section and c.rows]
        parts += _failing(claims, own)
        missing = [c for c in claims.claims if c.why_not]
        if missing:
            parts.append("\n### Not reproduced\n\n| section | claim | because |\n|---|---|---|\n")
            parts += [f"| {c.section} | {c.text} | {c.why_not} |\n" for c in missing]
    return "".join(parts)


_ARCHITECTURES = """
{} To keep the rows of another machine: `footfall reproduce all --passing --out report`, then
`python -m footfall_reproductions.kept report`. `python -m footfall_reproductions.kept --differences` lists the rows
that differ between machines.
"""


def _architectures() -> str:
    others = sorted(file.stem for file in FOLDER.glob("*.json") if file.stem != MAIN)
    return f"All rows here were measured on {MAIN}; " + (
        f"others are of {', '.join(others)}." if others else "none are of ARM yet."
    )


def _standing(measured: Mapping[str, Sequence[Row]]) -> list[str]:
    """A line for each paper."""
    papers = kept_papers()
    lines = ["| paper | hold | refuted | open | ours: hold | ours: refuted | ours: open | limbs | measured |\n"]
    lines.append("|---|---|---|---|---|---|---|---|---|\n")
    for name, module in PAPERS.items():
        own = measured.get(name, ())
        if not own:
            lines.append(f"| `{name}` | | | | | | | | not yet |\n")
            continue
        claims = paper_claims(module)
        counts = " | ".join(_ends(claims, [row for row in own if row.from_paper is paper]) for paper in (True, False))
        passing = [row.passing for row in own if row.passing is not None]
        limbs = f"{claims.limbs}; passing {rows_that_hold(passing)}" if passing else claims.limbs
        lines.append(f"| `{name}` | {counts} | {limbs} | {measured_words(name, papers[name])} |\n")
    return lines


def _ends(claims: PaperClaims, rows: Sequence[Row]) -> str:
    """How many rows hold, are refuted and are open, in three cells."""
    ends = [ending.end for row in rows if row.state == "does not hold" and (ending := claims.ending(row.id))]
    return f"{rows_that_hold(rows)} | {ends.count('refuted')} | {ends.count('open')}"


def _failing(claims: PaperClaims, rows: Sequence[Row]) -> list[str]:
    """The rows that do not hold, each with its end."""
    failing = [row for row in rows if row.state == "does not hold"]
    if not failing:
        return []
    lines = ["\n### Rows that do not hold\n\n| rows | paper | measured | end |\n|---|---|---|---|\n"]
    for ending in claims.endings:
        own = [row for row in failing if claims.ending(row.id) is ending]
        if own:
            cells = (
                ", ".join(f"`{row.id}`" for row in own),
                ", ".join(dict.fromkeys(number_with_unit(row.paper, row.unit) for row in own)),
                ", ".join(number_with_unit(row.measured, row.unit) for row in own),
                ending.words,
            )
            lines.append(f"| {' | '.join(cells)} |\n")
    return lines


def _line(claim: Claim, claims: PaperClaims, measured: Sequence[Row]) -> str:
    rows = ", ".join(f"`{row}`" for row in claim.rows)
    own = [row for row in measured if claims.of(row.id) is claim]
    cells = [claim.source, rows, _count(own)]
    if claims.limbs == "solid":
        cells.append(_count([row.passing for row in own if row.passing is not None]))
    parts = [claim.text[0].upper() + claim.text[1:]]
    if claim.departures:
        parts.append(f"Departures: {claim.departures}")
    if claim.changed:
        parts.append(f"Rule changed: {claim.changed}")
    return f"| {'. '.join(parts)} | {' | '.join(cells)} |\n"


def _count(rows: Sequence[Row]) -> str:
    """How many hold, in a cell."""
    return rows_that_hold(rows) if rows else ""


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/claims.md")
    write_whole(target, claims_page().encode())
    print(f"wrote {target}")
