"""A policy practises clips: proximal policy optimisation (Schulman et al. 2017) on a CPU, in NumPy.

For those who imitate a clip and would not install a learning library for it. The policy is a tracker that follows many
clips already; its critic is small and new. :mod:`footfall.gym.ppo` trains policies from nothing, on GPUs too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.gym.hard_parts import HardParts
from footfall.gym.options import SAME_STEP, Options
from footfall.gym.randomness import streams_of
from footfall.gym.worlds import EnvironmentWorlds
from footfall.methods.network.gradients import Adam, Layers
from footfall.methods.network.multilayer import Network

LOOKED = 64
"""Decisions from which it is learned what observations are like."""
LEAST_VARIANCE = 1e-4
SLOWEST, FASTEST = 1e-5, 1e-3
"""Bounds of the policy's learning rate."""
FAR = 10.0
"""Logarithm of a ratio of probabilities above which it counts as this."""
WORST = 10.0
"""Largest reward and cost of a decision: a world that diverges may have any."""

Array = NDArray[np.float32]


@dataclass(frozen=True)
class PracticeSettings:
    """How a policy practises.

    Attributes:
        worlds: side by side. horizon: decisions of each between updates. episode: decisions of an episode.
        settling: iterations in which the critic alone learns: a new one would lead a trained policy astray.
        epochs: passes over an iteration's decisions while it settles, and after that. batches: parts of a pass.
        critic: sizes of its hidden layers. critic_rate: at which it learns.
        discount: of a decision. trace: GAE's lambda. clip: of the ratio of probabilities.
        rate: first learning rate of the policy; it follows how far updates move it, a KL divergence of ``divergence``
            at best. gradient: the largest norm of a gradient.
        noise: deviation of actions.
    """

    worlds: int = 512
    horizon: int = 16
    episode: int = 300
    settling: int = 4
    epochs: tuple[int, int] = (4, 2)
    batches: int = 8
    critic: tuple[int, ...] = (128, 128)
    critic_rate: float = 1e-3
    discount: float = 0.98
    trace: float = 0.95
    clip: float = 0.2
    rate: float = 5e-5
    divergence: float = 0.03
    gradient: float = 1.0
    noise: float = 0.15


class Practice:
    """Practice in progress.

    Args:
        network: the policy to begin with, of plain observations.
        options: of an environment with clips, on a CPU. settings: how. seed: of everything random.

    Attributes:
        decisions: made so far, in all worlds.
    """

    def __init__(self, network: Network, options: Options, settings: PracticeSettings, seed: int = 0) -> None:
        self.settings, self.decisions, self.iteration = settings, 0, 0
        n = settings.worlds
        self.worlds = EnvironmentWorlds(options, n, most=settings.episode, mode=SAME_STEP)
        self.worlds.restart(np.ones(n, dtype=bool), streams_of([seed + i for i in range(n)]))
        self.parts, self.random = HardParts(self.worlds, seed), np.random.default_rng(seed)
        self._live: dict[str, Any] = {
            name: self.worlds.live[name].numpy()  # views: on a CPU nothing is copied
            for name in ("observation", "final", "reward", "terminated", "truncated", "action")
        }
        self.mean, self.deviation = self._standards(Layers(network))
        first, bias = network.weights[0] * self.deviation, network.biases[0] + network.weights[0] @ self.mean
        self.actor = Layers(Network.of([first, *network.weights[1:]], [bias, *network.biases[1:]], network.activation))
        self.critic = Layers.fresh((network.sizes[0], *settings.critic, 1), "elu", self.random)
        self._down = Adam(self.actor.values.size, settings.rate), Adam(self.critic.values.size, settings.critic_rate)
        self._scale = 1.0
        self._returns: list[Array] = []
        self._discounted = np.zeros(n, dtype=np.float32)

    def iterate(self) -> None:
        """Collect decisions and learn from them."""
        s, settling = self.settings, self.iteration < self.settings.settling
        steps = self._collected()
        moved = 0.0
        for _ in range(s.epochs[not settling]):
            moved = self._pass(steps, settling)
        if not settling:
            factor = 1.0 / 1.5 if moved > 2.0 * s.divergence else 1.5 if moved < 0.5 * s.divergence else 1.0
            self._down[0].rate = min(max(self._down[0].rate * factor, SLOWEST), FASTEST)
        self.parts.renew()
        self.iteration += 1
        self.decisions += s.worlds * s.horizon

    def network(self) -> Network:
        """The policy as it is now, of plain observations."""
        return self.actor.network().standardised(self.mean, self.deviation)

    def close(self) -> None:
        """Let the threads go."""
        self.worlds.close()

    # -- decisions -----------------------------------------------------------------------------------------------------

    def _standards(self, policy: Layers) -> tuple[Array, Array]:
        """Mean and deviation of what the policy observes as it is."""
        rows = []
        for _ in range(LOOKED):
            rows.append(np.nan_to_num(self._live["observation"]))
            answer = policy(rows[-1])
            self._act(answer + self._noise(answer.shape))
        seen = np.concatenate(rows)
        return seen.mean(0), np.sqrt(seen.var(0) + np.float32(LEAST_VARIANCE))

    def _noise(self, shape: tuple[int, ...]) -> Array:
        return np.float32(self.settings.noise) * self.random.standard_normal(shape, dtype=np.float32)

    def _act(self, action: Array) -> None:
        self._live["action"][:] = action
        self.worlds.step()

    def _seen(self, name: str) -> Array:
        rows: Array = np.nan_to_num(self._live[name])
        return (rows - self.mean) / self.deviation

    def _collected(self) -> dict[str, Array]:
        """Decisions [horizon · worlds, …], with advantages and returns."""
        s, live = self.settings, self._live
        kept: dict[str, list[Any]] = {name: [] for name in ("observed", "action", "offset", "value", "reward", "ended")}
        observed = self._seen("observation")
        for _ in range(s.horizon):
            answer = self.actor(observed)
            offset = self._noise(answer.shape)
            self._act(answer + offset)
            fell, late = live["terminated"] != 0, live["truncated"] != 0
            ended = fell | late
            self.parts.note(fell, ended)
            reward = np.clip(np.nan_to_num(live["reward"]), -WORST, WORST).astype(np.float32)
            self._note_return(reward, ended)
            reward = reward / np.float32(self._scale)
            if (late & ~fell).any():
                beyond = self.critic(self._seen("final"))[:, 0]
                reward = reward + np.float32(s.discount) * np.where(late & ~fell, beyond, np.float32(0.0))
            for name, value in (
                ("observed", observed),
                ("action", answer + offset),
                ("offset", offset),
                ("value", self.critic(observed)[:, 0]),
                ("reward", reward),
                ("ended", ended.astype(np.float32)),
            ):
                kept[name].append(value)
            observed = self._seen("observation")
        steps = {name: np.stack(rows) for name, rows in kept.items()}
        steps["advantage"] = self._advantages(steps, self.critic(observed)[:, 0])
        steps["return"] = steps["advantage"] + steps["value"]
        return {name: rows.reshape(-1, *rows.shape[2:]) for name, rows in steps.items()}

    def _note_return(self, reward: Array, ended: NDArray[np.bool_]) -> None:
        """Find out how far returns vary, while the critic settles; it learns in that unit."""
        if self.iteration >= self.settings.settling:
            return
        self._discounted = np.float32(self.settings.discount) * self._discounted + reward
        self._returns.append(self._discounted)
        self._discounted = np.where(ended, np.float32(0.0), self._discounted)
        self._scale = float(np.std(self._returns)) + 1e-3

    def _advantages(self, steps: dict[str, Array], after: Array) -> Array:
        """Generalised advantage estimation (Schulman et al. 2016)."""
        discount, both = np.float32(self.settings.discount), np.float32(self.settings.discount * self.settings.trace)
        advantage, last = np.zeros_like(steps["reward"]), np.zeros_like(after)
        for k in reversed(range(len(advantage))):
            going = 1.0 - steps["ended"][k]
            error = steps["reward"][k] + discount * after * going - steps["value"][k]
            last = error + both * going * last
            advantage[k], after = last, steps["value"][k]
        return advantage

    # -- learning ------------------------------------------------------------------------------------------------------

    def _pass(self, steps: dict[str, Array], settling: bool) -> float:
        """Learn from all decisions once; answers the policy's mean KL divergence from what it was."""
        moved, batches = 0.0, self.settings.batches
        for part in np.array_split(self.random.permutation(len(steps["value"])), batches):
            batch = {name: rows[part] for name, rows in steps.items()}
            off = self.critic(batch["observed"])[:, 0] - batch["return"]
            self.critic.descend(np.float32(2.0 / len(part)) * off[:, None])
            self._down[1].step(self.critic.values, self.critic.slopes, self.settings.gradient)
            if not settling:
                moved += self._improve(batch) / batches
        return moved

    def _improve(self, batch: dict[str, Array]) -> float:
        """A step of the policy; answers the batch's KL divergence."""
        s = self.settings
        variance = np.float32(s.noise**2)
        now, then = batch["action"] - self.actor(batch["observed"]), batch["offset"]
        change = np.minimum(((then * then).sum(1) - (now * now).sum(1)) / (2.0 * variance), np.float32(FAR))
        ratio, advantage = np.exp(change), batch["advantage"]
        advantage = (advantage - advantage.mean()) / (advantage.std() + np.float32(1e-8))
        clipped = np.where(advantage > 0.0, ratio > 1.0 + s.clip, ratio < 1.0 - s.clip)
        pull = np.where(clipped, np.float32(0.0), -advantage * ratio) / np.float32(len(ratio))
        self.actor.descend((pull[:, None] * now / variance).astype(np.float32, copy=False))
        self._down[0].step(self.actor.values, self.actor.slopes, s.gradient)
        return float((ratio - 1.0 - change).mean())
