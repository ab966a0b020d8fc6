"""Trials: k of n over disturbed starts and step sizes."""

import numpy as np

from footfall.control import load_controller
from footfall.figures import Figure
from footfall_reproductions.trials import DTS, NOISES, disturbed_starts, run_trials, start_of, still_walking


def test_trials_count_starts_and_steps() -> None:
    trials = run_trials("walk", 1.0, still_walking(1, 1.0), draws=2)
    assert trials.tried == len(DTS) * (1 + 2 * len(NOISES))
    assert trials.passed == trials.tried
    assert run_trials("walk", 1.0, still_walking(1, -1.0), draws=1).passed == 0
    assert "2 ms" in trials.parts
    assert "undisturbed" in trials.parts


def test_disturbed_starts_are_small_different_and_repeatable() -> None:
    figure = Figure.load("planar-biped")
    qpos, qvel = start_of(load_controller("walk"), figure)
    starts, rates, noise = disturbed_starts(figure, qpos, qvel, draws=3)
    again = disturbed_starts(figure, qpos, qvel, draws=3)
    assert np.array_equal(starts, again[0])
    assert np.allclose(starts[0], qpos)
    assert len({tuple(row) for row in starts}) == 7
    assert np.all(np.abs(starts - qpos).max(axis=1) <= 6 * noise + 1e-12)
    assert np.all(np.abs(rates - qvel).max(axis=1) <= 30 * noise + 1e-12)
