"""Mistakes in controller files: errors name the file, and the state where there is one; what is likely a mistake is
warned of."""

import warnings

import pytest

from footfall.cli.main import main
from footfall.control import load_controller, print_controller
from footfall.control.registry import controller_names, kind_of, law_of
from footfall.errors import FootfallError, FootfallWarning
from footfall.figures import Figure
from footfall.simulation import Simulation

WALK = print_controller(load_controller("walk"))

ERRORS = {
    "unknown role": ("swing_knee = -1.1", "swing_kne = -1.1", ", state 0: unknown joint role", "'swing_knee'"),
    "unknown joint": ("swing_knee = -1.1", "left_elbow = 1.0", ", state 0: unknown joint of figure", "'left_knee'"),
    "two targets": ("swing_knee = -1.1", "swing_knee = -1.1\nright_knee = 0", ", state 0: 'right_knee' has two", ""),
    "named state": ("contact = true", 'name = "down"\ncontact = true\nswing_kne = 1', ", state down: unknown", ""),
    "type in a named state": ("contact = true", 'name = "down"\ncontact = 3', ", state down: contact is 3", ""),
    "figure": ('"planar-biped"', '"planar-bipd"', ": unknown figure 'planar-bipd'", "'planar-biped'"),
    "reference": ('reference = "heel"', 'reference = "hel"', ": balance reference is 'hel'", "'heel', 'ankle'"),
    "servo": ("[balance]", "[servo.joints.kneee]\nkp = 3\n[balance]", ", servo: unknown joint 'kneee'", "'knee'"),
    "short start": ("qpos = [0.463, ", "qpos = [", ", [start]: qpos has 8 numbers", "has 9: x, z, pitch, right_hip"),
    "long start": ("qvel = [0.98, ", "qvel = [0, 0.98, ", ", [start]: qvel has 10 numbers", "has 9: x, z, pitch"),
    "another figure": ('"planar-biped"', '"human-28"', ", [start]: qpos has 9 numbers", "28 joints from"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_errors_name_the_file_and_the_place(tmp_path, kind):
    old, new, place, help_ = ERRORS[kind]
    assert old in WALK
    path = tmp_path / "mine.toml"
    path.write_text(WALK.replace(old, new, 1))
    with pytest.raises(FootfallError) as told:
        Simulation(path)
    assert str(told.value).startswith(f"{path}{place}")
    assert help_ in str(told.value)


DOUBTS = {
    "stance hip": ("swing_knee = -1.1", "swing_knee = -1.1\nstance_hip = 0.3", ", state 0: stance_hip does nothing"),
    "stance hip by name": (
        "swing_knee = -1.1",
        "swing_knee = -1.1\nleft_hip = 0.3",
        ", state 0: left_hip does nothing",
    ),
    "degrees": ("swing_knee = -1.1", "swing_knee = -63", ", state 0: swing_knee is -63 rad, which no joint reaches"),
    "degrees with feedback": ("angle = 0.4", "angle = 23", ", state 0: swing_hip is 23 rad"),
    "range in degrees": ("hip_range = [-0.4, 1.6]", "hip_range = [-23, 92]", ", [balance]: hip_range holds 92 rad"),
    "start in degrees": ("-0.221,", "-12.7,", ", [start]: right_hip is -12.7 rad"),
}


@pytest.mark.parametrize("kind", DOUBTS)
def test_likely_mistakes_are_said(tmp_path, kind):
    old, new, said = DOUBTS[kind]
    assert old in WALK
    path = tmp_path / "mine.toml"
    path.write_text(WALK.replace(old, new, 1))
    with pytest.warns(FootfallWarning) as told:
        law_of(load_controller(path), Figure.load("planar-biped"))
    assert [str(w.message) for w in told if str(w.message).startswith(f"{path}{said}")]


def test_commands_say_them_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(WALK.replace("swing_knee = -1.1", "swing_knee = -63", 1))
    assert main(["show", "mine.toml"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "footfall: mine.toml, state 0: swing_knee is -63 rad, which no joint reaches; if these are degrees, write -1.1"
    ]


def test_built_in_controllers_raise_no_doubts():
    for name in controller_names():
        controller = load_controller(name)
        assert not kind_of(controller).doubts(controller, Figure.load(controller.figure)), name


def test_text_that_came_from_no_file_is_not_warned_of():
    graph = load_controller("walk")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        law_of(graph, Figure.load("planar-biped"))
