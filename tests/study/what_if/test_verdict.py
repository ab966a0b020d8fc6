"""What a study says about a walk that misses its speed."""

from types import SimpleNamespace

from footfall.study.what_if import StartTrial, WhatIf


def found(speed: float, pace: float) -> WhatIf:
    walk = SimpleNamespace(speed=speed)
    return WhatIf("walk", (), None, None, walk, None, walk, {}, 8, pace)  # type: ignore[arg-type]


def test_a_walk_that_hardly_moves_is_no_success():
    assert found(1.0, 1.06).verdict == ""
    assert "0.22 m/s, where 1.06 m/s were wanted" in found(0.22, 1.06).verdict


def test_trials_in_words():
    assert str(StartTrial(20, 20, float("nan"))) == "20 of 20 disturbed starts stay up for 20 s"
    assert str(StartTrial(0, 20, 1.4)).endswith("stay up for 20 s; the others fall after 1.4 s on average")
