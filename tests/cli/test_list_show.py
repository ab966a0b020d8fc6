import json

import pytest

from footfall.control import controller_names, load_controller
from footfall.figures import figure_names
from footfall.terrain import terrain_names
from tests.cli.commands import refused, said


def test_list_names_everything_with_a_line_about_it(capsys):
    text = said(capsys, "list")
    parts = json.loads(said(capsys, "list", "--json"))
    assert [c["name"] for c in parts["controllers"]] == list(controller_names())
    assert [f["name"] for f in parts["figures"]] == list(figure_names())
    assert [t["name"] for t in parts["terrains"]] == list(terrain_names())
    for rows in parts.values():
        for row in rows:
            assert row["about"], row
            assert row["name"] in text


@pytest.mark.parametrize("name", [*controller_names(), *figure_names()])
def test_show_tells_controllers_and_figures(name, capsys):
    assert said(capsys, "show", name).startswith(f"{name}: ")
    told = json.loads(said(capsys, "show", name, "--json"))
    assert told["name"] == name
    if "states" in told:
        assert len(told["states"]) == len(load_controller(name).states)


def test_show_draws_and_tells_terrains(capsys, tmp_path):
    for k, name in enumerate(["walk", "planar-biped", "steps:0.15", "flat"]):
        file = tmp_path / f"{k}.png"
        said(capsys, "show", name, "--out", file)
        assert file.stat().st_size > 3000
    assert json.loads(said(capsys, "show", "steps:0.15", "--json"))["z"][-1] == 1.5


def test_show_refuses_what_it_does_not_know(capsys, tmp_path):
    assert "did you mean 'walk'" in refused(capsys, "show", "walkk")
    assert "choose one of" in refused(capsys, "show", "walk", "--out", tmp_path / "walk.mp4")
    assert list(tmp_path.iterdir()) == []


def test_the_command_itself(capsys):
    assert "usage: footfall COMMAND" in said(capsys)
    assert said(capsys, "--version").startswith("footfall ")
    assert "did you mean 'run'" in refused(capsys, "rum")
