"""Training: PPO's parts against their formulas, and what training promises: seeds, checkpoints, controllers."""

from pathlib import Path

import numpy as np
import pytest
import warp as wp
from scipy.stats import norm

from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.kernels.start import start_warp
from footfall.learning.layers import Arrays, TorchArrays
from footfall.learning.options import Options
from footfall.learning.ppo import Ppo, PpoSettings, Standard, _log_prob_change, advantages
from footfall.learning.training import judge_policy, train_policy, unseen
from tests.learning.test_layers import random_network

OPTIONS = Options.of(controller="walk", action="corrections", terrain="random-steps:0.1", terrains=3)
SMALL = PpoSettings(worlds=8, horizon=8, epochs=2, batches=2, hidden=(8,))


def test_standard_is_mean_and_variance():
    rows, seen = np.random.default_rng(0).normal(3.0, 2.0, (1000, 4)).astype(np.float32), Standard(Arrays(), 4)
    for part in np.array_split(rows, 7):
        seen.see(part)
    assert seen.mean == pytest.approx(rows.mean(0), abs=1e-4)
    assert seen.variance == pytest.approx(rows.var(0), rel=1e-3)


class Still:
    """Worlds that observe random numbers, and reward actions near 1."""

    sizes = (5, 3)

    def __init__(self, worlds: int) -> None:
        self.worlds, self.random = worlds, np.random.default_rng(4)

    def observed(self, *, final: bool = False):
        rows = self.random.normal(2.0, 1.0, (self.worlds, 5)) * [1.0, 5.0, 0.1, 2.0, 1.0]
        return rows.astype(np.float32)

    def act(self, action):
        never = np.zeros(self.worlds, dtype=bool)
        return -((np.asarray(action) - 1.0) ** 2).mean(axis=1), never, never


def test_network_answers_as_the_actor_does():
    for policy in (None, random_network("elu")):
        ppo = Ppo(Still(50), PpoSettings(worlds=50, hidden=(16, 8), activation="elu"), Arrays(1), policy=policy)
        ppo.iterate()
        x = ppo.worlds.observed()
        assert ppo.network()(x) == pytest.approx(ppo.actor(ppo.seen(x)), abs=1e-4)


def test_what_is_rewarded_is_learned():
    ppo = Ppo(Still(64), PpoSettings(worlds=64, horizon=8, action_noise=0.5), Arrays(2))
    rewards = [ppo.iterate().reward for _ in range(60)]
    assert np.mean(rewards[-5:]) > 0.3 * np.mean(rewards[:5])
    assert ppo.std.mean() < 0.5


def test_log_probabilities_and_their_slopes_are_those_of_normal_distributions():
    """Of the ratio's logarithm, and of the deviation's gradient by finite differences."""
    random = np.random.default_rng(5)
    then, old = random.normal(size=(20, 3)), np.array([0.5, 0.3, 0.8])
    now, std = then + random.normal(0.0, 0.1, size=(20, 3)), np.array([0.4, 0.35, 0.7])
    expected = (norm.logpdf(now, scale=std) - norm.logpdf(then, scale=old)).sum(1)
    assert _log_prob_change(np, now, std, then, old) == pytest.approx(expected)
    same = (norm.logpdf(now, scale=0.3) - norm.logpdf(then, scale=0.3)).sum(1)
    assert _log_prob_change(np, now, 0.3, then, 0.3) == pytest.approx(same)


def test_advantages_are_discounted_errors():
    """Against the sum Σ (γλ)^k δ up to the end of an episode, written out."""
    rng = np.random.default_rng(2)
    reward, value = rng.normal(size=(2, 6, 2))
    after, ended = rng.normal(size=2), np.zeros((6, 2))
    ended[2, 0] = 1.0
    found = advantages(np, {"reward": reward, "value": value, "ended": ended}, after, 0.9, 0.8)
    following = np.vstack([value[1:], after])
    error = reward + 0.9 * following * (1.0 - ended) - value
    for w in range(2):
        for k in range(6):
            total, weight = 0.0, 1.0
            for j in range(k, 6):
                total += weight * error[j, w]
                weight *= 0.72 * (1.0 - ended[j, w])
            assert found[k, w] == pytest.approx(total)


@pytest.mark.parametrize("learns_noise", [True, False])
def test_both_libraries_learn_the_same(learns_noise):
    """From the same decisions: an epoch in torch leads where one in NumPy does."""
    torch = pytest.importorskip("torch", reason="NO TORCH: learning in torch was not tested")
    start_warp()
    settings = PpoSettings(worlds=32, horizon=8, hidden=(16, 8), learns_noise=learns_noise, entropy=0.01, batches=1)
    ours = Ppo(Still(32), settings, Arrays(1))
    theirs = Ppo(TorchStill(32), settings, TorchArrays(wp.get_device("cpu"), 1))
    theirs.load(ours.state() | {"random": np.array("")})
    steps, _ = ours._collected()
    given = {name: torch.tensor(rows) for name, rows in steps.items()}
    moved = [ppo._epoch(rows, ppo.std) for ppo, rows in ((ours, steps), (theirs, given)) for _ in range(3)]
    assert moved[2] == pytest.approx(moved[5], rel=1e-3)
    for own, other in ((ours.actor, theirs.actor), (ours.critic, theirs.critic)):
        assert own.values == pytest.approx(other.values.numpy(), abs=2e-4)


class TorchStill(Still):
    """The same in torch."""

    def observed(self, *, final: bool = False):
        import torch

        return torch.tensor(super().observed())

    def act(self, action):
        import torch

        return tuple(torch.tensor(rows) for rows in super().act(action))


def _train(folder: Path, decisions: int, **given):
    return train_policy(OPTIONS, SMALL, decisions=decisions, seed=3, episode=50, checkpoint=folder / "c.pt", **given)


def test_training_is_repeated_saved_and_continued(tmp_path: Path):
    """The same seed gives the same policy; a checkpoint continues, in its own environment alone; the controller's file
    holds the best network."""
    (tmp_path / "other").mkdir()
    first, controller = _train(tmp_path, 192)
    again, _ = _train(tmp_path / "other", 192)
    assert first.network.to_bytes() == again.network.to_bytes()
    assert first.last.to_bytes() == again.last.to_bytes()
    assert [row.decisions for row in first.history] == [64, 128, 192]
    save_controller(controller, tmp_path / "learned.toml")
    assert load_controller(tmp_path / "learned.toml").network.to_bytes() == first.network.to_bytes()
    more, _ = _train(tmp_path, 256, resume=True)
    assert [row.decisions for row in more.history] == [64, 128, 192, 256]
    assert more.history[:3] == first.history
    with pytest.raises(FootfallError, match="its environment differ"):
        train_policy(
            Options.of(**{**vars(OPTIONS), "speed": 1.2}), SMALL, decisions=1, checkpoint=tmp_path / "c.pt", resume=True
        )
    (tmp_path / "c.pt").write_bytes(b"PK no checkpoint")
    with pytest.raises(FootfallError, match="not a checkpoint of footfall train"):
        _train(tmp_path, 256, resume=True)


def test_interrupted_training_keeps_the_best(tmp_path: Path):
    def stop(share: float, done, speed: float) -> None:
        if done.decisions >= 128:
            raise KeyboardInterrupt

    saved = []
    trained, controller = _train(tmp_path, 10_000, progress=stop, save=saved.append)
    assert trained.stopped
    assert len(trained.history) == 2
    assert (tmp_path / "c.pt").is_file()
    assert saved[-1].network.to_bytes() == controller.network.to_bytes()


def test_judgement_counts_first_episodes():
    """Actions of nought are the controller alone, whatever the network that says so."""
    from footfall.methods.network.multilayer import Network

    silent = Network.of([np.zeros((7, 34))], [np.zeros(7)])
    alone, same = (judge_policy(unseen(OPTIONS), n, worlds=8, decisions=60) for n in (None, silent))
    assert np.array_equal(alone.survived, same.survived)
    assert np.array_equal(alone.seconds, same.seconds)
    assert (alone.seconds[alone.survived] == pytest.approx(60 * 0.02)) if alone.survived.any() else True


def test_what_cannot_be_trained_is_refused():
    for changes, words in (
        ({"action": "torques"}, "action is 'torques'"),
        ({"decide": "step"}, "decide is 'step'"),
    ):
        options = Options.of(**{**vars(OPTIONS), "terrain": "flat", **changes})
        with pytest.raises(FootfallError, match=words):
            train_policy(options, SMALL, decisions=1)
    with pytest.raises(FootfallError, match="batches is 100"):
        PpoSettings(worlds=4, horizon=4, batches=100)
    with pytest.raises(FootfallError, match="noise is 0"):
        PpoSettings(action_noise=0.0)
