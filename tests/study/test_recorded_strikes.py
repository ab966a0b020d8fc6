"""Strikes found in a record are those at which a pausing kernel stops."""

import numpy as np
import pytest

from footfall.study.sweeps.conditions import Conditions
from footfall.study.sweeps.experiment import Experiment, strike_times
from footfall.study.trials.pushing import recorded_strikes


@pytest.mark.parametrize("noise", [0.02, 1.2])
def test_a_record_finds_the_strikes_that_a_pausing_kernel_stops_at(noise):
    """With a start that is far off, some worlds fall before they are at their strike."""
    experiment = Experiment("walk", settle=2.0)
    values = {"start.noise": np.full(4, noise), "replica": 1.0 + np.arange(4), "push.phase": np.zeros(4)}
    conditions = Conditions(experiment, values, 4)
    paused = conditions.simulation()
    strike, stride, still = strike_times(paused, experiment.settle)
    found, *others = recorded_strikes(conditions, experiment.settle, efforts=True)
    assert np.isfinite(strike).any() == (noise < 1)
    for mine, theirs in zip(others, (strike, stride, still), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    up = np.isfinite(strike)
    before, now = paused.snapshot(), found.snapshot()
    given_up = {"state", "qacc"}  # a pausing kernel has evaluated the step that it does not take
    for name, array in before.items():
        if name in given_up:
            continue
        np.testing.assert_allclose(now[name][up], array[up], rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_array_equal(found.outcome().survived, paused.outcome().survived)
