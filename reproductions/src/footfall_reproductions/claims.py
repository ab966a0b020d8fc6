"""What the papers claim, section by section: which row measures it, by which rule and with which departures, or why it
is not measured. Each paper's folder has one file ``claims.toml``, which rows and the documentation's page of claims
share.

    paper = "SIMBICON (Yin, Loken, van de Panne 2007)"
    limbs = "solid"                           # they touch; or "passing", "plane", "model": see Row.limbs

    [[claim]]
    section = "7.1 Robustness"
    text = "the walk withstands ten pushes of 600 N forwards"
    source = "SIMBICON, section 7.1"          # or "ours: …", "derived facts: …"
    rows = ["ten-pushes-walk-forward-*"]      # or: why_not = "…"
    rule = "…"                                # empty: what the row itself says
    departures = "…"
    changed = "…"                             # what of the rule was written or changed after a measurement
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache

from footfall.errors import FootfallError
from footfall.toml_files import read_table
from footfall_reproductions.row import Limbs, Row
from footfall_reproductions.tables import paper_table


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, or one number that footfall adds beside it (``source`` "ours" or "derived facts")."""

    section: str
    text: str
    source: str
    rows: tuple[str, ...] = ()
    rule: str = ""
    departures: str = ""
    changed: str = ""
    why_not: str = ""

    def has(self, row: str) -> bool:
        """Whether a row measures it."""
        return any(fnmatchcase(row, own) for own in self.rows)


@dataclass(frozen=True)
class PaperClaims:
    """A paper's name, what its bodies' limbs do to each other, and its claims in order."""

    paper: str
    limbs: Limbs
    claims: tuple[Claim, ...]

    def of(self, row: str) -> Claim | None:
        """The claim that a row measures; an exact id goes before a pattern."""
        exact = [c for c in self.claims if row in c.rows]
        found = exact or [c for c in self.claims if c.has(row)]
        return found[0] if found else None


@cache
def paper_claims(module: str) -> PaperClaims:
    """The claims of a paper by its folder's name."""
    where = f"{module}/claims.toml"
    table = paper_table(module, "claims")
    found = []
    for entry in table["claim"]:
        claim = read_table(entry, Claim, f"{where}, '{entry.get('text', '?')}'")
        if bool(claim.rows) == bool(claim.why_not):
            raise FootfallError(f"{module}/claims.toml, '{claim.text}': give either rows or why_not")
        found.append(claim)
    return PaperClaims(table["paper"], table["limbs"], tuple(found))


def explained(module: str, rows: Iterable[Row]) -> list[Row]:
    """The rows with what their claim says, where they do not say it themselves."""
    claims = paper_claims(module)
    found = []
    for row in rows:
        claim = claims.of(row.id)
        if claim is not None:
            row = replace(
                row,
                source=row.source or claim.source,
                claim=row.claim or claim.text,
                rule=row.rule or claim.rule or _rule_in(row.what),
                departures=row.departures or claim.departures,
                changed=row.changed or claim.changed,
                limbs=claims.limbs,
            )
        found.append(row)
    return found


def _rule_in(what: str) -> str:
    """The rule that ``what`` ends with, or all of it."""
    _, found, rule = what.partition("; holds ")
    return f"holds {rule}" if found else what
