"""The benchmark measures what it says, whatever the machine."""

import json

import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.simulation.bench import BenchResult, measure_speed


def test_it_refuses_what_it_cannot_measure():
    with pytest.raises(FootfallError, match="repeats is 0"):
        measure_speed(repeats=0)
    with pytest.raises(FootfallError, match="choose 'cpu' or 'cuda'"):
        measure_speed("tpu")


def test_measures_print_as_lines_and_as_one_object(capsys, monkeypatch):
    measures = [
        BenchResult("a", "a step", 0.25, "µs"),
        BenchResult("b", "a ratio", 0.2, "", "<= 0.125", False),
        BenchResult("c", "a rival", None, "steps/s", note="mujoco_warp is not installed"),
    ]
    monkeypatch.setattr("footfall.simulation.bench.measure_speed", lambda device, repeats: measures)
    assert main(["run", "--bench"]) == 0
    assert "does not hold" in capsys.readouterr().out
    assert main(["run", "--bench", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["device"] == "cpu"
    assert [m["value"] for m in told["measures"]] == [0.25, 0.2, None]


@pytest.mark.slow
def test_the_cpu_measures_are_all_there(monkeypatch):
    monkeypatch.setattr("footfall.simulation.bench.ROUNDS", 1)
    found = {m.id: m for m in measure_speed(repeats=1)}
    assert found.keys() >= {"planar_ratio", "human_ratio", "threads", "walk_speedup"}
    assert all(m.value is not None and m.value > 0 for m in found.values())
    ratio = found["planar_step"].value / found["planar_mj_step"].value
    assert found["planar_ratio"].value == pytest.approx(ratio)
