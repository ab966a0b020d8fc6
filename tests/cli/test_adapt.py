"""``footfall adapt``: from a body's file to a controller that runs, with its report."""

import json
import zipfile

import pytest

from footfall.figures import Figure
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


@pytest.mark.slow
def test_a_body_gets_a_pack(tmp_path, monkeypatch, capsys):
    """Of its own file; the controller is in it, and in the report's folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "biped.xml").write_text(Figure.load("planar-biped").xml, encoding="utf-8")
    words = ("--generations", "1", "--population", "4", "--no-film", "--engine", "native")
    said(capsys, "adapt", "walk", "--figure", "biped.xml", "--out", "mine.zip", *words)
    assert (tmp_path / "mine" / "mine.toml").is_file()
    assert json.loads((tmp_path / "mine" / "report.json").read_text())["cost_of_transport"] > 0.05
    assert json.loads(said(capsys, "check", "mine.zip", "--json"))["same"]
    with zipfile.ZipFile("mine.zip") as archive:
        (judged,) = json.loads(archive.read("pack.json"))["judged"]
    assert (judged["engine"], judged["tried"]) == ("native", 36)


def test_what_cannot_be_is_one_line(child, capsys):
    out = ("--out", "mine.toml")
    assert "such as walk or run" in refused(capsys, "adapt", "walk-3d", "--figure", "child.xml", *out)
    assert "does not exist" in refused(capsys, "adapt", "walk", "--figure", "none.xml", *out)
    assert "write newtons" in refused(capsys, "adapt", "walk", "--figure", "child.xml", "--sturdy", "x", *out)
    assert "cannot write" in refused(capsys, "adapt", "walk", "--figure", "child.xml", "--out", "mine.png")
    packed = refused(capsys, "adapt", "walk", "--figure", "child.xml", "--out", "mine.zip")
    assert "nothing of its feet collides" in packed  # before the search
    assert sorted(path.name for path in child.iterdir()) == ["child.xml"]


def test_a_walk_of_another_body_says_how_it_is_carried_over(child, capsys):
    """By a controller for bodies of its kind, and with all that the command needs."""
    for name, carried in (("walk-3d", "walk"), ("human-walk", "walk"), ("bird-run", "walk")):
        said_ = refused(capsys, "run", name, "--figure", "child.xml")
        assert f"footfall adapt {carried} --figure child.xml --out child-walk.toml makes a walk for it" in said_
