"""Any body by its file: robots of others, and Gymnasium's own models."""

import warnings
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

from gymnasium.utils.env_checker import check_env

import footfall.gym
from footfall.learning.options import Options
from footfall.learning.setup import Setup

gym.register_envs(footfall.gym)

ROBOTS = Path(__file__).parents[3] / "shared" / "data" / "robots"
FILES = ("unitree_g1/g1.xml", "unitree_h1/h1.xml", "robotis_op3/op3.xml", "pal_talos/talos_motor.xml")
there = pytest.mark.skipif(not ROBOTS.is_dir(), reason="NO ROBOTS: their models are not there (../shared/data/robots)")


@there
@pytest.mark.parametrize("file", FILES)
def test_actions_are_within_a_robots_motors_limits(file):
    """Torques of a robot's own joints, as far as its motors go, and targets inside the joints' ranges."""
    torques, targets = (Setup.of(Options.of(figure=ROBOTS / file, action=action)) for action in ("torques", "targets"))
    original = torques.figure.adoption.original
    assert 0 < len(torques.action.table) == len(targets.action.table) <= original.nu  # grippers are welded on
    for row in torques.action.table:
        assert row.high == torques.figure.joint(row.name).torque_limit < np.inf
    for row in targets.action.table:
        joint = targets.figure.joint(row.name)
        assert joint.lower - 1e-9 <= row.low <= row.high <= joint.upper + 1e-9


@there
@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_a_robot_is_an_environment(file):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        env = gym.make("footfall/Figure-v0", figure=ROBOTS / file, width=64, height=48)
        check_env(env.unwrapped)
    _, _ = env.reset(seed=0)
    stood = 0
    for _ in range(20):
        observation, _, terminated, _, _ = env.step(np.zeros(env.action_space.shape, dtype=np.float32))
        assert np.isfinite(observation).all()
        stood += not terminated
    assert stood == 20


def test_gymnasiums_own_models_are_figures():
    assets = Path(str(resources.files("gymnasium.envs.mujoco") / "assets"))
    for name, motors in (("walker2d.xml", 6), ("humanoid.xml", 17)):
        setup = Setup.of(Options.of(figure=assets / name))
        assert len(setup.action.table) == motors
