"""footfall's environments as Gymnasium has them: its own checker, its vectorisations, its autoreset modes, its
wrappers."""

import warnings

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

import warp as wp
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import footfall.gym
from footfall.errors import FootfallError
from footfall.learning.options import Options
from footfall.learning.setup import Setup
from tests.learning.test_worlds import actions_of
from tools.episodes import random_episodes

gym.register_envs(footfall.gym)

PLANAR = "footfall/PlanarWalk-v0"
SLOW = {f"footfall/Human28{what}-v0" for what in ("Walk", "Push", "Imitate", "Follow", "GetUp")}
QUICK = {"footfall/Human28GetUp-v0": {"falls": 0}}
"""Options with which they are made sooner."""
EVERY = [pytest.param(made.id, marks=pytest.mark.slow if made.id in SLOW else ()) for made in footfall.gym.IDS]


@pytest.mark.parametrize("id", EVERY)
def test_gymnasiums_checker_has_nothing_to_say(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        env = gym.make(id, width=64, height=48, **QUICK.get(id, {}))
        check_env(env.unwrapped)


@pytest.mark.parametrize("id", EVERY)
def test_random_episodes_stay_finite(id):
    """A few, and with ``python -m tools.episodes`` a thousand of every id."""
    assert random_episodes(id, 50, worlds=25, max_episode_steps=100, **QUICK.get(id, {})) >= 50


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_native_worlds_are_gymnasiums_vector_environment(mode):
    """Observations, rewards, endings and infos are those of single environments one after the other, bit for bit, in
    every autoreset mode and with resets by mask."""
    count, steps = 5, 40
    options = {"speed": (0.5, 1.5), "strength": 1.0}
    native = gym.make_vec(PLANAR, count, autoreset_mode=mode, max_episode_steps=25, **options)
    single = [lambda: gym.make(PLANAR, max_episode_steps=25, **options)] * count
    gymnasiums = SyncVectorEnv(single, autoreset_mode=mode)
    assert native.observation_space == gymnasiums.observation_space
    assert native.action_space == gymnasiums.action_space
    assert native.metadata["autoreset_mode"] == mode
    ours, theirs = native.reset(seed=3), gymnasiums.reset(seed=3)
    np.testing.assert_array_equal(ours[0], theirs[0])
    falls, ends = 0, 0
    for action in actions_of(count, 6, steps, scale=1.0) * np.linspace(0.02, 1.0, count)[:, None].astype(np.float32):
        ours, theirs = native.step(action), gymnasiums.step(action)
        for a, b in zip(ours[:4], theirs[:4], strict=True):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
        same(ours[4], theirs[4])
        falls, ends = falls + ours[2].sum(), ends + ours[3].sum()
        if mode == AutoresetMode.DISABLED and (done := ours[2] | ours[3]).any():
            ours, theirs = (env.reset(options={"reset_mask": done.copy()}) for env in (native, gymnasiums))
            np.testing.assert_array_equal(ours[0], theirs[0])
    assert falls > 0
    assert ends > 0


def same(ours, theirs):
    """Infos with the same keys and values; masks say which worlds have them."""
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        if isinstance(value, dict):
            same(ours[key], value)
        elif value.dtype == object:
            assert all(np.array_equal(a, b) for a, b in zip(ours[key], value, strict=True))
        else:
            np.testing.assert_array_equal(ours[key], value, err_msg=key)


def test_seeds_reproduce():
    env = gym.make_vec(PLANAR, 4)
    runs = []
    for seed in (7, np.int64(7), 8, [7, 8, 9, 10]):
        first, _ = env.reset(seed=seed)
        runs.append([first, *(env.step(action)[0] for action in actions_of(4, 6, 10))])
    np.testing.assert_array_equal(runs[0], runs[1])
    np.testing.assert_array_equal(runs[0], runs[3])
    assert not np.array_equal(runs[0], runs[2])
    again, _ = env.reset()
    assert not np.array_equal(again, runs[3][0])
    np.testing.assert_array_equal(runs[2][0][0], runs[0][0][1])


def test_environments_that_are_not_seeded_differ():
    first, second = (gym.make(PLANAR).reset()[0] for _ in range(2))
    assert not np.array_equal(first, second)


def test_one_world_is_the_single_environment():
    single, one = gym.make(PLANAR), gym.make_vec(PLANAR, 1)
    np.testing.assert_array_equal(single.reset(seed=5)[0], one.reset(seed=5)[0][0])
    for action in actions_of(1, 6, 5):
        a, b = single.step(action[0]), one.step(action)
        np.testing.assert_array_equal(a[0], b[0][0])
        assert a[1] == b[1][0]


def test_pictures_and_wrappers(tmp_path):
    env = gym.make(PLANAR, render_mode="rgb_array", width=96, height=64)
    env = gym.wrappers.RecordVideo(env, str(tmp_path), disable_logger=True) if has_moviepy() else env
    env = gym.wrappers.NormalizeObservation(gym.wrappers.TimeLimit(env, 3))
    observation, _ = env.reset(seed=0)
    frames = []
    for _ in range(3):
        observation, _, _, truncated, _ = env.step(env.action_space.sample())
        frames.append(env.render())
    assert truncated
    assert np.isfinite(observation).all()
    assert np.shape(frames[0]) == (64, 96, 3)
    assert frames[0].dtype == np.uint8
    assert (frames[0] != frames[2]).any()
    env.close()
    if has_moviepy():
        assert list(tmp_path.glob("*.mp4"))


def has_moviepy():
    try:
        import moviepy  # noqa: F401
    except ImportError:
        return False
    return True


def test_wrappers_of_vector_environments():
    env = gym.make_vec(PLANAR, 3, render_mode="rgb_array", width=48, height=32)
    env = gym.wrappers.vector.RecordEpisodeStatistics(gym.wrappers.vector.NormalizeReward(env))
    env = gym.wrappers.vector.NormalizeObservation(env)
    env.reset(seed=0)
    told = [env.step(env.action_space.sample())[4] for _ in range(300)]
    assert any("episode" in info for info in told)
    frames = env.render()
    assert len(frames) == 3
    assert frames[0].shape == (32, 48, 3)


def test_arrays_are_shared_with_other_libraries():
    """DLPack: what speaks it takes observations and gives actions without a copy on the way."""
    plain, shared = gym.make_vec(PLANAR, 3), gym.make_vec(PLANAR, 3, arrays="warp", autoreset_mode="SameStep")
    a, b = plain.reset(seed=1)[0], shared.reset(seed=1)[0]
    assert isinstance(b, wp.array)
    view = np.from_dlpack(b)
    assert view.__array_interface__["data"][0] == b.ptr
    np.testing.assert_array_equal(view, a)
    action = actions_of(3, 6, 1)[0]
    expected = plain.step(action)
    for given in (action, wp.array(action), DlpackOnly(action)):
        shared.reset(seed=1)
        answer = shared.step(given)
        for mine, other in zip(expected[:4], answer[:4], strict=True):
            np.testing.assert_array_equal(mine, np.from_dlpack(other))
        assert np.from_dlpack(answer[4]["reward_terms"]).shape[0] == 3


def test_actions_on_a_device_that_are_not_finite_count_as_zero():
    """They are not looked at on their way; the same action in NumPy is refused."""
    env = gym.make_vec(PLANAR, 2, arrays="warp")
    answers = []
    for value in (np.nan, np.inf, 0.0):
        env.reset(seed=0)
        action = np.full((2, 6), 0.2, dtype=np.float32)
        action[1, 3] = value
        answers.append([np.array(np.from_dlpack(array)) for array in env.step(wp.array(action))[:4]])
    for other in answers[:2]:
        for a, b in zip(other, answers[2], strict=True):
            np.testing.assert_array_equal(a, b)


class DlpackOnly:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "forces"}, "torques, targets, corrections"),
        ({"arrays": "cupy"}, "numpy, warp, torch, jax"),
        ({"decide": 0.1}, "decisions a second"),
        ({"decide": "step"}, "only corrections"),
        ({"action": "corrections"}, "controller="),
        ({"speed": (2.0, 1.0)}, "low, high"),
        ({"push": -5.0}, "at least 0"),
        ({"heading": 1.0}, "planar"),
        ({"terrain": "stepps:0.1"}, "did you mean 'steps'"),
        ({"weights": {"sped": 1.0}}, "did you mean 'speed'"),
        ({"speeed": 1.0}, "did you mean 'speed'"),
        ({"figure": "planar-bipd"}, "did you mean 'planar-biped'"),
        ({"camera": "below"}, "side, three-quarter"),
        ({"clip": "own"}, "controller="),
        ({"width": 1}, "from 32"),
        ({"noise": (0.1, -1.0)}, "at least 0"),
        ({"autoreset_mode": "Never"}, "Disabled, NextStep, SameStep"),
        ({"arrays": "jax"}, "not installed"),
    ],
)
def test_bad_options_are_refused_in_one_line(options, message):
    with pytest.raises(FootfallError, match=message) as error:
        gym.make_vec(PLANAR, 2, **options)
    assert "\n" not in str(error.value)


def test_corrections_name_what_can_be_corrected():
    with pytest.raises(FootfallError, match=r"targets.*gains"):
        gym.make(PLANAR, controller="walk", figure=None, action="corrections", correct={"swing_hipp.c_v": 0.1})


def test_bad_actions_and_resets_are_refused():
    env = gym.make_vec(PLANAR, 2, autoreset_mode="Disabled", max_episode_steps=1)
    with pytest.raises(FootfallError, match="reset the environment first"):
        env.step(np.zeros((2, 6)))
    env.reset(seed=0)
    with pytest.raises(FootfallError, match="row for each world"):
        env.step(np.zeros(6))
    with pytest.raises(FootfallError, match="world 1"):
        env.step(np.array([[0.0] * 6, [np.nan] * 6]))
    for options in ({"reset_mask": np.zeros(2, dtype=bool)}, {"reset_mask": [1, 0]}, {"mask": None}):
        with pytest.raises(FootfallError, match="reset_mask"):
            env.reset(options=options)
    env.step(np.zeros((2, 6)))
    with pytest.raises(FootfallError, match="world 0 has ended"):
        env.step(np.zeros((2, 6)))


def test_a_policy_is_watched(tmp_path):
    """A page, and a motion of the poses that the environment went through."""
    env = gym.make("footfall/PlanarTerrain-v0")
    page = footfall.gym.watch(env, lambda observation: 0.1 * np.ones(7), tmp_path / "film.html", seconds=1.0)
    assert "<html" in page.read_text(encoding="utf-8")
    motion = footfall.gym.record(env, seconds=1.0, seed=4)
    assert motion.seconds == pytest.approx(1.0, abs=0.05)
    env.reset(seed=4)
    for _ in range(10):
        env.step(np.zeros(7, dtype=np.float32))
    np.testing.assert_array_equal(motion.channels["qpos"][10], env.unwrapped.worlds.live["qpos"].numpy()[0])
    with pytest.raises(FootfallError, match="not one of footfall's"):
        footfall.gym.watch(gym.make("CartPole-v1"), out=tmp_path / "film.html")


def test_terrains_of_a_list_take_turns():
    """A random one among them stands for many, each of its own seed."""
    some = Setup.of(Options(figure="human-28", terrain=["flat", "random-steps:0.05"], terrains=6)).terrains
    assert [str(one).split(":")[0] for one in some] == ["flat", "random-steps"] * 3
    assert len({str(one) for one in some}) == 4
    assert len(Setup.of(Options(figure="human-28", terrain=["flat", "slope:3"], terrains=6)).terrains) == 2
