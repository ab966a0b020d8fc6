"""Trains a policy in the convention of legged_gym and its kin, and writes it as an ONNX file.

    pip install 'footfall[learn,onnx]'
    python examples/servo_walk.py [SEED] [OUT]
    footfall run servo-walk.toml

What the policy observes and does is the table in ``examples/learned/servo-walk.toml``, which is copied beside it and
later runs it: turn rate, gravity, command, joints, joint rates and last action, in its own order and scales. In
training it is rewarded for moving like SIMBICON's walk, which it does not see, while it is pushed.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import torch

from footfall.gym.environments import WalkVectorEnv
from footfall.learning.ppo import Agent, Ppo, PpoSettings
from footfall.methods.network.onnx_files import save_onnx

TABLE = Path(__file__).parent / "learned" / "servo-walk.toml"
REACH = 1.25
OPTIONS = {"controller": "walk", "action": "targets", "clip": "own", "reach": REACH, "noise": (0.02, 0.1)}
PUSHES = {"push": (0.0, 150.0)}
SETTINGS = PpoSettings(hidden=(64, 64), noise=0.8)
DECISIONS, EPISODE = 2_000_000, 500


class TheirWorlds:
    """Native worlds that are seen and driven through a policy's own table."""

    def __init__(self, env: WalkVectorEnv, table: dict[str, Any]) -> None:
        self.env, setup = env, env.worlds.setup
        self.names = [row.name for row in setup.observations]
        self.blocks, servos = table["observations"], table["servos"]
        own = [row.name for row in setup.action.table]
        home = [float(setup.figure.default_qpos[setup.figure.joint(name).qpos]) for name in servos["joints"]]
        self.order = [servos["joints"].index(name) for name in own]
        self.middle = torch.tensor(np.subtract(servos["default"], home), dtype=torch.float32)
        self.scale, self.clip = servos["scale"], table["clip"]
        self.last = torch.zeros(env.num_envs, len(own))

    @property
    def size(self) -> int:
        return sum(len(block["names"]) for block in self.blocks)

    def reset(self, *, seed: int) -> tuple[Any, dict[str, Any]]:
        observed, info = self.env.reset(seed=seed)
        self.last.zero_()
        return self.seen(observed), info

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        moved = (self.middle + self.scale * action.clamp(-self.clip, self.clip)) / REACH
        observed, reward, fell, late, info = self.env.step(moved[:, self.order].contiguous())
        self.last = action
        final = self.seen(info["final_obs"])
        self.last = torch.where((fell.bool() | late.bool())[:, None], 0.0, action)
        return self.seen(observed), reward, fell, late, {"final_obs": final}

    def seen(self, observed: Any) -> Any:
        """The table's numbers of observations [worlds, D] of the environment."""
        pitch = observed[:, self.names.index("pitch")]
        more = {"up_x": pitch.sin(), "up_z": pitch.cos()}
        more |= {f"action_{k}": self.last[:, k] for k in range(self.last.shape[1])}
        columns = []
        for block in self.blocks:
            x = [more[name] if name in more else observed[:, self.names.index(name)] for name in block["names"]]
            offset = torch.tensor(block.get("offset", 0.0), dtype=torch.float32)
            columns.append(block.get("scale", 1.0) * (torch.stack(x, 1) - offset))
        return torch.cat(columns, 1)


def main(seed: int, out: Path) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    text = TABLE.read_text(encoding="utf-8").replace('"servo-walk.onnx"', f'"{out.name}"')
    table = tomllib.loads(text)
    env = WalkVectorEnv(
        SETTINGS.worlds, max_episode_steps=EPISODE, autoreset_mode="SameStep", arrays="torch", **OPTIONS, **PUSHES
    )
    worlds = TheirWorlds(env, table)
    agent = Agent.of(
        worlds.size, worlds.last.shape[1], SETTINGS.hidden, SETTINGS.activation, SETTINGS.noise, torch.device("cpu")
    )
    training = Ppo(worlds, agent, SETTINGS)
    training.begin(seed)
    while training.decisions < DECISIONS:
        done = training.iterate()
        if done.decisions // 100_000 != (done.decisions - SETTINGS.worlds * SETTINGS.horizon) // 100_000:
            print(f"{done.decisions:,} decisions: reward {done.reward:.2f}, {done.survived:.0%} survive", flush=True)
            save_onnx(agent.network(), out)
    save_onnx(agent.network(), out)
    out.with_suffix(".toml").write_text(text, encoding="utf-8")
    env.close()
    print(f"wrote {out}; next: footfall run {out.with_suffix('.toml')}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 1, Path(given[1] if given[1:] else "servo-walk.onnx"))
