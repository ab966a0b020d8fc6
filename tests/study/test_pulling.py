"""Pulls that tear a body about: nothing diverges, and what falls lies on the floor."""

import pytest

from footfall.errors import FootfallError
from footfall.push import Push
from footfall.simulation import MujocoSimulation
from footfall.simulation.structures import STOPPED
from tools.pulling import pull_test


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
@pytest.mark.parametrize(("name", "dt"), [("walk-3d", 0.002), ("run-3d", 0.001)])
def test_pulls_from_all_sides_up_to_2000_newtons(name: str, dt: float) -> None:
    test = pull_test(name, worlds=24, dt=dt, seconds=14.0, seed=7)
    assert test.diverged == 0
    assert test.fell + test.upright == 24
    assert test.fell > 12
    assert test.moving <= 1  # a leg that was propped up may come down late
    assert test.sunk <= test.moving


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
@pytest.mark.parametrize("dt", [0.001, 0.002])
def test_a_light_body_thrown_250_metres_lands_in_one_piece_on_mujoco(dt: float) -> None:
    pull = Push([(-312.5, 1528.65, 635.9)], 2.1233, 1.8339)
    simulation = MujocoSimulation("tracked-walk", pushes=[pull], dt=dt, ragdoll_after_fall=True)
    assert simulation.run(9.0).fell.all()
    assert simulation.snapshot()["status"][0] != STOPPED
    assert simulation.qpos[0, 1] > 100.0


def test_planar_figures_are_pushed_in_other_ways() -> None:
    with pytest.raises(FootfallError, match="push maps"):
        pull_test("walk", worlds=2)
