"""What a study says about a walk that misses its speed, and about one that is no better than the unadapted walk."""

from itertools import product
from types import SimpleNamespace

import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.study import what_if as study
from footfall.study.what_if import ChangedWalker, JudgedWalk, Load, StartTrial, WhatIf, two_sided


def found(speed: float, pace: float) -> WhatIf:
    walk = SimpleNamespace(speed=speed)
    return WhatIf("walk", (), None, None, walk, None, walk, {}, 8, pace)  # type: ignore[arg-type]


def test_a_walk_that_hardly_moves_is_no_success():
    assert found(1.0, 1.06).verdict == ""
    assert "0.22 m/s, where 1.06 m/s were wanted" in found(0.22, 1.06).verdict


def test_trials_in_words():
    assert str(StartTrial(20, 20, float("nan"))) == "20 of 20 disturbed starts stay up for 20 s"
    assert str(StartTrial(0, 20, 1.4)).endswith("stay up for 20 s; the others fall after 1.4 s on average")


@pytest.fixture(scope="module")
def loaded() -> ChangedWalker:
    """The walk in space, for both sides, with 5 kg at its left hip."""
    graph = load_graph("walk-3d")
    figure = Figure.load(graph.figure)
    return Load("left", 5.0).applied(ChangedWalker(figure, two_sided(graph, figure)))


@pytest.mark.parametrize(
    ("cost", "own_cost", "up", "own_up", "falls", "own_falls"),
    [*product((10.0, 300.0, 5000.0), (100.0, 300.0), (0, 12, 20), (0, 12), (False, True), (False, True))],
)
def test_the_result_is_never_worse_than_the_unadapted_walk(
    monkeypatch, loaded, cost, own_cost, up, own_up, falls, own_falls
):
    """Whatever the search found: it stays up from no fewer starts and costs no more; else the result is the unadapted
    walk, which is said."""
    found, walk = loaded.graph.changed(name="found"), SimpleNamespace(speed=1.0)
    step_time = {"step_time": {"both": SimpleNamespace(mean=0.5)}}
    before = SimpleNamespace(speed=1.0, parameters=step_time)
    analysed = {"walk-3d": None if own_falls else walk, "walk-3d-adapted": None if falls else SimpleNamespace(speed=1)}
    monkeypatch.setattr(study, "adapted_walk", lambda *_, **__: JudgedWalk(found, cost, own_cost, 3))
    monkeypatch.setattr(study, "simulated_walk", lambda *_, **__: None)
    monkeypatch.setattr(study, "analyse", lambda *_, **__: before)
    monkeypatch.setattr(study, "_analysed", lambda graph, *_: analysed[graph.name])
    monkeypatch.setattr(Load, "applied", lambda *_: loaded)
    trial = {"walk-3d": own_up, "walk-3d-adapted": up}
    monkeypatch.setattr(study, "_trial", lambda graph, *_: StartTrial(trial[graph.name], 20, 1.0))
    better = cost < own_cost and up >= own_up and not falls
    if falls and own_falls:
        with pytest.raises(FootfallError, match="falls before a whole gait cycle"):
            study.what_if("walk-3d", [Load("left", 5.0)])
        return
    result = study.what_if("walk-3d", [Load("left", 5.0)])
    if better or own_falls:
        assert result.controller.name == "walk-3d-adapted"
        assert "unadapted" not in result.verdict
    else:
        assert result.after is result.unadapted is walk
        assert result.trials["after"] == result.trials["unadapted"]
        assert result.controller.name == "walk-3d-unadapted"
        assert result.controller.states == loaded.graph.states
        assert "nothing better than the unadapted walk was found in 3 generations" in result.verdict
        assert len(result.analyses) == 2
