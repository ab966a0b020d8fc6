"""The known sets of gains."""

from footfall.study.imitation.gain_search import LAW_RANGES, default_sets, split_set
from footfall.study.imitation.steering import steering_set


def test_sets_of_gains_are_within_what_is_searched():
    for values in default_sets():
        assert set(values) == set(LAW_RANGES)
        for name, (low, high) in LAW_RANGES.items():
            assert low <= values[name] <= high, name
        gains, settings = split_set(values)
        assert gains.c0 == values["c0"]
        assert settings.clip_feedforward == values["clip_feedforward"]


def test_the_set_for_steering_has_every_gain():
    assert set(steering_set()) >= set(LAW_RANGES)
