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

    [[ending]]                                # one for every row that does not hold
    rows = ["ten-pushes-walk-*-top"]
    end = "open"                              # or "refuted": the paper's numbers cannot do it on any reading
    readings = "…"                            # what was tried, with measured numbers
    next = "…"                                # the next idea; empty where refuted
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Literal

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
class Ending:
    """Where rows that do not hold were left: ``refuted``, no reading of the paper's numbers does it, or ``open``, with
    the best that was reached and the next idea."""

    rows: tuple[str, ...]
    end: Literal["refuted", "open"]
    readings: str
    next: str = ""

    def has(self, row: str) -> bool:
        """Whether it is a row's ending."""
        return any(fnmatchcase(row, own) for own in self.rows)

    @property
    def words(self) -> str:
        """As one text."""
        return ". ".join(
            filter(None, [f"{self.end.capitalize()}: {self.readings}", self.next and f"Next: {self.next}"])
        )


@dataclass(frozen=True)
class PaperClaims:
    """A paper's name, what its bodies' limbs do to each other, and its claims in order."""

    paper: str
    limbs: Limbs
    claims: tuple[Claim, ...]
    endings: tuple[Ending, ...] = ()

    def ending(self, row: str) -> Ending | None:
        """Of a row that does not hold."""
        return next((e for e in self.endings if e.has(row)), None)

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
    endings = [
        read_table(entry, Ending, f"{where}, the ending of {entry.get('rows', '?')}")
        for entry in table.get("ending", [])
    ]
    for ending in endings:
        if (ending.end == "open") != bool(ending.next):
            raise FootfallError(
                f"{where}, {', '.join(ending.rows)}: an open ending has a next idea, a refuted one none"
            )
    return PaperClaims(table["paper"], table["limbs"], tuple(found), tuple(endings))


def explained(module: str, rows: Iterable[Row]) -> list[Row]:
    """The rows with what their claim says, where they do not say it themselves."""
    claims = paper_claims(module)
    found = []
    for row in rows:
        claim, ending = claims.of(row.id), claims.ending(row.id)
        row = replace(
            row,
            limbs=row.limbs or claims.limbs,
            ending=ending.words if ending is not None and row.state == "does not hold" else "",
        )
        if claim is not None:
            row = replace(
                row,
                source=row.source or claim.source,
                claim=row.claim or claim.text,
                rule=row.rule or claim.rule or _rule_in(row.what),
                departures=row.departures or claim.departures,
                changed=row.changed or claim.changed,
            )
        found.append(row)
    return found


def _rule_in(what: str) -> str:
    """The rule that ``what`` ends with, or all of it."""
    _, found, rule = what.partition("; holds ")
    return f"holds {rule}" if found else what
