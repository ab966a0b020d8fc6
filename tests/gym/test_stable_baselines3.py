"""The example that gives footfall's worlds to stable-baselines3. Its training of a million decisions is a command that
docs/learning.md names; here the adapter's laws, and the whole example for a few decisions."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")
pytest.importorskip("stable_baselines3", reason="NO STABLE-BASELINES3: its example was not run")

import footfall.gym

gym.register_envs(footfall.gym)
NAME, MOST = "footfall/PlanarWalk-v0", 45


@pytest.fixture(scope="module")
def example():
    path = Path(__file__).parents[2] / "examples" / "stable_baselines3_worlds.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_worlds_are_single_environments_one_after_another(example):
    """To the bit: each world is the environment of its seed, begun anew where it ends, with the last observation and
    whether it ran out of time in its info."""
    worlds = example.Worlds(NAME, 4, max_episode_steps=MOST)
    worlds.seed(7)
    singles = [gym.make(NAME, max_episode_steps=MOST) for _ in range(4)]
    observed = worlds.reset()
    for w, env in enumerate(singles):
        np.testing.assert_array_equal(observed[w], env.reset(seed=7 + w)[0])
    random, ends = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(3 * MOST):
        actions = random.uniform(-1.0, 1.0, (4, 6)).astype(np.float32)
        actions[0] = 0.0
        observed, rewards, dones, infos = worlds.step(actions)
        for w, env in enumerate(singles):
            after, reward, fell, late, _ = env.step(actions[w])
            assert rewards[w] == reward
            assert dones[w] == (fell or late)
            if dones[w]:
                np.testing.assert_array_equal(infos[w]["terminal_observation"], after)
                assert infos[w]["TimeLimit.truncated"] == (late and not fell)
                ends[infos[w]["TimeLimit.truncated"]] += 1
                after, _ = env.reset()
            else:
                assert infos[w] == {}
            np.testing.assert_array_equal(observed[w], after)
    assert min(ends.values()) > 0
    worlds.close()


def test_the_network_is_the_policys_mean_of_what_it_was_trained_on(example):
    worlds = example.VecNormalize(example.VecMonitor(example.Worlds(NAME, 4)))
    model = example.PPO("MlpPolicy", worlds, n_steps=16, seed=1, device="cpu")
    model.learn(64)
    worlds.training = False
    network, seen = example.network_of(model), worlds.reset()
    for _ in range(20):
        mean, _ = model.predict(seen, deterministic=True)
        action = np.clip(network(worlds.get_original_obs()), -1.0, 1.0)
        inside = np.abs(seen).max(axis=1) < worlds.clip_obs  # what is far from all it has seen is cut off there alone
        assert inside.any()
        np.testing.assert_allclose(action[inside], mean[inside], atol=1e-4)
        seen = worlds.step(mean)[0]
    worlds.close()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("PlanarWalk-v0", {"sb3-walk.html"}),
        pytest.param("PlanarTerrain-v0", {"sb3-walk.html", "sb3-walk.toml"}, marks=pytest.mark.slow),
    ],
)
def test_the_example_trains_tries_and_writes(example, name, made, tmp_path, monkeypatch, capsys):
    """A sixteenth of its rollout, so that it is tried after 2,048 decisions."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(example, "ROLLOUT", 128)
    example.main(name, 2048, 1)
    assert {path.name for path in tmp_path.iterdir()} == made
    told = capsys.readouterr().out
    assert "2,048 decisions" in told
    assert "100 new episodes" in told
    if "sb3-walk.toml" in made:
        assert footfall.Simulation("sb3-walk.toml").run(0.5).survived.all()
