"""``footfall export``: C, and options that belong to another kind of file."""

import json
from dataclasses import replace

import pytest

from footfall.cli.main import main
from footfall.control import load_controller, save_controller


def test_it_writes_two_files_or_three(tmp_path, capsys):
    assert main(["export", "walk", "--out", str(tmp_path / "my-walk.c"), "--runner", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    names = ["my-walk.c", "my-walk.h", "run_my-walk.py"]
    assert answer["files"] == [str(tmp_path / name) for name in names]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert answer["joints"][:3] == ["right_hip", "right_knee", "right_ankle"]
    assert len(answer["points"]) == 4
    header = (tmp_path / "my-walk.h").read_text(encoding="utf-8")
    assert "void my_walk_step(my_walk_state *state" in header
    assert "MY_WALK_SPEED = 0" in header
    compile((tmp_path / "run_my-walk.py").read_text(encoding="utf-8"), "run_my-walk.py", "exec")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tracked-walk", "--out", "{folder}/w.c"], "asks for accelerations"),
        (["sure-footed-walk", "--out", "{folder}/w.c"], "looks at the ground ahead"),
        (["walk", "--figure", "human-28", "--out", "{folder}/w.c"], "qpos has 9 numbers; figure 'human-28' has 35"),
        (["walk", "--out", "{folder}/7-walk.c"], "begin with a letter"),
        (["walk", "--out", "{folder}/while.c"], "no word of C"),
        (["walk", "--out", "{folder}/nowhere/walk.c"], "there is no folder"),
        (["walk", "--out", "w.c", "--dt", "0.001"], "--terrain, --dt and --onto work only with a .wasm module"),
        (["walk", "run", "--out", "w.c"], "only a .wasm module takes several"),
        (["walk", "--out", "w.wasm", "--runner"], "--runner and --with-physics work only with C"),
        (["walk", "--out", "w.wasm", "--with-physics"], "--runner and --with-physics work only with C"),
        (["walk", "--out", "w.c", "--with-physics", "--runner"], "the body is in the C"),
        (["walk", "--out", "while.c", "--with-physics"], "no word of C"),
        (["walk", "human-walk", "--out", "w.c", "--with-physics"], "export them one by one: walk, human-walk"),
        (["walk", "--out", "w.c", "--fps", "30"], "--fps works only for motion"),
        (["walk", "--out", "w.mp4"], "footfall run walk --out w.mp4"),
        (["human-28", "--out", "child.xml", "--runner"], "--runner works only for controllers"),
        (["walk"], "name at least one file with --out"),
    ],
)
def test_what_cannot_be_exported_is_refused_and_nothing_is_written(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["export", *(word.format(folder=tmp_path) for word in arguments)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert len(error.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_follower_of_a_clip_says_what_to_do_instead(tmp_path, capsys):
    tracked = load_controller("tracked-walk")
    parts = tuple(replace(part, successor=-1) for part in tracked.repertoire.fragments)
    save_controller(replace(tracked, repertoire=replace(tracked.repertoire, fragments=parts)), tmp_path / "once.toml")
    assert main(["export", str(tmp_path / "once.toml"), "--out", str(tmp_path / "once.c")]) == 2
    error = capsys.readouterr().err
    assert "follows a clip" in error
    assert "footfall imitate CLIP --law simbicon" in error
