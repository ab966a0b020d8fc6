"""Proximal policy optimisation (Schulman et al. 2017), on a CPU in NumPy and on a GPU in torch, from one source.

A policy is new, or was trained before and practises: then its critic alone learns at first, since a new one would lead
the policy astray. Observations are standardised by their mean and deviation; the saved network has that in its first
layer. The learning rate follows how far an update moves the policy (its KL divergence), as is usual with thousands of
worlds.
"""

import math
from collections import deque
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.learning.layers import Adam, Arrays, Layers, arrays_of, fresh_network
from footfall.learning.options import SAME_STEP, Options
from footfall.learning.worlds import EnvironmentWorlds, HardParts, streams_of
from footfall.methods.network.multilayer import Network
from footfall.simulation.device import device_of
from footfall.text_files import packaged_toml

LOOKED = 64
"""Decisions from which it is learned what observations and returns are like."""
LEAST_VARIANCE, CONSTANT = 1e-4, 1e-12
"""Variances of an observation below which it counts as hardly varying, and as constant."""
LEAST_LOG_STD, MOST_LOG_STD = -4.0, 0.5
SMALL = 0.01
"""Share of the usual size of the last layer's weights of a new policy: a correction begins near nought."""
MOST_LOG_RATIO = 10.0
WORST = 10.0
"""Largest reward and cost of a decision: a world that diverges may have any."""


@dataclass(frozen=True)
class PpoSettings:
    """How a policy is trained.

    Attributes:
        worlds: side by side.
        horizon: decisions of each world between updates.
        epochs: passes over them in an update.
        batches: minibatches of an epoch.
        discount: of rewards, for each decision.
        gae_lambda: of generalised advantage estimation.
        clip_range: of the ratio of probabilities.
        learning_rate: the first one; it follows how far updates move the policy.
        learning_rates: its least and largest value.
        target_kl: KL divergence that an update aims at; 0 keeps the learning rate.
        entropy: weight of the entropy bonus.
        max_grad_norm: largest norm of a gradient.
        hidden: sizes of the hidden layers of a new policy.
        activation: between layers.
        action_noise: first standard deviation of actions, as a share of what they can do.
        learns_noise: whether that learns too.
        critic: sizes of the critic's hidden layers; None for the policy's.
        critic_rate: learning rate of the critic; None for the policy's.
        settling: iterations in which the critic alone learns.
        settling_epochs: epochs of those.
    """

    worlds: int = 256
    horizon: int = 32
    epochs: int = 4
    batches: int = 4
    discount: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    learning_rate: float = 1e-3
    learning_rates: tuple[float, float] = (1e-5, 3e-3)
    target_kl: float = 0.01
    entropy: float = 0.0
    max_grad_norm: float = 1.0
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "tanh"
    action_noise: float = 0.3
    learns_noise: bool = True
    critic: tuple[int, ...] | None = None
    critic_rate: float | None = None
    settling: int = 0
    settling_epochs: int = 4

    def __post_init__(self) -> None:
        for name in ("worlds", "horizon", "epochs", "batches"):
            if getattr(self, name) < 1:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.worlds * self.horizon < self.batches:
            raise FootfallError(f"batches is {self.batches}; there are {self.worlds * self.horizon} decisions in all")
        for name in ("learning_rate", "action_noise", "max_grad_norm"):
            if not 0 < getattr(self, name) < 1e3:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("discount", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise FootfallError(f"{name} is {getattr(self, name)}; it must be from 0 to 1")
        if not self.hidden or not all(1 <= size <= 1024 for size in self.hidden):
            raise FootfallError(f"hidden is {list(self.hidden)}; give one to seven layers of 1 to 1024 numbers")


PRACTICE, PRACTICE_ON_GPU = (
    PpoSettings(**table) for table in packaged_toml("footfall.learning", "practice.toml").values()
)
"""For a policy that follows many clips already and practises some, on a CPU and on a GPU."""


@dataclass(frozen=True)
class Iteration:
    """What an iteration was like.

    Attributes:
        decisions: all so far.
        reward: mean of a decision.
        worth: mean of the discounted rewards to come.
        episodes: that ended in it.
        survived: share of those that did not fall.
        length: their mean in decisions.
        divergence: KL of the update.
        rate: of learning.
        noise: mean deviation of actions.
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


class Worlds(Protocol):
    """What a policy acts in: worlds of an environment, or what is in front of them and sees and acts in other
    numbers. Arrays are those of one library."""

    sizes: tuple[int, int]
    """Numbers of an observation and of an action."""

    def observed(self, *, final: bool = False) -> Any:
        """[worlds, D] observations; with ``final`` those with which episodes ended in the last decision."""

    def act(self, action: Any, /) -> tuple[Any, Any, Any]:
        """A decision: rewards, endings by falls and endings by time, [worlds] each."""


class PolicyWorlds:
    """An environment's worlds as a policy sees them.

    Args:
        worlds: under same-step autoreset.
        arrays: of the policy.
    """

    def __init__(self, worlds: EnvironmentWorlds, arrays: Arrays) -> None:
        self.worlds, self.arrays = worlds, arrays
        self.sizes = len(worlds.setup.observations), len(worlds.setup.action.table)
        names = ("observation", "final", "reward", "terminated", "truncated", "action")
        self._live = {name: arrays.shared(worlds.live[name]) for name in names}

    def reset(self, seed: int) -> None:
        """Begin episodes anew in all worlds."""
        count = self.worlds.count
        self.worlds.restart(np.ones(count, dtype=bool), streams_of([seed + i for i in range(count)]))

    def observed(self, *, final: bool = False) -> Any:
        """[worlds, D] observations."""
        return self.arrays.xp.nan_to_num(self._live["final" if final else "observation"])

    def act(self, action: Any, /) -> tuple[Any, Any, Any]:
        """A decision."""
        self._live["action"][:] = action
        self.worlds.step()
        return self._live["reward"], self._live["terminated"] != 0, self._live["truncated"] != 0


class Standard:
    """Mean and variance of numbers [D] so far, by batches (Chan's rule)."""

    def __init__(self, arrays: Arrays, size: int) -> None:
        self.mean, self.variance, self.count = arrays.zeros(size), arrays.zeros(size) + 1.0, 0.0
        self._sqrt = arrays.xp.sqrt

    def see(self, rows: Any) -> None:
        """Take in rows [N, D]."""
        mean, count = rows.mean(0), float(len(rows))
        off = rows - mean
        variance, share = (off * off).mean(0), count / (self.count + count)
        apart = mean - self.mean
        self.variance = share * variance + (1.0 - share) * self.variance + share * (1.0 - share) * apart * apart
        self.mean = self.mean + share * apart
        self.count += count

    @property
    def deviation(self) -> Any:
        """[D] never near nought."""
        return self._sqrt(self.variance + LEAST_VARIANCE)

    def __call__(self, rows: Any) -> Any:
        """Rows with mean 0 and deviation 1."""
        return (rows - self.mean) / self.deviation


class Ppo:
    """Training in progress.

    Args:
        worlds: where.
        settings: how.
        arrays: with which library.
        policy: that practises, of plain observations; None for a new one.
        parts: where episodes begin, in environments with clips.

    Attributes:
        actor, critic: what learns; the critic in deviations of returns.
        seen: the standard of observations; it stays as it is under a policy that was trained before.
        decisions: made so far, in all worlds.
        iteration: how many there were.
    """

    def __init__(
        self,
        worlds: Worlds,
        settings: PpoSettings,
        arrays: Arrays,
        *,
        policy: Network | None = None,
        parts: HardParts | None = None,
    ) -> None:
        self.worlds, self.settings, self.arrays, self.parts, self.first = worlds, settings, arrays, parts, policy
        self.decisions = self.iteration = 0
        self._open = ExitStack()
        size, actions = worlds.sizes
        hidden = settings.hidden if policy is None else policy.sizes[1:-1]
        activation = settings.activation if policy is None else policy.activation
        network = policy or fresh_network((size, *hidden, actions), activation, arrays.initial, SMALL)
        self.seen = Standard(arrays, size)
        self.seen.see(self._looked(Layers(network, arrays)))
        if policy is not None:
            network = _behind(policy, arrays.numpy(self.seen.mean), arrays.numpy(self.seen.deviation))
        self.actor = Layers(network, arrays, extra=actions if settings.learns_noise else 0)
        self.actor.extra[:] = math.log(settings.action_noise)
        critic = (size, *(settings.critic or hidden), 1)
        self.critic = Layers(fresh_network(critic, activation, arrays.initial, 0.1), arrays)
        self.actor_optimiser = Adam(self.actor, settings.learning_rate)
        self.critic_optimiser = Adam(self.critic, settings.critic_rate or settings.learning_rate)
        self.scale: Any = 1.0
        self._returns: deque[Any] = deque(maxlen=LOOKED)
        self._discounted, self._length = (arrays.zeros(settings.worlds) for _ in range(2))

    @classmethod
    def of(
        cls,
        options: Options,
        settings: PpoSettings,
        *,
        policy: Network | None = None,
        seed: int = 0,
        episode: int = 300,
        library: str | None = None,
    ) -> "Ppo":
        """Training in worlds of an environment; :meth:`close` it.

        Args:
            options: of the environment.
            settings: how.
            policy: that practises; None for a new one.
            seed: of everything random.
            episode: decisions of an episode.
            library: "numpy" or "torch"; by default the one for the device.
        """
        arrays = arrays_of(device_of(options.device), seed, library)
        worlds = EnvironmentWorlds(options, settings.worlds, most=episode, mode=SAME_STEP)
        with ExitStack() as opened:
            opened.callback(worlds.close)
            opened.enter_context(arrays.working())
            acting = PolicyWorlds(worlds, arrays)
            acting.reset(seed)
            parts = HardParts(worlds, arrays, seed) if options.follows else None
            made = cls(acting, settings, arrays, policy=policy, parts=parts)
            made._open = opened.pop_all()
        return made

    def close(self) -> None:
        """Let the worlds go."""
        self._open.close()

    @property
    def settling(self) -> bool:
        """Whether the critic alone learns."""
        return self.iteration < self.settings.settling

    @property
    def std(self) -> Any:
        """Standard deviation of actions: [A] where it learns."""
        if not self.settings.learns_noise:
            return self.settings.action_noise
        return self.arrays.xp.exp(self.actor.extra)

    def iterate(self) -> Iteration:
        """Collect decisions and learn from them."""
        s, settling = self.settings, self.settling
        steps, sums = self._collected()
        old_std, kl = self.std, 0.0
        for _ in range(s.settling_epochs if settling else s.epochs):
            kl = self._epoch(steps, old_std)
        if not settling and s.target_kl > 0.0:
            factor = 1.0 / 1.5 if kl > 2.0 * s.target_kl else 1.5 if kl < 0.5 * s.target_kl else 1.0
            self.actor_optimiser.rate = min(
                max(self.actor_optimiser.rate * factor, s.learning_rates[0]), s.learning_rates[1]
            )
            if s.critic_rate is None:
                self.critic_optimiser.rate = self.actor_optimiser.rate
        if self.parts is not None:
            self.parts.renew()
        self.iteration += 1
        self.decisions += s.worlds * s.horizon
        worth = float((steps["return"] * self.arrays.single(self.scale)).mean())
        episodes, falls, length, reward = (float(x) for x in sums)
        count = max(episodes, 1.0)
        return Iteration(
            self.decisions,
            reward / (s.worlds * s.horizon),
            worth,
            int(episodes),
            1.0 - falls / count,
            length / count,
            kl,
            self.actor_optimiser.rate,
            float(np.mean(self.arrays.numpy(self.std))) if s.learns_noise else s.action_noise,
        )

    def network(self) -> Network:
        """The present policy, as a network of plain observations. Observations that never varied act as in the first
        policy; in a new policy, those that hardly varied have no effect."""
        own, first, seen = self.actor.network(), self.first, self.seen
        mean, deviation, variance = (self.arrays.numpy(x) for x in (seen.mean, seen.deviation, seen.variance))
        same = variance < (LEAST_VARIANCE if first is None else CONSTANT)
        varied = np.where(same, np.float32(0.0), own.weights[0])
        made = Network((varied, *own.weights[1:]), own.biases, own.activation).standardised(mean, deviation)
        weight, bias = made.weights[0], made.biases[0]
        if first is not None:
            weight[:, same] = first.weights[0][:, same]
            bias -= weight[:, same] @ mean[same]
        return made

    # -- decisions -----------------------------------------------------------------------------------------------------

    def _looked(self, policy: Layers) -> Any:
        """[N, D] the observations of a policy."""
        rows = []
        for _ in range(LOOKED):
            rows.append(self.worlds.observed())
            answer = policy(rows[-1])
            self.worlds.act(answer + self.settings.action_noise * self.arrays.normal(answer.shape))
        return self.arrays.xp.concatenate(rows)

    def _collected(self) -> tuple[dict[str, Any], Any]:
        """Decisions [horizon · worlds, …], with advantages and returns; and sums over them: episodes that ended, by
        falls, their lengths, and rewards."""
        s, xp, std = self.settings, self.arrays.xp, self.std
        names = ("observed", "action", "offset", "value", "reward", "ended")
        kept: dict[str, list[Any]] = {name: [] for name in names}
        plain, sums = [], self.arrays.zeros(4)
        for _ in range(s.horizon):
            plain.append(self.worlds.observed())
            observed = self.seen(plain[-1])
            answer = self.actor(observed)
            offset = std * self.arrays.normal(answer.shape)
            reward, fell, late = self.worlds.act(answer + offset)
            ended = fell | late
            if self.parts is not None:
                self.parts.note(fell, ended)
            reward = self.arrays.single(xp.clip(xp.nan_to_num(reward), -WORST, WORST))
            self._length += 1.0
            sums += xp.stack([x.sum() for x in map(self.arrays.single, (ended, fell, self._length * ended, reward))])
            self._note_return(reward, ended)
            reward = reward / self.arrays.single(self.scale)
            if (late & ~fell).any():
                beyond = self.critic(self.seen(self.worlds.observed(final=True)))[:, 0]
                reward = reward + s.discount * xp.where(late & ~fell, beyond, 0.0)
            value = self.critic(observed)[:, 0]
            for name, rows in zip(names, (observed, answer + offset, offset, value, reward, ended), strict=True):
                kept[name].append(self.arrays.single(rows))
        steps = {name: xp.stack(rows) for name, rows in kept.items()}
        after = self.critic(self.seen(self.worlds.observed()))[:, 0]
        steps["advantage"] = advantages(xp, steps, after, s.discount, s.gae_lambda)
        steps["return"] = steps["advantage"] + steps["value"]
        if self.first is None:
            self.seen.see(xp.concatenate(plain))
        return {name: rows.reshape(-1, *rows.shape[2:]) for name, rows in steps.items()}, sums

    def _note_return(self, reward: Any, ended: Any) -> None:
        """Update how much returns vary, the unit in which the critic learns. It is constant once the critic of a policy
        that was trained before has settled."""
        xp = self.arrays.xp
        if self.first is None or self.settling:
            self._discounted = self.settings.discount * self._discounted + reward
            self._returns.append(self._discounted)
            self._discounted = xp.where(ended, 0.0, self._discounted)
            rows = xp.stack(tuple(self._returns))
            off = rows - rows.mean()
            self.scale = self.arrays.double(xp.sqrt((off * off).mean())) + 1e-3
        self._length = xp.where(ended, 0.0, self._length)

    # -- learning ------------------------------------------------------------------------------------------------------

    def _epoch(self, steps: dict[str, Any], old_std: Any) -> float:
        """Learn from all decisions once; answers the policy's mean KL divergence from what it was."""
        s, kl = self.settings, 0.0
        for part in self.arrays.minibatches(len(steps["value"]), s.batches):
            batch = {name: rows[part] for name, rows in steps.items()}
            value_error = self.critic(batch["observed"])[:, 0] - batch["return"]
            self.critic.backward((2.0 / len(part)) * value_error[:, None])
            self.critic_optimiser.step(s.max_grad_norm)
            if not self.settling:
                kl = kl + self.arrays.double(self._improved(batch, old_std)) / s.batches
        return float(kl)

    def _improved(self, batch: dict[str, Any], old_std: Any) -> Any:
        """A step of the policy; answers the minibatch's KL divergence."""
        s, xp, std = self.settings, self.arrays.xp, self.std
        now, then = batch["action"] - self.actor(batch["observed"]), batch["offset"]
        log_ratio = xp.clip(_log_prob_change(xp, now, std, then, old_std), None, MOST_LOG_RATIO)
        ratio, advantage = xp.exp(log_ratio), batch["advantage"]
        off = advantage - advantage.mean()
        advantage = off / (xp.sqrt((off * off).mean()) + 1e-8)
        clipped = xp.where(advantage > 0.0, ratio > 1.0 + s.clip_range, ratio < 1.0 - s.clip_range)
        slope = (xp.where(clipped, 0.0, -advantage * ratio) / len(ratio))[:, None]  # of the loss by log_prob
        variance = std**2
        self.actor.backward(slope * now / variance)
        if s.learns_noise:
            self.actor.extra_gradients[:] = (slope * (now * now / variance - 1.0)).sum(0) - s.entropy
        self.actor_optimiser.step(s.max_grad_norm)
        if s.learns_noise:
            xp.clip(self.actor.extra, LEAST_LOG_STD, MOST_LOG_STD, out=self.actor.extra)
        return (ratio - 1.0 - log_ratio).mean()

    # -- checkpoints ---------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, NDArray[Any]]:
        """All that learning needs to continue, by name."""
        kept: dict[str, Any] = {"decisions": self.decisions, "iteration": self.iteration, "scale": self.scale}
        kept |= {"mean": self.seen.mean, "variance": self.seen.variance, "count": self.seen.count}
        for name, optimiser in (("actor", self.actor_optimiser), ("critic", self.critic_optimiser)):
            kept |= {f"{name}_values": optimiser.layers.values, f"{name}_rate": optimiser.rate}
            kept |= {f"{name}_{part}": getattr(optimiser, part) for part in ("count", "mean", "square")}
        arrays = {name: x if isinstance(x, int | float) else self.arrays.numpy(x) for name, x in kept.items()}
        return {name: np.array(x) for name, x in arrays.items()} | {"random": np.array(self.arrays.random_state)}

    def load(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a :meth:`state`; episodes begin anew."""
        self.decisions, self.iteration, self.scale = int(state["decisions"]), int(state["iteration"]), state["scale"]
        self.scale = float(self.scale)
        self.seen.mean, self.seen.variance = self.arrays.of(state["mean"]), self.arrays.of(state["variance"])
        self.seen.count = float(state["count"])
        for name, optimiser in (("actor", self.actor_optimiser), ("critic", self.critic_optimiser)):
            optimiser.layers.values[:] = self.arrays.of(state[f"{name}_values"])
            optimiser.mean, optimiser.square = (self.arrays.of(state[f"{name}_{part}"]) for part in ("mean", "square"))
            optimiser.count, optimiser.rate = int(state[f"{name}_count"]), float(state[f"{name}_rate"])
        if str(state["random"]):
            self.arrays.go_on(str(state["random"]))


def practising(
    network: Network, options: Options, seed: int = 0, settings: PpoSettings | None = None, library: str | None = None
) -> Ppo:
    """A policy that was trained before and practises in an environment; arguments as :meth:`Ppo.of` takes them."""
    usual = PRACTICE if options.device == "cpu" else PRACTICE_ON_GPU
    return Ppo.of(options, settings or usual, policy=network, seed=seed, library=library)


def advantages(xp: Any, steps: dict[str, Any], after: Any, discount: float, gae_lambda: float) -> Any:
    """Generalised advantage estimation (Schulman et al. 2016).

        δ = r + γ V' - V,     A = δ + γ λ A'

    Args:
        xp: the array library.
        steps: [horizon, worlds] "reward", "value", and "ended" (1 where an episode ended, with nothing after it).
        after: [worlds] the value of what follows.
        discount: γ.
        gae_lambda: λ.
    """
    advantage, last = xp.zeros_like(steps["reward"]), xp.zeros_like(after)
    for k in reversed(range(len(advantage))):
        going = 1.0 - steps["ended"][k]
        error = steps["reward"][k] + discount * after * going - steps["value"][k]
        last = error + (discount * gae_lambda) * going * last
        advantage[k], after = last, steps["value"][k]
    return advantage


def _log_prob_change(xp: Any, now: Any, std: Any, then: Any, old_std: Any) -> Any:
    """[N] by how much the logarithm of the actions' probability has changed; ``now`` and ``then`` [N, A] are how far
    they are from the policy's answer."""
    if isinstance(std, float):
        return ((then * then).sum(1) - (now * now).sum(1)) / (2.0 * std**2)
    squares = (then / old_std) ** 2 - (now / std) ** 2
    return 0.5 * squares.sum(1) + (xp.log(old_std) - xp.log(std)).sum()


def _behind(network: Network, mean: NDArray[np.float32], deviation: NDArray[np.float32]) -> Network:
    """The network of x as a network of (x - mean) / deviation."""
    first, bias = network.weights[0] * deviation, network.biases[0] + network.weights[0] @ mean
    return Network.of([first, *network.weights[1:]], [bias, *network.biases[1:]], network.activation)
