"""Training: PPO's parts against their formulas, and what training promises: seeds, checkpoints, controllers."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="NO GYMNASIUM: training was not tested")
torch = pytest.importorskip("torch", reason="NO TORCH: training was not tested")

from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.learning.judging import judge, unseen
from footfall.learning.options import Options
from footfall.learning.ppo import Agent, Ppo, PpoSettings, Standard
from footfall.learning.training import train

OPTIONS = Options.of(controller="walk", action="corrections", terrain="random-steps:0.1", terrains=3)
SMALL = PpoSettings(worlds=8, horizon=8, epochs=2, batches=2, hidden=(8,))


def test_standard_is_mean_and_variance():
    rows, seen = np.random.default_rng(0).normal(3.0, 2.0, (1000, 4)), Standard(4, "cpu")
    for part in np.array_split(rows, 7):
        seen.see(torch.tensor(part, dtype=torch.float32))
    assert seen.mean.numpy() == pytest.approx(rows.mean(0), abs=1e-4)
    assert seen.variance.numpy() == pytest.approx(rows.var(0), rel=1e-3)


def test_network_answers_as_the_actor_does():
    torch.manual_seed(1)
    agent = Agent.of(5, 3, (16, 8), "elu", 0.3, "cpu")
    x = torch.randn(50, 5) * torch.tensor([1.0, 5.0, 0.1, 2.0, 1.0]) + 2.0
    agent.seen.see(x)
    with torch.no_grad():
        expected = agent.actor(agent.seen(x)).numpy()
    assert agent.network()(x.numpy()) == pytest.approx(expected, abs=1e-5)


def test_advantages_are_discounted_errors():
    """Against the sum Σ (γλ)^k δ up to the end of an episode, written out."""
    settings = PpoSettings(worlds=2, horizon=6, discount=0.9, trace=0.8)
    rng = np.random.default_rng(2)
    reward, value = rng.normal(size=(2, 6, 2))
    after, ended = rng.normal(size=2), np.zeros((6, 2))
    ended[2, 0] = 1.0
    steps = {n: torch.tensor(a) for n, a in (("reward", reward), ("value", value), ("ended", ended))}
    found = Ppo(None, None, settings)._advantages(steps, torch.tensor(after)).numpy()
    following = np.vstack([value[1:], after])
    error = reward + 0.9 * following * (1.0 - ended) - value
    for w in range(2):
        for k in range(6):
            total, weight = 0.0, 1.0
            for j in range(k, 6):
                total += weight * error[j, w]
                weight *= 0.72 * (1.0 - ended[j, w])
            assert found[k, w] == pytest.approx(total)


def _train(folder: Path, decisions: int, **given):
    return train(OPTIONS, SMALL, decisions=decisions, seed=3, episode=50, checkpoint=folder / "c.pt", **given)


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
        train(
            Options.of(**{**vars(OPTIONS), "speed": 1.2}), SMALL, decisions=1, checkpoint=tmp_path / "c.pt", resume=True
        )


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
    alone, same = (judge(unseen(OPTIONS), n, worlds=8, decisions=60) for n in (None, silent))
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
            train(options, SMALL, decisions=1)
    with pytest.raises(FootfallError, match="batches is 100"):
        PpoSettings(worlds=4, horizon=4, batches=100)
    with pytest.raises(FootfallError, match="noise is 0"):
        PpoSettings(noise=0.0)
