"""An actor and a critic in torch: what PPO trains, and what becomes of it, a network that observes as it is.

Observations are standardised by their mean and deviation so far; the saved network has that in its first layer.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from footfall.methods.network.multilayer import Network

ACTIVATION = {"tanh": nn.Tanh, "elu": nn.ELU, "relu": nn.ReLU}
SMALL = 0.01
"""Share of the usual size of the last layer's weights at the start: a correction begins near nought."""
LEAST_VARIANCE = 1e-4
SETTLED_COUNT = 1e9
"""Rows that standards count as having seen once a trained policy looks through them."""
LEAST_NOISE, MOST_NOISE = -4.0, 0.5
"""Of the logarithm of the deviation of actions."""


class Standard:
    """Mean and variance of numbers [D] so far, by batches (Chan's rule).

    Attributes:
        mean, variance: [D], on the device. count: how many rows were seen.
    """

    def __init__(self, size: int, device: Any) -> None:
        self.mean = torch.zeros(size, device=device)
        self.variance = torch.ones(size, device=device)
        self.count = torch.tensor(1e-4, device=device)

    def see(self, rows: Any) -> None:
        """Take in rows [..., D]."""
        rows = rows.reshape(-1, self.mean.shape[0])
        mean, variance, count = rows.mean(0), rows.var(0, unbiased=False), float(rows.shape[0])
        total, off = self.count + count, mean - self.mean
        square = self.variance * self.count + variance * count + off * off * self.count * count / total
        self.mean += off * count / total
        self.variance.copy_(square / total)
        self.count += count

    @property
    def deviation(self) -> Any:
        """[D] never near nought."""
        return torch.sqrt(self.variance + LEAST_VARIANCE)

    def __call__(self, rows: Any) -> Any:
        """Rows with mean 0 and deviation 1."""
        return (rows - self.mean) / self.deviation

    def state(self) -> dict[str, Any]:
        """All of it, for a checkpoint."""
        return {"mean": self.mean, "variance": self.variance, "count": self.count}

    def load(self, state: dict[str, Any]) -> None:
        """Take it from a checkpoint."""
        for name, value in self.state().items():
            value.copy_(state[name])


@dataclass
class Agent:
    """Actor, critic, the deviation of actions, and the standards of observations and returns."""

    actor: Any
    critic: Any
    noise: Any
    seen: Standard
    returns: Standard
    activation: str

    @classmethod
    def of(
        cls, observations: int, actions: int, hidden: tuple[int, ...], activation: str, noise: float, device: Any
    ) -> "Agent":
        """A fresh agent."""
        actor = _layers((observations, *hidden, actions), activation, SMALL).to(device)
        critic = _layers((observations, *hidden, 1), activation, 1.0).to(device)
        spread = torch.full((actions,), float(np.log(noise)), device=device, requires_grad=True)
        return cls(actor, critic, spread, Standard(observations, device), Standard(1, device), activation)

    @property
    def parameters(self) -> list[Any]:
        """Whatever is trained."""
        return [*self.actor.parameters(), *self.critic.parameters(), self.noise]

    def distribution(self, observed: Any) -> Any:
        """Of actions, given standardised observations."""
        spread = self.noise.clamp(LEAST_NOISE, MOST_NOISE).exp()
        mean = self.actor(observed)
        return torch.distributions.Normal(mean, spread.expand_as(mean), validate_args=False)

    def value(self, observed: Any) -> Any:
        """[N] of standardised observations, in deviations of returns."""
        return self.critic(observed).squeeze(-1)

    def network(self) -> Network:
        """The actor's mean as a network of plain observations. What hardly varied in training counts nothing in it:
        what the policy would make of other values was never tried."""
        layers = [part for part in self.actor if isinstance(part, nn.Linear)]
        weights = [layer.weight.detach().cpu().numpy().copy() for layer in layers]
        weights[0][:, self.seen.variance.cpu().numpy() < LEAST_VARIANCE] = 0.0
        biases = [layer.bias.detach().cpu().numpy() for layer in layers]
        plain = Network.of(weights, biases, self.activation)
        return plain.standardised(self.seen.mean.cpu().numpy(), self.seen.deviation.cpu().numpy())

    def take(self, network: Network) -> None:
        """Act as a network of plain observations does. The standards stay near what they are now: the actor sees
        through them, and would act otherwise if they moved."""
        layers = [part for part in self.actor if isinstance(part, nn.Linear)]
        with torch.no_grad():
            for layer, weight, bias in zip(layers, network.weights, network.biases, strict=True):
                layer.weight.copy_(torch.tensor(weight))
                layer.bias.copy_(torch.tensor(bias))
            layers[0].bias += layers[0].weight @ self.seen.mean
            layers[0].weight *= self.seen.deviation
            self.seen.count.fill_(SETTLED_COUNT)

    def state(self) -> dict[str, Any]:
        """All of it, for a checkpoint."""
        return {
            "actor": self.actor.state_dict(),
            "critic": self.critic.state_dict(),
            "noise": self.noise.detach(),
            "seen": self.seen.state(),
            "returns": self.returns.state(),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Take it from a checkpoint."""
        self.actor.load_state_dict(state["actor"])
        self.critic.load_state_dict(state["critic"])
        with torch.no_grad():
            self.noise.copy_(state["noise"])
        self.seen.load(state["seen"])
        self.returns.load(state["returns"])


def _layers(sizes: tuple[int, ...], activation: str, last: float) -> Any:
    parts: list[Any] = []
    for k, (n, m) in enumerate(pairwise(sizes)):
        layer, final = nn.Linear(n, m), k + 2 == len(sizes)
        nn.init.orthogonal_(layer.weight, last if final else 2.0**0.5)
        nn.init.zeros_(layer.bias)
        parts += [layer] if final else [layer, ACTIVATION[activation]()]
    return nn.Sequential(*parts)
