"""Cycles, chaos and falls told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.methods.limit_cycle import detect_cycle


@given(st.integers(1, 6), st.integers(0, 99))
def test_a_decaying_cycle_is_found_with_its_period(period, seed):
    random = np.random.default_rng(seed)
    orbit = np.cumsum(random.uniform(0.05, 0.2, (period, 2)), axis=0)
    steps = np.arange(60)
    values = orbit[steps % period] + 0.3 * 0.7 ** steps[:, None]
    found = detect_cycle(values)
    assert (found.kind, found.period) == ("cycle", period)
    assert 5 < found.settled < 25


def test_the_logistic_map_is_chaos():
    values = [0.3]
    for _ in range(79):
        values.append(3.9 * values[-1] * (1 - values[-1]))
    assert detect_cycle(np.array(values)[:, None]).kind == "chaos"


def test_a_fall_is_a_fall_however_regular_the_steps_before():
    values = np.zeros((60, 2))
    values[20:] = np.nan
    for fell in (False, True):
        found = detect_cycle(values, fell=fell)
        assert (found.kind, found.settled) == ("fall", 20)


def test_too_few_steps_are_no_ground_for_a_judgement():
    with pytest.raises(FootfallError, match="at least 4"):
        detect_cycle(np.zeros((3, 2)))
