import json
import re

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.figures.builtin import builtin_mjcf
from footfall.motion import load_motion, save_motion
from tests.motion.test_amc_c3d import c3d_bytes
from tests.motion.walks import walk


@pytest.fixture
def clip_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_motion(walk(4.0), tmp_path / "walk.bvh")
    return "walk.bvh"


def answer(capsys, *args):
    assert main(args) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    return json.loads(out)


def test_info_answers_in_json_alone(clip_file, capsys):
    rows = answer(capsys, "motion", "info", clip_file, "--json")
    assert rows["frames"] == 241
    assert rows["mean_speed_mps"] == pytest.approx(1.2, rel=0.01)
    assert rows["steps_per_second"] == pytest.approx(2 / 1.1, rel=0.05)
    assert len(rows["joints"]) == 16
    assert main(["motion", "info", clip_file]) == 0
    assert "mean_speed_mps" in capsys.readouterr().out


def test_import_retargets_and_export_converts(clip_file, capsys, tmp_path):
    words = ("--onto", "human", "--fps", "30", "--out", "human.npz", "--json")
    rows = answer(capsys, "motion", "import", clip_file, *words)
    assert rows["retarget"]["after"]["penetration"] < 0.01
    assert rows["retarget"]["matched"]["left_thigh"] == "LeftUpLeg"
    motion = load_motion("human.npz")
    assert motion.figure == "human"
    assert np.isclose(motion.fps, 30)
    told = answer(capsys, "export", "human.npz", "--out", "h.bvh", "--out", "h.glb", "--out", "h.csv", "--json")
    assert told["files"] == ["h.bvh", "h.glb", "h.csv"]
    for name in told["files"]:
        again = load_motion(name)
        order = [again.skeleton.index(joint) for joint in motion.skeleton.names]
        assert np.abs(again.positions()[:, order] - motion.positions()).max() < 1e-5


def test_plot_and_compare_draw(clip_file, capsys, tmp_path):
    for kind in ("strip", "angles", "contacts", "profiles"):
        assert main(["motion", "plot", clip_file, "--kind", kind, "--out", f"{kind}.png"]) == 0
        assert (tmp_path / f"{kind}.png").read_bytes()[:4] == b"\x89PNG"
    capsys.readouterr()
    rows = answer(capsys, "motion", "compare", clip_file, clip_file, "--out", "both.svg", "--json")
    assert rows["correlation"]["knee"] == pytest.approx(1.0)
    assert (tmp_path / "both.svg").exists()


def test_cycle_writes_a_text_file(clip_file, capsys, tmp_path):
    rows = answer(capsys, "motion", "cycle", clip_file, "--onto", "planar-biped", "--out", "c.toml", "--json")
    assert rows["figure"] == "planar-biped"
    assert rows["anchor"] == "right_hip"
    assert rows["period_s"] == pytest.approx(1.1, rel=0.02)
    assert "[series]" in (tmp_path / "c.toml").read_text()


def test_what_has_no_feet_is_still_described(capsys, tmp_path):
    (tmp_path / "m.c3d").write_bytes(c3d_bytes())
    rows = answer(capsys, "motion", "info", str(tmp_path / "m.c3d"), "--json")
    assert rows["frames"] == 4
    assert rows["steps"] is None


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["motion", "info", "none.bvh"], "there is no such file"),
        (["motion", "infos", "x"], "did you mean 'info'"),
        (["motion", "import", "walk.bvh", "--onto", "humann"], "did you mean 'human'"),
        (["motion", "import", "walk.bvh", "--unit", "parsec"], "unknown unit 'parsec'"),
        (["motion", "import", "walk.bvh", "--start", "90", "--end", "99"], "no frame lies between"),
        (["export", "walk.bvh"], "name at least one file"),
        (["export", "walk.bvh", "--out", "walk.abc"], "cannot write '.abc'"),
        (["export", "walk.bvh", "--out", "walk.txt"], "has no joint 'root'"),
        (["export", "walk.bvh", "--out", "walk.bvh"], "overwritten"),
        (["motion", "plot", "walk.bvh", "--kind", "torques"], "unknown channel 'torque'"),
        (["motion", "info", "walk.abc"], "cannot read motion as '.abc'"),
        (["motion", "info", "walk.bvh", "--animation", "run"], "'animation' is not an option of a .bvh file"),
        (["motion", "info", "walk.bvh", "--root", "Hip"], "did you mean 'Hips'"),
    ],
)
def test_errors_are_one_line_and_leave_nothing_behind(clip_file, capsys, tmp_path, args, word):
    before = sorted(p.name for p in tmp_path.iterdir())
    assert main(args) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("footfall: ")
    assert told.err.count("\n") == 1
    assert word in told.err
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_a_bad_result_is_not_written_unless_asked_for(clip_file, capsys, tmp_path):
    """A body whose knees hardly bend cannot follow a walk."""
    text = builtin_mjcf("human-28")
    stiff = tmp_path / "stiff.xml"
    stiff.write_text(re.sub(r'(name="(?:left|right)_knee"[^>]*range=")[^"]*"', r'\1-0.05 0"', text), encoding="utf-8")
    words = ("motion", "import", clip_file, "--onto", str(stiff), "--out", "stiff.npz", "--json")
    assert main(list(words)) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["retarget"]["verdict"].startswith("BAD")
    assert told["files"] == []
    assert not (tmp_path / "stiff.npz").exists()
    assert main([*words, "--keep-bad"]) == 0
    assert (tmp_path / "stiff.npz").exists()
