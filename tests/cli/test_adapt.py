"""``footfall adapt``: from a body's file to a controller that runs, with its report."""

import json

import pytest

from tests.cli.commands import refused, said
from tests.study.adaptation.bodies import similar


@pytest.fixture
def child(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "child.xml").write_text(similar("planar-biped", 0.6, 0.25).xml, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_a_body_gets_a_walk_and_a_report(child, capsys):
    words = ("adapt", "walk", "--figure", "child.xml", "--out", "mine.toml", "--generations", "1", "--population", "4")
    answer = json.loads(said(capsys, *words, "--no-film", "--json"))
    assert answer["controller"] == "mine"
    assert [trials["engine"] for trials in answer["trials"]] == ["native", "mujoco"]
    assert "not judged in its own file" in answer["notes"][-1]  # which has no shapes
    assert answer["trials"][0]["up"] == 36
    assert answer["push_limits_n"]["forward"] > 0
    for name in ("index.html", "walk.png", "torques.png", "history.png", "pushes.png", "report.json", "search.json"):
        assert (child / "mine" / name).stat().st_size > 0, name
    ran = json.loads(said(capsys, "run", "mine.toml", "--seconds", "3", "--json"))
    assert not ran["fell"]
    assert "36 of 36" in said(capsys, *words, "--no-film")


def test_what_cannot_be_is_one_line(child, capsys):
    out = ("--out", "mine.toml")
    assert "such as walk or run" in refused(capsys, "adapt", "walk-3d", "--figure", "child.xml", *out)
    assert "does not exist" in refused(capsys, "adapt", "walk", "--figure", "none.xml", *out)
    assert "write newtons" in refused(capsys, "adapt", "walk", "--figure", "child.xml", "--sturdy", "x", *out)
    assert "cannot write" in refused(capsys, "adapt", "walk", "--figure", "child.xml", "--out", "mine.png")
    assert sorted(path.name for path in child.iterdir()) == ["child.xml"]


def test_a_walk_of_another_body_says_how_it_is_carried_over(child, capsys):
    """By a controller for bodies of its kind, and with all that the command needs."""
    for name, carried in (("walk-3d", "walk"), ("human-walk", "walk"), ("bird-run", "walk")):
        said_ = refused(capsys, "run", name, "--figure", "child.xml")
        assert f"footfall adapt {carried} --figure child.xml --out child-walk.toml makes a walk for it" in said_
