"""Claims have rows, rows have claims, and the documentation says what both say."""

import re
from pathlib import Path

import pytest

from footfall_reproductions import PAPERS, Row, paper_module
from footfall_reproductions.claims import explained, paper_claims
from footfall_reproductions.claims_page import claims_page
from footfall_reproductions.part import overlap, parts_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_has_rows_that_a_part_measures(name: str) -> None:
    parts = parts_of(paper_module(name))
    assert len({p.name for p in parts}) == len(parts)
    for claim in paper_claims(PAPERS[name]).claims:
        for row in claim.rows:
            assert any(p.has(row) for p in parts), row
    for part in parts:
        for own in part.rows:
            claims = paper_claims(PAPERS[name]).claims
            assert any(overlap(own, r) for c in claims for r in c.rows), own


@pytest.mark.parametrize("name", PAPERS)
def test_sources_are_a_paper_or_say_that_they_are_not(name: str) -> None:
    for claim in paper_claims(PAPERS[name]).claims:
        assert re.match(r"(ours|derived facts|SIMBICON|Improving|Laszlo|Faraji|Lee)", claim.source), claim.source


def test_the_page_of_claims_is_current() -> None:
    """``python -m footfall_reproductions.claims_page docs/claims.md`` was run after the last change."""
    assert (ROOT / "docs" / "claims.md").read_text(encoding="utf-8") == claims_page()


def test_a_row_takes_what_it_does_not_say_from_its_claim() -> None:
    row, own = explained(
        "pendulum",
        [
            Row("mass-independence", "what; holds at 0", None, 0.0, "", True),
            Row("push-0", "w", 1, 1, "", True, source="x"),
        ],
    )
    assert row.source == "Faraji and Ijspeert 2018, section 5.2"
    assert row.rule == "holds at 0"
    assert own.source == "x"
