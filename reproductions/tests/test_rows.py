"""Rows say where they come from, rates have confidence, and a page shows them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall_reproductions import Row
from footfall_reproductions.headline import headline
from footfall_reproductions.page import write_page
from footfall_reproductions.rates import standard_error, wilson_interval

WALK = {"unit": "", "holds": True, "tried": 100, "bound": 0.95}
ROWS = [
    Row("a", "walks; holds at 95 %", "walks", "99 of 100", source="P, section 1", passed=99, **WALK),
    Row("b", "crosses; holds at 95 %", "crosses", "96 of 100", source="P, section 2", passed=96, **WALK),
    Row("c", "mass [kg]", 1.0, 2.0, "kg", False, "because", source="P, table 1"),
    Row("d", "ours", None, 3.0, "m", True, source="ours"),
    Row("e", "a clip", 1.0, None, "", None, "there is no clip", source="P, figure 2"),
]


def test_wilson_covers_a_rate_about_as_often_as_it_says() -> None:
    """Of intervals from drawn samples 95 % hold the true rate, near 0 and 1 too, where √(p(1-p)/n) fails."""
    rng = np.random.default_rng(3)
    for rate in (0.02, 0.5, 0.97):
        counts = rng.binomial(60, rate, 4000)
        covered = np.mean([low <= rate <= high for low, high in (wilson_interval(int(k), 60) for k in counts)])
        assert 0.92 < covered < 0.99
    assert wilson_interval(0, 20)[0] == 0.0
    assert wilson_interval(20, 20)[1] == pytest.approx(1.0)
    low, high = wilson_interval(7, 20)
    mirrored = wilson_interval(13, 20)
    assert (1 - high, 1 - low) == pytest.approx(mirrored)
    assert standard_error(20, 20) == 0.0


def test_a_row_near_its_bound_says_so() -> None:
    assert [row.state for row in ROWS] == ["holds", "holds, near its bound", "does not hold", "holds", "not measured"]
    assert [row.from_paper for row in ROWS] == [True, True, True, False, True]
    assert not replace(ROWS[0], source="derived facts: a table").from_paper
    assert ROWS[0].as_dict()["interval"][0] < 0.99


def test_headlines_count_the_papers_rows_alone() -> None:
    text = headline("p", ROWS)
    assert "of 4 rows from the paper 1 holds, 1 holds near its bound, 1 does not hold, 1 was not measured" in text
    assert "Of 1 rows that are ours or from derived facts 1 hold" in text


def test_rows_are_json() -> None:
    row = Row("a", "b", 1.0, None, "m", None, "because")
    found = json.loads(json.dumps(row.as_dict()))
    assert found | {
        "id": "a", "what": "b", "paper": 1.0, "measured": None, "unit": "m", "holds": None, "note": "because",
    } == found  # fmt: skip
    assert found["state"] == "not measured"


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    """Pictures are inside, text is escaped, and every row can be filtered by paper, source and state."""
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    other = replace(ROWS[3], measured=7.5, limbs="passing")
    rows = [
        *(replace(row, passing=other if row.id == "a" else None) for row in ROWS),
        Row("f", "<script>[kg] & more", 1, 2, "", False, source="P", limbs="solid", ending="Open: 12 tried"),
    ]
    text = write_page(tmp_path / "index.html", {"pendulum": rows}, {"pendulum": ["x.png"]}).read_text(encoding="utf-8")
    assert "data:image/png;base64," in text
    assert "&lt;script&gt;[kg] &amp; more" in text
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert text.count("<tr id=") == len(rows)
    assert text.count('data-source="own"') == 1
    assert "holds, near its bound" in text
    assert "<dt>ending</dt><dd>Open: 12 tried</dd>" in text
    assert "<dt>limbs</dt><dd>solid: they touch each other</dd>" in text
    assert text.count("7.5 m") == 1
