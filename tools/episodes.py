"""Random episodes of every environment, to see that nothing turns to NaN.

python -m tools.episodes [EPISODES=1000] [ID …]
"""

import sys
from typing import Any

import gymnasium as gym
import numpy as np

from footfall.gym.registration import IDS, register


def random_episodes(id: str, episodes: int, *, worlds: int = 100, seed: int = 0, **options: Any) -> int:
    """How many random episodes ended, at least as many as asked for; an error where a number is not finite."""
    register()
    env = gym.make_vec(id, worlds, **options)
    env.action_space.seed(seed)
    observed, _ = env.reset(seed=seed)
    ended, steps = 0, 0
    while ended < episodes:
        observed, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        steps += 1
        if not (np.isfinite(observed).all() and np.isfinite(reward).all()):
            raise FloatingPointError(f"{id}: a number is not finite at step {steps}")
        ended += int((terminated | truncated).sum())
    env.close()
    return ended


def main(arguments: list[str]) -> int:
    """The command line."""
    count = int(arguments[0]) if arguments else 1000
    for made in (m for m in IDS if m.id in arguments[1:] or not arguments[1:]):
        print(f"{made.id}: {random_episodes(made.id, count)} episodes, every number finite")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
