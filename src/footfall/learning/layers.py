"""A network's layers while they learn: answers, gradients, and Adam's steps (Kingma and Ba 2015), in NumPy or torch.

All weights and biases lie in one array, so that a step is a handful of operations.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.learning.arrays import Arrays, NumpyArrays
from footfall.methods.network.multilayer import Network

FIRST, SECOND, LEAST = 0.9, 0.999, 1e-5
"""Adam's decay rates, and what it adds to a divisor."""


class Layers:
    """Layers that learn.

    Args:
        network: what they are at first.
        arrays: the library; by default NumPy.
        extra: how many numbers beside weights and biases learn too.

    Attributes:
        values: all weights, biases and extra numbers.
        slopes: their gradients, of the last :meth:`descend`.
        weights, biases: of each layer, views of ``values``.
        extra, extra_slopes: views of the extra numbers and their gradients.
        activation: between layers.
    """

    def __init__(self, network: Network, arrays: Arrays | None = None, extra: int = 0) -> None:
        self.arrays, self.activation = arrays or NumpyArrays(), network.activation
        parts = [part for pair in zip(network.weights, network.biases, strict=True) for part in pair]
        shapes = [part.shape for part in parts]
        self.values = self.arrays.of(np.concatenate([*(part.ravel() for part in parts), np.zeros(extra, np.float32)]))
        self.slopes = self.arrays.zeros(len(self.values))
        views, slopes = _views(self.values, shapes), _views(self.slopes, shapes)
        self.weights, self.biases = views[::2], views[1::2]
        self._slopes = list(zip(slopes[::2], slopes[1::2], strict=True))
        first = len(self.values) - extra
        self.extra, self.extra_slopes = self.values[first:], self.slopes[first:]
        self._kept: list[Any] = []

    def __call__(self, inputs: Any) -> Any:
        """[N, out] answers to inputs [N, in]; what :meth:`descend` needs is kept."""
        self._kept = [inputs]
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = self._kept[-1] @ weight.T
            h += bias
            if k + 1 < len(self.weights):
                _activate(self.arrays.xp, h, self.activation)
            self._kept.append(h)
        return self._kept[-1]

    def descend(self, slope: Any) -> None:
        """Fill :attr:`slopes`, from the gradient [N, out] by the last answers."""
        xp = self.arrays.xp
        for k in reversed(range(len(self.weights))):
            into, bias = self._slopes[k]
            xp.matmul(slope.T, self._kept[k], out=into)
            xp.sum(slope, 0, out=bias)
            if k:
                slope = slope @ self.weights[k]
                slope *= _steepness(xp, self._kept[k], self.activation)

    def network(self) -> Network:
        """As a value."""
        weights, biases = ([self.arrays.numpy(part) for part in parts] for parts in (self.weights, self.biases))
        return Network.of(weights, biases, self.activation)


def fresh_network(sizes: Sequence[int], activation: str, random: np.random.Generator, last: float) -> Network:
    """A network with random weights whose answers are as large as their inputs; those of its last layer are ``last``
    times as large."""
    weights = [random.normal(0.0, np.sqrt(2.0 / n), (m, n)) for n, m in pairwise(sizes)]
    weights[-1] *= last
    return Network.of(weights, [np.zeros(m) for m in sizes[1:]], activation)


class Adam:
    """Steps down gradients.

    Args:
        layers: whose numbers learn.
        rate: of learning; it may be changed at any time.

    Attributes:
        count: steps so far.
        mean, square: running means of the gradient and of its square.
    """

    def __init__(self, layers: Layers, rate: float) -> None:
        self.layers, self.rate, self.count = layers, rate, 0
        self.mean, self.square = (layers.arrays.zeros(len(layers.values)) for _ in range(2))

    def step(self, max_grad_norm: float) -> None:
        """Move the layers' numbers against their gradient, which is shortened to a length."""
        arrays, slopes = self.layers.arrays, self.layers.slopes
        norm = arrays.double(arrays.xp.sqrt(slopes @ slopes))
        slopes = slopes * arrays.single(arrays.xp.clip(max_grad_norm / (norm + 1e-6), None, 1.0))
        self.count += 1
        self.mean += (1.0 - FIRST) * (slopes - self.mean)
        self.square += (1.0 - SECOND) * (slopes * slopes - self.square)
        scale = self.rate * float(np.sqrt(1.0 - SECOND**self.count)) / (1.0 - FIRST**self.count)
        values = self.layers.values
        values -= scale * self.mean / (arrays.xp.sqrt(self.square) + LEAST)


def _views(whole: Any, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
    return [whole[first:end].reshape(shape) for (first, end), shape in zip(pairwise(ends), shapes, strict=True)]


def _activate(xp: Any, h: Any, activation: str) -> None:
    """In place."""
    if activation == "tanh":
        xp.tanh(h, out=h)
        return
    if activation == "elu":
        below = xp.clip(h, None, 0.0)  # exp is much faster than expm1, and exact enough here
        xp.exp(below, out=below)
        below -= 1.0
    xp.clip(h, 0.0, None, out=h)
    if activation == "elu":
        h += below


def _steepness(xp: Any, answer: Any, activation: str) -> Any:
    """The activation's derivative, from its answer."""
    if activation == "tanh":
        return 1.0 - answer * answer
    if activation == "relu":
        return answer > 0.0
    return xp.clip(answer, None, 0.0) + 1.0
