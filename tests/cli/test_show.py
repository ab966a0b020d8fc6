"""What ``show`` prints and draws: tables that fit a terminal, pictures, one error for anything else."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from footfall.cli import printing
from footfall.cli.printing import COLUMNS, fitted
from footfall.control import controller_names, load_controller
from footfall.figures import Figure, figure_names
from footfall.terrain import terrain_names
from tests.cli.commands import refused, said
from tests.pictures.boxy_robot import LINKS, write_boxy_robot

ROBOTS = Path(__file__).parents[3] / "shared/data/robots"


def test_list_names_everything_with_a_line_about_it(capsys):
    text = said(capsys, "show")
    parts = json.loads(said(capsys, "show", "--json"))
    assert [c["name"] for c in parts["controllers"]] == list(controller_names())
    assert [f["name"] for f in parts["figures"]] == list(figure_names())
    assert [t["name"] for t in parts["terrains"]] == list(terrain_names())
    for rows in parts.values():
        for row in rows:
            assert row["about"], row
            assert row["name"] in text


@pytest.fixture
def terminal(monkeypatch):
    """Standard output is a terminal."""
    monkeypatch.setattr(printing, "_width", lambda: COLUMNS - 2)


@pytest.mark.parametrize("name", [*controller_names(), *figure_names()])
def test_show_tells_controllers_and_figures(name, capsys, terminal):
    text = said(capsys, "show", name)
    assert text.startswith(f"{name}: ")
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert not set("{}") & set(text)
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


def test_a_state_has_a_row_for_each_target_in_degrees_and_radians(capsys):
    graph = load_controller("walk-3d")
    blocks = said(capsys, "show", "walk-3d").split("\n\n")
    for label, state in zip(graph.labels, graph.states, strict=True):
        (block,) = (block for block in blocks if block.startswith(f"state {label} "))
        rows = [line.split() for line in block.splitlines() if line.startswith("  ")]
        angles = {row[0]: (float(row[1]), float(row[2])) for row in rows if row[0] in state.targets}
        assert angles.keys() == state.targets.keys()
        for joint, target in state.targets.items():
            assert angles[joint] == pytest.approx((math.degrees(target.angle), target.angle), abs=0.051)


def test_transitions_are_told_in_words(capsys):
    walk = " ".join(said(capsys, "show", "walk").split())
    assert "state 0 (left stance): ends after 0.3 s, then state 1" in walk
    assert "ends when the swing heel touches the ground, then state 0 with the sides exchanged" in walk
    disturbed = " ".join(said(capsys, "show", "walk-3d").split())
    assert "then state reach; at once state quick-swing if disturbed" in disturbed
    assert "lasts and stays" in " ".join(said(capsys, "show", "stand").split())


def test_a_figure_has_a_row_for_each_joint_body_and_point(capsys, tmp_path):
    path = write_boxy_robot(tmp_path)
    figure = Figure.load(path)
    text = said(capsys, "show", path)
    rows = [line.split() for line in text.splitlines()]
    for joint in figure.joints[1:]:
        row = next(row for row in rows if row and row[0] == joint.name)
        assert row[2] == joint.plane
        assert [float(row[3]), float(row[5])] == pytest.approx(np.degrees([joint.lower, joint.upper]), abs=0.5)
        limit = "none" if math.isinf(joint.torque_limit) else f"{joint.torque_limit:g}"
        assert row[6:] == [limit, f"{joint.kp:g}", f"{joint.kd:g}"]
    for part in (*figure.bodies, *figure.points):
        assert any(row and row[0] == part.name for row in rows)
    assert "left sole: 4 points, 0.240 m long, 0.100 m wide" in text
    assert f"the meshes of {len(figure.bodies)} of its {len(figure.bodies)} bodies" in " ".join(text.split())
    told = json.loads(said(capsys, "show", path, "--json"))
    assert told["leg_length"] == pytest.approx(0.76)
    assert told["hip_height"] == pytest.approx(0.84)
    size, centre = LINKS["torso"]
    assert told["height"] == pytest.approx(0.84 + 0.06 + 0.06 + centre[2] + size[2] / 2, abs=1e-6)
    assert {joint["role"] for joint in told["joints"]} == {
        "root",
        "waist_yaw",
        "hip_roll",
        "hip_pitch",
        "knee",
        "ankle_pitch",
    }


@pytest.mark.parametrize("name", ["walk", "walk-3d", "stand", "human-walk", "tracked-walk", "back-flip"])
def test_controllers_are_drawn(name, capsys, tmp_path):
    files = [tmp_path / f"{name}{suffix}" for suffix in (".png", ".svg")]
    said(capsys, "show", name, "--out", files[0], "--out", files[1])
    for file in files:
        assert file.stat().st_size > 10_000


def test_a_table_in_a_file_is_not_cut():
    rows = [["joint", "x" * 200]]
    assert fitted(rows) == rows


def test_a_table_is_cut_where_it_is_widest(terminal):
    rows = [["joint", "x" * 80, "1"], ["left_shoulder_pitch", "ab" + "y" * 90 + "cd", "2"]]
    cut = fitted(rows)
    assert sum(max(map(len, column)) for column in zip(*cut)) + 4 <= COLUMNS - 2
    assert cut[1][0] == "left_shoulder_pitch"
    assert cut[1][1].startswith("ab")
    assert cut[1][1].endswith("cd")
    assert cut[1][1].count("…") == 1
    assert fitted([["a", "b"]]) == [["a", "b"]]


def test_show_refuses_what_it_does_not_know(capsys, tmp_path):
    assert "did you mean 'walk'" in refused(capsys, "show", "walkk")
    assert "choose one of" in refused(capsys, "show", "walk", "--out", tmp_path / "walk.mp4")
    assert list(tmp_path.iterdir()) == []


def test_the_command_itself(capsys):
    assert "usage: footfall COMMAND" in said(capsys)
    assert said(capsys, "--version").startswith("footfall ")
    assert "did you mean 'run'" in refused(capsys, "rum")


def test_a_stranger_is_shown_with_what_was_found(capsys, tmp_path, terminal):
    """Names, signs and offsets of the file, findings, and a picture; without the meshes too."""
    path = write_boxy_robot(tmp_path, inertials=True)
    for file in tmp_path.glob("*.stl"):
        file.unlink()
    figure = Figure.load(path)
    text = said(capsys, "show", path, "--out", tmp_path / "boxy.png")
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert f"read from {path}:"[:60] in " ".join(text.split())
    assert "meshes: 2 files are missing" in text
    assert (tmp_path / "boxy.png").stat().st_size > 50_000
    told = json.loads(said(capsys, "show", path, "--json"))
    joints = {joint["name"]: joint for joint in told["joints"]}
    for name, there in figure.adoption.joints.items():
        assert (joints[name]["original"], joints[name]["sign"]) == (there.name, there.sign)
        assert any(name in line and there.name in line for line in text.splitlines())
    assert [row["what"] for row in told["findings"]] == [finding.what for finding in figure.adoption.findings]


@pytest.mark.parametrize("robot", ["unitree_g1/g1", "unitree_h1/h1", "robotis_op3/op3", "pal_talos/talos_motor"])
def test_robots_are_shown(robot, capsys, tmp_path, terminal):
    path = ROBOTS / f"{robot}.xml"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    text = said(capsys, "show", path, "--out", tmp_path / "robot.png", "--out", tmp_path / "robot.svg")
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert "…" not in text.split("body ")[0].replace("(…_joint)", "")
    for finding in Figure.load(path).adoption.findings:
        assert f"{finding.what}: " in text
    assert (tmp_path / "robot.svg").stat().st_size < 3_000_000
