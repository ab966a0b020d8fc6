"""Proximal policy optimisation (Schulman et al. 2017) over native worlds, in the manner of CleanRL: one short file.

Everything stays on the device: observations come as tensors, actions go as tensors, sums are read once an iteration.
The learning rate follows how far an update moves the policy (its KL divergence), as is usual with thousands of worlds.

An actor and a critic in torch: what PPO trains, and what becomes of it, a network that observes as it is.

Observations are standardised by their mean and deviation so far; the saved network has that in its first layer.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from footfall.errors import FootfallError
from footfall.learning.practice import HardParts
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


SLOWEST, FASTEST = 1e-5, 3e-3
"""Bounds of the learning rate."""


class Worlds(Protocol):
    """What is trained in: a vector environment with arrays "torch" and same-step autoreset, or what stands in front of
    one and sees and acts in other numbers."""

    def reset(self, *, seed: int) -> tuple[Any, dict[str, Any]]:
        """Observations [worlds, D]."""

    def step(self, action: Any, /) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Observations, rewards, endings by falls and by time, and ``final_obs`` in the info."""


@dataclass(frozen=True)
class PpoSettings:
    """How a policy is trained.

    Attributes:
        worlds: side by side. horizon: decisions of each world between updates.
        epochs: passes over them. batches: parts of a pass.
        discount: of a decision. trace: GAE's lambda. clip: of the ratio of probabilities.
        rate: first learning rate. divergence: KL that an update aims at; 0 keeps the rate.
        entropy, value: weights of these losses. gradient: its largest norm.
        hidden: sizes of the hidden layers. activation: between them. noise: first deviation of actions.
    """

    worlds: int = 256
    horizon: int = 32
    epochs: int = 4
    batches: int = 4
    discount: float = 0.99
    trace: float = 0.95
    clip: float = 0.2
    rate: float = 1e-3
    divergence: float = 0.01
    entropy: float = 0.0
    value: float = 1.0
    gradient: float = 1.0
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "tanh"
    noise: float = 0.3

    def __post_init__(self) -> None:
        for name in ("worlds", "horizon", "epochs", "batches"):
            if getattr(self, name) < 1:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.worlds * self.horizon < self.batches:
            raise FootfallError(f"batches is {self.batches}; there are {self.worlds * self.horizon} decisions alone")
        for name in ("rate", "noise", "gradient"):
            if not 0 < getattr(self, name) < 1e3:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("discount", "trace"):
            if not 0 <= getattr(self, name) <= 1:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be from 0 to 1")
        if not self.hidden or not all(1 <= size <= 1024 for size in self.hidden):
            raise FootfallError(f"hidden is {list(self.hidden)}; give one to seven layers of 1 to 1024 numbers")


@dataclass(frozen=True)
class Iteration:
    """What an iteration was like.

    Attributes:
        decisions: all so far. reward: mean of a decision. worth: mean of the discounted rewards to come.
        episodes: that ended in it. survived: share of those that did not fall. length: their mean in decisions.
        divergence: KL of the update. rate: of learning. noise: mean deviation of actions.
    """

    decisions: int
    reward: float
    worth: float
    episodes: int
    survived: float
    length: float
    divergence: float
    rate: float
    noise: float


@dataclass
class Ppo:
    """Training in progress.

    Attributes:
        env: where. agent: what is trained. settings: how.
        optimiser: Adam. decisions: made so far.
        parts: where episodes begin, in environments with clips.
        settling: iterations in which the critic alone learns: one that is new would lead a trained policy astray.
    """

    env: Worlds
    agent: Agent
    settings: PpoSettings
    optimiser: Any = None
    decisions: int = 0
    parts: HardParts | None = None
    settling: int = 0
    _observed: Any = None
    _running: Any = field(default=None, repr=False)

    def begin(self, seed: int) -> None:
        """Begin episodes."""
        if self.optimiser is None:
            self.optimiser = torch.optim.Adam(self.agent.parameters, lr=self.settings.rate, eps=1e-5)
        observed, _ = self.env.reset(seed=seed)
        self._observed = torch.nan_to_num(observed)
        self._running = torch.zeros(2, self.settings.worlds, device=observed.device)
        if float(self.agent.seen.count) < 1.0:
            self._collect()  # from it nothing is learned but what observations and returns are like

    def iterate(self) -> Iteration:
        """Collect decisions and learn from them."""
        steps, ended, worth = self._collect()
        divergence = self._update(steps)
        self.settling -= 1
        if self.parts is not None:
            self.parts.renew()
        self.decisions += self.settings.worlds * self.settings.horizon
        episodes, falls, length, reward = (float(x) for x in ended.cpu())
        count = max(episodes, 1.0)
        return Iteration(
            self.decisions,
            reward / (self.settings.worlds * self.settings.horizon),
            float(worth),
            int(episodes),
            1.0 - falls / count,
            length / count,
            divergence,
            float(self.optimiser.param_groups[0]["lr"]),
            float(self.agent.noise.detach().exp().mean()),
        )

    @torch.no_grad()
    def _collect(self) -> tuple[dict[str, Any], Any, Any]:
        """Decisions [horizon, worlds, …], with advantages; sums over the episodes that ended; the decisions' worth."""
        s, agent, observed = self.settings, self.agent, self._observed
        device = observed.device
        standard = agent.seen
        kept: dict[str, list[Any]] = {
            name: [] for name in ("observed", "action", "chance", "value", "reward", "ended", "plain")
        }
        ended_sums = torch.zeros(4, device=device)
        scale = agent.returns.deviation if float(agent.returns.count) > 1.0 else torch.ones(1, device=device)
        discounted, length = self._running
        returns = []
        for _ in range(s.horizon):
            inputs = standard(observed)
            law = agent.distribution(inputs)
            action = law.sample()
            after, reward, fell, late, info = self.env.step(action)
            reward = torch.nan_to_num(reward.float())
            fell, late = fell.bool(), late.bool()
            ended = fell | late
            if self.parts is not None:
                self.parts.note(fell, ended)
            discounted.mul_(s.discount).add_(reward)
            length += 1.0
            returns.append(discounted.clone())
            ended_sums += torch.stack([ended.sum(), fell.sum(), (length * ended).sum(), reward.sum()])
            scaled = reward / scale
            beyond = agent.value(standard(torch.nan_to_num(info["final_obs"])))
            scaled = scaled + s.discount * torch.where(late & ~fell, beyond, torch.zeros_like(beyond))
            for name, value in (
                ("plain", observed),
                ("observed", inputs),
                ("action", action),
                ("chance", law.log_prob(action).sum(-1)),
                ("value", agent.value(inputs)),
                ("reward", scaled),
                ("ended", ended.float()),
            ):
                kept[name].append(value)
            going = (~ended).float()
            discounted.mul_(going)
            length.mul_(going)
            observed = torch.nan_to_num(after)
        self._observed = observed
        steps = {name: torch.stack(values) for name, values in kept.items()}
        steps["advantage"] = self._advantages(steps, agent.value(standard(observed)))
        steps["return"] = steps["advantage"] + steps["value"]
        agent.seen.see(steps.pop("plain"))
        agent.returns.see(torch.stack(returns).reshape(-1, 1))
        return steps, ended_sums, (steps["return"] * scale).mean()

    def _advantages(self, steps: dict[str, Any], after: Any) -> Any:
        """Generalised advantage estimation (Schulman et al. 2016)."""
        s, advantage = self.settings, torch.zeros_like(steps["reward"])
        last = torch.zeros_like(after)
        for k in reversed(range(s.horizon)):
            going = 1.0 - steps["ended"][k]
            error = steps["reward"][k] + s.discount * after * going - steps["value"][k]
            last = error + s.discount * s.trace * going * last
            advantage[k], after = last, steps["value"][k]
        return advantage

    def _update(self, steps: dict[str, Any]) -> float:
        """Learn; answers the mean KL divergence from the policy that collected."""
        s = self.settings
        flat = {name: value.reshape(-1, *value.shape[2:]) for name, value in steps.items()}
        count, moved = s.worlds * s.horizon, 0.0
        for _ in range(s.epochs):
            order = torch.randperm(count, device=flat["value"].device)
            total = torch.zeros((), device=order.device)
            parts = order.tensor_split(s.batches)
            for part in parts:
                total += self._learn({name: value[part] for name, value in flat.items()})
            moved = float(total) / len(parts)
            self._adapt(moved)
        return moved

    def _learn(self, batch: dict[str, Any]) -> Any:
        """One step of the optimiser; answers the KL divergence of the batch."""
        s, agent = self.settings, self.agent
        law = agent.distribution(batch["observed"])
        change = law.log_prob(batch["action"]).sum(-1) - batch["chance"]
        ratio, advantage = change.exp(), batch["advantage"]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        gain = torch.minimum(ratio * advantage, ratio.clamp(1.0 - s.clip, 1.0 + s.clip) * advantage)
        off = agent.value(batch["observed"]) - batch["return"]
        loss = s.value * (off * off).mean()
        if self.settling <= 0:
            loss = loss - gain.mean() - s.entropy * law.entropy().sum(-1).mean()
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(agent.parameters, s.gradient)
        self.optimiser.step()
        return ((ratio - 1.0) - change).mean().detach()

    def _adapt(self, moved: float) -> None:
        """A learning rate under which updates move the policy as far as is asked."""
        aim = self.settings.divergence
        if aim <= 0.0 or self.settling > 0:
            return
        factor = 1.0 / 1.5 if moved > 2.0 * aim else 1.5 if moved < 0.5 * aim else 1.0
        for group in self.optimiser.param_groups:
            group["lr"] = min(max(group["lr"] * factor, SLOWEST), FASTEST)
