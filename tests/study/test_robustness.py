"""The battery of robustness, its report and its pictures; the commands."""

import json
from pathlib import Path

import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.study.robustness.report import BATTERY, robustness_reports
from footfall.study.sweeps.experiment import Experiment


def test_a_short_report(tmp_path: Path) -> None:
    from footfall.study.robustness.report import save_robustness_picture

    experiment = Experiment("walk", recovery=2.0)
    (report,) = robustness_reports(
        [experiment], only=["push_forward", "torque_limit"], replicas=1, phases=4, step=200.0
    )
    assert report.names == ["push_forward", "torque_limit"]
    assert 200.0 <= (report.margin("push_forward").value or 0.0) <= 1000.0
    assert 60.0 <= (report.margin("torque_limit").value or 0.0) <= 200.0
    assert report.margin("torque_limit").least
    assert json.loads(json.dumps(report.as_dict()))["margins"]["push_forward"]["unit"] == "N"
    save_robustness_picture([report, report], tmp_path / "r.png")
    assert (tmp_path / "r.png").stat().st_size > 5000
    with pytest.raises(FootfallError, match="unknown margin"):
        robustness_reports([experiment], only=["push_sideways"])


def test_a_gait_that_does_not_travel_has_no_terrain_margin() -> None:
    (report,) = robustness_reports([Experiment("in-place-walk")], only=["step_up"])
    assert report.margin("step_up").value is None
    assert "travel" in report.margin("step_up").note


def test_ladders_go_out_from_nominal() -> None:
    for test in BATTERY:
        steps = [b - a for a, b in zip(test.ladder, test.ladder[1:])]
        assert all(s > 0 for s in steps) or all(s < 0 for s in steps)


def test_commands_answer_json_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "s.nc"
    line = ["sweep", "walk", "--over", "0.swing_hip.c_v=0.15,0.2", "--seconds", "1", "--out", str(out), "--json"]
    assert main(line) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["worlds"] == 2
    assert out.exists()
    assert main(["sweep", "walk", "--over", "kp=1:2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["optimize", "walk", "--minimize", "torqe"]) == 2
    assert "did you mean 'torque'" in capsys.readouterr().err
    assert main(["robustness", "wlk"]) == 2
    assert "did you mean 'walk'" in capsys.readouterr().err
    assert main(["stability", "walk", "--over", "kp~uniform(0,1)"]) == 2
    assert "grid" in capsys.readouterr().err
