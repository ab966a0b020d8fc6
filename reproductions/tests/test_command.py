"""``footfall reproduce``: its rows on a terminal, as JSON and as a page; what it refuses."""

import json
from pathlib import Path

import pytest

from footfall.cli.main import main
from footfall_reproductions import PAPERS, Row, paper_module
from footfall_reproductions.command import print_rows, row_line

ROWS = [
    Row(
        "mass",
        "mass of the [kg] figure, a very long line that says by which rule it holds " * 3,
        70.0,
        70.1,
        "kg",
        True,
        source="Paper, table 1",
    ),
    Row("push", "pushes", 600, 540, "N", False, "at the top of the torso", source="Paper, section 2"),
    Row("space", "in space", 1.0, None, "m", None, "the figure is not published", source="Paper, section 3"),
]


def test_rows_fit_the_terminal_and_say_what_was_not_measured(capsys):
    for row in ROWS:
        print(row_line(row, 80))
    print_rows("paper", ROWS, 80)
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert lines[3] == "paper: of 3 rows from the paper 1 holds, 1 does not hold, 1 was not measured."
    assert max(len(line) for line in lines) <= 80
    assert len(lines) < 20
    assert "[kg]" in text
    assert "the figure is not published" in text
    assert "at the top of the torso" in text


def test_one_row_prints_json_and_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "reproduce",
        "pendulum",
        "--row",
        "mass-independence",
        "--json",
        "--workers",
        "1",
        "--out",
        str(tmp_path),
    ]
    assert main(command) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in answer["rows"]] == ["mass-independence"]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'id="pendulum/mass-independence"' in page
    assert "footfall reproduce pendulum --row mass-independence" in page
    assert '"seconds"' in (tmp_path / "times.json").read_text(encoding="utf-8")


def test_two_reports_are_equal_to_the_bit_but_for_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows stand in the order of the parts, whichever is measured first, and say nothing of time or machine."""
    for folder, workers in (("one", "1"), ("two", "2")):
        out = str(tmp_path / folder)
        command = ["reproduce", "pendulum", "--row", "phase-*", "--row", "closed-form", "--row", "check-values"]
        assert main([*command, "--workers", workers, "--out", out]) == 0
    capsys.readouterr()
    first, second = ((tmp_path / name / "rows.json").read_bytes() for name in ("one", "two"))
    assert first == second
    assert b'"seconds"' not in first


def test_unknown_papers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "simbicon-2"]) == 2
    assert "did you mean 'simbicon-2d'" in capsys.readouterr().err


def test_every_paper_has_rows_and_figures() -> None:
    for name in PAPERS:
        assert callable(paper_module(name).rows)
        assert callable(paper_module(name).figures)


@pytest.mark.parametrize("row", [[], ["--row", "walk-normal-paper"], ["--row", "ablation-*"]])
@pytest.mark.parametrize("more", [[], ["--list"], ["--json"]])
def test_a_folder_without_the_clips_is_refused(tmp_path, capsys, row, more):
    assert main(["reproduce", "data-driven", *row, *more, "--data", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert f"clips (wd2_WalkSameSame01.bvh and others) are not in {tmp_path}" in err
    assert "--data" in err


def test_a_row_that_nothing_measured_is_an_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("footfall_reproductions.data_driven.figure_5.MOCAP", tmp_path)
    command = ["reproduce", "data-driven", "--workers", "1"]
    assert main([*command, "--row", "walk-normal-paper"]) == 2
    assert "row walk-normal-paper could not be measured: data-driven: the paper's clips" in capsys.readouterr().err
    assert main(command) == 0
    assert "1 was not measured" in capsys.readouterr().out
