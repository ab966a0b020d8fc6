"""Environments pickle and copy: a copy goes on as the original does, to the bit."""

import copy
import pickle

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

import footfall.gym
from tests.gym.test_environments import same
from tests.learning.test_worlds import actions_of

gym.register_envs(footfall.gym)

COPIES = {"pickle": lambda env: pickle.loads(pickle.dumps(env)), "deepcopy": copy.deepcopy}
OPTIONS = {"speed": (0.5, 1.5), "push": (50.0, 200.0), "terrain": "random-steps:0.05", "terrains": 4}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_worlds_go_on_in_a_copy(name, mode):
    """Through pushes, falls, the ends of episodes and the beginnings of new ones."""
    options = OPTIONS | {"autoreset_mode": mode, "max_episode_steps": 30}
    actions = actions_of(4, 6, 90, scale=1.0)
    own = gym.make_vec("footfall/PlanarWalk-v0", 4, **options)
    own.reset(seed=2)
    for action in actions[:20]:
        own.step(action)
    other = COPIES[name](own)
    ends = 0
    for action in actions[20:]:
        a, b = own.step(action), other.step(action)
        for mine, copied in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(mine, copied)
        same(b[4], a[4])
        ends += (a[2] | a[3]).sum()
    assert ends > 4
    np.testing.assert_array_equal(own.reset()[0], other.reset()[0])


@pytest.mark.parametrize("name", COPIES)
def test_a_single_environment_goes_on_in_a_copy(name):
    """Wrappers, a controller's memory, pictures, the random generators of Gymnasium's spaces, and the next episode."""
    own = gym.make("footfall/PlanarTerrain-v0", max_episode_steps=40, render_mode="rgb_array", width=64, height=48)
    own.reset(seed=4)
    own.action_space.seed(1)
    for _ in range(10):
        own.step(own.action_space.sample())
    picture = own.render()
    other = COPIES[name](own)
    np.testing.assert_array_equal(other.render(), picture)
    for _ in range(2):
        ended = False
        while not ended:
            action = own.action_space.sample()
            np.testing.assert_array_equal(action, other.action_space.sample())
            a, b = own.step(action), other.step(action)
            np.testing.assert_array_equal(a[0], b[0])
            assert a[1:] == b[1:]
            ended = a[2] or a[3]
        np.testing.assert_array_equal(own.reset()[0], other.reset()[0])


def test_a_copy_has_a_life_of_its_own():
    """Neither changes the other; one that was never reset begins with its seed."""
    fresh = gym.make("footfall/PlanarWalk-v0")
    copied = copy.deepcopy(fresh)
    np.testing.assert_array_equal(fresh.reset(seed=3)[0], copied.reset(seed=3)[0])
    before = fresh.unwrapped.worlds.snapshot()
    copied.step(np.ones(6, dtype=np.float32))
    copied.close()
    for name, array in fresh.unwrapped.worlds.snapshot().items():
        np.testing.assert_array_equal(array, before[name])
