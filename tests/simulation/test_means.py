"""Means of what acts between samples: impulses are kept at any rate."""

import mujoco
import numpy as np
import pytest

from footfall import Record, Simulation


def recorded(rate: float, *runs: float, name: str = "walk", **options):
    simulation = Simulation(name, dt=0.001, record=Record(rate, ("grf", "qacc")), **options)
    for seconds in runs:
        simulation.run(seconds)
    return simulation


@pytest.mark.parametrize(
    ("name", "rate"),
    [("walk", 1000.0), ("walk", 200.0), ("walk", 40.0), pytest.param("walk-3d", 40.0, marks=pytest.mark.slow)],
)
def test_means_of_forces_change_the_momentum(name, rate):
    """m Δv = (mean of the ground's forces + weight) Δt, between any two samples."""
    simulation = recorded(rate, 2.0, name=name)
    trace, model = simulation.trace(), simulation.figure.model
    data, momentum = mujoco.MjData(model), []
    for qpos, qvel in zip(trace.qpos[:, 0], trace.qvel[:, 0], strict=True):
        data.qpos[:], data.qvel[:] = qpos, qvel
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        momentum.append(model.body_mass.sum() * data.subtree_linvel[0])
    force = trace.mean_grf[:-1, 0].sum(axis=1) + model.body_mass.sum() * model.opt.gravity
    change = np.diff(momentum, axis=0) * rate
    assert np.abs(change - force).max() < 0.01 * np.abs(force).max()


def test_means_do_not_depend_on_how_a_run_is_divided():
    whole, parts = recorded(60.0, 1.0).trace(), recorded(60.0, 0.003, 0.004, 0.3333, 0.002, 0.001, 0.6567).trace()
    for name in ("mean_grf", "mean_moment", "grf", "moment"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_means_of_means_are_means():
    fine, coarse = recorded(1000.0, 1.0).trace(), recorded(100.0, 1.0).trace()
    np.testing.assert_array_equal(fine.mean_grf, fine.grf)
    blocks = fine.grf.reshape(100, 10, *fine.grf.shape[1:]).mean(axis=1)
    np.testing.assert_allclose(coarse.mean_grf, blocks, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(coarse.grf, fine.grf[::10])
