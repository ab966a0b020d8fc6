"""Rows that are kept: the file, the pages that are filled from it, endings of rows that do not hold, what is stale."""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from footfall.errors import FootfallError
from footfall.simulation import Simulation
from footfall_reproductions import PAPERS, Row, kept, paper_module
from footfall_reproductions.claims import explained, paper_claims
from footfall_reproductions.docs_numbers import filled, kept_numbers, main, marks, numbers
from footfall_reproductions.part import parts_of
from footfall_reproductions.row import STATES
from footfall_reproductions.sources import changed, sources
from footfall_reproductions.study import limbs_pass, tasks_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
ROW = Row("walk-on", "w", 1.0, 2.0, "m", False, "n", passed=1, tried=3)


def _report(folder: Path, rows: list[Row], *, name: str = "back", **more: object) -> Path:
    file = folder / "parts" / "simbicon-3d" / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    part = {
        "date": "2026-01-02",
        "machine": {"system": "Linux x86_64", "processor": "p", "cores": "1"},
        "seconds": 6.0,
        "cpu_seconds": 60.0,
    }
    part |= {"sources": {"footfall.study": "1"}, "rows": [row.as_dict() for row in rows], **more}
    file.write_text(json.dumps(part))
    return folder


def test_every_page_has_the_numbers_of_the_rows_that_are_kept() -> None:
    """``python -m footfall_reproductions.docs_numbers README.md docs/*.md`` was run after the last measurement. Every
    mark is of a row that some part measures."""
    known, found = kept_numbers(), []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found += marks(text)
        assert filled(text, known) == text, page.name
    assert len(found) > 60
    for mark in found:
        paper, _, row = mark.partition(":")[0].partition("/")
        assert not row or any(part.has(row) for part in parts_of(paper_module(paper))), mark


def test_a_page_that_differs_is_found_and_filled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = numbers({"p": [replace(ROW, source="P, 1", passing=replace(ROW, measured=4.0))]})
    text = "<!--p/walk-on-->1<!--/--> and <!--p/walk-on:passing-->5\nm<!--/-->, <!--p:holds-->?<!--/-->,"
    text += " <!--p/b-->2<!--/-->"
    new = filled(text, known)
    assert "<!--p/walk-on-->2 m<!--/--> and <!--p/walk-on:passing-->4 m<!--/-->, <!--p:holds-->0 of 1<!--/-->" in new
    assert "<!--p/b-->not measured yet<!--/-->" in new
    mark, value = next((m, v) for m, v in kept_numbers().items() if "/" in m)
    page = tmp_path / "page.md"
    page.write_text(f"<!--{mark}-->other<!--/-->")
    assert main([str(page), "--check"]) == 1
    assert "differs" in capsys.readouterr().err
    assert main([str(page)]) == 0
    assert page.read_text() == f"<!--{mark}-->{value}<!--/-->"
    assert main([str(page), "--check"]) == 0


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_that_does_not_hold_has_one_ending(paper: str) -> None:
    endings = paper_claims(PAPERS[paper]).endings
    rows = kept.kept_rows().get(paper, [])
    for row in rows:
        found = [e for e in endings if e.has(row.id)]
        assert len(found) == (row.state == "does not hold"), row.id
    named = [row for ending in endings for row in ending.rows]
    assert [row for row in named if not any(part.has(row) for part in parts_of(paper_module(paper)))] == []


def test_an_ending_is_told_with_its_row_alone_where_the_row_does_not_hold() -> None:
    paper, ending = next((m, e) for m in PAPERS.values() for e in paper_claims(m).endings)
    row = replace(ROW, id=ending.rows[0].replace("*", "x"))
    no, yes = explained(paper, [row, replace(row, holds=True)])
    assert no.ending == ending.words
    assert yes.ending == ""


@pytest.mark.parametrize("paper", PAPERS)
def test_kept_rows_are_of_parts_that_measure_them(paper: str) -> None:
    parts = {p.name: p for p in parts_of(paper_module(paper))}
    found: Counter[tuple[str, bool]] = Counter()
    for name, part in kept.kept_papers().get(paper, {}).items():
        passing = name.endswith(kept.PASSING)
        assert set(part) == {"date", "machine", "sources", "seconds", "cpu_seconds", "rows"}
        for row in part["rows"]:
            measured_by = (
                parts.get(name.removesuffix(kept.PASSING)) or parts["clips"]
            )  # all rows, where clips are missing
            assert measured_by.has(row["id"]), row["id"]
            assert row["state"] in STATES
            assert row["command"] == f"footfall reproduce {paper} --row {row['id']}"
            assert {"source", "rule", "limbs"} <= set(row), row["id"]
            found[row["id"], passing] += 1
    assert all(n == 1 for n in found.values())


def test_a_report_is_kept_part_by_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that a later report does not have stay, with their dates; a second time nothing changes."""
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "rows")
    with pytest.raises(FootfallError, match="no parts of a report"):
        kept.keep(tmp_path)
    file = kept.keep(_report(tmp_path / "one", [ROW]))
    kept.keep(
        _report(tmp_path / "two", [replace(ROW, measured=3.0, holds=True)], name="back.passing", date="2026-03-04")
    )
    text = file.read_text(encoding="utf-8")
    kept.keep(tmp_path / "one")
    assert file.read_text(encoding="utf-8") == text
    name = kept.architecture()
    assert {n: p["date"] for n, p in kept.kept_papers(name)["simbicon-3d"].items()} == {
        "back": "2026-01-02",
        "back.passing": "2026-03-04",
    }
    (row,) = kept.kept_rows(name)["simbicon-3d"]
    assert row.passing is not None
    assert (row.measured, row.limbs, row.passing.measured, row.passing.limbs) == (2.0, "solid", 3.0, "passing")
    words = kept.measured_words("simbicon-3d", kept.kept_papers(name)["simbicon-3d"])
    known = sum(not part.searches for part in parts_of(paper_module("simbicon-3d")))
    assert words == f"2026-01-02 to 2026-03-04, p, x86_64, 2 min of one core, 1 of {known} parts"


def test_reports_are_compared_row_by_row(tmp_path: Path) -> None:
    one = kept.report_papers(_report(tmp_path / "one", [ROW, replace(ROW, id="walk-on-2", timed=True)]))
    other = kept.report_papers(
        _report(tmp_path / "two", [replace(ROW, measured=3.0), replace(ROW, id="walk-on-2", measured=9.0, timed=True)])
    )
    assert kept.differences(one, one) == []
    assert kept.differences(one, other) == ["simbicon-3d/walk-on: measured 2.0 / 3.0"]
    assert kept.differences(one, {}) == []


def test_parts_older_than_the_code_are_named(tmp_path: Path) -> None:
    papers = kept.report_papers(_report(tmp_path, [ROW]))
    ((paper, part, date, names),) = kept.stale(papers)
    assert (paper, part, date) == ("simbicon-3d", "back", "2026-01-02")
    assert "footfall.study" in names
    papers = kept.report_papers(_report(tmp_path, [ROW], sources=sources("simbicon-3d")))
    assert [names for *_, names in kept.stale(papers)] == [[]]


def test_sources_are_what_this_process_has_loaded() -> None:
    """A change to what no row of a paper runs leaves them as they are."""
    found = sources("pendulum")
    modules = [name for name in found if name in sys.modules]
    assert set(modules) >= {"footfall.simulation.simulation", "footfall.control.law"}
    data = {"footfall.figures.library", "footfall.figures.joint_ranges.csv", "reproductions.pendulum"}
    assert set(found) - set(modules) >= data
    assert all(found.values())
    assert changed(found | {"footfall.control.law": "1", "footfall.control.gone": "2"}) == [
        "footfall.control.law",
        "footfall.control.gone",
    ]


def test_limbs_pass_for_a_while() -> None:
    """Rows of solid limbs alone are measured a second time, on the papers' ground."""
    again = [t for t in tasks_of(["simbicon-2d", "simbicon-3d"], passing=True, figures=False) if t.passing]
    assert {t.paper for t in again} == {"simbicon-3d"}
    assert "walk" in {t.part for t in again}
    with limbs_pass():
        passing = Simulation("walk-3d")
    solid = Simulation("walk-3d")
    assert (passing.solid, solid.solid) == (False, True)
    assert (passing.grounds[0].law, solid.grounds[0].law) == ("anchor", "smooth")
