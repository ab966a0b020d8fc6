"""A learning environment: an episode of the planar biped on random steps, its actions left at zero, as a film.

python examples/environment.py
"""

import gymnasium as gym
import numpy as np

import footfall.gym

if __name__ == "__main__":
    gym.register_envs(footfall.gym)
    envs = gym.make_vec("footfall/PlanarTerrain-v0", num_envs=64)
    observations, _ = envs.reset(seed=1)
    rewards = np.zeros(64)
    for _ in range(50):
        observations, reward, *_ = envs.step(np.zeros_like(envs.action_space.sample()))
        rewards += reward
    print(f"mean return of 50 decisions in {len(rewards)} worlds: {rewards.mean():.1f}")
    env = gym.make("footfall/PlanarTerrain-v0")
    footfall.gym.watch(env, out="environment.gif", seconds=3.0, size=(480, 270), fps=15)
    print("see environment.gif")
