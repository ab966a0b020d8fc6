"""``footfall pendulum`` as a user meets it."""

import json

import pytest

from footfall.cli.main import main


def _json(capsys, *args):
    assert main(["pendulum", "--json", *args]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_gait_is_answered(capsys):
    answer = _json(
        capsys, "--height", "1.7", "--mass", "70", "--speed", "1", "--frequency", "1.7", "--double-support", "0.15",
        "--seconds", "2",
    )  # fmt: skip
    assert answer["step_length_m"] == pytest.approx(0.588235, abs=1e-6)
    assert answer["start"]["pelvis_m"] == pytest.approx([-0.20248, 0.03283], abs=1e-5)
    assert answer["start"]["swing_foot_m"] == pytest.approx([-0.58824, 0.06], abs=1e-5)
    assert answer["start"]["pelvis_velocity_mps"] == pytest.approx([1.13472, -0.05998], abs=1e-5)
    torques = answer["torques"]
    assert len({len(values) for values in torques.values()}) == 1
    assert torques["stance_hip_sagittal_nm"][-1] == pytest.approx(-76.1, abs=0.1)
    assert answer["recovered"] is True


def test_pushes_and_files(capsys, tmp_path):
    out = tmp_path / "walk.bvh"
    answer = _json(capsys, "--seconds", "6", "--fps", "30", "--push", "0,40@1:0.4", "--out", str(out))
    assert answer["recovered"] is True
    assert out.read_text().startswith("HIERARCHY")
    assert answer["files"] == [str(out)]
    assert _json(capsys, "--seconds", "4", "--fps", "30", "--push", "200@1:0.6")["fell"] is True


def test_changes_turns_and_people(capsys):
    answer = _json(capsys, "--human", "--speed", "1.2", "--change", "0.9@1", "--turn", "8@1", "--seconds", "5")
    assert answer["footsteps"][-1]["heading_rad"] > 0.4
    assert answer["frequency_hz"] > 1.5


def test_words_for_people(capsys):
    assert main(["pendulum", "--seconds", "2", "--push", "20@0.5:0.2"]) == 0
    said = capsys.readouterr().out
    assert "m/s" in said
    assert "recovered" in said or "off its gait" in said


@pytest.mark.parametrize(
    "args",
    [
        ("--speed", "4"),
        ("--height", "9"),
        ("--push", "50"),
        ("--change", "fast"),
        ("--change", "1,2,3,4@1"),
        ("--turn", "80@1"),
        ("--out", "walk.doc"),
        ("--step-width", "wide"),
        ("--crowd", "-5"),
        ("--crowd", "10", "--device", "tpu"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(capsys, args):
    assert main(["pendulum", *args]) == 2
    caught = capsys.readouterr()
    assert caught.out == ""
    assert caught.err.startswith("footfall: ")
    assert caught.err.count("\n") == 1


def test_a_crowd_is_measured(capsys):
    assert _json(capsys, "--crowd", "40")["walkers"] == 40
