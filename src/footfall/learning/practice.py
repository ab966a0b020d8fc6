"""A policy practises clips: proximal policy optimisation (Schulman et al. 2017) on a CPU, in NumPy.

For those who imitate a clip and would not install a learning library for it. The policy is a tracker that follows many
clips already; its critic is small and new. :mod:`footfall.learning.ppo` trains policies from nothing, on GPUs too.

A network's layers while they learn, in NumPy: answers, gradients, and Adam's steps (Kingma and Ba 2015).

All weights and biases lie in one array, so that a step is a handful of operations.

Where episodes of clips begin while a policy is trained: more often before the parts at which it falls.

Clips are cut into parts of about a second. A part's weight is the share of passes through it that ended in a fall,
smoothed over time; an episode begins in a part by that weight of it and of the part after it, or anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.learning.options import SAME_STEP, Options
from footfall.learning.worlds import EnvironmentWorlds, streams_of
from footfall.methods.network.multilayer import Network

PART = 50
"""Frames of a part."""
ANYWHERE = 0.3
"""Share of episodes that begin anywhere."""
KEPT = 0.97
"""Of what was counted before, after each renewal."""


class HardParts:
    """Counts where a policy passes and falls, and chooses beginnings.

    Args:
        worlds: of an environment with clips, on a CPU; :mod:`footfall.learning.practice_torch` is for others.
        seed: of what is drawn.

    Attributes:
        parts: [frames] each frame's part. passed, fallen: [parts] how often, of late.
    """

    def __init__(self, worlds: EnvironmentWorlds, seed: int) -> None:
        self.worlds = worlds
        self.everywhere = worlds.task.begins.numpy().copy()
        last = worlds.task.last.numpy()
        self.parts = _parts(last)
        count = int(self.parts.max()) + 1
        self.passed: Any = np.ones(count)
        self.fallen: Any = np.zeros(count)
        ends = np.flatnonzero(np.diff(last, append=-1))
        self.closing = np.zeros(count, dtype=bool)
        self.closing[self.parts[ends]] = True
        self.random = np.random.default_rng(seed)

    def note(self, fell: Any, ended: Any) -> None:
        """Count a decision of all worlds: which fell and which ended in it, [N] each."""
        live = self.worlds.live
        part = self.parts[np.where(ended, live["ended"].numpy(), live["frame"].numpy())]
        self.passed += np.bincount(part, minlength=len(self.passed)) / PART
        self.fallen += np.bincount(part[fell], minlength=len(self.passed))

    def counts(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """[parts] passes and falls."""
        return self.passed, self.fallen

    def renew(self) -> None:
        """Choose the beginnings of the next episodes."""
        passed, fallen = self.counts()
        rate = fallen / (passed + fallen + 1.0)
        self.passed *= KEPT
        self.fallen *= KEPT
        after = np.where(self.closing, 0.0, np.append(rate[1:], 0.0))
        weight = (rate + after)[self.parts[self.everywhere]] + 1e-3
        even = np.full(len(weight), 1.0 / len(weight))
        share = ANYWHERE * even + (1.0 - ANYWHERE) * weight / weight.sum()
        self.worlds.begin_at(np.repeat(self.everywhere, _times(share, self.random.random())).astype(np.int32))


def _times(share: NDArray[np.float64], offset: float) -> NDArray[np.int64]:
    """How often each of N frames is among N that are drawn by their shares, at equal distances from ``offset`` on: as
    many frames as a day of clips has are drawn in no time."""
    reached = np.cumsum(share)
    reached *= len(share) / reached[-1]
    reached[-1] = len(share)
    return np.diff(np.ceil(reached - offset), prepend=0.0).astype(np.int64)


def _parts(last: Any) -> Any:
    """[frames] the number of each frame's part; no part is in two clips."""
    frames = np.arange(len(last))
    first = np.concatenate([[0], np.flatnonzero(np.diff(last)) + 1])
    begun = first[np.searchsorted(first, frames, side="right") - 1]
    key = last.astype(np.int64) * (len(last) + 1) + (frames - begun) // PART
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


FIRST, SECOND, LEAST = 0.9, 0.999, 1e-5
"""Adam's decay rates, and what it adds to a divisor."""

Array = NDArray[np.float32]


class Layers:
    """Layers that learn.

    Attributes:
        values: all weights and biases. slopes: their gradients, of the last :meth:`descend`.
        weights, biases: of each layer, views of ``values``.
        activation: between layers.
    """

    def __init__(self, network: Network) -> None:
        shapes = [part.shape for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        self.activation = network.activation
        self.values = np.concatenate(
            [part.ravel() for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        ).astype(np.float32)
        self.slopes = np.zeros_like(self.values)
        parts, slopes = _views(self.values, shapes), _views(self.slopes, shapes)
        self.weights, self.biases = parts[::2], parts[1::2]
        self._slopes = list(zip(slopes[::2], slopes[1::2], strict=True))
        self._kept: list[Array] = []

    @classmethod
    def fresh(cls, sizes: Sequence[int], activation: str, random: np.random.Generator) -> "Layers":
        """New layers, with random weights whose answers are as large as their inputs; the last layer's are small."""
        weights = [random.normal(0.0, np.sqrt(2.0 / n), (m, n)) for n, m in pairwise(sizes)]
        weights[-1] *= 0.1
        return cls(Network.of(weights, [np.zeros(m) for m in sizes[1:]], activation))

    def __call__(self, inputs: Array) -> Array:
        """[N, out] answers to inputs [N, in]; what :meth:`descend` needs is kept."""
        self._kept = [inputs]
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = self._kept[-1] @ weight.T
            h += bias
            if k + 1 < len(self.weights):
                _activate(h, self.activation)
            self._kept.append(h)
        return self._kept[-1]

    def descend(self, slope: Array) -> None:
        """Fill :attr:`slopes`, from the gradient [N, out] by the last answers."""
        for k in reversed(range(len(self.weights))):
            into, bias = self._slopes[k]
            np.matmul(slope.T, self._kept[k], out=into)
            slope.sum(axis=0, out=bias)
            if k:
                slope = slope @ self.weights[k]
                slope *= _steepness(self._kept[k], self.activation)

    def network(self) -> Network:
        """As a value."""
        return Network.of(self.weights, self.biases, self.activation)


class Adam:
    """Steps down gradients.

    Args:
        size: how many values. rate: of learning; it may be changed at any time.
    """

    def __init__(self, size: int, rate: float) -> None:
        self.rate, self.count = rate, 0
        self._mean, self._square = np.zeros((2, size), dtype=np.float32)

    def step(self, values: Array, slopes: Array, longest: float) -> None:
        """Move values against their gradient, which is shortened to a length."""
        slopes = slopes * np.float32(min(1.0, longest / (float(np.sqrt(slopes @ slopes)) + 1e-6)))
        self.count += 1
        self._mean += np.float32(1.0 - FIRST) * (slopes - self._mean)
        self._square += np.float32(1.0 - SECOND) * (slopes * slopes - self._square)
        scale = self.rate * np.sqrt(1.0 - SECOND**self.count) / (1.0 - FIRST**self.count)
        values -= np.float32(scale) * self._mean / (np.sqrt(self._square) + np.float32(LEAST))


def _views(whole: Array, shapes: Sequence[tuple[int, ...]]) -> list[Array]:
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(whole, ends[:-1]), shapes, strict=True)]


def _activate(h: Array, activation: str) -> None:
    """In place."""
    if activation == "tanh":
        np.tanh(h, out=h)
    elif activation == "relu":
        np.maximum(h, 0.0, out=h)
    else:
        below = np.minimum(h, 0.0)  # exp is much faster than expm1, and exact enough here
        np.exp(below, out=below)
        below -= 1.0
        np.maximum(h, 0.0, out=h)
        h += below


def _steepness(answer: Array, activation: str) -> Array:
    """The activation's derivative, from its answer."""
    if activation == "tanh":
        return np.float32(1.0) - answer * answer
    if activation == "relu":
        return (answer > 0.0).astype(np.float32)
    return np.minimum(answer, np.float32(0.0)) + np.float32(1.0)


LOOKED = 64
"""Decisions from which it is learned what observations are like."""
LEAST_VARIANCE = 1e-4
LEAST_RATE, MOST_RATE = 1e-5, 1e-3
"""Bounds of the policy's learning rate."""
FAR = 10.0
"""Logarithm of a ratio of probabilities above which it counts as this."""
WORST = 10.0
"""Largest reward and cost of a decision: a world that diverges may have any."""


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
            self._down[0].rate = min(max(self._down[0].rate * factor, LEAST_RATE), MOST_RATE)
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
