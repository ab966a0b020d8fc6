"""stable-baselines3's PPO on footfall's native worlds.

pip install 'footfall[learn]' stable-baselines3
python examples/stable_baselines3_worlds.py [ENVIRONMENT [DECISIONS [SEED]]]

By default the planar biped learns to walk by torques, from nothing: ``PlanarWalk-v0``, a million decisions, and
``sb3-walk.html`` plays an episode. PPO's settings are its defaults. Its rollout of 2,048 decisions is shared by 16
worlds, which makes a decision cheap, and observations and rewards are normalised as they come (``VecNormalize``).

Where an action is a target or a correction, the policy is also written as a controller, sb3-walk.toml, which all of
footfall's commands take. ``PlanarTerrain-v0`` is SIMBICON's ``walk`` on random steps of up to 10 cm, and an action of 1
moves a joint's target by 0.3 rad. With actions of zeros the biped walks as ``walk`` does, so that sb3-walk.toml walks
says little; compare them before using it: footfall robustness walk sb3-walk.toml.
"""

import sys
import time
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

import footfall.gym
from footfall import save_controller
from footfall.learning import learned_controller
from footfall.methods.network import Network

WORLDS, ROLLOUT = 16, 2048
"""Worlds side by side, and decisions of all of them between two updates: PPO's default for a single world."""


class Worlds(VecEnv):
    """footfall's vector environment, as stable-baselines3 takes one."""

    def __init__(self, name: str, count: int, **options: Any) -> None:
        self.worlds: Any = gym.make_vec(name, count, autoreset_mode="SameStep", **options)
        super().__init__(count, self.worlds.single_observation_space, self.worlds.single_action_space)

    def reset(self) -> Any:
        return self.worlds.reset(seed=self._seeds[0])[0]

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        observed, reward, fell, late, info = self.worlds.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for w in np.flatnonzero(fell | late):
            truncated = bool(late[w] and not fell[w])
            infos[w] = {"terminal_observation": info["final_obs"][w], "TimeLimit.truncated": truncated}
        return observed, reward, fell | late, infos

    def close(self) -> None:
        self.worlds.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.worlds, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError("worlds are alike")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        raise NotImplementedError("worlds are alike")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def network_of(model: PPO) -> Network:
    """The policy's mean action of plain observations."""
    layers = [part for part in model.policy.mlp_extractor.policy_net if hasattr(part, "weight")]
    layers.append(model.policy.action_net)
    weights, biases = zip(*((layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers))
    seen = model.get_vec_normalize_env().obs_rms
    return Network.of(weights, biases, "tanh").standardised(seen.mean, np.sqrt(seen.var + 1e-8))


def lengths(name: str, network: Network, count: int, seed: int) -> Any:
    """[count] decisions that episodes last under the mean action; they begin at seeds that no training has used."""
    worlds: Any = gym.make_vec(name, count, autoreset_mode="SameStep")
    observed, _ = worlds.reset(seed=seed)
    lasts, going = np.zeros(count, dtype=int), np.ones(count, dtype=bool)
    while going.any():
        observed, _, fell, late, _ = worlds.step(np.clip(network(observed), -1.0, 1.0))
        lasts += going
        going &= ~(fell | late)
    worlds.close()
    return lasts


class UntilAllWalk(BaseCallback):
    """Tries the mean action in 50 episodes, every 32,768 decisions. The longest-lasting network is kept; training ends
    where all episodes last to their end.

    Attributes:
        best: mean length and network.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.began = name, time.process_time()
        self.best: tuple[float, Network] | None = None

    def _on_step(self) -> bool:
        if self.num_timesteps % (16 * ROLLOUT):
            return True
        network = network_of(self.model)
        found = lengths(self.name, network, 50, 2 * 10**6)
        if self.best is None or found.mean() > self.best[0]:
            self.best = found.mean(), network
        explored = np.mean([episode["l"] for episode in self.model.ep_info_buffer])
        minutes = (time.process_time() - self.began) / 60.0
        print(
            f"{self.num_timesteps:9,} decisions, {minutes:4.1f} min of processor time: episodes of {found.mean():.0f} "
            f"decisions, {explored:.0f} while exploring",
            flush=True,
        )
        return bool(found.mean() < gym.spec(self.name).max_episode_steps)


def trained(name: str, decisions: int, seed: int) -> Network:
    """The best network of a training of at most so many decisions."""
    worlds = VecNormalize(VecMonitor(Worlds(name, WORLDS)))
    corrects = gym.spec(name).kwargs.get("action") == "corrections"
    policy = {"log_std_init": -1.2} if corrects else {}  # a correction begins small: the walk is there already
    model = PPO("MlpPolicy", worlds, n_steps=ROLLOUT // WORLDS, seed=seed, device="cpu", policy_kwargs=policy)
    trial = UntilAllWalk(name)
    model.learn(decisions, callback=trial)
    worlds.close()
    return trial.best[1] if trial.best else network_of(model)


def main(name: str, decisions: int, seed: int) -> None:
    gym.register_envs(footfall.gym)
    torch.set_num_threads(1)  # layers of 64 numbers are too small to share
    name = f"footfall/{name}"
    network = trained(name, decisions, seed)
    found, whole = lengths(name, network, 100, 10**6), gym.spec(name).max_episode_steps
    print(f"100 new episodes: mean length {found.mean():.0f}, {(found == whole).sum()} reach {whole} decisions")
    env = gym.make(name)
    footfall.gym.watch(env, lambda observed: np.clip(network(observed), -1.0, 1.0), out="sb3-walk.html")
    print("wrote sb3-walk.html")
    if env.unwrapped.options.action != "torques":
        save_controller(learned_controller(env.unwrapped.worlds.setup, network, "sb3-walk"), "sb3-walk.toml")
        print("wrote sb3-walk.toml; next: footfall robustness walk sb3-walk.toml")
    env.close()


if __name__ == "__main__":
    given = [*sys.argv[1:], *("PlanarWalk-v0", "1000000", "1")[len(sys.argv) - 1 :]]
    main(given[0], int(given[1]), int(given[2]))
