"""What hardware a controller bears, as counts of starts."""

from tools import hardware_limits as study


def test_counts_are_of_starts_and_fall_with_the_hardship(monkeypatch) -> None:
    loop = study.Condition(study.LOOP, "control_rate", (2000.0, 100.0), {})
    late = study.Condition(study.LOOP, "actuator_delay", (0.02,), {"control_rate": 2000.0})
    monkeypatch.setattr(study, "CONDITIONS", (loop, late))
    answers = study.hardware_limits("walk", starts=3, seconds=3.0)
    assert answers == [("control_rate", {2000.0: 3, 100.0: 0}), ("actuator_delay", {0.02: 0})]
