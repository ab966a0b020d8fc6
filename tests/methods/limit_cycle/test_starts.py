"""Balanced walks from given starts."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.figures import Figure
from footfall.methods.limit_cycle import BalancedWalk, hip_control
from footfall.study.sweeps.conditions import perturbed_starts


@pytest.mark.slow
def test_balanced_walkers_start_where_they_are_told() -> None:
    """Each walker walks as it would alone from its own start."""
    figure = Figure.load("human")
    start = load_controller("human-walk").start
    noise = np.array([0.0, 1e-6, 1e-3])
    qpos, qvel = perturbed_starts(figure, np.array(start.qpos), np.array(start.qvel), noise, np.arange(3))
    control = hip_control("F-L", targets=(0.25, 0.0))
    together = BalancedWalk("human-walk", control, walkers=3, qpos=qpos, qvel=qvel, dt=0.002).walk(2)
    assert np.array_equal(together.start[0], qpos)
    alone = BalancedWalk("human-walk", control, qpos=qpos[2], qvel=qvel[2], dt=0.002).walk(2)
    assert np.array_equal(together.values[:, 2], alone.values[:, 0])
    assert not np.array_equal(together.values[:, 2], together.values[:, 0])
