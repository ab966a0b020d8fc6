"""stable-baselines3's PPO on footfall's native worlds, and its policy as a controller.

pip install 'footfall[learn]' stable-baselines3
python examples/stable_baselines3_worlds.py [DECISIONS]

It learns small corrections of a walk that footfall already has: ``PlanarTerrain-v0`` is SIMBICON's ``walk`` on random
steps of up to 10 cm, and an action of 1 moves a joint's target by 0.3 rad. With actions of zeros the biped walks as
``walk`` does, so that sb3-walk.toml walks says little. The default, 500,000 decisions of 64 worlds with one seed and
settings that nobody tuned, shows the way from worlds to a controller; whether the policy falls less often than ``walk``
was not measured. Compare them before using it: footfall robustness walk sb3-walk.toml. ``footfall train`` is what
trained the policies whose measurements the documentation has.
"""

import sys
from typing import Any

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

import footfall.gym
from footfall import save_controller
from footfall.learning import learned_controller
from footfall.methods.network import Network


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


def main(decisions: int) -> None:
    gym.register_envs(footfall.gym)
    worlds = Worlds("footfall/PlanarTerrain-v0", 64)
    model = PPO(
        "MlpPolicy", worlds, n_steps=32, batch_size=512, seed=1, device="cpu", policy_kwargs={"log_std_init": -1.2}
    )
    model.learn(decisions)
    policy = model.policy
    layers = [part for part in policy.mlp_extractor.policy_net if hasattr(part, "weight")] + [policy.action_net]
    weights, biases = zip(*((layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers))
    network = Network.of(weights, biases, "tanh")
    save_controller(learned_controller(worlds.worlds.unwrapped.worlds.setup, network, "sb3-walk"), "sb3-walk.toml")
    print("wrote sb3-walk.toml, corrections of walk; next: footfall robustness walk sb3-walk.toml")
    worlds.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)
