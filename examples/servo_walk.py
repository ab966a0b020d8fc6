"""Trains a policy in the convention of legged_gym and its kin, and writes it as an ONNX file.

    pip install 'footfall[onnx]'
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

from footfall.learning import AUTORESET, Arrays, EnvironmentWorlds, Options, PolicyWorlds, Ppo, PpoSettings
from footfall.methods.network import save_onnx

TABLE = Path(__file__).parent / "learned" / "servo-walk.toml"
REACH = 1.25
OPTIONS = {"controller": "walk", "action": "targets", "clip": "own", "reach": REACH, "noise": (0.02, 0.1)}
PUSHES = {"push": (0.0, 150.0)}
SETTINGS = PpoSettings(hidden=(64, 64), action_noise=0.8)
DECISIONS, EPISODE = 2_000_000, 500


class TheirWorlds:
    """Native worlds that are seen and driven through a policy's own table."""

    def __init__(self, worlds: PolicyWorlds, table: dict[str, Any]) -> None:
        self.worlds, setup = worlds, worlds.worlds.setup
        self.names = [row.name for row in setup.observations]
        self.blocks, servos = table["observations"], table["servos"]
        own = [row.name for row in setup.action.table]
        home = [float(setup.figure.default_qpos[setup.figure.joint(name).qpos]) for name in servos["joints"]]
        self.order = [servos["joints"].index(name) for name in own]
        self.middle = np.subtract(servos["default"], home).astype(np.float32)
        self.scale, self.limit = servos["scale"], table["limit"]
        self.last = self.past = np.zeros((worlds.worlds.count, len(own)), dtype=np.float32)
        self.sizes = sum(len(block["names"]) for block in self.blocks), len(own)

    def act(self, action: Any) -> tuple[Any, Any, Any]:
        moved = (self.middle + self.scale * action.clip(-self.limit, self.limit)) / REACH
        reward, fell, late = self.worlds.act(moved[:, self.order])
        self.past, self.last = action, np.where((fell | late)[:, None], np.float32(0.0), action)
        return reward, fell, late

    def observed(self, *, final: bool = False) -> Any:
        """The table's numbers of the environment's observations."""
        observed, last = self.worlds.observed(final=final), self.past if final else self.last
        pitch = observed[:, self.names.index("pitch")]
        more = {"up_x": np.sin(pitch), "up_z": np.cos(pitch)}
        more |= {f"action_{k}": last[:, k] for k in range(last.shape[1])}
        columns = []
        for block in self.blocks:
            x = [more[name] if name in more else observed[:, self.names.index(name)] for name in block["names"]]
            columns.append(block.get("scale", 1.0) * (np.stack(x, 1) - np.float32(block.get("offset", 0.0))))
        return np.concatenate(columns, 1).astype(np.float32)


def main(seed: int, out: Path) -> None:
    text = TABLE.read_text(encoding="utf-8").replace('"servo-walk.onnx"', f'"{out.name}"')
    table, arrays = tomllib.loads(text), Arrays(seed)
    native = EnvironmentWorlds(
        Options.of(**OPTIONS, **PUSHES), SETTINGS.worlds, most=EPISODE, mode=AUTORESET["SameStep"]
    )
    worlds = PolicyWorlds(native, arrays)
    worlds.reset(seed)
    training = Ppo(TheirWorlds(worlds, table), SETTINGS, arrays)
    while training.decisions < DECISIONS:
        done = training.iterate()
        if done.decisions // 100_000 != (done.decisions - SETTINGS.worlds * SETTINGS.horizon) // 100_000:
            print(f"{done.decisions:,} decisions: reward {done.reward:.2f}, {done.survived:.0%} survive", flush=True)
            save_onnx(training.network(), out)
    save_onnx(training.network(), out)
    out.with_suffix(".toml").write_text(text, encoding="utf-8")
    native.close()
    print(f"wrote {out}; next: footfall run {out.with_suffix('.toml')}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 1, Path(given[1] if given[1:] else "servo-walk.onnx"))
