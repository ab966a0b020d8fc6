"""A policy practises clips on a GPU: with thousands of worlds side by side, in torch.

Hard parts of clips, counted in torch, on the device that the worlds are on.
"""

from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
import warp as wp
from numpy.typing import NDArray

from footfall.gym.environments import WalkVectorEnv
from footfall.learning.judging import on_stream
from footfall.learning.options import Options
from footfall.learning.ppo import LEAST_VARIANCE, Agent, Ppo, PpoSettings
from footfall.learning.practice import PART, HardParts
from footfall.learning.worlds import EnvironmentWorlds
from footfall.methods.network.multilayer import Network


class TorchHardParts(HardParts):
    """Hard parts whose counts stay on the worlds' device; arguments as :class:`HardParts` takes them."""

    def __init__(self, worlds: EnvironmentWorlds, seed: int) -> None:
        super().__init__(worlds, seed)
        device = torch.device("cpu" if worlds.device.is_cpu else f"cuda:{worlds.device.ordinal}")
        self.of_frame = torch.tensor(self.parts, device=device, dtype=torch.long)
        self.passed, self.fallen = (
            torch.tensor(counts, device=device, dtype=torch.float32) for counts in (self.passed, self.fallen)
        )
        self.frame, self.ended = (wp.to_torch(worlds.live[name]) for name in ("frame", "ended"))

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it, [N] each."""
        frame = torch.where(ended, self.ended, self.frame).long()
        part = self.of_frame[frame]
        self.passed.index_add_(0, part, torch.full_like(fell, 1.0 / PART, dtype=torch.float32))
        self.fallen.index_add_(0, part, fell.float())

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[parts] passes and falls."""
        return self.passed.cpu().numpy().astype(float), self.fallen.cpu().numpy().astype(float)


WORLDS, EPISODE, SETTLING = 16_384, 300, 10
"""Worlds side by side, decisions of an episode, and iterations in which the critic alone learns."""


class TorchPractice:
    """Practice in progress.

    Args:
        network: the policy to begin with, of plain observations. options: of an environment with clips.
        seed: of everything random. worlds: side by side.

    Attributes:
        iteration: how many there were.
    """

    def __init__(self, network: Network, options: Options, seed: int = 0, *, worlds: int = WORLDS) -> None:
        settings = PpoSettings(
            worlds=worlds,
            horizon=16,
            batches=8,
            discount=0.98,
            rate=1e-4,
            divergence=0.006,
            noise=0.1,
            hidden=tuple(network.sizes[1:-1]),
            activation=network.activation,
        )
        given = {f: getattr(options, f) for f in options.__dataclass_fields__} | {"arrays": "torch"}
        self._env = WalkVectorEnv(worlds, max_episode_steps=EPISODE, autoreset_mode="SameStep", **given)
        self._open = ExitStack()
        self._open.enter_context(on_stream(self._env))
        torch.manual_seed(seed)
        on = self._env.worlds.device
        device = torch.device("cpu" if on.is_cpu else f"cuda:{on.ordinal}")
        sizes = network.sizes
        self.agent = Agent.of(sizes[0], sizes[-1], settings.hidden, settings.activation, settings.noise, device)
        self._ppo = Ppo(self._env, self.agent, settings, parts=TorchHardParts(self._env.worlds, seed))
        self._ppo.begin(seed)
        self.agent.take(network)
        self._ppo.settling = SETTLING
        self._ppo.begin(seed)
        self.iteration, self._first = 0, network

    @property
    def decisions(self) -> int:
        """Made so far, in all worlds."""
        return self._ppo.decisions

    def iterate(self) -> None:
        """Collect decisions and learn from them."""
        self._ppo.iterate()
        self.iteration += 1

    def network(self) -> Network:
        """The policy as it is now, of plain observations. To what never varied in practice it answers as before."""
        made, seen, first = self.agent.network(), self.agent.seen, self._first
        same = seen.variance.cpu().numpy() < LEAST_VARIANCE
        weight, bias = made.weights[0].copy(), made.biases[0].copy()
        weight[:, same] = first.weights[0][:, same]
        bias -= weight[:, same] @ seen.mean.cpu().numpy()[same]
        return Network.of([weight, *made.weights[1:]], [bias, *made.biases[1:]], made.activation)

    def close(self) -> None:
        """Let the worlds go."""
        self._open.close()
        self._env.close()
